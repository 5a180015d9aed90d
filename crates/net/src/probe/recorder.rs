//! Time series: what a scenario asks to see.

use alloc::vec::Vec;

use backwater_ends::control::Inner;
use backwater_kernel::series::{Series, Thinned, most_points};
use backwater_kernel::{Rate, Time};

use super::{Crossing, ForwardCell, Frame, Gate, Probe, RateInterval, UnitKind};
use crate::network::Network;
use crate::spec::{Measure, SeriesSpec, Subject};

mod begin;
mod divided;
mod points;
mod stops;
mod subscribers;
#[cfg(test)]
mod tests;
mod track;

use stops::Stops;
use subscribers::{Subscriber, Subscribers};
use track::Track;

/// Records the series of a scenario. Queues of frames that a watchdog empties are seen to be empty
/// when their next frame joins.
#[derive(Clone, Default)]
pub struct Recorder {
    tracks: Vec<Track>,
    /// Tracks that listen to each leg, channel, queue of a class (whatever they make of it), node
    /// and flow.
    legs: Subscribers,
    channels: Subscribers,
    queues: Subscribers,
    nodes: Subscribers,
    flows: Subscribers,
    /// Classes of each port.
    classes: u32,
    /// Tracks of what is asked of the network after each instant.
    asked: Vec<u32>,
    /// The end of the last of them.
    until: Time,
}

impl Recorder {
    /// A recorder of `series`, of whatever network it looks at.
    pub fn new(series: &[SeriesSpec]) -> Recorder {
        let most = most_points(series.len());
        Recorder {
            tracks: series.iter().map(|one| Track::new(one, most)).collect(),
            until: series.iter().map(|one| one.until).max().unwrap_or_default(),
            ..Recorder::default()
        }
    }

    /// The series recorded so far; `at` is how far the run is.
    pub fn series(&self, at: Time) -> Vec<Series> {
        self.tracks.iter().map(|track| track.series(at)).collect()
    }

    /// Points and windows stored: of all series, and of the longest.
    pub fn stored(&self) -> (usize, usize) {
        let points = self.tracks.iter().map(Track::stored);
        points.fold((0, 0), |(all, most), one| (all + one, most.max(one)))
    }

    /// The series that have outgrown their bound; `at` is how far the run is.
    pub fn thinned(&self, at: Time) -> Vec<Thinned> {
        let tracks = self.tracks.iter();
        tracks.filter_map(|track| track.thinned(at)).collect()
    }

    #[inline(always)]
    fn level(&mut self, at: Time, leg: u32, measure: Measure, value: i64) {
        if at > self.until {
            return;
        }
        let subscribers = self.legs.at(measure, leg);
        if !subscribers.is_empty() {
            set_parts(&mut self.tracks, subscribers, at, value);
        }
    }

    /// The queue of a leg, or its credit, has changed.
    #[inline(always)]
    fn stops(&mut self, at: Time, leg: u32, change: impl Fn(&mut Stops, u32) -> f64) {
        if at > self.until {
            return;
        }
        for ear in self.legs.at(Measure::Stopped, leg) {
            let track = &mut self.tracks[ear.track as usize];
            let is_stopped = change(&mut track.stops, ear.part);
            if track.level() != Some(is_stopped) {
                track.set(at, is_stopped);
            }
        }
    }

    #[inline(always)]
    fn share(&mut self, crossing: &Crossing, measure: Measure) {
        for ear in self.channels.at(measure, crossing.channel) {
            let track = &mut self.tracks[ear.track as usize];
            let flow = track.spec.of.flow();
            if flow.is_none_or(|flow| flow == crossing.flow) {
                track.add_busy(crossing.at, crossing.bytes);
            }
        }
    }

    /// So much more is counted of what leaves on a channel.
    #[inline]
    fn count(&mut self, at: Time, channel: u32, measure: Measure, amount: f64) {
        for ear in self.channels.at(measure, channel) {
            self.tracks[ear.track as usize].add(at, amount);
        }
    }

    fn port(&mut self, at: Time, channel: u32, measure: Measure, value: f64) {
        for ear in self.channels.at(measure, channel) {
            self.tracks[ear.track as usize].set(at, value);
        }
    }

    fn note_rate(&mut self, at: Time, flow: u32, measure: Measure, rate: Rate) {
        for ear in self.flows.at(measure, flow) {
            self.tracks[ear.track as usize].set(at, rate.0 as f64);
        }
    }

