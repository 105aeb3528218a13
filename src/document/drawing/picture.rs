//! Pictures that need no run, as lines.

use ratatui::text::Line;

use super::area::Room;
use super::launch::{launch_lines, launch_sum};
use super::memory::memory_lines;
use super::waves::waves_lines;
use crate::document::style::{Theme, texts};
use crate::lesson::Picture;

/// A picture at one of its moments, from 0, in `room`.
pub(crate) fn picture_lines(
    picture: &Picture,
    moment: usize,
    room: Room,
    theme: Theme,
) -> Vec<Line<'static>> {
    match picture {
        Picture::Launch(shape) => {
            let height = room.height.saturating_sub(2);
            let mut lines = launch_lines(shape, Room { height, ..room }, theme);
            lines.extend([Line::default(), launch_sum(shape, room, theme)]);
            lines.truncate(room.height);
            lines
        }
        Picture::Memory(levels) => memory_lines(levels, room, theme),
        Picture::Waves(waves) => waves_lines(waves, moment, room, theme),
    }
}

/// The same as lines of ASCII.
pub fn picture_text(picture: &Picture, moment: usize, width: usize, height: usize) -> Vec<String> {
    let room = Room { width, height };
    texts(&picture_lines(picture, moment, room, Theme::paper()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::gpu;
    use crate::document::style::Depth;
    use crate::lesson::{BlockWaves, LaunchShape, MemoryLevels};

    /// The picture at three widths: with little height, with some, with much.
    fn at_three_widths(picture: &Picture, moment: usize) -> String {
        let theme = Theme::new(Depth::None, true);
        let rooms = [(36, 12), (60, 20), (100, 30)].map(|(width, height)| Room { width, height });
        let drawn = rooms.map(|room| {
            let lines = picture_lines(picture, moment, room, theme);
            assert!(lines.len() <= room.height);
            assert!(
                lines.iter().all(|line| line.width() <= room.width),
                "{lines:#?}"
            );
            format!("{} columns\n{}\n", room.width, texts(&lines).join("\n"))
        });
        drawn.join("\n")
    }

    fn launch(grid: [u32; 3], block: [u32; 3]) -> Picture {
        Picture::Launch(LaunchShape {
            kernel: "k".to_owned(),
            grid,
            block,
        })
    }

    #[test]
    fn a_launch_is_opened_down_to_its_lanes() {
        insta::assert_snapshot!(
            "launch",
            at_three_widths(&launch([16, 1, 1], [100, 1, 1]), 0)
        );
        let plane = launch([40, 30, 1], [16, 16, 1]);
        insta::assert_snapshot!("launch_of_a_plane", at_three_widths(&plane, 0));
        let long = launch([100_000, 1, 1], [1024, 1, 1]);
        insta::assert_snapshot!("launch_of_many_blocks", at_three_widths(&long, 0));
    }

    #[test]
    fn memory_is_small_and_fast_or_large_and_slow() {
        let h200 = gpu("h200").expect("is known");
        let levels = Picture::Memory(MemoryLevels::of(h200));
        insta::assert_snapshot!("memory", at_three_widths(&levels, 0));
    }

    #[test]
    fn the_last_wave_is_hatched_where_nothing_runs() {
        let waves = |blocks, per_sm| {
            Picture::Waves(BlockWaves {
                blocks,
                sms: 132,
                per_sm,
            })
        };
        insta::assert_snapshot!("waves", at_three_widths(&waves(160, 1), 1));
        insta::assert_snapshot!("waves_of_eight", at_three_widths(&waves(10_000, 8), 9));
    }

    #[test]
    fn any_picture_fits_any_room() {
        for width in [24, 36, 60, 100, 180] {
            for height in [1, 4, 8, 12, 30, 60] {
                let room = Room { width, height };
                for unicode in [true, false] {
                    let theme = Theme::new(Depth::None, unicode);
                    for picture in [
                        launch([1, 1, 1], [1, 1, 1]),
                        launch([7, 1, 1], [33, 1, 1]),
                        launch([500, 3, 2], [8, 8, 16]),
                        Picture::Waves(BlockWaves {
                            blocks: 1,
                            sms: 1,
                            per_sm: 1,
                        }),
                    ] {
                        let lines = picture_lines(&picture, 1, room, theme);
                        assert!(lines.len() <= height);
                    }
                }
            }
        }
    }
}
