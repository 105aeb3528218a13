//! What variables begin with: values, and lists in braces.

use std::collections::VecDeque;

use crate::source::{Diagnostic, Span};

use crate::cuda::ast::{self, ExprKind as Written};
use crate::cuda::check::calls::pointed_function;
use crate::cuda::lex;
use crate::cuda::resolve::{Checker, Operand, Record, Side, comma, constant, load, node, scalar};
use crate::cuda::typed::{
    Bits, Expr, ExprKind, Field, Initializer, Place, PlaceKind, Scalar, Struct, Type,
};

/// A list as it grows.
#[derive(Default)]
struct List {
    /// Its values: scalars, and whole vectors and structs.
    values: Vec<Expr>,
    /// How many scalars they are together.
    scalars: usize,
}

impl List {
    fn push(&mut self, value: Expr) {
        self.scalars += scalar_count(&value.ty);
        self.values.push(value);
    }

    /// Adds zeros for what is missing of a `ty` that began when there were `begin` scalars.
    fn complete(&mut self, ty: &Type, begin: usize, span: Span) {
        // [dcl.init.aggr]: what a list leaves out begins as zero.
        let mut leaves = Vec::new();
        if self.scalars - begin < scalar_count(ty) {
            leaf_types(ty, &mut leaves);
        }
        for leaf in leaves.drain(..).skip(self.scalars - begin) {
            self.push(constant(leaf, 0, span));
        }
    }
}

/// A value of a list: written, or already computed.
enum Item<'a> {
    Written(&'a ast::Expr),
    Known(Operand),
}

impl<'a> Item<'a> {
    fn all(values: &'a [ast::Expr]) -> VecDeque<Item<'a>> {
        values.iter().map(Item::Written).collect()
    }

    fn span(&self) -> Span {
        match self {
            Item::Written(value) => value.span,
            Item::Known(Operand::Value(value)) => value.span,
            Item::Known(Operand::Place { place, .. }) => place.span,
        }
    }
}

impl Checker {
    /// The initialiser of a variable of type `ty`.
    pub fn initializer(&mut self, written: &ast::Expr, ty: &Type) -> Option<Initializer> {
        match (&written.kind, ty) {
            (Written::String(text), Type::Array(element, length)) if is_character(element) => self
                .characters(text, element, *length, written.span)
                .map(Initializer::List),
            // `char s[] = {"text"}` is the same with the braces as without ([dcl.init.string]).
            (Written::Braces(values), Type::Array(element, _))
                if is_character(element)
                    && matches!(&values[..], [only] if matches!(only.kind, Written::String(_))) =>
            {
                self.initializer(&values[0], ty)
            }
            (Written::Braces(values), Type::Array(..)) => {
                self.list(ty, Item::all(values)).map(Initializer::List)
            }
            (Written::Braces(values), Type::Vector(..) | Type::Struct(_)) => {
                let made = self.construct(ty, values, true, written.span)?;
                Some(match made.kind {
                    ExprKind::Vector(list) | ExprKind::Struct(list) => Initializer::List(list),
                    _ => Initializer::Value(made),
                })
            }
            (Written::Braces(values), _) => match &values[..] {
                // [dcl.init.list]: `int x = {};` is 0, and `int x = {1};` is 1.
                [] => Some(Initializer::Value(constant(ty.clone(), 0, written.span))),
                [value] => self.initializer(value, ty),
                [_, extra, ..] => self.error(extra.span, format!("`{ty}` holds one value")),
            },
            (_, Type::Array(..)) => {
                self.value(written)?;
                let error =
                    Diagnostic::error(written.span, "an array begins with values in braces");
                self.refuse(error.help("write `= {…}`, or fill it in a loop"))
            }
            _ => self.value_of_type(written, ty).map(Initializer::Value),
        }
    }

    /// A value of a type, where braces may stand for it.
    pub fn value_of_type(&mut self, written: &ast::Expr, ty: &Type) -> Option<Expr> {
        if let Written::Braces(values) = &written.kind {
            return self.construct(ty, values, true, written.span);
        }
        if self.frame.side != Side::Gpu
            && let Some(of) = pointed_function(ty)
            && let Some(function) = self.function_of_type(written, of)
        {
            return Some(function);
        }
        let operand = self.operand(written)?;
        self.operand_of_type(operand, ty, written.span)
    }

