//! Queues that are stopped, as they are seen when somebody looks for what is stuck for good.

use alloc::vec::Vec;

use backwater_kernel::Time;

use crate::classes::requests::Requests;
use crate::outcome::{Reason, StuckQueue, Wait, WaitPlace};

/// A queue that is stopped, what waits in it, and what tells whether others wait for it.
pub(crate) struct Stuck {
    pub queue: StuckQueue,
    pub frames: u64,
    pub first_flow: u32,
    pub since: Time,
    /// The whole channel is stopped.
    pub is_port: bool,
    /// What it asks of its neighbours.
    pub requests: Requests,
    /// Channels over which came what waits there, not stopped frames included; sorted.
    pub inputs: Vec<u32>,
    /// The lane that it is, by number,
    pub lane: u32,
    /// and the accounts that hold what waits there; sorted.
    pub accounts: Vec<u32>,
}

/// What was seen when somebody looked for what is stuck.
pub(crate) struct Look {
    pub stuck: Vec<Stuck>,
    /// Data frames that had started.
    pub data_hops: u64,
}

impl Stuck {
    pub fn told(&self) -> Wait {
        Wait {
            flow: self.first_flow,
            place: WaitPlace::Queue(self.queue),
            units: self.frames,
            since: Some(self.since),
            reason: Reason::Shut,
        }
    }
}

impl Look {
    /// What all parts of a run saw at one instant, as if there was one, and the data frames that
    /// had started.
    pub fn join(looks: impl Iterator<Item = Look>) -> (Look, u64) {
        let mut all = Look {
            stuck: Vec::new(),
            data_hops: 0,
        };
        for mut look in looks {
            all.stuck.append(&mut look.stuck);
            all.data_hops += look.data_hops;
        }
        // A channel is seen by the part that sends on it.
        all.stuck.sort_by_key(|one| one.queue.channel);
        let data_hops = all.data_hops;
        (all, data_hops)
    }
}

impl Stuck {
    /// Has it asked for the stop of `wait`?
    pub fn asks(&self, wait: &StuckQueue) -> bool {
        self.requests.ask(wait)
    }

    /// Does it hold frames that came over the lane of `wait`?
    pub fn holds_from(&self, wait: &Stuck) -> bool {
        match wait.is_port {
            true => self.inputs.binary_search(&wait.queue.channel).is_ok(),
            false => self.accounts.binary_search(&wait.lane).is_ok(),
        }
    }
}
