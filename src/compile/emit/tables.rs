//! What instructions refer to by number: places that access memory, print, or trap.

use super::Emitter;
use crate::compile::analysis::Region;
use crate::ir::{AccessSite, PrintSite, TrapSite};
use crate::source::Span;

/// The tables of one kernel.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    pub sites: Vec<AccessSite>,
    /// What each of them may meet.
    pub regions: Vec<Region>,
    pub prints: Vec<PrintSite>,
    pub traps: Vec<TrapSite>,
}

impl Emitter<'_> {
    /// Index of an access site in `region`, to put into an instruction.
    pub fn site(&mut self, site: AccessSite, region: Region) -> u32 {
        let span = self.place_of(site.span);
        let line = self.line_of(span);
        self.tables.sites.push(AccessSite { span, line, ..site });
        self.tables.regions.push(region);
        self.tables.sites.len() as u32 - 1
    }

    /// Index of a print, to put into an instruction.
    pub fn print(&mut self, print: PrintSite) -> u32 {
        self.tables.prints.push(print);
        self.tables.prints.len() as u32 - 1
    }

    /// Index of a trap, to put into an instruction.
    pub fn trap(&mut self, trap: TrapSite) -> u32 {
        self.tables.traps.push(trap);
        self.tables.traps.len() as u32 - 1
    }

    /// The source between the ends of `span`.
    pub fn text_of(&self, span: Span) -> String {
        self.file.slice(span).to_owned()
    }
}
