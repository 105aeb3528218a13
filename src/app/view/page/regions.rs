//! Where the regions of a page are: its text, its code and its picture, by the size of the screen.
//!
//! Wide screens have them side by side, usual ones have the text as a strip above the two others, narrow ones stack them. A
//! page keeps its regions while one walks through its steps.

use ratatui::layout::Rect;

use crate::app::state::Layout;
use crate::app::view::widgets::{below, inset, top};

/// What a page has to show.
pub(crate) struct Parts {
    /// Columns that its code takes, if it has any.
    pub code: Option<u16>,
    /// Rows that its code takes.
    pub code_rows: u16,
    /// Whether it has a picture.
    pub picture: bool,
    /// Columns and rows that the picture takes where it has no code beside it.
    pub picture_columns: u16,
    pub picture_rows: u16,
    /// Rows of which the picture makes use, its rule included.
    pub most_picture_rows: u16,
    /// The question that it asks: its text has more room then, its picture less.
    pub question: Question,
    /// Whether the picture is a listing that quotes the code.
    pub is_listing: bool,
    /// Whether a room looks at a run: at its hot lines and its picture, large, while the speaker says the text.
    pub is_shown: bool,
    /// Columns of the pages of the lesson, where text that is alone has them beside it.
    pub contents: Option<u16>,
}

/// The question of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Question {
    /// It asks none.
    #[default]
    None,
    /// What is right is not shown.
    Open,
    /// It is shown.
    Answered,
}

/// Where they are shown; what a page lacks has no area.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Regions {
    pub text: Rect,
    pub code: Option<Rect>,
    pub picture: Option<Rect>,
    /// The pages of the lesson, beside a text that is alone.
    pub contents: Option<Rect>,
}

/// Widest line of text that reads well: alone on a page, and as a strip.
const TEXT_WIDTH: u16 = 84;
const STRIP_WIDTH: u16 = 110;
/// Rows of a strip of text, and with a question, which has to be on screen with all that may be answered.
const STRIP_ROWS: u16 = 12;
const QUESTION_ROWS: u16 = 20;
/// Rows that stay for code and picture below a strip that says more than its step needs.
const BELOW_ROWS: (u16, u16) = (20, 28);
/// Rows that stay for the picture where regions are stacked: of a run, of an answer held against what is right, and at most
/// where there is no code.
const PICTURE_ROWS: u16 = 7;
const ANSWER_ROWS: u16 = 5;
const ALONE_ROWS: u16 = 13;
/// Rows of a picture that says little: a few lines of text.
const LITTLE_ROWS: u16 = 9;
/// Rows of code that stay beside a long text, its rule included.
const LEAST_CODE_ROWS: u16 = 5;
/// The same beside a listing that quotes each of its lines.
const LISTED_ROWS: u16 = 4;
/// Fewest rows that a picture can be drawn in.
const LEAST_ROWS: u16 = 4;
/// Rows of code where regions are stacked, its rule and heading included.
const CODE_ROWS: u16 = 9;
/// The same beside a question.
const QUESTION_CODE_ROWS: u16 = 6;
/// The same where a room looks.
const SHOWN_ROWS: u16 = 14;
/// Columns of text beside something, at least and at most.
const COLUMN: (u16, u16) = (44, 56);
/// Fewest columns of a picture: beside code, and beside code and text.
const PICTURE_WIDTH: u16 = 46;
const WIDE_PICTURE_WIDTH: u16 = 60;
/// Width from which text stands beside a picture that has no code.
const BESIDE_FROM: u16 = 120;

/// The regions of a page that has `parts` in `area`; `rows` says how many rows its text takes at a width, with what was said
/// before as far as there is room for it on so many rows, and is asked only where the text is a strip.
pub(crate) fn regions(
    area: Rect,
    layout: Layout,
    parts: &Parts,
    rows: impl FnOnce(u16, u16) -> u16,
) -> Regions {
    match (layout, parts.code) {
        (_, Some(_)) if parts.is_shown => stacked(area, parts, |_, _| 0),
        (Layout::Three, Some(code)) => three(area, code, parts.picture),
        (Layout::Two, Some(code)) => two(area, code, parts, rows),
        (Layout::One, Some(_)) => stacked(area, parts, rows),
        (_, None) if !parts.picture => alone(area, parts.contents),
        (_, None) => without_code(area, layout, parts, rows),
    }
}

/// Text with nothing of its own beside it: with the pages of the lesson where there is room for both.
fn alone(area: Rect, contents: Option<u16>) -> Regions {
    let (text, contents) = match contents.filter(|_| area.width >= BESIDE_FROM) {
        Some(columns) => {
            let (text, contents) = split(area, area.width - columns.min(area.width / 2));
            (text, Some(contents))
        }
        None => (area, None),
    };
    let spare = text.width.saturating_sub(TEXT_WIDTH + 4);
    let text = Rect {
        height: text.height.saturating_sub(1),
        ..inset(below(text, 1), 2 + spare / 2)
    };
    Regions {
        text,
        contents,
        ..Regions::default()
    }
}

