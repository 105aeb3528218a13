//! cuBLAS over the memory of the GPU: matrices by columns. Sums are of double precision, rounded once.

use std::array;

use rayon::prelude::*;

use super::elements::{decode, encode};
use crate::host::machine::{Call, Machine, Stop};
use crate::host::runtime::carry_out::{read, write};
use crate::host::runtime::facts::errors::SUCCESS;
use crate::host::runtime::state::Answer;
use crate::launch::{ElementType, Vectorised, vectorised};

/// `CUBLAS_STATUS_INVALID_VALUE`.
const INVALID_VALUE: u32 = 7;
/// A leading dimension is an `int`: what lies above is a negative one.
const MOST_INT: u64 = i32::MAX as u64;
/// `CUBLAS_OP_N`.
const NOT_TRANSPOSED: i32 = 0;

/// `CUBLAS_STATUS_NOT_SUPPORTED`.
const NOT_SUPPORTED: u32 = 15;
/// `CUBLAS_FILL_MODE_UPPER`, `CUBLAS_SIDE_RIGHT`.
const UPPER: i32 = 1;
const RIGHT: i32 = 1;

/// The type that a `cudaDataType_t` means.
fn type_of_data(number: i32) -> Option<ElementType> {
    Some(match number {
        0 => ElementType::F32,
        1 => ElementType::F64,
        2 => ElementType::F16,
        3 => ElementType::I8,
        10 => ElementType::I32,
        14 => ElementType::Bf16,
        _ => return None,
    })
}

/// The type of α and β for a `cublasComputeType_t`, or for the type of data that stood there before CUDA 11.
fn type_of_scalars(compute: i32) -> Option<ElementType> {
    Some(match compute {
        64 | 65 => ElementType::F16,
        68 | 69 | 74 | 75 | 77 => ElementType::F32,
        70 => ElementType::F64,
        72 => ElementType::I32,
        _ => return type_of_data(compute),
    })
}

/// Elements apart from each other.
#[derive(Clone, Copy)]
struct Strided {
    address: u64,
    count: usize,
    step: i64,
}

/// A matrix by columns.
#[derive(Clone, Copy)]
struct Matrix {
    address: u64,
    rows: usize,
    columns: usize,
    leading: u64,
}

/// A call of cuBLAS: its machine, its arguments and its numbers.
pub struct Blas<'m, 'p, 'c> {
    pub machine: &'m mut Machine<'p>,
    pub call: &'c Call<'c>,
    /// The type of the function's numbers: `S` or `D` in its name, or that of a matrix of `GemmEx`.
    pub element: ElementType,
}

