//! What keys do in questions, lists, the map of blocks and the tour.

pub(crate) mod palette;
pub(crate) mod block_map;
pub(crate) mod tour;
pub(crate) mod export;
pub(crate) mod answers;
pub(crate) mod typing;

use crate::app::state::{Action, Model, PopupAction, Prompt, PromptKind};
use crate::app::update::message::Effect;

/// Does what is asked of what lies over the cell. An entry of the palette asks for something else in turn:
/// that comes back, to be done on the cell.
pub(crate) fn act(
    model: &mut Model,
    action: PopupAction,
    effects: &mut Vec<Effect>,
) -> Option<Action> {
    match action {
        PopupAction::Help => model.popups.help = true,
        PopupAction::Palette => palette::toggle(model),
        PopupAction::PickEntry(entry) => return palette::pick(model, entry),
        PopupAction::Evidence => {
            model.popups.evidence = model.popups.evidence.is_none().then_some(0);
        }
        PopupAction::Choose(at) => {
            if let Some(prompt) = &mut model.popups.prompt {
                prompt.chosen = at;
            }
            return typing::confirm(model, effects);
        }
        PopupAction::Type(character) => typing::type_character(model, character),
        PopupAction::Erase => typing::erase(model),
        PopupAction::Confirm => return typing::confirm(model, effects),
        PopupAction::Contents => {
            model.popups.prompt = Some(Prompt::listing(PromptKind::Page, model));
        }
        PopupAction::Ask(kind) => model.popups.prompt = Some(Prompt::listing(kind, model)),
        PopupAction::Tour => model.begin_tour(),
    }
    None
}
