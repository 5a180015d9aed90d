//! Self-similar traffic as the sum of on-off sources: W. Willinger, M. S. Taqqu, R. Sherman and
//! D. V. Wilson, "Self-similarity through high-variability", IEEE/ACM Trans. Networking 5(1),
//! 1997.
//!
//! Each source is on and off in turn, for Pareto times of shape `a`; while it is on it sends full
//! datagrams at its peak rate. For shapes between 1 and 2 the sum of many is self-similar with
//! H = (3 - a) / 2.
//!
//! | Here | Paper |
//! |---|---|
//! | `shape` | alpha of both times |
//! | `on_least_ps`, `off_least_ps` | where the Pareto laws begin: mean (a - 1) / a |
//!
//! The mean time off follows from the mean rate: `rate = sources peak on / (on + off)`.
//!
//! A source counts its time on as fluid: the rest of a gap that an off time cuts is waited for in
//! the next on time. So the mean rate is exact however short the on times are, and there is one
//! event a datagram and none for turning on and off.
//!
//! It starts in the stationary state: on with probability `on / (on + off)`, and what is left of
//! the present time has the equilibrium law of the Pareto distribution.

use alloc::vec::Vec;

use kernel::Stream;

use super::NEVER_PS;
use super::pace::{Pace, Rest};
use crate::spec::TrafficSpec;

/// One source.
#[derive(Clone, Copy, Debug)]
struct Source {
    /// Its next datagram.
    next_ps: u64,
    /// The on time in which that falls ends here.
    on_ends_ps: u64,
    rest: Rest,
}

/// All sources of a flow.
pub(super) struct OnOffSources {
    /// A binary heap: no source's next datagram is before that of its parent, at `(i - 1) / 2`.
    heap: Vec<Source>,
    pace: Pace,
    law: Law,
    stream: Stream,
}

/// The laws of both times.
#[derive(Clone, Copy, Debug)]
struct Law {
    shape: f64,
    on_least_ps: f64,
    off_least_ps: f64,
}

impl Law {
    /// An on time, at least 1 ps.
    #[inline]
    fn on_ps(&self, stream: &mut Stream) -> u64 {
        (stream.pareto(self.on_least_ps, self.shape) as u64).max(1)
    }

    #[inline]
    fn off_ps(&self, stream: &mut Stream) -> u64 {
        stream.pareto(self.off_least_ps, self.shape) as u64
    }

    /// What is left of a time that begins at `least_ps` when one looks at a random instant.
    ///
    /// More than x is left with probability `1 - x / mean` up to `least`, and beyond that with
    /// `(least / x)^(a - 1) / a`.
    fn left_ps(&self, least_ps: f64, stream: &mut Stream) -> u64 {
        let above = stream.unit_f64();
        let left_ps = if above * self.shape >= 1.0 {
            (1.0 - above) * least_ps * self.shape / (self.shape - 1.0)
        } else {
            least_ps * libm::pow(above * self.shape, -1.0 / (self.shape - 1.0))
        };
        left_ps as u64
    }
}

impl OnOffSources {
    /// The sources of [`TrafficSpec::SelfSimilar`]; `None` for anything else.
    pub fn new(traffic: &TrafficSpec, payload_bytes: u32, stream: Stream) -> Option<OnOffSources> {
        let TrafficSpec::SelfSimilar {
            start,
            rate,
            sources,
            peak,
            shape,
            mean_on,
        } = *traffic
        else {
            return None;
        };
        let all = peak.0 as f64 * f64::from(sources);
        let on_share = (rate.0 as f64 / all).min(1.0);
        let on_least_ps = mean_on.ps() as f64 * (shape - 1.0) / shape;
        let law = Law {
            shape,
            on_least_ps,
            off_least_ps: on_least_ps * (1.0 / on_share - 1.0),
        };
        let mut made = OnOffSources {
            heap: Vec::with_capacity(sources as usize),
            pace: Pace::of_datagrams(payload_bytes, peak),
            law,
            stream,
        };
        for _ in 0..sources {
            let source = made.stationary(start.ps(), on_share);
            made.heap.push(source);
        }
        // An ascending array is a heap.
        made.heap.sort_by_key(|source| source.next_ps);
        Some(made)
    }

    /// The next datagram of any.
    #[inline]
    pub fn next_ps(&self) -> u64 {
        self.heap.first().map_or(NEVER_PS, |source| source.next_ps)
    }

    /// That datagram is sent.
    #[inline]
    pub fn take(&mut self) {
        let Some(&first) = self.heap.first() else {
            return;
        };
        let mut source = first;
        let gap_ps = self.pace.next_gap_ps(&mut source.rest);
        self.advance(&mut source, gap_ps);
        self.replace_first(source);
    }

    /// A source found at a random instant of its life.
    fn stationary(&mut self, start_ps: u64, on_share: f64) -> Source {
        let stream = &mut self.stream;
        let is_on = stream.unit_f64() <= on_share;
        let mut source = Source {
            next_ps: start_ps,
            on_ends_ps: start_ps,
            rest: Rest::default(),
        };
        if is_on {
            let left_ps = self.law.left_ps(self.law.on_least_ps, stream);
            source.on_ends_ps = start_ps.saturating_add(left_ps);
        } else {
            let left_ps = self.law.left_ps(self.law.off_least_ps, stream);
            source.next_ps = start_ps.saturating_add(left_ps);
            source.on_ends_ps = source.next_ps.saturating_add(self.law.on_ps(stream));
        }
        let phase_ps = stream.below(self.pace.least_gap_ps());
        self.advance(&mut source, phase_ps);
        source
    }

    /// Moves the next datagram of a source by so much time on.
    #[inline]
    fn advance(&mut self, source: &mut Source, on_ps: u64) {
        source.next_ps = source.next_ps.saturating_add(on_ps);
        while source.next_ps >= source.on_ends_ps && source.next_ps != NEVER_PS {
            let rest_ps = source.next_ps - source.on_ends_ps;
            let off_ps = self.law.off_ps(&mut self.stream);
            let on_ps = self.law.on_ps(&mut self.stream);
            let begins_ps = source.on_ends_ps.saturating_add(off_ps);
            source.next_ps = begins_ps.saturating_add(rest_ps);
            source.on_ends_ps = begins_ps.saturating_add(on_ps);
        }
    }

    /// Puts the first source back where its new instant belongs.
    #[inline]
    fn replace_first(&mut self, source: Source) {
        let mut at = 0;
        loop {
            let (left, right) = (2 * at + 1, 2 * at + 2);
            let Some(mut child) = self.heap.get(left) else {
                break;
            };
            let mut child_at = left;
            if let Some(other) = self.heap.get(right)
                && other.next_ps < child.next_ps
            {
                (child, child_at) = (other, right);
            }
            if child.next_ps >= source.next_ps {
                break;
            }
            self.heap[at] = *child;
            at = child_at;
        }
        self.heap[at] = source;
    }
}
