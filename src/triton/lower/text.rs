//! Text that grows line by line, each line with the place in the Python that it came from.

use crate::source::Span;

/// Lines of CUDA C++.
#[derive(Clone, Debug, Default)]
pub struct Writer {
    lines: Vec<(String, Span)>,
    depth: usize,
    /// Where what is written now came from.
    pub span: Span,
}

impl Writer {
    /// One line.
    pub fn line(&mut self, text: impl AsRef<str>) {
        let indent = "    ".repeat(self.depth);
        self.lines
            .push((format!("{indent}{}", text.as_ref()), self.span));
    }

    /// A line at the margin.
    pub fn margin(&mut self, text: impl AsRef<str>) {
        self.lines.push((text.as_ref().to_owned(), self.span));
    }

    /// A line that opens a block.
    pub fn open(&mut self, text: impl AsRef<str>) {
        self.line(format!("{} {{", text.as_ref()).trim_start());
        self.depth += 1;
    }

    /// Ends a block and begins its other half.
    pub fn other(&mut self, text: &str) {
        self.depth -= 1;
        self.open(format!("}} {text}"));
    }

    /// Ends a block.
    pub fn close(&mut self) {
        self.depth -= 1;
        self.line("}");
    }

    /// A loop that is written out by the compiler: `count` times, `step` apart.
    pub fn unrolled(&mut self, name: &str, count: u32, step: u32) {
        self.margin("#pragma unroll");
        let next = match step {
            1 => format!("{name}++"),
            _ => format!("{name} += {step}"),
        };
        self.open(format!("for (int {name} = 0; {name} < {count}; {next})"));
    }

    /// Where the next line will stand.
    pub fn position(&self) -> usize {
        self.lines.len()
    }

    /// Puts lines in between.
    pub fn insert(&mut self, at: usize, lines: &[String]) {
        let lines = lines
            .iter()
            .map(|line| (format!("    {line}"), Span::default()));
        self.lines.splice(at..at, lines);
    }

    /// All lines, each with its place.
    pub fn finish(self) -> Vec<(String, Span)> {
        self.lines
    }
}
