//! The home screen and the tour, as whole frames and through the keymap.

use super::{COLOUR, PLAIN, styles, text};
use crate::app::keys::action;
use crate::app::state::{
    Action, App, ListedLesson, PageProgress, SavedState, StartOptions, StateChange,
};
use crate::app::state::{WarpLoad, Welcome};
use crate::app::testing::sample_lessons;
use crate::app::view::{Drawn, Painter, view_app};
use crate::app::{Effect, Msg};
use crate::document::Theme;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

/// The program in a terminal of a size.
struct Program {
    app: App,
    terminal: Terminal<TestBackend>,
    painter: Painter,
    drawn: Drawn,
    quit: bool,
}

/// What a learner did before: two lessons done, two begun, the tour seen.
fn kept() -> SavedState {
    let mut kept = SavedState::default();
    let mut at = |lesson: &str, cell: &str| {
        let (lesson, cell) = (lesson.to_owned(), cell.to_owned());
        kept.take(StateChange::Place { lesson, cell });
    };
    for lesson in ["hardware", "warps", "vector-add"] {
        for cell in ["doubling", "double", "what-it-cost"] {
            at(lesson, cell);
        }
    }
    at("softmax", "doubling");
    at("softmax", "double");
    for (lesson, digest) in [("hardware", "d1"), ("warps", "d1"), ("vector-add", "old")] {
        kept.take(StateChange::Ran {
            lesson: lesson.to_owned(),
            cell: "double".to_owned(),
            digest: digest.to_owned(),
        });
    }
    kept.take(StateChange::Value {
        key: "tour".to_owned(),
        value: Some("seen".to_owned()),
    });
    kept
}

impl Program {
    fn new(
        width: u16,
        height: u16,
        theme: Theme,
        kept: SavedState,
        lessons: Vec<ListedLesson>,
    ) -> Self {
        let terminal = Terminal::new(TestBackend::new(width, height));
        let mut program = Program {
            app: App::new(StartOptions::default(), kept, None),
            terminal: terminal.expect("a test terminal has no errors"),
            painter: Painter::new(theme),
            drawn: Drawn::default(),
            quit: false,
        };
        program.send(Msg::Lessons(lessons));
        program
    }

    /// A learner's home screen.
    fn home(width: u16, height: u16, theme: Theme) -> Self {
        Self::new(width, height, theme, kept(), sample_lessons())
    }

    fn draw(&mut self) {
        for _ in 0..2 {
            let (app, painter) = (&self.app, &self.painter);
            let mut drawn = Drawn::default();
            let frame = self
                .terminal
                .draw(|frame| drawn = view_app(app, frame, painter));
            frame.expect("a test terminal has no errors");
            self.app.update(Msg::Drawn(drawn.seen));
            self.drawn = drawn;
        }
    }

    fn send(&mut self, msg: Msg) {
        for effect in self.app.update(msg) {
            match effect {
                Effect::ListLessons => {
                    self.app.update(Msg::Lessons(sample_lessons()));
                }
                Effect::Quit => self.quit = true,
                _ => {}
            }
        }
        self.draw();
    }

    fn key(&mut self, code: KeyCode) {
        let key = KeyEvent::new(code, KeyModifiers::NONE);
        if let Some(action) = action(key, self.app.context()) {
            self.send(Msg::Action(action));
        }
    }

    fn type_text(&mut self, text: &str) {
        text.chars().for_each(|c| self.key(KeyCode::Char(c)));
    }

    fn click(&mut self, what: &str) {
        let text = self.text();
        let found = text.lines().enumerate().find_map(|(row, line)| {
            let at = line.find(what)?;
            Some((line[..at].chars().count() as u16, row as u16))
        });
        let (column, row) = found.unwrap_or_else(|| panic!("`{what}` is on screen:\n{text}"));
        let action = self.drawn.click(column, row);
        self.send(Msg::Action(action.expect("a click means something there")));
    }

    fn text(&self) -> String {
        text(self.terminal.backend().buffer())
    }

    fn frame(&self) -> String {
        self.text() + "\n\n" + &styles(self.terminal.backend().buffer())
    }
}

#[test]
fn home_stands_in_one_column_at_80() {
    insta::assert_snapshot!(Program::home(80, 24, COLOUR).frame());
}

#[test]
fn home_has_the_chosen_lesson_beside_the_list_from_110_columns() {
    let mut program = Program::home(120, 40, COLOUR);
    program.key(KeyCode::Down);
    program.key(KeyCode::Down);
    insta::assert_snapshot!(program.frame());
}

#[test]
fn home_uses_a_large_screen() {
    insta::assert_snapshot!(Program::home(200, 60, COLOUR).frame());
}

#[test]
fn home_fits_the_smallest_screen_in_ascii_without_colours() {
    let program = Program::home(60, 16, PLAIN);
    assert!(program.text().is_ascii());
    insta::assert_snapshot!(program.frame());
}

#[test]
fn a_first_visit_is_welcomed() {
    let program = Program::new(80, 24, COLOUR, SavedState::default(), sample_lessons());
    let text = program.text();
    for part in [
        "New here?",
        "12 lessons",
        "0 of 36 pages",
        "2 h 28 min left",
    ] {
        assert!(text.contains(part), "{part}:\n{text}");
    }
}

#[test]
fn typing_searches_and_enter_opens_what_was_found() {
    let mut program = Program::home(120, 40, COLOUR);
    program.type_text("mtord");
    insta::assert_snapshot!(program.frame());
    program.key(KeyCode::Enter);
    assert!(program.text().contains("Matmul: the order of blocks"));
    assert!(!program.app.at_home);
}

