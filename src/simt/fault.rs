//! What a kernel did wrong, told to its author.

use std::time::Duration;

use super::warp::Geometry;
use crate::ir::{AccessSite, Kernel, Op, TrapSite};
use crate::launch::{Dim3, WARP_LANES};
use crate::memory::AccessKind;
use crate::source::{Diagnostic, Span};

/// [`Diagnostic::code`] of an access to memory that belongs to nothing.
pub const ILLEGAL_ADDRESS: &str = "illegal address";
/// [`Diagnostic::code`] of an access outside of shared memory, or of an array in it.
pub const SHARED_ADDRESS: &str = "illegal address of shared memory";
/// [`Diagnostic::code`] of an address that is no multiple of an access's width.
pub const MISALIGNED_ADDRESS: &str = "misaligned address";
/// [`Diagnostic::code`] of an `assert` that does not hold.
pub const FAILED_ASSERT: &str = "failed assert";

/// [`Diagnostic::code`] of accesses in no order.
pub const RACE: &str = "race";
/// [`Diagnostic::code`] of a value that nobody has set.
pub const UNSET_VALUE: &str = "unset value";
/// [`Diagnostic::code`] of a barrier that not all threads reach.
pub const DIVERGENT_BARRIER: &str = "divergent barrier";
/// [`Diagnostic::code`] of an exchange within a warp in which lanes are missing.
pub const ABSENT_LANES: &str = "absent lanes";
/// [`Diagnostic::code`] of a launch that does not end.
pub const ENDLESS: &str = "endless";

/// Where in a launch something happened.
#[derive(Clone, Copy)]
pub struct WarpPlace<'a> {
    /// Shape of the launch.
    pub geometry: &'a Geometry,
    /// The block.
    pub block: Dim3,
    /// The warp in its block.
    pub warp: usize,
}

impl WarpPlace<'_> {
    /// Block, warp, lane and thread in words.
    pub fn lane(&self, lane: usize) -> String {
        let thread = point(self.geometry.thread(self.warp, lane));
        format!("lane {lane} of {} (thread {thread})", self.warp())
    }

    /// Block and warp in words.
    pub fn warp(&self) -> String {
        format!("warp {} of block {}", self.warp, point(self.block))
    }
}

fn point([x, y, z]: Dim3) -> String {
    format!("({x}, {y}, {z})")
}

/// The lanes of a mask in words, as in `lanes 0-3, 7`.
pub fn lanes(mask: u32) -> String {
    let mut runs = Vec::new();
    let mut rest = u64::from(mask);
    while rest != 0 {
        let first = rest.trailing_zeros();
        // 64 bits, so that a run of all 32 lanes can be shifted out.
        let count = (rest >> first).trailing_ones();
        rest &= !(((1 << count) - 1) << first);
        runs.push(match count {
            1 => first.to_string(),
            _ => format!("{first}-{}", first + count - 1),
        });
    }
    let noun = if mask.count_ones() == 1 {
        "lane"
    } else {
        "lanes"
    };
    format!("{noun} {}", runs.join(", "))
}

/// `load` or `store`.
pub fn verb(site: &AccessSite) -> &'static str {
    match site.kind {
        _ if site.is_atomic => "atomic operation",
        AccessKind::Load => "load",
        AccessKind::Store => "store",
    }
}

/// Something with a size that an access missed.
pub struct Target<'a> {
    /// What it is called, as in "`x`".
    pub name: &'a str,
    /// Its size.
    pub size_bytes: u64,
    /// Bytes of one of its elements, or of the access where it has none.
    pub element_bytes: u64,
    /// What the elements are, as in `f32`.
    pub element: &'a str,
}

/// Which elements an access of `width` bytes at `offset` touches, of `element` bytes each: `element 4`, or of a wide one
/// `elements 12 to 15`, some of which may exist.
pub fn touched(offset: i64, width: u64, element: i64) -> String {
    // `div_euclid`, so that byte -2 of an array of floats is in element -1 and not in element 0.
    let first = offset.div_euclid(element);
    match width as i64 / element {
        ..=1 => format!("element {first}"),
        several => format!("elements {first} to {}", first + several - 1),
    }
}