impl Blas<'_, '_, '_> {
    /// The same call with numbers of another type.
    fn with(&mut self, element: ElementType) -> &mut Self {
        self.element = element;
        self
    }

    /// Says which parameter of which function is refused, as cuBLAS of CUDA 13.0 does on standard output.
    fn refuse(&mut self, function: &str, parameter: usize) -> Answer {
        let text = format!(
            " ** On entry to {function:<6} parameter number {parameter} had an illegal value\n"
        );
        self.machine.print(text.as_bytes());
        Ok(INVALID_VALUE)
    }

    /// The letter that names of functions over such numbers begin with.
    fn letter(&self) -> char {
        match self.element {
            ElementType::F64 => 'D',
            _ => 'S',
        }
    }

    fn count(&self, at: usize) -> Option<usize> {
        usize::try_from(self.call.i32(at)).ok()
    }

    /// A scalar behind a pointer, to memory of either side.
    fn scalar(&self, at: usize) -> Result<f64, Stop> {
        // Whatever `cublasSetPointerMode` says: the address tells which side the scalar is on.
        let bytes = read(
            self.machine,
            self.call.u64(at),
            self.element.size_bytes() as u64,
        )?;
        Ok(decode(self.element, &bytes).first().copied().unwrap_or(0.0))
    }

    fn put_scalar(&mut self, at: usize, value: f64) -> Answer {
        let bytes = encode(self.element, &[value]);
        write(self.machine, self.call.u64(at), &bytes)?;
        Ok(SUCCESS)
    }

    /// A vector whose address and step stand at these arguments.
    fn vector(&self, count: usize, address: usize, step: usize) -> Strided {
        Strided {
            address: self.call.u64(address),
            count,
            step: i64::from(self.call.i32(step)),
        }
    }

    /// Where the elements of a vector lie in the bytes from its lowest on, and how many elements these are.
    fn places(&self, of: Strided) -> (Vec<usize>, usize) {
        // BLAS: with a negative step the vector is gone through from its end, but begins at the same address.
        let span = of.step.unsigned_abs() as usize * of.count.saturating_sub(1);
        let place = |i: usize| {
            let offset = i * of.step.unsigned_abs() as usize;
            if of.step < 0 { span - offset } else { offset }
        };
        let all = if of.count == 0 { 0 } else { span + 1 };
        ((0..of.count).map(place).collect(), all)
    }

    fn load(&self, of: Strided) -> Result<Vec<f64>, Stop> {
        let (places, all) = self.places(of);
        let bytes = read(
            self.machine,
            of.address,
            all as u64 * self.element.size_bytes() as u64,
        )?;
        let values = decode(self.element, &bytes);
        Ok(places.into_iter().map(|at| values[at]).collect())
    }

    fn store(&mut self, of: Strided, values: &[f64]) -> Result<(), Stop> {
        let (places, all) = self.places(of);
        let bytes = read(
            self.machine,
            of.address,
            all as u64 * self.element.size_bytes() as u64,
        )?;
        // What lies between the elements of a strided vector must stay as it is.
        let mut stored = decode(self.element, &bytes);
        for (at, value) in places.into_iter().zip(values) {
            stored[at] = *value;
        }
        write(self.machine, of.address, &encode(self.element, &stored))
    }

    fn column(&self, of: Matrix, column: usize) -> Strided {
        Strided {
            // Wrapping: a wild leading dimension leads to an address without memory, which is a fault, and not to a
            // panic here.
            address: (column as u64)
                .wrapping_mul(of.leading)
                .wrapping_mul(self.element.size_bytes() as u64)
                .wrapping_add(of.address),
            count: of.rows,
            step: 1,
        }
    }

    /// The columns of a matrix, or its rows if `is_transposed`.
    fn columns(&self, of: Matrix, is_transposed: bool) -> Result<Vec<Vec<f64>>, Stop> {
        let columns = (0..of.columns).map(|at| self.load(self.column(of, at)));
        let columns: Vec<Vec<f64>> = columns.collect::<Result<_, _>>()?;
        if !is_transposed {
            return Ok(columns);
        }
        let row = |row: usize| columns.iter().map(|column| column[row]).collect();
        Ok((0..of.rows).map(row).collect())
    }

    /// C = αAB + βC, where `a` and `b` are read as they stand in the product.
    fn multiply(&mut self, product: Product) -> Answer {
        let left = self.columns(product.a.0, product.a.1)?;
        let right = self.columns(product.b.0, product.b.1)?;
        self.multiply_into(&left, &right, product)
    }

    /// The same of matrices that are loaded, each as its columns.
    fn multiply_into(&mut self, left: &[Vec<f64>], right: &[Vec<f64>], product: Product) -> Answer {
        let c = product.c;
        let rows = panels(c.rows, left.len(), |row, k| left[k][row]);
        let columns = panels(c.columns, left.len(), |column, k| right[column][k]);
        let blocks = columns.par_chunks(PANELS_AT_ONCE);
        let sums: Vec<Vec<f64>> = blocks
            .flat_map_iter(|block| sums_of(&rows, block))
            .collect();
        for (column, sums) in sums.iter().enumerate().take(c.columns) {
            let place = self.column(c, column);
            self.scale_into(place, &sums[..c.rows], product.alpha, product.beta)?;
        }
        Ok(SUCCESS)
    }

    /// y = αx + βy; what y holds does not matter where β is 0.
    fn scale_into(&mut self, y: Strided, x: &[f64], alpha: f64, beta: f64) -> Result<(), Stop> {
        // BLAS: with β = 0 the output is not read, so that NaN in fresh memory does not spread.
        let old = match beta == 0.0 {
            true => vec![0.0; y.count],
            false => self.load(y)?,
        };
        let new = x.iter().zip(&old).map(|(x, y)| alpha * x + beta * y);
        let new: Vec<f64> = new.collect();
        self.store(y, &new)
    }
}

