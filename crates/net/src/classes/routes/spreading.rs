//! Which of several ports the frames of a flow take where that is not one for all of them.
//!
//! What depends on flow, node and the frame's number alone is a hash of these, drawn before the
//! frame is sent towards the node. What depends on the node (turns, queues, gaps) is chosen as the
//! frame takes effect there: till then its hop is [`OPEN`].
//!
//! Sources: entropies in rounds, each once, are the oblivious rule of Ultra Ethernet's public
//! simulator; flowlets are those of LetFlow (Vanini et al., NSDI 2017), without a table's size.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use backwater_kernel::{Duration, Time};

use super::tables::Tables;
use super::{Routes, mix};
use crate::hop::unit::NONE;
use crate::spec::frames::Spread;

/// Stands for the next hop of a frame that its node chooses as it comes.
pub(crate) const OPEN: u32 = NONE - 1;

/// What frames of this number of a flow have a hash of; nothing where their node chooses.
pub(super) fn entropy(spread: Spread, (seed, way): (u64, u32), number: u64) -> Option<u64> {
    match spread {
        Spread::Flows => Some(0),
        Spread::Frames => Some(number),
        Spread::Entropies { count } => {
            let count = u64::from(count.max(1));
            let (round, turn) = (number / count, number % count);
            Some(turn ^ (mix(&[seed, way.into(), round]) % count))
        }
        Spread::RoundRobin | Spread::Adaptive | Spread::Flowlets { .. } => None,
    }
}

/// What nodes remember of the ports they chose.
#[derive(Debug, Default)]
pub(crate) struct Spreading {
    /// By set of next hops, as [`Tables::several`] places it: how often one was taken in turn.
    turns: Vec<u32>,
    /// By node and way: when its last frame came, and which port that took.
    flowlets: BTreeMap<(u32, u32), (Time, u32)>,
}

impl Spreading {
    pub fn new(routes: &Routes) -> Spreading {
        let sets = match routes {
            Routes::Tables(tables) if tables.spread() == Spread::RoundRobin => tables.places(),
            Routes::Tables(_) | Routes::Paths { .. } => 0,
        };
        Spreading {
            turns: vec![0; sets],
            flowlets: BTreeMap::new(),
        }
    }

    /// The next hop from `node` in turn, whatever the flow. Nodes begin at one that a hash of node
    /// and hops gives, so that they do not all begin at their first.
    pub fn in_turn(&mut self, tables: &Tables, node: u32, to: u32) -> u32 {
        let (place, hops) = tables.several(node, to);
        let first = hops
            .iter()
            .fold(mix(&[tables.seed(), node.into()]), |hash, hop| {
                mix(&[hash, (*hop).into()])
            });
        let (turn, count) = (&mut self.turns[place], hops.len() as u64);
        let hop = hops[((first % count + u64::from(*turn)) % count) as usize];
        *turn = (*turn + 1) % count as u32;
        hop
    }

    /// The next hop that the last frame of a way took from `node`, if that was less than `gap` ago;
    /// else that of this frame's own `draw`.
    pub fn of_flowlet(
        &mut self,
        (node, way): (u32, u32),
        (now, gap): (Time, Duration),
        draw: u32,
    ) -> u32 {
        let (last, hop) = self.flowlets.entry((node, way)).or_insert((now, draw));
        if *last + gap <= now {
            *hop = draw;
        }
        *last = now;
        *hop
    }
}
