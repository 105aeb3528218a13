//! What views draw with.

use std::borrow::Cow;

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Widget};

use crate::app::state::{Action, Extent, FrameExtents};
use crate::device::counted;
use crate::document::{CellSpan, Highlighter, Role, Scheme, Theme, fit_line, fold, wrap};
use crate::launch::Evidence;
use crate::source::printable_line;

/// What stays from frame to frame: the theme, and texts already coloured.
pub struct Painter {
    /// Styles and glyphs.
    pub theme: Theme,
    /// Coloured texts.
    pub(crate) highlighter: Highlighter,
}

impl Painter {
    /// A painter that has drawn nothing yet.
    pub fn new(theme: Theme) -> Self {
        Painter {
            theme,
            highlighter: Highlighter::default(),
        }
    }
}

/// What a click asks for.
#[derive(Clone, Debug)]
enum Click {
    Do(Action),
    /// By its row and column in the area.
    At(fn(u16, u16) -> Action),
    /// Nothing: it lies over what is below.
    Nothing,
}

/// What a frame showed.
#[derive(Clone, Debug, Default)]
pub struct Drawn {
    /// How much of everything that scrolls.
    pub seen: FrameExtents,
    /// What a click does, the topmost last.
    clicks: Vec<(Rect, Click)>,
}

impl Drawn {
    /// What a click at this column and row asks for.
    pub fn click(&self, column: u16, row: u16) -> Option<Action> {
        let at = Position { x: column, y: row };
        // What was drawn later lies on top: a window over a list takes the click, the list does not.
        let mut clicks = self.clicks.iter().rev();
        let (area, click) = clicks.find(|(area, _)| area.contains(at))?;
        match click {
            Click::Do(action) => Some(action.clone()),
            // The area was found because it holds the place, so neither difference can be negative.
            Click::At(action) => Some(action(row - area.y, column - area.x)),
            Click::Nothing => None,
        }
    }
}

/// A frame being drawn.
pub(crate) struct Canvas<'a, 'b> {
    frame: &'a mut Frame<'b>,
    pub painter: &'a Painter,
    theme: Theme,
    pub drawn: Drawn,
}

/// A framed part of the screen.
#[derive(Default)]
pub(crate) struct Pane {
    /// On the left of the upper edge.
    pub title: Line<'static>,
    /// On the right of it.
    pub note: Line<'static>,
    /// On the right of the lower edge.
    pub foot: Line<'static>,
    /// Whether arrows go here.
    pub focused: bool,
}

impl<'a, 'b> Canvas<'a, 'b> {
    /// An empty page in the colours of `scheme`.
    pub fn new(frame: &'a mut Frame<'b>, painter: &'a Painter, scheme: Scheme) -> Self {
        let theme = Theme {
            scheme,
            ..painter.theme
        };
        let area = frame.area();
        // Before anything else: spans that set no ground keep this one, and so do cells that nobody draws.
        frame.buffer_mut().set_style(area, theme.page());
        Canvas {
            frame,
            painter,
            theme,
            drawn: Drawn::default(),
        }
    }

    pub fn area(&self) -> Rect {
        self.frame.area()
    }

    pub fn theme(&self) -> Theme {
        self.theme
    }

