//! What kernels have printed, in the order in which a GPU shows it.

use std::collections::BTreeMap;

/// Most bytes that a launch prints: the size of CUDA's own buffer.
pub const MOST_PRINTED_BYTES: usize = 1 << 20;

/// What a block has printed, in steps: what each of its warps printed first, second, and so on.
///
/// On an H200, warps that run at the same time print side by side: what each prints first comes before what any prints
/// second, since a `printf` takes far longer than the start of a block. Of 180 launches of nine kernels, by 1 to 7 blocks
/// of 1 to 3 warps, 51 printed the same in three runs: 39 of these as here, 25 in order of blocks alone. Within a step
/// the warps of one block, and more than two blocks, come in an order there that differs from run to run.
#[derive(Default)]
pub struct BlockText {
    steps: Vec<String>,
    /// The step in which each warp prints next.
    next: Vec<usize>,
    bytes: usize,
}

impl BlockText {
    /// Has `warp` print what `write` appends, unless the block has printed enough: no more than the launch may, since the
    /// rest would be thrown away.
    pub fn print(&mut self, warp: usize, write: impl FnOnce(&mut String)) {
        if self.bytes > MOST_PRINTED_BYTES {
            return;
        }
        if self.next.len() <= warp {
            self.next.resize(warp + 1, 0);
        }
        let step = self.next[warp];
        self.next[warp] += 1;
        if self.steps.len() <= step {
            self.steps.resize_with(step + 1, String::new);
        }
        let text = &mut self.steps[step];
        let before = text.len();
        write(text);
        self.bytes += text.len() - before;
    }

    /// The first step in which no warp has printed.
    pub fn end(&self) -> usize {
        let next = self.next.iter().copied().max();
        self.steps.len().max(next.unwrap_or(0))
    }

    /// All warps meet at a barrier: what one of the `warps` prints now comes in `step` at the earliest.
    pub fn meet(&mut self, warps: usize, step: usize) {
        if step > 0 {
            self.next.clear();
            self.next.resize(warps, step);
        }
    }
}

/// What blocks have printed. However they run in parallel, what is kept is the first [`MOST_PRINTED_BYTES`] in order of steps,
/// and in each of blocks.
#[derive(Debug, Default)]
pub struct Printed {
    /// By step and block.
    texts: BTreeMap<(usize, u64), String>,
    bytes: usize,
}

impl Printed {
    /// Adds what a block has printed.
    pub fn add(&mut self, block: u64, text: BlockText) {
        for (step, text) in text.steps.into_iter().enumerate() {
            self.bytes += text.len();
            self.texts.insert((step, block), text);
        }
        // The last text is not needed where those before it fill the buffer.
        // From the end, because what is kept must not depend on which block came first.
        while let Some(last) = self.texts.last_entry()
            && self.bytes - last.get().len() > MOST_PRINTED_BYTES
        {
            self.bytes -= last.remove().len();
        }
    }

    /// What was printed, in order of steps and blocks.
    pub fn into_text(self) -> String {
        let mut text: String = self.texts.into_values().collect();
        let is_cut = text.len() > MOST_PRINTED_BYTES;
        if is_cut {
            let ends = (0..=MOST_PRINTED_BYTES).rev();
            let end = ends.into_iter().find(|&end| text.is_char_boundary(end));
            text.truncate(end.unwrap_or(0));
        }
        if is_cut {
            text.push_str("\n… the rest is left out: a launch prints at most 1 MiB\n");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a block of two warps prints.
    fn block(texts: &[(usize, &str)]) -> BlockText {
        let mut block = BlockText::default();
        for &(warp, text) in texts {
            block.print(warp, |all| all.push_str(text));
        }
        block
    }

    fn text(blocks: Vec<BlockText>) -> String {
        let mut printed = Printed::default();
        // The last block may end first.
        for (index, block) in blocks.into_iter().enumerate().rev() {
            printed.add(index as u64, block);
        }
        printed.into_text()
    }

    #[test]
    fn what_warps_print_first_comes_before_what_any_prints_second() {
        let each = |name: &str| {
            let texts = ["0 a", "0 b", "1 a", "1 b"].map(|text| format!("{name} {text}\n"));
            let texts: Vec<(usize, &str)> = texts
                .iter()
                .enumerate()
                .map(|(at, text)| (at / 2, &**text))
                .collect();
            block(&texts)
        };
        assert_eq!(
            text(vec![each("x"), each("y")]),
            "x 0 a\nx 1 a\ny 0 a\ny 1 a\nx 0 b\nx 1 b\ny 0 b\ny 1 b\n"
        );
    }

    #[test]
    fn what_is_printed_behind_a_barrier_comes_after_all_before_it() {
        let mut both = block(&[(0, "a"), (0, "b")]);
        both.meet(2, both.end());
        both.print(1, |all| all.push('c'));
        assert_eq!(text(vec![both]), "abc");
        // At a barrier of the grid a block that printed nothing waits for those that did.
        let (printed, mut silent) = (block(&[(0, "a"), (0, "b")]), block(&[]));
        silent.meet(1, printed.end());
        silent.print(0, |all| all.push('c'));
        assert_eq!(text(vec![silent, printed]), "abc");
    }

    #[test]
    fn the_first_blocks_text_is_kept_in_order_whichever_ends_first() {
        let mut printed = Printed::default();
        let half = "x".repeat(MOST_PRINTED_BYTES / 2) + "\n";
        for block in [3, 1, 2, 0] {
            let mut text = BlockText::default();
            text.print(0, |all| *all += &format!("{block}{half}"));
            printed.add(block, text);
        }
        let text = printed.into_text();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3, "two blocks and the note");
        assert!(lines[0].starts_with('0') && lines[1].starts_with('1'));
        assert!(lines[2].starts_with('…'), "{}", lines[2].len());
    }
}
