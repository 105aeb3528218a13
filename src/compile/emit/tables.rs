//! What instructions refer to by number: places that access memory, print, or trap.

use crate::compile::analysis::Region;
use crate::ir::{AccessRole, AccessSite, KernelTables, LaunchSite, PrintSite, TrapSite};
use crate::memory::AccessKind;

/// The tables of one kernel.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    pub sites: Vec<AccessSite>,
    /// What each of them may meet.
    regions: Vec<Region>,
    pub others: KernelTables,
}

impl Tables {
    /// Index of an access site in `region`, to put into an instruction.
    pub fn site(&mut self, mut site: AccessSite, region: Region) -> u32 {
        if region == Region::Volatile && site.role == AccessRole::Own {
            site.role = AccessRole::Volatile;
        }
        self.sites.push(site);
        // Beside the sites, not in them: the machine has no use for it.
        self.regions.push(region);
        self.sites.len() as u32 - 1
    }

    /// Index of a print, to put into an instruction.
    pub fn print(&mut self, print: PrintSite) -> u32 {
        self.others.prints.push(print);
        self.others.prints.len() as u32 - 1
    }

    /// Index of a launch, to put into an instruction.
    pub fn launch(&mut self, launch: LaunchSite) -> u32 {
        self.others.launches.push(launch);
        self.others.launches.len() as u32 - 1
    }

    /// Index of a trap, to put into an instruction.
    pub fn trap(&mut self, trap: TrapSite) -> u32 {
        self.others.traps.push(trap);
        self.others.traps.len() as u32 - 1
    }

    /// Where these 64-bit constants begin, to put into an instruction.
    pub fn constants(&mut self, constants: Vec<u64>) -> u32 {
        let at = self.others.constants.len() as u32;
        self.others.constants.extend(constants);
        at
    }

    /// What an access site may meet.
    pub fn region(&self, site: u32) -> Region {
        let region = self.regions.get(site as usize).copied();
        region.unwrap_or(Region::Unknown)
    }

    /// Registers that an access site moves.
    pub fn site_words(&self, site: u32) -> u32 {
        let site = self.sites.get(site as usize);
        site.map_or(1, AccessSite::words)
    }

    /// The accesses of one kind written since there were `from` sites count nothing; whether there are
    /// any.
    pub fn silence(&mut self, from: usize, kind: AccessKind) -> bool {
        let mut found = false;
        for site in self.sites[from..]
            .iter_mut()
            .filter(|site| site.kind == kind)
        {
            site.role = AccessRole::Silent;
            found = true;
        }
        found
    }
}