/// Rows, and columns, of a product whose sums the processor holds in registers together.
const TILE: usize = 4;
/// Columns by tiles that stay in its cache while it goes through the rows.
const PANELS_AT_ONCE: usize = 8;

/// Four vectors side by side: what they hold at 0, at 1 and so on.
type Panel = Vec<[f64; TILE]>;

/// Vectors of so many elements, four by four; zeros stand for those that are missing.
fn panels(count: usize, length: usize, at: impl Fn(usize, usize) -> f64) -> Vec<Panel> {
    let value = |vector: usize, k: usize| if vector < count { at(vector, k) } else { 0.0 };
    let panel = |first: usize| {
        let four = |k: usize| array::from_fn(|vector| value(first + vector, k));
        (0..length).map(four).collect()
    };
    (0..count).step_by(TILE).map(panel).collect()
}

/// The products of all rows and some columns, column by column.
fn sums_of(rows: &[Panel], columns: &[Panel]) -> Vec<Vec<f64>> {
    let mut sums = vec![Vec::with_capacity(rows.len() * TILE); columns.len() * TILE];
    for row in rows {
        for (column, sums) in columns.iter().zip(sums.chunks_exact_mut(TILE)) {
            let tile = tile_of(row, column);
            let pairs = sums.iter_mut().zip(&tile);
            pairs.for_each(|(sums, column)| sums.extend_from_slice(column));
        }
    }
    sums
}

/// Apart from its caller, or the sums would not stay in registers.
#[inline(never)]
fn tile_of(rows: &Panel, columns: &Panel) -> [[f64; TILE]; TILE] {
    vectorised(TileSums { rows, columns })
}

/// The sums of a tile, column by column. Each runs over k in order, so that results are repeatable.
struct TileSums<'a> {
    rows: &'a Panel,
    columns: &'a Panel,
}

impl Vectorised for TileSums<'_> {
    type Output = [[f64; TILE]; TILE];

    #[inline(always)]
    fn run(self) -> Self::Output {
        let mut sums = [[0.0; TILE]; TILE];
        for (values, factors) in self.rows.iter().zip(self.columns) {
            let sum = |column: usize, row: usize| sums[column][row] + values[row] * factors[column];
            sums = array::from_fn(|column| array::from_fn(|row| sum(column, row)));
        }
        sums
    }
}

/// What `gemm` computes.
#[derive(Clone, Copy)]
struct Product {
    /// With whether it is transposed.
    a: (Matrix, bool),
    b: (Matrix, bool),
    c: Matrix,
    alpha: f64,
    beta: f64,
}

/// A function of cuBLAS over numbers of one precision.
pub type BlasFunction = fn(&mut Blas) -> Answer;

fn matrix(call: &Call<'_>, address: usize, rows: usize, columns: usize) -> Matrix {
    Matrix {
        address: call.u64(address),
        rows,
        columns,
        // An `int` in a word of 64 bits: the upper half means nothing.
        leading: call.u64(address + 1) as u32 as u64,
    }
}

/// The first parameter that cuBLAS does not take: a negative size, or a leading dimension below max(1, rows).
fn refused(call: &Call, sizes: &[usize], matrices: &[(usize, Matrix)]) -> Option<usize> {
    let is_short = |of: &Matrix| of.leading < (of.rows as u64).max(1) || of.leading > MOST_INT;
    let mut sizes = sizes.iter().copied();
    let size = sizes.find(|&at| call.i32(at) < 0);
    let mut matrices = matrices.iter();
    size.or_else(|| matrices.find(|(_, of)| is_short(of)).map(|(at, _)| *at))
}

/// The matrices of a product, and which of the first two are transposed.
struct Factors {
    a: Matrix,
    b: Matrix,
    c: Matrix,
    is_transposed: [bool; 2],
}

