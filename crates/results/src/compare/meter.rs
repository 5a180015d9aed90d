//! What both meters count, in words of the workload.

use std::collections::VecDeque;

use backwater_kernel::Histogram;

use super::{FlowKind, ProgramSeen, Workload};
use crate::events::Network;

/// What was seen of a run.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    /// By flow of the workload.
    pub flows: Vec<Seen>,
    /// Its bursts, as [`Workload::bursts`]; starts may be drawn anew for each run.
    pub bursts: Vec<(u64, u64)>,
    /// Bytes in the memory of all switches: the mean over each window.
    pub stored: Vec<f64>,
    /// Most bytes in the memory of one switch, whole run.
    pub stored_most: u64,
    /// The switch that had them.
    pub stored_most_at: String,
    /// Bytes on all links after the warm-up.
    pub wire: WireBytes,
    /// By flow of the workload: what became of a collective or a job.
    pub programs: Vec<Option<ProgramSeen>>,
}

/// What was seen of a flow.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// Payload delivered in each window, bytes.
    pub windows: Vec<u64>,
    /// Payload delivered after the warm-up, bytes.
    pub payload: u64,
    /// Payload that left for the network, repeats included, bytes, whole run.
    pub sent: u64,
    /// Payload of it that was dropped.
    pub lost: u64,
    /// From the first bit on the first link to delivery, ps, of what was delivered after the
    /// warm-up.
    pub delay: Histogram,
    /// Bursts or requests, in order.
    pub messages: Vec<Message>,
}

/// A burst, or a request with its response.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Message {
    /// Its start: of a burst as the workload says, of a request when it left, ps.
    pub start: u64,
    /// When all of it had arrived; `None`: not in this run.
    pub end: Option<u64>,
}

/// Bytes on links, of what started after the warm-up.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WireBytes {
    /// Payload sent for the first time.
    pub payload: u64,
    /// Payload sent again.
    pub again: u64,
    /// Headers, preambles and gaps around payload.
    pub headers: u64,
    /// Frames without payload: acknowledgements.
    pub acknowledgements: u64,
    /// PAUSE and its kind, credit cells, RM cells.
    pub control: u64,
}

/// Counts for one run.
#[derive(Clone, Debug)]
pub(super) struct Meter {
    pub seen: Observed,
    warm_up: u64,
    window: u64,
    windows: usize,
    /// Bytes in each node's memory.
    levels: Vec<u64>,
    total: u64,
    since: u64,
    names: Vec<String>,
}

/// The first bits of units on their way, oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Starts {
    under_way: VecDeque<Start>,
    count: u64,
}

/// A unit whose first bit has left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Start {
    /// Its number by the engine: ascending, not without gaps.
    pub number: u64,
    /// When it left, ps.
    pub at: u64,
    /// Units that left before it.
    pub index: u64,
}

impl Meter {
    /// Nothing seen yet of `workload` in this network.
    #[inline]
    pub fn of(workload: &Workload, network: &impl Network) -> Meter {
        let nodes = (0..).map_while(|node| network.node(node));
        Meter::new(workload, nodes.map(|(name, _)| name.into()).collect())
    }

    /// Nothing seen yet of `workload` in a network of these nodes.
    #[inline]
    fn new(workload: &Workload, names: Vec<String>) -> Meter {
        let window = workload.window_ps.max(1);
        let windows = (workload.duration_ps / window) as usize;
        let flow = |kind: &FlowKind| Seen {
            windows: vec![0; windows],
            messages: match kind {
                FlowKind::Bursts(_, starts) => {
                    let message = |start: &u64| Message {
                        start: *start,
                        end: None,
                    };
                    starts.iter().map(message).collect()
                }
                _ => Vec::new(),
            },
            ..Seen::default()
        };
        Meter {
            seen: Observed {
                flows: workload.flows.iter().map(|f| flow(&f.kind)).collect(),
                bursts: workload.bursts.clone(),
                stored: vec![0.0; windows],
                ..Observed::default()
            },
            warm_up: workload.warm_up_ps,
            window,
            windows,
            levels: vec![0; names.len()],
            total: 0,
            since: 0,
            names,
        }
    }

    /// Does what happens at `at` count?
    #[inline]
    pub fn counts(&self, at: u64) -> bool {
        at >= self.warm_up
    }

    /// Payload reached its application. What comes at the border of two windows counts in the one
    /// that ends.
    #[inline]
    pub fn delivered(&mut self, at: u64, flow: usize, bytes: u64) {
        let counts = self.counts(at);
        let index = (at.saturating_sub(1) / self.window) as usize;
        let seen = &mut self.seen.flows[flow];
        if let Some(window) = seen.windows.get_mut(index) {
            *window += bytes;
        }
        if counts {
            seen.payload += bytes;
        }
    }

    /// A request left, unless the one before is still open.
    #[inline]
    pub fn request(&mut self, at: u64, flow: usize) {
        let messages = &mut self.seen.flows[flow].messages;
        if messages.last().is_none_or(|last| last.end.is_some()) {
            messages.push(Message {
                start: at,
                end: None,
            });
        }
    }

    /// A message has arrived as a whole.
    #[inline]
    pub fn complete(&mut self, at: u64, flow: usize, message: usize) {
        if let Some(message) = self.seen.flows[flow].messages.get_mut(message) {
            message.end = message.end.or(Some(at));
        }
    }

