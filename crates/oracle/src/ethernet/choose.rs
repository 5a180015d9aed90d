//! What an idle channel sends: control first, then classes by the port's order.

use backwater_net::frames::probe::Gate;
use backwater_net::frames::spec::{Order, WatchdogAction};

use super::network::{Frame, Network, channel_spec};

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
    fn first(&self, channel: usize, class: usize) -> Option<usize> {
        if self.is_class_stopped(channel, class) && !self.forwards_in_spite(channel, class) {
            return None;
        }
        let mut waiting = self.queue(channel, class).waiting.iter();
        let place = waiting.position(|frame| !self.is_destination_stopped(channel, frame))?;
        (!self.lacks_credit(channel, class, place)).then_some(place)
    }
}

pub(super) fn choose(network: &mut Network, channel: usize) -> Choice {
    if !network.channels[channel].control.is_empty() {
        return Choice::Control;
    }
    let classes = 0..network.channels[channel].queues.len();
    let firsts: Vec<Option<usize>> = classes.map(|it| network.first(channel, it)).collect();
    if firsts.iter().all(|first| first.is_none()) {
        return Choice::Nothing;
    }
    let class = match channel_spec(&network.spec, channel).order {
        Order::StrictPriority => firsts.iter().rposition(|first| first.is_some()),
        Order::DeficitRoundRobin => Some(in_turn(network, channel, &firsts)),
    };
    match class.and_then(|class| Some((class, firsts[class]?))) {
        Some((class, place)) => Choice::Data { class, place },
        None => Choice::Nothing,
    }
}

/// The class that has the turn and the deficit. At least one class may send.
fn in_turn(network: &mut Network, channel: usize, firsts: &[Option<usize>]) -> usize {
    let classes = firsts.len();
    let covers = |network: &Network, class: usize| {
        let queue = network.queue(channel, class);
        firsts[class].is_some_and(|place| queue.deficit >= queue.waiting[place].bytes)
    };
    if let Some(class) = network.channels[channel].turn
        && covers(network, class)
    {
        return class;
    }
    loop {
        let class = match network.channels[channel].turn {
            Some(0) => classes - 1,
            None => classes - 1,
            Some(class) => class - 1,
        };
        network.channels[channel].turn = Some(class);
        let quantum = u64::from(network.queue_spec(channel, class).quantum_bytes);
        let queue = &mut network.channels[channel].queues[class];
        if queue.waiting.is_empty() {
            queue.deficit = 0;
        } else if firsts[class].is_some() {
            queue.deficit += quantum;
        }
        if covers(network, class) {
            return class;
        }
    }
}

/// A frame of the class has been taken: it is paid for.
pub(super) fn after_start(network: &mut Network, channel: usize, class: usize, bytes: u64) {
    if channel_spec(&network.spec, channel).order == Order::StrictPriority {
        return;
    }
    let queue = &mut network.channels[channel].queues[class];
    queue.deficit -= bytes;
    if queue.waiting.is_empty() {
        queue.deficit = 0;
    }
}
