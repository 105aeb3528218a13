//! How many elements sizes ask for.

/// The product of `sizes`, if an input of `held` elements has as many.
pub(super) fn elements_of(sizes: &[usize], available: usize) -> Option<usize> {
    let mut sizes = sizes.iter();
    let product = sizes.try_fold(1_usize, |product, &size| product.checked_mul(size));
    product.filter(|&product| product <= available)
}