    /// The memory of a node holds so much.
    #[inline]
    pub fn stored(&mut self, at: u64, node: usize, bytes: u64) {
        self.hold(at);
        self.total = self.total - self.levels[node] + bytes;
        self.levels[node] = bytes;
        if bytes > self.seen.stored_most {
            self.seen.stored_most = bytes;
            self.seen.stored_most_at.clone_from(&self.names[node]);
        }
    }

    /// What a node's memory holds.
    #[inline]
    pub fn level(&self, node: usize) -> u64 {
        self.levels[node]
    }

    /// Adds the level that has held to the windows it spans.
    #[inline]
    fn hold(&mut self, at: u64) {
        let mut from = self.since;
        while from < at {
            let index = from / self.window;
            let next = ((index + 1) * self.window).min(at);
            if let Some(window) = self.seen.stored.get_mut(index as usize) {
                *window += self.total as f64 * (next - from) as f64;
            }
            from = next;
        }
        self.since = self.since.max(at);
    }

    /// What was seen until `at`.
    #[inline]
    pub fn finish(mut self, at: u64) -> Observed {
        self.hold(at.min(self.windows as u64 * self.window));
        let window = self.window as f64;
        self.seen.stored.iter_mut().for_each(|sum| *sum /= window);
        self.seen
    }
}

impl Starts {
    /// A unit's first bit leaves.
    #[inline]
    pub fn left(&mut self, number: u64, at: u64) {
        let index = self.count;
        self.under_way.push_back(Start { number, at, index });
        self.count += 1;
    }

    /// It has arrived: how it left. What left before it and has not come is lost.
    #[inline]
    pub fn arrived(&mut self, number: u64) -> Option<Start> {
        while let Some(first) = self.under_way.front().copied() {
            if first.number > number {
                return None;
            }
            self.under_way.pop_front();
            if first.number == number {
                return Some(first);
            }
        }
        None
    }
}

impl WireBytes {
    /// All of them.
    pub const fn total(&self) -> u64 {
        self.payload + self.again + self.headers + self.acknowledgements + self.control
    }

    /// A part of all of them.
    #[inline]
    pub fn share(&self, bytes: u64) -> f64 {
        match self.total() {
            0 => f64::NAN,
            total => bytes as f64 / total as f64,
        }
    }
}

impl Seen {
    /// Times of the messages that have arrived, ps, ascending; of those that start after the
    /// warm-up.
    #[inline]
    pub fn times(&self, warm_up: u64) -> Vec<u64> {
        let counted = self.messages.iter().filter(|m| m.start >= warm_up);
        let times = counted.filter_map(|m| Some(m.end?.saturating_sub(m.start)));
        let mut times: Vec<u64> = times.collect();
        times.sort_unstable();
        times
    }

    /// Messages that have not arrived, those that hang since the warm-up too.
    #[inline]
    pub fn open(&self) -> u64 {
        self.ages(u64::MAX).count() as u64
    }

    /// How old those are at this instant, ps.
    #[inline]
    pub fn ages(&self, now: u64) -> impl Iterator<Item = u64> + '_ {
        let open = self.messages.iter().filter(|m| m.end.is_none());
        open.map(move |m| now.saturating_sub(m.start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::WorkloadFlow;

    fn workload() -> Workload {
        Workload {
            duration_ps: 100,
            warm_up_ps: 20,
            window_ps: 10,
            flows: vec![WorkloadFlow {
                kind: FlowKind::Bursts(5, vec![10, 30]),
                ..WorkloadFlow::default()
            }],
            ..Workload::default()
        }
    }

    #[test]
    fn levels_are_averaged_over_windows() {
        let mut meter = Meter::new(&workload(), vec!["S".into(), "T".into()]);
        meter.stored(5, 0, 4);
        meter.stored(25, 1, 6);
        meter.stored(30, 0, 0);
        let seen = meter.finish(40);
        assert_eq!(seen.stored[..5], [2.0, 4.0, 7.0, 6.0, 0.0]);
        assert_eq!((seen.stored_most, seen.stored_most_at.as_str()), (6, "T"));
    }

    #[test]
    fn payload_before_the_warm_up_is_drawn_and_not_counted() {
        let mut meter = Meter::new(&workload(), vec!["S".into()]);
        meter.delivered(10, 0, 3);
        meter.delivered(20, 0, 4);
        meter.delivered(101, 0, 5);
        meter.complete(50, 0, 1);
        meter.complete(60, 0, 1);
        let seen = meter.finish(100);
        assert_eq!(seen.flows[0].windows[..3], [3, 4, 0]);
        assert_eq!(seen.flows[0].payload, 9);
        assert_eq!(
            seen.flows[0].times(20),
            [20],
            "the first start counts, once"
        );
        assert_eq!(seen.flows[0].open(), 1);
        assert_eq!(seen.flows[0].ages(100).collect::<Vec<_>>(), [90]);
    }

    #[test]
    fn what_is_lost_on_the_way_is_passed_over() {
        let mut starts = Starts::default();
        (1..=3).for_each(|number| starts.left(number * 2, number * 10));
        let arrived = |starts: &mut Starts, number: u64| {
            let start = starts.arrived(number);
            start.map(|start| (start.at, start.index))
        };
        assert_eq!(arrived(&mut starts, 4), Some((20, 1)));
        assert_eq!(arrived(&mut starts, 2), None);
        assert_eq!(arrived(&mut starts, 6), Some((30, 2)));
    }
}
