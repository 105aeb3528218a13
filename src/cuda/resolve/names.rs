//! The names that can be seen from where something is checked.

use std::collections::HashMap;
use std::rc::Rc;

use super::namespaces::Namespaces;
use super::symbol::{Context, Entry, Symbol, hidden_tag};
use crate::cuda::ast::{Expr, ExprKind, Ident, Path, PrefixOp};
use crate::cuda::lex::Name;
use crate::cuda::typed::Type;

/// Names and their declarations in one scope.
pub type Scope = HashMap<Name, Entry>;

/// The names that can be seen where something is checked.
pub struct Names {
    /// Those of the file first, those of the innermost block last. The file's are written with
    /// their namespaces, as `a::b::f`; there is always a scope of the file.
    pub scopes: Vec<Scope>,
    pub namespaces: Namespaces,
    /// Number of the item being checked: what later items declare is not known yet.
    pub item: usize,
    /// Number of the item that it is written in: of what a template makes, that of the template.
    pub definition: usize,
    /// The struct whose function or field is being checked.
    pub record: Option<usize>,
}

impl Names {
    /// Before anything is declared.
    pub fn new() -> Self {
        Names {
            scopes: vec![Scope::new()],
            namespaces: Namespaces::default(),
            item: 0,
            definition: 0,
            record: None,
        }
    }

    /// Whether what is checked stands in no function and no struct.
    pub fn at_file_scope(&self) -> bool {
        self.scopes.len() == 1
    }

    /// Scopes of blocks, functions and structs, the innermost last.
    pub fn inner_scopes(&self) -> &[Scope] {
        &self.scopes[1..]
    }

    pub fn find(&self, name: &str) -> Option<&Entry> {
        // [basic.lookup.unqual]: from the innermost block outwards, and then what the file declares.
        let found = self
            .inner_scopes()
            .iter()
            .rev()
            .find_map(|scope| scope.get(name));
        found.or_else(|| self.find_at_file(name))
    }

    /// The type that a function or a variable hides: not from who says `struct` before its name ([basic.lookup.elab]).
    pub fn find_hidden_type(&self, name: &str) -> Option<(&Type, bool)> {
        let as_type = |entry: &'_ Entry| matches!(entry.symbol, Symbol::Type(..));
        let mut scopes = self.inner_scopes().iter().rev();
        let inner = scopes.find_map(|scope| scope.get(name).filter(|entry| as_type(entry)));
        let at_file = || self.find_at_file(name).filter(|entry| as_type(entry));
        let tag = || self.find(&hidden_tag(name));
        match &inner.or_else(at_file).or_else(tag)?.symbol {
            Symbol::Type(ty, is_const) => Some((ty, *is_const)),
            _ => None,
        }
    }

    /// What a name at file scope stands for, seen from the current namespace.
    fn find_at_file(&self, name: &str) -> Option<&Entry> {
        let whole = self.namespaces.candidates(name);
        let found = whole.filter_map(|whole| self.scopes[0].get(whole.as_str()));
        // [basic.scope.pdecl]: a later declaration hides nothing yet. It is found where there is no other, to
        // be reported.
        let order = |entry: &&Entry| (entry.item > self.definition, entry.item > self.item);
        found.min_by_key(order)
    }

    /// What a path stands for, template arguments aside.
    pub fn find_path(&self, path: &Path) -> Option<&Entry> {
        match &path.segments[..] {
            [only] if !path.is_global => self.find(&only.name.name),
            _ if path.is_global => self.scopes[0].get(self.namespaces.canonical(path).as_str()),
            _ => {
                let whole = self.namespaces.canonical(path);
                let through = || {
                    let mut all = self.namespaces.through_opened(&whole);
                    all.find_map(|whole| self.scopes[0].get(whole.as_str()))
                };
                self.find(&whole).or_else(through)
            }
        }
    }

    /// What an expression stands for that is a name without template arguments, `f` as well as `&f`; nothing if it is
    /// another expression.
    pub fn find_named(&self, written: &Expr) -> Option<Option<&Entry>> {
        // [over.over]: `&f` and `f` name the same functions.
        let named = match &written.kind {
            ExprKind::Prefix(PrefixOp::AddressOf, inner) => inner,
            _ => written,
        };
        match &named.kind {
            ExprKind::Name(name) => Some(self.find(name)),
            ExprKind::Path(path) => Some(self.find_path(path)),
            _ => None,
        }
    }

    /// Declares a name in the innermost scope; what had the name there before.
    pub fn declare(&mut self, name: &Ident, symbol: Symbol) -> Option<Entry> {
        let whole = self.in_innermost_scope(&name.name);
        let mut entry = Entry {
            symbol,
            span: name.span,
            item: self.item,
        };
        let scope = self.scopes.last_mut()?;
        // What is declared again is known from its first declaration on, wherever the others stand.
        if let Some(before) = scope.get(&whole)
            && before.symbol.may_stand_again(&entry.symbol)
        {
            entry.item = before.item;
        }
        scope.insert(whole, entry)
    }

    /// A name as the innermost scope has it.
    pub fn in_innermost_scope(&self, name: &Name) -> Name {
        match self.at_file_scope() {
            true => self.namespaces.qualify(name),
            false => name.clone(),
        }
    }

    /// Goes to the item of a number.
    pub fn go_to(&mut self, item: usize, namespace: &str) {
        (self.item, self.definition) = (item, item);
        self.namespaces.current = namespace.to_string();
    }

    /// Where what is declared now at file scope stands.
    pub fn file_context(&self) -> Rc<Context> {
        Rc::new(Context {
            namespace: self.namespaces.current.clone(),
            item: self.item,
            definition: self.definition,
            ..Context::default()
        })
    }

    /// Goes to where `context` says; what to give to [`Names::leave`].
    pub fn enter(&mut self, context: &Context) -> Context {
        // Only the file's scope is seen from everywhere; the blocks that are open here are out of sight meanwhile.
        let scopes = self.scopes.split_off(1);
        self.scopes.extend(context.scopes.iter().cloned());
        Context {
            scopes,
            namespace: std::mem::replace(&mut self.namespaces.current, context.namespace.clone()),
            item: std::mem::replace(&mut self.item, context.item),
            definition: std::mem::replace(&mut self.definition, context.definition),
            record: std::mem::replace(&mut self.record, context.record),
            ..Context::default()
        }
    }

    /// Goes back to where [`Names::enter`] was called.
    pub fn leave(&mut self, before: Context) {
        self.scopes.truncate(1);
        self.scopes.extend(before.scopes);
        self.namespaces.current = before.namespace;
        self.item = before.item;
        self.definition = before.definition;
        self.record = before.record;
    }
}
