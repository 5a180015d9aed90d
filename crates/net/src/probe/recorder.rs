//! Time series: what a scenario asks to see.

use alloc::vec;
use alloc::vec::Vec;

use backwater_kernel::series::{Series, Thinned, most_points};
use backwater_kernel::{Rate, Time};

use super::{Crossing, ForwardCell, Frame, Gate, Probe, RateInterval, UnitKind};
use crate::network::Network;
use crate::spec::{Measure, SeriesSpec, Subject};

mod begin;
mod divided;
mod points;
mod stops;
#[cfg(test)]
mod tests;
mod track;

use stops::Stops;
use track::Track;

/// Records the series of a scenario. Queues of frames that a watchdog empties are seen to be empty
/// when their next frame joins.
#[derive(Clone, Default)]
pub struct Recorder {
    tracks: Vec<Track>,
    /// Tracks that listen to each leg, channel, node and flow, by index.
    legs: Vec<Vec<u32>>,
    channels: Vec<Vec<u32>>,
    nodes: Vec<Vec<u32>>,
    flows: Vec<Vec<u32>>,
    /// Tracks of what is asked of the network after each instant.
    asked: Vec<u32>,
}

/// What a track listens to.
#[derive(Clone, Copy)]
enum On {
    Leg(u32),
    Channel(u32),
    Node(u32),
    Flow(u32),
}

/// The queue of a class among all of them.
fn queue_key(channel: u32, class: u8) -> u32 {
    8 * channel + u32::from(class)
}

