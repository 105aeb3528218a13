//! What of a file its kernels need, and what not.
//!
//! By names alone: a declaration is needed if a word of one that is needed names it. So all overloads,
//! specialisations and definitions outside of a struct come with their name, and what macros made of
//! the text counts. What is for the host is never needed, as the checker would have refused the kernel.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::source::Span;

use super::ast::{Base, Declaration, Enum, Function, Item, Path, TypeName, Unit};
use super::lex::{Name, Token};

/// Namespaces of CUDA's that a `using namespace` may open, though nothing names them.
const OPENED: [&str; 4] = ["std", "cooperative_groups", "nvcuda", "nvcuda::wmma"];

/// The declarations of a file, as tokens.
pub struct Declarations {
    /// Where each stands.
    places: Vec<Span>,
    /// The words in each; those that one macro has made share theirs.
    words: Vec<Rc<HashSet<Name>>>,
    /// Those that a name may mean.
    by_name: HashMap<Name, Vec<usize>>,
    /// Operators, which no word names.
    operators: Vec<usize>,
    /// Those of types.
    types: HashSet<Name>,
    kernels: Vec<usize>,
    opens: Vec<(usize, String)>,
}

impl Declarations {
    /// Those of `unit`, which was read from `tokens`, in order of the text.
    pub fn new(unit: &Unit, tokens: &[Token]) -> Self {
        // Those of a header come before those behind its `#include`, and stand behind them.
        let mut in_order: Vec<&Token> = tokens.iter().collect();
        in_order.sort_by_key(|token| token.span.start);
        // Each of them stands where the macro does: their words are looked for once, not once for each.
        let mut words_at: HashMap<Span, Rc<HashSet<Name>>> = HashMap::new();
        let words = unit.places.iter().map(|&place| {
            let words = words_at.entry(place);
            let words = words.or_insert_with(|| Rc::new(words_in(&in_order, place)));
            words.clone()
        });
        let mut all = Declarations {
            words: words.collect(),
            places: unit.places.clone(),
            by_name: HashMap::new(),
            operators: Vec::new(),
            types: HashSet::new(),
            kernels: Vec::new(),
            opens: Vec::new(),
        };
        for (at, item) in unit.items.iter().enumerate() {
            all.add(at, item);
        }
        all
    }

    fn add(&mut self, at: usize, item: &Item) {
        match item {
            Item::Function(function) => self.function(at, function),
            Item::Record(record) => self.name_type(at, &record.name.name),
            Item::Enum(written) => {
                self.enumeration(at, written);
                self.types
                    .extend(written.name.iter().map(|name| name.name.clone()));
            }
            Item::Variables(declaration) => self.variables(at, declaration),
            Item::VariableTemplate(_, declaration) => self.variables(at, declaration),
            Item::Alias(alias) => {
                self.name_type(at, &alias.name.name);
                self.defined_in(at, &alias.ty);
            }
            Item::NamespaceAlias(name, _) => self.name(at, &name.name),
            Item::UsingName(path) => {
                if let Some(name) = last(path) {
                    self.name(at, name);
                }
            }
            Item::UsingNamespace(path) => self.opens.push((at, path.joined())),
            Item::Assert(_)
            | Item::StaticMember(..)
            | Item::Nothing
            | Item::Host(_)
            | Item::Refused(_) => {}
        }
    }

    fn function(&mut self, at: usize, function: &Function) {
        let name = match &function.member_of {
            Some(path) => last(path),
            None => Some(&function.name.name),
        };
        if function.specifiers.global.is_some() {
            self.kernels.push(at);
        }
        match name {
            // Operators are called without their names.
            Some(name) if name.starts_with("operator") => self.operators.push(at),
            Some(name) => self.name(at, name),
            None => {}
        }
    }

    fn name(&mut self, at: usize, name: &Name) {
        self.by_name.entry(name.clone()).or_default().push(at);
    }

    fn name_type(&mut self, at: usize, name: &Name) {
        self.types.insert(name.clone());
        self.name(at, name);
    }