#[test]
fn a_search_that_finds_nothing_says_how_to_go_on() {
    let mut program = Program::home(80, 24, COLOUR);
    program.type_text("/quiz");
    let text = program.text();
    assert!(
        text.contains("No lesson matches `quiz`") && text.contains("0 lessons"),
        "{text}"
    );
    assert!(!program.quit, "letters of a search are no commands");
    program.key(KeyCode::Esc);
    assert!(program.text().contains("go on: Softmax"));
    program.key(KeyCode::Char('q'));
    assert!(program.quit);
}

#[test]
fn without_lessons_home_says_so() {
    let program = Program::new(60, 16, PLAIN, SavedState::default(), Vec::new());
    assert!(program.text().contains("There are no lessons here."));
}

#[test]
fn a_lesson_that_does_not_read_says_why_in_the_list() {
    let mut lessons = sample_lessons();
    lessons[3].lesson = Err("there is no kernel file `occupancy.cu`".to_owned());
    let program = Program::new(120, 40, COLOUR, kept(), lessons);
    let text = program.text();
    assert!(
        text.contains("\u{2717} occupancy") && text.contains("no kernel file"),
        "{text}"
    );
}

#[test]
fn a_click_chooses_and_a_second_click_opens() {
    let mut program = Program::home(120, 40, COLOUR);
    program.click("\u{25cb} Row sums");
    assert!(program.app.at_home);
    assert_eq!(
        program.app.home.chosen().map(|listed| listed.id.as_str()),
        Some("row-sum")
    );
    program.click("\u{25cb} Row sums");
    assert!(!program.app.at_home);
}

#[test]
fn keys_go_home_from_a_lesson_and_back() {
    let mut program = Program::home(80, 24, COLOUR);
    program.key(KeyCode::Enter);
    assert!(program.text().contains("2/3"), "{}", program.text());
    program.key(KeyCode::Char('H'));
    assert!(program.text().contains("go on: Softmax"));
    program.key(KeyCode::Esc);
    assert!(program.text().contains("2/3"));
}

#[test]
fn what_changed_since_it_ran_is_not_done() {
    let program = Program::home(80, 24, COLOUR);
    let standing = program.app.home.progress("vector-add").expect("is listed");
    assert_eq!((standing.done, standing.stale), (2, 1));
    let listed = program.app.home.lessons[1].lesson.as_ref().expect("reads");
    let pages = program.app.home.saved.pages_of(listed);
    assert_eq!(pages[1], PageProgress::Stale);
}

#[test]
fn notes_of_the_tour_point_at_the_screen() {
    for (width, height) in [(80, 24), (120, 40)] {
        let lessons = sample_lessons();
        let mut program = Program::new(width, height, COLOUR, SavedState::default(), lessons);
        program.key(KeyCode::Enter);
        for step in 1..=5 {
            let name = format!("tour_step_{step}_at_{width}");
            insta::assert_snapshot!(name, program.text());
            program.key(KeyCode::Char(' '));
        }
        assert!(!program.text().contains("begins the lesson"));
    }
}

#[test]
fn escape_ends_the_tour_and_help_shows_it_again() {
    let mut program = Program::new(60, 16, PLAIN, SavedState::default(), sample_lessons());
    program.key(KeyCode::Enter);
    assert!(program.text().is_ascii() && program.text().contains("ends the tour"));
    program.key(KeyCode::Esc);
    assert!(!program.text().contains("ends the tour"));
    program.type_text("H");
    let tour = KeyEvent::new(KeyCode::Char('t'), KeyModifiers::CONTROL);
    let tour = action(tour, program.app.context()).expect("is a key of the help");
    program.send(Msg::Action(tour));
    assert!(program.text().contains("ends the tour"));
}

#[test]
fn every_terminal_size_shows_home_and_tour() {
    for kept in [kept(), SavedState::default()] {
        let mut program = Program::new(100, 30, PLAIN, kept, sample_lessons());
        for keys in ["", "z", "\u{1b}?", "?\n", "    "] {
            for key in keys.chars() {
                program.key(match key {
                    '\n' => KeyCode::Enter,
                    '\u{1b}' => KeyCode::Esc,
                    other => KeyCode::Char(other),
                });
            }
            for (width, height) in [(1, 1), (60, 16), (61, 22), (109, 16), (110, 17), (250, 90)] {
                program.terminal.backend_mut().resize(width, height);
                program.draw();
            }
        }
        assert!(matches!(
            program.drawn.click(0, 0),
            None | Some(Action::Enter)
        ));
    }
}

#[test]
fn the_welcome_has_both_loads_and_their_numbers_at_three_sizes() {
    for (width, height) in [(80, 24), (120, 40), (200, 60), (60, 16)] {
        let mut program = Program::new(
            width,
            height,
            COLOUR,
            SavedState::default(),
            sample_lessons(),
        );
        let load = |apart: u64| WarpLoad {
            line: "y[i] = x[i];".to_owned(),
            addresses: std::array::from_fn(|lane| 4096 + lane as u64 * apart),
            width_bytes: 4,
        };
        program.app.home.welcome = Some(Welcome {
            loads: vec![load(4), load(32)],
            lanes: 32,
        });
        program.draw();
        let text = program.text();
        let mut parts = vec!["32 threads", "stride 1: side by side", "break it yourself"];
        if height >= 24 {
            parts.extend([
                "100 % of what moved",
                "12.5 % of what moved",
                "32 sectors",
                "press enter",
            ]);
        }
        for part in parts {
            assert!(
                text.contains(part),
                "{part} at {width} by {height}:\n{text}"
            );
        }
        assert!(width < 80 || !text.contains('\u{2026}'), "{text}");
    }
}
