//! Ends of the program, and what it may ask of the system: nothing that leads out of it.

use std::collections::BTreeMap;

use crate::host::machine::{Stop, Table};

/// Where `errno` lies.
#[derive(Default)]
struct Errno(u64);

/// Variables of the environment by their names: where their values lie. A program finds those that it has set itself.
type Environment = BTreeMap<Vec<u8>, u64>;
const ENVIRONMENT: &str = "environment";

/// What functions return that are not done.
const FAILED: u64 = -1i64 as u64;

pub const TABLE: Table = &[
    ("exit", |_, call| Err(Stop::Exit(call.i32(0)))),
    ("_exit", |machine, call| {
        machine.forget_exit();
        Err(Stop::Exit(call.i32(0)))
    }),
    ("_Exit", |machine, call| {
        machine.forget_exit();
        Err(Stop::Exit(call.i32(0)))
    }),
    ("quick_exit", |machine, call| {
        machine.forget_exit();
        Err(Stop::Exit(call.i32(0)))
    }),
    ("abort", |machine, _| machine.abort("")),
    ("terminate", |machine, _| {
        machine.abort("terminate called without an active exception")
    }),
    ("atexit", |machine, call| {
        machine.at_exit(call.u64(0));
        Ok(0)
    }),
    ("__assert_fail", |machine, call| {
        let text = |at: usize| machine.memory.text(call.u64(at)).unwrap_or_default();
        let [condition, file, function] =
            [0, 1, 3].map(|at| String::from_utf8_lossy(&text(at)).into_owned());
        let line = call.u64(2) as u32;
        let program = machine.program_name();
        machine.abort(format!(
            "{program}: {file}:{line}: {function}: Assertion `{condition}' failed."
        ))
    }),
    ("__errno_location", |machine, _| {
        let place = machine.library_state::<Errno>("errno").0;
        if place != 0 {
            return Ok(place);
        }
        let place = machine.lasting_text(&[0; 4]);
        machine.library_state::<Errno>("errno").0 = place;
        Ok(place)
    }),
    ("getenv", |machine, call| {
        let name = machine.memory.text(call.u64(0))?;
        let values = machine.library_state::<Environment>(ENVIRONMENT);
        Ok(values.get(&name).copied().unwrap_or(0))
    }),
    ("setenv", |machine, call| {
        let name = machine.memory.text(call.u64(0))?;
        let value = machine.memory.text(call.u64(1))?;
        let is_set = machine
            .library_state::<Environment>(ENVIRONMENT)
            .contains_key(&name);
        if !is_set || call.i32(2) != 0 {
            let value = machine.lasting_text(&value);
            machine
                .library_state::<Environment>(ENVIRONMENT)
                .insert(name, value);
        }
        Ok(0)
    }),
    ("unsetenv", |machine, call| {
        let name = machine.memory.text(call.u64(0))?;
        machine
            .library_state::<Environment>(ENVIRONMENT)
            .remove(&name);
        Ok(0)
    }),
    ("system", |_, _| Ok(FAILED)),
    ("remove", |_, _| Ok(FAILED)),
    ("getpid", |_, _| Ok(4242)),
    ("access", |machine, call| {
        let path = machine.memory.text(call.u64(0))?;
        let known = machine.file(&String::from_utf8_lossy(&path));
        Ok(if known.is_some() { 0 } else { FAILED })
    }),
    // Processors that are online, and the size of a page.
    ("sysconf", |_, call| {
        Ok(match call.i32(0) {
            84 => 1,
            30 => 4096,
            _ => FAILED,
        })
    }),
    ("isatty", |_, _| Ok(0)),
    ("gethostname", |machine, call| {
        let name = b"localhost\0";
        let length = name.len().min(call.u64(1) as usize);
        machine.memory.write(call.u64(0), &name[..length])?;
        Ok(0)
    }),
];
