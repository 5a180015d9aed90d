//! Room on the stack. Threads of Python may have little of it, and what runs below a frame of
//! Python may run the same again: without room the system would end the interpreter.

use std::cell::Cell;
use std::fs;
use std::thread;

use pyo3::prelude::*;

use crate::errors::Failure;

/// Where less is left, the work is done on a thread of its own.
const ENOUGH: usize = 2 << 20;
/// What that has.
const OWN: usize = 16 << 20;
/// Runs within runs: a source may run something as it is made.
const DEEPEST: u32 = 8;

thread_local! {
    /// How many calls of this thread, and of those that wait for it, have not returned.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Does this without holding the interpreter, and with room on the stack.
///
/// # Errors
/// If it fails, or there is no room to be had.
pub fn roomy<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, Failure> + Send,
) -> PyResult<T> {
    py.detach(|| within(work))
        .map_err(|failure| failure.raise(py))
}

fn within<T: Send>(work: impl FnOnce() -> Result<T, Failure> + Send) -> Result<T, Failure> {
    let depth = DEPTH.get() + 1;
    if depth > DEEPEST {
        return Err(Failure::Refused(format!(
            "more than {DEEPEST} calls within each other: does a source or control run a scenario \
             with itself in it?"
        )));
    }
    let deeper = move || {
        DEPTH.set(depth);
        let found = work();
        DEPTH.set(depth - 1);
        found
    };
    if left().is_none_or(|left| left >= ENOUGH) {
        return deeper();
    }
    thread::scope(|scope| {
        let own = thread::Builder::new().stack_size(OWN);
        let own = own.spawn_scoped(scope, deeper).map_err(|error| {
            Failure::Refused(format!(
                "no room on the stack, and no thread to be had: {error}"
            ))
        })?;
        own.join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Bytes of stack that this thread has left; `None` where the system does not say.
fn left() -> Option<usize> {
    let here = 0_u8;
    let here = std::ptr::from_ref(&here) as usize;
    let maps = fs::read_to_string("/proc/self/maps").ok()?;
    let limits = || fs::read_to_string("/proc/self/limits").ok();
    left_of(here, &maps, limits)
}

fn left_of(here: usize, maps: &str, limits: impl FnOnce() -> Option<String>) -> Option<usize> {
    let range = |line: &str| {
        let (start, end) = line.split(' ').next()?.split_once('-')?;
        let number = |text| usize::from_str_radix(text, 16).ok();
        Some((number(start)?, number(end)?))
    };
    let mut lines = maps.lines().filter_map(|line| Some((range(line)?, line)));
    let ((start, end), line) = lines.find(|((start, end), _)| (*start..*end).contains(&here))?;
    if !line.ends_with("[stack]") {
        return Some(here - start);
    }
    // That of the first thread grows up to its limit.
    let limits = limits()?;
    let most = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max stack size"))?;
    let most = most
        .split_whitespace()
        .next()?
        .parse()
        .unwrap_or(usize::MAX);
    Some(most.saturating_sub(end - here))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPS: &str = "\
00001000-00009000 rw-p 00000000 00:00 0
7000-7001 r--p 0 00:00 0 /lib/x
100000-120000 rw-p 00000000 00:00 0                          [stack]
";

    #[test]
    fn room_is_what_lies_below() {
        let limits = || Some("Max stack size             1048576   unlimited   bytes\n".into());
        assert_eq!(left_of(0x3000, MAPS, limits), Some(0x2000), "of a thread");
        assert_eq!(left_of(0x11_0000, MAPS, limits), Some(0x10_0000 - 0x1_0000));
        assert_eq!(left_of(0xf_0000, MAPS, limits), None, "nowhere");
        let endless = || Some("Max stack size             unlimited   unlimited   bytes\n".into());
        assert!(left_of(0x11_0000, MAPS, endless) > Some(1 << 40));
    }

    #[test]
    fn a_thread_with_little_room_gets_another() {
        let small = thread::Builder::new().stack_size(256 << 10);
        let used = small.spawn(|| {
            let own = thread::current().id();
            within(|| Ok(thread::current().id() != own && left() > Some(ENOUGH))).ok()
        });
        let used = used.expect("it starts").join().expect("it ends");
        assert_eq!(used, Some(cfg!(target_os = "linux")));
    }

    #[test]
    fn calls_within_each_other_end() {
        fn deeper() -> Result<(), Failure> {
            within(deeper)
        }
        assert!(matches!(deeper(), Err(Failure::Refused(_))));
        assert_eq!(DEPTH.get(), 0);
    }
}
