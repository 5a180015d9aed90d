//! Memory has a bound: a run stops in time, and what it computed is kept.
//!
//! Rust ends a program that gets no memory at once, without a word in its own name. So what is
//! left is looked at while a run goes on, and the run stops while there is still room to write
//! its results.

mod budget;

use std::fs;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use backwater_scenario::Limits;

pub use budget::size;
use budget::{Ceiling, Held, Measure, ceilings};

/// Between two readings of what the process holds passes at least this wall time.
const READ_EVERY: Duration = Duration::from_millis(4);
/// Between two readings of the limits.
const LIMITS_EVERY: Duration = Duration::from_millis(200);
/// Kept free for what is small and always needed, bytes.
const RESERVE: u64 = 16 << 20;
/// Kept free of larger budgets: one part in so many.
const RESERVE_PART: u64 = 32;
/// Address space that the system's allocator and the stack of a thread take.
const THREAD_BYTES: u64 = 66 << 20;
/// Memory may grow so many times as much until the next look as it did until this one.
const HASTE: u64 = 3;

/// How much memory a command may take.
#[derive(clap::Args, Clone, Copy, Default)]
pub struct Memory {
    /// Limit of memory, as 4GB; the limits of the machine apply as well
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = "Run")]
    memory: Option<u64>,
}

static WATCH: Mutex<Option<Watch>> = Mutex::new(None);

impl Memory {
    /// As options of a command.
    pub fn words(&self) -> Vec<String> {
        let bytes = self
            .memory
            .map(|bytes| ["--memory".into(), format!("{bytes}B")]);
        bytes.into_iter().flatten().collect()
    }

    /// The same limit for each of so many threads that work at once.
    pub fn limits(&self, threads: usize) -> Limits {
        Limits {
            memory_bytes: self.left(threads).map(|left| left.0),
        }
    }

    /// Bytes that each of so many threads, still to start, may take, and whose limit that is;
    /// `None` where nothing is known.
    fn left(&self, threads: usize) -> Option<(u64, String)> {
        let held = Held::of(&read("/proc/self/status")?)?;
        let all = ceilings(&|path| read(path), self.memory);
        let threads = threads.max(1) as u64;
        let left = |one: &Ceiling| {
            let room = one.left(&held);
            // Where there is little, the allocator makes do with less.
            let taken = match one.measure {
                Measure::Mapped => (threads * THREAD_BYTES).min(room / 2),
                Measure::Resident | Measure::Data => 0,
            };
            (room - taken) / threads
        };
        let least = all.iter().min_by_key(|one| left(one))?;
        Some((left(least), least.whose.clone()))
    }

    /// Says what there is, if a run needs more.
    pub fn refuse_beyond(&self, needed: u64) -> Result<(), String> {
        let Some((left, whose)) = self.left(1).filter(|(left, _)| needed > *left) else {
            return Ok(());
        };
        Err(format!(
            "the run needs more memory than available: about {}; {} are left by {whose}",
            bytes(needed),
            bytes(left)
        ))
    }

    /// Says whose limit it is that a refused scenario does not fit into.
    pub fn explain(&self) {
        if let Some((left, whose)) = self.left(1) {
            let left = bytes(left);
            log::info!("{left} are left by {whose}, what the program itself takes excluded");
        }
    }

    /// Watches from now on. Writing results takes `keep` bytes, which stay free.
    pub fn watch(&self, keep: u64) {
        let Some(held) = read("/proc/self/status").and_then(|text| Held::of(&text)) else {
            return;
        };
        *lock() = Some(Watch {
            ceilings: ceilings(&|path| read(path), self.memory),
            wanted: self.memory,
            keep,
            start: held,
            last: held,
            read_at: Instant::now(),
            limits_at: Instant::now(),
            short: None,
        });
    }
}

/// Is memory about to run out? Once it was, it stays so: the run is to end.
pub fn is_short() -> bool {
    is_short_beside(0)
}

/// Is memory short, where writing what has grown so far takes so many bytes more?
pub fn is_short_beside(more: u64) -> bool {
    let mut watch = lock();
    watch.as_mut().is_some_and(|watch| watch.look(more))
}

/// What ran out, for people, if anything did.
pub fn shortage() -> Option<String> {
    lock().as_ref()?.short.clone()
}

/// Says that memory ran short, if it did: results are written, the command ends.
pub fn is_told() -> bool {
    let Some(short) = shortage() else {
        return false;
    };
    log::error!("memory: stopped in time, what was computed is kept: {short}");
    true
}

fn lock() -> MutexGuard<'static, Option<Watch>> {
    WATCH.lock().unwrap_or_else(PoisonError::into_inner)
}

fn read(path: &str) -> Option<String> {
    fs::read_to_string(path).ok()
}

/// "1.5 GB".
pub fn bytes(count: u64) -> String {
    match count {
        0..1_000_000 => format!("{} kB", count.div_ceil(1000)),
        1_000_000..1_000_000_000 => format!("{:.1} MB", count as f64 / 1e6),
        _ => format!("{:.1} GB", count as f64 / 1e9),
    }
}

