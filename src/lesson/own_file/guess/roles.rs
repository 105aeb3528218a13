//! What the numbers among a kernel's parameters are, by their names.

/// What a whole number says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// How much there is of something, or how far it goes.
    Size,
    /// How much there is in all: the product of the sizes.
    Total,
    /// Something small that the kernel does with it, such as the side of a filter: this number.
    Fixed(u64),
    /// The distance from row to row, in elements.
    RowPitch,
    /// The threads of a block.
    BlockThreads,
}

/// What names say by their words.
struct Rule {
    role: Role,
    /// One of these is among the words.
    words: &'static [&'static str],
    /// Or the words together are one of these.
    names: &'static [&'static str],
    /// One of these is, too; empty if that does not matter.
    beside: &'static [&'static str],
    /// None of these is.
    without: &'static [&'static str],
}

impl Rule {
    const fn of(role: Role, words: &'static [&'static str]) -> Self {
        Rule {
            role,
            words,
            names: &[],
            beside: &[],
            without: &[],
        }
    }

    fn holds(&self, words: &[String]) -> bool {
        let has = |among: &[&str]| words.iter().any(|word| among.contains(&word.as_str()));
        (has(self.words) || self.names.contains(&words.concat().as_str()))
            && (self.beside.is_empty() || has(self.beside))
            && !has(self.without)
    }
}

/// The first that holds goes.
const RULES: [Rule; 9] = [
    Rule::of(
        Role::Fixed(0),
        &[
            "offset", "start", "begin", "shift", "seed", "base", "first", "rank", "device", "gpu",
            "left", "low", "lo", "pad", "padding", "idx", "index", "id", "tid", "pos", "origin",
            "axis",
        ],
    ),
    // Before the plain `stride` below, which is a step: `row_stride`, `stride_a`.
    Rule {
        beside: &["row", "a", "b", "c", "in", "out", "x", "y"],
        ..Rule::of(Role::RowPitch, &["stride"])
    },
    Rule::of(
        Role::Fixed(1),
        &[
            "stride",
            "step",
            "steps",
            "iter",
            "iters",
            "iterations",
            "niter",
            "inc",
            "incx",
            "incy",
            "repeat",
            "repeats",
            "times",
            "dilation",
            "groups",
            "scale",
            "factor",
            "value",
            "val",
            "epoch",
            "dir",
            "direction",
            "mode",
            "flag",
            "ascending",
            "causal",
            "power",
            "exponent",
        ],
    ),
    Rule {
        names: &["lda", "ldb", "ldc", "ldd", "ld"],
        ..Rule::of(Role::RowPitch, &["pitch"])
    },
    Rule {
        names: &["blocksize", "blockdim"],
        ..Rule::of(
            Role::BlockThreads,
            &["threads", "blocksize", "blockdim", "nthreads"],
        )
    },
    Rule::of(
        Role::Fixed(3),
        &[
            "kernel", "filter", "mask", "window", "ksize", "fw", "fh", "kw", "kh", "conv",
        ],
    ),
    Rule::of(Role::Fixed(1), &["radius", "halo"]),
    Rule {
        // `head_dim` is how long a head is, not how many there are.
        without: &["dim", "size", "d"],
        ..Rule::of(Role::Fixed(4), &["heads", "nh", "head", "nheads"])
    },
    Rule {
        without: &[
            "row", "col", "head", "batch", "vocab", "seq", "hidden", "x", "y", "in", "out",
        ],
        ..Rule::of(
            Role::Total,
            &[
                "elements", "elems", "total", "numel", "pixels", "size", "len", "length",
            ],
        )
    },
];

impl Role {
    /// What the parameter called `name` is.
    pub fn of(name: &str) -> Self {
        let words = words(name);
        let rule = RULES.iter().find(|rule| rule.holds(&words));
        rule.map_or(Role::Size, |rule| rule.role)
    }
}

/// The words of a name in lower case: `numRows`, `num_rows` and `NUM_ROWS` have the same.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = '_';
    for c in name.chars() {
        let begins = c.is_ascii_uppercase() && before.is_ascii_lowercase();
        if (c == '_' || begins) && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if c != '_'
            && let Some(word) = words.last_mut()
        {
            word.push(c.to_ascii_lowercase());
        }
        before = c;
    }
    words
}

/// What a float is given, by its name.
pub fn float(name: &str) -> &'static str {
    let words = words(name);
    let has = |among: &[&str]| words.iter().any(|word| among.contains(&word.as_str()));
    // Added to a variance: 1 would hide what the kernel computes.
    if has(&["eps", "epsilon"]) {
        return "0.00001";
    }
    // Decays of moments, from which 1 is subtracted.
    if has(&["beta1", "momentum"]) {
        return "0.9";
    }
    if has(&["beta2"]) {
        return "0.999";
    }
    if has(&["dropout", "prob", "p", "dt", "lr"]) {
        return "0.25";
    }
    "1.0"
}
