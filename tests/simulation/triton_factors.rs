//! Factors of `tl.dot` that are made of narrower elements, and functions and choices whose steps are Triton's own.

use crate::triton::{head, ran};

/// The product of `f16` or 8-bit floats with elements that are cast, rows of the second one lying along the inner side.
const PRODUCT: &str = "@triton.jit
def k(a_ptr, w_ptr, c_ptr, inner, TO: tl.constexpr, BK: tl.constexpr):
    m = tl.arange(0, 16)
    n = tl.arange(0, 32)
    k = tl.arange(0, BK)
    acc = tl.zeros((16, 32), tl.float32)
    for start in range(0, inner, BK):
        a = tl.load(a_ptr + m[:, None] * inner + (start + k)[None, :]).to(TO)
        w = tl.load(w_ptr + n[None, :] * inner + (start + k)[:, None]).to(TO)
        acc = tl.dot(a, w, acc)
    tl.store(c_ptr + m[:, None] * 32 + n[None, :], acc)
";

/// The first row of the product of tiles that count modulo `left` and `right`.
fn first_row(left: u32, right: u32, inner: u32) -> Vec<f64> {
    let element = |column: u32| {
        let products = (0..inner).map(|k| (k % left) * ((column * inner + k) % right));
        f64::from(products.sum::<u32>())
    };
    (0..8).map(element).collect()
}

#[test]
fn factors_that_are_cast_are_computed_where_they_are_multiplied() {
    for (left, right, to) in [
        ("f16", "i8", "tl.float16"),
        ("f32", "f32", "tl.float16"),
        ("bf16", "i8", "tl.bfloat16"),
        ("f8e4m3", "f8e4m3", "tl.float8e4nv"),
        ("f8e5m2", "f8e5m2", "tl.float8e5"),
        ("i8", "f8e4m3", "tl.float16"),
    ] {
        for (stages, warps, step) in [("1", "4", "32"), ("3", "4", "64"), ("2", "1", "32")] {
            let meta = [format!("TO={to}"), format!("BK={step}")];
            let buffers = [
                format!("{left}[2048]:mod:4"),
                format!("{right}[4096]:mod:3"),
                "f32[512]:zero".to_owned(),
                "128".to_owned(),
            ];
            let mut options = vec!["--stages", stages, "--warps", warps, "--grid", "1"];
            options.extend(meta.iter().flat_map(|meta| ["--meta", meta.as_str()]));
            options.extend(buffers.iter().flat_map(|given| ["--arg", given.as_str()]));
            let row = head(PRODUCT, &options, 2);
            let what = format!("{left} {right} {to} {stages} stages, {warps} warps");
            assert_eq!(row, first_row(4, 3, 128), "{what}");
        }
    }
}

/// What a kernel with one input and one output of 64 elements leaves, and its additions in single precision.
fn of_arange(text: &str) -> (Vec<f64>, u64) {
    let code = format!(
        "@triton.jit\ndef k(x_ptr, y_ptr):\n    at = tl.arange(0, 64)\n    x = tl.maximum(tl.load(x_ptr + at) * 0.25, 0.0)\n    tl.store(y_ptr + at, {text})\n"
    );
    let options = ["--grid", "1", "--warps", "2", "--arg", "f32[64]:arange"];
    let options = [&options[..], &["--arg", "f32[64]:zero"]].concat();
    let shown = ran(&code, &[&options[..], &["--json"]].concat()).json();
    let adds = shown["counts"]["fp32"]["add"].as_u64();
    (head(&code, &options, 1), adds.expect("is counted"))
}

#[test]
fn functions_with_two_ways_are_right_on_both() {
    let (values, adds) = of_arange("tl.extra.cuda.libdevice.tanh(x)");
    for (at, value) in values.into_iter().enumerate() {
        let expected = (at as f64 * 0.25).tanh();
        assert!((value - expected).abs() < 1e-6, "{at}: {value}");
    }
    // One for the absolute value, one more for those of at least 0.6.
    assert_eq!(adds, 64 + 61);
    let (values, adds) = of_arange("tl.math.erf(x)");
    for (at, expected) in [(0, 0.0), (2, 0.520_499_878), (5, 0.922_900_128)] {
        assert!((values[at] - expected).abs() < 1e-6, "{at}: {values:?}");
    }
    assert_eq!(adds, 64 + 59);
}

#[test]
fn a_choice_between_two_sums_of_a_number_is_one_sum() {
    let (values, adds) = of_arange("tl.where(x >= 1.0, x + 0.5, x - 0.5)");
    assert_eq!(values[..6], [-0.5, -0.25, 0.0, 0.25, 1.5, 1.75]);
    assert_eq!(adds, 64);
}

#[test]
fn an_operation_on_a_choice_between_two_numbers_is_a_choice() {
    let (values, adds) = of_arange("tl.where(x >= 1.0, 0.5, -0.5) + 1.5");
    assert_eq!(values[..6], [1.0, 1.0, 1.0, 1.0, 2.0, 2.0]);
    assert_eq!(adds, 0);
}

#[test]
fn bits_of_whole_numbers_are_put_together_by_reduce_or() {
    let (values, _) = of_arange("tl.reduce_or((x * 4).to(tl.int32), 0).to(tl.float32)");
    assert_eq!(values[0], 63.0);
}

/// What a kernel counts of a run with these options.
fn counts(code: &str, options: &[&str]) -> serde_json::Value {
    ran(code, &[options, &["--json", "--no-caches"]].concat()).json()["counts"].clone()
}