impl Blas<'_, '_, '_> {
    /// The matrices of `gemm` and its kin, or the number of the parameter that is refused: operations, m, n and k stand
    /// first, A behind them, B and C at these arguments.
    fn factors(&self, b: usize, c: usize) -> Result<Factors, usize> {
        let call = self.call;
        let [m, n, k] = [3, 4, 5].map(|at| self.count(at).unwrap_or(0));
        let is_transposed = [call.i32(1), call.i32(2)].map(|operation| operation != NOT_TRANSPOSED);
        let stored = |at, rows, columns, is_transposed| match is_transposed {
            // The operation applies to the matrix as it is stored: its sides are swapped in memory.
            true => matrix(call, at, columns, rows),
            false => matrix(call, at, rows, columns),
        };
        let factors = Factors {
            a: stored(7, m, k, is_transposed[0]),
            b: stored(b, k, n, is_transposed[1]),
            c: matrix(call, c, m, n),
            is_transposed,
        };
        // Numbered as those of `gemm`, also where strides stand between.
        let matrices = [(8, factors.a), (10, factors.b), (13, factors.c)];
        refused(call, &[3, 4, 5], &matrices).map_or(Ok(factors), Err)
    }
}

/// `gemm`: two operations, m, n, k, α, A with its leading dimension, B, β, C.
pub fn gemm(blas: &mut Blas) -> Answer {
    let Factors {
        a,
        b,
        c,
        is_transposed,
    } = match blas.factors(9, 12) {
        Ok(factors) => factors,
        Err(parameter) => return blas.refuse(&format!("{}GEMM", blas.letter()), parameter),
    };
    let product = Product {
        a: (a, is_transposed[0]),
        b: (b, is_transposed[1]),
        c,
        alpha: blas.scalar(6)?,
        beta: blas.scalar(11)?,
    };
    blas.multiply(product)
}

/// The same for several products: a stride follows each leading dimension, and the number of products all of it.
pub fn gemm_strided_batched(blas: &mut Blas) -> Answer {
    let Factors {
        a,
        b,
        c,
        is_transposed,
    } = match blas.factors(10, 14) {
        Ok(factors) => factors,
        Err(parameter) => {
            return blas.refuse(&format!("{}gemmStridedBatched", blas.letter()), parameter);
        }
    };
    let (alpha, beta) = (blas.scalar(6)?, blas.scalar(13)?);
    for at in 0..u64::from(blas.call.i32(17).max(0).unsigned_abs()) {
        let moved = |of: Matrix, stride: usize| Matrix {
            address: at
                .wrapping_mul(blas.call.u64(stride))
                .wrapping_mul(blas.element.size_bytes() as u64)
                .wrapping_add(of.address),
            ..of
        };
        blas.multiply(Product {
            a: (moved(a, 9), is_transposed[0]),
            b: (moved(b, 12), is_transposed[1]),
            c: moved(c, 16),
            alpha,
            beta,
        })?;
    }
    Ok(SUCCESS)
}

/// `GemmEx`: `gemm` with a type behind each matrix, that of the scalars, and the algorithm.
pub fn gemm_ex(blas: &mut Blas) -> Answer {
    let call = blas.call;
    let [m, n, k] = [3, 4, 5].map(|at| blas.count(at).unwrap_or(0));
    let types = [8, 11, 15].map(|at| type_of_data(call.i32(at)));
    let scalars = type_of_scalars(call.i32(17));
    let ([Some(a), Some(b), Some(c)], Some(scalars)) = (types, scalars) else {
        return Ok(NOT_SUPPORTED);
    };
    let stored = |at: usize, rows, columns, is_transposed| {
        let (rows, columns) = if is_transposed {
            (columns, rows)
        } else {
            (rows, columns)
        };
        Matrix {
            address: call.u64(at),
            rows,
            columns,
            leading: call.u64(at + 2) as u32 as u64,
        }
    };
    let is_transposed = [1, 2].map(|at| call.i32(at) != NOT_TRANSPOSED);
    let product = Product {
        a: (stored(7, m, k, is_transposed[0]), is_transposed[0]),
        b: (stored(10, k, n, is_transposed[1]), is_transposed[1]),
        c: stored(14, m, n, false),
        // With `GemmEx` the scalars have a type of their own, which follows from that of the computation.
        alpha: blas.with(scalars).scalar(6)?,
        beta: blas.with(scalars).scalar(13)?,
    };
    let matrices = [(9, product.a.0), (12, product.b.0), (16, product.c)];
    if let Some(parameter) = refused(call, &[3, 4, 5], &matrices) {
        return blas.refuse("GEMM_EX ", parameter);
    }
    let left = blas.with(a).columns(product.a.0, product.a.1)?;
    let right = blas.with(b).columns(product.b.0, product.b.1)?;
    blas.with(c).multiply_into(&left, &right, product)
}

