//! Time series: what a scenario asks to see.

use alloc::vec;
use alloc::vec::Vec;

use backwater_kernel::series::{Clock, Series, Thinned, most_points};
use backwater_kernel::{Channels, Duration, Rate, Time};

use super::{Crossing, ForwardCell, Probe, RateInterval, UnitKind};
use crate::hop::unit::NONE;
use crate::spec::{FlowSpec, Measure, NetworkSpec, SeriesSpec, SourceControlSpec};

mod points;
mod stops;

use points::{Bins, Points};
use stops::Stops;

/// Records the series of a scenario.
pub struct Recorder {
    tracks: Vec<Track>,
    /// Tracks that listen to each leg and to each channel, by index.
    by_leg: Vec<Vec<u32>>,
    by_channel: Vec<Vec<u32>>,
    by_node: Vec<Vec<u32>>,
    by_flow: Vec<Vec<u32>>,
}

#[derive(Clone)]
struct Track {
    spec: SeriesSpec,
    rate: Rate,
    /// Sum over the legs it follows, for levels of several flows together.
    levels: Vec<(u32, i64)>,
    /// The queues it follows, of [`Measure::Stopped`].
    stops: Stops,
    count: u64,
    kind: Shape,
    unit: &'static str,
    points: Points,
    bins: Bins,
}

/// How values become points.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Bits per window as a share of the channel.
    Share,
    /// The same in bits per second.
    Rate,
    /// A level that holds until it changes; its mean per window.
    Level,
    /// Samples; their mean per window.
    Sample,
}

impl Recorder {
    /// A recorder of `series` on `network`.
    pub fn new(network: &NetworkSpec, series: &[SeriesSpec]) -> Recorder {
        let legs: Vec<(u32, u32)> = network
            .flows
            .iter()
            .enumerate()
            .flat_map(|(flow, spec)| spec.legs.iter().map(move |leg| (flow as u32, leg.channel)))
            .collect();
        let mut recorder = Recorder {
            tracks: Vec::new(),
            by_leg: vec![Vec::new(); legs.len()],
            by_channel: vec![Vec::new(); 2 * network.links.len()],
            by_node: vec![Vec::new(); network.nodes.len()],
            by_flow: vec![Vec::new(); network.flows.len()],
        };
        for spec in series {
            recorder.add(network, &legs, spec, most_points(series.len()));
        }
        recorder
    }

