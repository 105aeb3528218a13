//! Exceptions: which handler catches what was thrown, and what ends on the way there.

use crate::cuda::Type;
use crate::host::code::ThrowSite;

use super::objects::{Ending, Exception, Landing, Pending, Unwinding, next_end};
use super::state::Machine;
use super::stop::Stop;

/// What happens next on the way.
pub enum Step {
    /// A destructor is called with an object; then the way goes on.
    End(Ending),
    /// The handler runs.
    Land(Landing),
}

/// Whether a handler of type `catches` takes what was thrown as `thrown`.
fn is_caught(catches: &Type, thrown: &Type) -> bool {
    match (catches, thrown) {
        // A handler may add `const` to what a pointer points to.
        (
            Type::Pointer { to, is_const },
            Type::Pointer {
                to: other,
                is_const: other_const,
            },
        ) => to == other && (*is_const || !other_const),
        _ => catches == thrown,
    }
}

impl Machine<'_> {
    /// Whether an exception is on its way in the function that runs.
    pub(super) fn is_unwinding(&self) -> bool {
        let last = self.objects.unwinding.last();
        last.is_some_and(|unwinding| unwinding.depth == self.frames.len())
    }

    /// Throws what lies at an address, or in a slot.
    pub(super) fn throw(&mut self, bits: u64, site: u32) -> Result<(), Stop> {
        let thrown = &self.program.image.sites.thrown[site as usize];
        // A copy in memory of its own: what was thrown outlives the function that threw it.
        let size = u64::from(thrown.ty.size_bytes()).max(8);
        let Some(address) = self.memory.allocate(size) else {
            return self.abort("terminate called without an active exception");
        };
        match thrown.is_address {
            true => self
                .memory
                .copy(address, bits, u64::from(thrown.ty.size_bytes()))?,
            false => self.memory.write(address, &bits.to_le_bytes())?,
        }
        let destructor = thrown.destructor;
        self.raise(Exception {
            address,
            site,
            destructor,
        })
    }

    /// Throws again what is being handled.
    pub(super) fn throw_again(&mut self) -> Result<(), Stop> {
        let all = self.objects.pending.iter_mut().rev();
        let caught = all.into_iter().find_map(|pending| match pending {
            // It goes on, and ends with the handler that it comes to.
            Pending::Caught(exception) => {
                let again = *exception;
                exception.destructor = None;
                Some(again)
            }
            _ => None,
        });
        match caught {
            Some(exception) => self.raise(exception),
            None => self.abort("terminate called without an active exception"),
        }
    }

    fn raise(&mut self, exception: Exception) -> Result<(), Stop> {
        let program = self.program;
        let thrown = &program.image.sites.thrown[exception.site as usize];
        let all = self.objects.pending.iter().enumerate().rev();
        let found = all.into_iter().find_map(|(height, pending)| {
            let Pending::Handlers(handlers) = pending else {
                return None;
            };
            let sites = &program.image.sites.handlers[handlers.site as usize];
            // In the order of the text: the first that fits catches, not the one that fits best ([except.handle]).
            let found = sites.iter().find_map(|site| {
                let offset = caught_at(site.catches.as_ref(), thrown)?;
                Some(Landing {
                    handlers: *handlers,
                    target: site.target,
                    address: exception.address + u64::from(offset),
                })
            });
            found.map(|landing| (height, landing))
        });
        let Some((height, landing)) = found else {
            return self.terminate(exception, thrown);
        };
        let depth = self.frames.len();
        let unwinding = Unwinding {
            exception,
            height,
            landing,
            depth,
        };
        self.objects.unwinding.push(unwinding);
        Ok(())
    }

    /// Nobody catches it.
    fn terminate(&mut self, exception: Exception, thrown: &ThrowSite) -> Result<(), Stop> {
        let name = match &thrown.ty {
            Type::Struct(of) => of.name().to_owned(),
            other => other.to_string(),
        };
        let mut message = format!("terminate called after throwing an instance of '{name}'");
        if let Some(what) = self.what(exception, thrown) {
            message.push_str(&format!("\n  what():  {what}"));
        }
        self.abort(message)
    }

    /// The text that the `what` of an object derived from `std::exception` returns.
    fn what(&mut self, exception: Exception, thrown: &ThrowSite) -> Option<String> {
        let is_exception = |(ty, _): &&(Type, u32)| match ty {
            Type::Struct(of) => of.name().rsplit("::").next() == Some("exception"),
            _ => false,
        };
        let (_, offset) = thrown.catchable.iter().find(is_exception)?;
        let object = exception.address + u64::from(*offset);
        let word =
            |machine: &Self, address| machine.memory.load::<8>(address).map(u64::from_le_bytes);
        let table = word(self, object)?;
        // The table's rows are not named: the function that is called `what` is looked for.
        for row in 0..8 {
            let address = word(self, table + row * 8)?;
            let function = crate::host::memory::function_at(address)?;
            let name = &self.routine(function)?.name;
            if name.rsplit("::").next() == Some("what") {
                let text = self.call(address, &[object]).ok()?;
                let text = self.memory.text(text).ok()?;
                return Some(String::from_utf8_lossy(&text).into_owned());
            }
        }
        None
    }

    /// The next step of the exception that is on its way here.
    pub(super) fn unwind(&mut self) -> Option<Step> {
        let unwinding = *self.objects.unwinding.last()?;
        if let Some(ending) = next_end(&mut self.objects.pending, unwinding.height + 1) {
            return Some(Step::End(ending));
        }
        self.objects.unwinding.pop();
        // The handlers of this `try` are gone while one of them runs: what it throws is caught further out.
        self.objects.pending.truncate(unwinding.height);
        self.objects
            .pending
            .push(Pending::Caught(unwinding.exception));
        Some(Step::Land(unwinding.landing))
    }

    /// Puts a landing back that belongs to a caller of the library's function that is running.
    pub(super) fn let_pass(&mut self, depth: usize, landing: Landing) {
        let height = self.objects.pending.len() - 1;
        let Some(Pending::Caught(exception)) = self.objects.pending.pop() else {
            return;
        };
        self.objects
            .pending
            .push(Pending::Handlers(landing.handlers));
        let unwinding = Unwinding {
            exception,
            height,
            landing,
            depth,
        };
        self.objects.unwinding.push(unwinding);
    }
}

/// Where in what was thrown a handler finds what it catches.
fn caught_at(catches: Option<&Type>, thrown: &ThrowSite) -> Option<u32> {
    let Some(catches) = catches else {
        return Some(0);
    };
    let all = thrown.catchable.iter();
    let mut offsets = all
        .filter(|(ty, _)| is_caught(catches, ty))
        .map(|(_, offset)| *offset);
    offsets
        .next()
        .or_else(|| is_caught(catches, &thrown.ty).then_some(0))
}
