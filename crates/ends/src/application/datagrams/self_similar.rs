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

use backwater_kernel::Stream;

use super::super::gaps::{Pace, Rest};
use crate::application::NEVER_PS;
use crate::spec::bytes::TrafficSpec;

/// One source.
#[derive(Clone, Copy, Debug)]
struct Source {
    /// Its next datagram.
    next_ps: u64,
    /// The on time in which that falls ends here.
    on_ends_ps: u64,
    rest: Rest,
}

/// Turns that are drawn one by one before some are passed over.
const TURNS_MOST: u32 = 1 << 12;

/// Times on and off within one gap. After many, what is left of the gap is passed over as many
/// times as it holds what the last ones used of it: they have forgotten how they began.
struct Turns {
    left: u32,
    on_ends_ps: u64,
    rest_ps: u64,
}

impl Turns {
    #[inline]
    fn of(source: &Source) -> Turns {
        Turns {
            left: TURNS_MOST,
            on_ends_ps: source.on_ends_ps,
            rest_ps: source.next_ps.saturating_sub(source.on_ends_ps),
        }
    }

    #[inline]
    fn pass(&mut self, source: &mut Source) {
        self.left -= 1;
        if self.left > 0 {
            return;
        }
        let rest_ps = source.next_ps - source.on_ends_ps;
        let used_ps = self.rest_ps.saturating_sub(rest_ps).max(1);
        let times = rest_ps / used_ps;
        let took_ps = (source.on_ends_ps - self.on_ends_ps).saturating_mul(times);
        source.on_ends_ps = source.on_ends_ps.saturating_add(took_ps);
        source.next_ps = source.on_ends_ps.saturating_add(rest_ps % used_ps);
        *self = Turns::of(source);
    }
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
        let mut turns = Turns::of(source);
        while source.next_ps >= source.on_ends_ps && source.next_ps != NEVER_PS {
            turns.pass(source);
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

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use backwater_kernel::stream::Purpose;
    use backwater_kernel::{Duration, Rate, Time};
    use libm::log2;

    const MS_PS: u64 = 1_000_000_000;
    const START: Time = Time(7 * MS_PS);

    /// 20 sources of 1 Mb/s, on a quarter of the time, 10 ms on the average; 125 B are 1 ms.
    fn traffic(shape: f64) -> TrafficSpec {
        TrafficSpec::SelfSimilar {
            start: START,
            rate: Rate(5_000_000),
            sources: 20,
            peak: Rate(1_000_000),
            shape,
            mean_on: Duration(10 * MS_PS),
        }
    }

    fn sources(traffic: &TrafficSpec, seed: u64) -> OnOffSources {
        let stream = Stream::new(seed, 0, Purpose::Traffic);
        OnOffSources::new(traffic, 125, stream).expect("it is of this kind")
    }

    /// The next datagram.
    fn take(sources: &mut OnOffSources) -> u64 {
        let at_ps = sources.next_ps();
        sources.take();
        at_ps
    }

    /// Times on that are far shorter than a gap are passed over, and the mean rate stays.
    #[test]
    fn times_of_a_picosecond_keep_the_rate() {
        let mut short = traffic(1.5);
        if let TrafficSpec::SelfSimilar { mean_on, .. } = &mut short {
            *mean_on = Duration(1);
        }
        let mut sources = sources(&short, 1);
        let (mut last_ps, count) = (0, 20_000);
        for _ in 0..count {
            last_ps = take(&mut sources);
        }
        // 5 Mb/s in datagrams of 1,000 bits.
        let mean_ps = (last_ps - START.ps()) as f64 / f64::from(count);
        assert!((mean_ps / 2e8 - 1.0).abs() < 0.25, "{mean_ps}");
    }

    /// Datagrams in each bin of 10 ms.
    fn bins(mut next: impl FnMut() -> u64, bins: usize) -> Vec<f64> {
        let mut counts = vec![0.0; bins];
        let mut before_ps = 0;
        loop {
            let at_ps = next();
            assert!(at_ps >= before_ps, "time runs back");
            before_ps = at_ps;
            let bin = ((at_ps - START.ps()) / (10 * MS_PS)) as usize;
            match counts.get_mut(bin) {
                Some(count) => *count += 1.0,
                None => return counts,
            }
        }
    }

    fn of_sources(shape: f64, seed: u64, count: usize) -> Vec<f64> {
        let mut sources = sources(&traffic(shape), seed);
        bins(|| take(&mut sources), count)
    }

    fn mean(counts: &[f64]) -> f64 {
        counts.iter().sum::<f64>() / counts.len() as f64
    }

    fn variance(counts: &[f64]) -> f64 {
        let mean = mean(counts);
        counts.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / counts.len() as f64
    }

    /// H by the variance-time plot: the variance of means over m bins falls as m^(2H - 2). The
    /// slope is the least-squares line over m = 16 to 512.
    fn hurst(counts: &[f64]) -> f64 {
        let points: Vec<(f64, f64)> = (4..=9)
            .map(|power| {
                let m = 1 << power;
                let means: Vec<f64> = counts.chunks_exact(m).map(mean).collect();
                (f64::from(power), log2(variance(&means)))
            })
            .collect();
        let n = points.len() as f64;
        let x = points.iter().map(|p| p.0).sum::<f64>() / n;
        let y = points.iter().map(|p| p.1).sum::<f64>() / n;
        let above: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
        let below: f64 = points.iter().map(|p| (p.0 - x) * (p.0 - x)).sum();
        1.0 + above / below / 2.0
    }

    #[test]
    fn the_sum_is_self_similar_and_poisson_is_not() {
        let heavy = hurst(&of_sources(1.4, 1, 60_000));
        assert!(
            (0.7..0.95).contains(&heavy),
            "H = {heavy}; (3 - 1.4) / 2 = 0.8"
        );
        let mut stream = Stream::new(1, 0, Purpose::Traffic);
        let mut at_ps = START.ps();
        let poisson = || {
            at_ps += stream.exponential(Duration(200_000_000)).ps();
            at_ps
        };
        let control = hurst(&bins(poisson, 60_000));
        assert!((0.42..0.58).contains(&control), "H = {control}");
    }

    #[test]
    fn the_mean_rate_is_kept() {
        // 5 Mb/s are 50 datagrams in 10 ms.
        let found = mean(&of_sources(1.9, 2, 60_000));
        assert!((found / 50.0 - 1.0).abs() < 0.03, "{found}");
    }

    /// The first 20 ms of many runs have the mean rate too; so does the last part of them.
    #[test]
    fn it_starts_in_the_stationary_state() {
        let (mut first, mut later) = (0.0, 0.0);
        for seed in 0..600 {
            let counts = of_sources(1.5, seed, 40);
            first += mean(&counts[..2]) / 600.0;
            later += mean(&counts[30..]) / 600.0;
        }
        assert!((first / 50.0 - 1.0).abs() < 0.05, "{first}");
        assert!((later / 50.0 - 1.0).abs() < 0.03, "{later}");
    }

    /// Negative control: sources that all begin an off time at the start come too late.
    #[test]
    fn sources_that_begin_together_are_found_out() {
        let mut first = 0.0;
        for seed in 0..600 {
            let mut sources = sources(&traffic(1.5), seed);
            for at in 0..sources.heap.len() {
                let mut source = sources.heap[at];
                (source.next_ps, source.on_ends_ps) = (START.ps(), START.ps());
                sources.advance(&mut source, 0);
                sources.heap[at] = source;
            }
            sources.heap.sort_by_key(|source| source.next_ps);
            first += mean(&bins(|| take(&mut sources), 2)) / 600.0;
        }
        assert!((first / 50.0 - 1.0).abs() > 0.2, "{first}");
    }

    /// On times of a tenth of a gap: what is cut must not be lost.
    #[test]
    fn short_on_times_keep_the_mean_rate() {
        let mut short = traffic(1.9);
        if let TrafficSpec::SelfSimilar { mean_on, .. } = &mut short {
            mean_on.0 /= 100;
        }
        let mut sources = sources(&short, 3);
        let found = mean(&bins(|| take(&mut sources), 4_000));
        assert!((found / 50.0 - 1.0).abs() < 0.03, "{found}");
    }

    #[test]
    fn sources_that_are_always_on_are_constant() {
        let mut always = traffic(1.5);
        if let TrafficSpec::SelfSimilar { rate, sources, .. } = &mut always {
            (*rate, *sources) = (Rate(1_000_000), 1);
        }
        let mut sources = sources(&always, 4);
        let first_ps = sources.next_ps();
        for k in 0..1_000 {
            assert_eq!(sources.next_ps(), first_ps + k * MS_PS);
            sources.take();
        }
    }
}
