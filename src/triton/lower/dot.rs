//! `tl.dot`: each thread sums the products of its elements' rows and columns, which lie in shared memory.
//!
//! Tensor cores are not modelled; what they read of a float is: with `tf32` the fraction behind its first 10 bits is cut
//! off, as the hardware does with registers that Triton hands over as they are, and `tf32x3` adds three such products, as
//! `F32DotTC.cpp` has it. Sums are of fused multiply-adds in the order of the columns.

use super::lowering::Lowering;
use crate::triton::placement::LayoutId;
use crate::triton::tile::{Element, Node, Precision};

/// What of a float is multiplied.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    /// All of it.
    Whole,
    /// What a tensor core reads.
    Read,
    /// The nearest number that a tensor core reads whole.
    Nearest,
    /// What is left of it.
    Rest,
}

impl Part {
    fn of(self, text: &str) -> String {
        match self {
            Part::Whole => text.to_owned(),
            Part::Read => format!("tf32_part({text})"),
            Part::Nearest => format!("nearest_tf32({text})"),
            Part::Rest => format!("tf32_part({text} - nearest_tf32({text}))"),
        }
    }
}

/// A product and the variable that it is summed in.
struct Product<'a> {
    node: &'a Node,
    layout: LayoutId,
    name: &'a str,
}

impl Lowering<'_> {
    /// `tl.dot`.
    pub fn dot(&mut self, node: &Node, precision: Precision, layout: LayoutId) {
        let result = node.results[0];
        let name = self.name_of(result, "product");
        let declaration = self.declaration(result, layout, &name);
        self.writer.line(format!("{declaration};"));
        let product = Product {
            node,
            layout,
            name: &name,
        };
        let is_float = self.function.ty(node.operands[0]).element == Element::F32;
        match precision {
            Precision::Tf32x3 if is_float => self.three_products(&product),
            Precision::Tf32 if is_float => self.one_product(&product, Part::Read),
            _ => self.one_product(&product, Part::Whole),
        }
        self.bind(result, layout, &name);
    }

    fn one_product(&mut self, product: &Product, part: Part) {
        self.each_sum(product, |_, start| start.to_owned());
        let tiles = [self.factor(product, 0, part), self.factor(product, 1, part)];
        self.writer.line("__syncthreads();");
        self.add_products(product, [&tiles[0], &tiles[1]]);
    }

    /// What is lost by rounding is multiplied too, but for the rest by the rest.
    fn three_products(&mut self, product: &Product) {
        self.each_sum(product, |_, _| "0.0f".to_owned());
        let [left, left_rest] =
            [Part::Nearest, Part::Rest].map(|part| self.factor(product, 0, part));
        let [right, right_rest] =
            [Part::Nearest, Part::Rest].map(|part| self.factor(product, 1, part));
        self.writer.line("__syncthreads();");
        self.add_products(product, [&left_rest, &right]);
        self.add_products(product, [&left, &right_rest]);
        // An infinite element leaves a rest that is no number.
        self.each_sum(product, |own, _| format!("{own} == {own} ? {own} : 0.0f"));
        self.add_products(product, [&left, &right]);
        self.each_sum(product, |own, start| format!("{own} + {start}"));
    }

    /// Sets each sum of a thread to what `text` makes of it and of what the product is added to.
    fn each_sum(&mut self, product: &Product, text: impl Fn(&str, &str) -> String) {
        let (result, layout) = (product.node.results[0], product.layout);
        let count = self.registers(result, layout);
        let index = self.each(count, 1);
        let start = self.expression(product.node.operands[2], layout, &index);
        let own = self.register(result, layout, product.name, &index);
        let text = text(&own, &start);
        self.writer.line(format!("{own} = {text};"));
        self.end_each(count, 1);
    }

    /// One factor in shared memory.
    fn factor(&mut self, product: &Product, at: usize, part: Part) -> String {
        let value = product.node.operands[at];
        let own = self.placement.own(value);
        self.spread_part(value, own, ["a", "b"][at], |text| part.of(text))
    }

    fn add_products(&mut self, product: &Product, tiles: [&str; 2]) {
        let (result, layout) = (product.node.results[0], product.layout);
        let [left, right] = tiles;
        let inner = self.function.ty(product.node.operands[0]).shape[1];
        let columns = self.function.ty(product.node.operands[1]).shape[1];
        self.writer
            .open(format!("for (int k = 0; k < {inner}; k++)"));
        let count = self.registers(result, layout);
        let index = self.each(count, 1);
        let linear = self.linear(result, layout);
        let row = self.coordinate(&linear, 0, &index);
        let column = self.coordinate(&linear, 1, &index);
        let target = self.register(result, layout, product.name, &index);
        let element = self.function.ty(result).element.cuda();
        let x = format!("({element}){left}[({row}) * {inner} + k]");
        let y = format!("({element}){right}[k * {columns} + {column}]");
        self.writer.line(format!("{target} += {x} * {y};"));
        self.end_each(count, 1);
        self.writer.close();
    }
}
