//! Which of its links a frame leaves a host by, and what goes through hosts.

use std::collections::BTreeMap;

use backwater_net::frames::spec::{NicRule, NicSpec};

use super::flows::Flows;
use super::net::Net;
use crate::given::frames::EthernetFile;
use crate::given::frames::switch::Nodes;
use crate::prelude::*;

/// Paths lead through hosts that are asked to forward, all or some.
pub(crate) fn forwarders(file: &EthernetFile, net: &mut Net<'_>, mistakes: &mut Diagnostics) {
    if *file.host.forwards {
        net.hosts()
            .into_iter()
            .for_each(|host| net.lead_through(host, true));
    }
    for own in &file.nodes {
        let Some(forwards) = *own.forwards else {
            continue;
        };
        for (name, at) in own.name.iter() {
            let Ok(node) = net.find(name, at) else {
                continue;
            };
            if net.is_switch(node) {
                Diagnostic::error("not-a-host", format!("`{name}` is a switch"))
                    .at(at, "a switch: it forwards")
                    .help("switches forward: leave `forwards` out")
                    .tell(mistakes);
                continue;
            }
            net.lead_through(node, forwards);
            if forwards && net.neighbours[node as usize].len() < 2 {
                Diagnostic::warning("no-meaning", format!("`{name}` has one link"))
                    .at(at, "nothing comes over one link and leaves by another")
                    .help("give it a second link, or leave `forwards` out")
                    .tell(mistakes);
            }
        }
    }
}

/// Rules of hosts with several links, and the rail of each flow where some host goes by that.
pub(crate) fn nics(
    file: &EthernetFile,
    net: &Net<'_>,
    own: &BTreeMap<u32, &Nodes>,
    flows: &Flows<'_>,
    mistakes: &mut Diagnostics,
) -> (Vec<NicSpec>, Vec<u32>) {
    for (node, own) in own.iter().filter(|(node, _)| net.is_switch(**node)) {
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
