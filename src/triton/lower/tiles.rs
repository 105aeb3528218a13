//! Operations for which a whole tile lies in shared memory, row by row: gathers.

use super::index::Index;
use super::lowering::Lowering;
use crate::triton::placement::LayoutId;
use crate::triton::tile::{Node, Value};

impl Lowering<'_> {
    /// Writes a tile to shared memory, row by row; gives the array's name.
    pub fn spread(&mut self, value: Value, layout: LayoutId, wish: &str) -> String {
        self.spread_part(value, layout, wish, str::to_owned)
    }

    /// The same with what `part` makes of each element.
    pub fn spread_part(
        &mut self,
        value: Value,
        layout: LayoutId,
        wish: &str,
        part: impl Fn(&str) -> String,
    ) -> String {
        let ty = self.function.ty(value).clone();
        let memory = self.shared_array(&format!("{wish}_tile"), &ty, ty.count());
        self.begin_reuse();
        let count = self.registers(value, layout);
        let index = self.each(count, 1);
        let place = self.row_major(value, layout, &index, None);
        let text = part(&self.expression(value, layout, &index));
        self.writer.line(format!("{memory}[{place}] = {text};"));
        self.end_each(count, 1);
        memory
    }

    /// The place of a register's element, row by row; along one side it may be another than its own.
    pub fn row_major(
        &mut self,
        value: Value,
        layout: LayoutId,
        index: &Index,
        other: Option<(usize, &str)>,
    ) -> String {
        let linear = self.linear(value, layout);
        let shape = linear.shape.clone();
        let mut terms = Vec::new();
        let mut scale = 1;
        for dim in (0..shape.len()).rev() {
            let text = match other {
                Some((side, text)) if side == dim => text.to_owned(),
                _ => self.coordinate(&linear, dim, index),
            };
            // Sides of 1 add nothing: their coordinate is 0.
            if text != "0" {
                terms.push(match scale {
                    1 => text,
                    _ => format!("({text}) * {scale}"),
                });
            }
            scale *= shape[dim];
        }
        terms.reverse();
        match terms.is_empty() {
            true => "0".to_owned(),
            false => terms.join(" + "),
        }
    }

    /// `tl.gather`.
    pub fn gather(&mut self, node: &Node, axis: usize, layout: LayoutId) {
        let (source, places) = (node.operands[0], node.operands[1]);
        let result = node.results[0];
        let name = self.name_of(result, "gathered");
        let declaration = self.declaration(result, layout, &name);
        self.writer.line(format!("{declaration};"));
        let own = self.placement.own(source);
        let memory = self.spread(source, own, &name);
        self.writer.line("__syncthreads();");
        let count = self.registers(result, layout);
        let index = self.each(count, 1);
        let wanted = self.wanted(node, places, layout);
        let place = self.expression(places, wanted, &index);
        // The result's other sides are the source's.
        let shape = self.function.ty(source).shape.clone();
        let linear = self.linear(result, layout);
        let mut text = String::new();
        for (dim, side) in shape.iter().enumerate() {
            let along = if dim == axis {
                format!("({place})")
            } else {
                self.coordinate(&linear, dim, &index)
            };
            text = match text.is_empty() {
                true => along,
                false => format!("({text}) * {side} + {along}"),
            };
        }
        let target = self.register(result, layout, &name, &index);
        self.writer.line(format!("{target} = {memory}[{text}];"));
        self.end_each(count, 1);
        self.bind(result, layout, &name);
    }
}
