//! What a text of a cell's kernels counts at a cell's sizes and at a few small ones, and by how much
//! two texts differ in it: as a formula of the sizes where a small one is exact, else as a number.

use crate::launch::Counts;
use crate::lesson::sizes::{Size, Sizes};

/// Most sizes of a lesson that differences are looked for as formulas of.
const SIZES_LIMIT: usize = 3;
/// How far above the least value of a size its first, second and last small values lie.
const STEPS: [u64; 3] = [4, 9, 16];
/// Most terms of a formula that is worth showing.
const TERMS_LIMIT: usize = 3;

/// What one text counts.
#[derive(Clone, Debug, PartialEq)]
pub struct TextCounts {
    /// The lesson's sizes.
    pub over: Vec<Size>,
    /// The sizes of the cell.
    pub sizes: Sizes,
    /// Counts of each launch at these sizes.
    pub launches: Vec<Counts>,
    /// Counts of all launches together at small sizes, in the order of [`small_sizes`]; empty where
    /// a run at them did not finish.
    pub small: Vec<(Sizes, Counts)>,
}

/// By how much a count of an edited text differs from that of the original.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The edited text's count less the original's, at the cell's sizes.
    pub by: i128,
    /// The same as a formula of the sizes that also holds at the small ones: `−2MN`.
    pub formula: Option<String>,
}

/// The sizes that differences are looked for as formulas of: those that may have any value in a range.
fn free(sizes: &[Size]) -> Vec<&Size> {
    sizes.iter().filter(|size| size.values.is_empty()).collect()
}

/// The small sizes at which differences are looked at to find a formula: two values of each size in
/// every combination, the first size changing fastest, then one of all sizes to test it. What may have
/// some values only is as in `at`. None for lessons with too many sizes.
pub fn small_sizes(sizes: &[Size], at: &Sizes) -> Vec<Sizes> {
    let free = free(sizes);
    let fits = |size: &&Size| size.max - size.min >= STEPS[2];
    if free.is_empty() || free.len() > SIZES_LIMIT || !free.iter().all(fits) {
        return Vec::new();
    }
    let point = |steps: &dyn Fn(usize) -> u64| -> Sizes {
        let mut point = at.clone();
        for (i, size) in free.iter().enumerate() {
            point.insert(size.name.clone(), size.min + steps(i));
        }
        point
    };
    let corners = 0..1_usize << free.len();
    let mut all: Vec<Sizes> = corners
        .map(|corner| point(&|i| STEPS[(corner >> i) & 1]))
        .collect();
    // The corners determine the polynomial; this one says whether it is one.
    all.push(point(&|_| STEPS[2]));
    all
}

/// The difference in one count, of one launch or of all together; nothing where one of them does not
/// have it, or they were not taken at the same sizes.
pub fn difference(
    original: &TextCounts,
    edited: &TextCounts,
    launch: Option<usize>,
    of: impl Fn(&Counts) -> Option<u64>,
) -> Option<Difference> {
    if original.sizes != edited.sizes || original.launches.len() != edited.launches.len() {
        return None;
    }
    let signed = |counts: &Counts| of(counts).map(i128::from);
    let total = |tally: &TextCounts| -> Option<i128> {
        let launches = tally.launches.iter().enumerate();
        let launches = launches.filter(|&(i, _)| launch.is_none_or(|launch| launch == i));
        launches.map(|(_, counts)| signed(counts)).sum()
    };
    let by = total(edited)? - total(original)?;
    let pairs = original.small.iter().zip(&edited.small);
    let points =
        pairs.map(|((sizes, before), (_, after))| Some((sizes, signed(after)? - signed(before)?)));
    let points: Option<Vec<(&Sizes, i128)>> = points.collect();
    // At small sizes only whole cells were counted, and a difference of nothing needs no formula.
    let asked = points.filter(|_| launch.is_none() && by != 0);
    let formula = asked.and_then(|mut points| {
        points.push((&edited.sizes, by));
        formula(&free(&edited.over), &points)
    });
    Some(Difference { by, formula })
}

/// The polynomial through the corners of [`small_sizes`] as text, if it goes through all other points too and is
/// short enough to be read.
fn formula(sizes: &[&Size], points: &[(&Sizes, i128)]) -> Option<String> {
    let corners = 1_usize << sizes.len();
    if points.len() <= corners + 1 {
        return None;
    }
    let values = points[..corners].iter().map(|&(_, by)| by).collect();
    let polynomial = Polynomial::through(sizes, values)?;
    let mut others = points[corners..].iter();
    let holds = others.all(|(at, by)| polynomial.at(at) == Some(*by));
    let terms = polynomial.coefficients.iter();
    let terms = terms.filter(|&&coefficient| coefficient != 0).count();
    (holds && (1..=TERMS_LIMIT).contains(&terms)).then(|| polynomial.text())
}

/// A polynomial of degree one in each size.
struct Polynomial<'a> {
    sizes: &'a [&'a Size],
    /// One a term. Bit `i` of a term's index says whether size `i` is a factor of it: with the sizes M and N, index 0
    /// is the constant, 1 is M, 2 is N and 3 is MN.
    coefficients: Vec<i128>,
}

