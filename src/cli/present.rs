//! `tutor present` and `tutor notes`.

use std::sync::Arc;

use clap::Args;

use super::options::{EngineArguments, LessonsArgument, LookArguments};
use super::output::{Output, Stop};
use super::run::{link, load_lesson, open, opening, setup};
use super::value;
use crate::app::SpeakerState;
use crate::document;
use crate::document::Block;
use crate::runtime::{self, Setup, Start};

const HELP: &str = "\
space and page down go on, page up goes back, as the keys of a remote control do. Everything runs as in the
notebook. `tutor notes` in a second terminal follows with the speaker's notes.";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(super) struct PresentArguments {
    /// The lesson's name (`tutor list` shows them), or the path of a lesson's .md file. After the name may come the
    /// cell to begin at, such as `#fused`.
    #[arg(value_name = "LESSON[#CELL]")]
    pub id: String,
    /// Choose a size, such as M=4096; may be given several times.
    #[arg(long = "size", value_name = "NAME=VALUE", value_parser = value::size)]
    pub sizes: Vec<(String, u64)>,
    #[command(flatten)]
    pub lessons: LessonsArgument,
    #[command(flatten)]
    pub on: EngineArguments,
    #[command(flatten)]
    pub look: LookArguments,
}

/// Shows a lesson to a room.
pub(super) fn present(arguments: &PresentArguments, output: &Output) -> Result<bool, Stop> {
    if !output.interactive {
        let message =
            "a presentation needs a terminal; `tutor run lesson ID --plain` prints the lesson";
        return Err(Stop::Usage(message.to_owned()));
    }
    let (id, place) = link(&arguments.id)?;
    let lessons = arguments.lessons.lessons()?;
    let mut lesson = load_lesson(&lessons, id, output)?;
    lesson
        .begin_at(&arguments.sizes)
        .map_err(|error| Stop::Usage(error.to_string()))?;
    let opening = opening(&lesson, place)?;
    let setup = Setup {
        presenting: true,
        lessons,
        ..setup(&arguments.on, arguments.look)?
    };
    open(Start::Lesson(Arc::new(lesson), opening), setup)
}

/// Follows a presentation; prints what it tells where there is no terminal.
pub(super) fn notes(look: LookArguments, output: &Output) -> Result<bool, Stop> {
    let followed = match output.interactive {
        true => match runtime::show_notes(look.theme, look.ascii) {
            Ok(Some(signal)) => return Err(Stop::Signal(signal)),
            shown => shown.map(|_| ()),
        },
        false => {
            let mut any = false;
            let followed = runtime::print_notes(|spoken| {
                any = true;
                Ok(output.print(&document::plain(&blocks(spoken)))?)
            });
            // Without a presentation there is nothing to print, and silence would look like success.
            if followed.is_ok() && !any {
                let message = "no presentation is under way; `tutor present softmax` begins one";
                return Err(Stop::Failed(message.to_owned()));
            }
            followed
        }
    };
    followed.map_err(|error| Stop::Failed(format!("{error:#}")))?;
    Ok(true)
}

fn blocks(spoken: &SpeakerState) -> Vec<Block> {
    let (at, count) = spoken.at;
    let mut blocks = vec![Block::heading(&spoken.title, &format!("{at} of {count}"))];
    if !spoken.notes.is_empty() {
        blocks.push(Block::Prose(spoken.notes.clone()));
    }
    // The speaker must know what the room does not see yet.
    if spoken.is_held {
        blocks.push(Block::Note("The answer is not shown yet.".to_owned()));
    }
    blocks.extend(
        spoken
            .next
            .as_ref()
            .map(|next| Block::Note(format!("Next: {next}"))),
    );
    blocks
}
