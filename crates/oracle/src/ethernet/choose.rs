//! What an idle channel sends: control first, then classes by the port's order.

use backwater_kernel::Time;
use backwater_net::frames::probe::Gate;
use backwater_net::frames::spec::WatchdogAction;

use super::network::{Frame, Network};
use crate::service::Candidate;

pub(super) enum Choice {
    Nothing,
    Control,
    /// The frame at this place among those that wait.
    Data {
        class: usize,
        place: usize,
    },
}

impl Network {
    /// Is the whole class stopped (and no tripped watchdog sends all the same)?
    pub fn is_class_stopped(&self, channel: usize, class: usize) -> bool {
        let gates = &self.channels[channel].gates;
        gates.contains_key(&Gate::Port) || gates.contains_key(&Gate::Class(class as u8))
    }

    fn forwards_in_spite(&self, channel: usize, class: usize) -> bool {
        let watchdog = self.spec.nodes[self.tail(channel)].watchdog;
        let forwards = watchdog.is_some_and(|it| it.action == WatchdogAction::Forward);
        forwards && self.queue(channel, class).tripped.is_some()
    }

    pub fn is_destination_stopped(&self, channel: usize, frame: &Frame) -> bool {
        let gate = Gate::Destination(frame.class as u8, frame.destination as u32);
        self.channels[channel].gates.contains_key(&gate)
    }

    /// Place of the frame of a class that would go.
    pub fn first(&self, channel: usize, class: usize) -> Option<usize> {
        if self.is_class_stopped(channel, class) && !self.forwards_in_spite(channel, class) {
            return None;
        }
        if self.is_held_up(self.now.unwrap_or_default(), channel) {
            return None;
        }
        if self.is_sorted(channel, class) {
            return self.first_of_lanes(channel, class);
        }
        let mut waiting = self.queue(channel, class).waiting.iter();
        let place = waiting.position(|frame| !self.is_destination_stopped(channel, frame))?;
        let frame = &self.queue(channel, class).waiting[place];
        (!self.lacks_credit(channel, frame)).then_some(place)
    }
}

pub(super) fn choose(network: &mut Network, channel: usize, now: Time) -> Choice {
    let candidates = network.candidates(channel, now);
    if network.control_goes(channel, !candidates.is_empty()) {
        return Choice::Control;
    }
    let chosen = match &mut network.channels[channel].port {
        // The highest class is the first leg.
        None => candidates.first(),
        Some(port) => {
            let ready: Vec<Candidate> = candidates.iter().map(|(one, _)| *one).collect();
            let leg = port.choose(&ready, now);
            candidates.iter().find(|(one, _)| Some(one.leg) == leg)
        }
    };
    let last = network.channels[channel].queues.len() - 1;
    match chosen {
        Some((one, place)) => Choice::Data {
            class: last - one.leg,
            place: *place,
        },
        None => Choice::Nothing,
    }
}
