use super::bins::Seen;
use super::*;

fn units() -> Units {
    Units {
        time: "us",
        time_scale: 1e-6,
        queue: "kB",
        queue_scale: 1e-3,
        stop: "stopped",
        buffer: "queue",
        busy_per_step: 1,
    }
}

/// `hosts` hosts at each of two switches.
fn network(hosts: usize) -> Network {
    let mut network = Network {
        names: vec!["A".into(), "B".into()],
        is_host: vec![false, false],
        channels: vec![(0, 1), (1, 0)],
        ..Network::default()
    };
    for switch in 0..2 {
        for host in 0..hosts {
            let node = network.names.len();
            network.names.push(format!("h{switch}-{host}"));
            network.is_host.push(true);
            network.channels.extend([(node, switch), (switch, node)]);
        }
    }
    network.places = vec![None; network.names.len()];
    network.flows = vec![vec!["one".into(), "two".into()]; network.channels.len()];
    network
}

/// Channel 0 is busy half the time and stopped a quarter of it.
fn bins(channels: usize) -> Bins {
    let mut bins = Bins::new(channels, 10);
    for look in 1..=4_u64 {
        let seen = |channel: usize| Seen {
            busy: if channel == 0 { look * 5 } else { look * 10 },
            stopped: [if channel == 0 { look * 10 / 4 } else { 0 }; 8],
            queued: look * channel as u64,
            ..Seen::default()
        };
        bins.look(look * 10, (0..channels).map(seen));
    }
    bins
}

#[test]
fn an_arc_shows_load_stops_and_queue_of_its_channel() {
    let network = network(1);
    let map = drawn(&network, &bins(6), units()).expect("it is drawn");
    assert_eq!((map.nodes.len(), map.arcs.len()), (4, 6));
    let arc = map
        .arcs
        .iter()
        .find(|arc| arc.channels == [0])
        .expect("A to B");
    assert_eq!((arc.load[0], arc.stopped[0], arc.queued[0]), (100, 50, 0));
    let other = map
        .arcs
        .iter()
        .find(|arc| arc.channels == [5])
        .expect("a host");
    assert_eq!(
        (other.load[0], other.stopped[0], other.queued[0]),
        (200, 0, 20)
    );
    assert_eq!((arc.flows.len(), arc.flows_all), (2, 2));
    assert!(map.has_stops());
    assert!(map.ends.len() == 1 && (map.ends[0] - 40e-6).abs() < 1e-12);
}

#[test]
fn many_hosts_of_a_switch_are_one_node() {
    let network = network(100);
    let channels = network.channels.len();
    let map = drawn(&network, &bins(channels), units()).expect("it is drawn");
    let names: Vec<&str> = map.nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["A", "B", "100 hosts", "100 hosts"]);
    let folded: usize = map.arcs.iter().map(|arc| arc.channels.len()).sum();
    assert_eq!(folded, channels);
    let queued: u64 = map.arcs.iter().map(|arc| arc.queued[0]).sum();
    assert_eq!(
        queued,
        (0..channels as u64).map(|channel| 4 * channel).sum::<u64>()
    );
    assert!(map.folded.contains("200 hosts"));
}

#[test]
fn parts_are_rounded_and_something_is_never_nothing() {
    assert_eq!(
        [part(0, 9), part(1, 1_000_000), part(1, 2), part(9, 9)],
        [0, 1, 100, 200]
    );
    assert_eq!(part(10, 0), 200);
}
