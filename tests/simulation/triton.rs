//! Kernels in Triton: values that they leave, and what is said of those that are refused.

use serde_json::Value;

use crate::files::{fixture_path, root};
use crate::program::{Run, tutor};

/// What `tutor run kernel` says of a file with this code.
pub fn ran(code: &str, options: &[&str]) -> Run {
    let folder = tempfile::tempdir().expect("can be made");
    let path = folder.path().join("k.py");
    let head = "import triton\nimport triton.language as tl\n\n\n";
    std::fs::write(&path, format!("{head}{code}")).expect("can be written");
    let path = path.display().to_string();
    let mut arguments = vec!["run", "kernel", &path];
    arguments.extend(options);
    tutor(&arguments)
}

/// The first elements of a buffer behind a kernel of this code.
pub fn head(code: &str, options: &[&str], buffer: usize) -> Vec<f64> {
    let mut given = vec!["--json"];
    given.extend(options);
    let ran = ran(code, &given);
    let shown = ran.json();
    let head = shown["buffers"][buffer]["head"]
        .as_array()
        .expect("is a list");
    head.iter().filter_map(Value::as_f64).collect()
}

#[test]
fn the_result_of_an_atomic_operation_is_there_for_every_thread() {
    // A number for each of 16 elements on 128 threads: each is held by 8 of them.
    let code = "@triton.jit
def k(count_ptr, out_ptr):
    at = tl.arange(0, 16)
    ticket = tl.atomic_add(count_ptr + at * 0, 1)
    tl.atomic_add(out_ptr + ticket, 10)
    turn = tl.atomic_cas(count_ptr, 16, 5)
    while tl.atomic_xchg(count_ptr, 3) == 5:
        turn += 1
    tl.store(out_ptr + 16 + at, at * 0 + turn)
";
    let options = [
        "--grid",
        "1",
        "--arg",
        "i32[1]:zero",
        "--arg",
        "i32[32]:zero",
    ];
    let shown = head(code, &options, 1);
    assert!(
        shown.len() >= 4 && shown.iter().take(16).all(|&x| x == 10.0),
        "{shown:?}"
    );
    let code = code.replace("out_ptr + 16 + at", "out_ptr + at");
    let shown = head(&code, &options, 1);
    assert!(shown.iter().take(16).all(|&x| x == 17.0), "{shown:?}");
}

#[test]
fn atomic_operations_on_floats_find_the_largest_and_the_smallest() {
    let code = "@triton.jit
def k(x_ptr, out_ptr):
    at = tl.arange(0, 32)
    x = tl.load(x_ptr + at) - 20.0
    tl.atomic_max(out_ptr + at * 0, x)
    tl.atomic_min(out_ptr + 1 + at * 0, x)
";
    let options = [
        "--grid",
        "1",
        "--arg",
        "f32[32]:arange",
        "--arg",
        "f32[2]:zero",
    ];
    assert_eq!(head(code, &options, 1), [11.0, -20.0]);
    let said = ran(
        &code.replace("x)", "x.to(tl.float16))"),
        &[
            "--grid",
            "1",
            "--arg",
            "f32[32]:arange",
            "--arg",
            "f16[2]:zero",
        ],
    );
    let message = "there is no such atomic operation on float16";
    assert!(said.stderr.contains(message), "{}", said.stderr);
}