/// `area` cut after `width` columns.
fn split(area: Rect, width: u16) -> (Rect, Rect) {
    let width = width.min(area.width);
    let right = Rect {
        x: area.x + width,
        width: area.width - width,
        ..area
    };
    (Rect { width, ..area }, right)
}

/// Text of as many rows as its step takes, but no more than `most`, or with what was said before no more than `room`; what is
/// left below.
fn strip(area: Rect, most: u16, room: u16, rows: impl FnOnce(u16, u16) -> u16) -> (Rect, Rect) {
    let text = inset(area, 1);
    let width = text_width(area) as u16;
    // A long text scrolls rather than leave its code no room.
    let height = rows(width, room).min(most).min(area.height * 3 / 4);
    let text = Rect {
        width,
        ..top(text, height)
    };
    (text, below(area, height))
}

/// Text in a column of `width`; what is left beside it.
fn column(area: Rect, width: u16) -> (Rect, Rect) {
    let (text, rest) = split(area, width);
    (inset(below(text, 1), 2), rest)
}

/// Code beside the picture, which keeps its fewest columns.
fn beside(area: Rect, code: u16, has_picture: bool, fewest: u16) -> (Rect, Option<Rect>) {
    if !has_picture {
        return (area, None);
    }
    let width = code.min(area.width.saturating_sub(fewest));
    let (code, picture) = split(area, width);
    (code, Some(picture))
}

/// Text, code and picture side by side.
fn three(area: Rect, code: u16, has_picture: bool) -> Regions {
    // Code and picture have the widths that they need; the text takes what is left, as far as lines stay readable.
    let rest = area.width.saturating_sub(code + WIDE_PICTURE_WIDTH);
    let (text, others) = column(area, rest.clamp(COLUMN.0, COLUMN.1));
    let (code, picture) = beside(others, code, has_picture, WIDE_PICTURE_WIDTH);
    Regions {
        text,
        code: Some(code),
        picture,
        ..Regions::default()
    }
}

/// A strip of text above code and picture.
fn two(area: Rect, code: u16, parts: &Parts, rows: impl FnOnce(u16, u16) -> u16) -> Regions {
    // A question comes with its choices, which are to be read together.
    let most = match parts.question {
        Question::Open => QUESTION_ROWS,
        Question::None | Question::Answered => STRIP_ROWS,
    };
    let (least, enough) = BELOW_ROWS;
    let below_rows = parts.code_rows.clamp(least, enough);
    let room = area.height.saturating_sub(below_rows).min(STRIP_ROWS);
    let (text, rest) = strip(area, most, room, rows);
    // Wide code that is short has the picture below it, and so has code beside which little is to be said: neither is cut.
    let is_wide = code + PICTURE_WIDTH > area.width;
    let is_short = parts.code_rows <= rest.height * 2 / 5;
    let is_little = parts.most_picture_rows <= LITTLE_ROWS;
    let (code, picture) = match (is_wide && is_short || is_little) && parts.picture {
        true => {
            let spare = rest.height.saturating_sub(parts.most_picture_rows);
            let rows = parts.code_rows.min(spare.max(rest.height * 2 / 5));
            (top(rest, rows), Some(below(rest, rows)))
        }
        false => beside(rest, code, parts.picture, PICTURE_WIDTH),
    };
    Regions {
        text,
        code: Some(code),
        picture,
        ..Regions::default()
    }
}

/// Whether a page's text stands above its picture, and nothing else.
pub(crate) fn is_above(area: Rect, parts: &Parts) -> bool {
    // A table that has too many columns for what is left beside the text has all of the width.
    let beside = area.width.saturating_sub(COLUMN.0);
    let has_room = area.width >= BESIDE_FROM && parts.picture_columns <= beside;
    parts.code.is_none() && parts.picture && !has_room
}

/// Whether a page without code has something beside its text: a picture, or the pages of the lesson.
pub(crate) fn is_beside(area: Rect, parts: &Parts) -> bool {
    let has_any = parts.picture || parts.contents.is_some() && area.width >= BESIDE_FROM;
    parts.code.is_none() && has_any && !is_above(area, parts)
}

/// Columns of text that stands above something.
pub(crate) fn text_width(area: Rect) -> usize {
    inset(area, 1).width.min(STRIP_WIDTH).into()
}

/// Rows that the picture of a page without code keeps.
pub(crate) fn least_rows(parts: &Parts) -> u16 {
    parts.picture_rows.min(ALONE_ROWS)
}

