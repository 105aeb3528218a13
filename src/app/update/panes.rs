//! Which view of the cell is on screen.

use crate::app::state::saved::SCHEME_KEY;
use crate::app::state::{Model, Prompt, PromptKind, Tab, ViewAction};
use crate::app::update::cells::{comparison, figure, table};
use crate::app::update::first_look;
use crate::app::update::message::Effect;

/// The next view of what is on screen, or the one before.
fn step_view(model: &mut Model, by: isize) {
    if model.look.comparison.is_some() {
        comparison::turn(model, None);
    } else if model.figure().is_some() {
        figure::step_plot(model, by);
    } else if let Some((cell, _)) = model.run_cell() {
        let tab = model.look.tab.stepped(by, cell.source.name());
        show(model, tab);
    }
}

/// Shows a view of the run.
pub(crate) fn show(model: &mut Model, tab: Tab) {
    if model.look.comparison.is_some() {
        return comparison::turn(model, Some(tab));
    }
    model.look.tab = tab;
    // A result that comes later does not turn the page over again.
    model.look.is_tab_chosen = true;
    if tab == Tab::Access {
        first_look::show_an_access(model);
    } else if let Some(state) = model.run_state() {
        // Whoever turned away is not to be taken to an access when the steps arrive.
        state.inspector.seeks = None;
    }
}

/// Shows all that is known of the run, or its headline again.
fn toggle_evidence(model: &mut Model) {
    let was_shown = model.look.tab == Tab::Counts && model.look.unfolded;
    show(model, Tab::Counts);
    model.look.unfolded = !was_shown;
    if let Some(state) = model.run_state() {
        // Folded text is shorter: the old place may lie behind its end.
        state.scroll.counts = 0;
    }
}

/// Changes how the cell is looked at.
pub(crate) fn act(model: &mut Model, action: ViewAction, effects: &mut Vec<Effect>) {
    match action {
        ViewAction::NextView => step_view(model, 1),
        ViewAction::PreviousView => step_view(model, -1),
        ViewAction::Show(tab) => show(model, tab),
        ViewAction::NextMetric => {
            model.look.metric = model.look.metric.next();
            model.notice = Some(format!("margin: {}", model.look.metric.name()));
        }
        ViewAction::PickMetric => {
            model.popups.prompt = Some(Prompt::listing(PromptKind::GutterMetric, model));
        }
        ViewAction::NextScheme => {
            model.look.scheme = model.look.scheme.next();
            let name = model.look.scheme.name();
            model.save_value(SCHEME_KEY, Some(name.to_owned()), effects);
            model.notice = Some(format!("theme: {name}"));
        }
        ViewAction::Evidence => toggle_evidence(model),
        ViewAction::Compare if model.table().is_some() => table::compare(model),
        ViewAction::Compare => comparison::compare(model),
    }
}
