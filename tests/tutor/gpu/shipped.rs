//! The kernels that come with the program as PTX are those that its lessons launch, as they are now.

use std::collections::BTreeMap;

use tutor::device::gpu_or_usual;
use tutor::engine::{SHIPPED_MARK, shipped_files, shipped_ptx};
use tutor::launch::KernelSource;
use tutor::lesson::{lesson_ids, load};
use tutor::source::SourceFile;

use crate::program::run;

/// What makes them anew.
const COMMAND: &str = "make them anew with `tutor record --ptx`, with NVRTC 12.0 named in TUTOR_NVRTC \
                       (`pip install nvidia-cuda-nvrtc-cu12==12.0.76 \
                       nvidia-cuda-runtime-cu12==12.0.107 nvidia-cuda-nvcc-cu12==12.0.76`)";

/// The sources that lessons launch, and the kernels of each.
fn launched() -> BTreeMap<String, (KernelSource, Vec<String>)> {
    let mut all = BTreeMap::new();
    for id in lesson_ids() {
        let lesson = load(&id).expect("reads");
        let sizes = lesson.sizes_with(&[]).expect("defaults are in range");
        for cell in lesson.run_cells() {
            let plan = cell
                .with_all_launches()
                .plan(&sizes, gpu_or_usual("h200"))
                .expect("formulas have values");
            for launch in plan.launches {
                let source = &plan.sources[launch.source];
                // What a Triton kernel becomes depends on its launch.
                if source.file.name().ends_with(".py") {
                    continue;
                }
                let name = source.file.name().to_owned();
                let entry = all.entry(name).or_insert((source.clone(), Vec::new()));
                entry.1.push(launch.kernel);
            }
        }
    }
    all
}

#[test]
fn every_kernel_that_lessons_launch_is_there_as_it_is_now() {
    for (name, (source, kernels)) in launched() {
        let Some(ptx) = shipped_ptx(&source) else {
            panic!("{name} has changed since its PTX was made, or has none: {COMMAND}");
        };
        for kernel in kernels {
            let found = ptx.kernels.iter().find(|(own, _)| *own == kernel);
            let Some((_, linked)) = found else {
                panic!("{name}: there is no PTX of `{kernel}`: {COMMAND}");
            };
            let entry = format!(".visible .entry {linked}(");
            assert!(ptx.text.contains(&entry), "{name}: {entry} is missing");
        }
    }
}

#[test]
fn every_file_is_for_a_source_that_lessons_launch() {
    let launched = launched();
    for file in shipped_files() {
        let path = file.path.strip_suffix(".ptx").expect("is PTX");
        let source = format!("kernels/{path}.cu");
        let first = format!("{SHIPPED_MARK}{source}");
        assert_eq!(file.text.lines().next(), Some(first.as_str()));
        assert!(
            launched.contains_key(&source),
            "no lesson launches {source}: {COMMAND}"
        );
    }
}

#[test]
fn a_driver_since_525_takes_every_file_and_no_folder_is_named() {
    let sources = launched();
    for file in shipped_files() {
        let path = &file.path;
        let source = &sources[&format!("kernels/{}", path.replace(".ptx", ".cu"))].0;
        let lines: Vec<&str> = file.text.lines().collect();
        // ISA 8.0 is that of CUDA 12.0.
        assert!(lines.contains(&".version 8.0"), "{path}: {COMMAND}");
        let has = |words: &[&str]| words.iter().any(|word| source.file.text().contains(word));
        // bfloat16, tensor cores that multiply it, and asynchronous copies are there since 8.0.
        let target = match (has(&["mbarrier."]), has(&["bfloat16", "cp.async."])) {
            (true, _) => ".target sm_90a",
            (false, true) => ".target sm_80",
            (false, false) => ".target sm_75",
        };
        assert!(lines.contains(&target), "{path}: {COMMAND}");
        let mut files = lines.iter().filter(|line| line.contains(".file"));
        assert!(files.all(|line| !line.contains("\"/")), "{path}");
        assert!(file.text.contains("\t.loc\t"), "{path} points at no lines");
    }
}

#[test]
fn only_the_very_text_has_ptx() {
    let (source, _) = launched()
        .remove("kernels/softmax/fused.cu")
        .expect("is launched");
    let mut changed = source.clone();
    changed.defines.push(("N".to_owned(), "1".to_owned()));
    assert_eq!(shipped_ptx(&changed), None);
    let text = format!("{} ", source.file.text());
    changed = KernelSource::new(SourceFile::new(source.file.name(), &text), Vec::new());
    assert_eq!(shipped_ptx(&changed), None);
    // Its name does not matter: a copy is the same kernel.
    changed.file = SourceFile::new("copy.cu", source.file.text());
    assert!(shipped_ptx(&changed).is_some());
}

#[test]
fn a_compiler_that_is_missing_is_told() {
    let run = run(
        &["record", "--ptx", "--out", "/nonexistent"],
        &[("TUTOR_NVRTC", "/nowhere/libnvrtc.so".as_ref())],
    );
    assert_eq!(run.code, 1);
    assert!(
        run.stderr.contains("/nowhere/libnvrtc.so"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("TUTOR_NVRTC"), "{}", run.stderr);
}
