//! Triton kernels, with all counts, on one core: elements a second, and their time beside that of the kernel in CUDA that
//! computes the same. `cargo bench --bench simulator -- --triton` prints this table alone, `-- --triton WORD…` the rows with a
//! word in their names.

use std::time::{Duration, Instant};

use tutor::compile::compile;
use tutor::launch::{BufferValues, ElementType, Number};
use tutor::simt::GlobalMemory;
use tutor::source::SourceFile;
use tutor::triton::{ArgumentFact, Launched, Options, thread_program};

use super::clock::cpu_time;
use super::workload::{Step, contents, kernel};

/// Most times as long as its twin that a kernel may take.
const TARGET: f64 = 1.5;
/// Most time that one row's measurements may take.
const BUDGET: Duration = Duration::from_secs(6);

/// What is passed: a buffer of so many elements, or a number.
#[derive(Clone, Copy)]
enum Given {
    Buffer(usize),
    Number(i64),
}

use Given::{Buffer, Number as N};

/// One kernel in Triton, and its twin.
struct Row {
    name: &'static str,
    /// Elements, or products of a matrix product.
    elements: usize,
    python: Side,
    cuda: Side,
}

/// A kernel and how it is launched: threads per block, or warps.
struct Side {
    text: &'static str,
    kernel: &'static str,
    meta: &'static [(&'static str, &'static str)],
    grid: [u32; 3],
    block: [u32; 3],
    given: Vec<Given>,
}

impl Side {
    fn memory(&self) -> GlobalMemory {
        let buffers = self.given.iter().enumerate().filter_map(|(at, given)| {
            let Buffer(length) = *given else {
                return None;
            };
            let values = contents(length);
            Some(BufferValues {
                name: format!("buffer {at}"),
                element: ElementType::F32,
                bytes: values
                    .iter()
                    .flat_map(|value| value.to_le_bytes())
                    .collect(),
            })
        });
        GlobalMemory::new(buffers.collect())
    }

    /// The bits of each argument; buffers are counted from the first.
    fn bits(&self) -> Vec<u64> {
        let mut buffers = 0;
        let bits = self.given.iter().map(|given| match *given {
            Buffer(_) => {
                buffers += 1;
                GlobalMemory::address(buffers - 1)
            }
            N(number) => number as u64,
        });
        bits.collect()
    }

    fn step(&self) -> Step {
        match self.meta {
            [] => Step {
                kernel: kernel(self.text, self.kernel),
                grid: self.grid,
                block: self.block,
                arguments: self.bits(),
                shared_bytes: 0,
            },
            _ => self.tiles(),
        }
    }

    fn tiles(&self) -> Step {
        let facts = self.given.iter().map(|given| match *given {
            Buffer(_) => ArgumentFact::Buffer(ElementType::F32),
            N(number) => ArgumentFact::Number(Number::Integer(number.into())),
        });
        let meta = self.meta.iter();
        let options = Options {
            kernel: self.kernel.to_owned(),
            warps: self.block[0] / 32,
            stages: 3,
            launched: Launched {
                meta: meta
                    .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                    .collect(),
                arguments: facts.collect(),
                ..Launched::default()
            },
        };
        let file = SourceFile::new("bench.py", self.text);
        let program = thread_program(&file, &options).expect("is a kernel");
        let compiled = compile(&program.file, &[]);
        let bits = self.bits();
        let given = program.arguments.iter().map(|&argument| bits[argument]);
        Step {
            kernel: compiled.kernel(&program.kernel).expect("compiles").clone(),
            grid: self.grid,
            block: self.block,
            arguments: given.collect(),
            shared_bytes: program.shared_bytes,
        }
    }
}

/// A kernel file of the lessons.
macro_rules! text {
    ($path:literal) => {
        include_str!(concat!("../../kernels/", $path))
    };
}

fn rows() -> Vec<Row> {
    let mut rows = vec![
        vector_add("vector add 2^23", 1 << 23),
        vector_add("vector add 2^23 - 1", (1 << 23) - 1),
        softmax("softmax 4096 x 1024", 1024),
        softmax("softmax 4096 x 1000", 1000),
    ];
    rows.extend([row_sum(), gelu(), rope(), matmul("0"), matmul("1")]);
    rows
}

fn vector_add(name: &'static str, n: usize) -> Row {
    let given = vec![Buffer(n), Buffer(n), Buffer(n), N(n as i64)];
    Row {
        name,
        elements: n,
        python: Side {
            text: text!("triton/vector_add.py"),
            kernel: "add",
            meta: &[("BLOCK", "1024")],
            grid: [n.div_ceil(1024) as u32, 1, 1],
            block: [128, 1, 1],
            given: given.clone(),
        },
        cuda: Side {
            text: text!("vector-add/one.cu"),
            kernel: "add_one",
            meta: &[],
            grid: [n.div_ceil(256) as u32, 1, 1],
            block: [256, 1, 1],
            given,
        },
    }
}

fn softmax(name: &'static str, columns: usize) -> Row {
    let (n, length) = (4096 * columns, N(columns as i64));
    Row {
        name,
        elements: n,
        python: Side {
            text: text!("triton/softmax.py"),
            kernel: "softmax",
            meta: &[("BLOCK", "1024")],
            grid: [4096, 1, 1],
            block: [128, 1, 1],
            given: vec![Buffer(n), Buffer(n), length, length, length],
        },
        cuda: Side {
            text: text!("softmax/warps.cu"),
            kernel: "softmax_warps",
            meta: &[],
            grid: [4096, 1, 1],
            block: [256, 1, 1],
            given: vec![Buffer(n), Buffer(n), length],
        },
    }
}