    /// The same of an operand that is written at `span`.
    pub fn operand_of_type(&mut self, operand: Operand, ty: &Type, span: Span) -> Option<Expr> {
        match ty {
            Type::Struct(of) if self.types.is_by_address(ty) => {
                self.object_value(operand, of, span)
            }
            Type::Struct(of) if operand.ty() != ty && self.types.has_constructors(of) => {
                self.constructed(of, vec![operand], span)
            }
            _ => {
                let value = load(operand);
                self.coerce(Expr { span, ..value }, ty)
            }
        }
    }

    /// The elements of an array of characters that begins with a string ([dcl.init.string]).
    fn characters(
        &mut self,
        text: &str,
        element: &Type,
        length: u32,
        span: Span,
    ) -> Option<Vec<Expr>> {
        let bytes = self.bytes_of_text(text, span)?;
        // The 0 at its end counts, other than in C: `char s[3] = "abc"` is wrong.
        if bytes.len() > length as usize {
            let message = format!("this string needs {} bytes, not {length}", bytes.len());
            return self.error(span, message);
        }
        let is_signed = element.scalar().is_some_and(Scalar::is_signed);
        let bits = |byte: u8| match is_signed {
            true => byte as i8 as i64 as u64,
            false => u64::from(byte),
        };
        let mut all: Vec<Expr> = bytes
            .into_iter()
            .map(|byte| constant(element.clone(), bits(byte), span))
            .collect();
        // [dcl.init.string]: characters that the string leaves begin as zero.
        all.resize(length as usize, constant(element.clone(), 0, span));
        Some(all)
    }

    /// The parts of a `ty` in braces.
    fn list(&mut self, ty: &Type, mut items: VecDeque<Item>) -> Option<Vec<Expr>> {
        let mut list = List::default();
        self.fill(ty, &mut items, &mut list)?;
        self.nothing_left(ty, &items)?;
        Some(list.values)
    }

    fn nothing_left(&mut self, ty: &Type, items: &VecDeque<Item>) -> Option<()> {
        match items.front() {
            None => Some(()),
            Some(extra) => {
                let message = format!("there are more values than `{ty}` holds");
                self.error(extra.span(), message)
            }
        }
    }

    /// Takes from `items` what fills a `ty`, in order of memory, to `list`.
    fn fill(&mut self, ty: &Type, items: &mut VecDeque<Item>, list: &mut List) -> Option<()> {
        if let (Type::Struct(of), false) = (ty, items.is_empty())
            && let Some(widest) = of.widest()
        {
            return self.fill_union(ty, widest, items, list);
        }
        let count = match ty {
            Type::Array(_, length) => *length,
            Type::Vector(_, lanes) => *lanes,
            Type::Struct(of) => of.fields().len() as u32,
            _ => return None,
        };
        for index in 0..count {
            let part = part_type(ty, index)?;
            let begin = list.scalars;
            if let Some(all) = self.word(ty, index).filter(|_| !items.is_empty()) {
                self.fill_word(&part, &all, items, list)?;
                continue;
            }
            let Some(item) = items.pop_front() else {
                // The list is filled up to the last field that has an initialiser; behind it, zeros need not be written.
                if !self.fill_by_default(ty, index, list)? && !self.begins_later(ty, index) {
                    return Some(());
                }
                list.complete(&part, begin, Span::default());
                continue;
            };
            let span = item.span();
            self.fill_part(&part, item, items, list)?;
            let is_last = index + 1 == count || items.is_empty() && !self.begins_later(ty, index);
            if !is_last {
                list.complete(&part, begin, span);
            }
        }
        Some(())
    }

    /// Fills a union whose widest member is number `widest`.
    fn fill_union(
        &mut self,
        ty: &Type,
        widest: usize,
        items: &mut VecDeque<Item>,
        list: &mut List,
    ) -> Option<()> {
        let first = items.pop_front()?;
        let (begin, span) = (list.scalars, first.span());
        let part = part_type(ty, 0)?;
        // [dcl.init.aggr]: the first member takes the value; what lies behind it begins as zero.
        if widest == 0 {
            self.fill_part(&part, first, items, list)?;
            list.complete(ty, begin, span);
            return Some(());
        }
        let value = match (first, &part) {
            (_, Type::Array(..)) => {
                let message = format!("the union `{ty}` cannot begin with values yet");
                let error = Diagnostic::error(span, message);
                return self.refuse(error.help("declare it, then assign one of its members"));
            }
            (Item::Written(value), _) => self.value_of_type(value, &part)?,
            (Item::Known(operand), _) => self.coerce(load(operand), &part)?,
        };
        // Zeros are the same in every member, so that the widest one's list will do.
        if matches!(value.kind, ExprKind::Constant(0)) {
            list.complete(ty, begin, span);
            return Some(());
        }
        list.push(self.union_with(ty, part, value));
        Some(())
    }