    /// The queue of a class holds so much.
    #[inline]
    fn queue(&mut self, at: Time, channel: u32, class: u8, bytes: u64) {
        let key = self.classes * channel + u32::from(class);
        let subscribers = self.queues.at(Measure::Queue, key);
        if !subscribers.is_empty() {
            set_parts(&mut self.tracks, subscribers, at, bytes as i64);
        }
    }

    /// Asks the network for what no hook tells.
    #[inline(never)]
    fn ask(&mut self, at: Time, network: &Network) {
        for &id in &self.asked {
            let track = &mut self.tracks[id as usize];
            let Some(level) = asked(&track.spec, network) else {
                continue;
            };
            if track.level() != Some(level) {
                track.set(at, level);
            }
        }
    }
}

/// Does no hook tell of it?
fn is_asked(spec: &SeriesSpec, network: &Network) -> bool {
    network.classes.count > 0
        && match spec.measure {
            Measure::Input | Measure::Headroom | Measure::StatedRate => {
                matches!(spec.of, Subject::Class { .. })
            }
            Measure::Window
            | Measure::AllowedRate
            | Measure::TargetRate
            | Measure::Alpha
            | Measure::LinkUse
            | Measure::Gradient
            | Measure::TargetDelay
            | Measure::Bandwidth
            | Measure::LeastRtt
            | Measure::PacingGain
            | Measure::Phase => matches!(spec.of, Subject::Flow(_)),
            _ => false,
        }
}

/// What no hook tells, but a network of frames knows; `None` of all else, and of what there is
/// nothing yet.
fn asked(spec: &SeriesSpec, network: &Network) -> Option<f64> {
    let inner = |flow, of| network.inner(flow, of);
    match (spec.measure, spec.of) {
        (Measure::Window, Subject::Flow(flow)) => {
            let bytes = network.window_bytes(flow);
            (bytes != u64::MAX).then_some(bytes as f64)
        }
        (Measure::AllowedRate, Subject::Flow(flow)) => {
            network.allowed_rate(flow).map(|rate| rate.0 as f64)
        }
        (Measure::TargetRate, Subject::Flow(flow)) => {
            inner(flow, Inner::Target).or_else(|| inner(flow, Inner::Reference))
        }
        (Measure::Alpha, Subject::Flow(flow)) => inner(flow, Inner::Alpha),
        (Measure::LinkUse, Subject::Flow(flow)) => inner(flow, Inner::Use),
        (Measure::Gradient, Subject::Flow(flow)) => inner(flow, Inner::Gradient),
        (Measure::TargetDelay, Subject::Flow(flow)) => inner(flow, Inner::TargetDelay),
        (Measure::Bandwidth, Subject::Flow(flow)) => inner(flow, Inner::Bandwidth),
        (Measure::LeastRtt, Subject::Flow(flow)) => inner(flow, Inner::LeastRtt),
        (Measure::PacingGain, Subject::Flow(flow)) => inner(flow, Inner::PacingGain),
        (Measure::Phase, Subject::Flow(flow)) => inner(flow, Inner::Phase),
        (Measure::Input, Subject::Class { channel, class }) => {
            Some(network.input_bytes(channel, class) as f64)
        }
        (Measure::Headroom, Subject::Class { channel, class }) => {
            Some(network.headroom_bytes(channel, class) as f64)
        }
        (Measure::StatedRate, Subject::Class { channel, class }) => network
            .stated_rate(channel, class)
            .map(|rate| rate.0 as f64),
        _ => None,
    }
}

/// A level has changed that these listen to. (A call, so that hooks without listeners stay short.)
#[inline(never)]
fn set_parts(tracks: &mut [Track], subscribers: &[Subscriber], at: Time, value: i64) {
    for ear in subscribers {
        tracks[ear.track as usize].set_part(at, ear.part, value);
    }
}

impl Probe for Recorder {
    const IN_ALL_FORMS: bool = true;

    fn watches(&self, channel: u32) -> bool {
        let hears = |measure| !self.channels.at(measure, channel).is_empty();
        let first = self.classes * channel;
        let mut queues = first..first + self.classes;
        let follows = |key| !self.queues.at(Measure::Queue, key).is_empty();
        [Measure::Rate, Measure::Stops, Measure::Marks]
            .into_iter()
            .any(hears)
            || queues.any(follows)
    }

    fn on_begin(&mut self, network: &Network) {
        self.begin(network);
    }

    #[inline]
    fn on_start(&mut self, crossing: Crossing) {
        if crossing.at > self.until {
            return;
        }
        self.share(&crossing, Measure::Rate);
        if crossing.kind != UnitKind::Data {
            return self.share(&crossing, Measure::ControlThroughput);
        }
        self.share(&crossing, Measure::Throughput);
        for ear in self.legs.at(Measure::Forwarded, crossing.leg) {
            self.tracks[ear.track as usize].count(crossing.at);
        }
    }

