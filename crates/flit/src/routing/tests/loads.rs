//! Mean distances and channel loads against closed forms (Dally & Towles 2004, chapters 3 to 5).

use super::*;

/// How often each channel is used by deterministic routing if every terminal
/// sends to every terminal that `sends` allows, over all departures.
fn uses(net: &Net, sends: impl Fn(u32, u32) -> bool) -> Vec<u64> {
    let mut uses = vec![0; net.graph.channels.len()];
    for source in 0..net.terminals() {
        for destination in (0..net.terminals()).filter(|d| sends(source, *d)) {
            for nth in 0..net.routing.departures() {
                for (channel, _) in net.walk(source, destination, nth, |choices| choices.list[0]) {
                    uses[channel] += 1;
                }
            }
        }
    }
    uses
}

#[test]
fn mean_hops_are_those_of_the_textbook() {
    use RoutingSpec::*;
    // Sides, terminals, and the mean distance between two routers as a fraction.
    for (k, n) in [(4, 2), (5, 2), (6, 1), (3, 3)] {
        let sides = vec![k; n];
        let (k, n) = (u64::from(k), n as u64);
        let ring = if k % 2 == 0 {
            (n * k * k, 4 * k)
        } else {
            (n * (k * k - 1), 4 * k)
        };
        let line = (n * (k * k - 1), 3 * k);
        for (graph, routing, (over, under)) in [
            (mesh(&sides, 1, 1), DimensionOrder, line),
            (mesh(&sides, 1, 1), Valiant, (2 * line.0, line.1)),
            (torus(&sides, 1, 1), Dateline, ring),
            (torus(&sides, 1, 1), Valiant, (2 * ring.0, ring.1)),
            (fly(k as u32, n as u32, 1), DestinationTag, (n - 1, 1)),
        ] {
            let net = Net::new(graph.unwrap(), routing);
            let total: u64 = uses(&net, |_, _| true).iter().sum();
            let packets = u64::from(net.terminals()).pow(2) * net.routing.departures();
            assert_eq!(
                total * under,
                packets * over,
                "{routing:?} on {:?}",
                net.graph.shape
            );
        }
    }
    for (k, n) in [(2, 4), (4, 2), (3, 3)] {
        let net = Net::new(fat_tree(k, n, 1).unwrap(), NearestCommonAncestorRandom);
        let total: u64 = uses(&net, |_, _| true).iter().sum();
        // k^(m+1) - k^m terminals have their nearest common ancestor on level m.
        let (k, roots) = (u64::from(k), u64::from(k).pow(n - 1));
        let up_and_down = |m| 2 * u64::from(m) * (k.pow(m + 1) - k.pow(m));
        let each: u64 = (1..n).map(up_and_down).sum();
        assert_eq!(total, each * u64::from(net.terminals()) * roots);
    }
}

#[test]
fn capacity_under_uniform_traffic_is_that_of_the_textbook() {
    use RoutingSpec::*;
    let most = |net: &Net| uses(net, |_, _| true).into_iter().max().unwrap_or(0);
    for k in [2, 4, 6] {
        let net = Net::new(mesh(&[k, k], 1, 1).unwrap(), DimensionOrder);
        let packets = u64::from(net.terminals());
        assert_eq!(
            most(&net) * 4,
            packets * u64::from(k),
            "4/k on a mesh of side {k}"
        );
        let net = Net::new(torus(&[k, k], 1, 1).unwrap(), Dateline);
        let packets = u64::from(net.terminals()) * net.routing.departures();
        let uses = uses(&net, |_, _| true);
        assert!(
            uses.iter().all(|uses| uses * 8 == packets * u64::from(k)),
            "8/k on a torus"
        );
    }
    for (k, n) in [(2, 4), (4, 2), (3, 3)] {
        let net = Net::new(fly(k, n, 1).unwrap(), DestinationTag);
        assert_eq!(most(&net), u64::from(net.terminals()), "1 on a fly");
        let net = Net::new(fat_tree(k, n, 1).unwrap(), NearestCommonAncestorRandom);
        let packets = u64::from(net.terminals()) * net.routing.departures();
        assert!(most(&net) <= packets, "at least 1 on a fat tree");
    }
}

#[test]
fn valiant_makes_any_permutation_uniform() {
    let k = 6;
    let graph = || torus(&[k, k], 1, 1).unwrap();
    // Tornado in dimension 0.
    let tornado = |source: u32, to: u32| to == source / k * k + (source % k + 2) % k;
    let valiant = Net::new(graph(), RoutingSpec::Valiant);
    let packets = valiant.routing.departures();
    let loads = uses(&valiant, tornado);
    assert!(
        loads.iter().all(|uses| uses * 4 == packets * u64::from(k)),
        "{loads:?}"
    );
    let direct = Net::new(graph(), RoutingSpec::Dateline);
    let packets = direct.routing.departures();
    assert_eq!(uses(&direct, tornado).into_iter().max(), Some(2 * packets));
}
