//! `<time.h>` over the simulated clock, in UTC.

use crate::host::machine::{Call, Machine, Stop, Table};

const SECOND_NS: u64 = 1_000_000_000;

const DAYS: [&str; 7] = [
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
];

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

pub const TABLE: Table = &[
    ("time", |machine, call| {
        let seconds = machine.clock.now_ns() / SECOND_NS;
        if call.u64(0) != 0 {
            machine.memory.write(call.u64(0), &seconds.to_le_bytes())?;
        }
        Ok(seconds)
    }),
    ("clock", |machine, _| Ok(machine.now_elapsed_ns() / 1000)),
    ("gettimeofday", |machine, call| {
        let now = machine.now_ns();
        put_pair(
            machine,
            call.u64(0),
            now / SECOND_NS,
            now % SECOND_NS / 1000,
        )
    }),
    ("clock_gettime", |machine, call| {
        // Only the first of the clocks counts from 1970.
        let now = if call.i32(0) == 0 {
            machine.now_ns()
        } else {
            machine.now_elapsed_ns()
        };
        put_pair(machine, call.u64(1), now / SECOND_NS, now % SECOND_NS)
    }),
    ("clock_getres", |machine, call| {
        put_pair(machine, call.u64(1), 0, 1)
    }),
    ("timespec_get", |machine, call| {
        let now = machine.now_ns();
        put_pair(machine, call.u64(0), now / SECOND_NS, now % SECOND_NS)?;
        Ok(call.u64(1))
    }),
    ("difftime", |_, call| {
        Ok(((call.i64(0) - call.i64(1)) as f64).to_bits())
    }),
    ("nanosleep", |machine, call| {
        let bytes = machine.memory.read(call.u64(0), 16)?;
        let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap_or_default());
        // Nobody waits: the simulated clock is set forward.
        machine
            .clock
            .advance_ns(word(0).saturating_mul(SECOND_NS).saturating_add(word(8)));
        Ok(0)
    }),
    ("usleep", |machine, call| {
        machine.clock.advance_ns(call.u64(0).saturating_mul(1000));
        Ok(0)
    }),
    ("sleep", |machine, call| {
        machine
            .clock
            .advance_ns(call.u64(0).saturating_mul(SECOND_NS));
        Ok(0)
    }),
    ("localtime", broken_down),
    ("gmtime", broken_down),
    ("mktime", |machine, call| {
        Ok(Date::read(machine, call.u64(0))?.seconds())
    }),
    ("strftime", strftime),
    ("ctime", |machine, call| {
        let date = Date::of(seconds_at(machine, call.u64(0))?);
        Ok(machine.lasting_text(date.line().as_bytes()))
    }),
    ("asctime", |machine, call| {
        let date = Date::read(machine, call.u64(0))?;
        Ok(machine.lasting_text(date.line().as_bytes()))
    }),
];

fn put_pair(machine: &mut Machine<'_>, to: u64, first: u64, second: u64) -> Result<u64, Stop> {
    if to != 0 {
        let bytes = [first.to_le_bytes(), second.to_le_bytes()].concat();
        machine.memory.write(to, &bytes)?;
    }
    Ok(0)
}

fn seconds_at(machine: &Machine<'_>, address: u64) -> Result<u64, Stop> {
    let bytes = machine.memory.read(address, 8)?;
    Ok(u64::from_le_bytes(bytes.try_into().unwrap_or_default()))
}

/// Where `localtime` and `gmtime` put their result.
#[derive(Default)]
struct Result1(u64);

fn broken_down(machine: &mut Machine<'_>, call: &Call<'_>) -> Result<u64, Stop> {
    let date = Date::of(seconds_at(machine, call.u64(0))?);
    // One place for all calls, as in C: the next call overwrites what the last has returned.
    let mut place = machine.library_state::<Result1>("localtime").0;
    if place == 0 {
        place = machine.lasting_text(&[0; 64]);
        machine.library_state::<Result1>("localtime").0 = place;
    }
    let zone = machine.lasting_text(b"UTC");
    let mut bytes: Vec<u8> = date
        .parts
        .iter()
        .flat_map(|part| part.to_le_bytes())
        .collect();
    // Behind the nine: padding, `tm_gmtoff`, which is 0, and in glibc the pointer `tm_zone`.
    bytes.resize(48, 0);
    bytes.extend_from_slice(&zone.to_le_bytes());
    machine.memory.write(place, &bytes)?;
    Ok(place)
}

/// `struct tm`: seconds, minutes, hours, day, month, years from 1900, day of the week and of the year, summer time.
struct Date {
    parts: [i32; 9],
}

