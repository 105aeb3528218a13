//! The surface of a plot: dots for lines, a glyph for each mark. A cell has eight dots, and is drawn with the thin line that
//! comes nearest to them: of box drawing and blocks, which more fonts have than Braille. In ASCII a cell is one dot.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::area::{CellSpan, PlotPlace};
use crate::document::style::Theme;

/// Dots of a cell, across and down.
const DOTS: (usize, usize) = (2, 4);

/// Dots that a line leaves out: so many drawn, so many not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dash {
    pub on: usize,
    pub off: usize,
    /// What the line is drawn with in ASCII.
    pub ascii: char,
}

/// A surface that is being drawn on.
pub(crate) struct Raster {
    width: usize,
    height: usize,
    theme: Theme,
    cells: Vec<Cell>,
}

#[derive(Clone, Copy, Default)]
struct Cell {
    /// A bit for each dot: those of the upper row first, the left one before the right one.
    dots: u8,
    ascii: Option<char>,
    mark: Option<&'static str>,
    style: Style,
}

impl Raster {
    /// An empty surface of so many cells.
    pub fn new(width: usize, height: usize, theme: Theme) -> Self {
        Raster {
            width,
            height,
            theme,
            cells: vec![Cell::default(); width * height],
        }
    }

    /// Dots across and down.
    fn dots(&self) -> (usize, usize) {
        match self.theme.unicode {
            true => (DOTS.0 * self.width, DOTS.1 * self.height),
            false => (self.width, self.height),
        }
    }

    /// The dot at a place: across from the left, down from the top.
    fn dot(&self, place: PlotPlace) -> (i64, i64) {
        let (across, down) = self.dots();
        let at = |share: f64, count: usize| (share * count.saturating_sub(1) as f64).round() as i64;
        // Dots are counted from the top, values from the bottom.
        (at(place.x, across), at(1.0 - place.y, down))
    }

    /// A straight line between two places.
    pub fn line(&mut self, from: PlotPlace, to: PlotPlace, dash: Dash, style: Style) {
        // One dot for each step along the longer side: no gaps, and none twice.
        let (from, to) = (self.dot(from), self.dot(to));
        let steps = (to.0 - from.0).abs().max((to.1 - from.1).abs());
        for step in 0..=steps {
            if step as usize % (dash.on + dash.off) >= dash.on {
                continue;
            }
            let along = |a: i64, b: i64| {
                let share = step as f64 / steps.max(1) as f64;
                (a as f64 + (b - a) as f64 * share).round() as usize
            };
            self.set(along(from.0, to.0), along(from.1, to.1), dash, style);
        }
    }

    /// Sets the dot `x` across and `y` down.
    fn set(&mut self, x: usize, y: usize, dash: Dash, style: Style) {
        let (column, row) = match self.theme.unicode {
            true => (x / DOTS.0, y / DOTS.1),
            false => (x, y),
        };
        if let Some(cell) = self.cells.get_mut(row * self.width + column) {
            // Two series in a cell make no line together: the later one is seen.
            if cell.style != style {
                cell.dots = 0;
            }
            cell.dots |= 1 << (DOTS.0 * (y % DOTS.1) + x % DOTS.0);
            cell.ascii = Some(dash.ascii);
            cell.style = style;
        }
    }

    /// The cell at a place.
    pub fn cell(&self, place: PlotPlace) -> CellSpan {
        let (x, y) = self.dot(place);
        let (column, row) = match self.theme.unicode {
            true => (x as usize / DOTS.0, y as usize / DOTS.1),
            false => (x as usize, y as usize),
        };
        CellSpan {
            column,
            row,
            width: 1,
        }
    }

    /// A glyph at a place, over what is there.
    pub fn mark(&mut self, place: PlotPlace, glyph: &'static str, style: Style) {
        let CellSpan { column, row, .. } = self.cell(place);
        if let Some(cell) = self.cells.get_mut(row * self.width + column) {
            (cell.mark, cell.style) = (Some(glyph), style);
        }
    }

    /// The surface, row by row.
    pub fn rows(&self) -> impl Iterator<Item = Line<'static>> {
        let text = |cell: &Cell| match (cell.mark, cell.dots) {
            (Some(glyph), _) => glyph.to_owned(),
            (None, 0) => " ".to_owned(),
            (None, dots) if self.theme.unicode => thin_line(dots).to_string(),
            (None, _) => cell.ascii.map_or_else(String::new, String::from),
        };
        self.cells
            .chunks(self.width.max(1))
            .take(self.height)
            .map(move |row| {
                let spans = row.iter().map(|cell| Span::styled(text(cell), cell.style));
                Line::from(spans.collect::<Vec<_>>())
            })
    }
}

/// The line that comes nearest to a cell's dots.
fn thin_line(dots: u8) -> char {
    // Rows that a column has dots in, from the upper end.
    let rows = |column: usize| {
        let has_dot = move |row: &usize| dots >> (DOTS.0 * row + column) & 1 == 1;
        (0..DOTS.1).filter(has_dot)
    };
    let middle = |column| {
        let (sum, count) = rows(column).fold((0, 0), |(sum, count), row| (sum + row, count + 1));
        (count > 0).then(|| sum as f64 / f64::from(count))
    };
    let all = || rows(0).chain(rows(1));
    let height = all().max().unwrap_or(0) - all().min().unwrap_or(0);
    match (height, middle(0), middle(1)) {
        (2.., Some(left), Some(right)) if left + 1.0 <= right => '\u{2572}',
        (2.., Some(left), Some(right)) if right + 1.0 <= left => '\u{2571}',
        (2.., ..) => '\u{2502}',
        // Flat: the upper edge of the cell, its middle, or its lower edge.
        (_, left, right) => {
            let left = left.or(right).unwrap_or_default();
            match left + right.unwrap_or(left) {
                ..2.0 => '\u{2594}',
                2.0..=4.0 => '\u{2500}',
                _ => '\u{2581}',
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::style::Depth;

    const SOLID: Dash = Dash {
        on: 1,
        off: 0,
        ascii: '.',
    };

    fn drawn(unicode: bool) -> Vec<String> {
        let theme = Theme::new(Depth::None, unicode);
        let mut raster = Raster::new(4, 2, theme);
        let [left, right] = [0.0, 1.0].map(|at| PlotPlace { x: at, y: at });
        raster.line(left, right, SOLID, Style::new());
        raster.mark(PlotPlace { x: 1.0, y: 0.0 }, "o", Style::new());
        raster.rows().map(|row| row.to_string()).collect()
    }

    #[test]
    fn lines_go_from_corner_to_corner_in_dots_of_either_kind() {
        assert_eq!(drawn(true), ["  ▁▔", "▁▔ o"]);
        assert_eq!(drawn(false), ["  ..", "..\u{20}o"]);
    }
}
