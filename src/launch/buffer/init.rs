//! What buffers begin with, as lessons and commands write it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// What a buffer holds before the first launch. Element `i` of `n` is a pure function of `i`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Init {
    /// Zeros.
    Zero,
    /// Ones.
    One,
    /// `i`.
    Arange,
    /// `(i mod 1021) / 1021` for floats, `i mod 251` for integers.
    Ramp,
    /// `(i * P) mod n`.
    Perm(u64),
    /// `i mod K`.
    Mod(u64),
    /// Cosines of the angles of rotary position embeddings: row `t` of `K` columns holds
    /// `cos(t * 10000^(-j/K))` in column `j`. For floats.
    Cosines(u64),
    /// Sines of the same angles.
    Sines(u64),
    /// Standard normal values, the same for the same seed on every machine.
    Normal(u64),
    /// Uniform in [0, 1) for floats, over all values for integers.
    Uniform(u64),
    /// The elements of a NumPy file of the same type and length.
    Npy(PathBuf),
    /// These elements, one after the other, little-endian; zeros behind them.
    Listed(Vec<u8>),
}

/// Why a buffer could not be made.
#[derive(Debug, Error)]
pub enum InitError {
    /// The name of the initial contents is unknown or its number is missing.
    #[error(
        "`{0}` is not an initial content; one of zero, one, arange, ramp, perm:P, mod:K, rope_cos:K, rope_sin:K, normal:SEED, uniform:SEED or a .npy file"
    )]
    Unknown(String),
    /// The NumPy file cannot be read, or does not fit the buffer.
    #[error("{path}: {reason}")]
    Npy {
        /// The file.
        path: PathBuf,
        /// What was wrong with it.
        reason: String,
    },
}

impl Init {
    /// Reads `zero`, `perm:7`, `values.npy` and so on.
    pub fn parse(text: &str) -> Result<Self, InitError> {
        let unknown = || InitError::Unknown(text.to_owned());
        if text.ends_with(".npy") {
            return Ok(Init::Npy(text.into()));
        }
        let Some((name, number)) = text.split_once(':') else {
            return match text {
                "zero" => Ok(Init::Zero),
                "one" => Ok(Init::One),
                "arange" => Ok(Init::Arange),
                "ramp" => Ok(Init::Ramp),
                _ => Err(unknown()),
            };
        };
        let number: u64 = number.parse().map_err(|_| unknown())?;
        Self::with_number(name, number).ok_or_else(unknown)
    }

    /// The content called `name` that takes a number, such as `perm`; nothing where there is none, or it does
    /// not take this one.
    pub fn with_number(name: &str, number: u64) -> Option<Self> {
        match name {
            "perm" => Some(Init::Perm(number)),
            "mod" if number > 0 => Some(Init::Mod(number)),
            "rope_cos" if number > 0 => Some(Init::Cosines(number)),
            "rope_sin" if number > 0 => Some(Init::Sines(number)),
            "normal" => Some(Init::Normal(number)),
            "uniform" => Some(Init::Uniform(number)),
            _ => None,
        }
    }
}
