//! Tables: the figure looked at, the order of rows, and the row compared with.

use crate::app::state::{Model, Movement, TableAction};
use crate::app::update::message::Effect;
use crate::app::update::runs::run_cells;
use crate::lesson::Cell;

/// Arrows, pages, home and end in a table; `page` rows fit on screen, and `columns` columns.
pub(crate) fn navigate_table(model: &mut Model, movement: Movement, page: usize, columns: usize) {
    let Some(grid) = model.table().map(|(cell, _)| model.grid(cell)) else {
        return;
    };
    let Some((_, state)) = model.table() else {
        return;
    };
    let (row, column) = state.cursor;
    let step = page.saturating_sub(1).max(1) as isize;
    let (down, right) = match movement {
        Movement::Up => (-1, 0),
        Movement::Down => (1, 0),
        Movement::PageUp => (-step, 0),
        Movement::PageDown => (step, 0),
        Movement::Home => (isize::MIN / 2, 0),
        Movement::End => (isize::MAX / 2, 0),
        Movement::Left => (0, -1),
        Movement::Right => (0, 1),
    };
    let moved = |at: usize, by: isize, count: usize| {
        at.saturating_add_signed(by).min(count.saturating_sub(1))
    };
    let row = moved(row, down, grid.rows.len());
    let column = moved(column, right, grid.columns.len());
    let follow = |scroll: usize, at: usize, visible: usize| {
        scroll.clamp((at + 1).saturating_sub(visible.max(1)), at)
    };
    if let Some(state) = model.table_state() {
        state.cursor = (row, column);
        state.scroll.0 = follow(state.scroll.0, row, page);
        state.scroll.1 = follow(state.scroll.1, column, columns);
    }
}

/// Looks at a figure: a row on screen and a column.
pub(crate) fn select_figure(model: &mut Model, row: usize, column: usize) {
    if let Some(state) = model.table_state() {
        state.cursor = (row, column);
    }
}

/// Sorts by the column looked at: the largest first, the smallest first, the lesson's order.
pub(crate) fn sort(model: &mut Model) {
    let Some((cell, state)) = model.table() else {
        return;
    };
    let grid = model.grid(cell);
    let looked_at = state.row(&grid);
    let column = state.cursor.1;
    let sort = match state.sort {
        // The third press brings the lesson's order back: no key is needed to undo the first two.
        Some((by, true)) if by == column => Some((column, false)),
        Some((by, false)) if by == column => None,
        _ => Some((column, true)),
    };
    let name = grid.columns.get(column).map_or("", |column| &column.name);
    let said = match sort {
        Some((_, true)) => format!("sorted by {name}, the largest first"),
        Some((_, false)) => format!("sorted by {name}, the smallest first"),
        None => "rows as the lesson has them".to_owned(),
    };
    model.notice = Some(said);
    if let Some(state) = model.table_state() {
        state.sort = sort;
        // The cursor stays on its row, wherever that is now.
        let order = state.order(&grid);
        let row = order.iter().position(|&row| Some(row) == looked_at);
        state.cursor.0 = row.unwrap_or(0);
        state.scroll.0 = state.scroll.0.min(state.cursor.0);
    }
}

/// Compares other rows with the one looked at, or no longer.
pub(crate) fn compare(model: &mut Model) {
    let Some((cell, state)) = model.table() else {
        return;
    };
    let grid = model.grid(cell);
    // The same row a second time: nothing is left to compare it with.
    let row = state.row(&grid).filter(|&row| state.against != Some(row));
    let name = row
        .and_then(|row| grid.rows.get(row))
        .map(|row| row.name.clone());
    model.notice = name.map(|name| format!("compared with {name}: move to another row"));
    if let Some(state) = model.table_state() {
        state.against = row;
    }
}

/// Runs the cells of the table that have no counts at these sizes.
pub(crate) fn run_rows(model: &mut Model, effects: &mut Vec<Effect>) {
    let Some((cell, _)) = model.table() else {
        return;
    };
    let fresh = |id: &&String| {
        let result = model.result_of(id);
        // A row of another size beside these would be compared in good faith.
        result.is_none_or(|result| result.sizes != model.settings.sizes)
    };
    let wanted: Vec<&String> = cell.runs().iter().filter(fresh).collect();
    let is_wanted = |cell: &Cell| matches!(cell, Cell::Run(run) if wanted.contains(&&run.id));
    let cells = model.lesson.cells.iter().enumerate();
    let cells = cells.filter(|(_, cell)| is_wanted(cell));
    let cells: Vec<usize> = cells.map(|(at, _)| at).collect();
    let idle = match cell.runs().is_empty() {
        true => "this table has nothing to run; n goes on",
        false => "every count is known at these sizes",
    };
    match cells.is_empty() {
        true => model.notice = Some(idle.to_owned()),
        false => run_cells(model, cells, effects),
    }
}

/// Does what is asked of the table on screen.
pub(crate) fn act(model: &mut Model, action: TableAction) {
    match action {
        TableAction::SelectFigure(row, column) => select_figure(model, row, column),
        TableAction::Sort => sort(model),
    }
}