#[test]
fn assertions_hold_where_triton_compiles_them() {
    let code = "@triton.jit
def k(x_ptr, n):
    at = tl.arange(0, 32)
    x = tl.load(x_ptr + at)
    tl.device_assert(x < n, \"x is too large\")
    tl.device_assert(n > 0)
    tl.store(x_ptr + at, x + 1)
";
    let options = |n| ["--grid", "1", "--arg", "i32[32]:arange", "--arg", n];
    let said = ran(code, &options("30"));
    assert!(said.code == 0, "{}", said.stderr);
    let noted = said
        .stderr
        .matches("this is not checked: Triton leaves assertions out");
    assert_eq!(noted.count(), 1, "{}", said.stderr);
    let code = code.replace("@triton.jit", "@triton.jit(debug=True)");
    let said = ran(&code, &options("32"));
    assert!(
        said.code == 0 && !said.stderr.contains("not checked"),
        "{}",
        said.stderr
    );
    let said = ran(&code, &options("30"));
    assert!(said.code != 0, "{}", said.stdout);
    assert!(said.stderr.contains("k.py:9"), "{}", said.stderr);
}

#[test]
fn products_round_their_factors_as_tensor_cores_do() {
    // 1 + 2^-11 has one bit more than such a core reads.
    let sum = |precision: &str| {
        let code = "@triton.jit
def k(out_ptr, PRECISION: tl.constexpr):
    a = tl.full((16, 16), 1.00048828125, tl.float32)
    b = tl.full((16, 16), 1.0, tl.float32)
    c = tl.dot(a, b, tl.full((16, 16), 1.0, tl.float32), input_precision=PRECISION)
    at = tl.arange(0, 16)
    tl.store(out_ptr + at[:, None] * 16 + at[None, :], c)
";
        let meta = format!("PRECISION={precision}");
        let options = ["--grid", "1", "--arg", "f32[256]:zero", "--meta", &meta];
        head(code, &options, 0)[0]
    };
    assert_eq!(
        ["ieee", "tf32", "tf32x3"].map(sum),
        [17.007_812_5, 17.0, 17.007_812_5]
    );
}

#[test]
fn tiles_may_take_more_shared_memory_than_a_declaration_can() {
    // 32 KiB and 32 KiB, where `__shared__` ends at 48 KiB.
    let code = "@triton.jit
def k(out_ptr):
    at = tl.arange(0, 32)
    inner = tl.arange(0, 256).to(tl.float32)
    a = tl.full((32, 256), 1.0, tl.float32) * inner[None, :]
    b = tl.full((256, 32), 1.0, tl.float32)
    tl.store(out_ptr + at[:, None] * 32 + at[None, :], tl.dot(a, b))
";
    let options = ["--grid", "1", "--arg", "f32[1024]:zero"];
    assert_eq!(head(code, &options, 0)[0], 32_640.0);
}

#[test]
fn scans_are_those_of_their_side_and_direction() {
    let code = "@triton.jit
def k(x_ptr, out_ptr, AXIS: tl.constexpr, REVERSE: tl.constexpr):
    at = tl.arange(0, 32)[:, None] * 16 + tl.arange(0, 16)[None, :]
    x = tl.load(x_ptr + at)
    tl.store(out_ptr + at, tl.cumsum(x, AXIS, reverse=REVERSE))
";
    for (axis, reverse, expected) in [
        ("1", "False", [0.0, 1.0, 3.0, 6.0]),
        ("1", "True", [120.0, 120.0, 119.0, 117.0]),
        ("0", "False", [0.0, 1.0, 2.0, 3.0]),
        ("0", "True", [7936.0, 7968.0, 8000.0, 8032.0]),
    ] {
        let meta = [format!("AXIS={axis}"), format!("REVERSE={reverse}")];
        let options = [
            "--grid",
            "1",
            "--arg",
            "i32[512]:arange",
            "--arg",
            "i32[512]:zero",
            "--meta",
            &meta[0],
            "--meta",
            &meta[1],
        ];
        let shown = head(code, &options, 1);
        assert_eq!(shown[..4], expected, "along {axis}, reverse: {reverse}");
    }
}

#[test]
fn loops_count_down_too() {
    let code = "@triton.jit
def k(out_ptr, n):
    sum = 0
    for i in range(n, 1, -4):
        sum = sum * 100 + i
    tl.store(out_ptr, sum)
";
    let options = ["--grid", "1", "--arg", "i32[1]:zero", "--arg", "10"];
    assert_eq!(head(code, &options, 0), [100_602.0]);
}

#[test]
fn what_triton_refuses_is_refused_at_its_place() {
    let told = |code: &str, options: &[&str]| {
        let mut given = vec!["--grid", "1", "--arg", "f32[64]:zero", "--arg", "64"];
        given.extend(options);
        ran(
            &format!("@triton.jit\ndef k(x_ptr, n, BLOCK: tl.constexpr):\n{code}"),
            &given,
        )
        .stderr
    };
    let meta = ["--meta", "BLOCK=48"];
    for (code, message) in [
        (
            "    x = tl.arange(0, BLOCK)\n",
            "`tl.arange(0, 48)` has 48 elements, and their number must be a power of two",
        ),
        (
            "    x = tl.arange(0, n)\n",
            "the bounds of `tl.arange` must be constexpr",
        ),
        (
            "    x = tl.arange(0, 32) + tl.arange(0, 64)\n",
            "shapes [32] and [64] do not broadcast: dimension 0 has 32 elements in one and 64 in the other, and neither is 1",
        ),
        (
            "    x = tl.load(x_ptr + tl.arrange(0, 32))\n",
            "`tl.arrange` is not supported",
        ),
        ("    x = y + 1\n", "`y` is not defined"),
        (
            "    if not isinstance(x_ptr, tl.tensor_descriptor):\n        x = tl.make_tensor_map(x_ptr, [n], [1], [32])\n",
            "`tl.make_tensor_map` is not supported",
        ),
        (
            "    x = tl.arange(0, 32)\n    if x < 3:\n        x += 1\n",
            "a condition must be a single truth value, and this is int1[32]",
        ),
        (
            "    while n > 0: return\n",
            "a kernel cannot return from inside a loop",
        ),
    ] {
        let said = told(code, &meta);
        assert!(said.contains(message), "{code}\n{said}");
        assert!(
            said.contains("k.py:7") || said.contains("k.py:8"),
            "{code}\n{said}"
        );
    }
    let said = told("    pass\n", &["--meta", "BLOCK=32", "--block", "128"]);
    assert!(said.contains("--warps"), "{said}");
}

/// Row 0 of a matrix times itself, beside what a program in double precision gave.
#[test]
fn products_hold_their_elements_where_they_belong() {
    let path = fixture_path("triton/kernels.py");
    let mut arguments = vec!["run", "kernel", &path, "--kernel", "matmul", "--grid", "16"];
    for meta in [
        "BM=32",
        "BN=32",
        "BK=32",
        "GROUP=3",
        "PRECISION=ieee",
        "RELU=0",
    ] {
        arguments.extend(["--meta", meta]);
    }
    for buffer in ["f32[16384]:ramp", "f32[16384]:ramp", "f32[16384]:zero"] {
        arguments.extend(["--arg", buffer]);
    }
    for number in ["128", "128", "128", "128", "1", "128", "1", "128", "1"] {
        arguments.extend(["--arg", number]);
    }
    arguments.push("--json");
    let ran = tutor(&arguments);
    let shown: Value = serde_json::from_str(&ran.stdout).expect("is JSON");
    let expected = [3.814, 3.821, 3.829, 3.837, 3.845, 3.853, 3.860, 3.868];
    for (at, expected) in expected.into_iter().enumerate() {
        let value = shown["buffers"][2]["head"][at]
            .as_f64()
            .expect("is a number");
        assert!((value - expected).abs() < 1e-3, "{at}: {value}");
    }
}

#[test]
fn blocks_of_tensors_end_where_the_tensor_does() {
    // Three blocks of 16 of a tensor with 40 elements: what is behind is 0, and not stored.
    let code = "@triton.jit
def k(x_ptr, out_ptr, n):
    x = tl.make_tensor_descriptor(x_ptr, [n], [1], [16])
    out = tl.make_block_ptr(out_ptr, (n,), (1,), (0,), (16,), (0,))
    total = 0.0
    for i in range(3):
        part = x.load([i * 16])
        total += tl.sum(part, 0)
        tl.store(out, part + 1, boundary_check=(0,))
        out = tl.advance(out, (16,))
    tl.store(out_ptr + 63, total)
";
    let options = [
        "--grid",
        "1",
        "--arg",
        "f32[64]:arange",
        "--arg",
        "f32[64]:zero",
    ];
    let given = [&options[..], &["--arg", "40", "--check"]].concat();
    let shown = head(code, &given, 1);
    assert_eq!(shown[..4], [1.0, 2.0, 3.0, 4.0]);
    let behind = code.replace("out_ptr + 63", "out_ptr");
    assert_eq!(head(&behind, &given, 1)[0], 780.0);
}

/// A product of two matrices whose elements are small integers, which no precision rounds.
#[test]
fn products_of_64_rows_on_8_warps_are_those_of_their_rows_and_columns() {
    let code = "@triton.jit
def k(a_ptr, b_ptr, out_ptr, FROM: tl.constexpr):
    row = tl.arange(0, 64)[:, None]
    column = tl.arange(0, 64)[None, :]
    a_at = row * 32 + tl.arange(0, 32)[None, :]
    b_at = tl.arange(0, 32)[:, None] * 64 + column
    a = (tl.load(a_ptr + a_at) % 7).to(tl.float32)
    b = (tl.load(b_ptr + b_at) % 5).to(tl.float32)
    c = tl.dot(a, b, input_precision='tf32')
    at = row * 64 + column
    tl.store(out_ptr + at - FROM, c, mask=(at >= FROM) & (at < FROM + 8))
";
    let product = |row: usize, column: usize| {
        let sum = (0..32).map(|k| (row * 32 + k) % 7 * ((k * 64 + column) % 5));
        sum.sum::<usize>() as f64
    };
    for (row, column) in [(0, 0), (0, 32), (17, 8), (31, 56), (32, 24), (63, 56)] {
        let meta = format!("FROM={}", row * 64 + column);
        let options = ["--grid", "1", "--warps", "8", "--meta", &meta];
        let buffers = ["i32[2048]:arange", "i32[2048]:arange", "f32[8]:zero"];
        let buffers = buffers.iter().flat_map(|buffer| ["--arg", buffer]);
        let given: Vec<&str> = options.into_iter().chain(buffers).collect();
        let expected: Vec<f64> = (column..column + 8).map(|at| product(row, at)).collect();
        assert_eq!(
            head(code, &given, 2),
            expected,
            "from row {row}, column {column}"
        );
    }
}

#[test]
fn scans_of_pairs_of_whole_numbers_are_right_on_several_warps() {
    let code = "@triton.jit
def then(a, b, c, d):
    return a * c, b * c + d


@triton.jit
def k(x_ptr, y_ptr, out_ptr, ROW: tl.constexpr):
    row = tl.arange(0, 64)[:, None]
    column = tl.arange(0, 8)[None, :]
    at = row * 8 + column
    pair = (tl.load(x_ptr + at), tl.load(y_ptr + at))
    a, b = tl.associative_scan(pair, 0, then)
    tl.store(out_ptr + column + row * 0, b, mask=row == ROW)
";
    // Products that look like addresses of local memory are numbers all the same.
    let expected = |row: i64, column: i64| {
        let mut sum = 0_i64;
        for at in (0..=row).map(|row| row * 8 + column) {
            sum = sum.wrapping_mul(at).wrapping_add(at);
        }
        sum as f64
    };
    for row in [3, 17, 63] {
        let meta = format!("ROW={row}");
        let options = ["--kernel", "k", "--grid", "1", "--check", "--meta", &meta];
        let buffers = ["i64[512]:arange", "i64[512]:arange", "i64[8]:zero"];
        let buffers = buffers.iter().flat_map(|buffer| ["--arg", buffer]);
        let given: Vec<&str> = options.into_iter().chain(buffers).collect();
        let expected: Vec<f64> = (0..8).map(|column| expected(row, column)).collect();
        assert_eq!(head(code, &given, 2), expected, "row {row}");
    }
}

/// Triton lets each thread store what it holds where it changes layouts, those with copies of an element too.
#[test]
fn copies_of_an_element_that_are_stored_together_are_no_race() {
    let path = "kernels/triton/column_sum.py";
    let options = ["--grid", "4", "--meta", "ROWS=16", "--meta", "BLOCK=64"];
    let given = ["f32[25600]:arange", "f32[256]:zero", "100", "256"];
    let given = given.iter().flat_map(|given| ["--arg", given]);
    let head = ["run", "kernel", path, "--check"];
    let arguments: Vec<&str> = head.into_iter().chain(options).chain(given).collect();
    let ran = tutor(&arguments);
    let is_quiet = ran.code == 0 && !ran.stderr.contains("race");
    assert!(is_quiet, "{}", ran.stderr);
}

#[test]
fn a_launch_says_where_other_instructions_stand_for_those_of_warp_groups() {
    let code = "@triton.jit
def k(out_ptr, ROWS: tl.constexpr):
    a = tl.full((ROWS, 32), 1.0, tl.float32)
    b = tl.full((32, 64), 1.0, tl.float32)
    at = tl.arange(0, ROWS)[:, None] * 64 + tl.arange(0, 64)[None, :]
    tl.store(out_ptr + at, tl.dot(a, b, input_precision='tf32'))
";
    let says = |rows: &str| {
        let options = ["--json", "--grid", "1", "--arg", "f32[4096]:zero"];
        let given = [&options[..], &["--meta", rows]].concat();
        let shown = ran(code, &given).json();
        let facts = shown["facts"].as_array().expect("is a list").iter();
        let mut facts = facts.filter_map(Value::as_str);
        facts.any(|fact| fact.starts_with("tl.dot: Triton uses wgmma"))
    };
    assert_eq!(["ROWS=64", "ROWS=32"].map(says), [true, false]);
}

#[test]
fn floats_for_warp_groups_are_copied_one_by_one_where_they_have_to_be_turned() {
    // Under Nsight Compute on an H200, Triton 3.6's own code of the lesson's product made these requests and sectors.
    let kernel = root().join("kernels/triton/matmul.py");
    let kernel = kernel.display().to_string();
    let mut options = vec![
        "run", "kernel", &kernel, "--kernel", "matmul", "--engine", "sim", "--json",
    ];
    options.extend([
        "--grid",
        "64",
        "--warps",
        "4",
        "--stages",
        "3",
        "--no-caches",
    ]);
    for meta in ["M=64", "N=64", "K=32", "GROUP=4", "PRECISION=1"] {
        options.extend(["--meta", meta]);
    }
    let buffers = [
        "f32[262144]:normal:1",
        "f32[262144]:normal:2",
        "f32[262144]:zero",
    ];
    let numbers = ["512", "512", "512", "512", "1", "512", "1", "512", "1"];
    for argument in buffers.iter().chain(&numbers) {
        options.extend(["--arg", argument]);
    }
    let counts = &tutor(&options).json()["counts"];
    let of = |kind: &str, count: &str| counts[kind][count].as_u64().expect("is counted");
    let load = [of("global_load", "requests"), of("global_load", "sectors")];
    assert_eq!(load, [81_920, 1_310_720]);
    assert_eq!(of("global_store", "sectors"), 32_768);
    assert_eq!(of("shared_store", "wavefronts"), 8_192);
}

/// The first elements of `y_ptr` behind a kernel with this body, which has `N` elements `x` of another buffer.
fn rearranged(body: &str, length: usize, warps: &str) -> Vec<f64> {
    let code = format!(
        "@triton.jit\ndef k(x_ptr, y_ptr, N: tl.constexpr):\n    at = tl.arange(0, N)\n    x = tl.load(x_ptr + at)\n{body}"
    );
    let input = format!("f32[{length}]:perm:7");
    let output = format!("f32[{length}]:zero");
    let size = format!("N={length}");
    let options = [
        "--warps", warps, "--meta", &size, "--arg", &input, "--arg", &output,
    ];
    head(&code, &options, 1)
}

#[test]
fn tiles_are_turned_sorted_counted_and_joined() {
    for warps in ["1", "4", "8"] {
        let first = |body: &str| {
            let mut all = rearranged(body, 64, warps);
            all.truncate(8);
            all
        };
        let flipped = first("    tl.store(y_ptr + at, tl.flip(x, 0))\n");
        let last = (56..64).rev().map(|at| f64::from(at * 7 % 64));
        assert_eq!(flipped, last.collect::<Vec<_>>(), "{warps}");
        let sorted = first("    tl.store(y_ptr + at, tl.sort(x))\n");
        assert_eq!(sorted, [0., 1., 2., 3., 4., 5., 6., 7.], "{warps}");
        let best = first("    tl.store(y_ptr + tl.arange(0, 4), tl.topk(x, 4))\n");
        assert_eq!(best[..4], [63., 62., 61., 60.], "{warps}");
        let counted =
            first("    tl.store(y_ptr + tl.arange(0, 4), tl.histogram(x.to(tl.int32) // 32, 4))\n");
        assert_eq!(counted[..4], [32., 32., 0., 0.], "{warps}");
        let taken = first("    tl.store(y_ptr + at, tl.gather(x, 63 - at, 0))\n");
        assert_eq!(taken, flipped, "{warps}");
        // Fewer elements than threads: still each thread holds both.
        let joined = first(
            "    half = tl.load(x_ptr + tl.arange(0, N // 2))\n    both = tl.join(half, -half)\n    tl.store(y_ptr + at, tl.reshape(both, (N,)))\n",
        );
        assert_eq!(joined, [0., 0., 7., -7., 14., -14., 21., -21.], "{warps}");
    }
}

#[test]
fn a_kernel_is_found_where_public_files_have_it() {
    let code = "import math
import os

try:
    from triton.language.extra.libdevice import pow as power
except ModuleNotFoundError:
    from nowhere import power

SCALE: tl.constexpr = math.sqrt(4.0)

if os.environ.get('FAST', '0') == '1':
    power = tl.sqrt


def configurations():
    return [triton.Config({'BLOCK': size}, num_warps=warps) for size in [64, 128] for warps in [2, 4]]


class Square:
    @staticmethod
    def helper(x):
        return x

    @staticmethod
    @triton.autotune(configs=configurations(), key=['n'])
    @triton.jit
    def forward(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + at, mask=at < n)
        tl.store(y_ptr + at, SCALE * power(x, 2.0), mask=at < n)
";
    let options = [
        "--arg",
        "f32[64]:arange",
        "--arg",
        "f32[64]:zero",
        "--arg",
        "64",
    ];
    let got = head(code, &options, 1);
    assert_eq!(got[..4], [0., 2., 8., 18.]);
    let said = ran(code, &options).stderr;
    let expected = "autotune: the first configuration is taken: BLOCK=64 num_warps=2";
    assert!(said.contains(expected), "{said}");
    let both = format!("{code}\n@triton.jit\ndef other(x_ptr):\n    pass\n");
    let said = ran(&both, &options).stderr;
    for signature in [
        "Square.forward(x_ptr, y_ptr, n, BLOCK: tl.constexpr)",
        "other(x_ptr)",
    ] {
        assert!(said.contains(signature), "{said}");
    }
}

#[test]
fn helpers_of_other_files_of_the_package_are_read() {
    let folder = tempfile::tempdir().expect("can be made");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("can be written");
    };
    write("__init__.py", "");
    write(
        "more.py",
        "import triton\nimport triton.language as tl\nTWO = 2\n@triton.jit\ndef twice(x):\n    return TWO * x\n@triton.jit\ndef wrong(x):\n    return x.to(y)\n",
    );
    let kernel = |call: &str| {
        let text = format!(
            "import triton\nimport triton.language as tl\nfrom .more import twice, wrong\nfrom nowhere import lost\nTWO = 7\n@triton.jit\ndef k(x_ptr, y_ptr):\n    at = tl.arange(0, 32)\n    tl.store(y_ptr + at, {call}(tl.load(x_ptr + at)))\n"
        );
        write("k.py", &text);
        let path = folder.path().join("k.py").display().to_string();
        let arguments = ["--arg", "f32[32]:arange", "--arg", "f32[32]:zero"];
        let mut given = vec!["run", "kernel", &path, "--json"];
        given.extend(arguments);
        tutor(&given)
    };
    let head = kernel("twice").json()["buffers"][1]["head"].clone();
    assert_eq!(head[3], 6.0);
    let said = kernel("wrong").stderr;
    assert!(
        said.contains("more.py:9") && said.contains("`y` is not defined"),
        "{said}"
    );
    let said = kernel("lost").stderr;
    assert!(
        said.contains("`nowhere.lost` is not a function of Triton"),
        "{said}"
    );
    assert!(said.contains("nothing called `nowhere` does"), "{said}");
}