/// Bits of `cublasLtEpilogue_t`.
const RELU: i32 = 2;
const BIAS: i32 = 4;
const GELU: i32 = 32;
const GELU_BACKWARD: i32 = 64;
const KEEPS_SUMS: i32 = 128;

/// The activation as cuBLASLt computes it, by `tanh`, and its derivative.
fn gelu(x: f64) -> [f64; 2] {
    let scale = (2.0 / std::f64::consts::PI).sqrt();
    let tanh = (scale * (x + 0.044_715 * x.powi(3))).tanh();
    let inner = scale * (1.0 + 3.0 * 0.044_715 * x * x);
    let slope = 0.5 * (1.0 + tanh) + 0.5 * x * (1.0 - tanh * tanh) * inner;
    [0.5 * x * (1.0 + tanh), slope]
}

/// What cuBLASLt does behind a product: the epilogue's bits, m, n, the sums in single precision, a bias per row and its
/// type, the sums before the activation and their leading dimension, and the result, its type and leading dimension.
pub fn epilogue(blas: &mut Blas) -> Answer {
    let call = blas.call;
    let bits = call.i32(1);
    let (Some(rows), Some(columns)) = (blas.count(2), blas.count(3)) else {
        return Ok(INVALID_VALUE);
    };
    let types = [6, 10].map(|at| type_of_data(call.i32(at)));
    let [Some(of_bias), Some(of_result)] = types else {
        return Ok(NOT_SUPPORTED);
    };
    let matrix = |address: usize, leading: u64| Matrix {
        address: call.u64(address),
        rows,
        columns,
        leading,
    };
    let bias = Strided {
        address: call.u64(5),
        count: if bits & BIAS == 0 { 0 } else { rows },
        step: 1,
    };
    let bias = blas.with(of_bias).load(bias)?;
    let (sums, kept) = (matrix(4, rows as u64), matrix(7, call.u64(8)));
    let result = matrix(9, call.u64(11));
    for column in 0..columns {
        let place = blas.with(ElementType::F32).column(sums, column);
        let mut values = blas.load(place)?;
        let biased = values.iter_mut().zip(&bias);
        biased.for_each(|(value, bias)| *value += bias);
        let kept = blas.with(of_result).column(kept, column);
        blas.activate(bits, &mut values, kept)?;
        // The element is still the result's, as it was for what is kept.
        blas.store(blas.column(result, column), &values)?;
    }
    Ok(SUCCESS)
}

impl Blas<'_, '_, '_> {
    /// The activation that an epilogue's bits mean, of a column of sums; with what is kept of them.
    fn activate(&mut self, bits: i32, values: &mut [f64], kept: Strided) -> Result<(), Stop> {
        if bits & GELU_BACKWARD != 0 {
            // At the sums that the forward pass has kept.
            let all = values.iter_mut().zip(self.load(kept)?);
            all.for_each(|(value, before)| *value *= gelu(before)[1]);
        } else if bits & KEEPS_SUMS != 0 {
            self.store(kept, values)?;
        }
        for value in values {
            *value = match bits & (RELU | GELU) {
                RELU => value.max(0.0),
                GELU => gelu(*value)[0],
                _ => *value,
            };
        }
        Ok(())
    }
}

