//! One series on its way.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use backwater_kernel::series::{Clock, Series, Thinned};
use backwater_kernel::{Duration, Rate, Time};

use super::points::{Bins, Points};
use super::stops::Stops;
use crate::network::Network;
use crate::probe::Gate;
use crate::spec::{Measure, SeriesSpec, Subject};

/// One series on its way.
#[derive(Clone)]
pub(super) struct Track {
    pub spec: SeriesSpec,
    /// Of the channel that it is of.
    pub rate: Rate,
    /// The bytes that it was busy with last, and for how long.
    sent: (u32, Duration),
    /// The queues it follows, of circuits and [`Measure::Stopped`].
    pub stops: Stops,
    /// Gates that are closed and concern the class it is of: that of its port and its own, a bit
    /// each,
    closed_whole: u8,
    /// and those of hosts and flows.
    closed: BTreeSet<Gate>,
    /// What it is the sum of: levels of legs, or of queues of classes.
    parts: Vec<i64>,
    sum: i64,
    counted: u64,
    shape: Shape,
    unit: &'static str,
    points: Points,
    bins: Bins,
}

/// How values become points.
#[derive(Clone, Copy, PartialEq)]
enum Shape {
    /// Bits per window as a share of the channel.
    Share,
    /// The same in bits per second.
    Rate,
    /// What is counted in a window, a second, in units of so much.
    Amount(f64),
    /// A level that holds until it changes; its mean per window.
    Level,
    /// Samples; their mean per window.
    Sample,
}

impl Shape {
    /// Of a measure, in a network whose lanes are of classes or of circuits; and its unit.
    fn of(measure: Measure, is_by_class: bool) -> (Shape, &'static str) {
        match measure {
            Measure::Throughput | Measure::Arrivals | Measure::ControlThroughput => {
                (Shape::Share, "fraction of the link")
            }
            Measure::Rate if !is_by_class => (Shape::Rate, "bps"),
            Measure::Rate | Measure::Goodput => (Shape::Amount(1e6), "Mbps"),
            Measure::Stops | Measure::Marks => (Shape::Amount(1.0), "frames/s"),
            Measure::Stopped if is_by_class => (Shape::Level, "share"),
            Measure::Stopped => (Shape::Level, "fraction of the time"),
            Measure::Queue | Measure::Stored if is_by_class => (Shape::Level, "bytes"),
            Measure::Input | Measure::Headroom | Measure::Window => (Shape::Level, "bytes"),
            Measure::Forwarded | Measure::Credit | Measure::Fill => (Shape::Level, "cells"),
            Measure::Queue | Measure::Stored | Measure::RateQueue => (Shape::Level, "cells"),
            Measure::AllowedRate
            | Measure::FairShare
            | Measure::SourceRate
            | Measure::StatedRate
            | Measure::TargetRate
            | Measure::Bandwidth => (Shape::Level, "bps"),
            Measure::Alpha => (Shape::Level, "alpha"),
            Measure::LinkUse => (Shape::Level, "fraction of the link"),
            Measure::Gradient => (Shape::Level, "gradient"),
            Measure::TargetDelay | Measure::LeastRtt => (Shape::Level, "s"),
            Measure::PacingGain => (Shape::Level, "gain"),
            Measure::Phase => (Shape::Level, "phase"),
            Measure::LoadFactor => (Shape::Level, "z"),
            Measure::ActiveCircuits => (Shape::Level, "circuits"),
            Measure::Delay | Measure::Wait => (Shape::Sample, "ps"),
        }
    }
}

impl Track {
    pub fn new(spec: &SeriesSpec, most: usize) -> Track {
        let mut spec = spec.clone();
        let (shape, unit) = Shape::of(spec.measure, false);
        if let (Shape::Amount(_), None) = (shape, spec.window) {
            spec.window = Some(spec.until.since(spec.from));
        }
        Track {
            bins: Bins::new(spec.window.map_or(1, Duration::ps), most),
            spec,
            rate: Rate(0),
            sent: (0, Duration(0)),
            stops: Stops::default(),
            closed_whole: 0,
            closed: BTreeSet::new(),
            parts: Vec::new(),
            sum: 0,
            counted: 0,
            shape,
            unit,
            points: Points::new(most),
        }
    }

    /// It is the sum of such parts; this one is `first` at first. Its number.
    pub fn follow(&mut self, first: i64) -> u32 {
        self.parts.push(first);
        self.sum += first;
        self.parts.len() as u32 - 1
    }

    /// The run begins, and it is known what it follows.
    pub fn begin(&mut self, is_by_class: bool) {
        (self.shape, self.unit) = Shape::of(self.spec.measure, is_by_class);
        if self.shape == Shape::Level {
            self.points.push(self.spec.from.ps(), self.sum as f64);
        }
    }

    /// What holds now.
    pub fn level(&self) -> Option<f64> {
        self.points.last().map(|point| point.1)
    }

    /// A part of a level is `value` from `at` on.
    #[inline(always)]
    pub fn set_part(&mut self, at: Time, part: u32, value: i64) {
        let part = &mut self.parts[part as usize];
        self.sum += value - *part;
        *part = value;
        let sum = self.sum as f64;
        if !self.set_within(at, sum) {
            self.set(at, sum);
        }
    }

    /// The same as [`Self::set`], without a call, if the window that is open holds all since the
    /// last change: mostly it does.
    #[inline(always)]
    fn set_within(&mut self, at: Time, value: f64) -> bool {
        let Some((since, before)) = self.points.last() else {
            return false;
        };
        let from = self.spec.from.ps();
        // Series without windows have one that nothing looks at.
        if self.spec.window.is_none() || since < from || at > self.spec.until {
            return false;
        }
        match self
            .bins
            .open_over(since - from, at.ps().wrapping_sub(from))
        {
            Some(bin) => {
                bin.add(before, at.ps() - since);
                self.points.replace(at.ps(), value);
                true
            }
            None => false,
        }
    }