impl<'a> Polynomial<'a> {
    /// That which has `values` at the corners, if its coefficients are whole: each size in turn is solved for, from
    /// the values at its two steps, as in `a + b·4 = 9, a + b·9 = 19`.
    fn through(sizes: &'a [&'a Size], values: Vec<i128>) -> Option<Self> {
        let mut coefficients = values;
        for (i, size) in sizes.iter().enumerate() {
            let [low, high] = [0, 1].map(|step| i128::from(size.min + STEPS[step]));
            for corner in (0..coefficients.len()).filter(|corner| corner >> i & 1 == 0) {
                let (at_low, at_high) = (coefficients[corner], coefficients[corner | 1 << i]);
                let rise = at_high - at_low;
                if rise % (high - low) != 0 {
                    return None;
                }
                let slope = rise / (high - low);
                coefficients[corner | 1 << i] = slope;
                coefficients[corner] = at_low - slope * low;
            }
        }
        Some(Polynomial {
            sizes,
            coefficients,
        })
    }

    /// The sizes that are factors of a term.
    fn factors(&self, term: usize) -> impl Iterator<Item = &'a Size> {
        let sizes = self.sizes.iter().enumerate();
        sizes.filter_map(move |(i, size)| (term >> i & 1 == 1).then_some(*size))
    }

    /// Its value; nothing where a size has none.
    fn at(&self, sizes: &Sizes) -> Option<i128> {
        let terms = self.coefficients.iter().enumerate();
        let values = terms.map(|(term, coefficient)| {
            self.factors(term).try_fold(*coefficient, |value, size| {
                Some(value * i128::from(*sizes.get(&size.name)?))
            })
        });
        values.sum()
    }

    /// As a textbook writes it, each term with its sign, the highest degree first.
    fn text(&self) -> String {
        let mut terms: Vec<usize> = (0..self.coefficients.len()).collect();
        terms.sort_by_key(|term| std::cmp::Reverse(term.count_ones()));
        terms.retain(|&term| self.coefficients[term] != 0);
        let is_short = self.sizes.iter().all(|size| size.name.chars().count() == 1);
        let mut text = String::new();
        for term in terms {
            let coefficient = self.coefficients[term];
            let sign = if coefficient < 0 { "\u{2212}" } else { "+" };
            text += &match text.is_empty() {
                true => sign.to_owned(),
                false => format!(" {sign} "),
            };
            let names = self.factors(term).map(|size| size.name.clone());
            let number = coefficient.unsigned_abs();
            let shows_number = number != 1 || term == 0;
            let number = shows_number.then(|| number.to_string());
            let factors: Vec<String> = number.into_iter().chain(names).collect();
            text += &factors.join(if is_short { "" } else { "\u{b7}" });
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sizes() -> Vec<Size> {
        ["M", "N"]
            .map(|name| Size {
                name: name.to_owned(),
                label: String::new(),
                default: 100,
                min: 1,
                max: 4096,
                values: Vec::new(),
            })
            .to_vec()
    }

    fn tally(of: impl Fn(i128, i128) -> i128) -> TextCounts {
        let count = |sizes: &Sizes| {
            let mut counts = Counts::default();
            let value = of(sizes["M"].into(), sizes["N"].into());
            counts.global_load.elements = u64::try_from(value).expect("counts are not negative");
            counts
        };
        let at = Sizes::from([("M".to_owned(), 1823), ("N".to_owned(), 781)]);
        let small = small_sizes(&sizes(), &at).into_iter();
        TextCounts {
            over: sizes(),
            launches: vec![count(&at)],
            sizes: at.clone(),
            small: small.map(|sizes| (sizes.clone(), count(&sizes))).collect(),
        }
    }

    fn found(original: fn(i128, i128) -> i128, edited: fn(i128, i128) -> i128) -> Difference {
        let of = |counts: &Counts| Some(counts.global_load.elements);
        difference(&tally(original), &tally(edited), None, of).expect("is at the same sizes")
    }

    #[test]
    fn a_difference_is_told_as_a_formula_where_that_is_exact() {
        let text = |original, edited| found(original, edited).formula.unwrap_or_default();
        assert_eq!(
            text(|m, n| 5 * m * n + 2 * m, |m, n| 3 * m * n + 2 * m),
            "\u{2212}2MN"
        );
        assert_eq!(
            text(|m, n| m * n, |m, n| 2 * m * n - m + 7),
            "+MN \u{2212} M + 7"
        );
        let rounded = found(|m, n| m * n, |m, n| m * n.div_euclid(8) * 8);
        assert_eq!((rounded.by, rounded.formula), (-1823 * 5, None));
        assert_eq!(found(|m, _| m, |m, _| m).by, 0);
    }

    #[test]
    fn counts_at_other_sizes_are_not_compared() {
        let original = tally(|m, _| m);
        let edited = TextCounts {
            sizes: Sizes::new(),
            ..original.clone()
        };
        assert_eq!(difference(&original, &edited, None, |_| Some(0)), None);
    }

    proptest! {
        #[test]
        fn every_small_polynomial_is_found(a in -9_i128..9, b in -9_i128..9, c in -9_i128..9) {
            let base = |m: i128, n: i128| 100 * m * n;
            let (original, edited) = (tally(base), tally(|m, n| base(m, n) + a * m * n + b * n + c));
            let of = |counts: &Counts| Some(counts.global_load.elements);
            let found = difference(&original, &edited, None, of).expect("is at the same sizes");
            prop_assert_eq!(found.formula.is_some(), (a, b, c) != (0, 0, 0) && found.by != 0);
        }
    }
}
