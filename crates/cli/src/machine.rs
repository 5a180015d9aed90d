//! What this machine has, as the operating system tells it.

use std::fs;

/// User time of this process so far, in seconds; `None` where the system does not say.
pub fn user_seconds() -> Option<f64> {
    // Linux counts in ticks of 10 ms in `stat`; `schedstat` has nanoseconds of the main thread.
    let text = fs::read_to_string("/proc/self/schedstat").ok()?;
    let nanoseconds: u64 = text.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds as f64 / 1e9)
}

/// Largest memory this process has held, in bytes.
pub fn resident_bytes() -> Option<u64> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|line| line.starts_with("VmRSS:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}
