//! Numbers that kernels in Triton make and know: random words, constants, and what is left of them in few bits.

use crate::triton::{head, ran};

#[test]
fn random_words_are_those_of_philox_for_counters_of_any_width() {
    let code = "@triton.jit
def k(y_ptr):
    at = tl.arange(0, 1)
    none = at.to(tl.uint32) * 0
    words = tl.philox(0x299F31D0A4093822, none + 0x243F6A88, none + 0x85A308D3, none + 0x13198A2E, 0x03707344 + none)
    for i in tl.static_range(4):
        tl.store(y_ptr + i + at, words[i].to(tl.int64))
    far = at.to(tl.int64) + (7 << 32)
    one, _, _, _ = tl.randint4x(3, far)
    other, _, _, _ = tl.philox(3, at.to(tl.uint32), none + 7, none, none)
    tl.store(y_ptr + 4 + at, (one == other).to(tl.int64))
    u1, u2, u3, u4 = tl.rand4x(3, at)
    n1, n2 = tl.pair_uniform_to_normal(u1, tl.uint_to_uniform_float(tl.randint4x(3, at)[1]))
    m1, m2, m3, m4 = tl.randn4x(3, at)
    tl.store(y_ptr + 5 + at, ((n1 == m1) & (n2 == m2) & (m1 == tl.randn(3, at))).to(tl.int64))
";
    let words = head(code, &["--arg", "i64[6]:zero"], 0);
    // J. Salmon and others, \"Parallel random numbers: as easy as 1, 2, 3\": the digits of pi in their known answers.
    let known = [0xd16c_fe09_u32, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1];
    let expected = known.map(f64::from).into_iter().chain([1.0; 2]);
    assert_eq!(words, expected.collect::<Vec<_>>());
}

#[test]
fn known_numbers_wrap_in_the_bits_of_their_types() {
    let code = "@triton.jit
def k(y_ptr):
    tl.store(y_ptr, tl.full((), 300, tl.int32).to(tl.uint8).to(tl.int32))
    tl.store(y_ptr + 1, tl.full((), 5000000000, tl.int64).to(tl.int32))
    tl.store(y_ptr + 2, (tl.full((), 2147483647, tl.int32) + 1 < 0).to(tl.int32))
    tl.store(y_ptr + 3, tl.full((), -1, tl.int32).to(tl.uint32) > 5)
";
    let numbers = head(code, &["--arg", "i32[4]:zero"], 0);
    assert_eq!(numbers, [44.0, 705_032_704.0, 1.0, 1.0]);
}

#[test]
fn constants_of_a_file_may_be_limits_of_pytorchs_types() {
    let code = "import torch
LEAST = tl.constexpr(torch.finfo(torch.float32).min)
MOST = tl.constexpr(torch.iinfo(torch.int16).max)

@triton.jit
def k(y_ptr, N: tl.constexpr = torch.finfo(torch.bfloat16).eps):
    tl.store(y_ptr, LEAST)
    tl.store(y_ptr + 1, MOST)
    tl.store(y_ptr + 2, N)
    tl.store(y_ptr + 3, torch.iinfo(torch.uint8).min + torch.finfo(torch.half).tiny)
";
    let limits = head(code, &["--arg", "f32[4]:one"], 0);
    assert_eq!(
        limits,
        [f64::from(f32::MIN), 32767.0, 0.0078125, 2_f64.powi(-14)]
    );
    let refused = code.replace("torch.float32", "tl.float32");
    let said = ran(&refused, &["--arg", "f32[4]:one"]).stderr;
    assert!(said.contains("takes a type of PyTorch"), "{said}");
}
