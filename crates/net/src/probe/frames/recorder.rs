//! Time series: what a scenario asks to see, averaged over windows.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use backwater_kernel::series::{Thinned, most_points};
use backwater_kernel::{Duration, Time};

use super::{FrameView, Gate, Probe};
use crate::network::Network;
use crate::spec::frames::{EthernetSpec, Measure, SeriesSpec};

/// Values over time.
#[derive(Clone, PartialEq, Debug)]
pub struct Series {
    /// Its name.
    pub name: String,
    /// Unit of `y`: "bytes", "share", "Mbps", "frames/s".
    pub unit: &'static str,
    /// Middles of the windows, ps, ascending.
    pub x_ps: Vec<u64>,
    /// The mean over each.
    pub y: Vec<f64>,
}

/// Records series. Queues that a watchdog empties are seen to be empty when their next frame joins.
#[derive(Clone, Debug)]
pub struct Recorder {
    tracks: Vec<Track>,
    /// Tracks of what happens in front of a channel and on it, by channel.
    by_channel: Vec<Vec<u32>>,
    /// Tracks of goodput, by flow; then those of all flows.
    by_flow: Vec<Vec<u32>>,
    all_flows: Vec<u32>,
    /// Tracks of what is asked of the network after each instant.
    asked: Vec<u32>,
}

#[derive(Clone, Debug)]
struct Track {
    spec: SeriesSpec,
    /// Value times picoseconds, or bits, by window.
    sums: Vec<f64>,
    /// Most windows; where there would be more, each becomes twice as long.
    most: usize,
    /// Length of a window, ps.
    window_ps: u64,
    /// Has held since then.
    level: f64,
    since: Time,
    /// Gates that are closed and concern the queue.
    closed: BTreeSet<Gate>,
    /// What each queue of a node holds, by channel and class.
    parts: BTreeMap<(u32, u8), u64>,
}

impl Recorder {
    /// A recorder of `series` on `network`.
    pub fn new(network: &EthernetSpec, series: &[SeriesSpec]) -> Recorder {
        let mut recorder = Recorder {
            tracks: Vec::new(),
            by_channel: vec![Vec::new(); network.links.len() * 2],
            by_flow: vec![Vec::new(); network.flows.len()],
            all_flows: Vec::new(),
            asked: Vec::new(),
        };
        for (id, spec) in (0..).zip(series) {
            match spec.measure {
                Measure::Queue { channel, .. }
                | Measure::Stopped { channel, .. }
                | Measure::Rate { channel }
                | Measure::Stops { channel }
                | Measure::Marks { channel } => recorder.by_channel[channel as usize].push(id),
                Measure::Buffer { node } => {
                    let ends = network.links.iter().flat_map(|link| link.ends);
                    let tracks = recorder.by_channel.iter_mut().zip(ends);
                    let leaving = tracks.filter(|(_, from)| *from == node);
                    leaving.for_each(|(tracks, _)| tracks.push(id));
                }
                Measure::Goodput { flow: Some(flow) } => {
                    recorder.by_flow[flow as usize].push(id);
                }
                Measure::Goodput { flow: None } => recorder.all_flows.push(id),
                Measure::Window { .. } | Measure::Input { .. } | Measure::Headroom { .. } => {
                    recorder.asked.push(id);
                }
            }
            recorder.tracks.push(Track {
                spec: spec.clone(),
                sums: Vec::new(),
                most: most_points(series.len()),
                window_ps: spec.window.ps().max(1),
                level: 0.0,
                since: Time::ZERO,
                closed: BTreeSet::new(),
                parts: BTreeMap::new(),
            });
        }
        recorder
    }

    /// The series so far, whole windows only; `at` is how far the run is.
    pub fn series(&self, at: Time) -> Vec<Series> {
        self.tracks.iter().map(|track| track.series(at)).collect()
    }

    /// Windows stored: of all series, and of the longest.
    pub fn stored(&self) -> (usize, usize) {
        let points = self.tracks.iter().map(|track| track.sums.len());
        points.fold((0, 0), |(all, most), one| (all + one, most.max(one)))
    }

    /// The series that have outgrown their bound; `at` is how far the run is.
    pub fn thinned(&self, at: Time) -> Vec<Thinned> {
        let group = |track: &Track| {
            let mut track = track.clone();
            track.fit(at.ps());
            track.window_ps / track.spec.window.ps().max(1)
        };
        let thinned = |track: &Track| Thinned {
            name: track.spec.name.clone(),
            group: group(track),
            windowed: true,
        };
        let all = self.tracks.iter().map(thinned);
        all.filter(|one| one.group > 1).collect()
    }

    #[inline]
    fn queue(&mut self, at: Time, channel: u32, class: u8, bytes: u64) {
        for &id in &self.by_channel[channel as usize] {
            let track = &mut self.tracks[id as usize];
            if let Measure::Buffer { .. } = track.spec.measure {
                let before = track.parts.insert((channel, class), bytes).unwrap_or(0);
                // Whole numbers of bytes: exact in a float.
                track.set(at, track.level + bytes as f64 - before as f64);
            } else if track.spec.measure == (Measure::Queue { channel, class }) {
                track.set(at, bytes as f64);
            }
        }
    }
}