    fn add(&mut self, network: &NetworkSpec, legs: &[(u32, u32)], spec: &SeriesSpec, most: usize) {
        let id = self.tracks.len() as u32;
        let channel = network.links.channel(spec.channel);
        let (_, to) = network.links.ends(spec.channel);
        let follows = |&(flow, channel): &(u32, u32)| {
            channel == spec.channel && spec.flow.is_none_or(|wanted| wanted == flow)
        };
        let (mut levels, mut stops) = (Vec::new(), Stops::default());
        for (leg, leg_spec) in legs.iter().enumerate().filter(|(_, leg)| follows(leg)) {
            let mut own = network.flows[leg_spec.0 as usize].legs.iter();
            let own = own.find(|leg| leg.channel == spec.channel);
            let initial = own.map_or(0, |leg| initial_level(spec.measure, leg));
            levels.push((leg as u32, initial));
            if let (Measure::Stopped, Some(own)) = (spec.measure, own) {
                stops.follow(leg as u32, own);
            }
            self.by_leg[leg].push(id);
        }
        match spec.measure {
            Measure::Throughput
            | Measure::ControlThroughput
            | Measure::Arrivals
            | Measure::Rate
            | Measure::RateQueue
            | Measure::LoadFactor
            | Measure::ActiveCircuits
            | Measure::FairShare => self.by_channel[spec.channel as usize].push(id),
            Measure::Stored => self.by_node[to as usize].push(id),
            _ => {}
        }
        let flow = spec.flow.and_then(|flow| network.flows.get(flow as usize));
        if let (Measure::AllowedRate | Measure::SourceRate, Some(flow)) = (spec.measure, flow) {
            self.by_flow[spec.flow.unwrap_or(0) as usize].push(id);
            levels = vec![(NONE, initial_rate(spec.measure, flow))];
        }
        let track = Track::new(spec.clone(), channel.rate, levels, most);
        self.tracks.push(Track { stops, ..track });
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

    /// A rate of an ABR flow is `rate` from now on.
    fn of_flow(&mut self, at: Time, flow: u32, measure: Measure, rate: Rate) {
        for &id in &self.by_flow[flow as usize] {
            let track = &mut self.tracks[id as usize];
            if track.spec.measure == measure {
                track.set_total(at, rate.0 as f64);
            }
        }
    }

    /// A level of a port that tells rates is `value` from now on.
    fn of_port(&mut self, at: Time, channel: u32, measure: Measure, value: f64) {
        for &id in &self.by_channel[channel as usize] {
            let track = &mut self.tracks[id as usize];
            if track.spec.measure == measure {
                track.set_total(at, value);
            }
        }
    }

    fn level(&mut self, at: Time, leg: u32, measure: Measure, value: i64) {
        for &id in &self.by_leg[leg as usize] {
            let track = &mut self.tracks[id as usize];
            if track.spec.measure == measure {
                track.set_level(at, leg, value);
            }
        }
    }

    /// The queue of a leg, or its credit, has changed.
    fn stops(&mut self, at: Time, leg: u32, change: impl Fn(&mut Stops) -> f64) {
        for &id in &self.by_leg[leg as usize] {
            let track = &mut self.tracks[id as usize];
            if track.spec.measure == Measure::Stopped {
                let is_stopped = change(&mut track.stops);
                if track.points.last().map(|point| point.1) != Some(is_stopped) {
                    track.set_total(at, is_stopped);
                }
            }
        }
    }

    fn sample(&mut self, at: Time, leg: u32, measure: Measure, value: f64) {
        for &id in &self.by_leg[leg as usize] {
            let track = &mut self.tracks[id as usize];
            if track.spec.measure == measure {
                track.sample(at, value);
            }
        }
    }

    fn share(&mut self, crossing: &Crossing, measure: Measure) {
        for &id in &self.by_channel[crossing.channel as usize] {
            let track = &mut self.tracks[id as usize];
            let wanted = track.spec.flow.is_none_or(|flow| flow == crossing.flow);
            if track.spec.measure == measure && wanted {
                let length = track.rate.serialization(crossing.bytes as u64);
                track.add_busy(crossing.at, length);
            }
        }
    }
}

fn initial_level(measure: Measure, leg: &crate::spec::LegSpec) -> i64 {
    match (measure, &leg.flow_control) {
        (Measure::Credit, crate::spec::FlowControlSpec::Credit(credit)) => {
            crate::flow_control::Rule::new(credit).initial_credit()
        }
        _ => 0,
    }
}

/// ACR starts at ICR; there is no source rate before the second forward RM cell.
fn initial_rate(measure: Measure, flow: &FlowSpec) -> i64 {
    match (measure, &flow.source_control) {
        (Measure::AllowedRate, SourceControlSpec::Abr(abr)) => abr.icr.0.min(1 << 62) as i64,
        _ => 0,
    }
}

impl Probe for Recorder {
    fn on_start(&mut self, crossing: Crossing) {
        self.share(&crossing, Measure::Rate);
        if crossing.kind == UnitKind::Data {
            self.share(&crossing, Measure::Throughput);
            for &id in &self.by_leg[crossing.leg as usize] {
                let track = &mut self.tracks[id as usize];
                if track.spec.measure == Measure::Forwarded {
                    track.count += 1;
                    let count = track.count as f64;
                    track.push_point(crossing.at, count);
                }
            }
        } else {
            self.share(&crossing, Measure::ControlThroughput);
        }
    }

    fn on_arrival(&mut self, crossing: Crossing) {
        if crossing.kind == UnitKind::Data {
            self.share(&crossing, Measure::Arrivals);
        }
    }

    fn on_fill(&mut self, at: Time, leg: u32, fill: u32) {
        self.level(at, leg, Measure::Fill, fill as i64);
    }

