//! When packets are born by a clock of their own.

use alloc::format;
use backwater_kernel::{BuildError, Probability, Stream};

use crate::spec::Injection;

/// Binary digits of a cycle's fraction in evenly spaced traffic.
const FRACTION_BITS: u32 = 20;
const FRACTION: u64 = (1 << FRACTION_BITS) - 1;
/// Fewer packets in a burst, on average, and looking for the next one takes too long.
const PACKETS_IN_BURST_LEAST: f64 = 0.001;

/// A geometric distribution on 1, 2, ...
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Geometric {
    /// Inverse of the logarithm of the chance to go on.
    scale: f64,
}

impl Geometric {
    /// `stop`: the chance of each step to be the last, above 0.
    fn new(stop: f64) -> Geometric {
        Geometric {
            scale: 1.0 / libm::log1p(-stop.min(1.0)),
        }
    }

    #[inline]
    fn draw(self, stream: &mut Stream) -> u64 {
        let steps = libm::ceil(libm::log(stream.unit_f64()) * self.scale);
        (steps as u64).max(1)
    }
}

/// Cycles between bursts.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Pause {
    Geometric(Geometric),
    /// Less than one cycle on average: one cycle or none.
    Sometimes(Probability),
}

impl Pause {
    fn draw(self, stream: &mut Stream) -> u64 {
        match self {
            Pause::Geometric(cycles) => cycles.draw(stream),
            Pause::Sometimes(chance) => u64::from(stream.chance(chance)),
        }
    }
}

/// An [`Injection`] that runs by itself. The `note` of its methods is what a process remembers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Clock {
    /// No load.
    Never,
    Bernoulli(Geometric),
    /// Gap in 2^-20 cycles, at least a cycle; the note is the fraction of the last birth.
    Constant {
        gap: u64,
    },
    /// The note is the first cycle after the burst.
    OnOff {
        gap: Geometric,
        burst: Geometric,
        pause: Pause,
        /// Share of time in bursts.
        on: Probability,
    },
}

impl Clock {
    /// `None` for what does not run by itself. `flits`: mean length of a packet times the
    /// sources that share a terminal's load.
    pub(crate) fn new(injection: &Injection, flits: f64) -> Result<Option<Clock>, BuildError> {
        let clock = match *injection {
            Injection::Bernoulli { load } => bernoulli(checked(load, "load")?, flits),
            Injection::Constant { load } => {
                // At most 1 flit a cycle in packets of at least one: never less than a cycle.
                let gap = flits / checked(load, "load")? * (1_u64 << FRACTION_BITS) as f64;
                match load > 0.0 {
                    true => Clock::Constant {
                        gap: libm::round(gap) as u64,
                    },
                    false => Clock::Never,
                }
            }
            Injection::OnOff { load, peak, burst } => {
                checked(load, "load")?;
                checked(peak, "load in bursts")?;
                on_off(load, peak, burst, flits)?
            }
            _ => return Ok(None),
        };
        Ok(Some(clock))
    }

    pub(crate) fn has_note(&self) -> bool {
        matches!(self, Clock::Constant { .. } | Clock::OnOff { .. })
    }

    /// Cycle of the first birth.
    pub(crate) fn first(&self, stream: &mut Stream, note: &mut u64) -> Option<u64> {
        match *self {
            Clock::Never => None,
            Clock::Bernoulli(gap) => Some(gap.draw(stream) - 1),
            Clock::Constant { gap } => {
                let at = stream.below(gap);
                *note = at & FRACTION;
                Some(at >> FRACTION_BITS)
            }
            Clock::OnOff {
                burst, pause, on, ..
            } => {
                // What is left of a burst or pause is as long as a whole one.
                let wait = if stream.chance(on) {
                    0
                } else {
                    pause.draw(stream)
                };
                *note = wait.checked_add(burst.draw(stream))?;
                self.in_bursts(wait, stream, note)
            }
        }
    }

    /// Cycle of the birth after the one at `now`, always later; `None` beyond the end of time.
    #[inline]
    pub(crate) fn next(&self, now: u64, stream: &mut Stream, note: &mut u64) -> Option<u64> {
        match *self {
            Clock::Never => None,
            Clock::Bernoulli(gap) => now.checked_add(gap.draw(stream)),
            Clock::Constant { gap } => {
                let ahead = note.checked_add(gap)?;
                *note = ahead & FRACTION;
                now.checked_add(ahead >> FRACTION_BITS)
            }
            Clock::OnOff { .. } => self.in_bursts(now.checked_add(1)?, stream, note),
        }
    }

    /// The first birth at `from` or later, `from` being in a burst or just after it.
    fn in_bursts(&self, mut from: u64, stream: &mut Stream, end: &mut u64) -> Option<u64> {
        let Clock::OnOff {
            gap, burst, pause, ..
        } = *self
        else {
            return None;
        };
        loop {
            let at = from.checked_add(gap.draw(stream) - 1)?;
            if at < *end {
                return Some(at);
            }
            from = end.checked_add(pause.draw(stream))?;
            *end = from.checked_add(burst.draw(stream))?;
        }
    }
}

fn checked(load: f64, what: &str) -> Result<f64, BuildError> {
    if (0.0..=1.0).contains(&load) {
        return Ok(load);
    }
    let what = format!("a {what} of {load} flits per cycle and terminal: 0 to 1");
    Err(BuildError(what))
}

fn bernoulli(load: f64, flits: f64) -> Clock {
    match load > 0.0 {
        true => Clock::Bernoulli(Geometric::new(load / flits)),
        false => Clock::Never,
    }
}

fn on_off(load: f64, peak: f64, burst: f64, flits: f64) -> Result<Clock, BuildError> {
    if load > peak {
        let what = format!("a mean load of {load} is above the load in bursts, {peak}");
        return Err(BuildError(what));
    }
    if !burst.is_finite() || burst < 1.0 {
        let what = format!("bursts of {burst} cycles: at least 1");
        return Err(BuildError(what));
    }
    if load == peak || load <= 0.0 {
        return Ok(bernoulli(load, flits));
    }
    if peak / flits * burst < PACKETS_IN_BURST_LEAST {
        let what = format!("bursts of {burst} cycles are too short: hardly one holds a packet");
        return Err(BuildError(what));
    }
    let share = load / peak;
    let mean_pause = burst * (peak - load) / load;
    let pause = match Probability::new(mean_pause) {
        Some(chance) => Pause::Sometimes(chance),
        None => Pause::Geometric(Geometric::new(1.0 / mean_pause)),
    };
    Ok(Clock::OnOff {
        gap: Geometric::new(peak / flits),
        burst: Geometric::new(1.0 / burst),
        pause,
        on: Probability::new(share).unwrap_or(Probability::ALWAYS),
    })
}
