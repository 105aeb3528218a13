//! The order of functions, callees first, and recursion, which has none.

/// Numbers of the functions so that each comes after all that it calls; `calls[f]` are those that
/// `f` calls. In order of definition where that allows it. Also the cycles found, each as the
/// functions on it, in order of their calls.
pub fn callees_first(calls: &[Vec<usize>]) -> (Vec<usize>, Vec<Vec<usize>>) {
    let mut order = Vec::with_capacity(calls.len());
    let mut cycles = Vec::new();
    let mut state = vec![State::New; calls.len()];
    for first in 0..calls.len() {
        // Functions being visited, with how many of their calls were followed.
        let mut path: Vec<(usize, usize)> = Vec::new();
        if state[first] == State::New {
            state[first] = State::Open;
            path.push((first, 0));
        }
        while let Some((function, followed)) = path.last_mut() {
            let function = *function;
            match calls[function].get(*followed) {
                None => {
                    state[function] = State::Done;
                    order.push(function);
                    path.pop();
                }
                Some(&callee) => {
                    *followed += 1;
                    match state[callee] {
                        State::Done => {}
                        State::New => {
                            state[callee] = State::Open;
                            path.push((callee, 0));
                        }
                        State::Open => {
                            let on_path = path.iter().map(|&(function, _)| function);
                            cycles.push(on_path.skip_while(|&f| f != callee).collect());
                        }
                    }
                }
            }
        }
    }
    (order, cycles)
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    New,
    Open,
    Done,
}

#[cfg(test)]
mod tests {
    use super::callees_first;

    #[test]
    fn callees_come_first_and_cycles_are_found() {
        let (order, cycles) = callees_first(&[vec![2], vec![], vec![1]]);
        assert_eq!(order, [1, 2, 0]);
        assert!(cycles.is_empty());
        let (order, cycles) = callees_first(&[vec![1], vec![2], vec![1], vec![3]]);
        assert_eq!(order.len(), 4);
        assert_eq!(cycles, [vec![1, 2], vec![3]]);
    }
}
