//! Steps through what a block did.

pub(crate) mod block_history;
pub(crate) mod selection;
pub(crate) mod real_values;
pub(crate) mod jump;

use crate::app::state::{BlockMap, InspectorAction, Model};
use crate::app::update::message::Effect;
use crate::launch::WARP_LANES;
use jump::{go_to_step, jump, run_to_line};
use selection::{
    inspect, move_element, place_cursor, step_item, step_warp, switch_moment, switch_picture, watch,
};

/// Does what is asked of the inside of a run.
pub(crate) fn act(model: &mut Model, action: InspectorAction, effects: &mut Vec<Effect>) {
    use InspectorAction::*;
    match action {
        NextWarp => step_warp(model, 1, effects),
        PreviousWarp => step_warp(model, -1, effects),
        PickBlock => model.popups.block_map = BlockMap::new(model),
        Watch(chosen) => {
            model.popups.block_map = None;
            watch(model, chosen, effects);
        }
        Jump(to, direction) => jump(model, to, direction),
        Scrub(step) => go_to_step(model, step),
        RunToLine(line) => run_to_line(model, line),
        NextLane => inspect(model, |inspector| inspector.step_lane(1)),
        PreviousLane => inspect(model, |inspector| inspector.step_lane(-1)),
        SelectLane(lane) => inspect(model, |inspector| inspector.lane = lane % WARP_LANES),
        SelectVariable(variable) => {
            inspect(model, |inspector| inspector.variable = Some(variable));
        }
        SwitchPicture => switch_picture(model),
        SwitchMoment => switch_moment(model),
        SelectElement(row, column) => place_cursor(model, row, column),
        NextElement => move_element(model, 0, 1),
        PreviousElement => move_element(model, 0, -1),
        NextItem => step_item(model, 1),
        PreviousItem => step_item(model, -1),
        SelectItem(item) => inspect(model, |inspector| inspector.choose(item)),
    }
}
