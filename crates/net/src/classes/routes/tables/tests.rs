use super::*;
use crate::frames::testing;
use crate::spec::frames::LinkSpec;

/// Nodes by kind, `true` for a switch, and links by their ends.
fn network(switches: &[bool], links: &[[u32; 2]]) -> EthernetSpec {
    let mut spec = testing::spec(None);
    let [station, switch] = [0, 1].map(|node| spec.nodes[node].clone());
    let channel = spec.links[0].channels[0].clone();
    let node = |is_switch: &bool| match is_switch {
        true => switch.clone(),
        false => station.clone(),
    };
    spec.nodes = switches.iter().map(node).collect();
    let link = |ends: &[u32; 2]| LinkSpec::symmetric(*ends, channel.clone());
    spec.links = links.iter().map(link).collect();
    spec.flows = Vec::new();
    spec.rules.routes = Vec::new();
    spec
}

/// By node and station, from a search of its own for each station, node by node.
fn searched(spec: &EthernetSpec) -> BTreeMap<(u32, u32), Vec<u32>> {
    let nodes = spec.nodes.len() as u32;
    let channels = 0..2 * spec.links.len() as u32;
    let ends: Vec<(u32, u32, u32)> = channels
        .filter_map(|channel| spec.ends(channel).map(|(from, to)| (channel, from, to)))
        .collect();
    let mut all = BTreeMap::new();
    for station in (0..nodes).filter(|node| !spec.is_switch(*node)) {
        let mut distance = vec![u32::MAX; nodes as usize];
        distance[station as usize] = 0;
        let is_through = |node: u32| node == station || spec.forwards(node);
        for _ in 0..nodes {
            for (_, from, to) in ends.iter().filter(|(.., to)| is_through(*to)) {
                let longer = distance[*to as usize].saturating_add(1);
                distance[*from as usize] = distance[*from as usize].min(longer);
            }
        }
        for node in 0..nodes {
            let is_next = |(_, from, to): &&(u32, u32, u32)| {
                let nearer = distance[*to as usize].checked_add(1);
                *from == node && is_through(*to) && nearer == Some(distance[node as usize])
            };
            let hops = ends.iter().filter(is_next);
            all.insert(
                (node, station),
                hops.map(|(channel, ..)| *channel).collect(),
            );
        }
    }
    for route in &spec.rules.routes {
        all.insert((route.node, route.destination), route.channels.clone());
    }
    all
}

fn assert_same(found: &Tables, wanted: &BTreeMap<(u32, u32), Vec<u32>>) {
    for ((node, station), wanted) in wanted {
        let found = found.next_hops(*node, *station);
        assert_eq!(found, wanted, "from node {node} to station {station}");
    }
}

/// Two spines, two leaves with three stations and one with a station; one that no link joins.
fn leaf_spine() -> EthernetSpec {
    let links = [
        [0, 2],
        [0, 3],
        [0, 4],
        [1, 2],
        [1, 3],
        [4, 1],
        [2, 5],
        [6, 2],
        [2, 7],
        [3, 8],
        [9, 3],
        [3, 10],
        [4, 11],
    ];
    let switches = [[true; 5].as_slice(), &[false; 8]].concat();
    network(&switches, &links)
}

#[test]
fn stations_on_one_switch_share_a_column() {
    let spec = leaf_spine();
    let found = Tables::new(&spec).expect("a sound network");
    assert_same(&found, &searched(&spec));
    // Five switches and the station without a link, the spines alike; three leaves and that
    // station.
    assert_eq!((found.sets.len(), found.choices.len()), (6, 5 * 4));
    assert_eq!(Tables::size(&spec), 5 * 4);
    // Both spines from another leaf, nothing to the one without a link.
    assert_eq!(found.next_hops(3, 6), [3, 9]);
    assert_eq!(found.next_hops(2, 6), [15]);
    assert_eq!(found.next_hops(5, 12), []);
}

