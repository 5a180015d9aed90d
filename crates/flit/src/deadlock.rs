//! Packets that hold each other up for ever, while others may still move.

mod circle;
mod standstill;

use alloc::vec::Vec;

use crate::fabric::{Fabric, longest_flight};
use crate::lane::NONE;
use crate::outcome::Standstill;
use crate::probe::Tag;
use crate::spec::FabricSpec;
use circle::Circle;
pub(crate) use standstill::{Still, packets_in};

/// Least cycles between two looks at all lanes.
const LOOK_LEAST: u64 = 256;
/// Lanes that looks may cost in a cycle, on average.
const LANES_A_CYCLE: u64 = 16;

/// What was found.
#[derive(Debug)]
pub(crate) struct Deadlock {
    pub standstill: Standstill,
    /// Packets that can never move again, in all.
    pub packets: u64,
}

/// When to look for a deadlock, and what was seen the last time.
#[derive(Debug)]
pub(crate) struct Lookout {
    /// Without a move for so many cycles, nothing ever moves again.
    patience: u64,
    every: u64,
    /// The next look is before this cycle.
    next: u64,
    last: u64,
    /// By lane between routers: what the last look saw.
    seen: Vec<Sight>,
}

/// What tells that a lane has sent nothing: where its front packet comes from and when it entered,
/// which no two packets share, and its flits yet to leave.
type Sight = (u32, u64, u16);

impl Lookout {
    pub fn new(spec: &FabricSpec, fabric: &Fabric) -> Lookout {
        let router = &spec.router;
        // Whatever is under way comes to pass within this time.
        let delays = u64::from(longest_flight(spec))
            + u64::from(router.header_delay)
            + u64::from(router.allocation_delay)
            + u64::from(router.credit_delay);
        let lanes = u64::from(fabric.layout.sources) << fabric.layout.shift;
        let every = spec
            .measure
            .stall
            .max(LOOK_LEAST)
            .max(lanes / LANES_A_CYCLE);
        Lookout {
            patience: spec.measure.stall.max(delays + 2),
            every,
            next: every,
            last: 0,
            seen: Vec::new(),
        }
    }

    /// Without a move for so many cycles, nothing ever moves again.
    pub fn patience(&self) -> u64 {
        self.patience
    }

    /// The next look is at the end of a cycle, at the start of this one or later.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// At the end of a cycle: is there a deadlock?
    #[inline]
    pub fn check(&mut self, fabric: &Fabric) -> Option<Deadlock> {
        if fabric.now > fabric.moved_at.saturating_add(self.patience)
            && fabric.injected > fabric.delivered
        {
            return Some(all_of_it(fabric));
        }
        if fabric.now < self.next {
            return None;
        }
        self.look(fabric)
    }

    /// Looks for packets that hold each other up and have stood still since the last look.
    #[cold]
    fn look(&mut self, fabric: &Fabric) -> Option<Deadlock> {
        let since = core::mem::replace(&mut self.last, fabric.now);
        self.next = fabric.now.saturating_add(self.every);
        let lanes = fabric.layout.sources << fabric.layout.shift;
        let now: Vec<Sight> = (0..lanes).map(|lane| sight(fabric, lane)).collect();
        let before = core::mem::replace(&mut self.seen, now);
        let stands = |lane: u32| {
            let sight = self.seen[lane as usize];
            sight.0 != NONE && before.get(lane as usize) == Some(&sight)
        };
        if !(0..lanes).any(stands) {
            return None;
        }
        let standstill = Still::new(fabric);
        let circle = Circle::find(&standstill);
        let held = |lane: u32| standstill.holds(lane);
        let is_old = match circle.lanes.is_empty() {
            true => (0..lanes).any(|lane| held(lane) && stands(lane)),
            false => circle
                .lanes
                .iter()
                .all(|lane| *lane >= lanes || stands(*lane)),
        };
        is_old.then(|| describe(&standstill, circle, since, true))
    }
}

/// The deadlock of a network in which nothing has moved for long.
#[cold]
fn all_of_it(fabric: &Fabric) -> Deadlock {
    let standstill = Still::new(fabric);
    let circle = Circle::find(&standstill);
    describe(&standstill, circle, fabric.moved_at, false)
}

fn sight(fabric: &Fabric, lane: u32) -> Sight {
    match fabric.input[lane as usize].front {
        NONE => (NONE, 0, 0),
        id => {
            let packet = fabric.packets.get(id);
            let left = fabric.input[lane as usize].left;
            (packet.source, packet.entered, left)
        }
    }
}

fn describe(still: &Still<'_>, circle: Circle, since: u64, others_move: bool) -> Deadlock {
    Deadlock {
        standstill: Standstill {
            since,
            found_at: still.fabric.now,
            is_circle: !circle.held.is_empty(),
            others_move,
            waits: circle.held,
        },
        packets: still.packets().len() as u64,
    }
}

/// The packets in the network that can never move again, by number.
pub(crate) fn deadlocked(fabric: &Fabric) -> Vec<Tag> {
    let packets = Still::new(fabric).packets();
    let tag = |id: &u32| Tag::of(*id, fabric.packets.get(*id));
    packets.iter().map(tag).collect()
}
