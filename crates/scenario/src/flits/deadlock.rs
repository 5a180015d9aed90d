//! May packets wait for each other in a cycle?
//!
//! Only what is sent counts: of each group of virtual channels the pairs of terminals that its
//! classes name by pattern, matrix, hot spots or trace, and answers the other way.

use backwater_flit::dependency::{Dependency, Packets, dependency_of};
use backwater_flit::routing::Routing;
use backwater_flit::spec::{FabricSpec, Graph};
use backwater_flit::traffic::pairs::Pairs;

use super::checks::groups;
use super::whole::routing_at;
use crate::given::flits::FlitFile;
use crate::given::flits::network::RoutingKind;
use crate::given::flits::router::{Forwarding, Release};
use crate::language::suggest;
use crate::language::typed::Word;
use crate::prelude::*;

/// Channels of a cycle that are shown.
const SHOWN: usize = 8;

/// What lets packets wait for each other in a cycle.
struct Threat {
    /// The key that allows it, and how.
    at: At,
    label: String,
    help: &'static str,
    /// May headers wait for adaptive VCs alone?
    wait_for_adaptive: bool,
}

impl Threat {
    /// Of the rules that allow a cycle somewhere; those made for a topology are known to have none.
    fn of(file: &FlitFile, rule: RoutingKind) -> Option<Self> {
        let by_rule = |help| Self {
            at: routing_at(file),
            label: format!("`{}` allows it here", rule.word()),
            help,
            wait_for_adaptive: false,
        };
        let router = &file.router;
        match rule {
            RoutingKind::Unrestricted => Some(by_rule("choose `dateline` with 2 VCs or more")),
            RoutingKind::Table => Some(by_rule(
                "VCs don't help here: choose a rule made for the topology, or change the network",
            )),
            // A header that takes an adaptive VC whose buffer is full has given up its escape.
            RoutingKind::MinimalAdaptive
                if *router.release == Release::TailSent
                    && *router.forwarding != Forwarding::CutThrough =>
            {
                Some(Self {
                    at: router.release.at.clone(),
                    label: "a VC is given away while its buffer may be full".into(),
                    help: "write `release = \"drained\"` or `forwarding = \"cut-through\"`",
                    wait_for_adaptive: true,
                })
            }
            RoutingKind::MinimalAdaptive
            | RoutingKind::DestinationTag
            | RoutingKind::DimensionOrder
            | RoutingKind::Dateline
            | RoutingKind::O1turn
            | RoutingKind::Valiant
            | RoutingKind::NearestCommonAncestor
            | RoutingKind::NearestCommonAncestorRandom => None,
        }
    }

    fn warning(self, who: Option<String>, cycle: String) -> Diagnostic {
        let adaptive = "a header that waits behind another packet can't take the escape any more";
        let adaptive = self.wait_for_adaptive.then(|| adaptive.into());
        Diagnostic::warning("deadlock", "packets may wait for each other in a cycle")
            .at(&self.at, self.label)
            .note_if(adaptive)
            .note(format!("each may wait for the next channel: {cycle}"))
            .note_if(who)
            .note("the run ends when nothing moves for `run.stall` cycles, and names the packets")
            .help(self.help)
    }

    fn not_checked(self, why: String) -> Diagnostic {
        Diagnostic::warning(
            "not-checked",
            "whether packets can deadlock was not examined",
        )
        .at(&self.at, self.label)
        .note(why)
        .note("the run ends when nothing moves for `run.stall` cycles, and names the packets")
        .help(self.help)
    }

    fn not_by_this_traffic(self, traffic: &At) -> Diagnostic {
        Diagnostic::note_of(
            "deadlock",
            "what is sent here can't deadlock; other traffic may",
        )
        .at(&self.at, self.label)
        .at(traffic, "pairs of terminals that send to each other")
        .note("the routes of the packets that are sent close no cycle of channels")
    }
}

/// Names a cycle of channels that the packets which are sent may wait around. Where only others
/// would, it says so.
pub(crate) fn warn(
    file: &FlitFile,
    rule: RoutingKind,
    spec: &FabricSpec,
    routing: &Routing,
) -> Option<Diagnostic> {
    let threat = Threat::of(file, rule)?;
    let graph = &spec.graph;
    let groups = groups(&spec.classes);
    let all = Pairs::all(graph);
    let mut are_all = false;
    for group in 0..groups {
        let packets = Packets {
            group,
            pairs: Pairs::of(spec, group).ok()?,
            wait_for_adaptive: threat.wait_for_adaptive,
        };
        are_all |= packets.pairs == all;
        match dependency_of(graph, routing, &packets) {
            Dependency::Acyclic => {}
            Dependency::NotChecked(why) => return Some(threat.not_checked(why)),
            Dependency::Cycle(cycle) => {
                let who = (packets.pairs != all || groups > 1).then(|| senders(spec, group));
                return Some(threat.warning(who, around(graph, &cycle)));
            }
        }
    }
    if are_all {
        return None;
    }
    let packets = Packets {
        wait_for_adaptive: threat.wait_for_adaptive,
        ..Packets::all(graph)
    };
    match dependency_of(graph, routing, &packets) {
        Dependency::Acyclic => None,
        Dependency::Cycle(_) | Dependency::NotChecked(_) => {
            Some(threat.not_by_this_traffic(&file.traffic.at))
        }
    }
}

/// "counted are the pairs of terminals between which `a` and `b` send".
fn senders(spec: &FabricSpec, group: u8) -> String {
    let classes = spec
        .classes
        .iter()
        .filter(|class| class.lane_group == group);
    let names: Vec<&str> = classes.map(|class| class.name.as_str()).collect();
    let named = suggest::first(
        &names,
        SHOWN,
        |name| format!("`{name}`"),
        |more| format!(" and {more} more"),
    );
    format!("counted are the packets that are sent, here those of {named}")
}

/// "0 -> 1, 1 -> 2, 2 -> 0".
fn around(graph: &Graph, cycle: &[(u32, u32)]) -> String {
    let name = |router: u32| match graph.names.get(router as usize) {
        Some(name) => name.clone(),
        None => router.to_string(),
    };
    let channels = |(channel, _): &(u32, u32)| {
        let channel = &graph.channels[*channel as usize];
        format!("{} -> {}", name(channel.from), name(channel.to))
    };
    let named = suggest::first(cycle, SHOWN, channels, |more| format!(" and {more} more"));
    format!("{named}, and the first again")
}
