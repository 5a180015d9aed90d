//! The reference of the cycle engine on random networks: all laws in every cycle, and what must
//! hold for every packet.

use backwater_flit::spec::{FabricSpec, LaneChoice, Release, RoutingSpec, Sources, Switch};
use backwater_oracle::fabric::{Fabric, first_difference, random_spec, run, run_logged};

const CYCLES: u64 = 300;

fn spec(seed: u64, exact: bool) -> FabricSpec {
    random_spec(seed, exact).expect("a spec that builds")
}

fn ran(seed: u64, exact: bool) -> Fabric {
    run_logged(&spec(seed, exact), CYCLES).unwrap_or_else(|error| panic!("seed {seed}: {error}"))
}

/// Every packet takes at least a cycle for each channel and flit, and all flits cross them all.
fn assert_sane(seed: u64, fabric: &Fabric) {
    for delivery in &fabric.deliveries {
        let least = u64::from(delivery.hops) + u64::from(delivery.length) - 1;
        assert!(
            delivery.birth <= delivery.entered,
            "seed {seed}: {delivery}"
        );
        assert!(
            delivery.delivered - delivery.entered >= least,
            "seed {seed}: {delivery}"
        );
        assert!(delivery.hops >= 2, "seed {seed}: {delivery}");
    }
    let order = |at: &backwater_oracle::fabric::Delivery| (at.delivered, at.destination);
    assert!(fabric.deliveries.is_sorted_by(|a, b| order(a) < order(b)));
    assert_eq!(fabric.flit_hops, fabric.moves.len() as u64);
    let crossed = fabric.deliveries.iter();
    let crossed = crossed.map(|at| u64::from(at.hops) * u64::from(at.length));
    assert!(crossed.sum::<u64>() <= fabric.flit_hops);
    assert_eq!(
        fabric.created,
        fabric.delivered + fabric.queued + fabric.inside
    );
}

#[test]
fn the_laws_hold_on_random_networks() {
    let (mut delivered, mut stuck) = (0, 0);
    for seed in 0..150 {
        let fabric = ran(seed, seed % 2 == 0);
        assert_sane(seed, &fabric);
        delivered += fabric.deliveries.len();
        stuck += u32::from(fabric.inside > 0 && fabric.last_move < Some(CYCLES - 60));
    }
    assert!(delivered > 10_000, "{delivered}");
    assert!(stuck < 30, "{stuck} of 150 deadlock");
}

#[test]
fn a_run_repeats_and_a_longer_one_begins_the_same() {
    for seed in 200..220 {
        let (first, again) = (ran(seed, false), ran(seed, false));
        assert_eq!(first_difference(&first.moves, &again.moves), None);
        let longer = run(&spec(seed, false), CYCLES + 50).expect("the laws hold");
        let shared = &longer.deliveries[..first.deliveries.len()];
        assert_eq!(first_difference(&first.deliveries, shared), None);
        let rest = &longer.deliveries[first.deliveries.len()..];
        assert!(rest.iter().all(|at| at.delivered >= CYCLES));
    }
}

#[test]
fn a_difference_is_shown() {
    let fabric = ran(0, true);
    let list = &fabric.deliveries;
    assert_eq!(first_difference(list, list), None);
    let mut changed = list.clone();
    changed[3].delivered += 1;
    let text = first_difference(list, &changed).expect("they differ");
    assert!(text.starts_with("first difference at entry 3"), "{text}");
    assert!(text.contains(&changed[3].to_string()), "{text}");
    let shorter = first_difference(list, &list[..2]).expect("they differ");
    assert!(shorter.contains("engine    ends"), "{shorter}");
}

/// The networks are worth comparing on: every kind of everything occurs.
#[test]
fn random_networks_cover_what_there_is() {
    let specs: Vec<FabricSpec> = (0..400).map(|seed| spec(seed, false)).collect();
    let count = |what: &str, holds: &dyn Fn(&FabricSpec) -> bool| {
        let found = specs.iter().filter(|spec| holds(spec)).count();
        assert!(found >= 4, "{what}: {found}");
    };
    let routings = [
        RoutingSpec::DestinationTag,
        RoutingSpec::DimensionOrder,
        RoutingSpec::Dateline,
        RoutingSpec::Unrestricted,
        RoutingSpec::O1Turn,
        RoutingSpec::Valiant,
        RoutingSpec::MinimalAdaptive,
        RoutingSpec::NearestCommonAncestor,
        RoutingSpec::NearestCommonAncestorRandom,
        RoutingSpec::Table,
    ];
    for routing in routings {
        count(&format!("{routing:?}"), &|spec| spec.routing == routing);
    }
    for sources in [Sources::One, Sources::Shared, Sources::PerLane] {
        count(&format!("{sources:?}"), &|spec| spec.sources == sources);
    }
    for lanes in 1..=5 {
        count("lanes", &|spec| spec.router.lanes == lanes);
    }
    count("cut-through", &|spec| spec.router.cut_through);
    count("drained", &|spec| spec.router.release == Release::Drained);
    count("no credit delay", &|spec| spec.router.credit_delay == 0);
    count("crossbar", &|spec| spec.router.switch == Switch::Crossbar);
    count("allocation delay", &|spec| spec.router.allocation_delay > 0);
    count("lanes in turn", &|spec| {
        spec.router.lane_choice == LaneChoice::RoundRobin
    });
    count("groups", &|spec| {
        spec.classes.iter().any(|class| class.lane_group > 0)
    });
    count(
        "speedup",
        &|spec| matches!(spec.router.switch, Switch::Multiplexed { speedup, .. } if speedup > 1),
    );
}
