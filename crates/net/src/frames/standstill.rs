//! Who waits for whom: queues that can't move, found while running.
//!
//! A queue (or, where it is sorted, the frames of one lane) is *stuck* if frames
//! have waited under a stop, or for want of credit, without a break for `stall_after`. It waits for
//! the queues at the next node for whose sake it was stopped: congested output queues that asked,
//! or, with detection at inputs and with credit, those that hold what came over this lane. Stuck
//! queues that wait for each other in a circle never move again.

use alloc::vec;
use alloc::vec::Vec;

use backwater_kernel::{EventQueue, Time};

use crate::classes::lanes::Lane;
use crate::classes::stuck::{Look, Stuck};
use crate::hop::timer::Timer;
use crate::hop::unit::NONE;
use crate::hop::wire::Channel;
use crate::network::Network;
use crate::outcome::{Standstill, StuckQueue};
use crate::probe::Probe;
use crate::simulation::Simulation;

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// Looks now and then whether anything is stuck for good.
    pub(crate) fn look_for_standstill(&mut self) {
        let next = self.later(self.by_class.stall_after);
        self.events.push(Timer::Standstill.at(next, 0));
        let longest = self.now.0.saturating_sub(self.by_class.stall_after.0);
        let look = Look {
            stuck: self.network.stuck(Time(longest)),
            data_hops: self.unit_hops - self.by_class.control_hops,
        };
        if let Some(border) = &mut self.border {
            // The conductor joins what all parts see, and counts the event.
            border.look = Some(look);
            self.events_handled -= 1;
            return;
        }
        let before = self.by_class.data_hops_before;
        self.by_class.data_hops_before = look.data_hops;
        let found = self.network.judge(&look, before, (self.now, self.stop_at));
        if found.is_some() {
            self.rest_all(self.now);
            self.by_class.standstill = found;
            self.asked.enough = 0;
        }
    }
}

impl Network {
    /// Is something stuck for good, with so many data frames started when that was asked last?
    /// Asks for nothing of the network that changes while it runs.
    pub(crate) fn judge(
        &self,
        look: &Look,
        data_hops_before: u64,
        (now, stop_at): (Time, Time),
    ) -> Option<Standstill> {
        let stuck = &look.stuck;
        let others_move = look.data_hops != data_hops_before;
        let waits_for: Vec<Vec<usize>> =
            stuck.iter().map(|one| self.waits_for(one, stuck)).collect();
        let circle = circle(&waits_for);
        let is_circle = circle.is_some();
        let held = match circle {
            Some(circle) => circle,
            None if !stuck.is_empty() && !others_move && !self.may_let_go(now, stop_at) => {
                chain(&waits_for)
            }
            None => return None,
        };
        let held = || held.iter().map(|at| &stuck[*at]);
        Some(Standstill {
            since: held().map(|one| one.since).max().unwrap_or_default(),
            found_at: now,
            is_circle,
            others_move,
            waits: held().map(Stuck::told).collect(),
        })
    }
}

impl Network {
    /// Queues stopped without a break since `longest` or before.
    fn stuck(&self, longest: Time) -> Vec<Stuck> {
        let mut stuck = Vec::new();
        for (id, channel) in (0..).zip(&self.channels) {
            let gates = &self.classes.gates[id as usize];
            let mut classes = 0..self.classes.count as u8;
            let is_shut =
                channel.is(Channel::CREDITS) && classes.any(|class| self.is_shut(id, class));
            if gates.stopped_classes() == 0 && gates.destinations.is_empty() && !is_shut {
                continue;
            }
            for class in 0..self.classes.count as u8 {
                let of_class = &gates.class_gate(class).stop;
                let stops = [&gates.port, of_class]
                    .into_iter()
                    .filter(|stop| stop.is_on);
                let since = stops.map(|stop| stop.since).min();
                let since = since.filter(|_| channel.stopped() & 1 << class != 0);
                match since.or_else(|| self.shut_since(id, class)) {
                    Some(since) => self.add_class(id, class, since, &mut stuck),
                    None => self.add_lanes(id, class, &mut stuck),
                }
            }
        }
        stuck.retain(|wait| wait.since <= longest);
        stuck
    }

