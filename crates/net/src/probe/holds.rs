//! What holds a port up, as probes ask after an instant.

use crate::hop::unit::NONE;
use crate::network::Network;
use crate::probe::Gate;

/// What a port is that sends nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Hold {
    /// Nothing holds it up.
    #[default]
    Nothing,
    /// Nothing waits, and some of what could come would have to wait for a resume or for credit.
    Stopped,
    /// Something waits, and nothing that waits may go before a resume or credit comes.
    Blocked,
}

/// One leg of a circuit, or the credit of one lane of a port.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LegState {
    /// The channel its units wait for.
    pub channel: u32,
    /// Flow; none of a lane.
    pub flow: Option<u32>,
    /// What of a port's frames is one lane; none of a circuit.
    pub gate: Option<Gate>,
    /// Class; 0 of a circuit.
    pub class: u8,
    /// Units that wait; 0 of a lane.
    pub waiting: u32,
    /// Credit of the sender, units; none without flow control.
    pub credit: Option<i64>,
}

impl Network {
    /// Legs of circuits, or classes with credit.
    pub fn legs(&self) -> u32 {
        self.legs.len() as u32
    }

    /// One of them.
    pub fn leg(&self, leg: u32) -> LegState {
        let sender = &self.legs[leg as usize].sender;
        let lane = self.classes.credits.lanes.get(leg as usize);
        LegState {
            channel: lane.map_or(sender.channel, |lane| lane.channel),
            flow: Some(sender.flow).filter(|flow| *flow != NONE),
            gate: lane.map(|_| self.gate_of_lane(leg)),
            class: lane.map_or(0, |lane| lane.class),
            waiting: sender.queue.len,
            credit: (sender.control != NONE).then(|| sender.credit.into()),
        }
    }

    /// What holds up a port with classes.
    pub fn hold(&self, channel: u32) -> Hold {
        let port = &self.channels[channel as usize];
        if port.ready_classes() != 0 {
            return Hold::Nothing;
        }
        let waits = |class| self.classes.queues[self.queue(channel, class)].frames > 0;
        if (0..self.classes()).any(waits) {
            return Hold::Blocked;
        }
        let has_stop = !self.classes.gates[channel as usize].destinations.is_empty();
        match port.held() {
            0 if !has_stop => Hold::Nothing,
            _ => Hold::Stopped,
        }
    }
}
