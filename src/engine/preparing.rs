//! What a run does before its first launch, for whoever waits for it.

use std::fmt;

/// What is to be known of a run before anything of it ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preparing {
    /// It takes more memory than its buffers let expect: told before any of it is taken.
    Memory {
        /// All of it, at worst.
        peak_bytes: u64,
        /// The buffers, once.
        buffer_bytes: u64,
    },
    /// Large buffers get what they begin with; sent at most a hundred times.
    Filling {
        /// Bytes that are filled.
        bytes_done: u64,
        /// Bytes of all buffers.
        bytes: u64,
    },
}

impl fmt::Display for Preparing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Preparing::Memory {
                peak_bytes,
                buffer_bytes,
            } => {
                let (peak, buffers) = (megabytes(peak_bytes), megabytes(buffer_bytes));
                write!(
                    f,
                    "this run may need {peak} of memory; its buffers have {buffers}"
                )
            }
            // Rounded down: nothing says 100 % before it is done.
            Preparing::Filling { bytes_done, bytes } => {
                let percent = u128::from(bytes_done) * 100 / u128::from(bytes.max(1));
                write!(f, "fills the buffers, {percent} % of {}", megabytes(bytes))
            }
        }
    }
}

/// `1,234 MB`: millions of bytes, rounded up.
pub(super) fn megabytes(bytes: u64) -> String {
    let digits = bytes.div_ceil(1_000_000).to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text + " MB"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_prepared_reads_as_a_line() {
        let memory = Preparing::Memory {
            peak_bytes: 3_200_000_001,
            buffer_bytes: 999_999,
        };
        let text = "this run may need 3,201 MB of memory; its buffers have 1 MB";
        assert_eq!(memory.to_string(), text);
        let filling = |bytes_done, bytes| Preparing::Filling { bytes_done, bytes }.to_string();
        assert_eq!(filling(999, 1000), "fills the buffers, 99 % of 1 MB");
        assert_eq!(
            filling(u64::MAX, u64::MAX).split(',').nth(1),
            Some(" 100 % of 18")
        );
        assert_eq!(filling(0, 0), "fills the buffers, 0 % of 0 MB");
    }
}