    #[inline]
    fn on_arrival(&mut self, crossing: Crossing) {
        if crossing.kind == UnitKind::Data && crossing.at <= self.until {
            self.share(&crossing, Measure::Arrivals);
        }
    }

    fn on_fill(&mut self, at: Time, leg: u32, fill: u32) {
        self.level(at, leg, Measure::Fill, fill as i64);
    }

    #[inline]
    fn on_credit(&mut self, at: Time, leg: u32, credit: i64, _renewed: bool) {
        self.level(at, leg, Measure::Credit, credit);
        self.stops(at, leg, |stops, queue| stops.credit(queue, credit));
    }

    fn on_queue(&mut self, at: Time, leg: u32, waiting: u32) {
        self.level(at, leg, Measure::Queue, waiting as i64);
        self.stops(at, leg, |stops, queue| stops.queue(queue, waiting));
    }

    fn on_rate(&mut self, at: Time, flow: u32, acr: Rate, _old: Rate) {
        self.note_rate(at, flow, Measure::AllowedRate, acr);
    }

    fn on_forward(&mut self, at: Time, flow: u32, cell: ForwardCell) {
        if let Some(source_rate) = cell.source_rate {
            self.note_rate(at, flow, Measure::SourceRate, source_rate);
        }
    }

    fn on_rate_queue(&mut self, at: Time, channel: u32, waiting: u32) {
        self.port(at, channel, Measure::RateQueue, waiting as f64);
    }

    fn on_interval(&mut self, at: Time, channel: u32, interval: RateInterval) {
        self.port(at, channel, Measure::LoadFactor, interval.load);
        self.port(at, channel, Measure::ActiveCircuits, interval.active);
        let share = interval.fair_share.0 as f64;
        self.port(at, channel, Measure::FairShare, share);
    }

    #[inline]
    fn on_stored(&mut self, at: Time, node: u32, stored: u64) {
        for ear in self.nodes.at(Measure::Stored, node) {
            self.tracks[ear.track as usize].set(at, stored as f64);
        }
    }

    #[inline]
    fn on_wait(&mut self, at: Time, leg: u32, arrived: Time) {
        for ear in self.legs.at(Measure::Wait, leg) {
            let wait = at.since(arrived).ps() as f64;
            self.tracks[ear.track as usize].sample(at, wait);
        }
    }

    #[inline]
    fn on_delivered(&mut self, at: Time, leg: u32, born: Time, _bytes: u32) {
        for ear in self.legs.at(Measure::Delay, leg) {
            let delay = at.since(born).ps() as f64;
            self.tracks[ear.track as usize].sample(at, delay);
        }
    }

    #[inline]
    fn on_frame_joined(&mut self, at: Time, channel: u32, frame: &Frame<'_>, queue_bytes: u64) {
        self.queue(at, channel, frame.class, queue_bytes);
    }

    #[inline]
    fn on_frame_sent(&mut self, at: Time, channel: u32, class: u8, queue_bytes: u64) {
        self.queue(at, channel, class, queue_bytes);
    }

    #[inline]
    fn on_frame_start(&mut self, at: Time, channel: u32, frame: &Frame<'_>) {
        let bits = f64::from(frame.bytes) * 8.0;
        self.count(at, channel, Measure::Rate, bits);
        if frame.is_marked {
            self.count(at, channel, Measure::Marks, 1.0);
        }
        let listens = !self.channels.at(Measure::Stops, channel).is_empty();
        if listens && frame.view().stops() {
            self.count(at, channel, Measure::Stops, 1.0);
        }
    }

    #[inline]
    fn on_payload(&mut self, at: Time, flow: u32, is_forward: bool, bytes: u64) {
        if !is_forward {
            return;
        }
        // What comes at the border of two windows counts in the one that ends.
        let at = Time(at.ps().saturating_sub(1));
        for ear in self.flows.at(Measure::Goodput, flow) {
            self.tracks[ear.track as usize].add(at, bytes as f64 * 8.0);
        }
    }

    fn on_gate(&mut self, at: Time, channel: u32, gate: Gate, is_stopped: bool) {
        for ear in self.channels.at(Measure::Stopped, channel) {
            self.tracks[ear.track as usize].gate(at, gate, is_stopped);
        }
    }

    #[inline]
    fn after_instant(&mut self, at: Time, network: &Network) {
        if !self.asked.is_empty() {
            self.ask(at, network);
        }
    }
}