    /// A union of zeros whose first member, of type `part`, is then assigned: the lists of the program hold the widest
    /// member alone.
    fn union_with(&mut self, ty: &Type, part: Type, value: Expr) -> Expr {
        let span = value.span;
        let zeros = node(ExprKind::Struct(Vec::new()), ty.clone(), span);
        let (place, cleared) = self.frame.stored(zeros);
        let member = Place {
            kind: PlaceKind::Member(Box::new(place.clone()), 0),
            ty: part.clone(),
            span,
        };
        let assigned = ExprKind::Assign(Box::new(member), Box::new(value));
        let whole = load(Operand::place(place, false));
        comma(cleared, comma(node(assigned, part, span), whole))
    }

    /// Fills the bit-fields of a word, or the bytes between such words.
    fn fill_word(
        &mut self,
        part: &Type,
        all: &[Bits],
        items: &mut VecDeque<Item>,
        list: &mut List,
    ) -> Option<()> {
        let begin = list.scalars;
        if all.is_empty() {
            list.complete(part, begin, Span::default());
            return Some(());
        }
        let mut word = constant(part.clone(), 0, Span::default());
        for bits in all {
            let value = match items.pop_front() {
                Some(Item::Written(value)) => self.value(value)?,
                Some(Item::Known(operand)) => load(operand),
                None => break,
            };
            word = self.with_bits(word, *bits, value)?;
        }
        list.push(word);
        Some(())
    }

    /// Fills one part with an item, and with those behind it if the part is not in braces itself.
    fn fill_part(
        &mut self,
        part: &Type,
        item: Item,
        items: &mut VecDeque<Item>,
        list: &mut List,
    ) -> Option<()> {
        let operand = match item {
            Item::Written(value) => match (&value.kind, part) {
                (Written::String(text), Type::Array(element, length)) if is_character(element) => {
                    let all = self.characters(text, element, *length, value.span)?;
                    all.into_iter().for_each(|value| list.push(value));
                    return Some(());
                }
                (Written::Braces(values), Type::Array(..) | Type::Vector(..)) => {
                    let mut inner = Item::all(values);
                    self.fill(part, &mut inner, list)?;
                    return self.nothing_left(part, &inner);
                }
                (Written::Braces(_), _) => {
                    list.push(self.value_of_type(value, part)?);
                    return Some(());
                }
                _ => self.operand(value)?,
            },
            Item::Known(operand) => operand,
        };
        self.fill_with(part, operand, items, list)
    }

    /// Fills one part with an operand, and with the items behind it where that is only the first scalar of the part.
    fn fill_with(
        &mut self,
        part: &Type,
        operand: Operand,
        items: &mut VecDeque<Item>,
        list: &mut List,
    ) -> Option<()> {
        match part {
            // [dcl.init.aggr]: a value of the part's own type is the whole part, not its first member.
            Type::Vector(..) | Type::Struct(_) if operand.ty() == part => {
                list.push(load(operand));
                Some(())
            }
            Type::Struct(of) if self.types.has_constructors(of) => {
                let span = Item::Known(operand.clone()).span();
                list.push(self.constructed(of, vec![operand], span)?);
                Some(())
            }
            // [dcl.init.aggr]: braces around a part may be left out: `int a[2][2] = {1, 2, 3, 4}`.
            Type::Array(..) | Type::Vector(..) | Type::Struct(_) => {
                // Put back: it fills the first scalar of the part, and the values behind it the rest.
                items.push_front(Item::Known(operand));
                self.fill(part, items, list)
            }
            _ => {
                list.push(self.coerce(load(operand), part)?);
                Some(())
            }
        }
    }

    /// Whether a field has an initialiser in its declaration, with which it then begins: the list does not reach it
    /// ([dcl.init.aggr]).
    fn fill_by_default(&mut self, ty: &Type, index: u32, list: &mut List) -> Option<bool> {
        let record = match ty {
            Type::Struct(of) => self.types.record_of(of),
            _ => None,
        };
        let default = record.and_then(|record| {
            let default = record.defaults.get(index as usize)?.clone()?;
            Some((default, record.context.clone()))
        });
        let Some((default, context)) = default else {
            return Some(false);
        };
        let part = part_type(ty, index)?;
        self.within(&context, |checker| match &part {
            Type::Array(..) => {
                let none = &mut VecDeque::new();
                checker.fill_part(&part, Item::Written(&default), none, list)
            }
            _ => {
                list.push(checker.value_of_type(&default, &part)?);
                Some(())
            }
        })?;
        Some(true)
    }

