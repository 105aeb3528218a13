//! A launch as lines: the blocks of the grid, the warps of one block, and the lanes of one warp.
//!
//! What has no room is left out, and how much of it is said.

use ratatui::text::{Line, Span};

use super::area::Room;
use crate::device::{counted, grouped, percent};
use crate::document::style::{Role, Theme, first_fitting};
use crate::launch::{Dim3, WARP_LANES};
use crate::lesson::LaunchShape;

/// Headings: of the grid, of a block, and of a warp.
const HEADINGS: usize = 3;

/// What a launch is divided into, in `room`. What its parts make together is [`launch_sum`].
pub(crate) fn launch_lines(shape: &LaunchShape, room: Room, theme: Theme) -> Vec<Line<'static>> {
    let drawing = Drawing { shape, room, theme };
    let lanes = drawing.lanes();
    let left = room.height.saturating_sub(HEADINGS);
    // The lanes are told last: where there is little room, the warps show them too.
    let lanes = if 2 * lanes.len() <= left {
        lanes
    } else {
        Vec::new()
    };
    let left = left.saturating_sub(lanes.len());
    let most_warps = (left / 2).max(1);
    let warps = drawing.warps(most_warps);
    let grid = drawing.grid(left.saturating_sub(warps.len()).max(1));
    let used = HEADINGS + lanes.len() + warps.len() + grid.len();
    let gap = if used + 2 <= room.height { 1 } else { 0 };
    let gap = || std::iter::repeat_n(Line::default(), gap);
    let mut lines = grid;
    lines.extend(gap().chain(warps));
    if !lanes.is_empty() {
        lines.extend(gap().chain(lanes));
    }
    lines.truncate(room.height);
    lines
}

/// What all blocks have together: threads, warps, and lanes that no thread has.
pub(crate) fn launch_sum(shape: &LaunchShape, room: Room, theme: Theme) -> Line<'static> {
    Drawing { shape, room, theme }.sum()
}

/// The row of warp `warp` of a block: its number, its lanes, and the threads they are.
pub(crate) fn warp_line(
    shape: &LaunchShape,
    warp: u64,
    is_open: bool,
    width: usize,
    theme: Theme,
) -> Line<'static> {
    let role = if is_open { Role::Strong } else { Role::Muted };
    let number = format!("{:>1$}", warp, (shape.warps() - 1).to_string().len());
    let words = match width >= number.len() + WARP_LANES + 8 {
        true => format!("warp {number}  "),
        false => format!("{number} "),
    };
    let mut line = Line::from(Span::styled(words, theme.style(role)));
    let there = shape.threads_of(warp);
    // In a narrow place two lanes share a cell.
    let share = if width < line.width() + WARP_LANES {
        2
    } else {
        1
    };
    let cells = WARP_LANES / share;
    let on = there.div_ceil(share);
    let style = if is_open {
        theme.series(0)
    } else {
        theme.style(Role::Muted)
    };
    line.push_span(Span::styled(theme.glyph("\u{25a0}", "#").repeat(on), style));
    let off = theme.idle().repeat(cells - on);
    line.push_span(Span::styled(off, theme.style(Role::Bad)));
    let threads = threads_text(shape, warp);
    if line.width() + threads.len() <= width {
        line.push_span(Span::styled(threads, theme.style(Role::Muted)));
    }
    line
}

/// Which threads the lanes of a warp are.
fn threads_text(shape: &LaunchShape, warp: u64) -> String {
    let first = warp * WARP_LANES as u64;
    let last = first + (shape.threads_of(warp) as u64).saturating_sub(1);
    let [from, to] = [first, last].map(|thread| thread_name(shape, thread));
    format!("  threads {from} to {to}")
}

/// The thread with this number as the kernel knows it: by `threadIdx` as far as the block has sides.
fn thread_name(shape: &LaunchShape, number: u64) -> String {
    let [x, y, z] = shape.thread_index(number);
    match shape.block {
        [_, 1, 1] => number.to_string(),
        [_, _, 1] => format!("({x},{y})"),
        _ => format!("({x},{y},{z})"),
    }
}

struct Drawing<'a> {
    shape: &'a LaunchShape,
    room: Room,
    theme: Theme,
}

