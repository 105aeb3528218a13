//! Parameters of the function template that a launch stands in, by the arguments that the text calls it with.

use super::host_text::{HostText, is_name};

impl HostText<'_> {
    /// What the parameter `name` of the function template around word `from` is given, and where that stands: `64` of
    /// `launch<64, 2>(q)`. The first call goes, for all parameters alike.
    pub fn template_argument(&self, name: &str, from: usize) -> Option<(String, usize)> {
        let (function, number) = self.openings_around(from).find_map(|open| {
            let function = self.function_of_body(open)?;
            let parameters = self.template_before(function)?;
            let number = parameters.iter().position(|parameter| {
                let declared = parameter.split('=').next().unwrap_or("");
                declared.split_whitespace().last() == Some(name)
            });
            Some((function, number?))
        })?;
        let is_called = |at: &usize| *at != function && self.has(*at, &[self.word(function), "<"]);
        let call = (0..self.len()).find(is_called)?;
        let arguments = self.parts(call + 2, |words, at| words[at] == ">")?;
        Some((arguments.get(number)?.trim().to_owned(), call))
    }

    /// The word of the name of the function whose body begins at the `{` at `open`.
    fn function_of_body(&self, open: usize) -> Option<usize> {
        let close = open.checked_sub(1).filter(|&at| self.word(at) == ")")?;
        let mut depth = 0;
        let parameters = (0..=close).rev().find(|&at| {
            depth += match self.word(at) {
                ")" => 1,
                "(" => -1,
                _ => 0,
            };
            depth == 0
        })?;
        let name = parameters.checked_sub(1)?;
        is_name(self.word(name)).then_some(name)
    }

    /// The parameters of the template whose function has its name at word `function`.
    fn template_before(&self, function: usize) -> Option<Vec<String>> {
        let mut before = (0..function).rev();
        let at = before.find(|&at| matches!(self.word(at), "template" | ";" | "{" | "}"))?;
        if self.word(at) != "template" {
            return None;
        }
        self.parts(at + 2, |words, at| words[at] == ">")
    }
}
