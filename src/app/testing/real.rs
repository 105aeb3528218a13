//! What a real GPU gives of the sample lesson, and what is recorded of one.

use super::run_cell;
use crate::launch::{
    Agreement, Baseline, BaselineOutcome, Captured, Clocks, CompileReport, Engine, Evidence,
    Outcome, Provenance, RECORDING_FORMAT, Recording, Timing, Trace, TraceComparison, TracedSite,
    Work, Yardsticks, compare,
};
use crate::lesson::{CellResult, Sizes};

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

/// A recording of the run cell on an H200, at its own sizes and at another.
pub fn sample_recording(result: &CellResult) -> Recording {
    let mut recorded = run_cell().empty_recording();
    let mut outcome = result.outcome.clone();
    measure(&mut outcome);
    for rows in [40, 4096] {
        let sizes = [("M".to_owned(), rows), ("N".to_owned(), 25)];
        recorded.add(&Sizes::from(sizes), &outcome, None);
    }
    for launch in &mut recorded.runs[1].launches {
        launch.grid = [1600, 1, 1];
    }
    Recording {
        format: RECORDING_FORMAT,
        lesson: "double".to_owned(),
        provenance: Provenance {
            gpu: "h200-sxm".to_owned(),
            device: "NVIDIA H200".to_owned(),
            driver: Some("580.95.05".to_owned()),
            cuda: "13.0".to_owned(),
            nvrtc: "13.0".to_owned(),
            clocks_mhz: Clocks::default(),
            date: "2026-11-20".to_owned(),
            tutor: "0.1.0".to_owned(),
            l2: "flushed".to_owned(),
        },
        cells: vec![recorded],
    }
}

/// A baseline that took so long, or why there are no times of it.
fn baseline(text: &str, ms: Result<f32, &str>, yardsticks: &Yardsticks) -> BaselineOutcome {
    let baseline = Baseline::parse(text).expect("is one");
    BaselineOutcome {
        name: baseline.operation.title().to_owned(),
        library: None,
        version: None,
        timing: ms.ok().and_then(|ms| baseline.timing(&[ms], yardsticks)),
        reason: ms.err().map(str::to_owned),
        max_abs_error: None,
        agreement: Vec::new(),
        baseline,
    }
}

/// Makes an outcome one of a real GPU: a millisecond a launch, one element that differs, and baselines of
/// which one is missing.
pub fn measure(outcome: &mut Outcome) {
    let yardsticks = Yardsticks {
        device: "NVIDIA H200".to_owned(),
        l2: "flushed".to_owned(),
        peak_gb_s: Some(4800.0),
        copy_gb_s: None,
    };
    let work = Work {
        distinct_bytes: 1_200_000_000,
        operations: 0,
    };
    outcome.engine = Engine::Gpu;
    for launch in &mut outcome.launches {
        launch.real.timing = Timing::measured(&[1.0; 20], work, &yardsticks);
    }
    outcome.timing = Timing::measured(&[2.0, 2.1, 2.2], work, &yardsticks);
    outcome.baselines = vec![
        baseline("softmax:64x64", Ok(1.5), &yardsticks),
        baseline("bf16:64x64x64", Err("cuBLAS was not found"), &yardsticks),
    ];
    for buffer in &outcome.buffers {
        let mut agreement = Agreement::of(buffer, buffer);
        if buffer.name == "y" {
            (agreement.equal, agreement.most_ulp) = (agreement.equal - 1, Some(2));
        }
        outcome.agreement.push(agreement);
    }
}

/// Captures the first launch of a measured outcome: the real GPU has another `i` in one lane, does not
/// execute its statement in another, and rounds `scaled` differently in two of the eight lanes that set
/// it.
pub fn sample_values(outcome: &Outcome) -> Vec<Result<Option<TraceComparison>, String>> {
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
    outcome.launches[0].real.compiled = Some(CompileReport {
        compiled_by: "NVRTC 13.0".to_owned(),
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
