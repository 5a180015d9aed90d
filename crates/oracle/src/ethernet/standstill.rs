//! Who waits for whom, looked for in the slowest and most obvious way: all pairs, then everybody
//! that everybody can reach.

use std::collections::BTreeSet;

use backwater_kernel::Time;
use backwater_net::frames::probe::Gate;
use backwater_net::frames::spec::{NodeKind, WatchdogAction};
use backwater_net::outcome::{Reason, StuckQueue, Wait, WaitPlace};

use super::network::{Frame, Network, Point, channel_spec};

/// Queues that can't move, at the first look that finds it so.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Standstill {
    /// When it was found.
    pub found_at: Time,
    /// Frames of data have started since the last look.
    pub others_move: bool,
    /// All that have been stopped for so long.
    pub stuck: Vec<Wait>,
    /// Whom each of them waits for, by index.
    pub waits_for: Vec<BTreeSet<usize>>,
    /// Those that wait, in the end, for themselves.
    pub on_circles: BTreeSet<usize>,
}

/// What waits, and its lane, if that has credit of its own.
type Held = (Wait, Option<(usize, usize)>);

impl Network {
    /// Looks happen every `stall_after` where anybody can stop anybody.
    pub fn next_look(&self) -> Option<Time> {
        let mut nodes = self.spec.nodes.iter();
        let may_stop = nodes.any(|node| match &node.kind {
            NodeKind::Station { storm } => storm.is_some(),
            NodeKind::Switch(switch) => switch.stops.all().next().is_some(),
        });
        let may_stop = may_stop || !self.loops.is_empty();
        may_stop.then(|| self.last_look + self.spec.rules.stall_after)
    }

    pub fn look_for_standstill(&mut self, now: Time) {
        if self.next_look() != Some(now) {
            return;
        }
        let started = self.starts.iter().filter(|it| it.control.is_none()).count();
        let others_move = started != self.started_before;
        (self.last_look, self.started_before) = (now, started);
        let mut stuck = self.stopped();
        stuck.retain(|(wait, _)| {
            wait.since
                .is_some_and(|at| at + self.spec.rules.stall_after <= now)
        });
        let waits_for: Vec<BTreeSet<usize>> = stuck
            .iter()
            .map(|wait| {
                let all = 0..stuck.len();
                all.filter(|at| self.waits(wait, &stuck[*at])).collect()
            })
            .collect();
        let stuck: Vec<Wait> = stuck.into_iter().map(|(wait, _)| wait).collect();
        let all = 0..stuck.len();
        let on_circles: BTreeSet<usize> = all
            .filter(|at| reached(&waits_for, *at).contains(at))
            .collect();
        let is_final = !stuck.is_empty() && !others_move && !self.may_let_go();
        if !on_circles.is_empty() || is_final {
            self.standstill = Some(Standstill {
                found_at: now,
                others_move,
                stuck,
                waits_for,
                on_circles,
            });
        }
    }

    /// All frames that wait under a stop, by channel and class, or by destination, or for want of
    /// credit of the lane that is told beside them.
    fn stopped(&self) -> Vec<Held> {
        let mut all = Vec::new();
        for channel in 0..self.channels.len() {
            for class in 0..self.channels[channel].queues.len() {
                let since = self.class_stopped_since(channel, class);
                let waiting = &self.queue(channel, class).waiting;
                let Some(since) = since else {
                    let to: BTreeSet<usize> = waiting.iter().map(|it| it.destination).collect();
                    for station in to {
                        let gate = Gate::Destination(class as u8, station as u32);
                        let own = waiting.iter().filter(|it| it.destination == station);
                        if let Some(since) = self.channels[channel].closed.get(&gate) {
                            all.push((wait(channel, class, Some(station), *since, own), None));
                        }
                    }
                    all.extend(self.short_lanes(channel, class));
                    continue;
                };
                if !waiting.is_empty() {
                    all.push((wait(channel, class, None, since, waiting.iter()), None));
                }
            }
        }
        all
    }

    /// Lanes of a class, that lack credit of their own.
    fn short_lanes(&self, channel: usize, class: usize) -> Vec<Held> {
        let mut held = Vec::new();
        for (place, gate) in self.lanes[channel].iter().enumerate() {
            let (station, number) = match *gate {
                Some(Gate::Destination(_, station)) => (Some(station), None),
                Some(Gate::Flow(_, way)) => {
                    let flow = &self.spec.flows[way as usize / 2];
                    let to = if way % 2 == 0 {
                        flow.address(way / 2)
                    } else {
                        flow.source
                    };
                    (Some(to), None)
                }
                Some(Gate::Lane(_, number)) => (None, Some(number)),
                _ => continue,
            };
            let at = (channel, place);
            let is_own = |frame: &&Frame| self.lane(channel, frame) == Some(at);
            let frames = self.queue(channel, class).waiting.iter().filter(is_own);
            let is_of_class = gate.and_then(Gate::class) == Some(class as u8);
            if let Some(since) = self.lane_short_since(at).filter(|_| is_of_class) {
                let mut short = wait(channel, class, station.map(|to| to as usize), since, frames);
                if let WaitPlace::Queue(queue) = &mut short.place {
                    queue.lane = number;
                }
                held.push((short, Some(at)));
            }
        }
        held
    }

