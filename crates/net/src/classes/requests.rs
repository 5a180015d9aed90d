//! Who asks whom for stops: what congested queues want, and what each channel has been used to say.

use alloc::vec::Vec;

use backwater_kernel::Time;

use crate::hop::view::Gate;

/// What a channel has been used to ask for, and by how many.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    /// Gates with those that ask for them, sorted.
    pub gates: Vec<(Gate, u32)>,
    /// When which stops are said again, the next first.
    pub refreshes: Vec<(Time, Gate)>,
    pub stops: u64,
    pub resumes: u64,
    pub refreshed: u64,
}

impl Asked {
    /// One more asks. True for the first.
    pub fn add(&mut self, gate: Gate) -> bool {
        match self.gates.binary_search_by_key(&gate, |(gate, _)| *gate) {
            Ok(at) => {
                self.gates[at].1 += 1;
                false
            }
            Err(at) => {
                self.gates.insert(at, (gate, 1));
                true
            }
        }
    }

    /// One fewer asks. True for the last.
    pub fn remove(&mut self, gate: Gate) -> bool {
        let Ok(at) = self.gates.binary_search_by_key(&gate, |(gate, _)| *gate) else {
            return false;
        };
        self.gates[at].1 -= 1;
        if self.gates[at].1 > 0 {
            return false;
        }
        self.gates.remove(at);
        self.refreshes.retain(|(_, own)| *own != gate);
        true
    }
}

/// What a queue asks of whom: every gate at every neighbour.
#[derive(Clone, Debug, Default)]
pub(crate) struct Request {
    /// Channels to the neighbours, sorted.
    pub neighbours: Vec<u32>,
    /// When each of them was asked first.
    pub asked_at: Vec<Time>,
    /// Sorted.
    pub gates: Vec<Gate>,
    /// When each of them was asked for first.
    pub added_at: Vec<Time>,
    /// It stands since.
    pub since: Time,
    /// Random choice: the second draw was made.
    pub has_drawn_twice: bool,
    /// Neighbours were let go by a time-out: nobody is asked anew.
    pub is_given_up: bool,
}

/// Queues that ask, by channel and class: for their fill, and for what is blocked in them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Requests {
    pub congestion: Request,
    pub blocked: Option<Request>,
}
