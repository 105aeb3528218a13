//! Questions whose answers stand in a list: what there is to pick, and what of it fits the typed words.

use crate::app::state::{
    CellState, Choice, GutterMetric, Model, Prompt, PromptKind, Reveal, Stage,
};
use crate::device::{self, Gpu, gpu_ids};
use crate::lesson::{Cell, GuessDistance, LessonPage, Verdict};

impl Prompt {
    /// The answers that fit what is typed, those it names first; nothing for a question without a list.
    pub fn choices(&self, model: &Model) -> Option<Vec<Choice>> {
        let mut choices = all(self.kind, model)?;
        // Stable: what fits equally well stays in the lesson's order.
        choices.retain(|choice| distance(&self.input, choice).is_some());
        choices.sort_by_key(|choice| distance(&self.input, choice));
        Some(choices)
    }
}

pub(crate) fn all(kind: PromptKind, model: &Model) -> Option<Vec<Choice>> {
    match kind {
        PromptKind::Page => Some(pages(model)),
        PromptKind::GutterMetric => Some(margins(model)),
        PromptKind::Gpu => Some(gpus(model)),
        PromptKind::Comparison => Some(comparable_cells(model)),
        _ => None,
    }
}

/// The contents of the lesson, by the first cell of each page: what is to be done there, or was.
fn pages(model: &Model) -> Vec<Choice> {
    let pages = model.lesson.pages().into_iter().enumerate();
    let choice = |(number, page): (usize, LessonPage)| {
        let stands = page.steps.iter().filter_map(|&at| stands(model, at));
        Choice {
            index: page.cells.start,
            name: format!("{:>2}  {}", number + 1, model.lesson.page_title(&page)),
            detail: stands.collect::<Vec<_>>().join(", "),
            is_current: page.cells.contains(&model.at),
        }
    };
    pages.map(choice).collect()
}

/// How cell `at` stands, if there is something to do in it.
fn stands(model: &Model, at: usize) -> Option<&'static str> {
    match (&model.lesson.cells[at], &model.cells[at]) {
        (Cell::Exercise(cell), _) => {
            Some(match model.visit.saved.exercise(cell.id()).is_solved() {
                true => "solved",
                false => "to solve",
            })
        }
        // A cell that runs again still has its old result: that it runs is the news.
        (_, CellState::Run(state)) if state.job.is_some() => Some("runs"),
        (_, CellState::Run(state)) => match &state.ran {
            None if state.error.is_some() => Some("cannot run"),
            None => Some("to run"),
            Some(ran) => Some(match ran.result.verdict(ran.edited) {
                Verdict::Right | Verdict::Uncounted => "ran",
                Verdict::NotRun => "takes a GPU",
                Verdict::Warned => "ran with a warning",
                Verdict::Cancelled => "cancelled",
                Verdict::Wrong | Verdict::Failed => "not right",
            }),
        },
        (Cell::Prediction(cell), CellState::Prediction(state)) => Some(match state.stage {
            Stage::Open => "question",
            Stage::Held => "answered",
            Stage::Revealed => match (&state.given, model.reveal(cell)) {
                (Some(guess), Reveal::Known(truth)) => GuessDistance::new(guess, &truth).verdict(),
                (None, _) => "shown",
                (Some(_), _) => "answered",
            },
        }),
        _ => None,
    }
}

pub(crate) fn margins(model: &Model) -> Vec<Choice> {
    let choice = |(index, margin): (usize, GutterMetric)| Choice {
        index,
        name: margin.name().to_owned(),
        detail: margin.meaning().to_owned(),
        is_current: margin == model.look.metric,
    };
    GutterMetric::all().enumerate().map(choice).collect()
}

pub(crate) fn gpus(model: &Model) -> Vec<Choice> {
    let rows = gpu_ids().filter_map(|id| device::gpu(id).ok());
    let choice = |(index, gpu): (usize, &'static Gpu)| Choice {
        index,
        name: gpu.name.clone(),
        detail: described(gpu),
        is_current: model.simulated_row().is_some_and(|row| row.id == gpu.id),
    };
    rows.enumerate().map(choice).collect()
}

