//! Routing and routers of the flit engine.

use backwater_flit::spec::{self, RouterSpec, Switch};

use super::network::Plan;
use crate::given::flits::FlitFile;
use crate::given::flits::network::{RoutingKind, TopologyKind};
use crate::given::flits::router::{Allocator, DEPTH, Forwarding, ROUNDS, Router, RouterKind};
use crate::language::diagnostics::{Diagnostic, Diagnostics};
use crate::language::suggest;
use crate::language::typed::Word;

impl RoutingKind {
    /// The one that holds in a topology where the scenario does not say.
    fn usual(topology: &TopologyKind) -> Self {
        match topology {
            TopologyKind::Fly { .. } => Self::DestinationTag,
            TopologyKind::Mesh { .. } => Self::DimensionOrder,
            TopologyKind::Torus { .. } => Self::Dateline,
            TopologyKind::FatTree { .. } => Self::NearestCommonAncestor,
            TopologyKind::Full { .. }
            | TopologyKind::Crossbar { .. }
            | TopologyKind::File { .. } => Self::Table,
        }
    }

    /// Words of the topologies it works in; none is any.
    fn topologies(self) -> &'static [&'static str] {
        match self {
            Self::DestinationTag => &["fly"],
            Self::DimensionOrder | Self::O1turn => &["mesh"],
            Self::Dateline | Self::Unrestricted => &["torus"],
            Self::Valiant | Self::MinimalAdaptive => &["mesh", "torus"],
            Self::NearestCommonAncestor | Self::NearestCommonAncestorRandom => &["fat-tree"],
            Self::Table => &[],
        }
    }

    fn works_in(self, topology: &str) -> bool {
        self.topologies().is_empty() || self.topologies().contains(&topology)
    }
}

/// The rule of routing, given or by topology.
pub(crate) fn routing(
    file: &FlitFile,
    plan: Option<&Plan>,
    mistakes: &mut Diagnostics,
) -> Option<RoutingKind> {
    let topology = &file.topology.kind;
    let given = &file.routing.sure()?.kind;
    let Some(rule) = *given.sure()? else {
        return topology.sure().map(RoutingKind::usual);
    };
    topology.sure()?;
    if !rule.works_in(topology.word) {
        let others = RoutingKind::ALL.iter();
        let fits = others.filter(|rule| rule.works_in(topology.word));
        Diagnostic::error(
            "bad-routing",
            format!("`{}` does not work in this topology", rule.word()),
        )
        .at(&given.at, format!("the topology is `{}`", topology.word))
        .note(format!(
            "it works in {}",
            suggest::one_of(rule.topologies().iter().copied())
        ))
        .help(format!("choose {}", suggest::one_of(fits.map(Word::word))))
        .tell(mistakes);
        return None;
    }
    let dimensions = plan.map_or(2, |plan| plan.sides.len());
    if rule == RoutingKind::O1turn && dimensions != 2 {
        Diagnostic::error("bad-routing", "`o1turn` needs a mesh of two dimensions")
            .at(&given.at, format!("this one has {dimensions}"))
            .help("choose `dimension-order`, or write `sides` with two numbers")
            .tell(mistakes);
        return None;
    }
    Some(rule)
}

/// What every router has.
pub(crate) fn router(router: &Router, depth: u16, switch: Switch) -> RouterSpec {
    RouterSpec {
        lanes: *router.vcs,
        depth,
        switch,
        release: (*router.release).into(),
        cut_through: *router.forwarding == Forwarding::CutThrough,
        header_delay: router.header_delay,
        allocation_delay: router.allocation_delay,
        pipeline_delay: *router.pipeline_delay,
        credit_delay: *router.credit_delay,
        channel_arbiter: router.arbiter.into(),
        lane_arbiter: router.vc_arbiter.into(),
        lane_choice: router.vc_choice.into(),
    }
}

/// Flits of a VC: given, or an equal part of the storage.
pub(crate) fn depth(router: &Router, mistakes: &mut Diagnostics) -> Option<u16> {
    let (depth, storage) = (*router.depth.sure()?, *router.storage.sure()?);
    let Some(storage) = storage else {
        return Some(depth.unwrap_or(DEPTH.value));
    };
    let vcs = u32::from(*router.vcs.sure()?);
    let each = storage / vcs;
    let fits = storage.is_multiple_of(vcs) && each > 0;
    if let (true, Ok(depth)) = (fits, u16::try_from(each)) {
        return Some(depth);
    }
    let near = storage.next_multiple_of(vcs).min(vcs * u32::from(u16::MAX));
    Diagnostic::error(
        "bad-storage",
        format!("{storage} flits can't be divided among {vcs} VCs"),
    )
    .at(&router.storage.at, "of all VCs of a channel")
    .at(&router.vcs.at, format!("{vcs} VCs"))
    .note("every VC has the same number of flits, 1 to 65535")
    .help(format!(
        "write `storage = {near}`, or `depth` for the flits of one VC"
    ))
    .tell(mistakes);
    None
}

/// How flits get from inputs to outputs.
pub(crate) fn switch(router: &Router, mistakes: &mut Diagnostics) -> Option<Switch> {
    let RouterKind::Multiplexed {
        allocator,
        iterations,
        output_buffer,
        speedup,
    } = &router.switch
    else {
        return Some(Switch::Crossbar);
    };
    let kind = *allocator.sure()?;
    let word = kind.word();
    if iterations.is_some() && kind != Allocator::Islip {
        Diagnostic::no_meaning("iterations", format!("with allocator `{word}`"))
            .at(&iterations.at, format!("the allocator is `{word}`"))
            .help("leave it out, or choose `islip`")
            .tell(mistakes);
    }
    let times = **speedup;
    if times > 1 && output_buffer.sure() == Some(&0) {
        Diagnostic::error("no-buffer", "a switch with speedup needs an output buffer")
            .at(
                &speedup.at,
                format!("{times} flits a cycle for one channel"),
            )
            .note("a channel takes one flit a cycle; the others have to wait somewhere")
            .help(format!("add `output_buffer = {}`", 2 * u16::from(times)))
            .tell(mistakes);
    }
    Some(Switch::Multiplexed {
        allocator: match kind {
            Allocator::SeparableInputFirst => spec::Allocator::SeparableInputFirst,
            Allocator::SeparableOutputFirst => spec::Allocator::SeparableOutputFirst,
            Allocator::Islip => spec::Allocator::Islip {
                iterations: iterations.unwrap_or(ROUNDS.value),
            },
        },
        output_buffer: **output_buffer,
        speedup: times,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_work_in_topologies_that_there_are() {
        let known: Vec<&str> = TopologyKind::WORDS
            .iter()
            .map(|choice| choice.name)
            .collect();
        for rule in RoutingKind::ALL {
            for word in rule.topologies() {
                assert!(known.contains(word), "{word}");
            }
        }
    }
}
