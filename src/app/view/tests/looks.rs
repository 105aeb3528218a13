//! Every screen in every set of colours, with and without colours and glyphs.

use super::*;
use crate::document::Scheme;
use crate::source::{Diagnostic, Severity, Span};

/// Keys that lead to each kind of screen, after the cell has run.
const SCREENS: [&str; 17] = [
    "",
    "n",
    "n<Lanes>",
    "n<Lanes>P",
    "n<Access>",
    "n<Memory>",
    "n<Memory>P",
    "n<PTX>",
    "n<Code>",
    "n5",
    "n?",
    ":",
    "n:run",
    "nm",
    "nU",
    "ni",
    "nn",
];

/// A notebook that has run its cell and is back at the start, behind `keys`.
fn screen(size: (u16, u16), theme: Theme, scheme: Scheme, keys: &str) -> Notebook {
    let mut notebook = Notebook::new(size.0, size.1, theme);
    notebook.model.look.scheme = scheme;
    notebook.press("n<enter>");
    notebook.finish_measured();
    notebook.press("p");
    notebook.press(keys);
    notebook
}

#[test]
fn every_screen_is_ascii_where_only_that_can_be_drawn() {
    for size in [(80, 24), (120, 40), (200, 60)] {
        for keys in SCREENS {
            let theme = Theme::new(Depth::Indexed, false);
            let notebook = screen(size, theme, Scheme::Auto, keys);
            let text = notebook.text();
            let odd = text.lines().find(|line| !line.is_ascii());
            assert_eq!(odd, None, "{keys:?} at {size:?}");
        }
    }
}

#[test]
fn without_colours_the_same_is_on_screen_as_with_them() {
    for keys in SCREENS {
        let with = screen((120, 40), Theme::new(Depth::True, true), Scheme::Dark, keys);
        let without = screen((120, 40), Theme::new(Depth::None, true), Scheme::Dark, keys);
        assert_eq!(with.text(), without.text(), "{keys:?}");
        let buffer = without.terminal.backend().buffer();
        let plain =
            |cell: &ratatui::buffer::Cell| (cell.fg, cell.bg) == (Color::Reset, Color::Reset);
        assert!(buffer.content().iter().all(plain), "{keys:?} has a colour");
    }
}

#[test]
fn a_scheme_with_its_own_ground_covers_the_whole_screen() {
    let own = |scheme: &Scheme| *scheme != Scheme::Auto;
    for keys in SCREENS {
        let mut notebook = screen((120, 40), PLAIN, Scheme::Auto, keys);
        for scheme in Scheme::ALL.iter().copied().filter(own) {
            notebook.model.look.scheme = scheme;
            for depth in [Depth::True, Depth::Indexed, Depth::Named] {
                notebook.painter = Painter::new(Theme::new(depth, true));
                notebook.draw();
                let buffer = notebook.terminal.backend().buffer();
                let is_hole = |cell: &ratatui::buffer::Cell| {
                    cell.fg == Color::Reset || cell.bg == Color::Reset
                };
                let hole = buffer.content().iter().position(is_hole);
                assert_eq!(hole, None, "{keys:?} in {}", scheme.name());
            }
        }
    }
}

#[test]
fn what_is_right_and_what_is_wrong_have_marks_of_their_own() {
    for theme in [PLAIN, Theme::new(Depth::None, true)] {
        let right = screen((120, 40), theme, Scheme::Auto, "ni").text();
        let mut notebook = Notebook::new(120, 40, theme);
        notebook.press("n<enter>");
        let job = notebook.jobs[0];
        let sizes = notebook.model.settings.sizes.clone();
        let mut ran = (*sample_ran(job, &sizes, Default::default())).clone();
        ran.result.ok = false;
        ran.result.formulas[0].ok = false;
        let result = Ok(std::sync::Arc::new(ran));
        notebook.send(Msg::Finished { job, result });
        notebook.press("<Counts>i");
        let wrong = notebook.text();
        let (check, cross) = (theme.check(), theme.cross());
        assert!(right.contains(&format!("{check} distinct elements read")));
        assert!(
            wrong.contains(&format!("{cross} counts differ from the formulas")),
            "{wrong}"
        );
        assert!(!wrong.contains(&format!("{check} distinct elements read")));
        assert!(wrong.contains("! looks for races"), "{wrong}");
    }
}

