//! `tl.dot`: factors go to shared memory, and from there to those threads that multiply them.
//!
//! Layouts, arrangements in shared memory and accesses are those of `layout::Dot`. With multiply-adds, each thread sums
//! its products in the order of the inner index. On tensor cores it is `mma.sync`; where Triton takes `wgmma` on Hopper,
//! the same warps multiply the same elements by `mma.sync`, whose loads of fragments count nothing: `wgmma` reads shared
//! memory itself. The hardware reads 10 bits of a tf32's fraction, and Triton hands registers over as they are; `tf32x3` adds three such
//! products, as `F32DotTC.cpp` has it. Integers of 8 bits lie as for `mma.sync`, and are multiplied four at a time. What fits
//! none of these (tiles smaller than an instruction) is summed element by element from rows in shared memory.

use super::fragment::{Fragment, FragmentPlan};
use crate::triton::layout::{Dot, DotKind, LinearLayout, SharedSide, shared_access};
use crate::triton::lower::expressions::cast;
use crate::triton::lower::index::{Index, scattered};
use crate::triton::lower::lowering::{Lowering, Staging};
use crate::triton::lower::memory::order;
use crate::triton::lower::shared::{SharedPlace, bits_of};
use crate::triton::lower::text::UNCOUNTED;
use crate::triton::placement::{LayoutId, product};
use crate::triton::tile::{Element, Node, NodeId, Op, Precision, Value};

/// What of a float is multiplied.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    /// All of it.
    Whole,
    /// The nearest number that a tensor core reads whole.
    Nearest,
    /// What is left of it.
    Rest,
}

impl Part {
    fn of(self, text: &str) -> String {
        match self {
            Part::Whole => text.to_owned(),
            Part::Nearest => format!("nearest_tf32({text})"),
            // Exact: the rest of a float of 24 bits behind its first 11 fits a float.
            Part::Rest => format!("{text} - nearest_tf32({text})"),
        }
    }
}

/// A product and the variable that it is summed in.
struct Product<'a> {
    node: &'a Node,
    layout: LayoutId,
    name: &'a str,
    dot: Dot,
    /// The layout of the result.
    result: LinearLayout,
    /// The function of the tensor cores that multiplies fragments, if one does.
    instruction: Option<&'static str>,
}

/// A factor in shared memory, or in the registers of those who multiply it.
struct Staged {
    /// The array.
    memory: String,
    /// How threads load it; none where it lies in rows, element by element.
    plan: Option<FragmentPlan>,
    /// Whether it is in registers.
    is_in_registers: bool,
}

