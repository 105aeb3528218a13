//! Pictures of a launch, of the levels of memory and of waves as SVG: the data of the terminal's.

use std::fmt::Write as _;

use super::page::escaped;
use crate::device::{counted, grouped, percent};
use crate::document::drawing::exact;
use crate::launch::WARP_LANES;
use crate::lesson::{BlockWaves, LaunchShape, MemoryLevelFacts, MemoryLevels, Picture};

/// Width of a picture.
const WIDTH: u64 = 520;
/// Side of a cell, the gap behind it included.
const CELL: u64 = 14;
/// Most blocks, warps and waves that are drawn one by one.
const MOST_BLOCKS: u64 = 148;
const MOST_WARPS: u64 = 8;
const MOST_WAVES: u64 = 12;
/// Height of a line of text, and of a level.
const LINE: u64 = 20;
const LEVEL: u64 = 46;

/// `picture` at `moment`, as an element called `name`.
pub(crate) fn drawn(picture: &Picture, moment: usize, name: &str) -> String {
    let mut drawing = Drawing::default();
    match picture {
        Picture::Launch(shape) => drawing.launch(shape),
        Picture::Memory(levels) => drawing.memory(levels),
        Picture::Waves(waves) => drawing.waves(waves, moment as u64),
    }
    format!(
        "<svg class=\"plot\" viewBox=\"0 0 {WIDTH} {}\" role=\"img\" aria-label=\"{}\">\n{}</svg>\n",
        drawing.y + 4,
        escaped(name),
        drawing.svg
    )
}

/// A drawing that grows downwards.
#[derive(Default)]
struct Drawing {
    svg: String,
    y: u64,
}

impl Drawing {
    fn text(&mut self, text: &str) {
        self.y += LINE;
        let (y, text) = (self.y - 6, escaped(text));
        let _ = writeln!(self.svg, "<text x=\"0\" y=\"{y}\">{text}</text>");
    }

    /// A bar from `x` on, as wide as `share` of `width`; the rest is empty.
    fn bar(&mut self, x: u64, width: u64, share: f64, rest: &str) {
        let y = self.y;
        // A pixel at least: a bar of nothing looks like one that was forgotten.
        let full = (share * width as f64).clamp(1.0, width as f64);
        let _ = writeln!(
            self.svg,
            "<path class=\"mark {rest}\" d=\"M{x} {y}h{width}v12h-{width}z\"/>\
             <path class=\"mark series-0\" d=\"M{x} {y}h{full:.1}v12h-{full:.1}z\"/>"
        );
    }

    /// Cells of the classes that `class` gives them, so many of them in a row.
    fn cells(&mut self, count: u64, across: u64, class: impl Fn(u64) -> &'static str) {
        let side = CELL - 2;
        for at in 0..count {
            let (x, y) = (at % across * CELL, self.y + at / across * CELL);
            let class = class(at);
            let _ = write!(
                self.svg,
                "<path class=\"{class}\" d=\"M{x} {y}h{side}v{side}h-{side}z\"/>"
            );
        }
        self.svg.push('\n');
        self.y += count.div_ceil(across) * CELL;
    }

    /// The blocks of the grid, the warps of a block, and the lanes that no thread has.
    fn launch(&mut self, shape: &LaunchShape) {
        let (blocks, warps) = (shape.blocks(), shape.warps());
        self.text(&format!("{}: {}", shape.kernel, counted(blocks, "block")));
        let [x, y, _] = shape.grid.map(u64::from);
        let across = if y == 1 {
            WIDTH / CELL
        } else {
            x.min(WIDTH / CELL)
        };
        let drawn = blocks.min(MOST_BLOCKS);
        self.cells(drawn, across, |at| if at == 0 { "now" } else { "order-3" });
        if drawn < blocks {
            self.text(&format!("the first {drawn} are drawn"));
        }
        let threads = counted(shape.threads(), "thread");
        self.text(&format!("block 0: {threads} in {}", counted(warps, "warp")));
        // The last warps: they may lack threads.
        for warp in warps.saturating_sub(MOST_WARPS)..warps {
            let there = shape.threads_of(warp) as u64;
            self.cells(WARP_LANES as u64, WARP_LANES as u64, |lane| {
                match lane < there {
                    true => "order-3",
                    false => "gone",
                }
            });
        }
        let lanes = warps * WARP_LANES as u64;
        let idle = percent(shape.empty_lanes() as f64 / lanes as f64);
        self.text(&match shape.empty_lanes() {
            0 => "every lane has a thread".to_owned(),
            _ => format!("{idle} of the lanes have no thread"),
        });
    }

    /// The levels, each with a bar of its rate.
    fn memory(&mut self, levels: &MemoryLevels) {
        let rates = levels.levels.iter().filter_map(|level| level.rate.as_ref());
        let fastest = rates.map(|rate| rate.value).fold(0.0, f64::max);
        self.text(&levels.gpu);
        for level in &levels.levels {
            let top = self.y;
            self.text(&level_text(level, levels.sms));
            if let Some(rate) = &level.rate {
                self.bar(0, WIDTH - 160, rate.value / fastest, "untouched");
                let (x, y) = (WIDTH - 150, self.y + 11);
                let text = format!("{} {}", exact(rate.value), rate.unit);
                let _ = writeln!(
                    self.svg,
                    "<text x=\"{x}\" y=\"{y}\">{}</text>",
                    escaped(&text)
                );
            }
            self.y = top + LEVEL;
        }
    }

    /// The SMs in one wave, and all waves as bars.
    fn waves(&mut self, waves: &BlockWaves, moment: u64) {
        let wave = moment.min(waves.waves() - 1);
        let blocks = counted(waves.blocks_of(wave), "block");
        self.text(&format!(
            "Wave {} of {}: {blocks} on {} SMs",
            grouped(wave + 1),
            grouped(waves.waves()),
            waves.sms
        ));
        let across = u64::from(waves.sms).div_ceil(4).clamp(1, WIDTH / CELL);
        self.cells(u64::from(waves.sms), across, |sm| {
            match waves.on_sm(wave, sm as u32) {
                0 => "gone",
                on if on < waves.per_sm => "order-1",
                _ => "order-3",
            }
        });
        self.y += 6;
        // The last ones: there the idle slots are.
        let first = waves.waves().saturating_sub(MOST_WAVES);
        for wave in first..waves.waves() {
            self.text(&format!("wave {}", grouped(wave + 1)));
            self.y -= LINE - 4;
            let share = waves.blocks_of(wave) as f64 / waves.places() as f64;
            self.bar(90, WIDTH - 90, share, "gone");
            self.y += LINE - 4;
        }
        let idle = percent(waves.idle_share());
        self.text(&format!("{idle} of the slots idle"));
    }
}

fn level_text(level: &MemoryLevelFacts, sms: Option<u64>) -> String {
    let size = level.size.as_ref().map_or_else(
        || "size not known".to_owned(),
        |size| format!("{} {}", exact(size.value), size.unit),
    );
    let place = match (level.per_sm, sms) {
        (true, Some(sms)) => format!("in each of {sms} SMs"),
        (true, None) => "in each SM".to_owned(),
        (false, _) => "for all SMs".to_owned(),
    };
    format!("{}: {size} {place}", level.name)
}
