//! `tl.dot` of tiles with three dimensions: a batch of products, each of which is read as one of its own.
//!
//! Triton multiplies the batch in one layout of three dimensions; here its matrices are taken apart along the first
//! dimension and put together again, so accesses to shared memory between differ.

use super::builder::{BatchedProduct, Builder};
use crate::triton::tile::{Constant, Op, Type, Value};

impl Builder {
    /// The products of two batches of matrices, each added to the one of `sum` of type `ty`.
    pub fn batched_product(
        &mut self,
        op: &Op,
        factors: [Value; 2],
        sum: Value,
        ty: &Type,
    ) -> Value {
        let matrices = factors.map(|factor| self.matrices(factor));
        let known = self.function.constant(sum);
        let sums = match known {
            Some(_) => Vec::new(),
            None => self.matrices(sum),
        };
        let of_one = ty.shaped(&ty.shape[1..]);
        let [left, right] = &matrices;
        let mut products = Vec::new();
        for (at, (&left, &right)) in left.iter().zip(right).enumerate() {
            let zero = known.unwrap_or(Constant::Integer(0));
            let start = sums.get(at).copied();
            let start = start.unwrap_or_else(|| self.constant(zero, of_one.clone()));
            products.push(self.emit(op.clone(), &[left, right, start], of_one.clone()));
        }
        let batch = self.batch(&products);
        if known.is_some() {
            let op = op.clone();
            self.batched.insert(batch, BatchedProduct { op, factors });
        }
        batch
    }

    /// `total + tl.dot(a, b)` of batches, as `added_to_product` has it of matrices.
    pub fn added_to_batch(&mut self, operands: &[Value], ty: &Type) -> Option<Value> {
        for (at, other) in [(1, 0), (0, 1)] {
            if let Some(product) = self.batched.get(&operands[at]).cloned() {
                let BatchedProduct { op, factors } = product;
                return Some(self.batched_product(&op, factors, operands[other], ty));
            }
        }
        None
    }

    /// The matrices of a batch.
    fn matrices(&mut self, batch: Value) -> Vec<Value> {
        let ty = self.ty(batch).clone();
        let turned = ty.shaped(&[ty.shape[1], ty.shape[2], ty.shape[0]]);
        let turned = self.emit(Op::Transpose(vec![1, 2, 0]), &[batch], turned);
        self.along_last(turned)
    }

    /// The matrices that lie along the last of three dimensions.
    fn along_last(&mut self, cube: Value) -> Vec<Value> {
        let ty = self.ty(cube).clone();
        let (sides, count) = (&ty.shape[..2], ty.shape[2]);
        if count == 1 {
            return vec![self.emit(Op::Reshape, &[cube], ty.shaped(sides))];
        }
        let pairs = ty.shaped(&[sides, &[count / 2, 2]].concat());
        let half = ty.shaped(&[sides, &[count / 2]].concat());
        let pairs = self.emit(Op::Reshape, &[cube], pairs);
        let halves = self.emit_all(Op::Split, &[pairs], vec![half.clone(), half], Vec::new());
        let [even, odd] = [0, 1].map(|at| self.along_last(halves[at]));
        even.into_iter()
            .zip(odd)
            .flat_map(<[Value; 2]>::from)
            .collect()
    }

    /// Matrices along a first dimension.
    fn batch(&mut self, matrices: &[Value]) -> Value {
        let cube = self.cube(matrices);
        let ty = self.ty(cube).clone();
        let turned = ty.shaped(&[ty.shape[2], ty.shape[0], ty.shape[1]]);
        self.emit(Op::Transpose(vec![2, 0, 1]), &[cube], turned)
    }

    /// Matrices along a last dimension.
    fn cube(&mut self, matrices: &[Value]) -> Value {
        if let [one] = matrices {
            return self.expand_dims(*one, 2);
        }
        let part = |from: usize| matrices.iter().skip(from).step_by(2).copied();
        let [even, odd] = [0, 1].map(|from| part(from).collect::<Vec<_>>());
        let [even, odd] = [self.cube(&even), self.cube(&odd)];
        let ty = self.ty(even).clone();
        let joined = ty.shaped(&[&ty.shape[..], &[2]].concat());
        let joined = self.emit(Op::Join, &[even, odd], joined);
        let whole = ty.shaped(&[&ty.shape[..2], &[ty.shape[2] * 2]].concat());
        self.emit(Op::Reshape, &[joined], whole)
    }
}