impl Lowering<'_> {
    /// `tl.dot`.
    pub fn dot(&mut self, node: &Node, precision: Precision, layout: LayoutId) {
        let result = node.results[0];
        let name = self.name_of(result, "product");
        let declaration = self.declaration(result, layout, &name);
        self.writer.line(format!("{declaration};"));
        let element = self.function.ty(node.operands[0]).element;
        let dot = product(self.function, node, self.warps);
        let product = Product {
            instruction: instruction(&dot, element, self.function.ty(result).element),
            result: self.linear(result, layout),
            node,
            layout,
            name: &name,
            dot,
        };
        match precision {
            Precision::Tf32x3 if element == Element::F32 => self.three_products(&product),
            _ => self.one_product(&product),
        }
        self.bind(result, layout, &name);
    }

    fn one_product(&mut self, product: &Product) {
        // The first product begins with what it is added to, so it needs no sum of its own.
        self.each_sum(product, |_, start| start.to_owned());
        let factors = [0, 1].map(|at| self.factor(product, at, Part::Whole));
        self.writer.line("__syncthreads();");
        self.add_products(product, [&factors[0], &factors[1]]);
    }

    /// What is lost by rounding is multiplied too, but for the rest by the rest.
    fn three_products(&mut self, product: &Product) {
        self.each_sum(product, |_, _| "0.0f".to_owned());
        let [left, left_rest] =
            [Part::Nearest, Part::Rest].map(|part| self.factor(product, 0, part));
        let [right, right_rest] =
            [Part::Nearest, Part::Rest].map(|part| self.factor(product, 1, part));
        self.writer.line("__syncthreads();");
        // Small products first, as `F32DotTC.cpp` has it: added to a large sum one by one they would be lost.
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
    fn factor(&mut self, product: &Product, at: usize, part: Part) -> Staged {
        let value = product.node.operands[at];
        let own = self.placement.own(value);
        let wish = ["a", "b"][at];
        let element = self.function.ty(value).element;
        let staged = match (at, part) {
            (_, Part::Whole) => self.factor_in_registers(product, at),
            _ => None,
        };
        if let Some(staged) = staged.or_else(|| self.copied_factor(product, at)) {
            return staged;
        }
        if !has_fragments(&product.dot, element) {
            let memory = self.spread_part(value, own, wish, |text| part.of(text));
            return Staged {
                memory,
                plan: None,
                is_in_registers: false,
            };
        }
        let linear = self.linear(value, own);
        let fastest = order(&linear, self.placement.layout(own))[0];
        let shared = product.dot.shared(at, fastest);
        let memory = self.stage_tile(value, &shared, wish, &|text| part.of(text));
        let staging = Staging {
            shared,
            is_turned: false,
            has_others: true,
        };
        let plan = Some(self.fragment_plan(product, at, &staging));
        Staged {
            memory,
            plan,
            is_in_registers: false,
        }
    }

    /// A factor where the threads that multiply it hold it already, as words.
    fn factor_in_registers(&mut self, product: &Product, at: usize) -> Option<Staged> {
        let value = product.node.operands[at];
        let factor = (product.node.results[0], at);
        let layout = *self.placement.held_factors.get(&factor)?;
        let element = self.function.ty(value).element;
        let plan = FragmentPlan::in_registers(&self.linear(value, layout), at, element);
        let words = self.fresh(["a_words", "b_words"][at]);
        let count = self.registers(value, layout) / plan.elements_of_word();
        self.writer.line(format!("unsigned int {words}[{count}];"));
        for at in 0..count {
            let text = self.word_of_registers(value, layout, at, &plan);
            self.writer.line(format!("{words}[{at}] = {text};"));
        }
        Some(Staged {
            memory: words,
            plan: Some(plan.in_order()),
            is_in_registers: true,
        })
    }

    /// The elements of a fragment's word.
    fn word_of_registers(
        &mut self,
        value: Value,
        layout: LayoutId,
        at: u32,
        plan: &FragmentPlan,
    ) -> String {
        let count = plan.elements_of_word();
        let order = plan.order_of_words();
        let elements = (0..count).map(|part| scattered(&Index::Known(at * count + part), &order));
        let elements: Vec<String> = elements
            .map(|index| self.expression(value, layout, &index))
            .collect();
        let kind = plan.element.cuda();
        if let [only] = &elements[..] {
            return format!("__float_as_uint({only})");
        }
        let part =
            |(at, text): (usize, &String)| match (bits_of(kind, text), at as u32 * 32 / count) {
                (bits, 0) => bits,
                (bits, shift) => format!("(unsigned int){bits} << {shift}"),
            };
        let parts: Vec<String> = elements.iter().enumerate().map(part).collect();
        parts.join(" | ")
    }

    /// A factor that is in shared memory already.
    fn copied_factor(&self, product: &Product, at: usize) -> Option<Staged> {
        let mut value = product.node.operands[at];
        let mut is_turned = false;
        // Each transposition exchanges rows and columns: two of them are none.
        while let Some(Op::Transpose(_)) = self.function.definition(value).map(|node| &node.op) {
            value = self.function.definition(value)?.operands[0];
            is_turned = !is_turned;
        }
        let copied = self.rounds.copied.get(&value)?;
        let load = self.function.definition(value)?;
        let is_filled = !copied.is_from_registers && self.filled_with(load).is_some();
        if is_filled || !self.is_read_in_place(product.node, at) {
            return None;
        }
        let staging = Staging {
            is_turned: copied.staging.is_turned != is_turned,
            ..copied.staging.clone()
        };
        let mut plan = self.fragment_plan(product, at, &staging);
        plan.is_read_before |= self.has_read(product, at);
        Some(Staged {
            memory: copied.memory.clone(),
            plan: Some(plan),
            is_in_registers: false,
        })
    }

    /// Whether a product before has read the same factor, in the same place, for the same threads.
    fn has_read(&self, product: &Product, at: usize) -> bool {
        let is_this = |id: &NodeId| std::ptr::eq(&self.function.nodes[id.0], product.node);
        let blocks = self.function.blocks.iter();
        let around = blocks
            .map(|block| &block.nodes)
            .find(|nodes| nodes.iter().any(is_this));
        let before = around.into_iter().flatten().take_while(|id| !is_this(id));
        let mut products = before.map(|id| &self.function.nodes[id.0]).filter(|node| {
            matches!(node.op, Op::Dot(_)) && node.operands[at] == product.node.operands[at]
        });
        product.instruction.is_some()
            && products.any(|node| {
                let other = self::product(self.function, node, self.warps);
                let shape = &self.function.ty(node.operands[at]).shape;
                let layout = |dot: &Dot| dot.fragment(at).linear(shape);
                layout(&other) == layout(&product.dot)
            })
    }

    /// Whether a product takes a factor as it lies in shared memory: not in parts, and not element by element.
    pub fn is_read_in_place(&self, node: &Node, at: usize) -> bool {
        let element = self.function.ty(node.operands[at]).element;
        let is_split = matches!(node.op, Op::Dot(Precision::Tf32x3)) && element == Element::F32;
        !is_split && has_fragments(&product(self.function, node, self.warps), element)
    }

    /// How a factor gets from shared memory to the threads that multiply it.
    fn fragment_plan(&self, product: &Product, at: usize, staging: &Staging) -> FragmentPlan {
        let ty = self.function.ty(product.node.operands[at]);
        let layout = product.dot.fragment(at).linear(&ty.shape);
        let plan = FragmentPlan {
            layout: layout.without_register_replicas(),
            inner_side: 1 - at,
            element: ty.element,
            has_words: product.instruction.is_some(),
            is_read_before: product.dot.is_of_warp_groups(),
            loads: SharedSide::none(),
        };
        let mut plan = match product.instruction {
            Some(_) => plan.in_order(),
            None => plan,
        };
        let loads = staging.turned(&plan.layout);
        let loads = shared_access(&loads, &staging.shared, ty.element.bits());
        plan.loads = loads;
        plan
    }

    fn add_products(&mut self, product: &Product, factors: [&Staged; 2]) {
        let [Some(left), Some(right)] = factors.map(|factor| factor.plan.as_ref()) else {
            self.add_element_by_element(product, factors);
            return;
        };
        let inner = product.dot.inner;
        let of_instruction = match (product.instruction, product.dot.element_bits) {
            (None, _) => 1,
            // An instruction multiplies 32 bytes of the inner dimension, 16 halves or 8 floats.
            (Some(_), bits) => 256 / bits,
        };
        // As far as one access and one instruction go at least, but not past the end of the inner side.
        let step = left.step().max(right.step()).max(of_instruction).min(inner);
        let froms = [0, 1].map(|at| {
            let plan = [left, right][at];
            match factors[at].is_in_registers {
                true => String::new(),
                false => {
                    self.shared_thread(["b_from", "a_from"][plan.inner_side], &plan.accesses())
                }
            }
        });
        if step < inner {
            self.writer
                .open(format!("for (int k = 0; k < {inner}; k += {step})"));
        }
        let parts = [0, 1].map(|at| self.step_of(factors[at], [left, right][at], &froms[at], step));
        match product.instruction {
            Some(instruction) => {
                self.multiply_fragments(product, instruction, &parts, inner / step)
            }
            None => self.multiply_elements(product, &parts, step),
        }
        if step < inner {
            self.writer.close();
        }
    }

    /// What one step takes of a factor, to whose loads `from` adds what the thread does.
    fn step_of(&mut self, factor: &Staged, plan: &FragmentPlan, from: &str, step: u32) -> Fragment {
        if factor.is_in_registers {
            return Fragment::of_registers(plan, &factor.memory);
        }
        let place = SharedPlace {
            element: plan.element.cuda().to_owned(),
            memory: factor.memory.clone(),
            thread: from.to_owned(),
            is_turned: false,
        };
        self.fragment(plan, &place, step)
    }

    /// Each thread multiplies its own elements.
    fn multiply_elements(&mut self, product: &Product, [left, right]: &[Fragment; 2], step: u32) {
        let (result, layout) = (product.node.results[0], product.layout);
        let along = match step {
            1 => Index::Known(0),
            _ => {
                self.writer.unrolled("j", step, 1);
                Index::Text("j".to_owned())
            }
        };
        let count = self.registers(result, layout);
        let index = self.each(count, 1);
        let target = self.register(result, layout, product.name, &index);
        let element = self.function.ty(result).element.cuda();
        let a = left.at(&product.result, 0, 0, &index, &along);
        let b = right.at(&product.result, 1, 0, &index, &along);
        let cast = match self.function.ty(product.node.operands[0]).element.cuda() == element {
            // Halves are multiplied as floats where the result is of floats.
            true => String::new(),
            false => format!("({element})"),
        };
        self.writer
            .line(format!("{target} += {cast}{a} * {cast}{b};"));
        self.end_each(count, 1);
        if step > 1 {
            self.writer.close();
        }
    }

    /// Each warp multiplies fragments of 16 rows with fragments of 8 columns.
    fn multiply_fragments(
        &mut self,
        product: &Product,
        instruction: &str,
        factors: &[Fragment; 2],
        steps: u32,
    ) {
        let (result, layout) = (product.node.results[0], product.layout);
        // A fragment of the result is 16 × 8: four registers of each lane.
        let tiles = self.registers(result, layout) / 4;
        let index = self.each(tiles, 1);
        let words = words_of_factors(product, factors, &index, steps);
        let four = match &index {
            Index::Known(at) => Index::Known(at * 4),
            Index::Text(text) => Index::Text(format!("{text} * 4")),
        };
        let sums = [0, 1, 2, 3].map(|at| {
            let register = four.plus(&Index::Known(at));
            self.register(result, layout, product.name, &register)
        });
        let name = self.fresh("sums");
        let before = sums.join(", ");
        self.multiply_words(product, instruction, [&name, &before], &words);
        for (sum, part) in sums.iter().zip(["x", "y", "z", "w"]) {
            self.writer.line(format!("{sum} = {name}.{part};"));
        }
        self.end_each(tiles, 1);
    }

    /// One fragment of the result, in a variable called so.
    fn multiply_words(
        &mut self,
        product: &Product,
        instruction: &str,
        [name, before]: [&str; 2],
        words: &[Vec<String>; 2],
    ) {
        let factor = self.function.ty(product.node.operands[0]).element;
        if factor.is_float8() {
            self.multiply_float8s(factor, instruction, [name, before], words);
            return;
        }
        let kind = match self.function.ty(product.node.results[0]).element {
            Element::I32 => "int4",
            _ => "float4",
        };
        let given = [before, &words[0].join(", "), &words[1].join(", ")].join(", ");
        self.writer
            .line(format!("const {kind} {name} = {instruction}({given});"));
    }

    /// Fragments of floats of 8 bits, of which `mma.sync` multiplies halves on Hopper: those of a word follow each other
    /// along the inner dimension, and make two instructions of one step.
    fn multiply_float8s(
        &mut self,
        factor: Element,
        instruction: &str,
        [name, sums]: [&str; 2],
        [a, b]: &[Vec<String>; 2],
    ) {
        let halves = match factor {
            Element::F8E4M3 => "halves_of_e4m3",
            _ => "halves_of_e5m2",
        };
        let lower = |word: &String| format!("{halves}({word} & 0xffff)");
        let upper = |word: &String| format!("{halves}({word} >> 16)");
        let mut sums = sums.to_owned();
        let first = self.fresh(&format!("first_{name}"));
        let sum = match instruction {
            "multiply_in_halves" => "(__half)",
            _ => "",
        };
        for (part, name) in [first.as_str(), name].into_iter().enumerate() {
            let [top, bottom] = [&a[2 * part], &a[2 * part + 1]];
            let words = [lower(top), lower(bottom), upper(top), upper(bottom)];
            let words = [words.join(", "), lower(&b[part]), upper(&b[part])].join(", ");
            self.writer.line(format!(
                "const float4 {name} = {instruction}({sums}, {words});"
            ));
            let parts = ["x", "y", "z", "w"].map(|part| format!("{sum}{first}.{part}"));
            sums = parts.join(", ");
        }
    }

    /// Products of elements that lie in rows in shared memory.
    fn add_element_by_element(&mut self, product: &Product, factors: [&Staged; 2]) {
        let (result, layout) = (product.node.results[0], product.layout);
        let [left, right] = factors.map(|factor| factor.memory.as_str());
        let (inner, columns) = (product.dot.inner, product.dot.columns);
        self.writer
            .open(format!("for (int k = 0; k < {inner}; k++)"));
        let count = self.registers(result, layout);
        let index = self.each(count, 1);
        let row = self.coordinate(&product.result, 0, &index);
        let column = self.coordinate(&product.result, 1, &index);
        let target = self.register(result, layout, product.name, &index);
        let element = self.function.ty(result).element;
        let factor = |at: usize, text: String| {
            cast(
                &text,
                self.function.ty(product.node.operands[at]).element,
                element,
            )
        };
        let x = factor(0, format!("{left}[({row}) * {inner} + k]"));
        let y = factor(1, format!("{right}[k * {columns} + {column}]"));
        let mark = match product.dot.is_of_warp_groups() {
            true => format!(" {UNCOUNTED}"),
            false => String::new(),
        };
        self.writer.line(format!("{target} += {x} * {y};{mark}"));
        self.end_each(count, 1);
        self.writer.close();
    }
}

