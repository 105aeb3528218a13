use std::sync::Arc;

use super::fact::Fact;
use super::*;
use crate::device::gpu;
use crate::lesson::sizes::Sizes;
use proptest::prelude::*;

fn value_on(text: &str, id: &str) -> Result<u64, EvaluateError> {
    let sizes = Sizes::from([("M".to_owned(), 1823), ("N".to_owned(), 781)]);
    let formula = Formula::parse(text).expect("reads");
    formula.evaluate(&sizes, gpu(id).expect("is in the table"))
}

fn value(text: &str) -> Result<u64, EvaluateError> {
    value_on(text, "h200")
}

#[test]
fn formulas_have_the_values_of_arithmetic() {
    assert_eq!(value("5*M*N + 2*M"), Ok(5 * 1823 * 781 + 2 * 1823));
    assert_eq!(value("2 + 3 * 4 - 6 / 4 % 5"), Ok(2 + 12 - 1));
    assert_eq!(value("(M - N) * (1 - 2 + 3)"), Ok((1823 - 781) * 2));
    assert_eq!(value("ceil_div(M, 256)"), Ok(8));
    assert_eq!(value("ceil_div(512, 256)"), Ok(2));
    assert_eq!(value("min(M, N) + max(M, N)"), Ok(1823 + 781));
    assert_eq!(value("next_pow2(N) + next_pow2(0)"), Ok(1025));
    assert_eq!(
        value("gcd(48, 36) + gcd(0, 7) + gcd(4 - 10, 4)"),
        Ok(12 + 7 + 2)
    );
}

#[test]
fn comparisons_are_one_or_zero_and_choose() {
    let all = "(1 < 2) + (2 <= 2) + (3 > 2) + (2 >= 2) + (2 == 2) + (1 != 2)";
    assert_eq!(value(all), Ok(6));
    let none = "(2 < 2) + (3 <= 2) + (2 > 2) + (1 >= 2) + (1 == 2) + (2 != 2)";
    assert_eq!(value(none), Ok(0));
    assert_eq!(value("if(N + 1 > M - 1, 1, 2)"), Ok(2));
    assert_eq!(value("if(N > 0, M / N, 1 / 0)"), Ok(2), "nobody asks 1 / 0");
}

#[test]
fn figures_are_those_of_the_gpu() {
    assert_eq!(value_on("gpu.sm_count", "h200"), Ok(132));
    assert_eq!(value_on("gpu.sm_count * 2", "t4"), Ok(80));
    assert_eq!(value("gpu.l2_bytes"), Ok(60 << 20));
    assert_eq!(
        value("gpu.fp32_gflop_s / gpu.memory_bandwidth_gb_s"),
        Ok(13)
    );
    assert_eq!(value("cc.max_warps_per_sm"), Ok(64));
    assert_eq!(value_on("cc.max_warps_per_sm", "t4"), Ok(32));
    assert_eq!(value("blocks_per_sm(128, 160, 0)"), Ok(3));
    assert_eq!(value("blocks_per_sm(M*M*M*M, 160, 0)"), Ok(0));
    for name in Fact::names() {
        assert!(value(name).is_ok(), "{name} of an H200");
    }
}

#[test]
fn what_has_no_value_is_an_error() {
    assert_eq!(value("M / (N - N)"), Err(EvaluateError::DivisionByZero));
    assert_eq!(value("N - M"), Err(EvaluateError::Negative(-1042)));
    let negative = value("blocks_per_sm(N - M, 1, 1)");
    assert_eq!(negative, Err(EvaluateError::Negative(-1042)));
    assert_eq!(value("K"), Err(EvaluateError::UnknownName("K".to_owned())));
    let most = u64::MAX;
    let huge = format!("{most} * {most} * {most}");
    assert_eq!(value(&huge), Err(EvaluateError::TooLarge));
    assert_eq!(value(&format!("{most} + 1")), Err(EvaluateError::TooLarge));
    let power = format!("next_pow2({most} * {most})");
    assert_eq!(value(&power), Err(EvaluateError::TooLarge));
    let unknown = value_on("gpu.bf16_tensor_gflop_s", "t4").expect_err("a T4 has no bf16");
    let says = "`gpu.bf16_tensor_gflop_s` is not known of the";
    assert!(unknown.to_string().contains(says), "{unknown}");
}

