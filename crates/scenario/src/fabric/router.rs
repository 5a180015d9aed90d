//! Routing and routers of the flit engine.

use flit::spec::{Allocator, Arbiter, LaneChoice, Release, RouterSpec, RoutingSpec, Switch};

use super::network::Plan;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::record::Record;
use crate::suggest;

/// Flits of a lane where the scenario does not say.
const DEPTH: u64 = 4;

/// What each rule of routing needs.
struct Rule {
    word: &'static str,
    spec: RoutingSpec,
    /// Topologies it works in; empty is any.
    topologies: &'static [&'static str],
}

const GRIDS: &[&str] = &["mesh", "torus"];
const RULES: &[Rule] = &[
    Rule {
        word: "destination-tag",
        spec: RoutingSpec::DestinationTag,
        topologies: &["fly"],
    },
    Rule {
        word: "dimension-order",
        spec: RoutingSpec::DimensionOrder,
        topologies: &["mesh"],
    },
    Rule {
        word: "dateline",
        spec: RoutingSpec::Dateline,
        topologies: &["torus"],
    },
    Rule {
        word: "unrestricted",
        spec: RoutingSpec::Unrestricted,
        topologies: &["torus"],
    },
    Rule {
        word: "o1turn",
        spec: RoutingSpec::O1Turn,
        topologies: &["mesh"],
    },
    Rule {
        word: "valiant",
        spec: RoutingSpec::Valiant,
        topologies: GRIDS,
    },
    Rule {
        word: "minimal-adaptive",
        spec: RoutingSpec::MinimalAdaptive,
        topologies: GRIDS,
    },
    Rule {
        word: "nearest-common-ancestor",
        spec: RoutingSpec::NearestCommonAncestor,
        topologies: &["fat-tree"],
    },
    Rule {
        word: "nearest-common-ancestor-random",
        spec: RoutingSpec::NearestCommonAncestorRandom,
        topologies: &["fat-tree"],
    },
    Rule {
        word: "table",
        spec: RoutingSpec::Table,
        topologies: &[],
    },
];

/// The word for a rule of routing.
pub(crate) fn word_of(routing: RoutingSpec) -> &'static str {
    let rule = RULES.iter().find(|rule| rule.spec == routing);
    rule.map_or("table", |rule| rule.word)
}

/// The rule of routing, given or by topology.
pub(crate) fn routing(
    root: &Record,
    plan: Option<&Plan>,
    mistakes: &mut Diagnostics,
) -> Option<RoutingSpec> {
    let topology = root.record("topology")?.word("kind");
    let table = root.record("routing")?;
    if table.faulty.contains(&"kind") || topology.is_empty() {
        return None;
    }
    let fits = |rule: &&Rule| rule.topologies.is_empty() || rule.topologies.contains(&topology);
    let Some(field) = table.field("kind") else {
        return RULES.iter().find(fits).map(|rule| rule.spec);
    };
    let rule = RULES.iter().find(|rule| rule.word == table.word("kind"))?;
    if !fits(&rule) {
        let words = RULES.iter().filter(fits).map(|rule| rule.word);
        mistakes.push(
            Diagnostic::error(
                "bad-routing",
                format!("`{}` does not work in this topology", rule.word),
            )
            .at(field.at.clone(), format!("the topology is `{topology}`"))
            .note(format!(
                "it works in {}",
                suggest::one_of(rule.topologies.iter().copied())
            ))
            .help(format!("choose {}", suggest::one_of(words))),
        );
        return None;
    }
    let dimensions = plan.map_or(2, |plan| plan.sides().len());
    if rule.spec == RoutingSpec::O1Turn && dimensions != 2 {
        mistakes.push(
            Diagnostic::error("bad-routing", "`o1turn` needs a mesh of two dimensions")
                .at(field.at.clone(), format!("this one has {dimensions}"))
                .help("choose `dimension-order`, or write `sides` with two numbers"),
        );
        return None;
    }
    Some(rule.spec)
}

