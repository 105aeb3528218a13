//! Accesses that went behind the end of a buffer, into the room that a GPU's allocation has there.

use crate::ir::Kernel;
use crate::simt::count::Footprints;
use crate::simt::fault;
use crate::simt::global_memory::GlobalMemory;
use crate::source::Diagnostic;

/// What is to be said of them: one sentence for each line of the source and each buffer.
pub fn overruns(
    kernel: &Kernel,
    memory: &GlobalMemory,
    footprints: &Footprints,
) -> Vec<Diagnostic> {
    let buffers = (0..memory.len()).filter_map(|index| Some((index, memory.get(index)?)));
    let with_room: Vec<_> = buffers
        .filter(|(_, buffer)| buffer.own_bytes < buffer.size_bytes)
        .collect();
    let mut reported: Vec<(usize, usize)> = Vec::new();
    let mut found = Vec::new();
    for (at, site) in kernel.sites.iter().enumerate() {
        for (index, buffer) in &with_room {
            let length = buffer.own_bytes / buffer.element_bytes();
            let first = footprints.of_site(at, *index).first_from(length);
            let key = (footprints.line_of(at), *index);
            if let Some(element) = first
                && !reported.contains(&key)
            {
                reported.push(key);
                found.push(fault::overrun(site, &buffer.name, element, length));
            }
        }
    }
    found
}
