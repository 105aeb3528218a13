//! What kernels in Triton may say, and what it comes to.

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
