//! Shapes against their definitions, files against what they say.

use alloc::collections::BTreeSet;
use alloc::string::ToString;
use alloc::vec;

use super::*;

/// Both ends of every channel.
fn ends(graph: &Graph) -> Vec<(u32, u32)> {
    graph
        .channels
        .iter()
        .map(|channel| (channel.from, channel.to))
        .collect()
}

/// Digits of a number, lowest first.
fn digits(number: u32, sides: &[u32]) -> Vec<u32> {
    let mut rest = number;
    let digit = |side: &u32| {
        let digit = rest % side;
        rest /= side;
        digit
    };
    sides.iter().map(digit).collect()
}

#[test]
fn a_small_fly_is_wired_as_drawn() {
    // The 2-ary 3-fly: stage 0 exchanges halves, stage 1 quarters.
    let graph = fly(2, 3, 1).unwrap();
    let [stage_0, stage_1] = [&ends(&graph)[..8], &ends(&graph)[8..]];
    assert_eq!(
        stage_0,
        [
            (0, 4),
            (0, 6),
            (1, 5),
            (1, 7),
            (2, 4),
            (2, 6),
            (3, 5),
            (3, 7)
        ]
    );
    assert_eq!(
        stage_1,
        [
            (4, 8),
            (4, 9),
            (5, 8),
            (5, 9),
            (6, 10),
            (6, 11),
            (7, 10),
            (7, 11)
        ]
    );
    assert_eq!(graph.inject, [0, 0, 1, 1, 2, 2, 3, 3]);
    assert_eq!(graph.eject, [8, 8, 9, 9, 10, 10, 11, 11]);
}

#[test]
fn neighbours_of_mesh_and_torus_differ_by_one_step_in_one_dimension() {
    let sides = [3, 1, 4, 2];
    for (graph, wraps) in [(mesh(&sides, 1, 1), false), (torus(&sides, 1, 1), true)] {
        let graph = graph.unwrap();
        let mut expected = Vec::new();
        for router in 0..24 {
            let at = digits(router, &sides);
            let mut stride = 1;
            for (at, side) in at.iter().copied().zip(sides) {
                let base = router - at * stride;
                if side > 1 && (at + 1 < side || wraps) {
                    expected.push((router, base + (at + 1) % side * stride));
                }
                if side > 1 && (at > 0 || wraps) {
                    expected.push((router, base + (at + side - 1) % side * stride));
                }
                stride *= side;
            }
        }
        assert_eq!(ends(&graph), expected);
    }
}

#[test]
fn a_fat_tree_joins_numbers_that_differ_in_the_digit_of_the_level() {
    let (k, n) = (3, 3);
    let graph = fat_tree(k, n, 1).unwrap();
    let ends = ends(&graph);
    let set: BTreeSet<_> = ends.iter().copied().collect();
    assert_eq!((graph.routers, ends.len(), set.len()), (27, 108, 108));
    for (from, to) in &ends {
        assert!(
            set.contains(&(*to, *from)),
            "no way back from {to} to {from}"
        );
        let level = (from / 9).min(to / 9);
        assert_eq!((from / 9).abs_diff(to / 9), 1);
        let (a, b) = (digits(from % 9, &[3, 3]), digits(to % 9, &[3, 3]));
        let differ = (0..2).filter(|digit| a[*digit] != b[*digit]);
        assert!(
            differ.into_iter().all(|digit| digit == level as usize),
            "{from} {to}"
        );
    }
    // Down ports come first: level 1 has three down, then three up.
    let of = |router| ends.iter().filter(move |e| e.0 == router).map(|e| e.1 / 9);
    assert_eq!(of(0).collect::<Vec<_>>(), [1, 1, 1]);
    assert_eq!(of(9).collect::<Vec<_>>(), [0, 0, 0, 2, 2, 2]);
    assert_eq!(of(18).collect::<Vec<_>>(), [1, 1, 1]);
    assert_eq!(graph.inject, graph.eject);
    assert_eq!(graph.inject[26], 8);
}

#[test]
fn full_and_crossbar() {
    let graph = full(3, 2, 7).unwrap();
    assert_eq!(
        ends(&graph),
        [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]
    );
    assert!(graph.channels.iter().all(|channel| channel.latency == 7));
    assert_eq!(graph.inject, [0, 0, 1, 1, 2, 2]);
    let graph = crossbar(5).unwrap();
    assert_eq!(
        (graph.routers, graph.channels.len(), graph.inject.len()),
        (1, 0, 5)
    );
}