#[test]
fn loads_that_are_copied_ahead_give_what_loads_give() {
    // A tile that two products read, one of them transposed, and a sum; rows from the last to the first, some masked.
    let code = "@triton.jit
def k(a_ptr, s_ptr, out_ptr, columns, STAGES: tl.constexpr):
    at = tl.arange(0, 16)
    total = tl.zeros((16, 16), tl.float32)
    rows = a_ptr + at[:, None] * 64 + at[None, :]
    for k in tl.range(0, 4, num_stages=STAGES):
        a = tl.load(rows)
        total = tl.dot(a, tl.trans(a), total, input_precision=\"ieee\") + tl.sum(a, axis=0)[None, :]
        rows += 16
    lanes = tl.arange(0, 64)
    for i in tl.range(9, -1, -1, num_stages=STAGES):
        scale = tl.load(s_ptr + i)
        x = tl.load(a_ptr + i * 64 + lanes, mask=lanes < columns, other=2.0)
        total = total * 0.5 + tl.sum(x * scale, axis=0)
    tl.store(out_ptr + at[:, None] * 16 + at[None, :], total)
";
    let of = |stages: u32| {
        let meta = format!("STAGES={stages}");
        let options = ["--grid", "1", "--meta", &meta, "--arg", "f32[1024]:arange"];
        let more = ["f32[10]:arange", "f32[256]:zero", "50"].map(|given| ["--arg", given]);
        let options = [&options[..], more.as_flattened(), &["--check"]].concat();
        let said = ran(code, &[&options[..], &["--json"]].concat());
        let text = said.json()["thread_program"]["text"].to_string();
        let copies = text.matches("__pipeline_memcpy_async").count();
        (head(code, &options, 2), copies)
    };
    let (plain, none) = of(1);
    assert_eq!(none, 0);
    for stages in [2, 3, 5] {
        let (values, copies) = of(stages);
        // Of three loads, each is begun before the loop and in it: as it is, or as zeros.
        assert_eq!((values, copies), (plain.clone(), 12), "{stages} stages");
    }
}

#[test]
fn a_factor_that_is_copied_ahead_has_its_other_value_where_it_is_masked() {
    let code = "@triton.jit
def k(a_ptr, out_ptr, inner, STAGES: tl.constexpr):
    at = tl.arange(0, 16)
    total = tl.zeros((16, 16), tl.float32)
    for start in tl.range(0, inner, 16, num_stages=STAGES):
        k = start + at
        a = tl.load(a_ptr + at[:, None] * 64 + k[None, :])
        b = tl.load(a_ptr + k[:, None] * 16 + at[None, :], mask=k[:, None] < inner, other=3.0)
        total = tl.dot(a, b, total, input_precision=\"ieee\")
    tl.store(out_ptr + at[:, None] * 16 + at[None, :], total)
";
    let of = |stages: u32| {
        let meta = format!("STAGES={stages}");
        let options = ["--grid", "1", "--meta", &meta, "--arg", "f32[1024]:arange"];
        head(
            code,
            &[&options[..], &["--arg", "f32[256]:zero", "--arg", "40"]].concat(),
            1,
        )
    };
    let plain = of(1);
    // Row 0 of a is 0, 1, 2 and so on: of its products, 0 to 39 have k · 16 and the 8 masked ones have 3.
    let first: u32 =
        (0..40).map(|k| k * k * 16).sum::<u32>() + (40..48).map(|k| k * 3).sum::<u32>();
    assert_eq!(plain[0], f64::from(first));
    for stages in [2, 3] {
        assert_eq!(of(stages), plain, "{stages} stages");
    }
}

#[test]
fn variables_may_be_called_what_the_thread_program_calls_its_own() {
    let code = "@triton.jit
def f(x_ptr, k, STEP: tl.constexpr):
    i = tl.arange(0, 1024)
    max = k * 2
    for j in range(0, k, STEP):
        i += j
    tl.store(x_ptr + tl.arange(0, 1024), tl.where(i > 3, i, max))
";
    let options = ["--grid", "1", "--meta", "STEP=2"];
    let options = [&options[..], &["--arg", "i32[1024]:zero", "--arg", "5"]].concat();
    // 0 + 2 + 4 are added to each index.
    assert_eq!(head(code, &options, 0)[..4], [6.0, 7.0, 8.0, 9.0]);
}

#[test]
fn of_definitions_for_several_versions_those_of_ours_count() {
    let code = "if hasattr(triton.language, '_experimental_twice'):
    twice = triton.language._experimental_twice
elif hasattr(tl, 'sum'):
    twice = tl.abs
else:
    @triton.jit
    def twice(x):
        return None

if not HAS_GATHER:
    @triton.jit
    def gather(x, at, axis):
        return None
else:
    gather = tl.gather

@triton.jit
def k(y_ptr):
    at = tl.arange(0, 4)
    tl.store(y_ptr + at, gather(twice(-at), 3 - at, 0) + at.numel)
";
    assert_eq!(
        head(code, &["--arg", "i32[4]:zero"], 0),
        [7.0, 6.0, 5.0, 4.0]
    );
}

#[test]
fn what_public_collections_write_is_understood() {
    let code = "@triton.constexpr_function
def wide(dtype):
    if dtype.is_fp16() or dtype.is_bf16():
        return tl.float32
    return dtype


@triton.jit
def k(x_ptr, y_ptr, out_ptr, n, SIDE: tl.constexpr):
    if SIDE == 'left':
        if tl.program_id(0) > 0:
            return
        first = 0
    else:
        first = 8
    source = x_ptr if n > 4 else y_ptr
    at = first + tl.arange(0, 8)
    x = tl.load(source + at).to(wide(x_ptr.dtype.element_ty))
    if x.dtype.is_floating():
        x = x * 2
    one = tl.program_id(1)[None, :]
    tl.store(out_ptr + at, x + one)
";
    let options = |n| {
        let buffers = [
            "--arg",
            "f16[16]:arange",
            "--arg",
            "f16[16]:one",
            "--arg",
            "f32[16]:zero",
        ];
        [
            &["--grid", "2", "--meta", "SIDE='left'"][..],
            &buffers,
            &["--arg", n],
        ]
        .concat()
    };
    assert_eq!(head(code, &options("5"), 2)[..4], [0.0, 2.0, 4.0, 6.0]);
    assert_eq!(head(code, &options("3"), 2)[..4], [2.0, 2.0, 2.0, 2.0]);
}

#[test]
fn a_load_is_made_once_until_memory_changes() {
    let code = "@triton.jit
def k(x_ptr, out_ptr):
    at = tl.arange(0, 32)
    tl.store(out_ptr + at, tl.load(x_ptr + at) + tl.load(x_ptr + at))
    tl.store(out_ptr + 32 + at, tl.load(x_ptr + at))
";
    let options = [
        "--grid",
        "1",
        "--warps",
        "1",
        "--arg",
        "f32[32]:arange",
        "--arg",
        "f32[64]:zero",
        "--json",
    ];
    let shown = ran(code, &options).json();
    assert_eq!(shown["counts"]["global_load"]["requests"], 2);
    assert_eq!(shown["counts"]["global_store"]["requests"], 2);
}

#[test]
fn a_named_step_of_pythons_range_is_not_read_as_in_triton() {
    let code = "@triton.jit
def k(out_ptr, n):
    sum = 0
    for i in range(0, n, step=4):
        sum += 1
    tl.store(out_ptr, sum)
";
    let options = ["--grid", "1", "--arg", "i32[1]:zero", "--arg", "10"];
    assert_eq!(head(code, &options, 0), [10.0]);
    let said = ran(code, &options).stderr;
    assert!(said.contains("does not read `step=`"), "{said}");
    let code = code.replace("in range(", "in tl.range(");
    assert_eq!(head(&code, &options, 0), [3.0]);
}