#[test]
fn hops_that_many_columns_have_stand_once() {
    let found = Tables::new(&leaf_spine()).expect("a sound network");
    let [to_second, to_third] = [8, 11].map(|station| found.entry(2, station));
    assert_eq!(found.choices[to_second], found.choices[to_third]);
    assert_eq!(found.sets[2].len(), 2);
}

#[test]
fn stations_side_by_side_or_on_two_links_have_their_own() {
    // Two stations joined to each other; one with two links to its switch, one with two switches.
    let switches = [false, false, true, true, false, false, false];
    let links = [[0, 1], [2, 3], [2, 4], [4, 2], [2, 5], [5, 3], [6, 2]];
    let spec = network(&switches, &links);
    assert_same(&Tables::new(&spec).expect("sound"), &searched(&spec));
}

/// Any graph of a few switches and stations, with ways of its own from switches.
#[test]
fn random_networks_have_the_hops_of_a_search_from_each_station() {
    for seed in 0..300 {
        let draw = |what: u64, below: u64| mix(&[seed, what]) % below;
        let (switches, stations) = (1 + draw(0, 6), 1 + draw(1, 8));
        let kinds = (0..switches + stations).map(|node| node < switches);
        let kinds: Vec<bool> = kinds.collect();
        let nodes = switches + stations;
        // Each station has a link most of the time; more of them join anything.
        let mut links: Vec<[u32; 2]> = (switches..nodes)
            .filter(|node| draw(100 + node, 8) > 0)
            .map(|node| [node as u32, draw(200 + node, switches) as u32])
            .collect();
        links.extend((0..draw(2, 12)).map(|link| {
            let from = draw(300 + link, nodes) as u32;
            let to = draw(400 + link, nodes - 1) as u32;
            [from, if to < from { to } else { to + 1 }]
        }));
        let mut spec = network(&kinds, &links);
        // In two of nine networks a third or two thirds of the stations forward.
        let forwards = |node: &u32| draw(800 + u64::from(*node), 9) < seed % 9;
        if seed % 3 == 0 {
            let stations = switches as u32..nodes as u32;
            spec.rules.forwarders = stations.filter(forwards).collect();
        }
        let plain = searched(&spec);
        for route in 0..draw(3, 4) {
            let node = draw(500 + route, switches) as u32;
            let destination = (switches + draw(600 + route, stations)) as u32;
            let leaves = |channel: &u32| spec.ends(*channel).is_some_and(|ends| ends.0 == node);
            let leaving = (0..2 * links.len() as u32).filter(leaves);
            let channels: Vec<u32> = leaving.take(1 + draw(700 + route, 2) as usize).collect();
            // Where no link leads to a station, no way of its own does.
            let is_reached = !plain[&(node, destination)].is_empty();
            if is_reached && !channels.is_empty() {
                spec.rules.routes.push(RouteSpec {
                    node,
                    destination,
                    channels,
                });
            }
        }
        let found = Tables::new(&spec).expect("sound");
        assert_same(&found, &searched(&spec));
        assert_eq!(found.choices.len() as u64, Tables::size(&spec));
    }
}

/// Negative control.
#[test]
#[should_panic(expected = "from node 2 to station 6")]
fn a_last_hop_of_another_station_is_found_out() {
    let spec = leaf_spine();
    let mut found = Tables::new(&spec).expect("a sound network");
    found.last[6] = found.last[5];
    assert_same(&found, &searched(&spec));
}

#[test]
fn a_route_over_a_channel_that_leaves_elsewhere_is_refused() {
    for (node, destination, channels) in [
        (2, 6, &[3, 0][..]),
        (2, 0, &[3]),
        (2, 99, &[3]),
        (2, 6, &[]),
    ] {
        let mut spec = leaf_spine();
        spec.rules.routes = vec![RouteSpec {
            node,
            destination,
            channels: channels.to_vec(),
        }];
        assert!(Tables::new(&spec).is_err(), "{node} to {destination}");
    }
}
