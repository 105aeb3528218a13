//! What kernels print: the worker's standard output, with marks between launches.

#![allow(unsafe_code, reason = "flushes C's output")]

/// Begins a line behind what a launch prints.
const MARK: char = '\u{1e}';

/// Writes out what kernels printed, and a mark behind it: `None` before the first launch, then the
/// launch that ended.
pub(crate) fn mark(launch: Option<usize>) {
    unsafe extern "C" {
        fn fflush(stream: *mut std::ffi::c_void) -> std::ffi::c_int;
    }
    // The driver writes what kernels print with C's `printf`, whose buffer is not Rust's: without this, the
    // mark would overtake it.
    // SAFETY: C's function takes null for every stream.
    unsafe { fflush(std::ptr::null_mut()) };
    match launch {
        Some(launch) => println!("{MARK}{launch}"),
        None => println!("{MARK}"),
    }
}

/// What each of the latest run's launches printed, to the byte, from lines until the mark of the last one. What timed
/// runs print comes behind it, and is left out by the next run.
pub(crate) fn by_launch(lines: impl IntoIterator<Item = String>, launches: usize) -> Vec<String> {
    let mut printed = vec![String::new(); launches];
    let mut open = String::new();
    for line in lines {
        let Some((last, mark)) = line.split_once(MARK) else {
            open += &line;
            open.push('\n');
            continue;
        };
        // What ends without the end of a line has the mark behind it.
        open += last;
        let ended = std::mem::take(&mut open);
        // The mark before the first launch is no number.
        if let Ok(launch) = mark.parse::<usize>() {
            printed[launch] = ended;
            if launch + 1 >= launches {
                break;
            }
        }
    }
    printed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_belong_to_the_launch_whose_mark_follows() {
        let lines = [
            "of a timed run",
            "\u{1e}",
            "a",
            "",
            "\u{1e}0",
            "without an end\u{1e}1",
            "c",
        ];
        let mut lines = lines.map(str::to_owned).into_iter();
        let printed = by_launch(&mut lines, 2);
        assert_eq!(printed, ["a\n\n", "without an end"]);
        assert_eq!(
            lines.next().as_deref(),
            Some("c"),
            "is left for the next run"
        );
    }
}
