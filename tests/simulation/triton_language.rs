//! What kernels in Triton may say, and what it comes to.

use crate::program::Run;
use crate::triton::{head, ran};

/// One program over 32 floats, which writes as many.
const ONE: [&str; 6] = [
    "--grid",
    "1",
    "--arg",
    "f32[32]:arange",
    "--arg",
    "f32[32]:zero",
];

#[test]
fn ptx_of_one_result_runs_element_by_element() {
    let code = "@triton.jit
def k(x_ptr, y_ptr):
    at = tl.arange(0, 32)
    x = tl.load(x_ptr + at)
    y = tl.inline_asm_elementwise(\"fma.rn.f32 $0, $1, $2, $1;\", \"=f,f,f\", [x, 3.0], dtype=tl.float32, is_pure=True, pack=1)
    z = tl.inline_asm_elementwise(asm=\"mov.b32 $0, $1;\", constraints=\"=r,r\", args=[y], dtype=tl.float32, is_pure=True, pack=1)
    tl.store(y_ptr + at, z)
";
    assert_eq!(head(code, &ONE, 1)[..3], [0.0, 4.0, 8.0]);
    let refused = ran(&code.replace("pack=1", "pack=2"), &ONE);
    assert!(
        refused.stderr.contains("inline_asm_elementwise"),
        "{}",
        refused.stderr
    );
}

#[test]
fn types_say_what_they_are() {
    let code = "@triton.jit
def limit(dtype: tl.constexpr):
    known = dtype.value
    if known.is_floating():
        most: tl.constexpr = float(\"inf\")
        return most
    if known.is_int_signed():
        width: tl.constexpr = known.int_bitwidth
        most: tl.constexpr = 2 ** (width - 1) - 1
        return most


@triton.jit
def k(x_ptr, y_ptr):
    at = tl.arange(0, 32)
    block = tl.make_block_ptr(x_ptr, (32,), (1,), (0,), (32,), (0,))
    x = tl.load(block).to(block.type.element_ty)
    bits = x.to(tl.core.get_int_dtype(bitwidth=x.dtype.primitive_bitwidth, signed=True), bitcast=True)
    is_one = bits.dtype.is_int32() and not bits.dtype.is_int_unsigned()
    y = tl.where(at < 1, limit(tl.int8), bits.to(tl.float32, bitcast=True)) if is_one else x
    tl.store(y_ptr + at, y)
";
    let mut options = ONE.to_vec();
    options.extend(["--kernel", "k"]);
    assert_eq!(head(code, &options, 1)[..3], [127.0, 1.0, 2.0]);
}

#[test]
fn a_library_that_the_host_looks_up_is_that_of_the_gpu() {
    let code = "from somewhere import backend
tl_extra_shim = backend.get_tl_extra_backend_module()
power = tl_extra_shim.pow


@triton.jit
def k(x_ptr, y_ptr):
    at = tl.arange(0, 32)
    x = tl.load(x_ptr + at) - 0.6
    y = tl.extra.cuda.libdevice.llrint(power(x, 3.0))
    tl.store(y_ptr + at, y.to(tl.float32))
";
    // The cubes of -0.6, 0.4, 1.4 and 2.4.
    assert_eq!(head(code, &ONE, 1)[..4], [0.0, 0.0, 3.0, 14.0]);
}

#[test]
fn a_branch_that_returns_leaves_its_names_behind() {
    // Where it returns `count` is an int32 that is known, and behind it an int64.
    let code = "@triton.jit
def k(x_ptr, y_ptr, COUNT: tl.constexpr):
    first = tl.program_id(0).to(tl.int64) * 8
    if first >= 16:
        return
    COUNT = min(COUNT, 12 - first)
    at = tl.arange(0, 8)
    tl.store(y_ptr + first + at, tl.load(x_ptr + first + at), mask=at < COUNT)
";
    let mut options = ONE.to_vec();
    options[1] = "4";
    options.extend(["--meta", "COUNT=6"]);
    let shown = head(code, &options, 1);
    assert_eq!(shown[4..8], [4.0, 5.0, 0.0, 0.0], "{shown:?}");
}

#[test]
fn constants_may_be_tuples_and_a_number_has_sides() {
    let code = "@triton.jit
def k(x_ptr, y_ptr, SHAPE: tl.constexpr):
    at = tl.arange(0, SHAPE[1][0])
    scale = tl.program_id(0) + SHAPE[-1]
    tl.store(y_ptr + at, tl.load(x_ptr + at) * tl.sum(scale[:, None], axis=0))
";
    let mut options = ONE.to_vec();
    options.extend(["--meta", "SHAPE=(2, (32, 1), 3,)"]);
    assert_eq!(head(code, &options, 1)[..3], [0.0, 3.0, 6.0]);
}

fn refuses(run: &Run, message: &str) {
    assert!(run.stderr.contains(message), "{}", run.stderr);
}

/// One program with two buffers.
fn two(from: &'static str, to: &'static str) -> [&'static str; 6] {
    ["--grid", "1", "--arg", from, "--arg", to]
}

#[test]
fn floats_of_eight_bits_round_to_the_nearest_even() {
    let code = "@triton.jit
def k(x_ptr, y_ptr):
    at = tl.arange(0, 32)
    x = tl.load(x_ptr + at) + 8
    tl.store(y_ptr + at, x.to(tl.float8e4nv).to(tl.float32))
";
    // Three bits of fraction: from 16 on every other number, and of two as near the one with an even fraction.
    let shown = head(code, &ONE, 1);
    assert_eq!(shown[..8], [8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0]);
    let code = code.replace("+ 8", "+ 16");
    let shown = head(&code, &ONE, 1);
    assert_eq!(shown[..8], [16.0, 16.0, 18.0, 20.0, 20.0, 20.0, 22.0, 24.0]);
    // Two bits: from 16 on every fourth.
    let code = code.replace("float8e4nv", "float8e5");
    let shown = head(&code, &ONE, 1);
    assert_eq!(shown[..8], [16.0, 16.0, 16.0, 20.0, 20.0, 20.0, 24.0, 24.0]);
    // What is too large becomes the greatest number.
    let code = code.replace("+ 16", "* 1e5");
    assert_eq!(head(&code, &ONE, 1)[..3], [0.0, 57344.0, 57344.0]);
}

#[test]
fn buffers_may_hold_floats_of_eight_bits() {
    let code = "@triton.jit
def k(x_ptr, y_ptr):
    at = tl.arange(0, 32)
    tl.static_assert(x_ptr.dtype.element_ty.is_fp8())
    x = tl.load(x_ptr + at, mask=at > 1, other=1.5)
    tl.store(y_ptr + at, tl.where(at == 3, x, x).to(tl.float16) * 2)
";
    let options = two("f8e5m2[32]:arange", "f8e4m3[32]:zero");
    assert_eq!(head(code, &options, 1)[..5], [3.0, 3.0, 4.0, 6.0, 8.0]);
    let refused = ran(&code.replace(".to(tl.float16) * 2", " * x"), &options);
    refuses(&refused, "the GPU does not compute with a float8e5[32]");
}

#[test]
fn products_of_floats_of_eight_bits_and_sums_of_halves_are_exact_where_numbers_are_small() {
    let code = "@triton.jit
def k(x_ptr, y_ptr):
    row = tl.arange(0, 64)[:, None]
    column = tl.arange(0, 64)[None, :]
    x = tl.load(x_ptr + row * 64 + column)
    tl.store(y_ptr + row * 64 + column, tl.dot(x, x, out_dtype=tl.float16))
";
    let element = |row: usize, column: usize| ((row * 64 + column) % 3) as f64;
    let sum = |column: usize| (0..64).map(|k| element(0, k) * element(k, column)).sum();
    let expected: Vec<f64> = (0..8).map(sum).collect();
    for from in [
        "f16[4096]:mod:3",
        "f8e4m3[4096]:mod:3",
        "f8e5m2[4096]:mod:3",
    ] {
        let options = two(from, "f32[4096]:zero");
        assert_eq!(head(code, &options, 1)[..8], expected, "{from}");
    }
    let wrong = code.replace("tl.float16)", "tl.bfloat16)");
    let refused = ran(&wrong, &two("f16[4096]:zero", "f32[4096]:zero"));
    refuses(&refused, "products are not summed in bfloat16");
}

#[test]
fn pointers_become_numbers_and_numbers_pointers() {
    let code = "@triton.jit
def k(x_ptr, y_ptr):
    at = tl.arange(0, 8)
    number = x_ptr.to(tl.int64) + 8
    x = tl.load(number.to(tl.pointer_type(tl.float32)) + at)
    bits = tl.load(x_ptr.to(tl.pointer_type(tl.int32)) + at)
    tl.store(y_ptr + at, x + (bits == 0x3f800000).to(tl.float32) * 100)
";
    // Eight bytes on are two elements; 0x3f800000 is 1.0.
    assert_eq!(head(code, &ONE, 1)[..4], [2.0, 103.0, 4.0, 5.0]);
    let refused = ran(&code.replace("tl.int64", "tl.int32"), &ONE);
    refuses(&refused, "a pointer has 64 bits");
}

#[test]
fn kernels_may_be_made_by_functions_of_the_host() {
    let code = "def build(available):
    if not available:
        return None
    import triton as tr

    FACTOR: tl.constexpr = 3

    @tr.jit
    def k(x_ptr, y_ptr):
        at = tl.arange(0, 32)
        tl.store(y_ptr + at, tl.load(x_ptr + at) * FACTOR)

    return k
";
    assert_eq!(head(code, &ONE, 1)[..3], [0.0, 3.0, 6.0]);
}

#[test]
fn what_has_less_than_two_dimensions_is_not_transposed() {
    let code = "@triton.jit
def k(x_ptr, y_ptr):
    at = tl.arange(0, 8)
    tl.store(y_ptr + at, tl.load(x_ptr + at) + tl.trans(tl.exp(0.0)))
";
    refuses(
        &ran(code, &ONE),
        "a tensor of 0 dimensions has no two to swap",
    );
}

#[test]
fn a_product_is_added_to_what_out_dtype_says() {
    let code = "@triton.jit
def k(x_ptr, y_ptr):
    at = tl.arange(0, 32)
    a = tl.load(x_ptr + at[:, None] * 0 + at[None, :]).to(tl.int8)
    acc = tl.zeros((32, 32), dtype=tl.int32)
    acc = tl.dot(a, a, acc)
    tl.store(y_ptr + at, tl.sum(acc, axis=0).to(tl.float32))
";
    refuses(
        &ran(code, &ONE),
        "`acc` is int32[32, 32], and must be float32[32, 32] as `out_dtype` says: say `out_dtype=tl.int32`",
    );
    let mended = code.replace("a, acc)", "a, acc, out_dtype=tl.int32)");
    // All rows are 0 to 31: an element of column c is 496 c, and 32 rows are summed.
    assert_eq!(head(&mended, &ONE, 1)[..3], [0.0, 15872.0, 31744.0]);
}

/// The sums of the elements of each product of four matrices of 16 × 16, whose elements count modulo 5, with themselves.
fn sums_of_squares() -> Vec<f64> {
    let element = |at: u32| f64::from(at % 5);
    let of_batch = |batch: u32| {
        let at = |row: u32, column: u32| element(batch * 256 + row * 16 + column);
        let along = |k: u32| {
            let column: f64 = (0..16).map(|row| at(row, k)).sum();
            let row: f64 = (0..16).map(|other| at(k, other)).sum();
            column * row
        };
        (0..16).map(along).sum()
    };
    (0..4).map(of_batch).collect()
}

#[test]
fn a_batch_of_matrices_is_multiplied_matrix_by_matrix() {
    let code = "@triton.jit
def k(x_ptr, y_ptr):
    at = tl.arange(0, 1024)
    x = tl.reshape(tl.load(x_ptr + at), (4, 16, 16))
    total = tl.zeros((4, 16, 16), tl.float32)
    for _ in range(3):
        total += PRODUCT
    tl.store(y_ptr + tl.arange(0, 4), tl.sum(tl.sum(total, 2), 1))
";
    let three: Vec<f64> = sums_of_squares().iter().map(|sum| 3.0 * sum).collect();
    for (element, product) in [
        ("f16", "tl.dot(x, x)"),
        ("f32", "tl.dot(x, x, input_precision=\"ieee\")"),
    ] {
        let options = two(
            if element == "f16" {
                "f16[1024]:mod:5"
            } else {
                "f32[1024]:mod:5"
            },
            "f32[4]:zero",
        );
        let code = code.replace("PRODUCT", product);
        assert_eq!(head(&code, &options, 1), three, "{element}");
        // Warps that hold the same store it side by side, beside halves of words.
        let checked = ran(&code, &[&options[..], &["--check"]].concat());
        assert!(!checked.stderr.contains("race"), "{}", checked.stderr);
    }
    let options = two("f16[1024]:mod:5", "f32[4]:zero");
    let uneven = code.replace("PRODUCT", "tl.dot(x, tl.reshape(x, (16, 16, 4)))");
    refuses(&ran(&uneven, &options), "cannot be multiplied");
}

#[test]
fn a_mapped_function_chooses_element_by_element() {
    let code = "@triton.jit
def parts(x, least):
    if x < least:
        return least, -1.0
    elif x > 5.0:
        y = x * 10
    else:
        y = x
    return y, 1.0


@triton.jit
def k(x_ptr, y_ptr):
    at = tl.arange(0, 32)
    y, sign = tl.map_elementwise(parts, tl.load(x_ptr + at), 3.0)
    tl.store(y_ptr + at, y * sign)
";
    let options = [&ONE[..], &["--kernel", "k"]].concat();
    let shown = head(code, &options, 1);
    assert_eq!(shown[..8], [-3.0, -3.0, -3.0, 3.0, 4.0, 5.0, 60.0, 70.0]);
}

#[test]
fn tuples_are_sliced_and_lists_are_made_of_them() {
    let code = "@triton.jit
def k(x_ptr, y_ptr):
    at = tl.arange(0, 32)
    x = tl.load(x_ptr + at)
    several = (x, 2.0, 3.0, at)
    doubled = [part * 2 for part in several[1:-1]]
    cube = tl.expand_dims(x, (0, 2))
    most = tl.max(cube, 1).item()
    tl.store(y_ptr + at, doubled[0] * x + doubled[1] + most)
";
    assert_eq!(head(code, &ONE, 1)[..3], [37.0, 41.0, 45.0]);
}

#[test]
fn what_triton_refuses_is_refused_here() {
    let code = "@triton.jit
def k(x_ptr, y_ptr):
    at = tl.arange(0, 32)
    x = tl.load(x_ptr + at)
    square = tl.reshape(tl.load(x_ptr + at % 32), (8, 4))
    LINE
    tl.store(y_ptr + at, x)
";
    for (line, message) in [
        ("x = tl.flip(x)", "which dimension"),
        ("x = tl.sort(x, dim=-1)", "its last dimension"),
        ("tl.cat(x, x)", "wants to be told that it may"),
        (
            "x = tl.where(0 < at < 5, x, 0.0)",
            "one comparison at a time",
        ),
        ("x = x if at > 3 else 0.0", "a single truth value"),
        ("x = x // 2.0", "`//` divides integers"),
        ("x = abs(x)", "Python's `abs`"),
        ("import math", "imports nothing"),
        ("most, place = tl.max(x, return_indices=True)", "one axis"),
        (
            "x = tl.load(x_ptr + at, mask=at)",
            "a mask is of truth values",
        ),
        (
            "x = tl.load(x_ptr + at, cache_modifier=\".xx\")",
            ".ca .cg .cv",
        ),
        ("tl.atomic_add(y_ptr + at, x, sem=\"none\")", "acq_rel"),
        ("tl.dot(square, tl.trans(square))", "at least 16 elements"),
        ("tl.histogram(at.to(tl.int64), 32)", "32 bits"),
        (
            "tl.make_tensor_descriptor(x_ptr, [8, 4], [4, 1], [8, 2])",
            "at least 16 bytes",
        ),
        (
            "tl.make_tensor_descriptor(x_ptr, [8, 4], [1, 4], [8, 4])",
            "the number 1",
        ),
        (
            "tl.dot_scaled(x, x, \"e4m3\", x, x, \"e4m3\")",
            "multiply the scales in",
        ),
        (
            "for i in range(3):\n        if tl.program_id(0) == i:\n            return",
            "inside a loop",
        ),
        (
            "for i in range(3):\n        x += 1\n    else:\n        x += 2",
            "has no `else`",
        ),
    ] {
        refuses(&ran(&code.replace("LINE", line), &ONE), message);
    }
}

#[test]
fn plain_constants_of_the_file_and_functions_that_are_gone_are_warned_of() {
    let code = "SCALE = 2.0
SHIFT = tl.constexpr(1.0)


@triton.jit
def k(x_ptr, y_ptr):
    at = tl.arange(0, 32)
    x = tl.math.tanh(tl.load(x_ptr + at) * 0.0)
    tl.store(y_ptr + at, x * SCALE + SHIFT)
";
    assert_eq!(head(code, &ONE, 1)[..2], [1.0, 1.0]);
    let said = ran(code, &ONE);
    for part in ["`SCALE`", "tl.constexpr(2.0)", "no `tl.math.tanh`"] {
        assert!(
            said.stderr.contains(part) || said.stdout.contains(part),
            "{}",
            said.stderr
        );
    }
    assert!(!said.stderr.contains("`SHIFT`"), "{}", said.stderr);
}

#[test]
fn a_descriptor_adds_to_its_tensor() {
    let code = "@triton.jit
def k(x_ptr, y_ptr):
    x = tl.make_tensor_descriptor(x_ptr, [4, 8], [8, 1], [4, 8]).load([0, 0])
    y = tl.make_tensor_descriptor(y_ptr, [4, 8], [8, 1], [4, 8])
    y.atomic_add([0, 0], x)
    y.atomic_add([0, 4], x)
";
    let shown = head(code, &ONE, 1);
    assert_eq!(shown[..6], [0.0, 1.0, 2.0, 3.0, 4.0, 6.0]);
}
