use super::*;

/// Hosts first, one at each switch of `at`; then switches joined by `trunks`.
fn network(at: &[usize], switches: usize, trunks: &[(usize, usize)]) -> Graph {
    let hosts = at.len();
    let mut is_host = vec![true; hosts];
    is_host.extend(vec![false; switches]);
    let mut edges: Vec<_> = at
        .iter()
        .enumerate()
        .map(|(host, at)| (host, hosts + at))
        .collect();
    edges.extend(trunks.iter().map(|(a, b)| (hosts + a, hosts + b)));
    Graph::new(is_host, edges)
}

fn closest(places: &[Position]) -> f64 {
    let mut least = f64::MAX;
    for (index, a) in places.iter().enumerate() {
        for b in &places[..index] {
            let square = (a.0 - b.0) * (a.0 - b.0) + (a.1 - b.1) * (a.1 - b.1);
            least = least.min(square.sqrt());
        }
    }
    least
}

#[test]
fn turns_are_sines() {
    for part in 0..1000 {
        let part = f64::from(part) / 1000.0;
        let (cos, sin) = turn(part);
        let angle = part * std::f64::consts::TAU;
        assert!((cos - angle.cos()).abs() < 1e-12 && (sin - angle.sin()).abs() < 1e-12);
    }
}

#[test]
fn a_line_of_switches_is_a_line() {
    let graph = network(&[0, 0, 1, 3], 4, &[(0, 1), (1, 2), (2, 3)]);
    let places = layout(&graph, &Known::Nothing);
    assert!(places[4..].iter().all(|place| place.1 == 0.0));
    assert!(places[4..].windows(2).all(|pair| pair[0].0 < pair[1].0));
    assert!(places[0].0 < places[4].0 && places[3].0 > places[7].0);
    assert!(closest(&places) > 0.5);
}

#[test]
fn trees_stand_in_layers() {
    // Four leaves of two hosts, two spines.
    let trunks: Vec<_> = (0..4).flat_map(|leaf| [(leaf, 4), (leaf, 5)]).collect();
    let places = layout(
        &network(&[0, 0, 1, 1, 2, 2, 3, 3], 6, &trunks),
        &Known::Nothing,
    );
    let row = |nodes: std::ops::Range<usize>| {
        let first = places[nodes.start].1;
        assert!(places[nodes].iter().all(|place| place.1 == first));
        first
    };
    let (hosts, leaves, spines) = (row(0..8), row(8..12), row(12..14));
    assert!(hosts > leaves && leaves > spines, "hosts are below");
    for (host, place) in places[..8].iter().enumerate() {
        assert!(
            (place.0 - places[8 + host / 2].0).abs() < 1.0,
            "under its leaf"
        );
    }
    assert!(closest(&places) > 0.5);
}

#[test]
fn rings_are_round() {
    let trunks: Vec<_> = (0..6).map(|at| (at, (at + 1) % 6)).collect();
    let places = layout(&network(&[0, 1, 2, 3, 4, 5], 6, &trunks), &Known::Nothing);
    let radius = |place: &Position| (place.0 * place.0 + place.1 * place.1).sqrt();
    let first = radius(&places[6]);
    assert!(
        places[6..]
            .iter()
            .all(|place| (radius(place) - first).abs() < 1e-9)
    );
    assert!(places[..6].iter().all(|place| radius(place) > first + 0.5));
}

/// Whatever the network, nodes stand apart, and a second time they stand in the same places.
#[test]
fn any_network_is_drawn_with_nodes_apart() {
    let mut state = 7_u64;
    let mut draw = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % below
    };
    for _ in 0..25 {
        let switches = 1 + draw(14);
        let at: Vec<usize> = (0..draw(30)).map(|_| draw(switches)).collect();
        let mut trunks: Vec<_> = (1..switches).map(|one| (draw(one), one)).collect();
        for _ in 0..draw(6) {
            let (a, b) = (draw(switches), draw(switches));
            if a != b {
                trunks.push((a, b));
            }
        }
        let graph = network(&at, switches, &trunks);
        let places = layout(&graph, &Known::Nothing);
        assert!(
            places
                .iter()
                .all(|place| place.0.is_finite() && place.1.is_finite())
        );
        if places.len() > 1 {
            assert!(closest(&places) > 0.3, "{graph:?}");
        }
        assert_eq!(places, layout(&graph, &Known::Nothing));
    }
}

#[test]
fn known_places_are_kept() {
    let graph = network(&[0, 1], 2, &[(0, 1)]);
    let known = vec![None, None, Some((0.0, 0.0)), Some((1.0, 0.0))];
    let places = layout(&graph, &Known::Places(known));
    assert_eq!(places[2..], [(0.0, 0.0), (1.0, 0.0)]);
    assert!(closest(&places) > 0.3);
}
