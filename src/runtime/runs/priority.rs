//! Which threads go first where there are more than the machine has cores.

/// Lets all other threads go before the one that calls this and those that it starts: a notebook on two cores draws its
/// frames while both of them simulate.
pub fn give_way() {
    // A priority is a thread's own on Linux alone; elsewhere it is that of the process, which draws the frames too.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::setpriority_process(None, 10);
}
