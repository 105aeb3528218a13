//! PTX in a kernel: `tl.inline_asm_elementwise` of one result, an element at a time.

use crate::source::Span;
use crate::triton::tile::{Assembly, Element, Op, Type, Value};
use crate::triton::trace::arguments::Arguments;
use crate::triton::trace::builder::{Traceable, refuse};
use crate::triton::trace::tracer::Tracer;
use crate::triton::trace::value::Traced;

/// What no thread program of ours has.
const ONE_BY_ONE: &str = "`tl.inline_asm_elementwise` is read here with one result and `pack=1`: \
     write it for one element, or with functions of `triton.language`";

impl Tracer<'_> {
    /// PTX; nothing if `name` does not ask for it.
    pub fn assembly(&mut self, name: &str, given: &Arguments) -> Traceable<Option<Traced>> {
        if name != "inline_asm_elementwise" {
            return Ok(None);
        }
        let (text, constraints) = (given.need(0, "asm")?, given.need(1, "constraints")?);
        let (Traced::Text(text), Traced::Text(constraints)) = (text, constraints) else {
            return refuse(given.span, "PTX and its constraints are strings");
        };
        let Traced::Type(element, false) = given.need(3, "dtype")? else {
            return refuse(given.span, ONE_BY_ONE);
        };
        let operands = self.operands_of_assembly(given)?;
        let of = operands.iter().map(|&operand| self.builder.ty(operand));
        let letters = letters(&constraints, element, of, given.span)?;
        let shape = operands
            .first()
            .map_or_else(Vec::new, |&first| self.builder.ty(first).shape.clone());
        let assembly = Assembly {
            name: self.name_of_assembly(&text, &letters),
            text,
            letters,
            is_pure: given.flag(4, "is_pure"),
        };
        let ty = Type::tile(&shape, element);
        let op = Op::Assembly(Box::new(assembly));
        Ok(Some(Traced::Value(self.builder.emit(op, &operands, ty))))
    }

    /// The operands, all of one shape.
    fn operands_of_assembly(&mut self, given: &Arguments) -> Traceable<Vec<Value>> {
        let is_packed = given.integer(5, "pack")?.is_some_and(|pack| pack != 1);
        let (Traced::Tuple(parts), false) = (given.need(2, "args")?, is_packed) else {
            return refuse(given.span, ONE_BY_ONE);
        };
        self.tiles_of_one_shape(&parts)
    }

    /// Numbers and tiles in the shape that all of them broadcast to.
    pub fn tiles_of_one_shape(&mut self, parts: &[Traced]) -> Traceable<Vec<Value>> {
        let mut values = Vec::new();
        for part in parts {
            values.push(self.builder.materialise(part)?);
        }
        // Twice: what is broadcast last may be longer than what came before it.
        for _ in 0..2 {
            for at in 1..values.len() {
                let pair = self.builder.broadcast_pair(values[at - 1], values[at])?;
                values[at - 1..=at].copy_from_slice(&pair);
            }
        }
        Ok(values)
    }

    /// What the function that holds a text is called: as its instruction, `ptx_tanh_approx_f32`.
    fn name_of_assembly(&self, text: &str, letters: &[char]) -> String {
        let word = text.split_whitespace().find(|word| word.contains('.'));
        let word = word
            .unwrap_or("text")
            .trim_matches(|c| c != '.' && !char::is_alphanumeric(c));
        let wish = format!("ptx_{}", word.replace(|c| !char::is_alphanumeric(c), "_"));
        let nodes = self.builder.function.nodes.iter();
        let known = nodes.filter_map(|node| match &node.op {
            Op::Assembly(assembly) => Some(assembly),
            _ => None,
        });
        let known: Vec<_> = known.collect();
        let same = known
            .iter()
            .find(|of| of.text == text && of.letters == letters);
        if let Some(same) = same {
            return same.name.clone();
        }
        let is_taken = |name: &String| known.iter().any(|of| of.name == *name);
        let further = (2..).map(|count| format!("{wish}_{count}"));
        let mut names = std::iter::once(wish.clone()).chain(further);
        names.find(|name| !is_taken(name)).unwrap_or(wish)
    }
}

/// The letters of constraints such as `=f,f`, which must be of the types that they stand for.
fn letters<'t>(
    constraints: &str,
    result: Element,
    operands: impl Iterator<Item = &'t Type>,
    place: Span,
) -> Traceable<Vec<char>> {
    let elements = std::iter::once(result).chain(operands.map(|ty| ty.element));
    let elements: Vec<Element> = elements.collect();
    let parts = constraints.split(',').map(str::trim).enumerate();
    let letters: Vec<Option<char>> = parts
        .map(|(at, part)| {
            let letter = match at {
                0 => part.strip_prefix('=')?.trim_start_matches('&'),
                _ => part,
            };
            let letter = letter.chars().next().filter(|_| letter.len() == 1)?;
            elements.get(at).filter(|of| fits(letter, **of))?;
            Some(letter)
        })
        .collect();
    let all: Option<Vec<char>> = letters.into_iter().collect();
    match all.filter(|all| all.len() == elements.len()) {
        Some(all) => Ok(all),
        None => refuse(place, ONE_BY_ONE),
    }
}

/// Whether a letter of PTX stands for a type: a register of 32 bits may hold a float.
fn fits(letter: char, element: Element) -> bool {
    match letter {
        'f' => element == Element::F32,
        'd' => element == Element::F64,
        'r' => element.bits() == 32,
        'l' => element.bits() == 64 && !element.is_float(),
        'h' => element.bits() == 16 && !element.is_float(),
        _ => false,
    }
}