impl Date {
    /// The moment so many seconds behind 1970.
    fn of(seconds: u64) -> Self {
        let (days, rest) = ((seconds / 86400) as i64, (seconds % 86400) as i32);
        // Days from 0000-03-01 in eras of 400 years (Hinnant, "chrono-compatible low-level date algorithms").
        let shifted = days + 719_468;
        let era = shifted.div_euclid(146_097);
        let of_era = shifted.rem_euclid(146_097);
        let year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        // From March on every five months have 153 days: 31, 30, 31, 30, 31.
        let month_from_march = (5 * of_year + 2) / 153;
        let day = of_year - (153 * month_from_march + 2) / 5 + 1;
        let month = if month_from_march < 10 {
            month_from_march + 3
        } else {
            month_from_march - 9
        };
        // January and February belong to the year that began in the March before.
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        let first = days_before(year, 1, 1);
        let parts = [
            rest % 60,
            rest / 60 % 60,
            rest / 3600,
            day as i32,
            month as i32 - 1,
            year as i32 - 1900,
            // 1970 began on a Thursday.
            (days + 4).rem_euclid(7) as i32,
            (days - first) as i32,
            0,
        ];
        Date { parts }
    }

    fn read(machine: &Machine<'_>, address: u64) -> Result<Self, Stop> {
        let bytes = machine.memory.read(address, 36)?;
        let mut parts = [0; 9];
        for (part, bytes) in parts.iter_mut().zip(bytes.chunks_exact(4)) {
            *part = i32::from_le_bytes(bytes.try_into().unwrap_or_default());
        }
        Ok(Date { parts })
    }

    fn seconds(&self) -> u64 {
        let [second, minute, hour, day, month, year, ..] = self.parts.map(i64::from);
        let days = days_before(
            // Month 14 of a year is March of the next, as `mktime` has to take it.
            year + 1900 + month.div_euclid(12),
            month.rem_euclid(12) + 1,
            day,
        );
        (days * 86400 + hour * 3600 + minute * 60 + second) as u64
    }

    /// As `ctime` writes it.
    fn line(&self) -> String {
        format!("{}\n", self.formatted("%a %b %e %H:%M:%S %Y"))
    }

    fn formatted(&self, format: &str) -> String {
        let mut text = String::new();
        let mut rest = format.chars();
        while let Some(next) = rest.next() {
            match (next, if next == '%' { rest.next() } else { None }) {
                ('%', Some(letter)) => text.push_str(&self.part(letter)),
                (other, _) => text.push(other),
            }
        }
        text
    }

    fn part(&self, letter: char) -> String {
        let [second, minute, hour, day, month, year, weekday, yearday, _] = self.parts;
        let name = |names: &[&'static str], at: i32| names.get(at as usize).copied().unwrap_or("?");
        let (weekday_name, month_name) = (name(&DAYS, weekday), name(&MONTHS, month));
        match letter {
            'Y' => (year + 1900).to_string(),
            'y' => format!("{:02}", year % 100),
            'm' => format!("{:02}", month + 1),
            'd' => format!("{day:02}"),
            'e' => format!("{day:2}"),
            'H' => format!("{hour:02}"),
            'I' => format!("{:02}", (hour + 11) % 12 + 1),
            'M' => format!("{minute:02}"),
            'S' => format!("{second:02}"),
            'p' => (if hour < 12 { "AM" } else { "PM" }).to_owned(),
            'j' => format!("{:03}", yearday + 1),
            'a' => weekday_name[..3].to_owned(),
            'A' => weekday_name.to_owned(),
            'b' | 'h' => month_name[..3].to_owned(),
            'B' => month_name.to_owned(),
            'F' => self.formatted("%Y-%m-%d"),
            'T' | 'X' => self.formatted("%H:%M:%S"),
            'R' => self.formatted("%H:%M"),
            'D' | 'x' => self.formatted("%m/%d/%y"),
            'c' => self.formatted("%a %b %e %H:%M:%S %Y"),
            'Z' => "UTC".to_owned(),
            'z' => "+0000".to_owned(),
            's' => self.seconds().to_string(),
            'n' => "\n".to_owned(),
            't' => "\t".to_owned(),
            other => other.to_string(),
        }
    }
}

/// Days from 1970 to a date of the Gregorian calendar.
fn days_before(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

fn strftime(machine: &mut Machine<'_>, call: &Call<'_>) -> Result<u64, Stop> {
    let format = machine.memory.text(call.u64(2))?;
    let date = Date::read(machine, call.u64(3))?;
    let mut text = date
        .formatted(&String::from_utf8_lossy(&format))
        .into_bytes();
    let length = text.len() as u64;
    // It must fit with the zero behind it; otherwise C says nothing of what is there.
    if length >= call.u64(1) {
        return Ok(0);
    }
    text.push(0);
    machine.memory.write(call.u64(0), &text)?;
    Ok(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        let date = Date::of(1_767_225_600);
        assert_eq!(date.line(), "Thu Jan  1 00:00:00 2026\n");
        let date = Date::of(951_782_399);
        assert_eq!(
            date.formatted("%F %T %j %A"),
            "2000-02-28 23:59:59 059 Monday"
        );
        assert_eq!(date.seconds(), 951_782_399);
    }
}
