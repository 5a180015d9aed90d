//! Time series: what a scenario asks to see over the cycles of a run.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use backwater_kernel::series::{Clock, Series};

use crate::probe::{Crossing, Probe, Tag};
use crate::spec::Graph;

/// A series to record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeriesSpec {
    /// Its name.
    pub name: String,
    /// What is recorded.
    pub measure: Measure,
    /// Averaged over windows of so many cycles, at least 1.
    pub window: u64,
}

/// What a series records.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Measure {
    /// Flits that cross ejection channels, per cycle and terminal.
    Accepted,
    /// Mean latency of packets that arrive in the window, cycles.
    Latency,
    /// Packets born whose header has not left its source, mean over the window.
    Queue,
    /// Share of the cycles in which a channel carries a flit; of several the largest share.
    Load(Vec<u32>),
}

/// Records series.
#[derive(Clone, Debug)]
pub struct Recorder {
    tracks: Vec<Track>,
    /// Channels between routers; injection channels follow, then ejection channels.
    channels: u32,
    terminals: u32,
}

#[derive(Clone, Debug)]
struct Track {
    spec: SeriesSpec,
    /// First cycle of the window that is open.
    from: u64,
    sum: f64,
    count: u64,
    /// Packets that wait, and since when so many do.
    level: u64,
    since: u64,
    /// Flits of each channel of a load, in their order.
    flits: Vec<u64>,
    cycles: Vec<u64>,
    y: Vec<f64>,
}

impl Recorder {
    /// A recorder of `series` on `graph`.
    pub fn new(graph: &Graph, series: &[SeriesSpec]) -> Recorder {
        Recorder {
            tracks: series.iter().cloned().map(Track::new).collect(),
            channels: graph.channels.len() as u32,
            terminals: graph.inject.len() as u32,
        }
    }

    /// The windows that are over before `cycle`.
    pub fn series(&self, cycle: u64) -> Vec<Series> {
        let tracks = self.tracks.iter().cloned();
        tracks
            .map(|mut track| {
                track.advance(cycle, self.terminals);
                track.series()
            })
            .collect()
    }

    /// Points of all series, and of the longest.
    pub fn stored(&self) -> (usize, usize) {
        let points = self.tracks.iter().map(|track| track.y.len());
        points.fold((0, 0), |(all, most), one| (all + one, most.max(one)))
    }
}

impl Probe for Recorder {
    fn on_delivery(&mut self, cycle: u64, packet: &Tag) {
        for track in &mut self.tracks {
            if track.spec.measure == Measure::Latency {
                track.advance(cycle, self.terminals);
                track.sum += (cycle - packet.birth) as f64;
                track.count += 1;
            }
        }
    }

    fn on_birth(&mut self, packet: &Tag) {
        for track in &mut self.tracks {
            if track.spec.measure == Measure::Queue {
                track.advance(packet.birth, self.terminals);
                track.set(packet.birth, track.level + 1);
            }
        }
    }

    fn on_crossing(&mut self, crossing: &Crossing) {
        let (cycle, channel) = (crossing.cycle, crossing.channel);
        let is_injection = (self.channels..self.channels + self.terminals).contains(&channel);
        let is_ejection = channel >= self.channels + self.terminals;
        for track in &mut self.tracks {
            match &track.spec.measure {
                Measure::Accepted if is_ejection => {
                    track.advance(cycle, self.terminals);
                    track.count += 1;
                }
                Measure::Queue if is_injection && crossing.flit == 0 => {
                    track.advance(cycle, self.terminals);
                    track.set(cycle, track.level.saturating_sub(1));
                }
                Measure::Load(channels) => {
                    if let Ok(at) = channels.binary_search(&channel) {
                        track.advance(cycle, self.terminals);
                        track.flits[at] += 1;
                    }
                }
                Measure::Accepted | Measure::Latency | Measure::Queue => {}
            }
        }
    }
}

impl Track {
    fn new(spec: SeriesSpec) -> Track {
        let flits = match &spec.measure {
            Measure::Load(channels) => vec![0; channels.len()],
            Measure::Accepted | Measure::Latency | Measure::Queue => Vec::new(),
        };
        Track {
            spec,
            from: 0,
            sum: 0.0,
            count: 0,
            level: 0,
            since: 0,
            flits,
            cycles: Vec::new(),
            y: Vec::new(),
        }
    }

    /// From `cycle` on so many packets wait.
    fn set(&mut self, cycle: u64, level: u64) {
        self.hold(cycle);
        self.level = level;
    }

    /// Counts the packets that have waited since the last change.
    fn hold(&mut self, cycle: u64) {
        let held = cycle.saturating_sub(self.since);
        self.sum += self.level as f64 * held as f64;
        self.since = self.since.max(cycle);
    }

    /// Closes the windows that are over before `cycle`.
    fn advance(&mut self, cycle: u64, terminals: u32) {
        let window = self.spec.window.max(1);
        while cycle - self.from.min(cycle) >= window {
            let end = self.from + window;
            let value = match &self.spec.measure {
                Measure::Accepted => {
                    Some(self.count as f64 / (window as f64 * f64::from(terminals.max(1))))
                }
                Measure::Latency => (self.count > 0).then(|| self.sum / self.count as f64),
                Measure::Queue => {
                    self.hold(end);
                    Some(self.sum / window as f64)
                }
                Measure::Load(_) => {
                    let most = self.flits.iter().max().copied().unwrap_or(0);
                    Some(most as f64 / window as f64)
                }
            };
            if let Some(value) = value {
                self.cycles.push(self.from + window / 2);
                self.y.push(value);
            }
            self.flits.fill(0);
            (self.sum, self.count, self.from) = (0.0, 0, end);
        }
    }

    fn series(self) -> Series {
        let unit = match self.spec.measure {
            Measure::Accepted => "flits/cycle/terminal",
            Measure::Latency => "cycles",
            Measure::Queue => "packets",
            Measure::Load(_) => "flits/cycle",
        };
        Series {
            name: self.spec.name,
            unit,
            step: false,
            clock: Clock::Cycles,
            x: self.cycles,
            y: self.y,
        }
    }
}
