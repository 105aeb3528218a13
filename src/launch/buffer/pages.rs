//! Memory for large buffers.

/// So many zeros, on huge pages where there are any: the system makes a page when it is first touched, and for a buffer
/// of small ones that takes longer than a kernel that adds it, simulated.
pub fn zeroed(size_bytes: usize) -> Vec<u8> {
    let mut bytes = vec![0; size_bytes];
    #[cfg(target_os = "linux")]
    ask_for_huge_pages(&mut bytes);
    bytes
}

/// Bytes of a huge page, or more.
#[cfg(target_os = "linux")]
const HUGE_PAGE: usize = 2 << 20;

/// Asks for huge pages where `bytes` has whole ones.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
fn ask_for_huge_pages(bytes: &mut [u8]) {
    use rustix::mm::{Advice, madvise};
    let address = bytes.as_ptr().addr();
    let first = address.next_multiple_of(HUGE_PAGE) - address;
    let Some(from_first) = bytes.get_mut(first..) else {
        return;
    };
    let length = from_first.len() / HUGE_PAGE * HUGE_PAGE;
    if length > 0 {
        // A kernel without huge pages says so: small ones do as well.
        // SAFETY: the pages lie within `bytes`, and the advice changes nothing that they hold.
        let _ = unsafe {
            madvise(
                from_first.as_mut_ptr().cast(),
                length,
                Advice::LinuxHugepage,
            )
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_of_any_size_is_zero() {
        for size_bytes in [0, 1, 4096, (2 << 20) - 1, (9 << 20) + 3] {
            let bytes = zeroed(size_bytes);
            assert!(bytes.len() == size_bytes && bytes.iter().all(|&byte| byte == 0));
        }
    }
}
