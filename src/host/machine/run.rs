//! A run from the beginning to the end of a program.

use crate::host::memory::function_address;
use crate::source::{Diagnostic, Span};

use super::objects::{Pending, next_end};
use super::state::Machine;
use super::stop::Stop;

/// How a program ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Exit {
    /// The code that a shell gives: the program's own, or 128 and the number of a signal.
    pub code: i32,
    /// What kept it from going on.
    pub fault: Option<Diagnostic>,
    /// What it was refused, and went on without.
    pub warnings: Vec<Diagnostic>,
    /// Whether somebody asked it to stop.
    pub is_cancelled: bool,
    /// How many jumps and calls it made.
    pub operations: u64,
}

impl Machine<'_> {
    /// Runs the program; the first argument is its name.
    pub fn run(&mut self, arguments: &[&str]) -> Exit {
        if let Some(name) = arguments.first() {
            self.console.name = name.rsplit('/').next().unwrap_or(name).to_owned();
        }
        let result = self.start_and_main(arguments);
        let result = self.ended(result);
        self.flush();
        let (code, fault) = match result {
            // A shell sees the lowest 8 bits of what `main` returns.
            Ok(code) => (code & 0xff, None),
            Err(Stop::Fault(fault, code)) => (code, Some(*fault)),
            // As a shell reports SIGINT: 128 and the signal's number, 2.
            Err(Stop::Cancelled) => (130, None),
            // 128 and SIGABRT's number, 6.
            Err(_) => (134, None),
        };
        Exit {
            code,
            fault,
            warnings: self.warnings(),
            is_cancelled: matches!(code, 130),
            operations: self.limits.operations,
        }
    }

    fn start_and_main(&mut self, arguments: &[&str]) -> Result<i32, Stop> {
        let image = &self.program.image;
        let Some(entry) = image.entry else {
            let error = Diagnostic::error(Span::default(), "the program has no `main`");
            return Err(Stop::Fault(Box::new(error), 1));
        };
        // Objects at file scope are made before `main`, in the order of the file.
        if let Some(start) = image.start {
            self.call(function_address(start), &[])?;
        }
        let texts = arguments
            .iter()
            .map(|argument| self.memory.add_text(argument.as_bytes()));
        let mut pointers: Vec<u64> = texts.collect();
        // Behind the last argument stands a null pointer.
        pointers.push(0);
        let bytes: Vec<u8> = pointers
            .iter()
            .flat_map(|pointer| pointer.to_le_bytes())
            .collect();
        let table = self.memory.add_text(&bytes);
        // `envp`: a list of no variables, which ends with a null pointer.
        let environment = self.memory.add_text(&[0; 8]);
        let all = [arguments.len() as u64, table, environment];
        let parameters = self
            .routine(entry)
            .map_or(0, |routine| routine.parameter_count);
        // `main` may leave out what it does not use.
        let given = all.len().min(parameters as usize);
        let code = self.call(function_address(entry), &all[..given])?;
        Ok(code as i32)
    }

    fn end_library(&mut self) -> Result<(), Stop> {
        let Some(mut library) = self.library.take() else {
            return Ok(());
        };
        let ended = library.end(self);
        self.library = Some(library);
        ended
    }

    /// What the program asked for at its exit, the last first.
    fn ended(&mut self, result: Result<i32, Stop>) -> Result<i32, Stop> {
        let mut code = match result {
            Ok(code) => code,
            Err(Stop::Exit(code)) => code,
            Err(stop) => return Err(stop),
        };
        // `exit` ends objects at file scope, not those of the functions that run.
        self.objects.pending.clear();
        self.objects.unwinding.clear();
        loop {
            let ended = match self.objects.at_exit.last() {
                None => return self.end_library().map(|()| code),
                Some(Pending::Function(function)) => {
                    let function = *function;
                    self.objects.at_exit.pop();
                    self.call(function, &[])
                }
                Some(_) => {
                    let height = self.objects.at_exit.len() - 1;
                    match next_end(&mut self.objects.at_exit, height) {
                        Some(ending) => {
                            self.call(function_address(ending.destructor), &[ending.object])
                        }
                        None => Ok(0),
                    }
                }
            };
            match ended {
                Ok(_) => {}
                // A handler may call `exit` again: the rest still runs, with the new code.
                Err(Stop::Exit(other)) => code = other,
                Err(stop) => return Err(stop),
            }
        }
    }
}