impl Drawing<'_> {
    /// A heading with the first of these words that have room; without words if none have.
    fn head(&self, what: &str, words: &[String]) -> Line<'static> {
        let words = words.iter();
        let words = words.map(|words| self.theme.text(words).into_owned());
        let room = self.room.width.saturating_sub(what.len() + 2);
        Line::from(vec![
            Span::styled(format!("{what}  "), self.theme.style(Role::Strong)),
            Span::styled(first_fitting(words, room), self.theme.style(Role::Muted)),
        ])
    }

    /// The blocks, as many as fit `rows`, the open one lit.
    fn grid(&self, rows: usize) -> Vec<Line<'static>> {
        let (shape, theme) = (self.shape, self.theme);
        let [x, y, z] = shape.grid.map(|side| side as usize);
        let blocks = shape.blocks();
        let width = self.room.width.max(1);
        let is_folded = y == 1 && z == 1;
        // Apart where they fit so: they are counted more easily.
        let needs = if is_folded { x.div_ceil(rows) } else { x };
        let cell = if 2 * needs <= width { 2 } else { 1 };
        let across = (width / cell).max(1);
        let columns = across.min(x);
        let lines = if is_folded { x.div_ceil(across) } else { y };
        let lines = lines.min(rows);
        let drawn = match is_folded {
            true => x.min(columns * lines),
            false => columns * lines,
        };
        let all = product_text(shape.grid, blocks, "block", theme);
        let is_part = (drawn as u64) < blocks;
        let part = is_part.then(|| format!("{} drawn here", grouped(drawn as u64)));
        let mut page = vec![self.head("grid", &with_part(all, counted(blocks, "block"), part))];
        let glyph = format!("{:<cell$}", theme.glyph("\u{25a0}", "#"));
        page.extend((0..lines).map(|row| {
            let open = usize::from(row == 0);
            let rest = columns.min(drawn - row * columns) - open;
            Line::from(vec![
                Span::styled(glyph.repeat(open), theme.series(0)),
                Span::styled(glyph.repeat(rest), theme.style(Role::Muted)),
            ])
        }));
        page
    }

    /// The warp that is opened: the last one if it lacks threads, else the first.
    fn open_warp(&self) -> u64 {
        match self.shape.empty_lanes() {
            0 => 0,
            _ => self.shape.warps() - 1,
        }
    }

    /// The warps of the open block, as many as fit `rows`, the open one among them.
    fn warps(&self, rows: usize) -> Vec<Line<'static>> {
        let (shape, theme) = (self.shape, self.theme);
        let (warps, open) = (shape.warps(), self.open_warp());
        let visible = (rows as u64).min(warps);
        let threads = product_text(shape.block, shape.threads(), "thread", theme);
        let words = format!("{threads} in {}", counted(warps, "warp"));
        let part = (visible < warps).then(|| format!("{visible} drawn here"));
        let mut page = vec![self.head("block 0", &with_part(words, counted(warps, "warp"), part))];
        // The open warp is either the first or the last: the rows end with it, or begin with it.
        let last = if open == 0 { visible - 1 } else { warps - 1 };
        let numbers = (0..visible - 1).chain([last]);
        let width = self.room.width;
        page.extend(numbers.map(|warp| warp_line(shape, warp, warp == open, width, theme)));
        page
    }

    /// The lanes of the open warp, each with its thread.
    fn lanes(&self) -> Vec<Line<'static>> {
        let (shape, theme, warp) = (self.shape, self.theme, self.open_warp());
        let first = warp * WARP_LANES as u64;
        let there = shape.threads_of(warp);
        let name = |lane: usize| thread_name(shape, first + lane as u64);
        let widest = (0..there).map(|lane| name(lane).len()).max().unwrap_or(1);
        let cell = widest + 1;
        let across = [32, 16, 8, 4]
            .into_iter()
            .find(|across| 8 + across * cell <= self.room.width)
            .unwrap_or(2);
        let each = "the thread of each lane".to_owned();
        let none = format!("{} lanes have no thread", WARP_LANES - there);
        let words = match there {
            WARP_LANES => vec![each],
            _ => vec![format!("{each}: {none}"), none],
        };
        let mut page = vec![self.head(&format!("warp {warp}"), &words)];
        for row in (0..WARP_LANES).step_by(across) {
            let label = Span::styled(format!("lane {row:>2} "), theme.style(Role::Muted));
            let cells = (row..row + across).map(|lane| match lane < there {
                true => Span::styled(format!("{:>widest$} ", name(lane)), theme.series(0)),
                false => {
                    let hatched = theme.idle().repeat(widest) + " ";
                    Span::styled(hatched, theme.style(Role::Bad))
                }
            });
            page.push(std::iter::once(label).chain(cells).collect());
        }
        page
    }

    /// See [`launch_sum`].
    fn sum(&self) -> Line<'static> {
        let shape = self.shape;
        let lanes = shape.blocks() * shape.warps() * WARP_LANES as u64;
        let idle = shape.blocks() * shape.empty_lanes();
        let threads = counted(shape.blocks() * shape.threads(), "thread");
        let warps = counted(shape.blocks() * shape.warps(), "warp");
        let all = format!("{threads} in {warps}");
        let mut line = match all.len() <= self.room.width {
            true => Line::from(all),
            false => Line::from(warps),
        };
        let share = percent(idle as f64 / lanes as f64);
        let waste = [
            format!(": {share} of the lanes have no thread"),
            format!("; {share} idle"),
        ];
        let room = self.room.width.saturating_sub(line.width());
        if idle > 0 {
            let waste = first_fitting(waste, room);
            line.push_span(Span::styled(waste, self.theme.style(Role::Bad)));
        }
        line
    }
}

/// Words of all there is, with how much of it is drawn: in full, and shorter.
fn with_part(all: String, short: String, part: Option<String>) -> Vec<String> {
    match part {
        None => vec![all, short],
        Some(part) => vec![format!("{all}, {part}"), format!("{short}, {part}"), part],
    }
}

/// `16 × 8 = 128 threads`: the sides of a grid or block as far as it has several, and what is counted in them.
fn product_text(sides: Dim3, count: u64, noun: &str, theme: Theme) -> String {
    let count = counted(count, noun);
    let shown = match sides {
        [_, 1, 1] => return count,
        [_, _, 0 | 1] => 2,
        _ => 3,
    };
    let sides = sides[..shown].iter().map(|&side| grouped(side.into()));
    let sides: Vec<String> = sides.collect();
    format!("{} = {count}", sides.join(&format!(" {} ", theme.times())))
}
