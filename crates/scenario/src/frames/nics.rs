//! Which of its links a frame leaves a host by.

use std::collections::BTreeMap;

use backwater_net::frames::spec::{NicRule, NicSpec};

use super::flows::Flows;
use super::net::Net;
use crate::given::frames::EthernetFile;
use crate::given::frames::switch::Nodes;
use crate::prelude::*;

/// Rules of hosts with several links, and the rail of each flow where some host goes by that.
pub(crate) fn nics(
    file: &EthernetFile,
    net: &Net<'_>,
    own: &BTreeMap<u32, &Nodes>,
    flows: &Flows<'_>,
    mistakes: &mut Diagnostics,
) -> (Vec<NicSpec>, Vec<u32>) {
    for (node, own) in own.iter().filter(|(node, _)| net.forwards(**node)) {
        if let Some(at) = own.nic.place() {
            Diagnostic::error("not-a-host", format!("`{}` is a switch", net.name(*node)))
                .at(at, "hosts choose among their links so")
                .help("switches choose by `switch.spread`")
                .tell(mistakes);
        }
    }
    let several = |host: &u32| net.neighbours[*host as usize].len() > 1;
    let rule = |host: u32| NicSpec {
        node: host,
        rule: net.nic(file, host),
    };
    let nics = net.hosts().into_iter().filter(several).map(rule);
    let nics: Vec<NicSpec> = nics.filter(|nic| nic.rule != NicRule::Hash).collect();
    let has_rails = nics.iter().any(|nic| nic.rule == NicRule::Rail);
    if !has_rails {
        let given = flows
            .tables
            .iter()
            .find_map(|table| table.settings.rail.place());
        if let Some(at) = given {
            Diagnostic::warning("no-meaning", "no host goes by rails")
                .at(at, "decides nothing")
                .help("write `host.nic = \"rail\"`, and give hosts several links")
                .tell(mistakes);
        }
        return (nics, Vec::new());
    }
    // The flows of a host take its links in turn.
    let mut next: BTreeMap<u32, u32> = BTreeMap::new();
    let rails = flows.specs.iter().zip(&flows.tables).map(|(flow, table)| {
        let turn = next.entry(flow.source).or_default();
        match *table.settings.rail {
            Some(rail) => rail - 1,
            None => {
                *turn = turn.wrapping_add(1);
                turn.wrapping_sub(1)
            }
        }
    });
    let rails = rails.collect();
    (nics, rails)
}