/// What decides a kernel's counts on it.
pub(crate) fn described(gpu: &Gpu) -> String {
    let mut parts = vec![format!("cc {}", gpu.compute_capability)];
    parts.extend(gpu.sm_count.map(|sms| format!("{sms} SMs")));
    parts.extend(gpu.l2_mib.map(|mib| format!("L2 {mib} MiB")));
    parts.extend(
        gpu.memory_bandwidth_gb_s
            .map(|rate| format!("{} GB/s", device::grouped(rate as u64))),
    );
    parts.join(", ")
}

/// Every run cell but the one on screen.
pub(crate) fn comparable_cells(model: &Model) -> Vec<Choice> {
    let cells = model.lesson.cells.iter().enumerate();
    let others = cells.filter(|&(index, _)| index != model.at);
    let choices = others.filter_map(|(index, cell)| match cell {
        Cell::Run(cell) => Some(Choice {
            index,
            name: format!("{}  {}", cell.id, cell.title),
            // The folder is that of the lesson.
            detail: cell
                .source
                .name()
                .rsplit('/')
                .next()
                .unwrap_or_default()
                .to_owned(),
            is_current: false,
        }),
        _ => None,
    });
    choices.collect()
}

/// How far from its name what is typed finds a choice; nothing if it does not. The beginning of the name is nearest,
/// then the beginnings of its words, what stands in it, its letters in this order, and last what is said of it.
fn distance(typed: &str, choice: &Choice) -> Option<usize> {
    let name = choice.name.to_lowercase();
    let detail = choice.detail.to_lowercase();
    let typed = typed.to_lowercase();
    let of_word = |word: &str| {
        // One walk over the name: the letters of `mtm` have to come in this order, as in `matmul`.
        let mut letters = name.chars();
        let found = [
            name.trim_start().starts_with(word),
            name.split_whitespace().any(|part| part.starts_with(word)),
            name.contains(word),
            word.chars().all(|c| letters.any(|letter| letter == c)),
            // The worst fit: `gb` finds a GPU by what it says of its memory, but behind those that are called so.
            detail.contains(word),
        ];
        found.into_iter().position(|found| found)
    };
    let mut distances = typed.split_whitespace().map(of_word);
    // The word that is furthest decides; where one is not there, the choice is none.
    distances.try_fold(0, |most, distance| Some(most.max(distance?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::testing::sample_lesson_twice;
    use crate::lesson::RunCell;

    #[test]
    pub(crate) fn letters_of_a_name_and_words_of_its_facts_find_it() {
        let choice = Choice {
            index: 0,
            name: "H100 PCIe 80 GB".to_owned(),
            detail: "cc 9.0, 114 SMs".to_owned(),
            is_current: false,
        };
        for typed in ["", "h1pc", "H100 pcie", "114", "h100 9.0"] {
            assert!(distance(typed, &choice).is_some(), "{typed}");
        }
        for typed in ["h200", "pcie x", "8.9"] {
            assert!(distance(typed, &choice).is_none(), "{typed}");
        }
    }

    #[test]
    fn the_cell_that_is_named_comes_before_one_whose_file_is() {
        let mut lesson = sample_lesson_twice();
        // A second cell that runs another kernel of the same file, before the one called so.
        let Some(Cell::Run(triple)) = lesson.cells.last().cloned() else {
            panic!("it is a run cell");
        };
        let first = RunCell {
            id: "sum".to_owned(),
            title: "The first of two".to_owned(),
            ..*triple
        };
        lesson.cells.insert(0, Cell::Run(Box::new(first)));
        let mut model = Model::new(lesson, None);
        let named = model.lesson.cells.len() - 1;
        model.at = model.run_index("double").expect("is there");
        let mut prompt = Prompt::new(PromptKind::Comparison);
        let names = |prompt: &Prompt| {
            let choices = prompt.choices(&model).expect("it is a list").into_iter();
            choices.map(|choice| choice.index).collect::<Vec<_>>()
        };
        assert_eq!(names(&prompt), [0, named]);
        "triple".chars().for_each(|c| prompt.push(c));
        assert_eq!(names(&prompt), [named, 0]);
    }
}