    /// The names of an enumeration and its constants.
    fn enumeration(&mut self, at: usize, written: &Enum) {
        let constants = written.constants.iter().map(|(name, _)| name);
        for name in constants.chain(&written.name) {
            self.name(at, &name.name);
        }
    }

    fn variables(&mut self, at: usize, declaration: &Declaration) {
        for variable in &declaration.variables {
            self.name(at, &variable.name.name);
            self.defined_in(at, &variable.ty);
        }
    }

    /// What a type defines where it stands: `typedef struct P {…} Q;`
    fn defined_in(&mut self, at: usize, ty: &TypeName) {
        match &ty.base {
            Base::Record(record) => self.name_type(at, &record.name.name),
            Base::Enum(written) => self.enumeration(at, written),
            _ => {}
        }
    }

    /// Where declarations stand that `kernels`, named as launches do, do not need, or those of the file if
    /// there are none; `of_host` is never needed.
    pub fn unreached(&self, kernels: &[Vec<Token>], of_host: &[Span]) -> Vec<Span> {
        let of_host: HashSet<Span> = of_host.iter().copied().collect();
        // `softmax<Pair, 4>` needs `Pair` as well.
        let words = kernels.iter().flatten().filter_map(Token::ident);
        let named = words.filter_map(|word| self.by_name.get(word)).flatten();
        let mut open: Vec<usize> = named.copied().collect();
        if kernels.is_empty() {
            open.extend(&self.kernels);
        }
        let mut reached = self.reached_from(open, &of_host);
        let opens = self.opens.iter().filter(|(_, path)| self.is_open(path));
        reached.extend(opens.map(|(at, _)| *at));
        reached.retain(|&at| !of_host.contains(&self.places[at]));
        let needed: HashSet<Span> = reached.iter().map(|&at| self.places[at]).collect();
        // A macro may have made several declarations, which all stand where it is used.
        let places = self
            .places
            .iter()
            .chain(&of_host)
            .filter(|place| !needed.contains(place));
        let mut unreached: Vec<Span> = places.copied().collect();
        unreached.sort_by_key(|span| (span.start, span.end));
        unreached.dedup();
        unreached
    }

    /// The declarations of `open`, what they name, what that names, and the operators on all of it.
    fn reached_from(&self, mut open: Vec<usize>, of_host: &HashSet<Span>) -> HashSet<usize> {
        let mut reached: HashSet<usize> = HashSet::new();
        loop {
            while let Some(at) = open.pop() {
                if reached.insert(at) && !of_host.contains(&self.places[at]) {
                    let words = self.words[at].iter();
                    open.extend(words.filter_map(|word| self.by_name.get(word)).flatten());
                }
            }
            // Nothing names an operator, and what it works on is only known now. One that is reached may name
            // further types, whose operators come with the next turn.
            let operators = self.operators.iter();
            open.extend(
                operators.filter(|at| !reached.contains(at) && self.may_operate(**at, &reached)),
            );
            if open.is_empty() {
                return reached;
            }
        }
    }

    /// Whether an operator may work on what is needed: it names no type of the file, or one that is.
    fn may_operate(&self, at: usize, reached: &HashSet<usize>) -> bool {
        let mut types = self.words[at].intersection(&self.types).peekable();
        let is_reached = |name: &Name| self.by_name[name].iter().any(|at| reached.contains(at));
        types.peek().is_none() || types.any(is_reached)
    }

    /// Whether NVRTC knows the namespace that is opened.
    fn is_open(&self, path: &str) -> bool {
        OPENED.contains(&path) || !super::resolve::is_library(&format!("{path}::"))
    }
}

fn last(path: &Path) -> Option<&Name> {
    path.segments.last().map(|segment| &segment.name.name)
}

/// The words of the tokens that stand at a place.
fn words_in(tokens: &[&Token], place: Span) -> HashSet<Name> {
    let begin = tokens.partition_point(|token| token.span.start < place.start);
    let inside = tokens[begin..]
        .iter()
        .take_while(|token| token.span.start < place.end);
    let words = inside.filter_map(|token| token.ident());
    words.cloned().collect()
}
