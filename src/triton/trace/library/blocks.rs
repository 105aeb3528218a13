//! Block pointers and tensor descriptors: a tile of a tensor in memory, told by its first element.
//!
//! Both become pointers to elements with masks at the tensor's sides, after `RewriteTensorPointer.cpp` and
//! `RewriteTensorDescriptorToPointer.cpp` (`lib/Dialect/Triton/Transforms` of Triton 3.6). Hopper's unit for tensor
//! copies, which Triton gives descriptors to, is not modelled.

use crate::triton::tile::{Binary, Comparison, Element, Op, Type};
use crate::triton::trace::arguments::Arguments;
use crate::triton::trace::builder::{Traceable, refuse};
use crate::triton::trace::tracer::Tracer;
use crate::triton::trace::value::{TensorBlock, Traced};

/// An access to a tile of a tensor.
struct BlockAccess {
    block: TensorBlock,
    /// The first element along each side.
    offsets: Vec<Traced>,
    /// Sides along which there may be elements outside of the tensor.
    checked: Vec<usize>,
    /// What those are.
    padding: Option<Traced>,
}

impl Tracer<'_> {
    /// A function of block pointers or tensor descriptors; nothing if `name` is none of these, or about pointers.
    pub fn block_function(&mut self, name: &str, given: &Arguments) -> Traceable<Option<Traced>> {
        match (name, given.positional.first()) {
            ("make_block_ptr", _) => self.block_pointer(given).map(Some),
            ("make_tensor_descriptor", _) => self.descriptor(given).map(Some),
            ("advance", Some(Traced::Block(block))) => self.advanced(block, given).map(Some),
            ("load" | "load_tensor_descriptor", Some(Traced::Block(block))) => {
                let access = self.block_access(block, given, 1)?;
                self.load_block(&access, given).map(Some)
            }
            ("store" | "store_tensor_descriptor", Some(Traced::Block(block))) => {
                let access = self.block_access(block, given, 2)?;
                // A descriptor is told the offsets between: `desc.store([y, x], value)`.
                let value = match block.is_descriptor {
                    true => given.need(2, "value")?,
                    false => given.need(1, "value")?,
                };
                self.store_block(&access, value, given).map(Some)
            }
            (_, Some(Traced::Block(block)))
                if block.is_descriptor && name.starts_with("atomic_") =>
            {
                self.add_to_block(name, block, given)
            }
            (_, Some(Traced::Block(_))) => refuse(
                given.span,
                format!(
                    "`{name}` is not supported on a block of a tensor; `load`, `store` and `tl.advance` are"
                ),
            ),
            _ => Ok(None),
        }
    }

    /// An atomic operation on the elements of a descriptor's tile.
    fn add_to_block(
        &mut self,
        name: &str,
        block: &TensorBlock,
        given: &Arguments,
    ) -> Traceable<Option<Traced>> {
        let access = self.block_access(block, given, 2)?;
        let (pointer, mask) = self.elements(&access)?;
        let value = given.need(2, "value")?;
        let positional = [Some(pointer), Some(value), mask];
        let of_elements = Arguments {
            positional: positional.into_iter().flatten().collect(),
            named: Vec::new(),
            span: given.span,
        };
        self.memory_function(name, &of_elements)
    }

    fn block_pointer(&mut self, given: &Arguments) -> Traceable<Traced> {
        let rank = self.parts(given, 1, "shape")?.len();
        let block = TensorBlock {
            base: given.need(0, "base")?,
            shape: self.parts(given, 1, "shape")?,
            strides: self.parts(given, 2, "strides")?,
            offsets: self.parts(given, 3, "offsets")?,
            sides: given.shape(4, "block_shape")?,
            is_descriptor: false,
            padding: None,
        };
        self.checked_block(block, rank, given)
    }

    fn descriptor(&mut self, given: &Arguments) -> Traceable<Traced> {
        let rank = self.parts(given, 1, "shape")?.len();
        let padding = match given.maybe(4, "padding_option") {
            Some(Traced::Text(text)) if text == "nan" => Traced::Float(f64::NAN),
            _ => Traced::Integer(0),
        };
        let block = TensorBlock {
            base: given.need(0, "base")?,
            shape: self.parts(given, 1, "shape")?,
            strides: self.parts(given, 2, "strides")?,
            offsets: Vec::new(),
            sides: given.shape(3, "block_shape")?,
            is_descriptor: true,
            padding: Some(padding),
        };
        let checked = self.checked_block(block, rank, given)?;
        self.check_rows(&checked, given)?;
        Ok(checked)
    }

    /// The last dimension of a descriptor: neighbours, at least 16 bytes of them (`make_tensor_descriptor` of
    /// `semantic.py`).
    fn check_rows(&mut self, checked: &Traced, given: &Arguments) -> Traceable<()> {
        let Traced::Block(block) = checked else {
            return Ok(());
        };
        if block.strides.last().and_then(Traced::integer) != Some(1) {
            let message = "the last stride of a tensor descriptor is the number 1";
            return refuse(given.span, message);
        }
        let base = self.builder.materialise(&block.base)?;
        let bytes = self.builder.ty(base).element.bytes();
        let row = block.sides.last().map_or(0, |side| side * bytes);
        if row < 16 {
            let message = format!(
                "a row of a descriptor's block has at least 16 bytes, and this one has {row}"
            );
            return refuse(given.span, message);
        }
        Ok(())
    }

    fn checked_block(
        &mut self,
        block: TensorBlock,
        rank: usize,
        given: &Arguments,
    ) -> Traceable<Traced> {
        let is_even = block.strides.len() == rank && block.sides.len() == rank;
        if !is_even || !(block.is_descriptor || block.offsets.len() == rank) {
            return refuse(
                given.span,
                "shape, strides, offsets and block shape must have one entry per dimension of the tensor",
            );
        }
        let base = self.builder.materialise(&block.base)?;
        let ty = self.builder.ty(base);
        if !ty.is_pointer || !ty.is_scalar() {
            let message = format!(
                "the base of a tensor is a single pointer, and this is {}",
                ty.words()
            );
            return refuse(given.span, message);
        }
        Ok(Traced::Block(Box::new(block)))
    }

    /// A list of numbers.
    fn parts(&self, given: &Arguments, at: usize, name: &str) -> Traceable<Vec<Traced>> {
        match given.need(at, name)? {
            Traced::Tuple(parts) => Ok(parts),
            one => Ok(vec![one]),
        }
    }

    fn advanced(&mut self, block: &TensorBlock, given: &Arguments) -> Traceable<Traced> {
        let steps = self.parts(given, 1, "offsets")?;
        let mut block = block.clone();
        for (offset, step) in block.offsets.iter_mut().zip(&steps) {
            *offset = self.builder.arithmetic(Binary::Add, offset, step)?;
        }
        Ok(Traced::Block(Box::new(block)))
    }

    /// What is accessed; `at` is where a block pointer's call says which sides are checked.
    fn block_access(
        &mut self,
        block: &TensorBlock,
        given: &Arguments,
        at: usize,
    ) -> Traceable<BlockAccess> {
        if block.is_descriptor {
            return Ok(BlockAccess {
                offsets: self.parts(given, 1, "offsets")?,
                checked: (0..block.sides.len()).collect(),
                padding: block.padding.clone(),
                block: block.clone(),
            });
        }
        if at == 1 && given.maybe(1, "mask").is_some() {
            return refuse(
                given.span,
                "a block pointer takes no mask: use `boundary_check=(0, 1)`",
            );
        }
        let sides = match given.maybe(9, "boundary_check") {
            Some(Traced::Tuple(parts)) => parts,
            Some(one) => vec![one],
            None => Vec::new(),
        };
        let sides = sides.iter().filter_map(|side| side.integer());
        let padding = match given.maybe(9, "padding_option") {
            Some(Traced::Text(text)) if text == "nan" => Some(Traced::Float(f64::NAN)),
            Some(Traced::Text(text)) if text == "zero" => Some(Traced::Integer(0)),
            _ => None,
        };
        Ok(BlockAccess {
            offsets: block.offsets.clone(),
            checked: sides
                .filter_map(|side| usize::try_from(side).ok())
                .collect(),
            padding,
            block: block.clone(),
        })
    }

    /// Pointers to the elements, and a mask where there is one.
    fn elements(&mut self, access: &BlockAccess) -> Traceable<(Traced, Option<Traced>)> {
        let block = &access.block;
        let mut pointer = block.base.clone();
        let mut mask: Option<Traced> = None;
        for (side, &length) in block.sides.iter().enumerate() {
            let place = self.places(access, side, length)?;
            let step = self.wide(&block.strides[side])?;
            let distance = self.builder.arithmetic(Binary::Mul, &place, &step)?;
            pointer = self.builder.arithmetic(Binary::Add, &pointer, &distance)?;
            if !access.checked.contains(&side) {
                continue;
            }
            let end = self.wide(&block.shape[side])?;
            let zero = Traced::Integer(0);
            // Both ends, as the rewritten pointer has them: an offset may be negative.
            for (op, bound) in [(Comparison::Ge, &zero), (Comparison::Lt, &end)] {
                let holds = self.builder.comparison(op, &place, bound)?;
                mask = Some(match mask {
                    None => holds,
                    Some(before) => self.builder.arithmetic(Binary::And, &before, &holds)?,
                });
            }
        }
        Ok((pointer, mask))
    }

    /// The indices along one side, as a tile that has only this one.
    fn places(&mut self, access: &BlockAccess, side: usize, length: u32) -> Traceable<Traced> {
        let ty = Type::tile(&[length], Element::I32);
        let range = self.builder.emit(Op::Range(0), &[], ty);
        // 64 bits, although most tensors need fewer: Triton cannot know how large this one is.
        let mut range = self.builder.cast(range, Element::I64)?;
        for other in 0..access.block.sides.len() {
            if other != side {
                range = self.builder.expand_dims(range, other);
            }
        }
        let Some(offset) = access.offsets.get(side) else {
            return refuse(self.builder.span, "give one offset per dimension");
        };
        let offset = self.wide(offset)?;
        self.builder
            .arithmetic(Binary::Add, &offset, &Traced::Value(range))
    }

    /// A number with 64 bits, if it is not known.
    fn wide(&mut self, number: &Traced) -> Traceable<Traced> {
        match number {
            Traced::Value(value) => self.builder.cast(*value, Element::I64).map(Traced::Value),
            known => Ok(known.clone()),
        }
    }

    fn load_block(&mut self, access: &BlockAccess, given: &Arguments) -> Traceable<Traced> {
        let (pointer, mask) = self.elements(access)?;
        let mut inner = Arguments {
            positional: vec![pointer],
            named: Vec::new(),
            span: given.span,
        };
        if let Some(mask) = mask {
            inner.positional.push(mask);
            inner.positional.extend(access.padding.clone());
        }
        // From here on it is a load through a tile of pointers, with the widths and layouts of any other.
        self.load(&inner)
    }

    fn store_block(
        &mut self,
        access: &BlockAccess,
        value: Traced,
        given: &Arguments,
    ) -> Traceable<Traced> {
        let (pointer, mask) = self.elements(access)?;
        let positional = [Some(pointer), Some(value), mask];
        self.store(&Arguments {
            positional: positional.into_iter().flatten().collect(),
            named: Vec::new(),
            span: given.span,
        })
    }
}
