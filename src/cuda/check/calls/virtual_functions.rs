//! Virtual functions. An object begins with the address of its class's table, through which the host calls. Code of the
//! GPU has no calls through registers: there a number of the class stands in place of the address, and a call asks which
//! class it is, so that lanes with objects of different classes take turns, as on a GPU.

use crate::source::Span;

use super::callee::VirtualRow;
use super::device_pointer::{Case, value_of_local};
use crate::cuda::resolve::{
    BodyState, Checker, Operand, RunsOn, Side, TABLE, constant, convert, innermost, load, node,
    scalar,
};
use crate::cuda::typed::{
    BinaryOp, Expr, ExprKind, FunctionType, HostExpr, Place, Scalar, Stmt, StmtKind, Type,
};

impl Checker {
    /// Makes the object's virtual functions those of the struct whose function is being checked.
    pub fn set_table(&mut self, span: Span, out: &mut Vec<Stmt>) {
        let (Some((this, _)), Some(record)) = (self.frame.this_place(span), self.names.record)
        else {
            return;
        };
        if self.types.records[record].class.virtuals.is_empty() {
            return;
        }
        // Called behind the constructors of bases, which have left the addresses of their own tables there.
        let Some(place) = self.table_place(this, span) else {
            return;
        };
        let value = self.table_address(record, span);
        let ty = place.ty.clone();
        let kind = ExprKind::Assign(Box::new(place), Box::new(value));
        let kind = StmtKind::Expr(node(kind, ty, span));
        out.push(Stmt { kind, span });
    }

    /// Where an object keeps the address of its class's table: in the first base that has one, which may be some levels
    /// down.
    fn table_place(&self, mut place: Place, span: Span) -> Option<Place> {
        loop {
            let Type::Struct(of) = &place.ty else {
                return None;
            };
            let is_table = of.fields().first()?.name == TABLE;
            place = self.raw_field(&place, 0, span)?;
            if is_table {
                return Some(place);
            }
        }
    }

    /// The address of a struct's table, `U64`; for the GPU its number.
    pub fn table_address(&mut self, record: usize, span: Span) -> Expr {
        let word = scalar(Scalar::U64);
        if self.frame.side == Side::Gpu {
            return constant(word, class_number(record), span);
        }
        let table = self.table_of(record, span);
        let class = class_number(record);
        node(ExprKind::VirtualTable { table, class }, word, span)
    }

    /// The number of a struct's virtual table.
    fn table_of(&mut self, record: usize, span: Span) -> usize {
        if let Some(table) = self.types.records[record].class.table {
            return table;
        }
        let table = self.program.virtual_tables.len();
        // Before its functions are checked: one of them may make an object of this very struct.
        self.program.virtual_tables.push(Vec::new());
        self.types.records[record].class.table = Some(table);
        let rows = self.types.records[record].class.virtuals.clone();
        let mut functions = Vec::new();
        for row in rows {
            self.define_out_of_line(row.signature);
            let traits = &self.functions.signatures[row.signature].function.traits;
            let id = match traits.is_pure {
                true => None,
                false => self.body_for_call(row.signature, None, span),
            };
            functions.push(id.unwrap_or_else(|| self.no_function(span)));
        }
        self.program.virtual_tables[table] = functions;
        table
    }

    /// A function that stands in virtual tables where there is none.
    pub fn no_function(&mut self, span: Span) -> usize {
        let name = "pure virtual function";
        let functions = &self.program.functions;
        if let Some(known) = functions.iter().position(|function| function.name == name) {
            return known;
        }
        let of = FunctionType::of_values(Vec::new(), Type::Void);
        // Not by [`Checker::host`]: the function being checked does not itself call it.
        let abort = HostExpr::Library("abort".to_owned(), Vec::new());
        self.made_function(name, &of, span, |_| ExprKind::Host(Box::new(abort)))
    }

    /// Where a function stands among the virtual ones of its class, if it is one.
    pub fn virtual_row(&self, index: usize) -> Option<VirtualRow> {
        let record = self.functions.signatures[index].context.record?;
        // Rows of bases stand in the table of a derived class at the same places, so a row found in a base serves all.
        let rows = &self.types.records[record].class.virtuals;
        let row = rows.iter().position(|row| row.signature == index)?;
        Some(VirtualRow { record, row })
    }