    fn on_credit(&mut self, at: Time, leg: u32, credit: i64, _renewed: bool) {
        self.level(at, leg, Measure::Credit, credit);
        self.stops(at, leg, |stops| stops.credit(leg, credit));
    }

    fn on_queue(&mut self, at: Time, leg: u32, waiting: u32) {
        self.level(at, leg, Measure::Queue, waiting as i64);
        self.stops(at, leg, |stops| stops.queue(leg, waiting));
    }

    fn on_rate(&mut self, at: Time, flow: u32, acr: Rate, _old: Rate) {
        self.of_flow(at, flow, Measure::AllowedRate, acr);
    }

    fn on_forward(&mut self, at: Time, flow: u32, cell: ForwardCell) {
        if let Some(source_rate) = cell.source_rate {
            self.of_flow(at, flow, Measure::SourceRate, source_rate);
        }
    }

    fn on_rate_queue(&mut self, at: Time, channel: u32, waiting: u32) {
        self.of_port(at, channel, Measure::RateQueue, waiting as f64);
    }

    fn on_interval(&mut self, at: Time, channel: u32, interval: RateInterval) {
        self.of_port(at, channel, Measure::LoadFactor, interval.load);
        self.of_port(at, channel, Measure::ActiveCircuits, interval.active);
        let share = interval.fair_share.0 as f64;
        self.of_port(at, channel, Measure::FairShare, share);
    }

    fn on_stored(&mut self, at: Time, node: u32, stored: u64) {
        for &id in &self.by_node[node as usize] {
            self.tracks[id as usize].set_total(at, stored as f64);
        }
    }

    fn on_wait(&mut self, at: Time, leg: u32, arrived: Time) {
        self.sample(at, leg, Measure::Wait, at.since(arrived).ps() as f64);
    }

    fn on_delivered(&mut self, at: Time, leg: u32, born: Time, _bytes: u32) {
        self.sample(at, leg, Measure::Delay, at.since(born).ps() as f64);
    }
}

impl Track {
    fn new(spec: SeriesSpec, rate: Rate, levels: Vec<(u32, i64)>, most: usize) -> Track {
        let (kind, unit) = match spec.measure {
            Measure::Throughput | Measure::Arrivals | Measure::ControlThroughput => {
                (Shape::Share, "fraction of the link")
            }
            Measure::Rate => (Shape::Rate, "bps"),
            Measure::Stopped => (Shape::Level, "fraction of the time"),
            Measure::Forwarded | Measure::Credit | Measure::Fill => (Shape::Level, "cells"),
            Measure::Queue | Measure::Stored => (Shape::Level, "cells"),
            Measure::RateQueue => (Shape::Level, "cells"),
            Measure::AllowedRate | Measure::FairShare | Measure::SourceRate => {
                (Shape::Level, "bps")
            }
            Measure::LoadFactor => (Shape::Level, "z"),
            Measure::ActiveCircuits => (Shape::Level, "circuits"),
            Measure::Delay | Measure::Wait => (Shape::Sample, "ps"),
        };
        let mut points = Points::new(most);
        let first: i64 = levels.iter().map(|level| level.1).sum();
        if kind == Shape::Level {
            points.push(spec.from.ps(), first as f64);
        }
        let window = spec.window.map_or(1, Duration::ps);
        Track {
            spec,
            rate,
            levels,
            stops: Stops::default(),
            count: 0,
            kind,
            unit,
            points,
            bins: Bins::new(window, most),
        }
    }

    fn set_level(&mut self, at: Time, leg: u32, value: i64) {
        if let Some(level) = self.levels.iter_mut().find(|level| level.0 == leg) {
            level.1 = value;
        }
        let total: i64 = self.levels.iter().map(|level| level.1).sum();
        self.set_total(at, total as f64);
    }

    /// A level is `value` from `at` on.
    fn set_total(&mut self, at: Time, value: f64) {
        if self.spec.window.is_some() {
            self.integrate(at);
        }
        self.push_point(at, value);
    }

