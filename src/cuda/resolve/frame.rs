//! The function being checked: its variables, and what surrounds a statement.

use std::collections::HashMap;
use std::rc::Rc;

use crate::source::Span;

use super::functions::Returns;
use super::operand::{Operand, address, comma, load};
use crate::cuda::ast;
use crate::cuda::lex::Name;
use crate::cuda::typed::{
    Expr, ExprKind, Local, LocalId, Place, PlaceKind, Stmt, StmtKind, Storage, Type,
};

/// The function being checked.
#[derive(Default)]
pub struct Frame {
    pub function: About,
    pub returns: Returns,
    pub locals: Vec<Local>,
    /// What the program need not know of each local.
    pub facts: Vec<Facts>,
    /// Declarations that belong at the beginning of its body.
    pub hoisted: Vec<Stmt>,
    /// Where the address of its object is; in a lambda, that of the object that it keeps as `this`.
    pub this: Option<LocalId>,
    pub objects: Objects,
    pub nesting: Nesting,
    pub shared_bytes: u64,
    pub side: Side,
    /// Whether it does what only the host can.
    pub uses_host: bool,
    /// Its arrays whose lengths only the run tells, by the variables that point to them.
    pub runtime_arrays: HashMap<LocalId, RuntimeArray>,
}

/// Its objects that are more than their bytes.
#[derive(Default)]
pub struct Objects {
    /// Where the address is of the one that it returns.
    pub result: Option<LocalId>,
    /// The variable that is made where that object is to be, once it is declared, and its name.
    pub elided: Option<(Name, Option<LocalId>)>,
    /// Whether some end in it; only told of code for the GPU.
    pub end: bool,
    /// The one whose fields begin as their struct says, outside of its constructors.
    pub made: Option<Place>,
}

/// An array whose lengths only the run tells.
#[derive(Clone)]
pub struct RuntimeArray {
    /// Its lengths, `U64`, the outermost first.
    pub lengths: Vec<Expr>,
    pub element: Type,
    pub is_const: bool,
}

/// Which function it is.
#[derive(Default)]
pub struct About {
    pub name: String,
    /// As written.
    pub written: Option<Rc<ast::Function>>,
    /// Its number among all functions.
    pub number: u32,
    pub is_kernel: bool,
    /// If it is the body of a lambda, where the address of that is.
    pub lambda: Option<LocalId>,
}

/// For whom a function is checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Side {
    /// For kernels.
    #[default]
    Gpu,
    /// `__host__ __device__` in a whole program: for whoever calls it.
    Both,
    /// For the host of a whole program.
    Host,
}

/// What stands around the statement being checked.
#[derive(Default)]
pub struct Nesting {
    /// Loops, which `continue` may go on with.
    pub loops: u32,
    /// Loops and `switch`es, which `break` may leave.
    pub breakable: u32,
    /// The function's labels, in the order in which they are met.
    pub labels: Vec<Name>,
}

/// What the checker knows of a variable and the program need not.
#[derive(Clone, Copy, Default)]
pub struct Facts {
    pub is_const: bool,
    /// Its value, where it is constant and known.
    pub value: Option<u64>,
    /// Whether it holds the object that an expression makes, which may be made elsewhere just as well.
    pub is_pending: bool,
    /// Whether it is the address of an object that is a parameter by value.
    pub is_own: bool,
}

impl Frame {
    /// A new variable.
    pub fn local(
        &mut self,
        name: &str,
        ty: Type,
        storage: Storage,
        span: Span,
        facts: Facts,
    ) -> LocalId {
        self.locals.push(Local::new(name, ty, storage, span));
        self.facts.push(facts);
        self.locals.len() - 1
    }

    /// The number of a label.
    pub fn label(&mut self, name: &Name) -> u32 {
        let known = self.nesting.labels.iter().position(|label| label == name);
        // A `goto` may name one that stands further down.
        let at = known.unwrap_or_else(|| {
            self.nesting.labels.push(name.clone());
            self.nesting.labels.len() - 1
        });
        at as u32
    }

    /// A new reference: a pointer of type `ty`.
    pub fn reference(&mut self, name: &str, ty: Type, span: Span) -> LocalId {
        let id = self.local(name, ty, Storage::Thread, span, Facts::default());
        self.locals[id].is_reference = true;
        id
    }

    /// A variable without a name.
    pub fn temporary(&mut self, ty: Type, span: Span) -> Place {
        let local = self.local("", ty.clone(), Storage::Thread, span, Facts::default());
        let kind = PlaceKind::Local(local);
        Place { kind, ty, span }
    }

