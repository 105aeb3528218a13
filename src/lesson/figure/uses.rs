//! What a figure goes by: run cells, sizes, and whether blocks have to run for it.

use std::collections::BTreeSet;

use crate::lesson::cells::{FigureCell, FigureKind, PictureFigure, Quantity, RunCell};
use crate::lesson::formula::Formula;
use crate::lesson::outline::Lesson;

impl FigureCell {
    /// The run cells that it shows, those of order figures that it plots included.
    pub fn runs<'a>(&self, lesson: &'a Lesson) -> Vec<&'a RunCell> {
        let orders: &[String] = match &self.kind {
            FigureKind::Lines(figure) => &figure.orders,
            _ => &[],
        };
        let orders = lesson
            .figures()
            .filter(|figure| orders.contains(&figure.id));
        let own = self.cells().into_iter();
        let ids = own.chain(orders.flat_map(FigureCell::cells));
        ids.filter_map(|id| lesson.run_cell(id).ok()).collect()
    }

    /// The sizes and named values that it goes by: those of its cells, and of its own formulas. Lines have
    /// what `at` fixes whatever is chosen, so that is none of them, nor is a value that follows from it.
    pub fn uses(&self, lesson: &Lesson) -> BTreeSet<String> {
        let formulas: Vec<&Formula> = match &self.kind {
            FigureKind::Lines(figure) => figure.work.iter().collect(),
            FigureKind::Roofline(figure) => figure.at.values().collect(),
            FigureKind::Order(figure) => {
                let inputs = figure.inputs.iter().flat_map(|input| &input.tile);
                let output = figure.tile.iter().flatten();
                let own = figure.l2_bytes.iter().chain(&figure.block);
                inputs.chain(output).chain(own).collect()
            }
            FigureKind::Picture(PictureFigure::Waves(figure)) => {
                vec![&figure.blocks, &figure.sms, &figure.per_sm]
            }
            FigureKind::Occupancy(_) | FigureKind::Picture(_) => Vec::new(),
        };
        let runs = self.runs(lesson).into_iter().flat_map(RunCell::used_sizes);
        let own = formulas.into_iter().flat_map(Formula::uses);
        let mut uses: BTreeSet<String> = runs.chain(own).collect();
        if let FigureKind::Lines(figure) = &self.kind {
            let of_fixed = |formula: &Formula| {
                let mut names = formula.uses().into_iter();
                names.any(|name| figure.at.contains_key(&name))
            };
            let values = lesson.values.iter();
            let followed = values.filter(|value| of_fixed(&value.formula));
            let followed: BTreeSet<&str> = followed.map(|value| value.name.as_str()).collect();
            uses.retain(|name| !figure.at.contains_key(name) && !followed.contains(name.as_str()));
            uses.extend(figure.at.values().flat_map(Formula::uses));
        }
        uses
    }

    /// Whether blocks have to run for it: see [`Self::replayed`].
    pub fn is_replayed(&self) -> bool {
        match &self.kind {
            FigureKind::Order(_) => true,
            FigureKind::Lines(figure) => figure.y == Quantity::TilesLoaded,
            FigureKind::Roofline(_) | FigureKind::Occupancy(_) | FigureKind::Picture(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::lesson::load;

    #[test]
    fn sizes_that_a_figure_fixes_are_not_offered_to_be_changed() {
        let uses = |lesson: &str, id: &str| -> Vec<String> {
            let lesson = load(lesson).expect("reads");
            let figure = lesson.figures().find(|figure| figure.id == id);
            let uses = figure.expect("is there").uses(&lesson);
            uses.into_iter().collect()
        };
        assert_eq!(uses("waves", "measured"), ["G"]);
        assert_eq!(uses("occupancy", "rates"), ["S"]);
        // Passes are 512 over E here, whatever was chosen.
        assert_eq!(uses("hardware", "levels-rate"), ["E"]);
        // A run at the sizes chosen has its point under the roof.
        assert_eq!(uses("vector-add", "roof"), ["B", "E", "G", "N"]);
    }
}
