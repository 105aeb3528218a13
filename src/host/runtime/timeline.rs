//! Streams and events as programs use them.

use super::facts::errors::{self, SUCCESS};
use super::state::{Answer, Runtime, put, put_i32, put_u64};
use super::work::{Callback, Event, Reached, Stream, StreamOperation};
use crate::host::machine::{Call, Machine};

/// `cudaEventDisableTiming`.
const DISABLE_TIMING: u32 = 2;
/// What a question takes, so that a loop that asks comes to an end.
const QUERY_NS: u64 = 1_000;
const NS_PER_MS: f64 = 1e6;

pub fn stream_create(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    let handle = runtime.streams.create(call.u64(1) as u32, call.i32(2));
    put_u64(machine, call, 0, handle)
}

pub fn stream_get_flags(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    told_of(runtime, machine, call, |stream| stream.flags as i32)
}

pub fn stream_get_priority(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    told_of(runtime, machine, call, |stream| stream.priority)
}

/// Puts what is asked of a stream to the place that the second argument names.
fn told_of(
    runtime: &mut Runtime,
    machine: &mut Machine,
    call: &Call,
    asked: fn(&Stream) -> i32,
) -> Answer {
    match runtime.streams.get(call.u64(0)) {
        Some((_, stream)) => put_i32(machine, call, 1, asked(stream)),
        None => Ok(errors::INVALID_HANDLE),
    }
}

/// What is in the stream still happens.
pub fn stream_destroy(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    let handle = call.u64(0);
    while runtime.streams.is_busy(Some(handle)) {
        runtime.progress(machine)?;
    }
    match runtime.streams.destroy(handle) {
        true => Ok(SUCCESS),
        false => Ok(errors::INVALID_HANDLE),
    }
}

pub fn stream_synchronize(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    runtime.synchronize(machine, Some(call.u64(0)))
}

pub fn stream_query(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    let Some((handle, _)) = runtime.streams.get(call.u64(0)) else {
        return Ok(errors::INVALID_HANDLE);
    };
    machine.clock.advance_ns(QUERY_NS);
    runtime.progress(machine)?;
    // Done in the simulation is not done in time: a program that polls sees the work take as long as the model says.
    let is_late = runtime.streams.ready_ns(Some(handle)) > machine.clock.elapsed_ns();
    match is_late || runtime.streams.is_busy(Some(handle)) {
        true => Ok(errors::NOT_READY),
        false => runtime.synchronize(machine, Some(handle)),
    }
}

pub fn stream_wait_event(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    let (stream, event) = (call.u64(0), call.u64(1));
    let Some(known) = runtime.streams.events.get(&event) else {
        return Ok(errors::INVALID_HANDLE);
    };
    if known.reached == Reached::Captured {
        // The other stream joins the graph that is being made.
        runtime
            .streams
            .add_to_capture(stream, StreamOperation::Wait(event));
        return Ok(SUCCESS);
    }
    runtime.ask(machine, stream, StreamOperation::Wait(event))
}

pub fn launch_host_func(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    call_back(runtime, machine, call, None)
}

pub fn stream_add_callback(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    call_back(runtime, machine, call, Some(call.u64(0)))
}

/// Of the stream, the function and what it is given; `told` is the stream that the function gets before that.
fn call_back(
    runtime: &mut Runtime,
    machine: &mut Machine,
    call: &Call,
    told: Option<u64>,
) -> Answer {
    let callback = Callback {
        function: call.u64(1),
        argument: call.u64(2),
        stream: told,
    };
    match callback.function {
        0 => Ok(errors::INVALID_VALUE),
        _ => runtime.ask(machine, call.u64(0), StreamOperation::Callback(callback)),
    }
}

pub fn event_create(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    let handle = runtime.streams.new_handle();
    let event = Event {
        is_timed: call.u64(1) as u32 & DISABLE_TIMING == 0,
        reached: Reached::Never,
    };
    runtime.streams.events.insert(handle, event);
    put_u64(machine, call, 0, handle)
}

pub fn event_destroy(runtime: &mut Runtime, _: &mut Machine, call: &Call) -> Answer {
    match runtime.streams.events.remove(&call.u64(0)) {
        Some(_) => Ok(SUCCESS),
        None => Ok(errors::INVALID_HANDLE),
    }
}

pub fn event_record(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    let event = call.u64(0);
    match runtime.streams.events.contains_key(&event) {
        true => runtime.ask(machine, call.u64(1), StreamOperation::Record(event)),
        false => Ok(errors::INVALID_HANDLE),
    }
}

pub fn event_synchronize(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    let handle = call.u64(0);
    loop {
        let Some(event) = runtime.streams.events.get(&handle) else {
            return Ok(errors::INVALID_HANDLE);
        };
        match event.reached {
            // What it waits for may stand behind work of other streams.
            Reached::By(_) => runtime.progress(machine)?,
            Reached::At { ns } => {
                machine.clock.advance_to_ns(ns);
                return Ok(runtime.show_finished(machine));
            }
            Reached::Captured => return Ok(errors::CAPTURE_UNSUPPORTED),
            // As documented of `cudaEventSynchronize`: an event that nobody has recorded is no reason to wait.
            Reached::Never => return Ok(SUCCESS),
        }
    }
}

pub fn event_query(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    machine.clock.advance_ns(QUERY_NS);
    runtime.progress(machine)?;
    let event = runtime.streams.events.get(&call.u64(0));
    match event.map(|event| event.reached) {
        None => Ok(errors::INVALID_HANDLE),
        Some(Reached::Never) => Ok(SUCCESS),
        Some(Reached::At { ns }) if ns <= machine.clock.elapsed_ns() => {
            Ok(runtime.show_finished(machine))
        }
        Some(_) => Ok(errors::NOT_READY),
    }
}

/// Milliseconds from one event to another.
pub fn event_elapsed_time(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    let mut times = [0; 2];
    for (at, time) in times.iter_mut().enumerate() {
        let event = runtime.streams.events.get(&call.u64(at + 1));
        let Some(event) = event.filter(|event| event.is_timed) else {
            return Ok(errors::INVALID_HANDLE);
        };
        match event.reached {
            Reached::At { ns } if ns <= machine.clock.elapsed_ns() => *time = ns,
            Reached::Never | Reached::Captured => return Ok(errors::INVALID_HANDLE),
            Reached::At { .. } | Reached::By(_) => return Ok(errors::NOT_READY),
        }
    }
    runtime.findings.has_modelled_times = true;
    let ms = (times[1] as f64 - times[0] as f64) / NS_PER_MS;
    put(machine, call.u64(0), &(ms as f32).to_le_bytes())
}
