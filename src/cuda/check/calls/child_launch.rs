//! Launches of kernels by kernels. The functions of CUDA's runtime that kernels may call beside them are written out in
//! a header.

use crate::source::Span;

use crate::cuda::ast;
use crate::cuda::resolve::{BodyState, Checker, constant, convert, load, node, scalar};
use crate::cuda::typed::{Expr, ExprKind, Scalar, Type};

/// Most bytes of arguments (CUDA C++ Programming Guide, `__global__` function parameters).
const MOST_ARGUMENT_BYTES: u32 = 4096;

impl Checker {
    /// `kernel<<<grid, block, shared, stream>>>(arguments)` in code of the GPU.
    pub fn child_launch(
        &mut self,
        kernel: &ast::Expr,
        config: &[ast::Expr],
        arguments: &[ast::Expr],
        span: Span,
    ) -> Option<Expr> {
        let operands = self.operands(arguments);
        let shape = self.child_shape(config, span);
        let launched = self.launched(kernel)?;
        let (operands, mut values) = (operands?, shape?);
        let (chosen, passed) = self.meant_kernel(kernel, &launched, operands, span)?;
        let passed_bytes: u32 = passed.iter().map(|value| value.ty.size_bytes()).sum();
        if passed_bytes > MOST_ARGUMENT_BYTES {
            let message = format!("more than {MOST_ARGUMENT_BYTES} bytes of arguments");
            return self.error(span, message);
        }
        // A kernel may launch itself: what is being checked gets its number at the end.
        let body = self.body_for_call(chosen.signature, chosen.template, span);
        if self.functions.signatures[chosen.signature].state != BodyState::Open {
            body?;
        }
        values.extend(passed);
        let launch = ExprKind::Launch(self.number_of_launched(chosen.signature), values);
        Some(node(launch, Type::Void, span))
    }

    /// The number of a kernel among those that kernels launch.
    fn number_of_launched(&mut self, signature: usize) -> usize {
        let known = &mut self.functions.launched;
        known
            .iter()
            .position(|of| *of == signature)
            .unwrap_or_else(|| {
                known.push(signature);
                known.len() - 1
            })
    }

    /// Gives the kernels that kernels launch their numbers as functions.
    pub fn finish_launched(&mut self) {
        let signatures = self.functions.launched.iter();
        let ids = signatures.filter_map(|&at| match self.functions.signatures[at].state {
            BodyState::Done(id) => Some(id),
            _ => None,
        });
        self.program.launched = ids.collect();
    }

    /// Grid, block, bytes of shared memory and stream, as kernels give them.
    fn child_shape(&mut self, written: &[ast::Expr], span: Span) -> Option<Vec<Expr>> {
        self.has_grid_and_block(written, span)?;
        let number = scalar(Scalar::U64);
        let mut values = Vec::new();
        for at in 0..4 {
            values.push(match written.get(at) {
                Some(written) if at < 2 => self.child_dimensions(written)?,
                Some(written) => convert(self.value(written)?, &number),
                None => constant(number.clone(), 0, span),
            });
        }
        Some(values)
    }

    /// A number or what has three of them, as three words.
    fn child_dimensions(&mut self, written: &ast::Expr) -> Option<Expr> {
        let value = match &written.kind {
            ast::ExprKind::Braces(_) => self.dimensions(written)?,
            _ => load(self.operand(written)?),
        };
        // `dim3` and `uint3` are three words, and may be given as they are.
        if value.ty.size_bytes() == 12 {
            return Some(value);
        }
        let word = scalar(Scalar::U32);
        if value.ty.scalar().is_none_or(|of| !of.is_integer()) {
            return self.error(value.span, format!("a `{}` is no size of a grid", value.ty));
        }
        let span = value.span;
        let one = || constant(word.clone(), 1, span);
        let all = vec![convert(value, &word), one(), one()];
        Some(node(
            ExprKind::Vector(all),
            Type::Vector(Scalar::U32, 3),
            span,
        ))
    }
}
