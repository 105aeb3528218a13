//! Launches: arguments as a kernel finds them.

use crate::host::code::LaunchSite;
use crate::host::device::KernelLaunch;
use crate::launch::Dim3;

use super::state::Machine;
use super::stop::Stop;

impl Machine<'_> {
    /// Launches a kernel; `slots` hold the addresses of grid and block, the shared memory, the stream and the arguments.
    pub(super) fn launch(&mut self, site: &LaunchSite, slots: &[u64]) -> Result<(), Stop> {
        let (grid, block) = (self.dim3(slots[0])?, self.dim3(slots[1])?);
        let mut arguments = Vec::new();
        for (ty, &bits) in site.types.iter().zip(&slots[4..]) {
            // The layout of a kernel's parameters is that of a struct's fields.
            let start = arguments.len().next_multiple_of(ty.align_bytes() as usize);
            arguments.resize(start, 0);
            let size = ty.size_bytes();
            match crate::host::lower::is_aggregate(ty) {
                true => arguments.extend(self.memory.read(bits, u64::from(size))?),
                false => arguments.extend_from_slice(&bits.to_le_bytes()[..size as usize]),
            }
        }
        let launch = KernelLaunch {
            kernel: site.kernel,
            grid,
            block,
            shared_bytes: slots[2],
            arguments,
            span: self.location(),
            is_cooperative: false,
        };
        // It is away while one of its functions runs, and so cannot be entered twice.
        let Some(mut library) = self.library.take() else {
            return self.abort("a kernel is launched by a function that the GPU calls");
        };
        let done = library.launch(self, launch, slots[3]);
        self.library = Some(library);
        done
    }

    /// A `dim3` of the host.
    pub fn dim3(&self, address: u64) -> Result<Dim3, Stop> {
        let bytes = self.memory.read(address, 12)?;
        let word = |at: usize| {
            let word = bytes.get(at * 4..at * 4 + 4);
            let word = word.and_then(|word| word.try_into().ok());
            u32::from_le_bytes(word.unwrap_or([0; 4]))
        };
        Ok([word(0), word(1), word(2)])
    }
}
