use super::bins::Seen;
use super::*;

fn units() -> Units {
    Units {
        time: "us",
        time_scale: 1e-6,
        other_time: None,
        queue: "kB",
        queue_scale: 1e-3,
        stop: "stopped",
        stops_are_exact: true,
        by: "stopped by",
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
            stopped: [if channel == 0 { look * 10 / 4 } else { 0 }; 32],
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
    let drawn = over_time(&network, &bins(6), units()).expect("it was recorded");
    let map = drawn.map.expect("it is small");
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
    assert!(drawn.ends.len() == 1 && (drawn.ends[0] - 40e-6).abs() < 1e-12);
}

#[test]
fn many_hosts_of_a_switch_are_one_node() {
    let network = network(100);
    let channels = network.channels.len();
    let drawn = over_time(&network, &bins(channels), units()).expect("it was recorded");
    let map = drawn.map.expect("it is small once folded");
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
    assert_eq!(drawn.map_left_out, "");
}

#[test]
fn a_map_that_is_too_large_says_so() {
    let mut network = network(1);
    network.names.resize(401, "more".into());
    network.is_host.resize(401, false);
    network.places.resize(401, None);
    let drawn = over_time(&network, &bins(network.channels.len()), units());
    let drawn = drawn.expect("it was recorded");
    assert!(drawn.map.is_none());
    assert!(
        drawn.map_left_out.contains("401 nodes"),
        "{}",
        drawn.map_left_out
    );
}

/// Captions and names lie inside the drawing, whatever is drawn.
#[test]
fn a_small_map_holds_its_words() {
    let mut network = network(1);
    network.names[0] = "the-one-and-only-top-of-rack-switch-number-7".into();
    let mut units = units();
    (units.queue, units.queue_scale) = ("cells", 1.0 / 52.0);
    let drawn = over_time(&network, &bins(network.channels.len()), units);
    let drawings = crate::drawn::strip::drawings(&drawn.expect("it was recorded"));
    let map = &drawings[0].1;
    assert!(map.contains(">the-on…mber-7<"), "{map}");
    let texts = map
        .split("<text")
        .skip(1)
        .filter_map(|text| text.split(['>', '<']).nth(1));
    let longest = texts.map(|text| text.chars().count()).max();
    let width = map
        .split("viewBox=\"0 0 ")
        .nth(1)
        .and_then(|size| size.split(' ').next());
    let width: usize = width
        .and_then(|width| width.parse().ok())
        .expect("it has a width");
    assert!(longest < Some(width / 7), "{longest:?} letters, {width} px");
    for (_, strip) in &drawings[1..] {
        // Shades from nothing to all, and what both ends mean.
        assert_eq!(strip.matches("y=\"16\"").count(), 16);
    }
}

/// By bin and channel: time stopped and queue.
fn seen(rows: &[&[(u64, u64)]]) -> Bins {
    let channels = rows[0].len();
    let mut bins = Bins::new(channels, 10);
    let mut stopped = vec![0; channels];
    for (at, row) in (0..).zip(rows.iter().flat_map(|row| [row; 4])) {
        for (sum, (own, _)) in stopped.iter_mut().zip(*row) {
            *sum += own / 4;
        }
        let channels = row.iter().zip(&stopped);
        let look = channels.map(|((_, queued), stopped)| Seen {
            stopped: [*stopped; 32],
            queued: *queued,
            ..Seen::default()
        });
        bins.look((at + 1) * 10, look);
    }
    bins
}

/// A stops in the second bin, a host in the first, B never; the host has the largest queue.
#[test]
fn ports_stand_in_the_order_in_which_they_were_stopped_and_by_their_queues() {
    let mut network = network(1);
    network.channels.push((0, 1));
    let bins = seen(&[
        &[(0, 3), (0, 0), (20, 9), (0, 0), (0, 0), (0, 0), (0, 0)],
        &[(40, 5), (0, 0), (40, 9), (0, 0), (0, 0), (0, 7), (0, 1)],
    ]);
    let drawn = over_time(&network, &bins, units()).expect("it was recorded");
    let ports = &drawn.ports;
    let names = |rows: &[usize]| -> Vec<String> {
        let rows = rows.iter().map(|at| ports.ports[*at].name());
        rows.collect()
    };
    assert_eq!(names(&ports.stops), ["h0-0 → A", "A → B"]);
    let queues = ["B → h1-0", "A → B", "A → B (2)", "h0-0 → A"];
    assert_eq!(names(&ports.queues), queues);
    assert_eq!((ports.stops_all, ports.queues_all), (2, 4));
    assert_eq!(ports.queue_most(), 7, "of a switch");
    let host = &ports.ports[ports.stops[0]];
    assert_eq!(
        (&host.stopped[..], &host.queued[..]),
        (&[100, 200][..], &[9, 9][..])
    );
    assert_eq!(drawn.start, 1, "the largest backlog");
}

#[test]
fn what_is_drawn_opens_at_the_end_where_something_can_not_move() {
    let mut network = network(1);
    let bins = seen(&[&[(0, 9); 6], &[(0, 1); 6]]);
    let start = |network: &Network| over_time(network, &bins, units()).map(|drawn| drawn.start);
    assert_eq!(start(&network), Some(0));
    network.stuck.push((0, "3 frames".into()));
    assert_eq!(start(&network), Some(1));
}

#[test]
fn parts_are_rounded_and_something_is_never_nothing() {
    assert_eq!(
        [part(0, 9), part(1, 1_000_000), part(1, 2), part(9, 9)],
        [0, 1, 100, 200]
    );
    assert_eq!(part(10, 0), 200);
}
