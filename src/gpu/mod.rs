//! The real GPU.

mod instrument;

pub use instrument::{
    BufferRange, Counted, CountedSource, InstrumentError, TracedSource, instrument_accesses,
    instrument_values,
};
