//! What this machine has, and what is known of GPUs: libraries found, the table of GPUs, the occupancy of an SM.

mod doctor;
mod hardware;
mod occupancy;

pub(super) use doctor::{DoctorArguments, doctor};
pub(super) use hardware::{HardwareArguments, hardware};
pub(super) use occupancy::{OccupancyArguments, occupancy};