    /// Whether a later field begins with something by its declaration.
    fn begins_later(&self, ty: &Type, index: u32) -> bool {
        let Type::Struct(of) = ty else {
            return false;
        };
        let later = |record: &Record| {
            let mut defaults = record.defaults.iter().skip(index as usize + 1);
            defaults.any(Option::is_some)
        };
        self.types.record_of(of).is_some_and(later)
    }

    /// `T(…)` and `T{…}`.
    pub fn construct(
        &mut self,
        ty: &Type,
        values: &[ast::Expr],
        with_braces: bool,
        span: Span,
    ) -> Option<Expr> {
        match (ty, values) {
            (Type::Scalar(_) | Type::Pointer { .. }, []) => Some(constant(ty.clone(), 0, span)),
            (Type::Scalar(_) | Type::Pointer { .. }, [value]) => self.value_of_type(value, ty),
            (Type::Vector(..) | Type::Struct(_), _) => {
                self.construct_parts(ty, values, with_braces, span)
            }
            _ => {
                let count = values.len();
                self.error(span, format!("`{ty}` is not made from {count} values"))
            }
        }
    }

    fn construct_parts(
        &mut self,
        ty: &Type,
        values: &[ast::Expr],
        with_braces: bool,
        span: Span,
    ) -> Option<Expr> {
        if let (Type::Struct(of), true) = (ty, values.first().is_some_and(has_name)) {
            let values = self.in_order_of_fields(of, values)?;
            return self.construct_parts(ty, &values, with_braces, span);
        }
        if let Some(made) = self.made_of_initializer_list(ty, values, with_braces, span) {
            return made;
        }
        let mut items = Item::all(values);
        if let [value] = values
            && !matches!(value.kind, Written::Braces(_))
        {
            let operand = self.operand(value)?;
            // `T{x}` and `T(x)` with an `x` of that type are copies ([dcl.init.list]).
            if operand.ty() == ty {
                return self.copy_of(operand, span);
            }
            items = VecDeque::from([Item::Known(operand)]);
        }
        match ty {
            Type::Struct(of) if self.types.has_constructors(of) => {
                self.construct_class(of, values, items.pop_front(), with_braces, span)
            }
            Type::Struct(of) if self.is_made_of_parts(of, values) => {
                self.made_of_parts(of, values, span)
            }
            _ if with_braces || values.is_empty() => self.made_of_list(ty, items, span),
            // <cuda_fp16.h>: pairs of 16-bit floats have a constructor, other vectors have none.
            Type::Vector(of, lanes) if of.is_half() && items.len() == *lanes as usize => {
                self.made_of_list(ty, items, span)
            }
            _ => self.refuse_parentheses(ty, values.len(), span),
        }
    }

    /// An object by its constructors; `first` is the first value, where that has been looked at.
    fn construct_class(
        &mut self,
        of: &Struct,
        values: &[ast::Expr],
        first: Option<Item>,
        with_braces: bool,
        span: Span,
    ) -> Option<Expr> {
        let record = self.types.index_of(of)?;
        let operands = match first {
            Some(Item::Known(operand)) => vec![operand],
            _ => self.operands_for(&self.constructors_for(record), None, values)?,
        };
        match with_braces && self.frame.side != Side::Gpu {
            true => self.constructed_in_order(of, operands, span),
            false => self.constructed(of, operands, span),
        }
    }

    fn copy_of(&mut self, operand: Operand, span: Span) -> Option<Expr> {
        match operand.ty().clone() {
            Type::Struct(of) if self.types.is_by_address(operand.ty()) => {
                self.object_value(operand, &of, span)
            }
            _ => Some(load(operand)),
        }
    }

    /// `{.b = 1}` as the list of all fields up to the last that is named ([dcl.init.aggr]).
    fn in_order_of_fields(&mut self, of: &Struct, values: &[ast::Expr]) -> Option<Vec<ast::Expr>> {
        let mut all: Vec<ast::Expr> = Vec::new();
        for value in values {
            let Written::Designated(name, inner) = &value.kind else {
                return self.error(
                    value.span,
                    "either all values in braces have names, or none",
                );
            };
            let Some(at) = of.fields().iter().position(|field| *field.name == **name) else {
                let message = format!("`{}` has no member `{name}`", of.name());
                return self.error(value.span, message);
            };
            // C++20 allows no other order ([dcl.init.aggr]), unlike C.
            if at < all.len() {
                let message = "the names in braces stand in the order of the struct's members";
                return self.error(value.span, message);
            }
            for skipped in all.len()..at {
                let default = self
                    .types
                    .record_of(of)?
                    .defaults
                    .get(skipped)
                    .cloned()
                    .flatten();
                let zero = ast::Expr::new(Written::Braces(Vec::new()), value.span);
                all.push(default.unwrap_or(zero));
            }
            all.push((**inner).clone());
        }
        Some(all)
    }