impl Recorder {
    /// A recorder of `series`, of whatever network it looks at.
    pub fn new(series: &[SeriesSpec]) -> Recorder {
        let most = most_points(series.len());
        Recorder {
            tracks: series.iter().map(|one| Track::new(one, most)).collect(),
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

    /// The tracks of a measure that listen there hear of it.
    #[inline]
    fn tell(&mut self, on: On, measure: Measure, mut what: impl FnMut(&mut Track)) {
        let listening = match on {
            On::Leg(leg) => &self.legs[leg as usize],
            On::Channel(channel) => &self.channels[channel as usize],
            On::Node(node) => &self.nodes[node as usize],
            On::Flow(flow) => &self.flows[flow as usize],
        };
        for &id in listening {
            let track = &mut self.tracks[id as usize];
            if track.spec.measure == measure {
                what(track);
            }
        }
    }

    fn level(&mut self, at: Time, leg: u32, measure: Measure, value: i64) {
        self.tell(On::Leg(leg), measure, |track| {
            track.set_part(at, leg, value)
        });
    }

    /// The queue of a leg, or its credit, has changed.
    fn stops(&mut self, at: Time, leg: u32, change: impl Fn(&mut Stops) -> f64) {
        self.tell(On::Leg(leg), Measure::Stopped, |track| {
            let is_stopped = change(&mut track.stops);
            if track.level() != Some(is_stopped) {
                track.set(at, is_stopped);
            }
        });
    }

    fn share(&mut self, crossing: &Crossing, measure: Measure) {
        self.tell(On::Channel(crossing.channel), measure, |track| {
            let flow = track.spec.of.flow();
            if flow.is_none_or(|flow| flow == crossing.flow) {
                track.add_busy(crossing.at, crossing.bytes);
            }
        });
    }

    fn port(&mut self, at: Time, channel: u32, measure: Measure, value: f64) {
        self.tell(On::Channel(channel), measure, |track| track.set(at, value));
    }

    fn rate(&mut self, at: Time, flow: u32, measure: Measure, rate: Rate) {
        self.tell(On::Flow(flow), measure, |track| {
            track.set(at, rate.0 as f64)
        });
    }

    /// The queue of a class holds so much.
    #[inline]
    fn queue(&mut self, at: Time, channel: u32, class: u8, bytes: u64) {
        let key = queue_key(channel, class);
        for &id in &self.channels[channel as usize] {
            let track = &mut self.tracks[id as usize];
            if let Measure::Queue | Measure::Stored = track.spec.measure {
                track.set_part(at, key, bytes as i64);
            }
        }
    }
}

impl Probe for Recorder {
    fn on_begin(&mut self, network: &Network) {
        let empty = |count: usize| vec![Vec::new(); count];
        self.legs = empty(network.legs.len());
        self.channels = empty(network.channels.len());
        self.nodes = empty(network.nodes.len());
        self.flows = empty(network.flows.len().max(network.classes.flows.len()));
        for id in 0..self.tracks.len() {
            self.begin(id as u32, network);
        }
    }

    fn on_start(&mut self, crossing: Crossing) {
        self.share(&crossing, Measure::Rate);
        if crossing.kind == UnitKind::Data {
            self.share(&crossing, Measure::Throughput);
            self.tell(On::Leg(crossing.leg), Measure::Forwarded, |track| {
                track.count(crossing.at);
            });
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
        self.rate(at, flow, Measure::AllowedRate, acr);
    }

    fn on_forward(&mut self, at: Time, flow: u32, cell: ForwardCell) {
        if let Some(source_rate) = cell.source_rate {
            self.rate(at, flow, Measure::SourceRate, source_rate);
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

    fn on_stored(&mut self, at: Time, node: u32, stored: u64) {
        self.tell(On::Node(node), Measure::Stored, |track| {
            track.set(at, stored as f64);
        });
    }

    fn on_wait(&mut self, at: Time, leg: u32, arrived: Time) {
        let wait = at.since(arrived).ps() as f64;
        self.tell(On::Leg(leg), Measure::Wait, |track| track.sample(at, wait));
    }

    fn on_delivered(&mut self, at: Time, leg: u32, born: Time, _bytes: u32) {
        let delay = at.since(born).ps() as f64;
        self.tell(On::Leg(leg), Measure::Delay, |track| {
            track.sample(at, delay)
        });
    }

    fn on_frame_joined(&mut self, at: Time, channel: u32, frame: &Frame<'_>, queue_bytes: u64) {
        self.queue(at, channel, frame.class, queue_bytes);
    }

    fn on_frame_sent(&mut self, at: Time, channel: u32, class: u8, queue_bytes: u64) {
        self.queue(at, channel, class, queue_bytes);
    }

    fn on_frame_start(&mut self, at: Time, channel: u32, frame: &Frame<'_>) {
        for &id in &self.channels[channel as usize] {
            let track = &mut self.tracks[id as usize];
            match track.spec.measure {
                Measure::Rate => track.add(at, f64::from(frame.bytes) * 8.0),
                Measure::Stops if frame.view().stops() => track.add(at, 1.0),
                Measure::Marks if frame.is_marked => track.add(at, 1.0),
                _ => {}
            }
        }
    }

    fn on_payload(&mut self, at: Time, flow: u32, is_forward: bool, bytes: u64) {
        if is_forward {
            // What comes at the border of two windows counts in the one that ends.
            let at = Time(at.ps().saturating_sub(1));
            self.tell(On::Flow(flow), Measure::Goodput, |track| {
                track.add(at, bytes as f64 * 8.0);
            });
        }
    }

    fn on_gate(&mut self, at: Time, channel: u32, gate: Gate, is_stopped: bool) {
        self.tell(On::Channel(channel), Measure::Stopped, |track| {
            track.gate(at, gate, is_stopped);
        });
    }

    fn after_instant(&mut self, at: Time, network: &Network) {
        for &id in &self.asked {
            let track = &mut self.tracks[id as usize];
            let bytes = match (track.spec.measure, track.spec.of) {
                (Measure::Window, Subject::Flow(flow)) => network.window_bytes(flow),
                (Measure::Input, Subject::Class { channel, class }) => {
                    network.input_bytes(channel, class)
                }
                (Measure::Headroom, Subject::Class { channel, class }) => {
                    network.headroom_bytes(channel, class)
                }
                _ => continue,
            } as f64;
            if track.level() != Some(bytes) {
                track.set(at, bytes);
            }
        }
    }
}