/// The words of both factors that one instruction takes, for the fragment `index` of the result.
fn words_of_factors(
    product: &Product,
    [left, right]: &[Fragment; 2],
    index: &Index,
    steps: u32,
) -> [Vec<String>; 2] {
    let none = Index::Known(0);
    // Of a factor in registers all steps are there.
    let step = match steps > 1 {
        true => Index::Text("k".to_owned()),
        false => Index::Known(0),
    };
    let step_of = |factor: &Fragment| if factor.is_whole { &step } else { &none };
    [
        words_of(&left.at(&product.result, 0, 2, index, step_of(left)), 4),
        words_of(&right.at(&product.result, 1, 2, index, step_of(right)), 2),
    ]
}

/// The words of a fragment, which follow each other: `a[i], a[i + 1]`, …
fn words_of(fragment: &str, count: u32) -> Vec<String> {
    let words = (0..count).map(|at| match at {
        0 => fragment.to_owned(),
        _ => fragment.replace(']', &format!(" + {at}]")),
    });
    words.collect()
}

/// Whether the factors of a product come to threads in fragments.
fn has_fragments(dot: &Dot, element: Element) -> bool {
    // In whatever they are summed.
    instruction(dot, element, Element::F32).is_some() || dot.kind == DotKind::MultiplyAdd
}

/// The function that multiplies fragments of such elements and sums them in `sum`, where the tiles are as large as an
/// instruction's.
fn instruction(dot: &Dot, element: Element, sum: Element) -> Option<&'static str> {
    if !dot.fills_instructions() {
        return None;
    }
    match element {
        Element::F16 if sum == Element::F16 => Some("multiply_in_halves"),
        Element::F16 => Some("multiply_halves"),
        Element::Bf16 => Some("multiply_bfloats"),
        Element::F32 => Some("multiply_tf32"),
        Element::I8 => Some("multiply_bytes"),
        Element::U8 => Some("multiply_unsigned_bytes"),
        Element::F8E4M3 | Element::F8E5M2 => instruction(dot, Element::F16, sum),
        _ => None,
    }
}