    /// A vector or struct from a list; what that leaves of a vector is zero.
    fn made_of_list(&mut self, ty: &Type, items: VecDeque<Item>, span: Span) -> Option<Expr> {
        let mut list = self.list(ty, items)?;
        let kind = match ty {
            Type::Vector(of, lanes) => {
                // Vectors always have all lanes: what follows counts on it. Structs may end early.
                list.resize_with(*lanes as usize, || constant(scalar(*of), 0, span));
                ExprKind::Vector(list)
            }
            _ => ExprKind::Struct(list),
        };
        let ty = ty.clone();
        Some(Expr { kind, ty, span })
    }

    /// `T(a, b)` of a type that has no constructor for it.
    fn refuse_parentheses<T>(&mut self, ty: &Type, count: usize, span: Span) -> Option<T> {
        let (message, help) = match ty {
            Type::Vector(..) => (
                format!("`{ty}` is not made from {count} values"),
                format!("write `make_{ty}(…)`, or braces: `{ty}{{…}}`"),
            ),
            _ => (
                format!("`{ty}` has no constructor"),
                format!("write braces: `{ty}{{…}}`"),
            ),
        };
        self.refuse(Diagnostic::error(span, message).help(help))
    }

    /// The length of `T x[] = {…}`, whose type is written as `ty`.
    pub fn length_of_list(&self, ty: &ast::TypeName, init: Option<&ast::Expr>) -> Option<u32> {
        let text = |text: &str| {
            let bytes = lex::unescaped(text).ok()?;
            // With the zero at its end.
            u32::try_from(bytes.len() + 1).ok()
        };
        match &init?.kind {
            Written::String(only) => text(only),
            Written::Braces(values) => match &values[..] {
                [] => None,
                [only] if has_characters(ty) && matches!(only.kind, Written::String(_)) => {
                    self.length_of_list(ty, Some(only))
                }
                values => u32::try_from(values.len()).ok(),
            },
            _ => None,
        }
    }
}

/// Whether a type that is written is an array of characters, not of texts.
fn has_characters(ty: &ast::TypeName) -> bool {
    let is_character = match ty.base {
        ast::Base::Scalar(of) => is_character(&scalar(of)),
        _ => false,
    };
    is_character && ty.modifiers.len() == 1
}

/// Whether it is `.a = e`.
fn has_name(value: &ast::Expr) -> bool {
    matches!(value.kind, Written::Designated(..))
}

/// Whether an array of such elements may begin with a string.
fn is_character(element: &Type) -> bool {
    matches!(
        element,
        Type::Scalar(Scalar::Char | Scalar::I8 | Scalar::U8)
    )
}

/// The type of the part number `index` of a vector, array or struct.
fn part_type(ty: &Type, index: u32) -> Option<Type> {
    match ty {
        Type::Array(element, _) => Some((**element).clone()),
        Type::Vector(of, _) => Some(scalar(*of)),
        Type::Struct(of) => of
            .fields()
            .get(index as usize)
            .map(|field| field.ty.clone()),
        _ => None,
    }
}

/// The number of scalars of a value.
pub fn scalar_count(ty: &Type) -> usize {
    match ty {
        Type::Array(element, length) => scalar_count(element) * *length as usize,
        Type::Vector(_, lanes) => *lanes as usize,
        Type::Struct(of) => present(of).map(|field| scalar_count(&field.ty)).sum(),
        _ => 1,
    }
}

/// The fields that a list has values for: of a union only the widest.
fn present(of: &Struct) -> impl Iterator<Item = &Field> {
    let widest = of.widest();
    let all = of.fields().iter().enumerate();
    let is_present = move |(at, _): &(usize, &Field)| widest.is_none_or(|widest| widest == *at);
    all.filter(is_present).map(|(_, field)| field)
}

fn leaf_types(ty: &Type, leaves: &mut Vec<Type>) {
    match ty {
        Type::Array(element, length) => {
            for _ in 0..*length {
                leaf_types(element, leaves);
            }
        }
        Type::Vector(of, lanes) => leaves.extend((0..*lanes).map(|_| scalar(*of))),
        Type::Struct(of) => present(of).for_each(|field| leaf_types(&field.ty, leaves)),
        ty => leaves.push(ty.clone()),
    }
}