#[test]
fn sizes_out_of_range_are_refused() {
    let big = u32::MAX;
    let cases = [
        fly(1, 3, 1),
        fly(2, 0, 1),
        fly(big, big, 1),
        fly(2, 25, 1),
        fly(70_000, 1, 1),
        mesh(&[], 1, 1),
        mesh(&[4, 0], 1, 1),
        mesh(&[1; 16], 1, 1),
        mesh(&[big, big, big], 1, 1),
        mesh(&[2, 2], big, 1),
        torus(&[4], 0, 1),
        torus(&[4], 1, 0),
        torus(&[4], 1, 5_000),
        torus(&[1 << 24, 2], 1, 1),
        fat_tree(2, 30, 1),
        fat_tree(big, 2, 1),
        full(0, 1, 1),
        full(big, 1, 1),
        full(70_000, 1, 1),
        crossbar(0),
        crossbar(70_000),
        crossbar(big),
    ];
    for (index, case) in cases.into_iter().enumerate() {
        let error = case
            .err()
            .unwrap_or_else(|| panic!("case {index} was accepted"));
        assert!(!error.0.is_empty());
    }
}

#[test]
fn a_million_routers() {
    let graph = torus(&[1024, 1024], 1, 1).unwrap();
    assert_eq!((graph.routers, graph.channels.len()), (1 << 20, 1 << 22));
    assert_eq!(verify(&graph), Ok(()));
}

#[test]
fn a_graph_that_is_not_its_shape_is_refused() {
    let sound = torus(&[4, 4], 1, 1).unwrap();
    assert_eq!(verify(&sound), Ok(()));
    let tampered: [fn(&mut Graph); 13] = [
        |graph| graph.channels.swap(0, 1),
        |graph| graph.channels[3].to = 16,
        |graph| graph.channels[3].from = 1,
        |graph| graph.channels[3].latency = 0,
        |graph| graph.channels.truncate(60),
        |graph| graph.inject.swap(0, 1),
        |graph| graph.eject[0] = 99,
        |graph| graph.eject.truncate(3),
        |graph| graph.routers = 15,
        |graph| graph.names = vec!["a".to_string()],
        |graph| graph.injection_latency = 0,
        |graph| graph.ejection_latency = 4_097,
        |graph| {
            graph.shape = Shape::Mesh {
                sides: vec![4, 4],
                terminals: 1,
            }
        },
    ];
    for (index, tamper) in tampered.into_iter().enumerate() {
        let mut graph = sound.clone();
        tamper(&mut graph);
        assert!(verify(&graph).is_err(), "case {index}");
    }
    let mut latencies = sound;
    latencies.channels[3].latency = 9;
    assert_eq!(verify(&latencies), Ok(()));
}

#[test]
fn anynet_reads_what_a_file_says() {
    let text = "# three routers\n\
        router 0 node 0 node 1 router 1 10 router 2 5\n\
        \n\
        router 1 node 2 router 0 3   # the way back\n\
        node 3 router 2\n";
    let graph = anynet(text).unwrap();
    let channels: Vec<_> = graph
        .channels
        .iter()
        .map(|c| (c.from, c.to, c.latency))
        .collect();
    // From 2 to 0 nothing is said: 1 cycle.
    assert_eq!(channels, [(0, 1, 10), (0, 2, 5), (1, 0, 3), (2, 0, 1)]);
    assert_eq!(graph.inject, [0, 0, 1, 2]);
    assert_eq!(graph.eject, graph.inject);
    assert_eq!((graph.injection_latency, graph.names.len()), (1, 3));
    let graph = anynet("router 0 node 0 4 node 1 4").unwrap();
    assert_eq!((graph.injection_latency, graph.ejection_latency), (4, 4));
    // Each node has its own, whichever end of the link the line begins with.
    let graph = anynet("router 0 node 0 node 1 5\nnode 2 router 0 7").unwrap();
    let of = |way: fn(&Graph, usize) -> u16| [0, 1, 2].map(|node| way(&graph, node));
    assert_eq!(
        (of(Graph::injection), of(Graph::ejection)),
        ([1, 5, 7], [1, 5, 7])
    );
}

