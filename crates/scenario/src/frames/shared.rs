//! Headroom of shared memory.

use backwater_net::frames::spec::{MemorySpec, SharedSpec};

use super::headroom::{Brought, Need, Place, Stop};
use super::lossless::{Whole, switch_of};
use crate::given::frames::switch::Shared;
use crate::language::diagnostics::{Diagnostic, Diagnostics};

/// Fills in what the file leaves out, and compares the rest with what is needed.
pub(crate) fn headroom(
    look: &Whole<'_>,
    account: &mut Vec<Need>,
    mistakes: &mut Diagnostics,
) -> Vec<(u32, SharedSpec)> {
    let Some(given) = &look.file.buffer.shared else {
        return Vec::new();
    };
    let needed = look.needed_at_inputs();
    let nodes = 0..look.net.nodes.len() as u32;
    let shared = nodes.filter_map(|node| match switch_of(look.spec, node)?.memory {
        MemorySpec::Shared(spec) => Some((node, spec)),
        MemorySpec::Queues => None,
    });
    shared
        .map(|(node, spec)| {
            let own = needed.iter();
            let own = own.filter(|(channel, _, _)| look.net.ends(*channel).1 == node);
            let pools = Pools {
                look,
                given,
                node,
                own: own.copied().collect(),
            };
            let filled = pools.fill(spec, mistakes);
            let own = pools.own.iter();
            account.extend(own.map(|own| need(*own, filled.headroom_bytes)));
            account.extend(pool(&pools.own, filled.pool_bytes));
            (node, filled)
        })
        .collect()
}

/// The memory of one switch.
struct Pools<'a> {
    look: &'a Whole<'a>,
    given: &'a Shared,
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

/// The account of all inputs of a switch together.
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

impl Pools<'_> {
    fn fill(&self, spec: SharedSpec, mistakes: &mut Diagnostics) -> SharedSpec {
        let bytes = self.own.iter().map(|(_, _, stop)| stop.bytes());
        let most = bytes.clone().max().unwrap_or(0);
        let sum = bytes.fold(0, u64::saturating_add);
        let filled = SharedSpec {
            headroom_bytes: self.given.headroom.unwrap_or(most),
            pool_bytes: self.given.pool.unwrap_or(sum),
            ..spec
        };
        self.each(filled.headroom_bytes, mistakes);
        self.together(filled.pool_bytes, sum, mistakes);
        mistakes.extend(self.rest(&filled));
        filled
    }

    /// Headroom of each input: the worst where no loss is meant, and the worst where it is.
    fn each(&self, there: u64, mistakes: &mut Diagnostics) {
        for meant in [false, true] {
            let own = self.own.iter();
            let own = own.filter(|(_, class, _)| self.is_meant(*class) == meant);
            let worst = own.max_by_key(|(_, _, stop)| stop.bytes());
            if let Some(worst) = worst.filter(|(_, _, stop)| stop.bytes() > there) {
                self.one(worst, there, meant, mistakes);
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
        let told = Diagnostic::error_unless(
            meant,
            "headroom",
            format!("class {class} may lose frames at input `{place}`: {missing} B are missing"),
        )
        .at(
            &self.given.headroom.at,
            format!("needs {} B, {there} B are there", stop.bytes()),
        );
        let parts = self.look.parts(&need((*channel, *class, *stop), there));
        let told = parts.into_iter().fold(told, Diagnostic::note);
        told.help("raise `headroom`, or leave it out to have what is needed")
            .tell(mistakes);
    }

    /// Headroom of all inputs at once.
    fn together(&self, there: u64, sum: u64, mistakes: &mut Diagnostics) {
        let name = self.look.net.name(self.node);
        // All classes share the pool.
        let meant = self.own.iter().all(|(_, class, _)| self.is_meant(*class));
        if sum > there {
            Diagnostic::error_unless(
                meant,
                "headroom",
                format!("`{name}` may lose frames: {} B are missing", sum - there),
            )
            .at(
                &self.given.pool.at,
                format!("its inputs need {sum} B, {there} B are there"),
            )
            .help("raise `pool`, or leave it out to have what is needed")
            .tell(mistakes);
        }
    }

    /// Reserves and headroom leave a part to share.
    fn rest(&self, shared: &SharedSpec) -> Option<Diagnostic> {
        let inputs = self.look.net.neighbours[self.node as usize].len() as u64;
        let links = &self.look.spec.links;
        let classes = links
            .first()
            .map_or(1, |link| link.channels[0].queues.len() as u64);
        let reserves = shared.reserve_bytes.saturating_mul(inputs * classes);
        if reserves.saturating_add(shared.pool_bytes) < shared.bytes {
            return None;
        }
        let name = self.look.net.name(self.node);
        Diagnostic::error(
            "bad-memory",
            format!("`{name}` has no memory left to share"),
        )
        .at(&self.given.bytes.at, format!("{} B in all", shared.bytes))
        .note(format!(
            "{reserves} B are reserved, and {} B are headroom",
            shared.pool_bytes
        ))
        .help("raise `bytes`, or lower `reserve` or `pool`")
        .into()
    }
}