fn row_sum() -> Row {
    let given = vec![Buffer(4096 * 1024), Buffer(4096), N(4096), N(1024)];
    Row {
        name: "row sums 4096 x 1024",
        elements: 4096 * 1024,
        python: Side {
            text: text!("triton/row_sum.py"),
            kernel: "row_sums",
            meta: &[("ROWS", "4"), ("BLOCK", "256")],
            grid: [1024, 1, 1],
            block: [128, 1, 1],
            given: given.clone(),
        },
        cuda: Side {
            text: text!("row-sum/shuffle.cu"),
            kernel: "row_sum_shuffle",
            meta: &[],
            grid: [512, 1, 1],
            block: [256, 1, 1],
            given,
        },
    }
}

fn gelu() -> Row {
    let n = 1 << 22;
    let given = vec![Buffer(n), Buffer(n), N(n as i64)];
    Row {
        name: "GeLU 2^22",
        elements: n,
        python: Side {
            text: text!("triton/gelu.py"),
            kernel: "gelu",
            meta: &[("BLOCK", "1024")],
            grid: [(n / 1024) as u32, 1, 1],
            block: [128, 1, 1],
            given: given.clone(),
        },
        cuda: Side {
            text: text!("gelu/with_exp.cu"),
            kernel: "gelu_exp",
            meta: &[],
            grid: [(n / 256) as u32, 1, 1],
            block: [256, 1, 1],
            given,
        },
    }
}

fn rope() -> Row {
    let (n, angles) = (2048 * 16 * 128, 2048 * 64);
    let given = vec![Buffer(n), Buffer(angles), Buffer(angles), Buffer(n), N(16)];
    Row {
        name: "RoPE 2048 x 16 x 128",
        elements: n,
        python: Side {
            text: text!("triton/rope.py"),
            kernel: "rope",
            meta: &[("HALF", "64"), ("GROUP", "4"), ("BACKWARD", "False")],
            grid: [2048, 4, 1],
            block: [64, 1, 1],
            given: given.clone(),
        },
        cuda: Side {
            text: text!("rope/grouped.cu"),
            kernel: "rope_grouped",
            meta: &[],
            grid: [2048, 4, 1],
            block: [64, 1, 1],
            given: [&given[..], &[N(4), N(128)]].concat(),
        },
    }
}

/// Both by fused multiply-adds, or Triton's on tensor cores.
fn matmul(precision: &'static str) -> Row {
    const N: usize = 512;
    let matrices = [Buffer(N * N); 3];
    let (side, one) = (Given::Number(N as i64), Given::Number(1));
    let (name, meta): (_, &'static [_]) = match precision {
        "0" => (
            "matmul 512, ieee",
            &[
                ("M", "64"),
                ("N", "64"),
                ("K", "32"),
                ("GROUP", "8"),
                ("PRECISION", "0"),
            ],
        ),
        _ => (
            "matmul 512, tf32",
            &[
                ("M", "64"),
                ("N", "64"),
                ("K", "32"),
                ("GROUP", "8"),
                ("PRECISION", "1"),
            ],
        ),
    };
    Row {
        name,
        elements: N * N * N,
        python: Side {
            text: text!("triton/matmul.py"),
            kernel: "matmul",
            meta,
            grid: [64, 1, 1],
            block: [128, 1, 1],
            given: [
                &matrices[..],
                &[side, side, side, side, one, side, one, side, one],
            ]
            .concat(),
        },
        cuda: Side {
            text: text!("matmul/registers.cu"),
            kernel: "matmul_registers",
            meta: &[],
            grid: [8, 8, 1],
            block: [16, 16, 1],
            given: [&matrices[..], &[side; 3]].concat(),
        },
    }
}

/// Prints the table.
pub fn triton_table() {
    println!(
        "{:24} {:>11} {:>11} {:>11} {:>7} {:>7}",
        "Triton kernel", "Triton ms", "M per s", "CUDA ms", "ratio", "target"
    );
    let arguments = std::env::args().skip_while(|argument| argument != "--triton");
    let words: Vec<String> = arguments.skip(1).collect();
    let is_wanted =
        |row: &Row| words.is_empty() || words.iter().any(|word| row.name.contains(word));
    for row in rows().into_iter().filter(is_wanted) {
        let [python, cuda] = times(&row);
        println!(
            "{:24} {:11.1} {:11.1} {:11.1} {:6.2}x {TARGET:6.1}x",
            row.name,
            python * 1e3,
            row.elements as f64 / python / 1e6,
            cuda * 1e3,
            python / cuda,
        );
    }
}

/// The least times of both, taken in turn.
fn times(row: &Row) -> [f64; 2] {
    let sides = [&row.python, &row.cuda].map(|side| (side.step(), side.memory()));
    let mut least = [f64::INFINITY; 2];
    let (begin, mut rounds) = (Instant::now(), 0);
    while rounds < 3 || (rounds < 15 && begin.elapsed() < BUDGET) {
        for (time, (step, memory)) in least.iter_mut().zip(&sides) {
            let start = cpu_time();
            step.run(memory, 1, None);
            *time = time.min((cpu_time() - start).as_secs_f64());
        }
        rounds += 1;
    }
    least
}