    /// Since when the class has lacked credit, if it does.
    fn shut_since(&self, channel: u32, class: u8) -> Option<Time> {
        let is_shut = self.channels[channel as usize].shut() & 1 << class != 0;
        let leg = self.credit_leg(channel, class).filter(|_| is_shut)?;
        Some(self.classes.credits.lanes[leg as usize].shut_since)
    }

    fn add_class(&self, channel: u32, class: u8, since: Time, stuck: &mut Vec<Stuck>) {
        let waiting = self.waiting(channel, class);
        let Some((first, _)) = waiting.first() else {
            return;
        };
        let bytes = |(id, _): &(u32, _)| u64::from(self.units.get(*id).bytes);
        let queue = StuckQueue {
            channel,
            class,
            destination: None,
            lane: None,
            bytes: waiting.iter().map(bytes).sum(),
        };
        let first_flow = self.units.get(*first).flow();
        stuck.push(self.seen(queue, (waiting.len() as u64, first_flow), since));
    }

    fn add_lanes(&self, channel: u32, class: u8, stuck: &mut Vec<Stuck>) {
        let at = self.queue(channel, class);
        let Some(lanes) = self.classes.sorted(at) else {
            return;
        };
        let waiting = (0..).zip(&lanes.lanes);
        for (place, lane) in waiting.filter(|(_, lane)| lane.chain.len > 0) {
            let number = lanes.first.wrapping_add(place);
            let Some(since) = self.lane_held_since((channel, class), lane, number) else {
                continue;
            };
            let queue = StuckQueue {
                channel,
                class,
                destination: (!lanes.is_shared()).then_some(lane.destination),
                lane: lanes.is_shared().then_some(lane.owner),
                bytes: lane.bytes,
            };
            let first_flow = self.units.get(lane.chain.first()).flow();
            let frames = u64::from(lane.chain.len);
            let mut own = self.seen(queue, (frames, first_flow), since);
            if lanes.has_credit() {
                own.lane = number;
                own.accounts = self.accounts(lane.chain.places(&self.units));
            }
            stuck.push(own);
        }
    }

    /// Since when a lane has been stopped, or without credit, if it has.
    fn lane_held_since(
        &self,
        (channel, class): (u32, u8),
        lane: &Lane,
        number: u32,
    ) -> Option<Time> {
        let gates = &self.classes.gates[channel as usize];
        if lane.is(Lane::STOPPED) {
            let at = gates.find(class, lane.destination).ok()?;
            return Some(gates.destinations[at].2.since);
        }
        let leg = self.classes.credits.leg(number as usize);
        let leg = leg.filter(|_| lane.is(Lane::SHUT))?;
        Some(self.classes.credits.lanes[leg as usize].shut_since)
    }

    /// The accounts that hold some frames, sorted.
    fn accounts(&self, frames: impl Iterator<Item = u32>) -> Vec<u32> {
        let mut accounts: Vec<u32> = frames
            .map(|id| self.account_of(self.units.get(id)))
            .filter(|account| *account != NONE)
            .collect();
        accounts.sort_unstable();
        accounts.dedup();
        accounts
    }

    /// A stuck queue with so many frames, the first of this flow.
    fn seen(&self, queue: StuckQueue, (frames, first_flow): (u64, u32), since: Time) -> Stuck {
        let waiting = self.waiting(queue.channel, queue.class);
        let mut inputs: Vec<u32> = waiting
            .iter()
            .map(|(id, _)| self.input_of(self.units.get(*id)))
            .filter(|input| *input != NONE)
            .collect();
        inputs.sort_unstable();
        inputs.dedup();
        Stuck {
            queue,
            frames,
            first_flow,
            since,
            is_port: self.classes.gates[queue.channel as usize].port.is_on,
            requests: self.classes.requests[self.queue(queue.channel, queue.class)].clone(),
            inputs,
            lane: self.queue(queue.channel, queue.class) as u32,
            accounts: self.accounts(waiting.iter().map(|(id, _)| *id)),
        }
    }

    /// The stuck queues, by index, that a stuck queue waits for.
    fn waits_for(&self, wait: &Stuck, stuck: &[Stuck]) -> Vec<usize> {
        let queue = &wait.queue;
        let node_id = self.channels[queue.channel as usize].to;
        let node = &self.classes.nodes[node_id as usize];
        let is_by_input = node.stops.at_input(queue.channel).is_some()
            || self.has_credit(queue.channel, queue.class);
        let asks = |other: &Stuck| match is_by_input {
            true => other.holds_from(wait),
            false => node.stops.at_outputs().is_some() && other.asks(queue),
        };
        let others = stuck.iter().enumerate();
        let behind = others.filter(|(_, other)| {
            self.channels[other.queue.channel as usize].from == node_id && asks(other)
        });
        behind.map(|(at, _)| at).collect()
    }