    /// A span in the style of `role`.
    pub fn span(&self, text: impl AsRef<str>, role: Role) -> Span<'static> {
        let theme = self.theme();
        Span::styled(theme.text(text.as_ref()).into_owned(), theme.style(role))
    }

    /// A line in the style of `role`.
    pub fn text(&self, text: impl AsRef<str>, role: Role) -> Line<'static> {
        Line::from(self.span(text, role))
    }

    /// The mark of a kind of evidence.
    pub fn mark(&self, evidence: Evidence) -> Span<'static> {
        self.span(self.theme().evidence(evidence), Role::Evidence)
    }

    /// A bar of `width` cells, filled to `share`.
    pub fn gauge(&self, share: f64, width: usize) -> [Span<'static>; 2] {
        let (full, empty) = self.theme().gauge(share, width);
        [self.span(full, Role::Accent), self.span(empty, Role::Muted)]
    }

    /// Keys, each with what it does.
    pub fn keys(&self, keys: &[(&str, &str)]) -> Line<'static> {
        let spans = keys
            .iter()
            .flat_map(|(key, what)| [self.span(key, Role::Key), self.span(what, Role::Muted)]);
        spans.collect()
    }

    /// What stands before an entry of a list: an arrow at the chosen one.
    pub fn pointer(&self, is_chosen: bool) -> Span<'static> {
        let glyph = match is_chosen {
            true => self.theme().glyph("\u{25b8}", ">"),
            false => " ",
        };
        self.span(glyph, Role::Accent)
    }

    /// `text` in lines of `width` cells that begin with `indent` blanks.
    pub fn paragraph(
        &self,
        text: &str,
        role: Role,
        width: usize,
        indent: usize,
    ) -> Vec<Line<'static>> {
        let theme = self.theme();
        let pieces = [(theme.text(text).into_owned(), theme.style(role))];
        let blanks = [Span::raw(" ".repeat(indent))];
        wrap(&pieces, width, &blanks, &blanks)
    }

    /// Draws one line at the top of `area`, cut to its width.
    pub fn line(&mut self, area: Rect, line: Line<'static>) {
        if area.height > 0 {
            let theme = self.theme();
            let row = Rect { height: 1, ..area };
            let line = fit_line(printable(line), area.width.into(), theme);
            line.render(row, self.frame.buffer_mut());
        }
    }

    /// Draws lines from the top of `area`; one that is longer goes on in the next row.
    pub fn lines(&mut self, area: Rect, lines: impl IntoIterator<Item = Line<'static>>) {
        let lines = lines.into_iter();
        let lines = lines.flat_map(|line| fold(line, area.width.into()));
        for (row, line) in area.rows().zip(lines) {
            self.line(row, line);
        }
    }

    /// Draws a row of a list, lit if it is the chosen one; a click on it does `action`.
    pub fn list_row(&mut self, row: Rect, line: Line<'static>, is_chosen: bool, action: Action) {
        self.line(row, line);
        if is_chosen {
            self.restyle(row, Role::CurrentRow);
        }
        self.click(row, action);
    }

    /// Sets the style of a part of the frame, over what is drawn.
    pub fn restyle(&mut self, area: Rect, role: Role) {
        let style = self.theme().style(role);
        self.frame.buffer_mut().set_style(area, style);
    }

    /// Blanks a part of the frame.
    pub fn clear(&mut self, area: Rect) {
        let buffer = self.frame.buffer_mut();
        Clear.render(area, buffer);
        // `Clear` resets styles too: without this a window would show the terminal's ground in a theme that has
        // its own.
        buffer.set_style(area, self.theme.page());
    }

    /// Frames `area`, and answers with what is inside.
    pub fn pane(&mut self, area: Rect, pane: Pane) -> Rect {
        let theme = self.theme();
        let role = if pane.focused {
            Role::FocusedBorder
        } else {
            Role::Border
        };
        // Two cells of each edge are its corner and the line next to it, so that a full title still looks framed.
        let width = usize::from(area.width.saturating_sub(4));
        let note = fit_line(printable(pane.note), width, theme);
        // The note is short and says what is on screen; the title is what is cut.
        let room = width.saturating_sub(note.width() + 1);
        let block = Block::bordered()
            .border_set(theme.border())
            .border_style(theme.style(role))
            .title_top(fit_line(printable(pane.title), room, theme))
            .title_top(note.right_aligned())
            .title_bottom(fit_line(printable(pane.foot), width, theme).right_aligned());
        let inner = block.inner(area);
        block.render(area, self.frame.buffer_mut());
        inner
    }

    /// A part of a page, under a rule that has its title; beside another part a line stands between them. Answers with what is
    /// inside.
    pub fn region(&mut self, area: Rect, pane: Pane) -> Rect {
        let inner = self.ruled(area, pane);
        if area.x == self.area().x {
            return inner;
        }
        let (corner, edge) = (
            self.theme().glyph("\u{252c}", "+"),
            self.theme().border().vertical_left,
        );
        for (glyph, row) in std::iter::once(corner)
            .chain(std::iter::repeat(edge))
            .zip(area.rows())
        {
            let line = self.text(glyph, Role::Border);
            self.line(Rect { width: 1, ..row }, line);
        }
        Rect {
            x: inner.x + 1,
            width: inner.width.saturating_sub(1),
            ..inner
        }
    }

    /// A rule that has a title, and what is under it. What has no room on the rule is left out whole.
    pub fn ruled(&mut self, area: Rect, pane: Pane) -> Rect {
        let role = match pane.focused {
            true => Role::FocusedBorder,
            false => Role::Border,
        };
        self.rule(area, role);
        let mut room = inset(area, 1);
        let title = (pane.title.width() as u16).min(room.width);
        // A title that takes all of the rule takes its last cell too.
        let whole = Rect {
            width: room.width + 1,
            ..room
        };
        // A longer one goes on under the rule.
        let lines = fold(pane.title, whole.width.into());
        let rows = lines.len() as u16;
        self.lines(whole, lines);
        for part in [pane.note, pane.foot] {
            let width = part.width() as u16;
            if width > 0 && title + width < room.width {
                room.width -= width;
                let place = Rect {
                    x: room.right(),
                    width,
                    ..room
                };
                self.line(place, part);
            }
        }
        below(area, rows)
    }

    /// A rule along the first row of `area`.
    pub fn rule(&mut self, area: Rect, role: Role) {
        let rule = self.theme().border().horizontal_top;
        self.line(area, self.text(rule.repeat(area.width.into()), role));
    }

    /// What a click in `area` does.
    pub fn click(&mut self, area: Rect, action: Action) {
        self.drawn.clicks.push((area, Click::Do(action)));
    }

    /// What a click on some cells of a row does; their column and row are of `area`.
    pub fn click_cells(&mut self, area: Rect, at: CellSpan, action: Action) {
        let hit = Rect {
            x: area.x + at.column as u16,
            y: area.y + at.row as u16,
            width: at.width as u16,
            height: 1,
        };
        self.click(hit.intersection(area), action);
    }

    /// The same of `width` cells of the first row of `area`, from `column` on.
    pub fn click_at_column(&mut self, area: Rect, column: usize, width: usize, action: Action) {
        let at = CellSpan {
            column,
            row: 0,
            width,
        };
        self.click_cells(area, at, action);
    }

    /// The same of the next `width` cells of a line that grows on the first row of `area`.
    pub fn click_next(&mut self, area: Rect, line: &Line, width: usize, action: Action) {
        self.click_at_column(area, line.width(), width, action);
    }

    /// What a click in `area` does, by its row and column there.
    pub fn click_at(&mut self, area: Rect, action: fn(u16, u16) -> Action) {
        self.drawn.clicks.push((area, Click::At(action)));
    }

    /// A window over the page: blank, a click beside it does `outside`, and what is below it gets none.
    pub fn window(&mut self, window: Rect, outside: Action) {
        self.clear(window);
        let page = self.area();
        // The order matters: the last area under the mouse wins, so the page comes before the window.
        self.click(page, outside);
        self.drawn.clicks.push((window, Click::Nothing));
    }

    /// Puts the terminal's cursor somewhere.
    pub fn cursor(&mut self, x: u16, y: u16) {
        self.frame.set_cursor_position((x, y));
    }

    /// Where a scrolled pane stands, for its lower edge: nothing if all of it is on screen.
    pub fn position(&self, scroll: usize, extent: Extent) -> Line<'static> {
        // `1-7 of 7` would say nothing.
        if extent.max_scroll() == 0 {
            return Line::default();
        }
        let last = (scroll + extent.visible).min(extent.content);
        let text = match extent.visible {
            0 => format!(" {} below ", counted(extent.content as u64, "row")),
            _ => format!(" {}-{last} of {} ", scroll + 1, extent.content),
        };
        self.text(text, Role::Muted)
    }
}

