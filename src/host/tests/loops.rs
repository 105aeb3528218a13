//! Loops that run many iterations at a time, against the interpreter alone: a heap that is checked leaves all to that.

use super::harness::{interpreted, run_with};

/// Both programs end at a division by zero.
#[test]
fn iterations_together_leave_what_they_leave_one_by_one() {
    for program in [include_str!("loops.cu"), include_str!("nests.cu")] {
        let (fast, slow) = (run_with(program, ""), interpreted(program));
        assert_eq!(fast.output, slow.output);
        assert_eq!(fast.exit.operations, slow.exit.operations);
        assert!(fast.exit.fault.is_some());
        assert_eq!(fast.exit.fault, slow.exit.fault);
    }
}

#[test]
fn an_address_that_is_not_there_is_told_where_it_is_reached() {
    let text = "#include <stdlib.h>
        int main() {
            int* x = (int*)malloc(1 << 22);
            long sum = 0;
            for (long i = 0; i < 1 << 21; i++) { x[i] = 1; sum += x[i]; }
            return sum;
        }";
    let fault = run_with(text, "").exit.fault.expect("has a fault");
    assert_eq!(Some(fault), interpreted(text).exit.fault);
}
