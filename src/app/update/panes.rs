//! Which pane has the keys, and which tab the output shows.

use crate::app::state::saved::SCHEME_KEY;
use crate::app::state::{Focus, Model, Prompt, PromptKind, Tab, ViewAction};
use crate::app::update::cells::{comparison, figure};
use crate::app::update::inspector::selection::step_item;
use crate::app::update::message::Effect;

/// Panes in the order of tab: source, output, sizes; one pane and the sizes where one fits.
pub(crate) fn move_focus(model: &mut Model, forward: bool) {
    if model.look.comparison.is_some() {
        return comparison::turn(model, None);
    }
    if model.prediction().is_some() {
        let by = |at: usize, last| match forward {
            true => (at + 1) % (last + 1),
            false => at.checked_sub(1).unwrap_or(last),
        };
        return model.choose_size(by);
    }
    if model.run_cell().is_none() {
        return;
    }
    let panes: &[Focus] = match model.look.zoom {
        true => &[Focus::Output, Focus::Sizes],
        false => &[Focus::Source, Focus::Output, Focus::Sizes],
    };
    let at = panes.iter().position(|&pane| pane == model.look.focus);
    let (at, count) = (at.unwrap_or(0), panes.len());
    let next = if forward { at + 1 } else { at + count - 1 };
    model.look.focus = panes[next % count];
}

pub(crate) fn show(model: &mut Model, tab: Tab) {
    if model.look.comparison.is_some() {
        return comparison::turn(model, Some(tab));
    }
    let again = model.look.tab == tab;
    model.look.tab = tab;
    model.look.focus = match tab {
        Tab::Source => Focus::Source,
        Tab::Counts | Tab::Values | Tab::Ptx => Focus::Output,
    };
    if again && tab == Tab::Values {
        step_item(model, 1);
    }
}

/// Changes how the cell is looked at.
pub(crate) fn act(model: &mut Model, action: ViewAction, effects: &mut Vec<Effect>) {
    match action {
        ViewAction::NextFocus if model.figure().is_some() => figure::step_plot(model, 1),
        ViewAction::PreviousFocus if model.figure().is_some() => figure::step_plot(model, -1),
        ViewAction::NextFocus => move_focus(model, true),
        ViewAction::PreviousFocus => move_focus(model, false),
        ViewAction::Show(tab) => show(model, tab),
        ViewAction::NextMetric => {
            model.look.metric = model.look.metric.next();
            model.notice = Some(format!("margin: {}", model.look.metric.name()));
        }
        ViewAction::PickMetric => {
            model.popups.prompt = Some(Prompt::listing(PromptKind::GutterMetric, model));
        }
        ViewAction::Zoom => model.look.zoom = !model.look.zoom,
        ViewAction::NextScheme => {
            model.look.scheme = model.look.scheme.next();
            let name = model.look.scheme.name();
            model.save_value(SCHEME_KEY, Some(name.to_owned()), effects);
            model.notice = Some(format!("theme: {name}"));
        }
        ViewAction::Compare => comparison::compare(model),
    }
}
