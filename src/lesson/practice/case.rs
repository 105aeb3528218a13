//! At which sizes and on which inputs an answer is checked.

use std::collections::BTreeMap;

use crate::launch::Init;
use crate::lesson::cells::{CaseTemplate, ExerciseCell, InitTemplate, RunCell};
use crate::lesson::outline::Lesson;
use crate::lesson::sizes::{Sizes, completed, equations};

/// Elements of which small blocks have to be many, and are no whole ones.
// Both are primes, which no block, tile or warp divides.
const MANY: u64 = 257;
/// The same where three sizes or more are multiplied: 257 of each would be a product of 17 million steps.
const MANY_OF_THREE: u64 = 41;

/// Sizes and inputs of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// What is special about it: its sizes, and its inputs if they are not the usual ones.
    pub title: String,
    /// A value for each size of the lesson.
    pub sizes: Sizes,
    /// What buffers begin with, by their indices, where that is not the usual.
    pub inits: BTreeMap<usize, InitTemplate>,
}

impl Case {
    /// Of an exercise at `sizes`.
    fn new(exercise: &ExerciseCell, sizes: Sizes) -> Self {
        Case {
            title: equations(&shown(exercise, &sizes)),
            sizes,
            inits: BTreeMap::new(),
        }
    }

    /// `run` with the inputs of this case.
    pub fn of(&self, run: &RunCell) -> RunCell {
        let mut run = run.clone();
        for (&at, init) in &self.inits {
            run.buffers[at].init = init.clone();
        }
        run
    }
}

/// Those of `sizes` that the exercise goes by.
fn shown(exercise: &ExerciseCell, sizes: &Sizes) -> Sizes {
    let mut own = exercise.run.own_sizes(sizes);
    own.retain(|name, _| exercise.numbers.iter().all(|number| number.name != *name));
    own
}

impl ExerciseCell {
    /// The sizes that the exercise is told at, one for each of the lesson.
    pub fn told_at(&self, lesson: &Lesson) -> Sizes {
        completed(&lesson.complete(&Sizes::new()), &self.trials.at)
    }

    /// The cases of an exercise: sizes that warps and blocks do not divide, the smallest first, then one with equal inputs,
    /// then those that its author chose, and in the end its own sizes.
    pub fn cases(&self, lesson: &Lesson) -> Vec<Case> {
        cases(lesson, self)
    }
}

fn cases(lesson: &Lesson, exercise: &ExerciseCell) -> Vec<Case> {
    let own = exercise.told_at(lesson);
    let mut all: Vec<Sizes> = Vec::new();
    let awkward = lesson.test_sizes().into_iter().skip(1);
    for sizes in awkward.chain([many_blocks(lesson)]) {
        let mut sizes = lesson.complete(&sizes);
        let kept = exercise.trials.fixed.iter();
        sizes.extend(
            kept.filter_map(|name| own.get_key_value(name))
                .map(|(name, &value)| (name.clone(), value)),
        );
        let is_new = |known: &Sizes| shown(exercise, known) != shown(exercise, &sizes);
        if is_new(&own) && all.iter().all(is_new) {
            all.push(sizes);
        }
    }
    // A mistake is easiest to see on few elements.
    all.sort_by_key(|sizes| shown(exercise, sizes).values().product::<u64>());
    let equal = all.last().and_then(|sizes| equal_inputs(exercise, sizes));
    let mut cases: Vec<Case> = all
        .into_iter()
        .map(|sizes| Case::new(exercise, sizes))
        .collect();
    cases.extend(equal);
    let chosen = exercise.trials.chosen.iter();
    cases.extend(chosen.map(|template| chosen_case(exercise, template, &own)));
    cases.push(Case::new(exercise, own));
    cases
}

/// Sizes at which small blocks have to be many, and are no whole ones.
fn many_blocks(lesson: &Lesson) -> Sizes {
    let mut sizes = Sizes::new();
    let ranges = lesson.sizes.iter().filter(|size| size.values.is_empty());
    let many = match ranges.count() {
        ..=2 => MANY,
        _ => MANY_OF_THREE,
    };
    for size in &lesson.sizes {
        let value = match size.values.first() {
            Some(&least) => least,
            None => many.clamp(size.min, size.max),
        };
        size.set(&mut sizes, value);
    }
    sizes
}

fn chosen_case(exercise: &ExerciseCell, template: &CaseTemplate, own: &Sizes) -> Case {
    let case = Case::new(exercise, completed(own, &template.sizes));
    Case {
        title: match case.title.is_empty() {
            true => template.title.clone(),
            false => format!("{}: {}", case.title, template.title),
        },
        inits: template.inits.clone(),
        ..case
    }
}

/// All elements of the inputs 1, where they are numbers at random: what depends on their order, or on the first of
/// several that are largest, shows here or never.
fn equal_inputs(exercise: &ExerciseCell, sizes: &Sizes) -> Option<Case> {
    let inputs = &exercise.run.verify.as_ref()?.inputs;
    let buffers = exercise.run.buffers.iter().enumerate();
    let random = buffers.filter(|(_, buffer)| {
        let is_random = match &buffer.init {
            InitTemplate::Numbered(name, _) => name == "normal" || name == "uniform",
            InitTemplate::Fixed(init) => {
                matches!(init, Init::Normal(_) | Init::Uniform(_) | Init::Ramp)
            }
        };
        is_random && buffer.element.is_float() && inputs.contains(&buffer.name)
    });
    let inits = random.map(|(at, _)| (at, InitTemplate::Fixed(Init::One)));
    let inits: BTreeMap<_, _> = inits.collect();
    let case = Case::new(exercise, sizes.clone());
    (!inits.is_empty()).then(|| Case {
        title: format!("{}: all inputs equal", case.title),
        inits,
        ..case
    })
}
