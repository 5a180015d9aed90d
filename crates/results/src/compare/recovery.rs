//! How long a burst is felt after its end.

use super::{Observed, VICTIM, Workload};

/// Share of its earlier rate from which the victim has recovered.
const RATE_AGAIN: f64 = 0.9;
/// Memory that is taken for that of before: so many times as much,
const STORED_AGAIN: f64 = 1.1;
/// or so many bytes more.
const STORED_MORE: f64 = 3_000.0;

/// What followed a burst. `None`: not before the next burst or the end of the run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Recovery {
    /// When it began, ps.
    pub start: u64,
    /// Until the victims have 90 % of their earlier rate again, ps after its end; 0 where they
    /// never had less, or had it before.
    pub victim: Option<u64>,
    /// Until the switches hold no more than before, ps after its end; likewise.
    pub memory: Option<u64>,
    /// The workload has victims.
    pub has_victim: bool,
}

/// What followed each burst that started after the warm-up. Bursts that overlap are one.
pub fn recoveries(workload: &Workload, seen: &Observed) -> Vec<Recovery> {
    let victims: Vec<usize> = (0..workload.flows.len())
        .filter(|flow| workload.flows[*flow].group == VICTIM)
        .collect();
    let windows = seen.stored.len();
    let rate: Vec<f64> = (0..windows)
        .map(|window| {
            let bytes = victims.iter().map(|flow| seen.flows[*flow].windows[window]);
            bytes.sum::<u64>() as f64
        })
        .collect();
    let bursts = joined(&seen.bursts);
    let mut recoveries = Vec::new();
    let mut before_ended = workload.warm_up_ps;
    for (index, &(start, end)) in bursts.iter().enumerate() {
        if start < workload.warm_up_ps {
            before_ended = before_ended.max(end);
            continue;
        }
        let until = bursts.get(index + 1).map_or(workload.duration_ps, |b| b.0);
        let span = Span {
            window: workload.window_ps.max(1),
            // The second half of the quiet before the burst is what it is compared with.
            reference: start - (start.saturating_sub(before_ended)) / 2,
            start,
            end,
            until,
        };
        recoveries.push(Recovery {
            start,
            victim: span.recovery(&rate, |mean, now| now < RATE_AGAIN * mean),
            memory: span.recovery(&seen.stored, |mean, now| {
                now > (STORED_AGAIN * mean).max(mean + STORED_MORE)
            }),
            has_victim: !victims.is_empty(),
        });
        before_ended = end;
    }
    recoveries
}

fn joined(bursts: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let mut joined: Vec<(u64, u64)> = Vec::new();
    for &(start, end) in bursts {
        match joined.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => joined.push((start, end)),
        }
    }
    joined
}

/// A burst and what is around it, ps.
struct Span {
    window: u64,
    reference: u64,
    start: u64,
    end: u64,
    until: u64,
}

impl Span {
    /// From the end of the burst to the first good window behind the first run of bad ones.
    fn recovery(&self, values: &[f64], is_bad: impl Fn(f64, f64) -> bool) -> Option<u64> {
        let whole = |from: u64, until: u64| {
            let first = from.div_ceil(self.window) as usize;
            let last = ((until / self.window) as usize).min(values.len());
            first.min(last)..last
        };
        let before = &values[whole(self.reference, self.start)];
        if before.is_empty() {
            return Some(0);
        }
        let mean = before.iter().sum::<f64>() / before.len() as f64;
        let after = whole(self.start, self.until);
        let Some(bad) = after.clone().find(|window| is_bad(mean, values[*window])) else {
            return Some(0);
        };
        let again = (bad..after.end).find(|window| !is_bad(mean, values[*window]))?;
        Some((again as u64 * self.window).saturating_sub(self.end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::{Seen, WorkloadFlow};

    fn found(rate: &[u64], stored: &[f64]) -> Vec<Recovery> {
        let workload = Workload {
            duration_ps: 120,
            warm_up_ps: 10,
            window_ps: 10,
            flows: vec![WorkloadFlow {
                group: VICTIM.into(),
                ..WorkloadFlow::default()
            }],
            ..Workload::default()
        };
        let seen = Observed {
            flows: vec![Seen {
                windows: rate.to_vec(),
                ..Seen::default()
            }],
            bursts: vec![(30, 45), (80, 90)],
            stored: stored.to_vec(),
            ..Observed::default()
        };
        recoveries(&workload, &seen)
    }

    #[test]
    fn a_dip_is_measured_from_the_end_of_its_burst() {
        let rate = [0, 100, 100, 95, 50, 60, 91, 100, 100, 80, 80, 80];
        let stored = [0.0, 9e3, 9e3, 9e3, 9e4, 9e4, 9e4, 9.5e3, 9e3, 9e3, 9e3, 9e3];
        let found = found(&rate, &stored);
        assert_eq!(found.len(), 2);
        // Windows 4 and 5 are bad; the burst ends at 45, window 6 begins at 60.
        assert_eq!((found[0].victim, found[0].memory), (Some(15), Some(25)));
        // It never comes back; the memory never filled.
        assert_eq!((found[1].victim, found[1].memory), (None, Some(0)));
    }

    #[test]
    fn nothing_felt_is_nothing_to_recover_from() {
        let found = found(&[100; 12], &[0.0; 12]);
        assert!(
            found
                .iter()
                .all(|r| r.victim == Some(0) && r.memory == Some(0))
        );
    }
}