/// An access outside of `target`: the lanes of `outside` miss it, the first of them at `offset`
/// bytes from its beginning.
pub fn out_of_bounds(
    site: &AccessSite,
    target: &Target<'_>,
    offset: i64,
    outside: u32,
    place: WarpPlace<'_>,
) -> Diagnostic {
    // Not 0: what has no elements is counted in bytes of the access.
    let bytes = target.element_bytes.max(1) as i64;
    let (element, length) = (offset.div_euclid(bytes), target.size_bytes as i64 / bytes);
    let past = if offset < 0 {
        format!("{} before its beginning", amount(-offset, "byte"))
    } else {
        let end = offset + i64::from(site.width_bytes);
        format!(
            "{} past its end",
            amount(end - target.size_bytes as i64, "byte")
        )
    };
    let first = outside.trailing_zeros() as usize;
    let mut fault = Diagnostic::error(
        site.span,
        format!(
            "out-of-bounds {}: {} of {}, which has {}",
            verb(site),
            touched(offset, site.width_bytes.into(), bytes),
            target.name,
            amount(length, &format!("{} element", target.element)),
        ),
    )
    .code(ILLEGAL_ADDRESS)
    .label(format!("{past}, by {}", place.lane(first)))
    .help(out_of_bounds_help(element, length));
    // The first lane is told already; a mask says whether the guard or the stride is wrong.
    if outside.count_ones() > 1 {
        fault = fault.note(format!("{} of the warp go outside", lanes(outside)));
    }
    fault
}

/// The stack of the lanes of `outside` is used up.
pub fn stack_overflow(
    span: Span,
    stack_bytes: u32,
    outside: u32,
    place: WarpPlace<'_>,
) -> Diagnostic {
    let first = outside.trailing_zeros() as usize;
    Diagnostic::error(span, "functions call themselves too deeply")
        .code(ILLEGAL_ADDRESS)
        .label(format!("the stack ends here, of {}", place.lane(first)))
        .note(format!("a thread's stack has {stack_bytes} bytes here; on a GPU as many as `cudaDeviceSetLimit` says"))
        .help("does every path of the function come to an end?")
}

/// What to try where `element` is none of the `length` elements.
fn out_of_bounds_help(element: i64, length: i64) -> String {
    match element < 0 {
        true => "a negative index: has a number overflowed its type, or is too much subtracted?"
            .to_owned(),
        false => format!(
            "guard the access, as in `if (i < n)` (in Triton, by a mask) with n elements, here {length}, and look at grid \
             and block size"
        ),
    }
}

/// An object that no code of the host has made.
pub fn no_texture(span: Span, op: Op, lane: usize, place: WarpPlace<'_>) -> Diagnostic {
    let what = match op {
        Op::Texture => "texture",
        _ => "surface",
    };
    Diagnostic::error(span, format!("this is no {what} object"))
        .code(ILLEGAL_ADDRESS)
        .label(format!("by {}", place.lane(lane)))
        .note(format!(
            "code of the host makes a {what} object, and a kernel alone has none"
        ))
        .help("run the whole file: `tutor run program FILE.cu`")
}

/// A texture whose memory is gone, or a place outside of a surface.
pub fn outside_texture(span: Span, op: Op, lane: usize, place: WarpPlace<'_>) -> Diagnostic {
    let (message, help) = match op {
        Op::Texture => (
            "the memory of this texture is not there any more",
            "destroy the texture object before its memory",
        ),
        _ => (
            "this lies outside of the surface",
            "x counts bytes: multiply it by the size of an element, or pass a boundary mode",
        ),
    };
    Diagnostic::error(span, message)
        .code(ILLEGAL_ADDRESS)
        .label(format!("by {}", place.lane(lane)))
        .help(help)
}

