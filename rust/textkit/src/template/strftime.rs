//! `strftime_now`: Python's `strftime` in the C locale, of a time that is given.

use crate::error::{Code, Error, Result};

const DAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DateTime {
    year: i64,
    month: i64,
    day: i64,
    hour: i64,
    minute: i64,
    second: i64,
}

impl DateTime {
    /// "2026-01-02T03:04:05" (a space instead of the T, and anything behind the seconds, is accepted).
    pub fn parse(text: &str) -> Result<DateTime> {
        let wrong = || Error::new(Code::InvalidArgument, format!("{text:?} is not a time like 2026-01-02T03:04:05"));
        let field = |from: usize, to: usize, low: i64, high: i64| {
            let digits = text.get(from..to).filter(|d| d.bytes().all(|b| b.is_ascii_digit())).ok_or_else(wrong)?;
            let n: i64 = digits.parse().map_err(|_| wrong())?;
            if (low..=high).contains(&n) {
                Ok(n)
            } else {
                Err(wrong())
            }
        };
        let bytes = text.as_bytes();
        let separators = [(4, b'-'), (7, b'-'), (13, b':'), (16, b':')];
        if separators.iter().any(|(at, b)| bytes.get(*at) != Some(b)) || !matches!(bytes.get(10), Some(b'T' | b' ')) {
            return Err(wrong());
        }
        Ok(DateTime {
            year: field(0, 4, 1, 9999)?,
            month: field(5, 7, 1, 12)?,
            day: field(8, 10, 1, 31)?,
            hour: field(11, 13, 0, 23)?,
            minute: field(14, 16, 0, 59)?,
            second: field(17, 19, 0, 60)?,
        })
    }

    /// Days since 1970-01-01 of the proleptic Gregorian calendar (Howard Hinnant's days_from_civil).
    fn days(&self, year: i64, month: i64, day: i64) -> i64 {
        let y = if month <= 2 { year - 1 } else { year };
        let era = y.div_euclid(400);
        let of_era = y.rem_euclid(400);
        let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
        era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
    }

    fn today(&self) -> i64 {
        self.days(self.year, self.month, self.day)
    }

    /// 0 is Monday.
    fn weekday(&self) -> i64 {
        (self.today() + 3).rem_euclid(7)
    }

    /// 1 is January 1st.
    fn day_of_year(&self) -> i64 {
        self.today() - self.days(self.year, 1, 1) + 1
    }

    /// ISO 8601 year and week.
    fn iso_week(&self) -> (i64, i64) {
        let thursday = self.today() - self.weekday() + 3;
        let year = [self.year - 1, self.year, self.year + 1]
            .into_iter()
            .rfind(|y| self.days(*y, 1, 1) <= thursday)
            .unwrap_or(self.year);
        (year, (thursday - self.days(year, 1, 1)) / 7 + 1)
    }

    pub fn strftime(&self, format: &str) -> String {
        let mut out = String::new();
        let mut chars = format.chars();
        while let Some(c) = chars.next() {
            if c != '%' {
                out.push(c);
                continue;
            }
            match chars.next() {
                // glibc: no padding.
                Some('-') => {
                    let field = chars.next().map(|c| self.field(c)).unwrap_or_default();
                    let trimmed = field.trim_start_matches(['0', ' ']);
                    out.push_str(if trimmed.is_empty() && !field.is_empty() { "0" } else { trimmed });
                }
                Some(c) => out.push_str(&self.field(c)),
                None => out.push('%'),
            }
        }
        out
    }

    fn field(&self, c: char) -> String {
        let hour12 = (self.hour + 11) % 12 + 1;
        let day_name = DAYS[self.weekday() as usize];
        let month_name = MONTHS[self.month as usize - 1];
        let sunday_week = (self.day_of_year() + 6 - (self.weekday() + 1) % 7) / 7;
        let monday_week = (self.day_of_year() + 6 - self.weekday()) / 7;
        match c {
            'Y' => self.year.to_string(),
            'y' => format!("{:02}", self.year % 100),
            'C' => format!("{:02}", self.year / 100),
            'm' => format!("{:02}", self.month),
            'd' => format!("{:02}", self.day),
            'e' => format!("{:2}", self.day),
            'H' => format!("{:02}", self.hour),
            'I' => format!("{hour12:02}"),
            'k' => format!("{:2}", self.hour),
            'l' => format!("{hour12:2}"),
            'M' => format!("{:02}", self.minute),
            'S' => format!("{:02}", self.second),
            'f' => "000000".to_string(),
            'p' => if self.hour < 12 { "AM" } else { "PM" }.to_string(),
            'P' => if self.hour < 12 { "am" } else { "pm" }.to_string(),
            'j' => format!("{:03}", self.day_of_year()),
            'A' => day_name.to_string(),
            'a' => day_name[..3].to_string(),
            'B' => month_name.to_string(),
            'b' | 'h' => month_name[..3].to_string(),
            'u' => (self.weekday() + 1).to_string(),
            'w' => ((self.weekday() + 1) % 7).to_string(),
            'U' => format!("{sunday_week:02}"),
            'W' => format!("{monday_week:02}"),
            'G' => self.iso_week().0.to_string(),
            'V' => format!("{:02}", self.iso_week().1),
            'D' | 'x' => self.strftime("%m/%d/%y"),
            'F' => self.strftime("%Y-%m-%d"),
            'T' | 'X' => self.strftime("%H:%M:%S"),
            'R' => self.strftime("%H:%M"),
            'r' => self.strftime("%I:%M:%S %p"),
            'c' => self.strftime("%a %b %e %H:%M:%S %Y"),
            's' => (self.today() * 86_400 + self.hour * 3600 + self.minute * 60 + self.second).to_string(),
            'n' => "\n".to_string(),
            't' => "\t".to_string(),
            'z' | 'Z' => String::new(),
            '%' => "%".to_string(),
            other => format!("%{other}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(now: &str, format: &str) -> String {
        DateTime::parse(now).unwrap().strftime(format)
    }

    #[test]
    fn formats_as_the_c_locale_does() {
        let now = "2026-01-02T03:04:05";
        assert_eq!(format(now, "%Y-%m-%d %H:%M:%S %j %A %B %p %y"), "2026-01-02 03:04:05 002 Friday January AM 26");
        assert_eq!(format(now, "%d %b %Y|%-d|%e|%I|%%|%q"), "02 Jan 2026|2| 2|03|%|%q");
        assert_eq!(format(now, "%G-W%V %U %W %u %w"), "2026-W01 00 00 5 5");
    }

    #[test]
    fn knows_leap_years_and_week_years() {
        assert_eq!(format("2024-12-31T00:00:00", "%j %a %G-%V"), "366 Tue 2025-01");
        assert_eq!(format("2000-02-29T12:00:00", "%A %I %p"), "Tuesday 12 PM");
        assert_eq!(format("1999-01-01T00:00:00", "%G-%V"), "1998-53");
    }

    #[test]
    fn refuses_what_is_no_time() {
        for text in
            ["", "2026", "2026-13-01T00:00:00", "2026-01-02T25:00:00", "2026-01-02T03:04:0x", "２026-01-02T03:04:05"]
        {
            assert!(DateTime::parse(text).is_err(), "{text}");
        }
    }
}