/// What every router has.
pub(crate) fn router(root: &Record, mistakes: &mut Diagnostics) -> Option<RouterSpec> {
    let table = root.record("router")?;
    let lanes = table.whole("lanes")?;
    let depth = depth(table, lanes, mistakes);
    let switch = match table.word("switch") {
        "crossbar" => Some(Switch::Crossbar),
        "multiplexed" => multiplexed(table, mistakes),
        _ => None,
    };
    let delay = |key: &str| table.whole(key).map(|cycles| cycles as u16);
    Some(RouterSpec {
        lanes: lanes as u8,
        depth: depth?,
        switch: switch?,
        release: match table.word("release") {
            "drained" => Release::Drained,
            "tail-sent" => Release::TailSent,
            _ => return None,
        },
        cut_through: match table.word("forwarding") {
            "wormhole" => false,
            "cut-through" => true,
            _ => return None,
        },
        header_delay: delay("header_delay")?,
        allocation_delay: delay("allocation_delay")?,
        pipeline_delay: delay("pipeline_delay")?,
        credit_delay: delay("credit_delay")?,
        channel_arbiter: arbiter(table.word("arbiter"))?,
        lane_arbiter: arbiter(table.word("lane_arbiter"))?,
        lane_choice: match table.word("lane_choice") {
            "lowest" => LaneChoice::Lowest,
            "round-robin" => LaneChoice::RoundRobin,
            _ => return None,
        },
    })
}

fn arbiter(word: &str) -> Option<Arbiter> {
    Some(match word {
        "random" => Arbiter::Random,
        "round-robin" => Arbiter::RoundRobin,
        "earliest" => Arbiter::Earliest,
        _ => return None,
    })
}

/// Flits of a lane: given, or an equal part of the storage.
fn depth(table: &Record, lanes: u64, mistakes: &mut Diagnostics) -> Option<u16> {
    if table.faulty.contains(&"depth") || table.faulty.contains(&"storage") {
        return None;
    }
    let Some(storage) = table.whole("storage") else {
        return u16::try_from(table.whole("depth").unwrap_or(DEPTH)).ok();
    };
    let each = storage / lanes;
    let fits = storage.is_multiple_of(lanes) && each > 0;
    if let (true, Ok(depth)) = (fits, u16::try_from(each)) {
        return Some(depth);
    }
    let near = storage
        .next_multiple_of(lanes)
        .min(lanes * u64::from(u16::MAX));
    mistakes.push(
        Diagnostic::error(
            "bad-storage",
            format!("{storage} flits can't be divided among {lanes} lanes"),
        )
        .at(table.at("storage"), "of all lanes of a channel")
        .at(table.at("lanes"), format!("{lanes} lanes"))
        .note("every lane has the same number of flits, 1 to 65535")
        .help(format!(
            "write `storage = {near}`, or `depth` for the flits of one lane"
        )),
    );
    None
}

fn multiplexed(table: &Record, mistakes: &mut Diagnostics) -> Option<Switch> {
    let iterations = table.whole("iterations");
    let allocator = match table.word("allocator") {
        "separable-input-first" => Allocator::SeparableInputFirst,
        "separable-output-first" => Allocator::SeparableOutputFirst,
        "islip" => Allocator::Islip {
            iterations: iterations.unwrap_or(1) as u8,
        },
        _ => return None,
    };
    if iterations.is_some() && !matches!(allocator, Allocator::Islip { .. }) {
        let word = table.word("allocator");
        mistakes.push(
            Diagnostic::error(
                "no-meaning",
                format!("`iterations` has no meaning with allocator `{word}`"),
            )
            .at(table.at("iterations"), format!("the allocator is `{word}`"))
            .help("leave it out, or choose `islip`"),
        );
    }
    let (output_buffer, speedup) = (table.whole("output_buffer")?, table.whole("speedup")?);
    if speedup > 1 && output_buffer == 0 {
        mistakes.push(
            Diagnostic::error("no-buffer", "a switch with speedup needs an output buffer")
                .at(
                    table.at("speedup"),
                    format!("{speedup} flits a cycle for one channel"),
                )
                .note("a channel takes one flit a cycle; the others have to wait somewhere")
                .help(format!("add `output_buffer = {}`", 2 * speedup)),
        );
    }
    Some(Switch::Multiplexed {
        allocator,
        output_buffer: output_buffer as u16,
        speedup: speedup as u8,
    })
}
