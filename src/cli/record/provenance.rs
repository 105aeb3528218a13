//! Where a recording comes from: the machine, its GPU and the day.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::gpu::{Facts, FoundGpu, Unavailable, driver_and_clocks};
use crate::launch::{Clocks, Provenance};

/// Of this machine, today; the clocks are filled in while something runs.
pub(crate) fn provenance(facts: &Facts) -> Result<Provenance, &Unavailable> {
    let found = facts.usable()?;
    let (driver, clocks_mhz) = driver_and_clocks(found);
    let cuda = facts.driver.as_ref().map(|driver| driver.version.clone());
    let nvrtc = facts.nvrtc.as_ref().map(|nvrtc| nvrtc.version.clone());
    Ok(Provenance {
        gpu: id(found),
        device: found.name.clone(),
        driver,
        cuda: cuda?,
        nvrtc: nvrtc?,
        clocks_mhz: Clocks {
            sm: None,
            memory: None,
            ..clocks_mhz
        },
        date: date(SystemTime::now()),
        tutor: env!("CARGO_PKG_VERSION").to_owned(),
        l2: "flushed".to_owned(),
    })
}

/// The GPU's row in the table, or its name in small letters.
fn id(gpu: &FoundGpu) -> String {
    let name = || {
        // `NVIDIA GeForce RTX 4090` becomes nvidia-geforce-rtx-4090: a name for a folder.
        let parts = gpu.name.split(|c: char| !c.is_ascii_alphanumeric());
        let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
        parts.join("-").to_ascii_lowercase()
    };
    gpu.row().map_or_else(name, |row| row.id.clone())
}

/// The day of a moment, in UTC: `YYYY-MM-DD`. Days are counted from 0000-03-01, so that a leap day is
/// the last of its year (H. Hinnant, "chrono-Compatible Low-Level Date Algorithms").
fn date(now: SystemTime) -> String {
    let seconds = now
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    let days = seconds / 86_400 + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = (from_march + 2) % 12 + 1;
    let year = 400 * era + year_of_era + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn days_have_names() {
        let day = |days: u64| date(UNIX_EPOCH + Duration::from_secs(days * 86_400 + 86_399));
        assert_eq!(day(0), "1970-01-01");
        assert_eq!(day(11_016), "2000-02-29");
        assert_eq!(day(20_777), "2026-11-20");
        assert_eq!(day(20_818), "2026-12-31");
    }
}
