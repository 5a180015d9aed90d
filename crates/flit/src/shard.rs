//! One run in several parts at once, without changing a bit of what it finds.
//!
//! [`split`] cuts a network into *shards*, sets of routers with their terminals. Every shard has
//! tables for the whole network, numbered alike, and touches its own part of them. In each cycle
//! it moves its own flits and writes down, in a [`Mail`] for each other shard, what crosses to
//! it: flits, headers with their packets, freed places, lanes released. All mails of a cycle are
//! handed over before it ends; nothing that crosses takes effect earlier. So shards may work at
//! the same time:
//!
//! ```text
//! while goes_on(goal), each shard:   work
//!                                    swap mail(to) with an empty one and hand it to `to`, for all
//!                                    take the mails of all others
//!                                    end_cycle
//! ```
//!
//! The [`Conductor`] measures: [`Conductor::look`] says how far the shards may run, and is to be
//! called when none of them goes on. Whoever drives them starts the threads.

mod conductor;

use alloc::boxed::Box;
use alloc::vec::Vec;

use backwater_kernel::BuildError;

pub use crate::border::Mail;
use crate::border::{Border, Note};
use crate::cut::Cut;
use crate::fabric::{Fabric, longest_flight};
use crate::multiplexed::Matching;
use crate::simulation::{Simulation, fingerprint};
use crate::source::Entrance;
use crate::spec::{Arbiter, FabricSpec, Injection};
use crate::tally::Log;
use crate::traffic::Generator;

pub use conductor::Conductor;

/// Most shards.
pub const SHARDS_MAX: usize = 64;

/// Why a run can't be cut, if it can't: `None` if it can.
pub fn obstacle(spec: &FabricSpec) -> Option<&'static str> {
    let reacts = |injection: &Injection| {
        matches!(
            injection,
            Injection::Replies | Injection::RequestReply { .. }
        )
    };
    if spec.router.credit_delay == 0 {
        Some("with a credit delay of 0, routers depend on each other within a cycle")
    } else if spec.classes.iter().any(|class| reacts(&class.injection)) {
        Some("replies are born the moment requests arrive")
    } else {
        None
    }
}

/// Cuts a network into so many shards, and one to conduct them.
///
/// # Errors
/// If the spec describes no network that can run, or none that can be cut so.
pub fn split(spec: &FabricSpec, parts: usize) -> Result<(Conductor, Vec<Shard>), BuildError> {
    if let Some(why) = obstacle(spec) {
        return Err(BuildError(why.into()));
    }
    if !(1..=SHARDS_MAX).contains(&parts) || parts > spec.graph.routers as usize {
        return Err(BuildError(alloc::format!(
            "{parts} parts of {} routers: 1 to {SHARDS_MAX}, at most one for each router",
            spec.graph.routers
        )));
    }
    let whole = Simulation::new(spec)?;
    let cut = Cut::new(&spec.graph, &whole.fabric.layout, parts);
    let shards: Result<Vec<Shard>, BuildError> = (0..parts)
        .map(|index| Shard::new(spec, &whole, &cut, index))
        .collect();
    Ok((Conductor::new(whole, cut), shards?))
}

/// A part of a network that runs.
pub struct Shard {
    fabric: Fabric,
    entrance: Entrance,
    matching: Option<Matching>,
    arbiter: Arbiter,
    log: Log,
    trace_hash: u64,
    /// Cycles after the last move in which something may still be under way.
    settling: u64,
    /// After so many cycles without a move, or in this cycle, somebody has to look for a deadlock.
    patience: u64,
    look_at: u64,
    has_to_look: bool,
    /// Cycle of the last birth, when all packets are listed; and whether all have arrived.
    trace_end: Option<u64>,
    is_over: bool,
    /// What all shards told of the last cycle.
    note: Note,
}

