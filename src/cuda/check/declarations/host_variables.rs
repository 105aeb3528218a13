//! Variables of the host that live as long as the program: at file scope, and `static` ones of functions.

use crate::source::Span;

use super::variables::known_bytes;
use crate::cuda::ast::{Path, Specifiers, Variable};
use crate::cuda::resolve::{Checker, Frame, Side, Symbol, constant, node, scalar};
use crate::cuda::typed::{
    Expr, ExprKind, FileMemory, FileVariable, FileVariableId, Function, HostStmt, Initializer,
    Place, PlaceKind, Scalar, Stmt, StmtKind, Type,
};

impl Checker {
    /// A variable of the host at file scope; what its value needs at run time is done before `main` begins.
    pub fn host_variable(
        &mut self,
        variable: &Variable,
        specifiers: &Specifiers,
        ty: Type,
        is_const: bool,
    ) -> Option<Symbol> {
        let id = self.host_variable_id(variable, specifiers, ty)?;
        if specifiers.storage.external.is_some() && variable.init.is_none() {
            // Only declared: its definition says what it begins with.
            return Some(Symbol::File(id, is_const));
        }
        self.begin_at_start(id, variable)?;
        if is_const && !self.program.variables[id].bytes.is_empty() {
            self.host.tables.insert(id, false);
        }
        Some(Symbol::File(id, is_const))
    }

    /// The value of a `static` member of a class, which stands outside of it.
    pub fn static_member_value(&mut self, path: &Path, variable: &Variable) -> Option<()> {
        let member = self.static_member(path)?.map(|entry| entry.symbol);
        match member {
            Some(Symbol::File(id, _)) if self.program.variables[id].memory == FileMemory::Host => {
                self.begin_at_start(id, variable)
            }
            Some(_) => None,
            None => {
                let error = format!("no class has a member `{}`", path.joined());
                self.error(path.span, error)
            }
        }
    }

    /// One function gives all variables their values, so its own are kept from one to the next.
    fn begin_at_start(&mut self, id: FileVariableId, variable: &Variable) -> Option<()> {
        let before = std::mem::replace(&mut self.frame, std::mem::take(&mut self.host.start_frame));
        (self.frame.side, self.frame.function.name) = (Side::Host, "start".to_owned());
        let mut made = Vec::new();
        let begun = self.begin_host_variable(id, variable, &mut made);
        self.host.start_frame = std::mem::replace(&mut self.frame, before);
        // After the frames are put back, or an error would leave the wrong one in use.
        begun?;
        self.host.start.append(&mut made);
        Some(())
    }

    /// The variable, which `extern` may have declared before.
    fn host_variable_id(
        &mut self,
        variable: &Variable,
        specifiers: &Specifiers,
        ty: Type,
    ) -> Option<FileVariableId> {
        let path = self.names.namespaces.qualify(&variable.name.name);
        let is_only_declared = specifiers.storage.external.is_some() && variable.init.is_none();
        if self.names.at_file_scope()
            && let Some(Symbol::File(id, _)) =
                self.names.scopes[0].get(&path).map(|entry| &entry.symbol)
            && (is_only_declared || self.host.declared.contains(id))
        {
            let id = *id;
            // `extern int a[];` leaves the length to the definition, and may stand behind it, too.
            if !is_only_declared {
                self.host.declared.remove(&id);
                self.program.variables[id].ty = ty;
            }
            return Some(id);
        }
        let id = self.add_host_variable(variable, ty, path.to_string());
        self.program.variables[id].align_bytes = self.asked_alignment(specifiers);
        if is_only_declared {
            self.host.declared.insert(id);
        }
        Some(id)
    }

    fn add_host_variable(&mut self, variable: &Variable, ty: Type, path: String) -> FileVariableId {
        self.program.variables.push(FileVariable {
            name: variable.name.name.to_string(),
            path,
            ty,
            memory: FileMemory::Host,
            align_bytes: 1,
            span: variable.name.span,
            initializer: variable.init.as_ref().map(|init| init.span),
            bytes: Vec::new(),
            filled_by_host: None,
        });
        self.program.variables.len() - 1
    }

