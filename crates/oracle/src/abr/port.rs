//! A sending port: queues, and which of them is next.

use std::collections::VecDeque;

use backwater_net::spec::SchedulerSpec;

use super::Kind;
use super::source::Rm;

/// A unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    pub flow: usize,
    pub number: u64,
    pub kind: Kind,
    pub rm: Option<Rm>,
    pub efci: bool,
    /// The leg it waits for or crosses.
    pub leg: usize,
    /// When it joined the queue of that leg.
    pub joined_ps: u64,
}

/// The queue of a leg at its port.
pub(super) struct Queue {
    pub leg: usize,
    pub group: u8,
    pub cells: VecDeque<Cell>,
}

pub(super) struct Port {
    pub scheduler: SchedulerSpec,
    /// In order of legs.
    pub queues: Vec<Queue>,
    /// For each priority group, the leg served last.
    served: Vec<(u8, usize)>,
}

impl Port {
    pub fn new(scheduler: SchedulerSpec, queues: Vec<Queue>) -> Port {
        Port {
            scheduler,
            queues,
            served: Vec::new(),
        }
    }

    pub fn join(&mut self, cell: Cell) {
        let mut queues = self.queues.iter_mut();
        let queue = queues.find(|queue| queue.leg == cell.leg);
        queue.expect("the leg is here").cells.push_back(cell);
    }

    pub fn is_empty(&self) -> bool {
        self.queues.iter().all(|queue| queue.cells.is_empty())
    }

    /// The unit that leaves next.
    pub fn take(&mut self) -> Option<Cell> {
        let waiting = || self.queues.iter().filter(|queue| !queue.cells.is_empty());
        let group = waiting().map(|queue| queue.group).max()?;
        let of_group = || waiting().filter(|queue| queue.group == group);
        let joined = |queue: &&Queue| (queue.cells[0].joined_ps, queue.leg);
        let next = match self.scheduler {
            SchedulerSpec::Fifo => waiting().min_by_key(joined),
            SchedulerSpec::StrictPriority => of_group().min_by_key(joined),
            _ => {
                let mut served = self.served.iter();
                let last = served.find(|served| served.0 == group).map(|one| one.1);
                // Cyclic: legs behind the one served last come before those up to it.
                of_group().min_by_key(|one| (last.is_some_and(|last| one.leg <= last), one.leg))
            }
        };
        let leg = next?.leg;
        self.served.retain(|served| served.0 != group);
        self.served.push((group, leg));
        let queue = self.queues.iter_mut().find(|queue| queue.leg == leg)?;
        queue.cells.pop_front()
    }
}
