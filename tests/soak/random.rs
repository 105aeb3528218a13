//! Random numbers, and the bytes that terminals could send.

/// SplitMix64: the same events from the same seed, on every machine.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: u16) -> u16 {
        (self.next() % u64::from(end)) as u16
    }

    pub fn is_one_in(&mut self, count: u16) -> bool {
        self.below(count) == 0
    }

    pub fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[usize::from(self.below(all.len() as u16))]
    }

    /// A key that a person could press; none that leaves the notebook.
    pub fn key(&mut self) -> Vec<u8> {
        let key = match self.below(4) {
            // What moves, and what runs.
            0 => self.of(&[
                "\r", " ", "\t", "n", "p", "r", "v", "c", "s", "\x1b[A", "\x1b[B", "\x1b[C",
                "\x1b[D", "\x1b[5~", "\x1b[6~", "\x1b[H", "\x1b[F", "\x1b[Z", "x", "E",
            ]),
            1 => self.of(&[
                "\x1b",
                "\x7f",
                "\x1b[3~",
                "\x1b[1;2C",
                "\x1b[1;5A",
                "\x1b[97;5u",
                "\x1bOP",
                "\x1b[15~",
                "\x1bb",
                "\x1b\r",
                "\x00",
                "\x1b[27;6;97~",
                "\u{e4}",
                "\u{1f600}",
            ]),
            _ => return vec![self.character()],
        };
        key.as_bytes().to_vec()
    }

    /// A printable byte, or control and a letter: not `q`, ctrl-C, ctrl-Q and ctrl-Z, which end or stop the notebook,
    /// nor `/`, since a name of a file to export to may be asked for.
    fn character(&mut self) -> u8 {
        loop {
            let byte = self.below(0x7F) as u8;
            if !matches!(byte, 0x03 | 0x11 | 0x1A | b'q' | b'Q' | b'/' | 0x1B) {
                return byte;
            }
        }
    }

    /// A report of the mouse, at a cell that may not be there.
    pub fn mouse(&mut self) -> Vec<u8> {
        let (column, row) = (self.below(210), self.below(64));
        match self.below(8) {
            0 => vec![
                0x1B,
                b'[',
                b'M',
                32 + self.below(4) as u8,
                33 + column as u8,
                33 + row as u8,
            ],
            1 => format!("\x1b[{};{column};{row}M", 32 + self.below(4)).into_bytes(),
            _ => {
                let button = self.of(&[0, 0, 0, 1, 2, 3, 32, 34, 64, 65, 66, 4, 16, 128]);
                let last = self.of(&["M", "M", "m"]);
                format!("\x1b[<{button};{column};{row}{last}").into_bytes()
            }
        }
    }

    /// The beginning of a sequence.
    pub fn cut_off(&mut self) -> Vec<u8> {
        let begun = self.of(&[
            &b"\x1b[<0;1"[..],
            b"\x1b[1;",
            b"\x1b[",
            b"\x1bO",
            b"\x1b[M ",
            b"\x1b]11;rgb:",
            b"\x1bP1$r",
            b"\x1b_G",
            b"\xe2\x82",
            b"\xf0",
            b"\x1b[[",
            b"\x1b[?1;2",
            b"\x1b]0;x\x1b",
            b"\x1b[27;5;",
        ]);
        begun.to_vec()
    }

    /// An answer that nobody asked for, or bytes that are nothing at all.
    pub fn garbage(&mut self) -> Vec<u8> {
        match self.below(3) {
            0 => self
                .of(&[
                    "\x1b]11;rgb:0000/0000/0000\x07",
                    "\x1b[?64;1;2c",
                    "\x1b[24;80R",
                    "\x1bP1$r0m\x1b\\",
                    "\x1b[I",
                    "\x1b[O",
                    "\x1b[?2026;2$y",
                    "\x1b[<0;0;0M",
                    "\x1b[999999999999~",
                ])
                .as_bytes()
                .to_vec(),
            _ => {
                let length = 1 + self.below(40);
                let byte = |random: &mut Self| match random.is_one_in(2) {
                    true => 0x80 | random.below(0x80) as u8,
                    false => random.character(),
                };
                (0..length).map(|_| byte(self)).collect()
            }
        }
    }

    /// Pasted text, of up to some pages.
    pub fn text(&mut self) -> Vec<u8> {
        let lines = match self.below(10) {
            0 => 400,
            _ => 1 + self.below(6),
        };
        let mut text = Vec::new();
        for _ in 0..lines {
            let length = self.below(60);
            let byte = |random: &mut Self| 0x20 + random.below(0x5F) as u8;
            let line = (0..length).map(|_| byte(self)).filter(|byte| *byte != b'/');
            text.extend(line.collect::<Vec<_>>());
            text.push(b'\r');
        }
        text
    }
}