#[test]
fn what_checks_find_is_told_in_the_view_that_is_open() {
    for (width, height) in [(80, 24), (120, 40)] {
        for tab in ["<Code>", "<Lanes>", "<Access>", "<Memory>"] {
            let mut notebook = Notebook::new(width, height, COLOUR);
            notebook.press("n<enter>");
            notebook.finish();
            notebook.press(tab);
            notebook.press("!");
            let job = *notebook.jobs.last().expect("a run was asked for");
            let sizes = notebook.model.settings.sizes.clone();
            let mut ran = (*sample_ran(job, &sizes, Default::default())).clone();
            let mut clean = ran.clone();
            ran.result.checked = true;
            let race = Diagnostic::warning(Span::new(0, 1), "race on shared memory");
            ran.result.outcome.reports.push(crate::launch::Report {
                source: 0,
                diagnostic: race,
            });
            let result = Ok(std::sync::Arc::new(ran));
            notebook.send(Msg::Finished { job, result });
            let text = notebook.text();
            let told = "line 1: warning: race on";
            assert!(text.contains(told), "{tab}:\n{text}");
            notebook.press("!");
            clean.result.checked = true;
            clean.job = *notebook.jobs.last().expect("a run was asked for");
            let (job, result) = (clean.job, Ok(std::sync::Arc::new(clean)));
            notebook.send(Msg::Finished { job, result });
            let text = notebook.text();
            assert!(text.contains("no races, and nothing"), "{tab}:\n{text}");
        }
    }
}

#[test]
fn a_race_beats_an_output_that_is_right_also_of_an_edited_kernel() {
    for (edited, severity) in [false, true]
        .into_iter()
        .flat_map(|edited| [Severity::Error, Severity::Warning].map(|of| (edited, of)))
    {
        let mut notebook = Notebook::new(120, 40, PLAIN);
        notebook.press("n<enter>");
        let job = notebook.jobs[0];
        let sizes = notebook.model.settings.sizes.clone();
        let mut ran = (*sample_ran(job, &sizes, Default::default())).clone();
        ran.edited = edited;
        let race = Diagnostic::warning(Span::new(0, 1), "race on shared memory");
        ran.result.outcome.reports.push(crate::launch::Report {
            source: 0,
            diagnostic: Diagnostic { severity, ..race },
        });
        let is_wrong = severity == Severity::Error;
        (ran.result.ok, ran.result.result_ok) = (!is_wrong, !is_wrong);
        let result = Ok(std::sync::Arc::new(ran));
        notebook.send(Msg::Finished { job, result });
        let text = notebook.text();
        let title = text.lines().find(|line| line.contains("with a warning"));
        match is_wrong {
            true => assert!(text.contains("X race on shared memory"), "{text}"),
            false => assert!(title.is_some_and(|line| line.contains("! ")), "{text}"),
        }
        assert!(
            !text.contains("ok result") && !text.contains("ok edited"),
            "{text}"
        );
    }
}

#[test]
fn a_key_goes_through_the_schemes_at_once() {
    let mut notebook = Notebook::new(80, 24, Theme::new(Depth::True, true));
    let ground = |notebook: &Notebook| notebook.terminal.backend().buffer()[(0, 0)].bg;
    assert_eq!(ground(&notebook), Color::Reset);
    notebook.press(":next theme<enter>:next theme<enter>");
    assert!(notebook.text().contains("theme: light"));
    assert_eq!(ground(&notebook), Color::Rgb(0xfb, 0xfb, 0xf9));
    notebook.press(":next theme<enter>:next theme<enter>:next theme<enter>");
    assert_eq!(ground(&notebook), Color::Reset);
}