    /// What a variable begins with: bytes, or else statements.
    fn begin_host_variable(
        &mut self,
        id: FileVariableId,
        variable: &Variable,
        out: &mut Vec<Stmt>,
    ) -> Option<()> {
        let (ty, span) = (self.program.variables[id].ty.clone(), variable.span);
        let kind = PlaceKind::File(id);
        let place = Place {
            kind,
            ty: ty.clone(),
            span,
        };
        // It is never ended: the program is over by then.
        if self.types.is_by_address(&ty) {
            return match (&variable.init, &variable.arguments) {
                (Some(init), _) => self.begin_written(&place, init, out),
                (None, Some(arguments)) => {
                    let Initializer::Value(value) = self.initialized_by(arguments, &ty, span)?
                    else {
                        return None;
                    };
                    let kind = StmtKind::Expr(self.settle(value, &place));
                    out.push(Stmt { kind, span });
                    Some(())
                }
                (None, None) => self.default_construction(place, out),
            };
        }
        let init = match (&variable.init, &variable.arguments) {
            (Some(init), _) => self.initializer(init, &ty)?,
            (None, Some(arguments)) => self.initialized_by(arguments, &ty, span)?,
            (None, None) => return self.default_construction(place, out),
        };
        match known_bytes(&init, &ty) {
            Some(bytes) => self.program.variables[id].bytes = bytes,
            None => store_initial(place, init, out),
        }
        Some(())
    }

    /// A `static` variable of a function of the host.
    pub fn static_local(
        &mut self,
        variable: &Variable,
        ty: Type,
        is_const: bool,
        out: &mut Vec<Stmt>,
    ) -> Option<Symbol> {
        let path = format!("{}::{}", self.frame.function.name, variable.name.name);
        let id = self.add_host_variable(variable, ty, path.clone());
        let mut made = Vec::new();
        self.begin_host_variable(id, variable, &mut made)?;
        self.frame.uses_host = true;
        if !made.is_empty() {
            let flag = self.add_host_variable(variable, scalar(Scalar::Bool), path);
            let kind = StmtKind::Host(Box::new(HostStmt::Once(flag, made)));
            let span = variable.span;
            out.push(Stmt { kind, span });
        }
        Some(Symbol::File(id, is_const))
    }

    /// The function that gives variables at file scope their values.
    pub fn finish_start(&mut self) {
        if self.host.start.is_empty() {
            return;
        }
        let frame: Frame = std::mem::take(&mut self.host.start_frame);
        self.program.functions.push(Function {
            name: "start".to_owned(),
            span: Span::default(),
            is_kernel: false,
            is_host: true,
            is_library: true,
            returns: Type::Void,
            parameter_count: 0,
            locals: frame.locals,
            body: [frame.hoisted, std::mem::take(&mut self.host.start)].concat(),
            max_threads: None,
            on_host: None,
        });
        self.program.start = Some(self.program.functions.len() - 1);
    }
}

/// Statements that give a place what it begins with.
fn store_initial(place: Place, init: Initializer, out: &mut Vec<Stmt>) {
    match init {
        Initializer::Value(value) => out.push(store(place, value)),
        Initializer::List(values) => store_parts(&place, &mut values.into_iter().peekable(), out),
    }
}

fn store(place: Place, value: Expr) -> Stmt {
    let (ty, span) = (place.ty.clone(), place.span);
    let kind = ExprKind::Assign(Box::new(place), Box::new(value));
    let kind = StmtKind::Expr(node(kind, ty, span));
    Stmt { kind, span }
}

/// Stores the values of a list, in order of memory, where they lie in a place; what they leave is zero already.
fn store_parts(
    place: &Place,
    values: &mut std::iter::Peekable<std::vec::IntoIter<Expr>>,
    out: &mut Vec<Stmt>,
) {
    let Some(next) = values.peek() else {
        return;
    };
    if next.ty == place.ty {
        out.extend(values.next().map(|value| store(place.clone(), value)));
        return;
    }
    let whole = || Box::new(place.clone());
    let mut part = |kind, ty: &Type| {
        let (ty, span) = (ty.clone(), place.span);
        store_parts(&Place { kind, ty, span }, values, out);
    };
    match &place.ty {
        Type::Array(element, length) => {
            for at in 0..*length {
                let index = constant(scalar(Scalar::U32), u64::from(at), place.span);
                part(PlaceKind::Index(whole(), Box::new(index)), element);
            }
        }
        Type::Struct(of) => {
            for (at, field) in of.fields().iter().enumerate() {
                part(PlaceKind::Member(whole(), at), &field.ty);
            }
        }
        Type::Vector(of, lanes) => {
            for at in 0..*lanes {
                part(PlaceKind::Component(whole(), at), &scalar(*of));
            }
        }
        _ => out.extend(values.next().map(|value| store(place.clone(), value))),
    }
}
