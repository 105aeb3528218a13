//! Input and output of a run.

/// Input and output.
pub trait Io {
    /// Writes to standard output.
    fn output(&mut self, bytes: &[u8]);

    /// Writes to standard error.
    fn error(&mut self, bytes: &[u8]);

    /// Reads from standard input; how many bytes, 0 at its end.
    fn input(&mut self, bytes: &mut [u8]) -> usize;

    /// What a file holds, if the program may read it.
    fn file(&mut self, path: &str) -> Option<Vec<u8>>;
}