/// Text beside the picture, or above it where there is no room for that.
fn without_code(
    area: Rect,
    layout: Layout,
    parts: &Parts,
    rows: impl FnOnce(u16, u16) -> u16,
) -> Regions {
    let above = area.height.saturating_sub(least_rows(parts));
    let (text, picture) = match (is_above(area, parts), layout) {
        (false, _) => {
            let usual = (area.width * 2 / 5).clamp(COLUMN.0, COLUMN.1);
            let rest = area.width.saturating_sub(parts.picture_columns);
            column(area, usual.min(rest.max(COLUMN.0)))
        }
        (true, Layout::One) => strip(area, above, 0, rows),
        (true, Layout::Two | Layout::Three) => strip(area, above.min(STRIP_ROWS), STRIP_ROWS, rows),
    };
    Regions {
        text,
        picture: Some(picture),
        ..Regions::default()
    }
}

/// Text, code, picture, one above the other: a question takes rows of the picture.
fn stacked(area: Rect, parts: &Parts, rows: impl FnOnce(u16, u16) -> u16) -> Regions {
    let below_rows = match parts.question {
        Question::Open => QUESTION_CODE_ROWS,
        Question::Answered => LEAST_CODE_ROWS + ANSWER_ROWS,
        Question::None if parts.picture => LEAST_CODE_ROWS + PICTURE_ROWS,
        Question::None => CODE_ROWS,
    };
    let (text, rest) = strip(area, area.height.saturating_sub(below_rows), 0, rows);
    let most = match parts.is_shown {
        true => SHOWN_ROWS,
        false => CODE_ROWS,
    };
    let (least, shares) = (parts.code_rows.min(most), rest.height * 2 / 5);
    let shares = match parts.question {
        Question::Open => least,
        Question::Answered | Question::None => least.min(shares.max(LEAST_CODE_ROWS)),
    };
    let shares = match parts.is_listing {
        true => shares.min(LISTED_ROWS),
        false => shares,
    };
    // Rows of which the picture makes no use are the code's; and one that says little gives way to code that is whole then.
    let unused = rest.height.saturating_sub(parts.most_picture_rows);
    let gives_way =
        parts.most_picture_rows <= LITTLE_ROWS && (unused..=rest.height).contains(&parts.code_rows);
    let shares = match gives_way {
        true => rest.height,
        false => shares.max(parts.code_rows.min(unused)),
    };
    let fewest = LEAST_ROWS.min(parts.most_picture_rows);
    let has_picture = parts.picture && rest.height >= shares + fewest;
    // A picture of three rows shows nothing: its room goes to the code.
    let code_rows = if has_picture { shares } else { rest.height };
    Regions {
        text,
        code: Some(top(rest, code_rows)),
        picture: has_picture.then_some(below(rest, code_rows)),
        ..Regions::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARTS: Parts = Parts {
        code: Some(74),
        code_rows: 40,
        picture: true,
        picture_columns: 60,
        picture_rows: 12,
        most_picture_rows: u16::MAX,
        question: Question::None,
        is_listing: false,
        is_shown: false,
        contents: Some(48),
    };

    fn at(width: u16, height: u16, layout: Layout, parts: &Parts) -> Regions {
        regions(Rect::new(0, 2, width, height - 3), layout, parts, |_, _| 5)
    }

    #[test]
    fn every_part_is_on_screen_at_every_size() {
        for (width, height, layout) in [
            (80, 24, Layout::One),
            (120, 40, Layout::Two),
            (200, 60, Layout::Three),
        ] {
            let found = at(width, height, layout, &PARTS);
            let areas =
                [Some(found.text), found.code, found.picture].map(Option::unwrap_or_default);
            for (i, area) in areas.iter().enumerate() {
                assert!(area.width >= 44 && area.height >= 4, "{width}: {areas:?}");
                let others = areas.iter().skip(i + 1);
                assert!(
                    others.clone().all(|other| !area.intersects(*other)),
                    "{areas:?}"
                );
            }
        }
    }

    #[test]
    fn code_of_72_columns_is_whole_at_120() {
        let found = at(120, 40, Layout::Two, &PARTS);
        assert_eq!(found.code.map(|code| code.width), Some(74));
        assert_eq!(found.picture.map(|picture| picture.width), Some(46));
    }

    #[test]
    fn a_table_of_many_columns_has_its_text_above() {
        let table = |picture_columns| {
            let parts = Parts {
                code: None,
                picture_columns,
                ..PARTS
            };
            at(120, 40, Layout::Two, &parts)
                .picture
                .map(|area| area.width)
        };
        assert_eq!([60, 75, 77].map(table), [Some(72), Some(75), Some(120)]);
    }

    #[test]
    fn text_alone_has_the_pages_beside_it_where_there_is_room() {
        let parts = Parts {
            code: None,
            picture: false,
            ..PARTS
        };
        let columns = |width, height, layout| {
            let found = at(width, height, layout, &parts);
            let contents = found.contents.map(|area| (area.x, area.width));
            (found.text.x, found.text.width, contents)
        };
        assert_eq!(columns(80, 24, Layout::One), (2, 76, None));
        assert_eq!(columns(120, 40, Layout::Two), (2, 68, Some((72, 48))));
        assert_eq!(columns(200, 60, Layout::Three), (34, 84, Some((152, 48))));
    }
}
