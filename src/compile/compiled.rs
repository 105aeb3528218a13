//! What is asked of the compiler, and what it gives.

use crate::ir::{Kernel, Symbol};
use crate::source::{Diagnostic, Severity, Span, nearest};

/// Which accesses and operations the bytecode has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fidelity {
    /// Those that `nvcc`'s code has, as far as is known: what hardware counters count.
    #[default]
    AsCompiled,
    /// Those that the source writes, each where and as often as it stands there: no loop is
    /// unrolled, nothing is joined, promoted or moved.
    AsWritten,
}

/// What compiling gave: kernels of a file, or none if there is an error among the diagnostics.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The kernels that were asked for, in order of definition; all that are no templates if none were.
    pub kernels: Vec<Kernel>,
    /// Variables at file scope, to which kernels refer by their number.
    pub symbols: Vec<Symbol>,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// What of the text the kernels do not need: code for the host, and what only that uses.
    pub unreached: Vec<Span>,
    /// Values that NVRTC does not take as they are written: where they stand, and what it takes there.
    pub respelt: Vec<(Span, String)>,
    /// The names that were asked for, with the kernel's own name or what is wrong.
    pub(super) requests: Vec<(String, Result<String, Diagnostic>)>,
    /// Names of the kernels that the file defines, but for templates.
    pub defined: Vec<String>,
    /// Templates of kernels: their names and parameters.
    pub(super) templates: Vec<(String, String)>,
    /// The one of the diagnostics that is no error on a GPU: what the kernels use, and the simulated one lacks.
    pub hardware_only: Option<Diagnostic>,
}

impl Compiled {
    /// Of a text with an error.
    pub fn failed(error: Diagnostic) -> Self {
        Compiled {
            kernels: Vec::new(),
            symbols: Vec::new(),
            diagnostics: vec![error],
            unreached: Vec::new(),
            respelt: Vec::new(),
            requests: Vec::new(),
            defined: Vec::new(),
            templates: Vec::new(),
            hardware_only: None,
        }
    }

    /// The same for a GPU, which has what the simulated one lacks.
    pub fn for_hardware(mut self) -> Self {
        let only = self.hardware_only.as_ref();
        self.diagnostics.retain(|found| Some(found) != only);
        self
    }

    /// Tells kernels and diagnostics of another text, from which this one was made: `line` and `place` say where there
    /// a line and a place came from.
    pub fn relocate(&mut self, line: &dyn Fn(u32) -> u32, place: &dyn Fn(Span) -> Span) {
        for kernel in &mut self.kernels {
            kernel.relocate(line, place);
        }
        let labels = self
            .diagnostics
            .iter_mut()
            .flat_map(|diagnostic| &mut diagnostic.labels);
        labels.for_each(|label| label.span = place(label.span));
    }

    /// Whether there is an error among the diagnostics.
    pub fn has_failed(&self) -> bool {
        has_error(&self.diagnostics)
    }

    /// The kernel called `name`, or an error that lists those there are. One made from a template is
    /// found by the name that was asked for, as in `softmax<float, 4>`.
    pub fn kernel(&self, name: &str) -> Result<&Kernel, Box<Diagnostic>> {
        let by_name = |name: &str| self.kernels.iter().find(|kernel| kernel.name == name);
        if let Some(kernel) = by_name(name) {
            return Ok(kernel);
        }
        let request = self.requests.iter().find(|request| request.0 == name);
        if let Some((_, Ok(own))) = request
            && let Some(kernel) = by_name(own)
        {
            return Ok(kernel);
        }
        // `softmax<float, 4>` may be spelt in ways that were not asked for.
        let plain = name.split('<').next().unwrap_or(name).trim();
        if let Some((template, parameters)) = self.templates.iter().find(|t| t.0 == plain) {
            let message = match request {
                Some((_, Err(error))) => error.message.clone(),
                _ => format!("`{template}` is a template"),
            };
            let help = format!("launch it as `{template}<…>`, of <{parameters}>");
            return Err(Box::new(
                Diagnostic::error(Span::default(), message).help(help),
            ));
        }
        let is_defined = self.defined.iter().any(|name| name == plain);
        if let Some((_, Err(error))) = request
            && (name.contains('<') && is_defined)
        {
            return Err(Box::new(error.clone()));
        }
        Err(Box::new(self.unknown(name)))
    }

    /// The parameters of the template of kernels called `name`, such as `typename T, int N`; nothing if there is none.
    pub fn template_parameters(&self, name: &str) -> Option<&str> {
        let mut templates = self.templates.iter();
        let found = templates.find(|template| template.0 == name);
        found.map(|(_, parameters)| parameters.as_str())
    }

    /// The names of the templates of kernels.
    pub fn template_names(&self) -> impl Iterator<Item = &str> {
        self.templates.iter().map(|template| template.0.as_str())
    }

    /// The kernel called `name` with the namespace that it stands in, if that is left out and only one kernel has the name.
    pub fn with_namespace(&self, name: &str) -> Option<String> {
        let (plain, arguments) = name.split_at(name.find('<').unwrap_or(name.len()));
        let is_it = |known: &&str| {
            let of_known = known.rsplit_once("::");
            of_known.is_some_and(|(_, last)| last == plain.trim())
        };
        let defined = self.defined.iter().map(String::as_str);
        let mut all = defined.chain(self.template_names()).filter(is_it);
        match (all.next(), all.next()) {
            (Some(only), None) => Some(format!("{only}{arguments}")),
            _ => None,
        }
    }

    fn unknown(&self, name: &str) -> Diagnostic {
        let kernels = self.defined.iter().map(String::as_str);
        let templates = self.templates.iter().map(|template| template.0.as_str());
        let names: Vec<&str> = kernels.chain(templates).collect();
        let error = Diagnostic::error(Span::default(), format!("no kernel is called `{name}`"));
        let near = nearest(name, names.iter().copied());
        match (near.first(), names.is_empty()) {
            (Some(near), _) => error.help(format!("did you mean `{near}`?")),
            (None, false) => error.help(format!("the file defines {}", names.join(", "))),
            (None, true) => error.help("define one with `__global__ void`"),
        }
    }
}

pub(super) fn has_error(diagnostics: &[Diagnostic]) -> bool {
    let mut all = diagnostics.iter();
    all.any(|diagnostic| diagnostic.severity == Severity::Error)
}