#[test]
fn a_recurrence_reads_each_row_once_from_shared_memory() {
    // Triton moves k and v to slices of the state's layout before it multiplies them: one store each, and four loads of 16
    // bytes for what lies along the rows.
    let code = "@triton.jit
def k(h_ptr, k_ptr, v_ptr, o_ptr, rounds):
    at = tl.arange(0, 32)
    tile = at[:, None] * 32 + at[None, :]
    h = tl.load(h_ptr + tile)
    for i in range(rounds):
        k = tl.load(k_ptr + i * 32 + at).to(tl.float32)
        v = tl.load(v_ptr + i * 32 + at).to(tl.float32)
        h += k[:, None] * v[None, :]
    tl.store(o_ptr + tile, h)
";
    let mut options = vec!["--grid", "1", "--warps", "1"];
    for given in [
        "f32[1024]:one",
        "f16[128]:one",
        "f16[128]:one",
        "f32[1024]:zero",
        "4",
    ] {
        options.extend(["--arg", given]);
    }
    let counts = counts(code, &options);
    assert_eq!(counts["shared_store"]["requests"], 2 * 4);
    let shown = head(code, &options, 3);
    assert_eq!(shown[..2], [5.0, 5.0]);
}

#[test]
fn a_sum_chooses_after_it_adds_what_is_chosen_together() {
    // Of four neighbours under one truth value, three are added to the first by fused operations; those of the second four,
    // under another, each by an addition.
    let code = "@triton.jit
def k(x_ptr, y_ptr, n):
    at = tl.arange(0, 256)
    x = tl.load(x_ptr + at, mask=at < n)
    tl.store(y_ptr, tl.sum(tl.where(at < n, x * x, 0.0)))
";
    let mut options = vec!["--grid", "1", "--warps", "1"];
    for given in ["f32[256]:one", "f32[1]:zero", "160"] {
        options.extend(["--arg", given]);
    }
    assert_eq!(head(code, &options, 1), [160.0]);
    let fp32 = &counts(code, &options)["fp32"];
    assert_eq!(
        (&fp32["fma"], &fp32["mul"]),
        (&(3 * 32).into(), &(5 * 32).into())
    );
}

#[test]
fn a_function_of_a_row_is_computed_once_for_a_tile() {
    let code = "@triton.jit
def k(x_ptr, y_ptr):
    rows = tl.arange(0, 4)[:, None]
    at = rows * 128 + tl.arange(0, 128)[None, :]
    row = tl.exp(tl.load(x_ptr + rows))
    tl.store(y_ptr + at, tl.load(y_ptr + at) * row)
";
    let mut options = vec!["--grid", "1", "--warps", "4"];
    for given in ["f32[4]:zero", "f32[512]:one"] {
        options.extend(["--arg", given]);
    }
    let special = counts(code, &options)["fp32"]["special"].as_u64();
    // Four elements of one row for each of 128 threads.
    assert_eq!(special, Some(128));
}

#[test]
fn nothing_is_computed_for_elements_that_no_program_stores() {
    // 64 threads have two groups of four elements each, the second from column 256 on.
    let code = "@triton.jit
def k(x_ptr, y_ptr, n: tl.constexpr, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + columns, mask=columns < n, other=0.0)
    tl.store(y_ptr + columns, x * x, mask=(columns < n) & (columns != 7))
";
    let mut options = vec!["--grid", "1", "--warps", "2"];
    options.extend(["--meta", "n=250", "--meta", "BLOCK=512"]);
    options.extend(["--arg", "f32[250]:arange", "--arg", "f32[250]:one"]);
    let shown = head(code, &options, 1);
    assert_eq!(shown[..8], [0.0, 1.0, 4.0, 9.0, 16.0, 25.0, 36.0, 1.0]);
    assert_eq!(counts(code, &options)["fp32"]["mul"], 4 * 64);
}

/// Loads and stores of a row of 512 halves by one warp, with what the body of a loop says of the pointers.
const HINTED: &str = "@triton.jit
def k(x_ptr, y_ptr, step):
    at = tl.arange(0, 512)
    x = x_ptr + step + at
    for i in range(0, 2):
        HINT
        tl.store(y_ptr + i * 512 + at, tl.load(x))
        x += 512
";

#[test]
fn a_hint_about_what_a_loop_carries_is_one_about_what_it_begins_with() {
    let options = ["f16[1032]:arange", "f16[1024]:zero", "8"].map(|given| ["--arg", given]);
    let options = [
        &["--grid", "1", "--warps", "1"],
        options.concat().as_slice(),
    ]
    .concat();
    let requests = |hint: &str| {
        let counts = counts(&HINTED.replace("HINT", hint), &options);
        counts["global_load"]["requests"].as_u64()
    };
    // One half at a time, and eight.
    assert_eq!(requests("pass"), Some(32));
    assert_eq!(requests("x = tl.multiple_of(x, 16)"), Some(4));
}

#[test]
fn a_loop_of_one_round_is_its_body() {
    let code = PRODUCT.replace("range(0, inner, BK)", "range(0, 32, BK)");
    let given = ["f16[512]:one", "f16[1024]:one", "f32[512]:zero", "32"];
    let given = given.map(|given| ["--arg", given]).concat();
    let meta = ["--meta", "TO=tl.float16", "--meta", "BK=32"];
    let options = ["--grid", "1", "--warps", "4", "--stages", "3"];
    let counts = counts(&code, &[&options[..], &meta, &given].concat());
    // Nothing is copied ahead: the factors are stored as they are loaded, 3 KiB in 24 wavefronts, and the product is moved
    // to where it is stored in 16.
    assert_eq!(counts["shared_store"]["wavefronts"], 24 + 16);
}