    /// A call of a virtual function through its object's table.
    pub fn virtual_call(
        &mut self,
        of: VirtualRow,
        values: &[Expr],
        returns: &Type,
        span: Span,
    ) -> Option<Expr> {
        if self.frame.side == Side::Gpu {
            return self.virtual_device_call(of, values, returns, span);
        }
        let (object, arguments) = values.split_first()?;
        let call = HostExpr::CallVirtual {
            object: object.clone(),
            row: of.row as u32,
            arguments: arguments.to_vec(),
        };
        Some(self.host(call, returns.clone(), span))
    }

    /// The same in code of the GPU: a call of a function that asks for the object's class.
    fn virtual_device_call(
        &mut self,
        VirtualRow { record, row }: VirtualRow,
        values: &[Expr],
        returns: &Type,
        span: Span,
    ) -> Option<Expr> {
        let passed = values.iter().map(|value| value.ty.clone()).collect();
        let of = FunctionType::of_values(passed, returns.clone());
        let wanted = Type::Struct(self.types.records[record].ty.clone());
        let mut cases = Vec::new();
        for kind in self.polymorphic_kinds_of(&wanted) {
            cases.extend(self.case_of(kind, row, &of, span)?);
        }
        let id = self.dispatcher(&of, cases, span);
        Some(node(
            ExprKind::Call(id, values.to_vec()),
            returns.clone(),
            span,
        ))
    }

    /// What is called for an object of this class, in a function with parameters as `of` has them; nothing in it if the
    /// class has no such function for the GPU.
    fn case_of(
        &mut self,
        class: usize,
        row: usize,
        of: &FunctionType,
        span: Span,
    ) -> Option<Option<Case>> {
        let index = self.types.records[class].class.virtuals.get(row)?.signature;
        self.define_out_of_line(index);
        let signature = &self.functions.signatures[index];
        let is_there = signature.runs_on == RunsOn::Device && !signature.function.traits.is_pure;
        if !is_there {
            return Some(None);
        }
        let id = self.body_for_call(index, None, span);
        let id = match self.functions.signatures[index].state {
            BodyState::Open => self.number_of_open(index),
            _ => id?,
        };
        let mut passed: Vec<Expr> = (0..of.params.len())
            .map(|at| value_of_local(at, &of.params[at], span))
            .collect();
        let object = passed.first()?.clone();
        let place = self.deref_value(object.clone(), span)?.into_place()?;
        let table = load(Operand::place(self.table_place(place, span)?, true));
        // The function may be one that the class has from a base, and that takes an object of that.
        let this = self.program.functions[id].locals.first()?.ty.clone();
        if object.ty != this {
            let cast = self.cast_in_hierarchy(&object, &this);
            passed[0] = cast.unwrap_or_else(|| convert(object, &this));
        }
        let number = constant(scalar(Scalar::U64), class_number(class), span);
        let same = ExprKind::Binary(BinaryOp::Eq, Box::new(table), Box::new(number));
        Some(Some(Case {
            condition: node(same, scalar(Scalar::Bool), span),
            call: node(ExprKind::Call(id, passed), of.returns.clone(), span),
        }))
    }

    /// Whether nothing is done at the end of a struct's objects, though they have a destructor: it and those of all parts
    /// are empty.
    pub fn ends_without_effect(&self, record: usize) -> bool {
        let record = &self.types.records[record];
        // [class.dtor]: an implicit destructor only ends the parts.
        let Some(destructor) = record.class.destructor else {
            return true;
        };
        let function = &self.functions.signatures[destructor].function;
        let traits = &function.traits;
        let is_empty = match &function.body {
            Some(body) => body.is_empty(),
            None => traits.is_implicit || traits.is_default,
        };
        let mut parts = record.ty.fields().iter().map(|field| innermost(&field.ty));
        is_empty
            && parts.all(|ty| match ty {
                Type::Struct(of) => {
                    let part = self.types.index_of(of);
                    part.is_none_or(|part| self.ends_without_effect(part))
                }
                // Numbers and pointers end without effect.
                _ => true,
            })
    }
}

/// What stands in objects of a class where the host has the address of their table: a number that is no address.
fn class_number(record: usize) -> u64 {
    8 * (record as u64 + 1)
}
