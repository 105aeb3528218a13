//! Buffers in global memory: what fills them before the first launch, what is in them after the last, and how
//! far two results are from each other.

mod result_cache;

mod pages;

mod random;

mod blocks;

mod near_normal;

mod init;

mod fill;

mod literal;

mod npy;

mod spec;

mod agreement;

pub use agreement::Agreement;
pub use fill::FillControl;
pub use init::{Init, InitError};
pub use pages::zeroed;
pub use result_cache::ResultCache;
pub use spec::{BufferSpec, BufferValues};
