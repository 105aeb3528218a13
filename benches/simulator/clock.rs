//! The clock by which kernels are timed.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Time of all threads of the process on processors: what else the machine does leaves it nearly as it is.
pub fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