    /// A value in a variable without a name, and what puts it there.
    pub fn stored(&mut self, value: Expr) -> (Place, Expr) {
        let (ty, span) = (value.ty.clone(), value.span);
        let place = self.temporary(ty.clone(), span);
        let kind = ExprKind::Assign(Box::new(place.clone()), Box::new(value));
        (place, Expr { kind, ty, span })
    }

    /// Has operands evaluated in this order and before what they are operands of: each is put to a variable without a
    /// name by the expression that is returned. Nothing is returned where no order can be told from another.
    pub fn evaluated_in_order<'a>(
        &mut self,
        operands: impl Iterator<Item = &'a mut Expr>,
    ) -> Option<Expr> {
        let varies = |operand: &&mut Expr| !matches!(operand.kind, ExprKind::Constant(_));
        let mut operands: Vec<&mut Expr> = operands.filter(varies).collect();
        if !operands.iter().any(|operand| operand.has_effects()) {
            return None;
        }
        // The last one is evaluated behind the others where it stands.
        operands.pop();
        let stores = operands.into_iter().map(|operand| {
            let (place, store) = self.stored(operand.clone());
            *operand = load(Operand::place(place, false));
            store
        });
        stores.reduce(comma)
    }

    /// The address of a variable that holds a value.
    pub fn address_of_value(&mut self, value: Expr) -> Expr {
        // A value has no address, so it is stored first: `(temporary = value, &temporary)`.
        let (place, assign) = self.stored(value);
        let address = address(place, true);
        let (ty, span) = (address.ty.clone(), address.span);
        let kind = ExprKind::Comma(Box::new(assign), Box::new(address));
        Expr { kind, ty, span }
    }

    /// A declaration for a variable that the function needs but does not write.
    pub fn hoist(&mut self, local: LocalId, span: Span) {
        let kind = StmtKind::Declare { local, init: None };
        self.hoisted.push(Stmt { kind, span });
    }

    /// What a variable holds; of a reference, the pointer.
    pub fn load_local(&self, id: LocalId, span: Span) -> Expr {
        let ty = self.locals[id].ty.clone();
        let kind = PlaceKind::Local(id);
        let place = Place { kind, ty, span };
        load(Operand::place(place, false))
    }

    pub fn local_operand(&self, id: LocalId, span: Span) -> Operand {
        let (local, facts) = (&self.locals[id], self.facts[id]);
        // A reference is kept as a pointer, and its name stands for what that points to.
        if let (true, Type::Pointer { to, is_const }) = (local.is_reference, &local.ty) {
            let kind = PlaceKind::Deref(Box::new(self.load_local(id, span)));
            let ty = (**to).clone();
            return Operand::place(Place { kind, ty, span }, *is_const);
        }
        let (kind, ty) = (PlaceKind::Local(id), local.ty.clone());
        Operand::Place {
            place: Place { kind, ty, span },
            is_const: facts.is_const,
            is_expiring: false,
            value: facts.value,
        }
    }

    /// A use of an `extern __shared__` array at file scope: the function gets a variable for it.
    pub fn dynamic_shared(&mut self, name: &str, ty: Type, declared: Span, span: Span) -> Operand {
        // By its place, not its name: two namespaces may each declare an array `s`.
        let is_same =
            |local: &Local| local.storage == Storage::DynamicShared && local.span == declared;
        let id = self.locals.iter().position(is_same).unwrap_or_else(|| {
            let facts = Facts::default();
            let id = self.local(name, ty, Storage::DynamicShared, declared, facts);
            self.hoist(id, declared);
            id
        });
        self.local_operand(id, span)
    }

    /// The object whose function is being checked, and whether it is `const`.
    pub fn this_place(&self, span: Span) -> Option<(Place, bool)> {
        if let Some(made) = &self.objects.made {
            return Some((made.clone(), false));
        }
        self.object_place(self.this?, span)
    }

    /// The lambda whose body is being checked, and whether it is `const`.
    pub fn lambda_place(&self, span: Span) -> Option<(Place, bool)> {
        self.object_place(self.function.lambda?, span)
    }

    /// What a reference refers to, and whether that is `const`.
    fn object_place(&self, reference: LocalId, span: Span) -> Option<(Place, bool)> {
        match self.local_operand(reference, span) {
            Operand::Place {
                place, is_const, ..
            } => Some((place, is_const)),
            Operand::Value(_) => None,
        }
    }
}