    /// Can a stop still end without anything moving?
    fn may_let_go(&self, now: Time, stop_at: Time) -> bool {
        let repeats = self.settings.iter().any(|own| own.is_repeated);
        let slow = &self.classes.drains;
        repeats
            || slow.iter().any(|own| own.changes(now, stop_at))
            || self.classes.nodes.iter().any(|node| {
                node.watchdog.is_some()
                    || node.storm.is_some_and(|storm| storm.until < stop_at)
                    || node.stops.all().any(|rules| rules.time_out.is_some())
            })
    }
}

/// A circle among those who wait, from its least member on.
fn circle(waits_for: &[Vec<usize>]) -> Option<Vec<usize>> {
    // 0: not seen, 1: on the way, 2: done.
    let mut state = vec![0_u8; waits_for.len()];
    for start in 0..waits_for.len() {
        let mut way: Vec<(usize, usize)> = Vec::new();
        if state[start] == 0 {
            way.push((start, 0));
            state[start] = 1;
        }
        while let Some((at, next)) = way.last_mut() {
            let Some(&to) = waits_for[*at].get(*next) else {
                state[*at] = 2;
                way.pop();
                continue;
            };
            *next += 1;
            match state[to] {
                0 => {
                    state[to] = 1;
                    way.push((to, 0));
                }
                1 => {
                    let members = way.iter().map(|(at, _)| *at).skip_while(|at| *at != to);
                    let mut found: Vec<usize> = members.collect();
                    let least = (0..found.len()).min_by_key(|at| found[*at]).unwrap_or(0);
                    found.rotate_left(least);
                    return Some(found);
                }
                _ => {}
            }
        }
    }
    None
}

