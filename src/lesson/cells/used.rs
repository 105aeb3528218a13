//! Which of a lesson's sizes and named values a run cell uses. Its runs at sizes that are equal but for the others are
//! the same run: what is recorded of one holds for the other.

use std::collections::BTreeSet;

use crate::lesson::{ArgumentTemplate, Formula, InitTemplate, RunCell, Sizes};

impl RunCell {
    /// The names in all of its formulas: shapes, grids, blocks, shared memory, arguments, what counts
    /// must equal, what the reference and the baselines take.
    pub fn used_sizes(&self) -> BTreeSet<String> {
        let buffers = self.buffers.iter().flat_map(|buffer| &buffer.shape);
        let launches = self.launches.iter().flat_map(|launch| {
            let dimensions = launch.grid.iter().chain(&launch.block);
            dimensions.chain([&launch.shared_bytes])
        });
        let checks = self.formulas.iter().map(|check| &check.formula);
        let verify = self.verify.iter();
        let verify = verify.flat_map(|verify| verify.sizes.iter().chain(&verify.per));
        let baselines = self.baselines.iter().flat_map(|baseline| &baseline.sizes);
        let formulas = buffers.chain(launches).chain(checks);
        let formulas = formulas.chain(verify).chain(baselines);
        let arguments = self.launches.iter().flat_map(|launch| &launch.arguments);
        let arguments = arguments.filter_map(|argument| match argument {
            ArgumentTemplate::Formula(formula) => Some(formula),
            _ => None,
        });
        let inits = self.buffers.iter().filter_map(|buffer| match &buffer.init {
            InitTemplate::Numbered(_, formula) => Some(formula),
            InitTemplate::Fixed(_) => None,
        });
        formulas
            .chain(arguments)
            .chain(inits)
            .flat_map(Formula::uses)
            .collect()
    }

    /// What it uses of `sizes`, each with a value: listed sizes at their default stand here too. Runs of
    /// this cell are the same where these are equal.
    pub fn own_sizes(&self, sizes: &Sizes) -> Sizes {
        let used = self.used_sizes();
        let mut own = self.complete(sizes);
        own.retain(|name, _| used.contains(name));
        own
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lesson::load;

    fn cell(change: impl FnOnce(&mut RunCell)) -> RunCell {
        let lesson = load("softmax").expect("reads");
        let mut cell = lesson.run_cell("fused").expect("is there").clone();
        change(&mut cell);
        cell
    }

    fn used(cell: &RunCell) -> Vec<String> {
        cell.used_sizes().into_iter().collect()
    }

    fn formula(text: &str) -> Formula {
        Formula::parse(text).expect("reads")
    }

    #[test]
    fn a_size_is_used_wherever_a_formula_of_the_cell_names_it() {
        let before = used(&cell(|_| ()));
        assert!(
            ["M", "N"]
                .iter()
                .all(|name| before.contains(&(*name).to_owned()))
        );
        let changes: [fn(&mut RunCell); 9] = [
            |cell| cell.buffers[0].shape.push(formula("Z")),
            |cell| cell.launches[0].grid[1] = formula("Z"),
            |cell| cell.launches[0].block[2] = formula("Z"),
            |cell| cell.launches[0].shared_bytes = formula("4*Z"),
            |cell| {
                let argument = ArgumentTemplate::Formula(formula("2*Z"));
                cell.launches[0].arguments.push(argument);
            },
            |cell| {
                let columns = InitTemplate::Numbered("rope_cos".to_owned(), formula("Z/2"));
                cell.buffers[0].init = columns;
            },
            |cell| {
                let verify = cell.verify.as_mut().expect("is verified");
                verify.per = Some(formula("Z"));
            },
            |cell| cell.formulas[0].formula = formula("Z"),
            |cell| cell.baselines[0].sizes.push(formula("Z")),
        ];
        for (at, change) in changes.into_iter().enumerate() {
            assert!(used(&cell(change)).contains(&"Z".to_owned()), "change {at}");
        }
    }

    #[test]
    fn own_sizes_have_the_defaults_and_nothing_that_is_not_used() {
        let cell = cell(|cell| {
            cell.launches[0].block[0] = formula("B");
            cell.choices = Sizes::from([("B".to_owned(), 256), ("P".to_owned(), 3)]);
        });
        let sizes = |list: &[(&str, u64)]| -> Sizes {
            let owned = list.iter().map(|&(name, value)| (name.to_owned(), value));
            owned.collect()
        };
        let recorded = sizes(&[("M", 2), ("N", 5), ("K", 7)]);
        let own = sizes(&[("B", 256), ("M", 2), ("N", 5)]);
        assert_eq!(cell.own_sizes(&recorded), own);
        let chosen = sizes(&[("M", 2), ("N", 5), ("K", 8), ("P", 4), ("B", 256)]);
        assert_eq!(cell.own_sizes(&chosen), own);
        let other = sizes(&[("M", 2), ("N", 5), ("B", 128)]);
        assert_ne!(cell.own_sizes(&other), own);
    }
}