impl Shard {
    fn new(
        spec: &FabricSpec,
        whole: &Simulation,
        cut: &Cut,
        index: usize,
    ) -> Result<Shard, BuildError> {
        let mut fabric = Fabric::new(spec, whole.fabric.routing.clone());
        fabric.border = Some(Box::new(Border::new(
            &spec.graph,
            &fabric.layout,
            cut,
            index,
        )));
        let mut entrance = Entrance::new(spec, Generator::new(spec)?);
        let sources = fabric.layout.sources;
        let is_mine = |terminal| cut.owner_in(sources + terminal) == Some(index);
        entrance.wake(&mut fabric, is_mine);
        Ok(Shard {
            matching: Matching::new(spec, &fabric),
            arbiter: spec.router.channel_arbiter,
            log: Log::default(),
            trace_hash: 0,
            settling: u64::from(longest_flight(spec)).max(fabric.credit_delay) + 1,
            patience: whole.lookout.patience(),
            look_at: whole.lookout.next(),
            has_to_look: false,
            trace_end: whole.meter.trace_end(),
            is_over: false,
            note: Note::default(),
            fabric,
            entrance,
        })
    }

    /// The cycle that comes next.
    pub fn cycle(&self) -> u64 {
        self.fabric.now
    }

    /// Goes on to `goal`, which it hasn't reached: is there a cycle to work on? Cycles in which
    /// nothing happens anywhere are skipped. To be asked of every shard; all say the same.
    pub fn goes_on(&mut self, goal: u64) -> bool {
        if self.has_to_look || self.is_over {
            return false;
        }
        let fabric = &mut self.fabric;
        if fabric.now - fabric.moved_at > self.settling {
            fabric.now = fabric.now.max(self.note.idle_until.min(goal));
        }
        fabric.now < goal
    }

    /// A cycle up to the moves of its flits.
    pub fn work(&mut self) {
        let now = self.fabric.now;
        let (entrance, log) = (&mut self.entrance, &mut self.log);
        let trace_hash = &mut self.trace_hash;
        self.fabric.deliver(|_, packet| {
            *trace_hash = trace_hash.wrapping_add(fingerprint(packet, now));
            entrance.delivered(packet, now, log);
        });
        self.entrance.bear(&mut self.fabric, &mut self.log);
        self.fabric.allocate();
        let before = self.fabric.flit_hops;
        self.fabric.move_flits(&mut self.matching, self.arbiter);
        let fabric = &mut self.fabric;
        let is_idle = fabric.packets.len() == 0 && fabric.vacated.is_empty();
        self.note = Note {
            moved: fabric.flit_hops > before || fabric.moved_at == now && now > 0,
            inside: fabric.injected.wrapping_sub(fabric.delivered),
            missing: fabric.created.wrapping_sub(fabric.delivered),
            idle_until: match is_idle {
                true => self.entrance.next_birth().unwrap_or(u64::MAX),
                false => 0,
            },
        };
        if let Some(border) = &mut fabric.border {
            border.seal(self.note);
            border.forget_gone(&mut fabric.packets);
        }
    }

    /// What crosses to another shard in this cycle. To be exchanged for an empty mail, or for one
    /// that has been taken, between [`Shard::work`] and [`Shard::end_cycle`].
    ///
    /// # Panics
    /// If there is no such shard.
    pub fn mail(&mut self, to: usize) -> &mut Mail {
        let border = self.fabric.border.as_mut().expect("a shard has a border");
        &mut border.mails[to]
    }

    /// Takes what crosses from another shard, and leaves the mail empty.
    pub fn take(&mut self, mail: &mut Mail) {
        self.note.join(mail.note);
        self.fabric.take(mail);
    }

    /// The rest of the cycle, when the mails of all other shards have been taken.
    pub fn end_cycle(&mut self) {
        let fabric = &mut self.fabric;
        if self.note.moved {
            fabric.moved_at = fabric.now;
        }
        fabric.arrive();
        fabric.now += 1;
        let is_still = fabric.now - fabric.moved_at > self.patience && self.note.inside > 0;
        self.has_to_look = is_still || fabric.now >= self.look_at;
        let is_born = self.trace_end.is_some_and(|end| fabric.now > end);
        self.is_over = is_born && self.note.missing == 0;
    }
}