/// A line without what a terminal would obey, whoever made it: everything that is drawn comes by here.
fn printable(mut line: Line<'static>) -> Line<'static> {
    for span in &mut line.spans {
        if let Cow::Owned(text) = printable_line(&span.content) {
            span.content = text.into();
        }
    }
    line
}

/// A window of this size in the middle of `area`.
pub(crate) fn centred(area: Rect, width: u16, height: u16) -> Rect {
    Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + (area.height - height) / 2,
        width,
        height,
    }
}

/// The part of `area` that is `margin` cells in from the left and right.
pub(crate) fn inset(area: Rect, margin: u16) -> Rect {
    Rect {
        x: area.x + margin.min(area.width / 2),
        width: area.width.saturating_sub(2 * margin),
        ..area
    }
}

/// `area` without its first `rows` rows.
pub(crate) fn below(area: Rect, rows: u16) -> Rect {
    let rows = rows.min(area.height);
    Rect {
        y: area.y + rows,
        height: area.height - rows,
        ..area
    }
}

/// `area` without its first and its last row, which have the title and the keys.
pub(crate) fn body(area: Rect) -> Rect {
    Rect {
        y: area.y + 1,
        height: area.height - 2,
        ..area
    }
}

/// The first `rows` rows of `area`.
pub(crate) fn top(area: Rect, rows: u16) -> Rect {
    Rect {
        height: rows.min(area.height),
        ..area
    }
}

/// The least the notebook can be drawn in.
const LEAST: (u16, u16) = (60, 16);

/// Draws where there is room; else says so, and that what was `seen` stays.
pub(crate) fn with_room(
    frame: &mut Frame,
    painter: &Painter,
    scheme: Scheme,
    seen: FrameExtents,
    draw: impl FnOnce(&mut Canvas, Rect),
) -> Drawn {
    let mut canvas = Canvas::new(frame, painter, scheme);
    let area = canvas.area();
    if area.width < LEAST.0 || area.height < LEAST.1 {
        too_small(&mut canvas, area);
        // A terminal made small for a moment must not lose the places that were scrolled to.
        canvas.drawn.seen = seen;
    } else {
        draw(&mut canvas, area);
    }
    canvas.drawn
}

fn too_small(canvas: &mut Canvas, area: Rect) {
    let (width, height) = LEAST;
    let times = canvas.theme().times();
    let lines = [
        canvas.text("The terminal is too small", Role::Strong),
        Line::from(format!("needs {width} {times} {height}")),
        Line::from(format!("is    {} {times} {}", area.width, area.height)),
        canvas.text("enlarge it, or q quits", Role::Muted),
    ];
    let start = area.height.saturating_sub(4) / 2;
    canvas.lines(below(area, start), lines.map(Line::centered));
}
