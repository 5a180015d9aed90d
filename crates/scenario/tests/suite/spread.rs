//! Circuits over several shortest paths: `switch.spread`.

use std::collections::{BTreeMap, BTreeSet};

use backwater_kernel::Channels;
use backwater_net::spec::NetworkSpec;
use backwater_scenario::{Scenario, Set, Source, parse};

/// A fat tree of 16 hosts; 64 flows from a host of the first pod to one of the third, over four
/// core switches.
const FAT_TREE: &str = r#"
[run]
duration = "1 ms"
[link]
rate = "622 Mbps"
delay = "10 cells"
[topology]
kind = "fat-tree"
ports = 4
[[flows]]
name = "across"
count = 64
from = "H1_1_1"
to = "H3_2_1"
"#;

fn read(text: &str, sets: &[&str]) -> NetworkSpec {
    let sets: Vec<Set> = sets
        .iter()
        .map(|set| Set::new(set).expect("key=value"))
        .collect();
    let scenario: Scenario = parse(&Source::new("test.toml", text), &sets).expect("no mistakes");
    scenario.packet().expect("cells").network.clone()
}

/// The names of the nodes behind each channel of a flow.
fn nodes(network: &NetworkSpec, flow: usize) -> Vec<String> {
    let legs = network.flows[flow].legs.iter();
    let head = |channel: u32| {
        network.nodes[network.links.ends(channel).1 as usize]
            .name
            .clone()
    };
    legs.map(|leg| head(leg.channel)).collect()
}

/// How many flows cross each core switch.
fn cores(network: &NetworkSpec) -> BTreeMap<String, usize> {
    let mut cores = BTreeMap::new();
    for flow in 0..network.flows.len() {
        let way = nodes(network, flow);
        assert_eq!(way.len(), 6, "a shortest way: {way:?}");
        *cores.entry(way[2].clone()).or_default() += 1;
    }
    cores
}

const FLOWS: &str = "switch.spread=flows";

#[test]
fn flows_are_spread_over_all_cores() {
    let found = cores(&read(FAT_TREE, &[FLOWS]));
    assert_eq!(found.len(), 4, "{found:?}");
    assert!(
        found.values().all(|count| (8..=24).contains(count)),
        "{found:?}"
    );
    // Without it all take the first way.
    assert_eq!(cores(&read(FAT_TREE, &[])).len(), 1);
    assert_eq!(cores(&read(FAT_TREE, &["switch.spread=first"])).len(), 1);
}

#[test]
fn the_hash_is_of_seed_flow_and_node_only() {
    let ways = |sets: &[&str]| {
        let network = read(FAT_TREE, sets);
        let cores = (0..8).map(|flow| nodes(&network, flow)[2].clone());
        cores.collect::<Vec<_>>().join(" ")
    };
    // The same on every machine.
    assert_eq!(ways(&[FLOWS]), "C3 C4 C1 C3 C2 C2 C2 C3");
    assert_eq!(ways(&[FLOWS]), ways(&[FLOWS, "run.duration=2 ms"]));
    assert_ne!(ways(&[FLOWS]), ways(&[FLOWS, "run.seed=2"]));
}

#[test]
fn the_ways_of_a_multicast_are_a_tree() {
    for seed in 1..20 {
        let text = FAT_TREE.replace(
            "\"H3_2_1\"",
            "[\"H3_2_1\", \"H3_1_2\", \"H2_1_1\", \"H4_2_2\"]",
        );
        let network = read(&text, &[FLOWS, &format!("run.seed={seed}")]);
        for (flow, spec) in network.flows.iter().enumerate() {
            let met = nodes(&network, flow);
            let different: BTreeSet<&String> = met.iter().collect();
            assert_eq!(different.len(), met.len(), "no node is met twice: {met:?}");
            for leg in &spec.legs {
                let from = network.links.ends(leg.channel).0;
                let parent = leg.parent.map(|parent| spec.legs[parent as usize].channel);
                let before = parent.map_or(spec.source, |channel| network.links.ends(channel).1);
                assert_eq!(from, before);
            }
        }
    }
}

#[test]
fn a_path_that_is_given_is_taken() {
    let path = r#"path = ["H1_1_1", "E1_1", "A1_1", "C2", "A3_1", "E3_2", "H3_2_1"]"#;
    let network = read(&format!("{FAT_TREE}{path}\n"), &[FLOWS]);
    assert_eq!(cores(&network), BTreeMap::from([("C2".to_string(), 64)]));
}

#[test]
fn where_there_is_one_way_nothing_changes() {
    let line = FAT_TREE
        .replace(
            "kind = \"fat-tree\"\nports = 4",
            "kind = \"line\"\nswitches = 3",
        )
        .replace("H1_1_1", "H1_1")
        .replace("H3_2_1", "H3_1");
    let (first, spread) = (read(&line, &[]), read(&line, &[FLOWS]));
    assert_eq!(nodes(&first, 0), nodes(&spread, 0));
    assert_eq!(nodes(&first, 63), nodes(&spread, 63));
}
