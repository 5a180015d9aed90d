//! Headroom of shared memory: of each input, and of all that share a pool.

use backwater_kernel::words::counted;
use backwater_net::frames::spec::{MemorySpec, SharedSpec};

use super::headroom::{Brought, Need, Place, Stop};
use super::lossless::{Whole, switch_of};
use super::memory::Memories;
use super::promises::Oversold;
use crate::prelude::*;

/// The memories of switches, with what the file leaves open.
#[derive(Default)]
pub(crate) struct Filled {
    /// By switch.
    pub memories: Vec<(u32, SharedSpec)>,
    /// Pools with less headroom than all their inputs need at once.
    pub oversold: Vec<Oversold>,
}

/// Fills in what the file leaves out, and compares the rest with what is needed.
pub(crate) fn headroom(
    look: &Whole<'_>,
    memories: &Memories<'_>,
    account: &mut Vec<Need>,
    mistakes: &mut Diagnostics,
) -> Filled {
    let needed = look.needed_at_inputs();
    let mut filled = Filled::default();
    for node in 0..look.net.nodes.len() as u32 {
        let switch = switch_of(look.spec, node);
        if !switch.is_some_and(|switch| matches!(switch.memory, MemorySpec::Shared(_))) {
            continue;
        }
        let inputs = needed.iter();
        let inputs = inputs.filter(|(channel, _, _)| look.net.ends(*channel).1 == node);
        let memory = OfSwitch {
            look,
            memories,
            node,
            own: inputs.copied().collect(),
        };
        let spec = memory.fill(&mut filled.oversold, mistakes);
        account.extend(memory.account(&spec));
        filled.memories.push((node, spec));
    }
    tell_oversold(look, &filled.oversold, mistakes);
    filled
}

/// The memory of one switch.
struct OfSwitch<'a> {
    look: &'a Whole<'a>,
    memories: &'a Memories<'a>,
    node: u32,
    /// What each of its inputs needs.
    own: Vec<(u32, u8, Stop)>,
}

/// The account of one input.
fn need((channel, class, stop): (u32, u8, Stop), there: u64) -> Need {
    Need {
        place: Place::Shared,
        channel,
        class,
        brought: Vec::from([Brought {
            inputs: Vec::from([channel]),
            stop,
            times: 1,
        }]),
        leaves: 0,
        limit: there,
        xoff: 0,
    }
}

/// The account of all inputs of a pool together.
fn pool(own: &[(u32, u8, Stop)], there: u64) -> Option<Need> {
    let mut pool = Need {
        place: Place::Pool,
        channel: own.first()?.0,
        class: own.iter().map(|(_, class, _)| *class).max()?,
        brought: Vec::new(),
        leaves: 0,
        limit: there,
        xoff: 0,
    };
    own.iter()
        .for_each(|(input, _, stop)| pool.add(*input, *stop, 1));
    Some(pool)
}

/// Every input of a switch, and its classes.
pub(crate) fn inputs_of(look: &super::net::Net<'_>, node: u32, classes: u8) -> Vec<(u32, u8)> {
    let leaving = look.neighbours[node as usize].iter();
    let inputs = leaving.flat_map(|(_, out)| (0..classes).map(move |class| (*out ^ 1, class)));
    inputs.collect()
}