/// C = α·op(A) + β·op(B): two operations, m, n, α, A, β, B, C.
pub fn geam(blas: &mut Blas) -> Answer {
    let call = blas.call;
    let [m, n] = [3, 4].map(|at| blas.count(at).unwrap_or(0));
    let sides = |operation| match call.i32(operation) == NOT_TRANSPOSED {
        true => (m, n),
        false => (n, m),
    };
    let stored = |operation, at| {
        let (rows, columns) = sides(operation);
        (at + 1, matrix(call, at, rows, columns))
    };
    let c = matrix(call, 11, m, n);
    let matrices = [stored(1, 6), stored(2, 9), (12, c)];
    if let Some(parameter) = refused(call, &[3, 4], &matrices) {
        return blas.refuse(&format!("{}GEAM", blas.letter()), parameter);
    }
    let (alpha, beta) = (blas.scalar(5)?, blas.scalar(8)?);
    let loaded = |blas: &Blas, operation: usize, at: usize, factor: f64| {
        let is_transposed = call.i32(operation) != NOT_TRANSPOSED;
        match factor == 0.0 {
            // A matrix whose factor is 0 is not read, and may be null.
            true => Ok(vec![vec![0.0; m]; n]),
            false => blas.columns(stored(operation, at).1, is_transposed),
        }
    };
    let (a, b) = (loaded(blas, 1, 6, alpha)?, loaded(blas, 2, 9, beta)?);
    for (at, (x, y)) in a.iter().zip(&b).enumerate() {
        let sums: Vec<f64> = x.iter().zip(y).map(|(x, y)| alpha * x + beta * y).collect();
        blas.scale_into(blas.column(c, at), &sums, 1.0, 0.0)?;
    }
    Ok(SUCCESS)
}

/// C = αAB + βC, or αBA + βC, with a symmetric A: the side, the triangle that is stored, m, n, α, A, B, β, C.
pub fn symm(blas: &mut Blas) -> Answer {
    let (Some(m), Some(n)) = (blas.count(3), blas.count(4)) else {
        return Ok(INVALID_VALUE);
    };
    let call = blas.call;
    let (is_right, is_upper) = (call.i32(1) == RIGHT, call.i32(2) == UPPER);
    let order = if is_right { n } else { m };
    let a = matrix(call, 6, order, order);
    let half = blas.columns(a, false)?;
    // The other triangle may hold anything: it is never read, but mirrored.
    let entry = |row: usize, column: usize| match (row <= column) == is_upper || row == column {
        true => half[column][row],
        false => half[row][column],
    };
    let whole = |column| (0..order).map(|row| entry(row, column)).collect();
    let a_columns: Vec<Vec<f64>> = (0..order).map(whole).collect();
    // `symm` always has B and C of m × n; on the right A is as wide as B, on the left as high.
    let b = matrix(call, 8, m, n);
    let b_columns = blas.columns(b, false)?;
    let product = Product {
        a: (a, false),
        b: (b, false),
        c: matrix(call, 11, m, n),
        alpha: blas.scalar(5)?,
        beta: blas.scalar(10)?,
    };
    match is_right {
        true => blas.multiply_into(&b_columns, &a_columns, product),
        false => blas.multiply_into(&a_columns, &b_columns, product),
    }
}

/// Turns the plane of each pair: n, x, y, the cosine, the sine.
pub fn rot(blas: &mut Blas) -> Answer {
    let Some(n) = blas.count(1) else {
        return Ok(INVALID_VALUE);
    };
    let (cosine, sine) = (blas.scalar(6)?, blas.scalar(7)?);
    let places = [blas.vector(n, 2, 3), blas.vector(n, 4, 5)];
    let (x, y) = (blas.load(places[0])?, blas.load(places[1])?);
    let turned = |a: f64, x: &[f64], b: f64, y: &[f64]| -> Vec<f64> {
        x.iter().zip(y).map(|(x, y)| a * x + b * y).collect()
    };
    blas.store(places[0], &turned(cosine, &x, sine, &y))?;
    blas.store(places[1], &turned(-sine, &x, cosine, &y))?;
    Ok(SUCCESS)
}

/// `gemv`: the operation, m, n, α, A with its leading dimension, x with its step, β, y.
pub fn gemv(blas: &mut Blas) -> Answer {
    // Of a negative size, or with a step of 0, it does what it can.
    let [m, n] = [2, 3].map(|at| blas.count(at).unwrap_or(0));
    let is_transposed = blas.call.i32(1) != NOT_TRANSPOSED;
    let (rows, columns) = if is_transposed { (n, m) } else { (m, n) };
    let a = matrix(blas.call, 5, m, n);
    if refused(blas.call, &[], &[(6, a)]).is_some() {
        return Ok(INVALID_VALUE);
    }
    let (alpha, beta) = (blas.scalar(4)?, blas.scalar(9)?);
    let x = blas.load(blas.vector(columns, 7, 8))?;
    let all = blas.columns(a, is_transposed)?;
    let mut sums = vec![0.0; rows];
    for (values, factor) in all.iter().zip(&x) {
        for (sum, value) in sums.iter_mut().zip(values) {
            *sum += value * factor;
        }
    }
    let y = blas.vector(rows, 10, 11);
    blas.scale_into(y, &sums, alpha, beta)?;
    Ok(SUCCESS)
}

