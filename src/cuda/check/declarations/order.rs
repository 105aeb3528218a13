//! The order of functions, callees first as far as they do not call each other in circles.

/// Numbers of the functions so that each comes after all that it calls; `calls[f]` are those that
/// `f` calls. In order of definition where that allows it.
pub fn callees_first(calls: &[Vec<usize>]) -> Vec<usize> {
    let mut order = Vec::with_capacity(calls.len());
    let mut seen = vec![false; calls.len()];
    for first in 0..calls.len() {
        // Functions being visited, with how many of their calls were followed.
        let mut path: Vec<(usize, usize)> = Vec::new();
        if !seen[first] {
            seen[first] = true;
            path.push((first, 0));
        }
        // A loop with a stack of its own, as a chain of calls may be as long as the file.
        while let Some((function, followed)) = path.last_mut() {
            let function = *function;
            match calls[function].get(*followed) {
                None => {
                    order.push(function);
                    path.pop();
                }
                Some(&callee) => {
                    *followed += 1;
                    // One seen before is done or, in a circle of calls, being visited: the circle is cut here.
                    if !seen[callee] {
                        seen[callee] = true;
                        path.push((callee, 0));
                    }
                }
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::callees_first;

    #[test]
    fn callees_come_first() {
        assert_eq!(callees_first(&[vec![2], vec![], vec![1]]), [1, 2, 0]);
        let circle = callees_first(&[vec![1], vec![2], vec![1], vec![3]]);
        assert_eq!(circle, [2, 1, 0, 3]);
    }
}