#[test]
fn edge_lists_read_what_a_file_says() {
    let graph = edge_list(
        "hub a\nhub b 4 # slow\na -> b 2\nterminal b\nterminal b",
        1,
        3,
    )
    .unwrap();
    let channels: Vec<_> = graph
        .channels
        .iter()
        .map(|c| (c.from, c.to, c.latency))
        .collect();
    assert_eq!(
        channels,
        [(0, 1, 3), (0, 2, 4), (1, 0, 3), (1, 2, 2), (2, 0, 4)]
    );
    assert_eq!(graph.names, ["hub", "a", "b"]);
    assert_eq!(graph.inject, [2, 2]);
    // Numbers name themselves, in whatever order they come.
    let graph = edge_list("2 1\n0 -> 2", 2, 1).unwrap();
    assert_eq!(ends(&graph), [(0, 2), (1, 2), (2, 1)]);
    assert_eq!(graph.names, ["0", "1", "2"]);
    assert_eq!(graph.inject, [0, 0, 1, 1, 2, 2]);
    // With a gap they are names like others.
    assert_eq!(edge_list("3 1", 1, 1).unwrap().names, ["3", "1"]);
}

/// Reads texts with an error and checks its line and words.
fn check_errors(read: fn(&str) -> Result<Graph, FileError>, cases: &[(&str, u32, &str)]) {
    for (text, line, what) in cases {
        let error = read(text).expect_err(text);
        assert_eq!(error.line, *line, "{text:?}: {error}");
        assert!(error.what.contains(what), "{text:?}: {error}");
    }
}

#[test]
fn errors_in_anynet_name_the_line() {
    let cases = [
        ("", 1, "no node"),
        ("router 0 router 1", 1, "no node"),
        ("\nswitch 0 node 0", 2, "expected `router` or `node`"),
        ("router 0 node 0 link 1", 1, "`link`"),
        ("router x node 0", 1, "expected a number"),
        ("router", 1, "`` after `router`"),
        ("router 0 node 99999999999", 1, "0 to 16777215"),
        ("router 0 node 0 router 1 0", 1, "1 to 4096"),
        ("router 0 node 0 router 1 5000", 1, "1 to 4096"),
        ("router 0 node 0 router 0", 1, "itself"),
        ("node 0 node 1", 1, "to a router"),
        ("router 0 node 0\nrouter 1 node 0", 2, "one router"),
        ("router 0 node 0 2\nrouter 0 node 0 3", 2, "one latency"),
        ("router 0 node 0 5000", 1, "1 to 4096"),
        (
            "router 0 node 0 router 1 2\n\nrouter 0 router 1 3",
            3,
            "one latency",
        ),
        ("router 0 node 0\nrouter 0 node 2", 2, "no node 1"),
        ("router 0 node 0\nrouter 2 router 0", 2, "no router 1"),
    ];
    check_errors(anynet, &cases);
}

#[test]
fn errors_in_edge_lists_name_the_line() {
    let cases = [
        ("", 1, "routers"),
        ("a", 1, "allowed are"),
        ("a b\na b c d", 2, "allowed are"),
        ("a -> b 1 2", 1, "allowed are"),
        ("a ->", 1, "allowed are"),
        ("terminal", 1, "allowed are"),
        ("a b x", 1, "1 to 4096"),
        ("a a", 1, "itself"),
        ("a b\n# again\nb -> a", 3, "after line 1"),
    ];
    check_errors(|text| edge_list(text, 1, 1), &cases);
    let error = edge_list("a b", u32::MAX, 1).unwrap_err();
    assert!(error.what.contains("terminals"), "{error}");
    assert!(edge_list("a b", 0, 1).is_err());
}

#[test]
fn no_text_makes_a_parser_panic() {
    let words = [
        "router", "node", "terminal", "->", "0", "1", "2", "7", "a", "#", "\n", "\n", "x1",
    ];
    let mut stream = backwater_kernel::Stream::new(7, 0, backwater_kernel::Purpose::Traffic);
    let mut read = 0;
    for _ in 0..20_000 {
        let mut text = String::new();
        for _ in 0..stream.below(12) {
            text.push_str(words[stream.below(words.len() as u64) as usize]);
            text.push(' ');
        }
        for graph in [anynet(&text), edge_list(&text, 1, 1)] {
            read += u32::from(graph.is_ok_and(|graph| verify(&graph) == Ok(())));
        }
    }
    assert!(read > 100, "only {read} texts were sound");
}