/// Looks at memory while something runs.
struct Watch {
    ceilings: Vec<Ceiling>,
    wanted: Option<u64>,
    keep: u64,
    start: Held,
    last: Held,
    read_at: Instant,
    limits_at: Instant,
    short: Option<String>,
}

impl Watch {
    fn look(&mut self, more: u64) -> bool {
        if self.short.is_some() || self.read_at.elapsed() < READ_EVERY {
            return self.short.is_some();
        }
        if self.limits_at.elapsed() > LIMITS_EVERY {
            self.ceilings = ceilings(&|path| read(path), self.wanted);
            self.limits_at = Instant::now();
        }
        if let Some(held) = read("/proc/self/status").and_then(|text| Held::of(&text)) {
            self.short = self.judge(held, more);
        }
        self.read_at = Instant::now();
        self.short.is_some()
    }

    /// What is short when the process holds this, if anything is.
    fn judge(&mut self, held: Held, more: u64) -> Option<String> {
        let before = std::mem::replace(&mut self.last, held);
        let short = self.ceilings.iter().find(|ceiling| {
            // Address space also grows by what threads reserve and never touch: growth counts by
            // what may be written.
            let by = |held: &Held| match ceiling.measure {
                Measure::Resident => held.resident,
                Measure::Mapped | Measure::Data => held.data,
            };
            let lately = by(&held).saturating_sub(by(&before)).saturating_mul(HASTE);
            // A list that is full doubles in one step. That maps what it may fill later, and
            // takes physical memory only as it is filled.
            let doubling = match ceiling.measure {
                Measure::Resident => 0,
                Measure::Mapped | Measure::Data => by(&held).saturating_sub(by(&self.start)),
            };
            let spare = RESERVE.max(ceiling.bytes / RESERVE_PART) + self.keep + more;
            ceiling.left(&held) < spare.saturating_add(lately.max(doubling))
        })?;
        Some(format!(
            "{} held of {}, the limit of {}",
            bytes(held.by(short.measure)),
            bytes(short.bytes),
            short.whose
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MB: u64 = 1 << 20;

    fn watch(measure: Measure, most: u64, start: u64) -> Watch {
        let held = held(start);
        Watch {
            ceilings: vec![Ceiling {
                measure,
                bytes: most,
                whose: "a test".into(),
            }],
            wanted: None,
            keep: 4 * MB,
            start: held,
            last: held,
            read_at: Instant::now(),
            limits_at: Instant::now(),
            short: None,
        }
    }

    fn held(bytes: u64) -> Held {
        Held {
            resident: bytes,
            mapped: bytes,
            data: bytes,
        }
    }

    /// What a watch says when the process has held this for a while.
    fn steady(watch: &mut Watch, bytes: u64) -> Option<String> {
        watch.last = held(bytes);
        watch.judge(held(bytes), 0)
    }

    #[test]
    fn room_to_write_results_stays_free() {
        let mut watch = watch(Measure::Resident, 200 * MB, 170 * MB);
        // 16 MB and what results take are kept.
        assert_eq!(steady(&mut watch, 180 * MB), None);
        let short = steady(&mut watch, 180 * MB + 1).expect("too little is left");
        assert_eq!(short, "188.7 MB held of 209.7 MB, the limit of a test");
        watch.last = held(170 * MB);
        assert!(watch.judge(held(170 * MB), 11 * MB).is_some(), "series too");
    }

    /// What grows by 10 MB from look to look is stopped before a step three times as large.
    #[test]
    fn fast_growth_is_stopped_early() {
        let mut fast = watch(Measure::Resident, 200 * MB, 130 * MB);
        assert_eq!(fast.judge(held(140 * MB), 0), None);
        assert!(fast.judge(held(151 * MB), 0).is_some());
        let mut slow = watch(Measure::Resident, 200 * MB, 150 * MB);
        assert_eq!(slow.judge(held(151 * MB), 0), None);
    }

    /// A list of 60 MB takes 60 MB more of address space in one step.
    #[test]
    fn lists_may_double_below_a_limit_of_what_is_mapped() {
        for measure in [Measure::Mapped, Measure::Data] {
            let mut watch = watch(measure, 200 * MB, 80 * MB);
            assert_eq!(steady(&mut watch, 120 * MB), None, "40 and 20 of 80");
            assert_eq!(steady(&mut watch, 129 * MB), None, "49 and 20 of 71");
            assert!(steady(&mut watch, 131 * MB).is_some(), "51 and 20 of 69");
        }
        let mut resident = watch(Measure::Resident, 200 * MB, 80 * MB);
        assert_eq!(steady(&mut resident, 131 * MB), None);
    }

    #[test]
    fn sizes_are_told_in_words() {
        assert_eq!(bytes(9_999), "10 kB");
        assert_eq!(bytes(204_800_000), "204.8 MB");
        assert_eq!(bytes(24_000_000_000), "24.0 GB");
    }
}