    fn push_point(&mut self, at: Time, value: f64) {
        if at > self.spec.until {
            return;
        }
        let at_ps = at.max(self.spec.from).ps();
        let points = &mut self.points;
        let last = points.last().map(|point| point.0);
        match last == Some(at_ps) || self.spec.window.is_some() {
            true => points.replace(at_ps, value),
            false => points.push(at_ps, value),
        }
    }

    /// Adds the level that has held since the last change to the windows it spans.
    fn integrate(&mut self, at: Time) {
        if let Some((since, value)) = self.points.last() {
            self.spread(Time(since), at, value);
        }
    }

    fn sample(&mut self, at: Time, value: f64) {
        if at < self.spec.from || at > self.spec.until {
            return;
        }
        if self.spec.window.is_none() {
            self.points.push(at.ps(), value);
            return;
        }
        let (_, bin) = self.bins.at((at - self.spec.from).ps());
        bin.sum += value;
        bin.weight += 1.0;
    }

    /// What a channel that sends stands for.
    fn busy(&self) -> f64 {
        match self.kind {
            Shape::Rate => self.rate.0 as f64,
            Shape::Share | Shape::Level | Shape::Sample => 1.0,
        }
    }

    /// The channel is busy for `length` from `at`.
    fn add_busy(&mut self, at: Time, length: Duration) {
        match self.spec.window {
            Some(_) => self.spread(at, at + length, self.busy()),
            None if at >= self.spec.from && at <= self.spec.until => {
                let busy = self.busy();
                self.points.push(at.ps(), busy);
            }
            None => {}
        }
    }

    /// Adds `value` times the time from `begin` to `end` to the windows it falls in.
    fn spread(&mut self, begin: Time, end: Time, value: f64) {
        if self.spec.window.is_none() {
            return;
        }
        let from = self.spec.from.ps();
        let mut at = begin.ps().max(from);
        let end = end.ps().min(self.spec.until.ps());
        while at < end {
            let (over, bin) = self.bins.at(at - from);
            let next = from.saturating_add(over).min(end);
            bin.sum += value * (next - at) as f64;
            bin.weight += (next - at) as f64;
            at = next;
        }
    }

    fn stored(&self) -> usize {
        self.points.len().max(self.bins.len())
    }

    fn thinned(&self, at: Time) -> Option<Thinned> {
        let group = match self.spec.window {
            Some(window) => self.windows(at).window_ps / window.ps().max(1),
            None => self.points.group(),
        };
        (group > 1).then(|| Thinned {
            name: self.spec.name.clone(),
            group,
            windowed: self.spec.window.is_some(),
        })
    }

    fn series(&self, at: Time) -> Series {
        let (x_ps, y) = match self.spec.window {
            None => self.points.all(),
            Some(_) => self.averages(at),
        };
        Series {
            name: self.spec.name.clone(),
            unit: self.unit,
            step: self.spec.window.is_none() && self.kind == Shape::Level,
            clock: Clock::Picoseconds,
            x: x_ps,
            y,
        }
    }

    /// The windows up to `at`.
    fn windows(&self, at: Time) -> Bins {
        let end = at.min(self.spec.until);
        let mut copy = self.clone();
        if self.kind == Shape::Level {
            copy.integrate(end);
        }
        copy.bins.fit(end.since(self.spec.from).ps());
        copy.bins
    }

    /// Middles and means of the windows that are over at `at`.
    fn averages(&self, at: Time) -> (Vec<u64>, Vec<f64>) {
        let bins = self.windows(at);
        let window_ps = bins.window_ps;
        let end = at.min(self.spec.until);
        let whole = end.since(self.spec.from).ps() / window_ps;
        let (mut x_ps, mut y) = (Vec::new(), Vec::new());
        for index in 0..whole {
            let bin = bins.get(index);
            let value = match self.kind {
                Shape::Share | Shape::Rate => bin.sum / window_ps as f64,
                Shape::Level | Shape::Sample if bin.weight > 0.0 => bin.sum / bin.weight,
                Shape::Level => 0.0,
                Shape::Sample => continue,
            };
            x_ps.push(self.spec.from.ps() + index * window_ps + window_ps / 2);
            y.push(value);
        }
        (x_ps, y)
    }
}