    /// Since when a class is stopped as a whole, unless a watchdog sends in spite of that.
    fn class_stopped_since(&self, channel: usize, class: usize) -> Option<Time> {
        let watchdog = self.spec.nodes[self.tail(channel)].watchdog;
        let forwards = watchdog.is_some_and(|it| it.action == WatchdogAction::Forward);
        if forwards && self.queue(channel, class).tripped.is_some() {
            return None;
        }
        let closed = &self.channels[channel].closed;
        let gates = [Gate::Port, Gate::Class(class as u8)];
        let stopped = gates.iter().filter_map(|gate| closed.get(gate)).min();
        stopped
            .copied()
            .or_else(|| self.short_since(channel, class))
    }

    /// Is `other` a queue for whose sake `wait` is stopped?
    fn waits(&self, (wait, own): &Held, (other, lane): &Held) -> bool {
        let (wait, other) = (queue(wait), queue(other));
        let (channel, behind) = (wait.channel as usize, other.channel as usize);
        let node = self.head(channel);
        if self.tail(behind) != node {
            return false;
        }
        let class = usize::from(other.class);
        let credits = &channel_spec(&self.spec, channel).credits;
        let credit = credits.get(usize::from(wait.class)).copied().flatten();
        if credit.is_some() {
            let is_of = |at: &Option<(usize, usize)>, channel: usize, frame: &Frame| {
                at.is_none() || self.lane(channel, frame) == *at
            };
            let mut waiting = self.queue(behind, class).waiting.iter();
            return other.class == wait.class
                && waiting.any(|frame| {
                    let came = frame.came_over == Some(channel) && is_of(own, channel, frame);
                    came && is_of(lane, behind, frame)
                });
        }
        if self.stops_of_input(channel).is_some() {
            let is_port = self.channels[channel].closed.contains_key(&Gate::Port);
            let mut waiting = self.queue(behind, class).waiting.iter();
            let holds = waiting.any(|frame| frame.came_over == Some(channel));
            return holds && (is_port || other.class == wait.class);
        }
        if self.stops_of_outputs(node).is_none() {
            return false;
        }
        let points = [Point::Output(behind, class), Point::Blocked(behind, class)];
        let asked = points.iter().filter_map(|point| self.congested.get(point));
        let mut gates = asked.flat_map(|it| it.asked.keys());
        gates.any(|(neighbour, gate)| {
            let is_meant = match *gate {
                Gate::Port => true,
                Gate::Class(stopped) => stopped == wait.class,
                Gate::Destination(stopped, station) => {
                    stopped == wait.class && wait.destination == Some(station)
                }
                Gate::Flow(..) | Gate::Lane(..) => false,
            };
            *neighbour == channel ^ 1 && is_meant
        })
    }

    /// Can a stop end although nothing moves?
    fn may_let_go(&self) -> bool {
        if self.loops.values().any(|own| own.is_repeated()) || self.pace_changes() {
            return true;
        }
        self.spec.nodes.iter().any(|node| {
            let ends = match &node.kind {
                NodeKind::Station { storm } => storm.is_some_and(|it| it.until < self.spec.stop_at),
                NodeKind::Switch(switch) => {
                    let inputs = switch.stops.own.iter().filter_map(|input| input.rules);
                    let mut all = switch.stops.common.into_iter().chain(inputs);
                    all.any(|it| it.time_out.is_some())
                }
            };
            ends || node.watchdog.is_some()
        })
    }
}

fn wait<'a>(
    channel: usize,
    class: usize,
    station: Option<usize>,
    since: Time,
    frames: impl Iterator<Item = &'a Frame> + Clone,
) -> Wait {
    Wait {
        flow: frames.clone().next().map_or(0, |frame| frame.flow as u32),
        place: WaitPlace::Queue(StuckQueue {
            channel: channel as u32,
            class: class as u8,
            destination: station.map(|station| station as u32),
            lane: None,
            bytes: frames.clone().map(|frame| frame.bytes).sum(),
        }),
        units: frames.count() as u64,
        since: Some(since),
        reason: Reason::Shut,
    }
}

fn queue(wait: &Wait) -> StuckQueue {
    wait.queue().expect("of a class")
}

/// Everybody that `from` waits for, and whom those wait for, and so on.
fn reached(waits_for: &[BTreeSet<usize>], from: usize) -> BTreeSet<usize> {
    let mut found = waits_for[from].clone();
    loop {
        let next: BTreeSet<usize> = found.iter().flat_map(|at| waits_for[*at].clone()).collect();
        if next.is_subset(&found) {
            return found;
        }
        found.extend(next);
    }
}