#[test]
fn named_values_are_used_by_name_and_show_the_sizes_behind_them() {
    let named = |name: &str, text: &str, before: &[Arc<NamedValue>]| {
        let formula = Formula::parse_with(text, before).expect("reads");
        let name = name.to_owned();
        Arc::new(NamedValue { name, formula })
    };
    let w = named("W", "gcd(N, 4)", &[]);
    let warps = named("warps", "ceil_div(N, 32*W)", std::slice::from_ref(&w));
    let formula = Formula::parse_with("M*warps + W", &[w, warps]).expect("reads");
    assert_eq!(formula.textbook(), "M\u{b7}warps + W");
    assert_eq!(formula.names(), ["M", "N", "N", "N"]);
    let sizes = Sizes::from([("M".to_owned(), 3), ("N".to_owned(), 130)]);
    let gpu = gpu("h200").expect("is in the table");
    assert_eq!(formula.evaluate(&sizes, gpu), Ok(3 * 3 + 2));
}

#[test]
fn values_that_double_each_other_are_refused_before_they_take_for_ever() {
    let mut values: Vec<Arc<NamedValue>> = Vec::new();
    let mut text = "N + N".to_owned();
    let refused = (0..64).find_map(|i| {
        let formula = match Formula::parse_with(&text, &values) {
            Ok(formula) => formula,
            Err(error) => return Some(error.message),
        };
        let name = format!("v{i}");
        text = format!("{name} + {name}");
        values.push(Arc::new(NamedValue { name, formula }));
        None
    });
    assert!(refused.expect("ends").contains("too long"));
}

proptest! {
    #[test]
    fn reading_and_evaluating_never_panic(text in "[MN0-9+*/%(), a-z_.<>=!-]{0,40}") {
        let sizes = Sizes::from([("M".to_owned(), u64::MAX), ("N".to_owned(), 0)]);
        if let Ok(formula) = Formula::parse(&text) {
            let _ = formula.evaluate(&sizes, gpu("h200").expect("is in the table"));
            let textbook = formula.textbook();
            prop_assert!(!textbook.is_empty());
        }
    }

    #[test]
    fn every_operation_on_any_values_is_total(
        name in prop::sample::select(vec!["ceil_div", "min", "max", "gcd"]),
        sign in prop::sample::select(vec!["+", "-", "*", "/", "%", "<", "!="]),
        a in "[MN0-9]", b in "[MN0-9]",
    ) {
        let text = format!("{name}({a} - N*N*3, {b} - M*2) {sign} {name}(0 - {a}, {b})");
        let sizes = Sizes::from([("M".to_owned(), u64::MAX), ("N".to_owned(), u64::MAX)]);
        let formula = Formula::parse(&text).expect("reads");
        let _ = formula.evaluate(&sizes, gpu("h200").expect("is in the table"));
    }

    #[test]
    fn ceil_div_covers_and_not_more(a in 0_u64..1 << 40, b in 1_u64..1 << 20) {
        let text = format!("ceil_div({a}, {b})");
        prop_assert_eq!(value(&text), Ok(a.div_ceil(b)));
    }

    #[test]
    fn gcd_divides_both_and_nothing_larger_does(a in 1_u64..2000, b in 1_u64..2000) {
        let found = value(&format!("gcd({a}, {b})")).expect("has a value");
        prop_assert!(a % found == 0 && b % found == 0);
        prop_assert!((found + 1..=a.min(b)).all(|d| a % d != 0 || b % d != 0));
    }
}
