//! What a real GPU gave inside the sample's kernels, for tests of session and views.

use crate::launch::{
    Captured, Comparison, CompileReport, Evidence, Outcome, Trace, TracedSite, compare,
};

const PTX: &str = "\
.visible .entry twice(
\t.param .u64 twice_param_0
)
{
\t.reg .f32 \t%f<3>;
\t.loc\t1 2 0
\tld.param.u64 \t%rd1, [twice_param_0];
\t.loc\t1 3 5
\tmov.u32 \t%r2, %ctaid.x;
\tmad.lo.s32 \t%r1, %r2, %r3, %r4;
\t.loc\t1 4 5
\tsetp.ge.s32 \t%p1, %r1, %r5;
\t@%p1 bra \t$L__BB0_2;

\t.loc\t1 5 9
\tld.global.f32 \t%f1, [%rd5];
\tadd.f32 \t%f2, %f1, %f1;
\tst.global.f32 \t[%rd7], %f2;

$L__BB0_2:
\t.loc\t1 7 1
\tret;

}
";

/// Captures the first launch of a measured outcome: the real GPU has another `i` in one lane, does not
/// execute its statement in another, and rounds `scaled` differently in two of the eight lanes that set
/// it.
pub fn sample_values(outcome: &Outcome) -> Vec<Result<Option<Comparison>, String>> {
    let trace = outcome.launches[0].trace.as_ref().expect("is watched");
    let mut real = trace.clone();
    let set = |real: &mut Trace, step: usize, lane: usize, bits: u64| {
        real.steps[step].changes[0].1[lane] = bits;
    };
    set(&mut real, 1, 3, 7);
    real.steps[1].active &= !(1 << 9);
    for lane in [2, 5] {
        let bits = real.steps[3].changes[0].1[lane];
        set(&mut real, 3, lane, bits + lane as u64);
    }
    let site = |step: usize, variable| TracedSite {
        span: trace.steps[step].span,
        variable,
        among: variable..variable + 1,
    };
    let captured = Captured {
        trace: &real,
        sites: &[site(1, 2), site(3, 3)],
        device: "NVIDIA H200",
        evidence: Evidence::Measured,
    };
    vec![Ok(Some(compare(trace, captured, 64))), Ok(None)]
}

/// Gives the first launch what a compiler makes of a kernel like it.
pub fn compile(outcome: &mut Outcome) {
    outcome.launches[0].compiled = Some(CompileReport {
        registers: 40,
        static_shared_bytes: 1024,
        local_bytes: 0,
        constant_bytes: 0,
        max_threads: 1024,
        blocks_per_sm: 24,
        occupancy: Some(0.75),
        limited_by: vec!["registers".to_owned()],
        ptx: PTX.to_owned(),
    });
}