/// `1 byte`, `2 bytes`.
pub fn amount(number: i64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// An address that belongs to nothing.
pub fn unmapped(site: &AccessSite, address: u64, lane: usize, place: WarpPlace<'_>) -> Diagnostic {
    // A member of a struct behind a null pointer has a small address, not 0.
    let (what, help) = match address < 1 << 16 {
        true => (
            "through a null pointer",
            "check which argument the pointer comes from, and that it was set",
        ),
        false => (
            "at an address that belongs to no buffer",
            "it may be a pointer of the host: pass what `cudaMalloc` gave, and copy the data there",
        ),
    };
    Diagnostic::error(site.span, format!("{} {what}", verb(site)))
        .code(ILLEGAL_ADDRESS)
        .label(format!("address {address:#x}, by {}", place.lane(lane)))
        .help(help)
}

/// A store to constant memory.
pub fn constant_store(
    site: &AccessSite,
    name: &str,
    lane: u32,
    place: WarpPlace<'_>,
) -> Diagnostic {
    let message = format!("{} to `{name}`, which is constant memory", verb(site));
    Diagnostic::error(site.span, message)
        .code(ILLEGAL_ADDRESS)
        .label(format!("by {}", place.lane(lane as usize)))
        .help("declare it `__device__` in place of `__constant__`")
}

/// An access behind the end of a buffer, where a GPU's allocation has room: `element` is the first one that was touched.
pub fn overrun(site: &AccessSite, name: &str, element: u64, length: u64) -> Diagnostic {
    let message = format!(
        "out-of-bounds {}: element {element} of `{name}`, which has {}",
        verb(site),
        amount(length as i64, "element"),
    );
    // A warning: on a GPU this access goes well, and so it does here.
    Diagnostic::warning(site.span, message)
        .code(ILLEGAL_ADDRESS)
        .label("past its end")
        .note("allocations of a GPU have room after them, so that this goes unnoticed there")
        .help(out_of_bounds_help(element as i64, length as i64))
}

/// An access to a buffer that was taken away.
pub fn freed(site: &AccessSite, name: &str, lane: usize, place: WarpPlace<'_>) -> Diagnostic {
    Diagnostic::error(
        site.span,
        format!("{} to `{name}`, which was freed", verb(site)),
    )
    .code(ILLEGAL_ADDRESS)
    .label(format!("by {}", place.lane(lane)))
    .help("free memory when no launch uses it any more")
}

/// An address that is no multiple of the access's width.
pub fn misaligned(
    site: &AccessSite,
    address: u64,
    lane: usize,
    place: WarpPlace<'_>,
) -> Diagnostic {
    let width = site.width_bytes;
    Diagnostic::error(
        site.span,
        format!("misaligned {} of {width} bytes", verb(site)),
    )
    .code(MISALIGNED_ADDRESS)
    .label(format!(
        "address {address:#x} is {} past a multiple of {width}, by {}",
        amount((address % u64::from(width)) as i64, "byte"),
        place.lane(lane)
    ))
    .help(format!(
        "an access of {width} bytes needs an address that is a multiple of {width}"
    ))
}

/// Lanes of one request that go to different memories.
pub fn mixed_spaces(site: &AccessSite, elsewhere: u32, place: WarpPlace<'_>) -> Diagnostic {
    let message = format!("one {} goes to several memories at once", verb(site));
    let first = elsewhere.trailing_zeros() as usize;
    Diagnostic::error(site.span, message)
        .label(format!(
            "other lanes go elsewhere than {}",
            place.lane(first)
        ))
        .note("global, shared and local memory may not be mixed in one access of a warp here")
        .help("branch on the condition that chooses the pointer")
}

/// An atomic operation on a thread's own memory.
pub fn atomic_on_local(site: &AccessSite, lane: usize, place: WarpPlace<'_>) -> Diagnostic {
    Diagnostic::error(site.span, "atomic operation on a variable of one thread")
        .label(format!("by {}", place.lane(lane)))
        .note("atomic operations work on global and shared memory only")
        .help("no other thread sees the variable: change it with `+=` and the like")
}

/// An `assert` that does not hold, or a `__trap`.
pub fn trap(trap: &TrapSite, active: u32, place: WarpPlace<'_>) -> Diagnostic {
    let first = active.trailing_zeros() as usize;
    let fault = match &trap.condition {
        Some(condition) => {
            let message = format!("assertion failed: `{condition}`");
            Diagnostic::error(trap.span, message)
                .code(FAILED_ASSERT)
                .label(format!("false in {}", place.lane(first)))
        }
        None => Diagnostic::error(trap.span, "the kernel ended itself by `__trap()`")
            .label(format!("by {}", place.lane(first))),
    };
    match active.count_ones() {
        1 => fault,
        _ => fault.note(format!("so it is in {} of the warp", lanes(active))),
    }
}

/// A barrier that only some lanes of a warp reach.
pub fn barrier_divergence(
    span: Span,
    arrived: u32,
    missing: u32,
    place: WarpPlace<'_>,
) -> Diagnostic {
    Diagnostic::error(span, "barrier in divergent code: not all threads reach it")
        .code(DIVERGENT_BARRIER)
        .label(format!(
            "only {} of {} arrive",
            lanes(arrived),
            place.warp()
        ))
        .note(format!("{} took another path", lanes(missing)))
        .help("move `__syncthreads()` out of the branch or loop that only some threads enter")
}

/// A barrier that some lanes do not reach because they are at the end of the kernel.
pub fn ending_lanes(span: Span, ending: u32) -> Diagnostic {
    Diagnostic::warning(span, "barrier in divergent code: not all threads reach it")
        .code(DIVERGENT_BARRIER)
        .label(format!("{} have ended without it", lanes(ending)))
        .note("CUDA leaves that undefined; NVIDIA's GPUs wait only for threads that have not ended")
        .help("move `__syncthreads()` out of the branch or loop that only some threads enter")
}

/// Blocks wait at a barrier of the grid for others that have ended.
pub fn ended_before_grid_barrier(span: Span, place: WarpPlace<'_>) -> Diagnostic {
    Diagnostic::error(
        span,
        "a barrier of the grid waits forever: other blocks have ended",
    )
    .label(format!("{} waits here", place.warp()))
    .help("let all threads of the grid go through the same `sync()`")
}

/// More blocks wait for each other than there is memory for.
pub fn too_many_together(kernel: &Kernel, blocks: u64) -> Diagnostic {
    let message = format!(
        "{blocks} blocks of `{}` cannot be there at once",
        kernel.name
    );
    let error = Diagnostic::error(kernel.span, message);
    error.help("a grid with a barrier has as many blocks as the GPU holds: launch fewer")
}

/// Warps of a block that wait at two barriers at once.
pub fn two_barriers(here: Span, there: Span, place: WarpPlace<'_>) -> Diagnostic {
    Diagnostic::error(here, "warps of a block wait at different barriers")
        .code(DIVERGENT_BARRIER)
        .label(format!("{} waits here", place.warp()))
        .also(there, "an earlier warp waits here")
        .note("what a barrier does that only some warps reach is undefined")
        .help("let all threads of the block go through the same `__syncthreads()`")
}

/// An exchange whose mask lacks a lane that takes part in it.
pub fn mask_lacks(span: Span, mask: u32, lane: usize, place: WarpPlace<'_>) -> Diagnostic {
    Diagnostic::error(span, "a lane calls a warp function but is not in its mask")
        .code(ABSENT_LANES)
        .label(format!("mask {mask:#010x} lacks {}", place.lane(lane)))
        .help("pass a mask of the lanes that make the call: 0xffffffff for a whole warp")
}

/// A function of matrices that some lanes of a warp do not call.
pub fn part_of_a_warp(span: Span, absent: u32, place: WarpPlace<'_>) -> Diagnostic {
    Diagnostic::error(
        span,
        "a function of matrices needs all 32 lanes of its warp",
    )
    .label(format!(
        "{} took another path, or there is none",
        lanes(absent)
    ))
    .note(format!("in {}", place.warp()))
    .help("call it outside of branches, in blocks of a multiple of 32 threads")
}

/// Shuffles that read lanes which take no part, `readers` do.
pub fn inactive_sources(span: Span, readers: u32) -> Diagnostic {
    let verb = if readers.count_ones() == 1 {
        "reads"
    } else {
        "read"
    };
    Diagnostic::warning(span, "a shuffle reads lanes that do not take part in it")
        .code(ABSENT_LANES)
        .label(format!("{} {verb} such a lane", lanes(readers)))
        .note("CUDA leaves undefined what they get; NVIDIA's GPUs give 0")
        .help(format!(
            "let all {WARP_LANES} lanes take part, with a neutral value where there is no data"
        ))
}

/// Exchanges whose masks name lanes that take another path.
pub fn absent_lanes(span: Span, absent: u32) -> Diagnostic {
    Diagnostic::warning(span, "a mask names lanes that do not make the call")
        .code(ABSENT_LANES)
        .label(format!("{} took another path", lanes(absent)))
        .note("CUDA leaves that undefined; NVIDIA's GPUs go on with the lanes that are there")
        .help("make the call outside of the branch, or pass the mask of the lanes inside it")
}

/// A launch that ran out of instructions.
pub fn out_of_fuel(span: Span, fuel: u64, place: WarpPlace<'_>) -> Diagnostic {
    Diagnostic::error(span, "endless loop?")
        .code(ENDLESS)
        .label(format!("{} is still here", place.warp()))
        .note(format!(
            "stopped after {fuel} warp instructions, the limit of one launch"
        ))
        .help("check that the loop's condition becomes false, or launch less work")
}

/// A launch that was not done in time.
pub fn out_of_time(kernel: &Kernel, limit: Duration) -> Diagnostic {
    let (name, seconds) = (&kernel.name, limit.as_secs_f64());
    Diagnostic::error(kernel.span, format!("`{name}` takes too long"))
        .code(ENDLESS)
        .label("launched here")
        .note(format!(
            "stopped after {seconds} s, the limit of one launch"
        ))
        .help("check that its loops end, launch less work, or give it more time")
}

#[cfg(test)]
mod tests {
    use super::lanes;

    #[test]
    fn masks_read_as_runs() {
        assert_eq!(lanes(1), "lane 0");
        assert_eq!(lanes(0b1000_1111), "lanes 0-3, 7");
        assert_eq!(lanes(u32::MAX), "lanes 0-31");
        assert_eq!(lanes(1 << 31 | 1), "lanes 0, 31");
    }
}