/// A notebook of this size whose run, in the view of lanes, was reported on so.
fn reported(size: (u16, u16), reports: &[Diagnostic]) -> Notebook {
    let mut notebook = Notebook::new(size.0, size.1, COLOUR);
    notebook.press("n<enter>");
    notebook.finish();
    notebook.press("<Lanes>!");
    let job = *notebook.jobs.last().expect("a run was asked for");
    let sizes = notebook.model.settings.sizes.clone();
    let mut ran = (*sample_ran(job, &sizes, Default::default())).clone();
    ran.result.checked = true;
    let reports = reports.iter().cloned();
    let reports = reports.map(|diagnostic| crate::launch::Report {
        source: 0,
        diagnostic,
    });
    ran.result.outcome.reports.extend(reports);
    let result = Ok(std::sync::Arc::new(ran));
    notebook.send(Msg::Finished { job, result });
    notebook
}

fn race(what: &str) -> Diagnostic {
    let message = format!("race on {what}: warps access it without a barrier between");
    Diagnostic::warning(Span::new(0, 1), message)
        .label("element 32 is stored by lane 0 of warp 1 of block (0, 0, 0) (thread (32, 0, 0))")
        .help("put `__syncthreads()` between the two, where all threads reach it")
}

#[test]
fn no_finding_is_cut_in_the_middle() {
    let two = [race("one"), race("two")];
    for size in [(80, 24), (100, 30), (120, 40), (160, 50)] {
        let text = reported(size, &two).text();
        assert!(text.contains("race on one"), "{text}");
        // All of it is told, or a row says where the rest is.
        let folded = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_whole = folded.matches("reach it").count() == 2;
        assert!(is_whole || text.contains(": see Counts"), "{text}");
    }
    let text = reported((80, 24), &two).text();
    assert!(text.contains("1 more: see Counts"), "{text}");
}

#[test]
fn a_remark_leaves_a_run_right_and_its_picture_room() {
    let remark = Diagnostic::remark(Span::new(0, 1), "lanes load apart: 7 requests, where 4 would do")
        .label("some have more iterations, and nvcc unrolls the loop: 16, 8, 4 at a time, then the rest")
        .help("put `#pragma unroll 1` before the loop (4), or pad what each lane does to a multiple of 4 (5)");
    let low = reported((80, 24), std::slice::from_ref(&remark)).text();
    assert!(
        low.contains("line 1: remark: lanes load apart: 7 requests, where 4 would do"),
        "{low}"
    );
    assert!(low.contains("why, and what to try: see Counts"), "{low}");
    let roomy = reported((160, 50), &[remark]).text();
    for part in [
        "remark: lanes load apart",
        "multiple of 4 (5)",
        "no races, and nothing",
    ] {
        assert!(roomy.contains(part), "{roomy}");
    }
    for text in [low, roomy] {
        assert!(
            !text.contains("with a warning") && !text.contains(" checks failed"),
            "{text}"
        );
    }
}

#[test]
fn a_file_of_kernels_is_no_lesson() {
    let mut lesson = sample_lesson();
    lesson.title = "mine.cu".to_owned();
    let mut notebook = Notebook::of(lesson, (120, 40), COLOUR);
    notebook.model.begin_tour();
    notebook.draw();
    assert!(
        notebook
            .text()
            .contains("Each kernel of your file has a page")
    );
    let mut notes = String::new();
    for _ in 0..5 {
        notes += &notebook.text();
        notebook.press("<enter>");
    }
    assert!(
        !notes.contains("A lesson has") && !notes.contains("next step of the page"),
        "{notes}"
    );
    notebook.press("<esc>");
    for _ in 0..9 {
        notebook.press("n");
    }
    assert!(
        notebook.text().contains("this is the end of the file"),
        "{}",
        notebook.text()
    );
}