/// A number of one vector or of two: n, x with its step, perhaps y, and where the result goes.
fn reduced(blas: &mut Blas, of: fn(&[f64], &[f64]) -> f64) -> Answer {
    let Some(n) = blas.count(1) else {
        return Ok(INVALID_VALUE);
    };
    let x = blas.load(blas.vector(n, 2, 3))?;
    // `dot` has a second vector before its result; the other reductions have none.
    let has_two = blas.call.bits.len() > 5;
    let y = match has_two {
        true => blas.load(blas.vector(n, 4, 5))?,
        false => Vec::new(),
    };
    blas.put_scalar(if has_two { 6 } else { 4 }, of(&x, &y))
}

pub fn dot(blas: &mut Blas) -> Answer {
    reduced(blas, |x, y| x.iter().zip(y).map(|(x, y)| x * y).sum())
}

pub fn nrm2(blas: &mut Blas) -> Answer {
    reduced(blas, |x, _| x.iter().map(|x| x * x).sum::<f64>().sqrt())
}

pub fn asum(blas: &mut Blas) -> Answer {
    reduced(blas, |x, _| x.iter().map(|x| x.abs()).sum())
}

/// The place of the largest element, or of the smallest, in size, from 1.
fn extreme(blas: &mut Blas, sign: f64) -> Answer {
    let Some(n) = blas.count(1) else {
        return Ok(INVALID_VALUE);
    };
    let x = blas.load(blas.vector(n, 2, 3))?;
    let mut best: Option<(usize, f64)> = None;
    for (at, value) in x.iter().enumerate() {
        let size = sign * value.abs();
        // `>`, so that the first of equal elements is given, as BLAS has it.
        if best.is_none_or(|(_, most)| size > most) {
            best = Some((at, size));
        }
    }
    // BLAS counts from 1, as Fortran does; 0 says that there is no element.
    let place = best.map_or(0, |(at, _)| at as i32 + 1);
    write(blas.machine, blas.call.u64(4), &place.to_le_bytes())?;
    Ok(SUCCESS)
}

pub fn amax(blas: &mut Blas) -> Answer {
    extreme(blas, 1.0)
}

pub fn amin(blas: &mut Blas) -> Answer {
    extreme(blas, -1.0)
}

/// y = αx + y: n, α, x, y.
pub fn axpy(blas: &mut Blas) -> Answer {
    let Some(n) = blas.count(1) else {
        return Ok(INVALID_VALUE);
    };
    let alpha = blas.scalar(2)?;
    let x = blas.load(blas.vector(n, 3, 4))?;
    blas.scale_into(blas.vector(n, 5, 6), &x, alpha, 1.0)?;
    Ok(SUCCESS)
}

/// x = αx: n, α, x.
pub fn scal(blas: &mut Blas) -> Answer {
    let Some(n) = blas.count(1) else {
        return Ok(INVALID_VALUE);
    };
    let (alpha, place) = (blas.scalar(2)?, blas.vector(n, 3, 4));
    let x = blas.load(place)?;
    blas.scale_into(place, &x, alpha, 0.0)?;
    Ok(SUCCESS)
}

/// y = x: n, x, y.
pub fn copy(blas: &mut Blas) -> Answer {
    let Some(n) = blas.count(1) else {
        return Ok(INVALID_VALUE);
    };
    let x = blas.load(blas.vector(n, 2, 3))?;
    blas.store(blas.vector(n, 4, 5), &x)?;
    Ok(SUCCESS)
}

pub fn swap(blas: &mut Blas) -> Answer {
    let Some(n) = blas.count(1) else {
        return Ok(INVALID_VALUE);
    };
    let places = [blas.vector(n, 2, 3), blas.vector(n, 4, 5)];
    let (x, y) = (blas.load(places[0])?, blas.load(places[1])?);
    blas.store(places[0], &y)?;
    blas.store(places[1], &x)?;
    Ok(SUCCESS)
}
