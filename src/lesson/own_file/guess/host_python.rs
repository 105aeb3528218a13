//! What the host code of a Triton kernel says of its sizes, in the few forms that people write.

/// The sides of the first tensor that the file makes: `[1823, 781]` for `torch.randn(1823, 781, device="cuda")`.
pub fn shape(text: &str) -> Vec<u64> {
    const MAKERS: [&str; 6] = ["randn", "rand", "empty", "zeros", "ones", "full"];
    let calls = text.split("torch.").skip(1);
    let calls = calls.filter_map(|call| {
        let (name, arguments) = call.split_once('(')?;
        let arguments = arguments.trim_start_matches(['(', '[']);
        let arguments = arguments.split([',', ')', ']']);
        let sides = arguments.map_while(|argument| number(text, argument.trim()));
        MAKERS.contains(&name).then(|| sides.collect::<Vec<_>>())
    });
    let mut sides = calls.filter(|sides| !sides.is_empty());
    sides.next().unwrap_or_default()
}

/// `n_cols` where the file has `name = triton.next_power_of_2(n_cols)`.
pub fn next_power_of<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let call = assigned(text, name)?.strip_prefix("triton.next_power_of_2(")?;
    call.strip_suffix(')')
}

/// A number, or a name that the file gives one.
fn number(text: &str, written: &str) -> Option<u64> {
    let parsed = |digits: &str| digits.replace('_', "").parse().ok();
    parsed(written).or_else(|| parsed(assigned(text, written)?))
}

/// What stands behind `name =` in a line of its own.
fn assigned<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = text.lines();
    lines.find_map(|line| {
        let behind = line.trim().strip_prefix(name)?.trim_start();
        let value = behind.strip_prefix('=')?;
        // A name before it is no comparison, and what stands behind is no comment.
        let value = value.split('#').next()?.trim();
        (!name.is_empty() && !value.starts_with('=')).then_some(value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_tensor_says_its_sides() {
        let of = |text: &str| shape(text);
        assert_eq!(of("x = torch.randn(1823, 781, device='cuda')"), [1823, 781]);
        assert_eq!(of("x = torch.zeros((4, 8), dtype=torch.float32)"), [4, 8]);
        assert_eq!(
            of("y = torch.empty_like(x)\nN = 1_000  # long\nx = torch.rand(N)"),
            [1000]
        );
        assert!(of("x = torch.randn(shape)").is_empty());
        assert!(of("if n == 4: torch.rand(n)").is_empty());
    }

    #[test]
    fn a_tile_may_follow_from_a_size() {
        let text = "    BLOCK = triton.next_power_of_2(n_cols)\n    WARPS = 4\n";
        assert_eq!(next_power_of(text, "BLOCK"), Some("n_cols"));
        assert_eq!(next_power_of(text, "WARPS"), None);
        assert_eq!(next_power_of(text, "LOCK"), None);
    }
}
