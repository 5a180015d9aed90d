//! Progress of many runs: a bar where someone watches, else a line now and then.

use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::{out, progress};

/// Between two lines where nobody watches.
const EVERY: Duration = Duration::from_secs(5);
/// The time left is shown anew this often.
const TICK: Duration = Duration::from_millis(500);

/// Counts what is done.
pub struct Progress {
    what: &'static str,
    bar: ProgressBar,
    lines: Option<Mutex<Lines>>,
}

struct Lines {
    started: Instant,
    last: Instant,
    done: u64,
    of: u64,
}

impl Progress {
    /// Of `of` steps of `what`, none is done yet.
    pub fn new(what: &'static str, of: u64) -> Progress {
        let now = Instant::now();
        if out::is_quiet() || !std::io::stderr().is_terminal() {
            let lines = Lines {
                started: now,
                last: now,
                done: 0,
                of,
            };
            return Progress {
                what,
                bar: ProgressBar::hidden(),
                lines: Some(Mutex::new(lines)),
            };
        }
        let bar = ProgressBar::new(of);
        let template = "{prefix} [{bar:32}] {pos} of {len}, {elapsed} so far, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_prefix(what);
        // That takes a thread, and the library does not bear being refused one.
        if std::thread::Builder::new().spawn(|| ()).is_ok() {
            bar.enable_steady_tick(TICK);
        }
        Progress {
            what,
            bar,
            lines: None,
        }
    }

    /// One more is done.
    pub fn step(&self) {
        self.bar.inc(1);
        let Some(lines) = &self.lines else { return };
        let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.done += 1;
        progress::tell(self.what, lines.done, lines.of);
        if lines.last.elapsed() >= EVERY && lines.done < lines.of {
            lines.last = Instant::now();
            let took = lines.started.elapsed().as_secs_f64();
            let left = took * (lines.of - lines.done) as f64 / lines.done as f64;
            let (what, done, of) = (self.what, lines.done, lines.of);
            remark!("{what}: {done} of {of}, about {} left", in_words(left));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Rounded to what matters.
fn in_words(seconds: f64) -> String {
    let rounded = seconds.ceil() as u64;
    match rounded {
        0..=99 => format!("{rounded} s"),
        100..=5999 => format!("{} min", rounded.div_ceil(60)),
        _ => format!("{} h {} min", rounded / 3600, rounded % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::in_words;

    #[test]
    fn time_left_reads_well() {
        assert_eq!(in_words(0.2), "1 s");
        assert_eq!(in_words(99.0), "99 s");
        assert_eq!(in_words(121.0), "3 min");
        assert_eq!(in_words(7260.0), "2 h 1 min");
    }
}
