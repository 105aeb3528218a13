//! Tables of the cases of a `switch`, which lie among a kernel's 64-bit constants: how many cases, what
//! the others give, the values of the cases in ascending order, and what each of them gives.

/// A table.
#[derive(Clone, Copy, Debug)]
pub struct CaseTable<'a> {
    values: &'a [u64],
    numbers: &'a [u64],
    otherwise: u32,
}

impl<'a> CaseTable<'a> {
    /// The table that begins at `constants[at]`; nothing if there is none.
    pub fn at(constants: &'a [u64], at: usize) -> Option<Self> {
        let [count, otherwise, rest @ ..] = constants.get(at..)? else {
            return None;
        };
        let count = usize::try_from(*count).ok()?;
        let (values, rest) = rest.split_at_checked(count)?;
        Some(CaseTable {
            values,
            numbers: rest.get(..count)?,
            otherwise: *otherwise as u32,
        })
    }

    /// The constants of a table that gives the number beside each value, and `otherwise` for all others.
    pub fn constants(mut cases: Vec<(u64, u32)>, otherwise: u32) -> Vec<u64> {
        cases.sort_unstable();
        let head = [cases.len() as u64, u64::from(otherwise)];
        let values = cases.iter().map(|(value, _)| *value);
        let numbers = cases.iter().map(|(_, number)| u64::from(*number));
        head.into_iter().chain(values).chain(numbers).collect()
    }

    /// What the table gives for a value.
    pub fn number(&self, value: u64) -> u32 {
        match self.values.binary_search(&value) {
            Ok(at) => self.numbers[at] as u32,
            Err(_) => self.otherwise,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::CaseTable;

    #[test]
    fn a_table_gives_what_it_was_made_of_and_half_a_table_is_none() {
        let constants = CaseTable::constants(vec![(7, 1), (u64::MAX, 2), (3, 0)], 9);
        let table = CaseTable::at(&constants, 0).expect("a table");
        let numbers = [3, 7, u64::MAX, 0, 8].map(|value| table.number(value));
        assert_eq!(numbers, [0, 1, 2, 9, 9]);
        assert!(CaseTable::at(&constants[..7], 0).is_none());
        assert!(CaseTable::at(&[u64::MAX, 0], 0).is_none());
    }
}