impl Probe for Recorder {
    fn on_frame_joined(&mut self, at: Time, channel: u32, frame: &FrameView, queue_bytes: u64) {
        self.queue(at, channel, frame.class, queue_bytes);
    }

    fn on_frame_sent(&mut self, at: Time, channel: u32, class: u8, queue_bytes: u64) {
        self.queue(at, channel, class, queue_bytes);
    }

    fn on_frame_start(&mut self, at: Time, channel: u32, frame: &FrameView) {
        for &id in &self.by_channel[channel as usize] {
            let track = &mut self.tracks[id as usize];
            let count = match track.spec.measure {
                Measure::Rate { .. } => f64::from(frame.bytes) * 8.0,
                Measure::Stops { .. } if frame.stops() => 1.0,
                Measure::Marks { .. } if frame.is_marked => 1.0,
                _ => continue,
            };
            *track.sum(at.ps()).1 += count;
        }
    }

    fn on_payload(&mut self, at: Time, flow: u32, is_forward: bool, bytes: u64) {
        if !is_forward {
            return;
        }
        for &id in self.by_flow[flow as usize].iter().chain(&self.all_flows) {
            let track = &mut self.tracks[id as usize];
            // What comes at the border of two windows counts in the one that ends.
            let (_, sum) = track.sum(at.ps().saturating_sub(1));
            *sum += bytes as f64 * 8.0;
        }
    }

    fn on_gate(&mut self, at: Time, channel: u32, gate: Gate, is_stopped: bool) {
        for &id in &self.by_channel[channel as usize] {
            let track = &mut self.tracks[id as usize];
            let Measure::Stopped { class, .. } = track.spec.measure else {
                continue;
            };
            if !Network::covers(gate, class) {
                continue;
            }
            match is_stopped {
                true => track.closed.insert(gate),
                false => track.closed.remove(&gate),
            };
            let level = if track.closed.is_empty() { 0.0 } else { 1.0 };
            track.set(at, level);
        }
    }

    fn after_instant(&mut self, at: Time, network: &Network) {
        for &id in &self.asked {
            let track = &mut self.tracks[id as usize];
            let bytes = match track.spec.measure {
                Measure::Window { flow } => network.window_bytes(flow),
                Measure::Input { channel, class } => network.input_bytes(channel, class),
                Measure::Headroom { channel, class } => network.headroom_bytes(channel, class),
                _ => continue,
            } as f64;
            if bytes != track.level {
                track.set(at, bytes);
            }
        }
    }
}

impl Track {
    /// The level is `value` from `at` on.
    fn set(&mut self, at: Time, value: f64) {
        self.hold(at);
        self.level = value;
    }

    /// Adds the level that has held to the windows it spans.
    fn hold(&mut self, at: Time) {
        let (mut from, level) = (self.since.ps(), self.level);
        while from < at.ps() {
            let (over, sum) = self.sum(from);
            let next = over.min(at.ps());
            *sum += level * (next - from) as f64;
            from = next;
        }
        self.since = self.since.max(at);
    }

    /// The window that holds this instant, and where it ends.
    fn sum(&mut self, at_ps: u64) -> (u64, &mut f64) {
        if at_ps / self.window_ps >= self.most as u64 {
            self.fit(at_ps);
        }
        let index = at_ps / self.window_ps;
        let over = (index + 1).saturating_mul(self.window_ps);
        let window = index as usize;
        if self.sums.len() <= window {
            self.sums.resize(window + 1, 0.0);
        }
        (over, &mut self.sums[window])
    }

    /// Makes windows so long that they are few enough up to there: two become one.
    fn fit(&mut self, until_ps: u64) {
        while until_ps / self.window_ps >= self.most as u64 {
            let pairs = self.sums.chunks(2);
            self.sums = pairs.map(|pair| pair.iter().sum()).collect();
            self.window_ps = self.window_ps.saturating_mul(2);
        }
    }

    fn series(&self, at: Time) -> Series {
        let mut track = self.clone();
        let (unit, per_second) = match track.spec.measure {
            Measure::Goodput { .. } | Measure::Rate { .. } => ("Mbps", Some(1e6)),
            Measure::Stops { .. } | Measure::Marks { .. } => ("frames/s", Some(1.0)),
            Measure::Stopped { .. } => ("share", None),
            Measure::Queue { .. }
            | Measure::Window { .. }
            | Measure::Buffer { .. }
            | Measure::Input { .. }
            | Measure::Headroom { .. } => ("bytes", None),
        };
        if per_second.is_none() {
            track.hold(at);
        }
        track.fit(at.ps());
        let window = track.window_ps;
        let per_window = match per_second {
            Some(each) => Duration(window).seconds() * each,
            None => window as f64,
        };
        let whole = at.ps() / window;
        let sum = |index: u64| track.sums.get(index as usize).copied().unwrap_or(0.0);
        Series {
            name: track.spec.name.clone(),
            unit,
            x_ps: (0..whole)
                .map(|index| index * window + window / 2)
                .collect(),
            y: (0..whole).map(|index| sum(index) / per_window).collect(),
        }
    }
}

#[cfg(test)]
mod tests;
