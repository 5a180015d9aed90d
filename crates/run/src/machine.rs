//! What this machine has, as the operating system tells it.

use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

use backwater_kernel::words::counted;
use rayon::ThreadPool;

/// User time of this process so far, in seconds; `None` where the system does not say.
pub fn user_seconds() -> Option<f64> {
    // Linux counts in ticks of 10 ms in `stat`; `schedstat` has nanoseconds of the main thread.
    let text = fs::read_to_string("/proc/self/schedstat").ok()?;
    let nanoseconds: u64 = text.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds as f64 / 1e9)
}

/// CPU time of this process so far, all its threads and the system's work for them, in seconds;
/// `None` where the system does not say.
pub fn cpu_seconds() -> Option<f64> {
    #[cfg(unix)]
    {
        use rustix::time::{ClockId, clock_gettime};
        let time = clock_gettime(ClockId::ProcessCPUTime);
        Some(time.tv_sec as f64 + time.tv_nsec as f64 / 1e9)
    }
    #[cfg(not(unix))]
    None
}

/// As many threads as wanted, 0 for one a core; fewer, and a note that says so, where the system
/// lets no more start. Results are the same on any number.
pub fn pool(threads: usize) -> Result<ThreadPool, String> {
    let pool = crate::threads::pool(threads)?;
    if let Some(wanted) = pool.wanted {
        note_threads(pool.threads.current_num_threads(), wanted);
    }
    Ok(pool.threads)
}

/// Says that fewer threads work than wanted.
pub fn note_threads(got: usize, wanted: usize) {
    let got = counted(got, "thread");
    log::info!("{got} instead of {wanted}: the system allows no more");
}

/// The time of day, such as `2026-11-22 21:11:28 UTC`.
pub fn now() -> String {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH);
    in_words(since_1970.map_or(0, |time| time.as_secs()))
}

/// Seconds since the start of 1970 as a date and time.
fn in_words(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Of eras of 400 years, which begin on 1 March; the era of day 0 began in the year 0.
    let day = days + 719_468;
    let (era, day) = (day / 146_097, day % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let date = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + u64::from(month <= 2);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year}-{month:02}-{date:02} {hour:02}:{minute:02}:{second:02} UTC")
}

/// Largest memory this process has held, in bytes.
pub fn resident_bytes() -> Option<u64> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|line| line.starts_with("VmRSS:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::in_words;

    /// As `date -u -d @SECONDS` says.
    #[test]
    fn dates_are_those_of_the_calendar() {
        for (seconds, words) in [
            (0, "1970-01-01 00:00:00 UTC"),
            (951_782_400, "2000-02-29 00:00:00 UTC"),
            (1_767_225_599, "2025-12-31 23:59:59 UTC"),
            (1_795_381_888, "2026-11-22 21:11:28 UTC"),
            (4_107_542_400, "2100-03-01 00:00:00 UTC"),
        ] {
            assert_eq!(in_words(seconds), words);
        }
    }
}