/// The longest way found from the first that waits: without circles it ends.
fn chain(waits_for: &[Vec<usize>]) -> Vec<usize> {
    let mut longest = Vec::new();
    for start in 0..waits_for.len() {
        let mut way = vec![start];
        while let Some(next) = way.last().and_then(|at| waits_for[*at].first()) {
            way.push(*next);
        }
        if way.len() > longest.len() {
            longest = way;
        }
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwater_kernel::Duration;

    use crate::frames::testing::{OUT, Run, join, network, spec};
    use crate::probe::Gate;
    use crate::spec::frames::{Choose, Detect, NodeKind, Select, WatchdogAction, WatchdogSpec};

    /// Where something has been stopped long enough at an instant: class, destination, since when.
    fn stuck(run: &Run, longest: u64) -> Vec<(u8, Option<u32>, u64)> {
        let stuck = run.network.stuck(Time(longest)).into_iter();
        stuck
            .map(|one| (one.queue.class, one.queue.destination, one.since.0))
            .collect()
    }

    fn seen(run: &Run, channel: u32, class: u8) -> Stuck {
        let queue = StuckQueue {
            channel,
            class,
            destination: None,
            lane: None,
            bytes: 64,
        };
        run.network.seen(queue, (1, 0), Time::ZERO)
    }

    fn stop(run: &mut Run, now: u64, gate: Gate) {
        run.now = Time(now);
        run.set_gate(OUT, gate, true, Time::MAX);
    }

    #[test]
    fn a_class_is_stuck_since_the_first_stop_that_covers_it() {
        let mut run = network(None);
        stop(&mut run, 10, Gate::Class(1));
        stop(&mut run, 30, Gate::Port);
        assert_eq!(stuck(&run, 100), [], "nothing waits");
        join(&mut run, 0, 600);
        join(&mut run, 1, 700);
        join(&mut run, 1, 100);
        assert_eq!(stuck(&run, 9), []);
        assert_eq!(stuck(&run, 10), [(1, None, 10)]);
        assert_eq!(stuck(&run, 30), [(0, None, 30), (1, None, 10)]);
        let waits = run.network.stuck(Time(30));
        assert_eq!((waits[1].frames, waits[1].queue.bytes), (2, 800));
        // A stop that ends leaves the class that the other covers.
        run.set_gate(OUT, Gate::Port, false, Time::MAX);
        assert_eq!(stuck(&run, 100), [(1, None, 10)]);
    }

    /// A watchdog that forwards lets a class pass in spite of its stop.
    #[test]
    fn a_class_that_its_watchdog_forwards_is_not_stuck() {
        let mut run = network(Some(WatchdogSpec {
            detect: Duration(1_000),
            restore: Duration(1_000),
            action: WatchdogAction::Forward,
        }));
        stop(&mut run, 10, Gate::Class(1));
        join(&mut run, 1, 700);
        assert_eq!(stuck(&run, 100), [(1, None, 10)]);
        run.network.channels[OUT as usize].tripped = 1 << 1;
        run.renew_stops(OUT);
        assert_eq!(stuck(&run, 100), []);
    }

    #[test]
    fn a_single_frame_to_a_stopped_station_is_stuck() {
        let mut spec = spec(None);
        if let NodeKind::Switch(switch) = &mut spec.nodes[1].kind
            && let Some(rules) = &mut switch.stops.common
        {
            rules.select = Select::Destination(Choose::AllFound);
        }
        let mut run: Run = Simulation::new(&spec).expect("a sound network");
        stop(&mut run, 20, Gate::Destination(1, 2));
        assert_eq!(stuck(&run, 100), [], "nothing waits");
        join(&mut run, 0, 600);
        join(&mut run, 1, 700);
        assert_eq!(stuck(&run, 19), []);
        assert_eq!(stuck(&run, 20), [(1, Some(2), 20)]);
    }

    /// Whether what waits at a queue towards the switch waits for one of the switch's queues.
    #[test]
    fn a_queue_waits_for_those_that_hold_what_came_over_its_channel() {
        let mut spec = spec(None);
        if let NodeKind::Switch(switch) = &mut spec.nodes[1].kind
            && let Some(rules) = &mut switch.stops.common
        {
            rules.detect = Detect::Inputs;
        }
        let mut run: Run = Simulation::new(&spec).expect("a sound network");
        join(&mut run, 1, 700);
        let wait = |channel, class| seen(&run, channel, class);
        // What waits there came over channel 0, in class 1.
        assert!(wait(OUT, 1).holds_from(&wait(0, 1)));
        assert!(!wait(OUT, 0).holds_from(&wait(0, 1)));
        assert!(!wait(OUT, 1).holds_from(&wait(0, 0)));
        assert!(!wait(OUT, 1).holds_from(&wait(3, 1)));
        // Of queues, those of the node behind the channel.
        let stuck = [wait(0, 1), wait(OUT, 1), wait(OUT, 0)];
        assert_eq!(run.network.waits_for(&stuck[0], &stuck), [1]);
        assert_eq!(run.network.waits_for(&stuck[1], &stuck), []);
        // A port that is stopped as a whole waits for any class.
        run.set_gate(0, Gate::Port, true, Time::MAX);
        assert!(seen(&run, OUT, 1).holds_from(&seen(&run, 0, 0)));
    }

    #[test]
    fn a_queue_waits_for_those_that_asked_it_to_stop() {
        let mut run = network(None);
        for _ in 0..4 {
            join(&mut run, 1, 700);
            let id = run.network.waiting(OUT, 1)[0].0;
            run.detect_at_queue(0, OUT, 1, id);
        }
        let wait = |channel, class| seen(&run, channel, class);
        assert!(wait(OUT, 1).asks(&wait(0, 1).queue));
        assert!(!wait(OUT, 1).asks(&wait(0, 0).queue));
        assert!(!wait(OUT, 0).asks(&wait(0, 1).queue));
        // Its own neighbour was not asked.
        assert!(!wait(OUT, 1).asks(&wait(3, 1).queue));
    }

    #[test]
    fn a_circle_is_found_behind_a_chain() {
        let waits_for = [vec![1], vec![3], vec![], vec![4, 2], vec![1]];
        assert_eq!(circle(&waits_for), Some(vec![1, 3, 4]));
    }

    #[test]
    fn without_a_circle_there_is_a_chain() {
        let waits_for = [vec![2], vec![2], vec![3], vec![]];
        assert_eq!(circle(&waits_for), None);
        assert_eq!(chain(&waits_for), vec![0, 2, 3]);
    }
}
