//! The warp slots of an SM as lines: each slot with the block that has it, and those that stay empty.

use ratatui::text::{Line, Span};

use super::area::{Room, across_evenly};
use crate::device::{Occupancy, counted};
use crate::document::style::{Role, Theme, first_fitting, texts};

/// Most slots in a row: as many as a warp has lanes are still counted at a glance.
const ACROSS: usize = 32;

/// The `slots` warp slots of an SM that holds the blocks of `found`: a heading, rows of slots, and what keeps more from it.
pub(crate) fn slots_lines(
    found: &Occupancy,
    slots: u32,
    room: Room,
    theme: Theme,
) -> Vec<Line<'static>> {
    let taken = found.warps;
    let of_block = found.warps.checked_div(found.blocks).unwrap_or(0);
    // Rows of equal length: 64 slots are 2 rows of 32, 48 are 2 of 24.
    let across = across_evenly(slots as usize, 1, (room.width / 2).clamp(1, ACROSS)) as u32;
    let mut lines = vec![head(found, slots, room.width, theme)];
    for first in (0..slots).step_by(across as usize) {
        let row = (first..(first + across).min(slots)).map(|slot| match slot < taken {
            true => taken_slot(slot / of_block.max(1), theme),
            false => Span::styled(format!("{} ", theme.idle()), theme.style(Role::Bad)),
        });
        lines.push(row.collect());
    }
    lines.push(limit(found, slots, room.width, theme));
    lines.truncate(room.height);
    lines
}

/// The slot of a warp of block `block`: its number in the colour of the block, from 0 to 9 and a to z.
fn taken_slot(block: u32, theme: Theme) -> Span<'static> {
    let digit = char::from_digit(block % 36, 36).unwrap_or('?');
    // Five colours: the sixth is red, which is for what is wasted.
    Span::styled(format!("{digit} "), theme.series(block as usize % 5))
}

fn head(found: &Occupancy, slots: u32, width: usize, theme: Theme) -> Line<'static> {
    let name = format!("An SM's {slots} warp slots");
    let warps = found.warps.checked_div(found.blocks).unwrap_or(0);
    let [blocks, warps] =
        [(found.blocks, "block"), (warps, "warp")].map(|(count, noun)| counted(count.into(), noun));
    let times = theme.times();
    let words = [
        format!("  {blocks} {times} {warps} = {} taken", found.warps),
        format!("  {} taken", found.warps),
    ];
    let room = width.saturating_sub(name.len());
    Line::from(vec![
        Span::styled(name, theme.style(Role::Strong)),
        Span::styled(first_fitting(words, room), theme.style(Role::Muted)),
    ])
}

/// Why no block more fits.
fn limit(found: &Occupancy, slots: u32, width: usize, theme: Theme) -> Line<'static> {
    let limits = found.limiting_factors.iter().map(|limit| limit.in_words());
    let limits = limits.collect::<Vec<_>>().join(" and ");
    let empty = slots - found.warps.min(slots);
    let words = match (found.blocks, empty) {
        (0, _) => [
            format!("Not one block fits: limited by {limits}"),
            "Not one block fits".to_owned(),
        ],
        (_, 0) => [
            "Every slot has a warp".to_owned(),
            "All slots taken".to_owned(),
        ],
        (_, empty) => [
            format!(
                "{empty} {} empty: no other block fits, limited by {limits}",
                stay(empty)
            ),
            format!("{empty} empty, limited by {limits}"),
        ],
    };
    let role = if empty == 0 { Role::Good } else { Role::Bad };
    Line::from(Span::styled(first_fitting(words, width), theme.style(role)))
}

fn stay(slots: u32) -> &'static str {
    if slots == 1 {
        "slot stays"
    } else {
        "slots stay"
    }
}

/// The same as lines of ASCII.
pub fn slots_text(found: &Occupancy, slots: u32, width: usize, height: usize) -> Vec<String> {
    let room = Room { width, height };
    texts(&slots_lines(found, slots, room, Theme::paper()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::device::{gpu, gpu_ids, occupancy};
    use crate::document::style::Depth;

    fn text(found: &Occupancy, slots: u32, width: usize) -> Vec<String> {
        let theme = Theme::new(Depth::None, true);
        let room = Room { width, height: 20 };
        let lines = slots_lines(found, slots, room, theme);
        assert!(lines.iter().all(|line| line.width() <= width), "{lines:?}");
        texts(&lines)
    }

    #[test]
    fn slots_are_numbered_by_block_and_empty_ones_hatched() {
        let cc = gpu("h200").expect("is known").limits();
        let found = occupancy(cc, 288, 40, 0);
        let drawn = [36, 60, 100].map(|width| text(&found, 64, width).join("\n"));
        insta::assert_snapshot!("slots", drawn.join("\n\n"));
    }

    proptest! {
        #[test]
        fn slots_filled_are_blocks_times_warps(
            threads in 1_u32..=1024, registers in 1_u32..=255, shared in 0_u32..200_000, which in 0_usize..64,
        ) {
            let ids: Vec<&str> = gpu_ids().collect();
            let cc = gpu(ids[which % ids.len()]).expect("is known").limits();
            let found = occupancy(cc, threads, registers, shared);
            let slots = cc.max_warps_per_sm;
            let lines = text(&found, slots, 80);
            let rows = &lines[1..lines.len() - 1];
            let cells = rows.iter().flat_map(|row| row.split(' '));
            let cells: Vec<&str> = cells.filter(|cell| !cell.is_empty()).collect();
            let empty = cells.iter().filter(|&&cell| cell == "\u{2591}").count();
            let filled = found.blocks * threads.div_ceil(32);
            prop_assert_eq!(cells.len(), slots as usize);
            prop_assert_eq!(cells.len() - empty, filled as usize);
        }
    }
}
