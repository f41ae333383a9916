//! Points in time as the helper writes and reads them: RFC 3339 in UTC with milliseconds, and the stamp
//! in front of a run's id. They are for people and for ages; order comes from counters.

use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970 in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(i64);

const DAY: i64 = 86_400_000;

impl Moment {
    /// The moment of a time.
    pub fn of(time: SystemTime) -> Self {
        let since = time.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        Self(i64::try_from(since).unwrap_or_default())
    }

    /// `2026-11-22T07:36:31.042Z`
    pub fn rfc3339(self) -> String {
        let (year, month, day) = date(self.0.div_euclid(DAY));
        let (hour, minute, second, milli) = self.time();
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
    }

    /// `20261122-073631`
    pub fn stamp(self) -> String {
        let (year, month, day) = date(self.0.div_euclid(DAY));
        let (hour, minute, second, _) = self.time();
        format!("{year:04}{month:02}{day:02}-{hour:02}{minute:02}{second:02}")
    }

    fn time(self) -> (i64, i64, i64, i64) {
        let rest = self.0.rem_euclid(DAY);
        (rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60, rest % 1000)
    }

    /// Reads what [`Moment::rfc3339`] writes, with or without milliseconds.
    pub fn parse(text: &str) -> Option<Self> {
        let number = |range: std::ops::Range<usize>| text.get(range)?.parse::<i64>().ok();
        let mark = |at: usize, mark: char| text.get(at..)?.starts_with(mark).then_some(());
        let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
        mark(10, 'T')?;
        let (hour, minute, second) = (number(11..13)?, number(14..16)?, number(17..19)?);
        let milli = if mark(19, '.').is_some() { number(20..23)? } else { 0 };
        text.ends_with('Z').then_some(())?;
        (month <= 12 && day <= 31 && hour < 24 && minute < 60 && second <= 60).then_some(())?;
        Some(Self(days(year, month, day) * DAY + ((hour * 60 + minute) * 60 + second) * 1000 + milli))
    }

    /// Seconds since an earlier moment; 0 when that lies ahead.
    pub fn seconds_since(self, earlier: Self) -> u64 {
        u64::try_from((self.0 - earlier.0) / 1000).unwrap_or_default()
    }
}

/// Days since 1970 of a date, by the rules of the Gregorian calendar.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The date of a number of days since 1970.
fn date(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// An age such as `90s`, `15m`, `12h`, `7d` or `2w`, in seconds.
///
/// # Errors
/// What an age looks like.
pub fn age(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is no age: write a number and `s`, `m`, `h`, `d` or `w`, such as `7d`");
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
            assert_eq!(Moment(milli).rfc3339(), text);
            assert_eq!(Moment::parse(text), Some(Moment(milli)));
        }
        assert_eq!(Moment(951_827_696_789).stamp(), "20000229-123456");
        assert_eq!(Moment::parse("2000-02-29T12:34:56Z"), Some(Moment(951_827_696_000)));
        for wrong in ["", "2000-02-29", "2000-13-29T12:34:56Z", "2000-02-29T12:34:56+01:00", "é000"] {
            assert_eq!(Moment::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn ages_are_read() {
        assert_eq!((age("90s"), age("7d"), age("2w")), (Ok(90), Ok(604_800), Ok(1_209_600)));
        for wrong in ["", "7", "d", "+7d", "7y", "-1d", "99999999999999999999d", "7é"] {
            assert!(age(wrong).is_err(), "{wrong}");
        }
    }
}