impl OfSwitch<'_> {
    fn fill(&self, oversold: &mut Vec<Oversold>, mistakes: &mut Diagnostics) -> SharedSpec {
        let (net, memories) = (self.look.net, self.memories);
        let links = &self.look.spec.links;
        let classes = links
            .first()
            .map_or(1, |link| link.channels[0].queues.len() as u8);
        let inputs = inputs_of(net, self.node, classes);
        let most = self.own.iter().map(|(_, _, stop)| stop.bytes()).max();
        let sum = |pool: u8| {
            let members = self.members(pool).into_iter();
            let bytes = members.map(|(_, _, stop)| stop.bytes());
            bytes.fold(0, u64::saturating_add)
        };
        let all = (self.node, &inputs[..]);
        let mut spec = memories.spec(net, all, most.unwrap_or(0), sum);
        self.each(&spec, mistakes);
        for pool in 0..memories.pools() {
            let there = spec.pools[usize::from(pool)].headroom_bytes;
            let Some(short) = self.together(pool, there, mistakes) else {
                continue;
            };
            if !self
                .members(pool)
                .iter()
                .all(|(_, class, _)| self.is_meant(*class))
            {
                let safe = u32::try_from(short.safe).unwrap_or(u32::MAX);
                spec.pools[usize::from(pool)].safe_inputs = Some(safe);
            }
            oversold.push(short);
        }
        self.rest(&spec, &inputs, mistakes);
        spec
    }

    /// Inputs that count in a pool.
    fn members(&self, pool: u8) -> Vec<(u32, u8, Stop)> {
        let mut members = self.own.clone();
        members.retain(|(input, class, _)| {
            self.memories.of_input(self.look.net, *input, *class).pool == pool
        });
        members
    }

    fn account(&self, spec: &SharedSpec) -> Vec<Need> {
        let each = self.own.iter();
        let each = each.map(|own| need(*own, spec.share(own.0, own.1).headroom_bytes));
        let mut account: Vec<Need> = each.collect();
        account.extend((0..self.memories.pools()).filter_map(|id| {
            let there = spec.pools[usize::from(id)].headroom_bytes;
            pool(&self.members(id), there)
        }));
        account
    }

    /// Headroom of each input: the worst where no loss is meant, and the worst where it is.
    fn each(&self, spec: &SharedSpec, mistakes: &mut Diagnostics) {
        let there = |(input, class, _): &(u32, u8, Stop)| spec.share(*input, *class).headroom_bytes;
        for meant in [false, true] {
            let inputs = self.own.iter();
            let inputs = inputs.filter(|(_, class, _)| self.is_meant(*class) == meant);
            let missing = inputs.map(|own| (own, own.2.bytes().saturating_sub(there(own))));
            let worst = missing.max_by_key(|(_, missing)| *missing);
            if let Some((worst, _)) = worst.filter(|(_, missing)| *missing > 0) {
                self.one(worst, there(worst), meant, mistakes);
            }
        }
    }

    fn is_meant(&self, class: u8) -> bool {
        self.look.consent.is_meant(self.node, class)
    }

    fn one(
        &self,
        (channel, class, stop): &(u32, u8, Stop),
        there: u64,
        meant: bool,
        mistakes: &mut Diagnostics,
    ) {
        let place = self.look.net.channel_name(*channel);
        let missing = stop.bytes() - there;
        let given = self.memories.of_input(self.look.net, *channel, *class);
        let message = Diagnostic::error_unless(
            meant,
            "headroom",
            format!("class {class} may lose frames at input `{place}`: {missing} B are missing"),
        )
        .at(
            given.headroom().1,
            format!("needs {} B, {there} B are there", stop.bytes()),
        );
        let parts = self.look.parts(&need((*channel, *class, *stop), there));
        let message = parts.into_iter().fold(message, Diagnostic::note);
        message
            .help("raise `headroom`, or leave it out to have what is needed")
            .tell(mistakes);
    }

    /// Headroom of all inputs of a pool at once: it must be enough for each of them alone. What it
    /// is not enough for.
    fn together(&self, pool: u8, there: u64, mistakes: &mut Diagnostics) -> Option<Oversold> {
        let members = self.members(pool);
        let whole = self::pool(&members, there)?;
        let most = members.iter().max_by_key(|(_, _, stop)| stop.bytes())?;
        let at = self.memories.headroom(self.node, pool).1;
        let name = self.look.net.name(self.node);
        let alone = most.2.bytes();
        if alone > there {
            let meant = members.iter().all(|(_, class, _)| self.is_meant(*class));
            Diagnostic::error_unless(
                meant,
                "headroom",
                format!("`{name}` may lose frames: {} B are missing", alone - there),
            )
            .at(
                at,
                format!("an input alone needs {alone} B, {there} B are there"),
            )
            .note(format!(
                "most is needed by class {} at input `{}`",
                most.1,
                self.look.net.channel_name(most.0)
            ))
            .help("raise it, or leave it out to have enough for all inputs at once")
            .tell(mistakes);
            return None;
        }
        let safe = whole.at_once();
        (whole.needs() > there).then(|| Oversold {
            node: self.node,
            classes: members
                .iter()
                .fold(0, |all, (_, class, _)| all | 1 << class),
            safe,
            inputs: members.len() as u64,
            at: at.clone(),
            needs: whole.needs(),
            has: there,
            pool: self.memories.pool_name(pool).map(str::to_owned),
        })
    }

    /// Reserves and headroom leave a part to share.
    fn rest(&self, spec: &SharedSpec, inputs: &[(u32, u8)], mistakes: &mut Diagnostics) {
        let (bytes, at) = self.memories.bytes(self.node);
        let name = self.look.net.name(self.node);
        if self.memories.is_too_small(self.node) {
            Diagnostic::error(
                "bad-memory",
                format!("the pools of `{name}` are more than it has"),
            )
            .at(at, format!("{bytes} B in all"))
            .help("raise `bytes`, or lower those of `[[pools]]`")
            .tell(mistakes);
            return;
        }
        for (id, pool) in (0..).zip(&spec.pools) {
            let shares = inputs
                .iter()
                .map(|(input, class)| spec.share(*input, *class));
            let mut shares = shares.filter(|share| share.pool == id).peekable();
            if shares.peek().is_none() {
                continue;
            }
            let reserves = shares.fold(0_u64, |sum, share| sum.saturating_add(share.reserve_bytes));
            if reserves.saturating_add(pool.headroom_bytes) < pool.bytes {
                continue;
            }
            let of = match self.memories.pool_name(id) {
                Some(own) => format!("pool `{own}` of `{name}`"),
                None => format!("`{name}`"),
            };
            Diagnostic::error("bad-memory", format!("{of} has no memory left to share"))
                .at(
                    self.memories.said(self.node, id),
                    format!("{} B in all", pool.bytes),
                )
                .note(format!(
                    "{reserves} B are reserved, and {} B are headroom",
                    pool.headroom_bytes
                ))
                .help("raise `bytes`, or lower `reserve` or the headroom")
                .tell(mistakes);
        }
    }
}

/// One warning, of the pool that is enough for the fewest inputs.
fn tell_oversold(look: &Whole<'_>, all: &[Oversold], mistakes: &mut Diagnostics) {
    let Some(worst) = all.iter().min_by_key(|own| (own.safe, own.has)) else {
        return;
    };
    let name = look.net.name(worst.node);
    let of = match &worst.pool {
        Some(pool) => format!("pool `{pool}` of `{name}`"),
        None => format!("`{name}`"),
    };
    let others = all.len() - 1;
    let message = Diagnostic::warning("oversold-headroom", format!("{of} has {}", worst.words()))
        .at(
            &worst.at,
            format!(
                "all at once need {} B, {} B are there",
                worst.needs, worst.has
            ),
        )
        .note(format!(
            "nothing is lost while no more than {} at once need headroom; with {} something may be",
            counted(worst.safe, "input"),
            worst.safe + 1
        ));
    let message = match others {
        0 => message,
        _ => message.note(format!(
            "{} more are enough for some alone",
            counted(others, "pool")
        )),
    };
    message
        .help("raise it, or leave it out to have enough for all")
        .tell(mistakes);
}
