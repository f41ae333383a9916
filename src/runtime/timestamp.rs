//! Timestamps in the helper's formats: RFC 3339 in UTC with milliseconds, and the prefix of a run's id. They are for
//! people and for ages; order comes from counters.

use super::command_line::{OptionValue, required};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970 in UTC, up to the end of the year 9999.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp(u64);

/// The last millisecond that the format can express.
const LAST: u64 = 253_402_300_799_999;

impl Timestamp {
    /// The timestamp of a system time, clamped to the supported range.
    pub fn from_system_time(time: SystemTime) -> Self {
        let since = time.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        Self(u64::try_from(since).unwrap_or(LAST).min(LAST))
    }

    /// `2026-11-22T07:36:31.042Z`
    pub fn rfc3339(self) -> String {
        let time = UNIX_EPOCH + Duration::from_millis(self.0);
        humantime::format_rfc3339_millis(time).to_string()
    }

    /// `20261122-073631`
    pub fn stamp(self) -> String {
        let digits: String = self.rfc3339().chars().filter(char::is_ascii_digit).take(14).collect();
        let (date, time) = digits.split_at(8);
        format!("{date}-{time}")
    }

    /// Parses an RFC 3339 time in UTC, as [`Timestamp::rfc3339`] prints it.
    pub fn parse(text: &str) -> Option<Self> {
        humantime::parse_rfc3339(text).ok().map(Self::from_system_time)
    }

    /// Whole seconds since 1970.
    pub fn seconds(self) -> i64 {
        i64::try_from(self.0 / 1000).unwrap_or_default()
    }

    /// Seconds since an earlier time; 0 if it is in the future.
    pub fn seconds_since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0) / 1000
    }
}

/// An age such as `90s`, `15m`, `12h`, `7d` or `2w`, in seconds.
#[derive(Debug, Clone, Copy)]
pub struct Age(pub u64);

impl OptionValue for Age {
    fn parse(text: &str) -> Result<Self, String> {
        age(text).map(Self)
    }
}
required!(Age);

fn age(text: &str) -> Result<u64, String> {
    let wrong =
        || format!("`{text}` is not an age: write a number and `s`, `m`, `h`, `d` or `w`, such as `7d`");
    let unit = text.chars().next_back().ok_or_else(wrong)?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3600,
        'd' => 86_400,
        'w' => 604_800,
        _ => return Err(wrong()),
    };
    let number = &text[..text.len() - 1];
    if !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(wrong());
    }
    number.parse::<u64>().ok().and_then(|number| number.checked_mul(seconds)).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_and_read() {
        for (milli, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_827_696_789, "2000-02-29T12:34:56.789Z"),
            (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
            (1_798_761_600_000, "2027-01-01T00:00:00.000Z"),
        ] {
            assert_eq!(Timestamp(milli).rfc3339(), text);
            assert_eq!(Timestamp::parse(text), Some(Timestamp(milli)));
        }
        assert_eq!(Timestamp(951_827_696_789).stamp(), "20000229-123456");
        assert_eq!(Timestamp::parse("2000-02-29T12:34:56Z"), Some(Timestamp(951_827_696_000)));
        let dates =
            ["2000-13-29T12:34:56Z", "2001-02-29T12:34:56Z", "2001-04-31T12:34:56Z", "1969-12-31T23:59:59Z"];
        let forms = ["", "2000-02-29", "2000-02-29T12:34:56+01:00", "é000", "2000-02-29T12:34:5éZ"];
        for wrong in dates.into_iter().chain(forms) {
            assert_eq!(Timestamp::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_clock_out_of_range_has_the_nearest_moment() {
        let before = UNIX_EPOCH - Duration::from_secs(1);
        let after = UNIX_EPOCH + Duration::from_secs(999_999_999_999);
        assert_eq!(Timestamp::from_system_time(before).rfc3339(), "1970-01-01T00:00:00.000Z");
        assert_eq!(Timestamp::from_system_time(after).rfc3339(), "9999-12-31T23:59:59.999Z");
        assert_eq!(Timestamp::from_system_time(before).seconds_since(Timestamp::from_system_time(after)), 0);
    }

    #[test]
    fn ages_are_read() {
        assert_eq!((age("90s"), age("7d"), age("2w")), (Ok(90), Ok(604_800), Ok(1_209_600)));
        for wrong in ["", "7", "d", "+7d", "7y", "-1d", "99999999999999999999d", "7é"] {
            assert!(age(wrong).is_err(), "{wrong}");
        }
    }
}