    /// A level is `value` from `at` on.
    pub fn set(&mut self, at: Time, value: f64) {
        // What holds until then is added when the series is read.
        if at > self.spec.until {
            return;
        }
        let at_ps = at.max(self.spec.from).ps();
        if self.spec.window.is_some() {
            self.integrate(at);
            self.points.replace(at_ps, value);
            return;
        }
        let points = &mut self.points;
        let last = points.last().map(|point| point.0);
        match last == Some(at_ps) {
            true => points.replace(at_ps, value),
            false => points.push(at_ps, value),
        }
    }

    /// A level rises by one.
    pub fn count(&mut self, at: Time) {
        self.counted += 1;
        self.set(at, self.counted as f64);
    }

    /// A gate of its channel is closed or opened.
    pub fn gate(&mut self, at: Time, gate: Gate, is_stopped: bool) {
        match self.spec.of {
            Subject::Class { class, .. } if Network::covers(gate, class) => {}
            _ => return,
        }
        match gate {
            Gate::Port => self.close_whole(1, is_stopped),
            Gate::Class(_) => self.close_whole(2, is_stopped),
            Gate::Destination(..) | Gate::Flow(..) | Gate::Lane(..) if is_stopped => {
                self.closed.insert(gate);
            }
            Gate::Destination(..) | Gate::Flow(..) | Gate::Lane(..) => {
                self.closed.remove(&gate);
            }
        }
        let is_open = self.closed_whole == 0 && self.closed.is_empty();
        self.set(at, if is_open { 0.0 } else { 1.0 });
    }

    #[inline]
    fn close_whole(&mut self, bit: u8, is_stopped: bool) {
        match is_stopped {
            true => self.closed_whole |= bit,
            false => self.closed_whole &= !bit,
        }
    }

    /// Adds the level that has held since the last change.
    #[inline]
    fn integrate(&mut self, at: Time) {
        if let Some((since, value)) = self.points.last() {
            self.hold(Time(since), at, value);
        }
    }

    /// Adds a value that holds from `begin` to `end` to the windows it spans: mostly that is the
    /// one that is open.
    #[inline]
    fn hold(&mut self, begin: Time, end: Time, value: f64) {
        let from = self.spec.from.ps();
        let into = |at: Time| at.ps().wrapping_sub(from);
        match self.bins.open_over(into(begin), into(end)) {
            Some(bin) if begin >= self.spec.from && end <= self.spec.until => {
                bin.add(value, end.ps() - begin.ps());
            }
            _ => self.spread(begin, end, value),
        }
    }

    pub fn sample(&mut self, at: Time, value: f64) {
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

    /// So much more is counted.
    pub fn add(&mut self, at: Time, amount: f64) {
        if at >= self.spec.from && at <= self.spec.until {
            self.bins.at((at - self.spec.from).ps()).1.sum += amount;
        }
    }

    /// Adds what another has counted of other things.
    pub fn add_all(&mut self, other: &Track) {
        self.bins.add(&other.bins);
    }

    /// The channel is busy with so many bytes from `at` on.
    pub fn add_busy(&mut self, at: Time, bytes: u32) {
        if at > self.spec.until {
            return;
        }
        let busy = match self.shape {
            Shape::Rate => self.rate.0 as f64,
            _ => 1.0,
        };
        match self.spec.window {
            Some(_) => {
                let end = at + self.serialization(bytes);
                self.hold(at, end, busy);
            }
            None if at >= self.spec.from => {
                self.points.push(at.ps(), busy);
            }
            None => {}
        }
    }

    /// What so many bytes take on its channel: as many as the last time, mostly.
    #[inline]
    fn serialization(&mut self, bytes: u32) -> Duration {
        if self.sent.0 != bytes {
            self.sent = (bytes, self.rate.serialization(bytes.into()));
        }
        self.sent.1
    }

    /// Adds `value` times the time from `begin` to `end` to the windows it falls in.
    #[inline(never)]
    fn spread(&mut self, begin: Time, end: Time, value: f64) {
        let from = self.spec.from.ps();
        let mut at = begin.ps().max(from);
        let end = end.ps().min(self.spec.until.ps());
        while at < end {
            let (over, bin) = self.bins.at(at - from);
            let next = from.saturating_add(over).min(end);
            bin.add(value, next - at);
            at = next;
        }
    }

    pub fn stored(&self) -> usize {
        self.points.len().max(self.bins.len())
    }

    pub fn thinned(&self, at: Time) -> Option<Thinned> {
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

    pub fn series(&self, at: Time) -> Series {
        let (x_ps, y) = match self.spec.window {
            None => self.points.all(),
            Some(_) => self.averages(at),
        };
        Series {
            name: self.spec.name.clone(),
            unit: self.unit,
            step: self.spec.window.is_none() && self.shape == Shape::Level,
            clock: Clock::Picoseconds,
            x: x_ps,
            y,
        }
    }

    /// The windows up to `at`.
    fn windows(&self, at: Time) -> Bins {
        let end = at.min(self.spec.until);
        let mut copy = self.clone();
        if self.shape == Shape::Level {
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
            let value = match self.shape {
                Shape::Share | Shape::Rate => bin.sum / window_ps as f64,
                Shape::Amount(each) => bin.sum / (Duration(window_ps).seconds() * each),
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
