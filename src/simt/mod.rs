//! simt
