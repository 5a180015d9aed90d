//! Lanes of flows and of hosts, with credit of their own: who waits for whom, and how many go on a
//! port.

use backwater_kernel::Rings;
use backwater_net::frames::Simulation;
use backwater_net::outcome::Outcome;
use backwater_scenario::{Diagnostics, Engine, Scenario, Source, parse};

const KINDS: [&str; 4] = ["n23", "cbfc", "infiniband", "grains"];

fn read(text: &str) -> Scenario {
    let found: Result<Scenario, Diagnostics> = parse(&Source::new("lanes.toml", text), &[]);
    found.unwrap_or_else(|mistakes| panic!("{mistakes}\n{text}"))
}

fn run(scenario: &Scenario) -> Outcome {
    let Engine::Ethernet(frames) = &scenario.engine else {
        panic!("frames");
    };
    let mut run = Simulation::<Rings>::new(&frames.network).expect("checked");
    run.run();
    let outcome = run.outcome();
    assert_eq!(outcome.violations.total(), 0);
    outcome
}

/// Two hosts and two switches; behind the far one a fast host and a slow one.
fn two_switches(control: &str, flows: &str) -> String {
    format!(
        "engine = \"ethernet\"\n[run]\nduration = \"2 ms\"\nwarm_up = \"1200 us\"\n\
         [network]\nhosts = [\"A\", \"B\", \"fast\", \"slow\"]\nswitches = [\"near\", \"far\"]\n\
         [link]\nrate = \"100 Gbps\"\ncable = \"5 m\"\n\
         [[links]]\nbetween = [\"A\", \"near\"]\n[[links]]\nbetween = [\"B\", \"near\"]\n\
         [[links]]\nbetween = [\"near\", \"far\"]\ncable = \"200 m\"\n\
         [[links]]\nbetween = [\"far\", \"fast\"]\n\
         [[links]]\nbetween = [\"far\", \"slow\"]\nrate = \"25 Gbps\"\n\
         [flow_control]\n{control}\n{flows}"
    )
}

fn flow(name: &str, from: &str, to: &str, more: &str) -> String {
    format!(
        "[[flows]]\nname = \"{name}\"\nfrom = \"{from}\"\nto = \"{to}\"\n{more}\n\
         transport = \"udp\"\npayload = \"1472 B\"\ntraffic = {{ kind = \"greedy\" }}\n"
    )
}

/// Gbps of payload of each flow, over the 800 us after the warm-up.
fn gbps(outcome: &Outcome) -> Vec<f64> {
    let frames = outcome.flows.iter().map(|flow| flow.delivered as f64);
    frames
        .map(|frames| frames * 1_472.0 * 8.0 / 800e3)
        .collect()
}

/// A and B share the link between the switches. B sends to the slow host: with one lane A waits
/// behind it, whatever the credit; with a lane for each of them it has all that is left.
#[test]
fn a_lane_of_its_own_waits_for_nobody() {
    let flows = flow("a", "A", "fast", "") + &flow("b", "B", "slow", "");
    for kind in KINDS {
        let rates = |lanes: &str| {
            let control = format!("kind = \"{kind}\"\nlanes = \"{lanes}\"");
            gbps(&run(&read(&two_switches(&control, &flows))))
        };
        let [shared, by_flow, by_host] = ["class", "flow", "destination"].map(rates);
        assert!(shared[0] < 26.0, "{kind}: {shared:?}");
        for own in [by_flow, by_host] {
            assert!(own[0] > 70.0 && own[1] > 23.0, "{kind}: {own:?}");
        }
    }
}

/// Flows of one host to one host: lanes of flows go in turns, those of one host are one.
#[test]
fn flows_to_one_host_share_its_lane() {
    let flows =
        flow("a", "A", "fast", "") + &flow("b", "A", "fast", "") + &flow("c", "A", "slow", "");
    let lanes = |lanes: &str| {
        let control = format!("kind = \"n23\"\nlanes = \"{lanes}\"");
        let outcome = run(&read(&two_switches(&control, &flows)));
        let queue = &outcome.channels[4].by_class.queues[0];
        assert!(queue.credit.is_none(), "credit is of lanes");
        let owners = queue.lanes.iter().map(|lane| (lane.way, lane.destination));
        owners.collect::<Vec<_>>()
    };
    assert_eq!(
        lanes("flow"),
        [(Some(0), 2), (Some(2), 2), (Some(4), 3)],
        "ways there"
    );
    assert_eq!(lanes("destination"), [(None, 2), (None, 3)]);
}

/// A flow to the slow host holds back the flows that share a lane with it, and no others: all of
/// them where there is one lane, none where each has its own.
#[test]
fn flows_share_a_lane_that_they_are_hashed_to() {
    let flows = flow("f", "A", "fast", "count = 20") + &flow("s", "A", "slow", "count = 20");
    for (count, [least, most]) in [(1, [1, 1]), (64, [20, 39]), (1_000_000, [40, 40])] {
        let control = format!("kind = \"n23\"\nlanes = \"hash\"\nhash_lanes = {count}");
        let outcome = run(&read(&two_switches(&control, &flows)));
        let lanes = &outcome.channels[4].by_class.queues[0].lanes;
        assert!((least..=most).contains(&lanes.len()), "{}", lanes.len());
        for lane in lanes {
            assert!(lane.way.is_none() && lane.number < Some(count), "{lane:?}");
        }
        let rates = &gbps(&outcome)[..20];
        let fast: f64 = rates.iter().sum();
        let held = rates.iter().filter(|rate| **rate < 2.0).count();
        match count {
            1 => assert!(fast < 30.0 && held == 20, "{rates:?}"),
            64 => assert!(fast > 45.0 && held > 2 && held < 19, "{rates:?}"),
            _ => assert!(fast > 65.0 && held == 0, "{rates:?}"),
        }
    }
}

/// A thousand virtual channels on one port: each has its own limit and its own counters, the
/// half that go to a slow host are held back, and the others lose nothing by that.
#[test]
fn a_thousand_lanes_share_a_port() {
    let flows = flow("f", "A", "fast", "count = 500") + &flow("s", "A", "slow", "count = 500");
    for (kind, more, limit) in [("n23", "n2 = 1\nn3 = 2", 3), ("cbfc", "limit = 72", 72)] {
        let control = format!("kind = \"{kind}\"\nlanes = \"flow\"\n{more}");
        let outcome = run(&read(&two_switches(&control, &flows)));
        // From A to the near switch, and from there to the far one.
        for channel in [0, 4] {
            let lanes = &outcome.channels[channel].by_class.queues[0].lanes;
            assert_eq!(lanes.len(), 1_000, "{kind}");
            for lane in lanes {
                let credit = lane.credit;
                assert_eq!(credit.limit, limit, "{kind}");
                assert!(
                    credit.most_used <= limit && credit.consumed > 0,
                    "{kind}: {lane:?}"
                );
                assert!(credit.freed <= credit.consumed, "{kind}: {lane:?}");
            }
        }
        let rates = gbps(&outcome);
        let (fast, slow) = rates.split_at(500);
        let sum = |rates: &[f64]| rates.iter().sum::<f64>();
        assert!(
            sum(slow) > 20.0 && sum(slow) < 25.0,
            "{kind}: {}",
            sum(slow)
        );
        assert!(sum(fast) > 65.0, "{kind}: {}", sum(fast));
        // In turns: nobody has twice what another has.
        for rates in [fast, slow] {
            let least = rates.iter().copied().fold(f64::MAX, f64::min);
            let most = rates.iter().copied().fold(0.0, f64::max);
            assert!(most < 2.0 * least, "{kind}: {least} to {most}");
        }
    }
}

/// Queues of a ring wait for each other under credit of classes, and `check` says so. A lane waits
/// only for its own flow, whose way ends.
#[test]
fn lanes_do_not_wait_in_a_circle() {
    let ring = |lanes: &str| {
        let all = [
            ("S1", "H3_1", "S2"),
            ("S2", "H1_1", "S3"),
            ("S3", "H2_1", "S1"),
        ];
        let routes = all.map(|(node, to, via)| {
            format!("[[routes]]\nnode = \"{node}\"\nto = \"{to}\"\nvia = \"{via}\"\n")
        });
        let flows = [("H1_1", "H3_1"), ("H2_1", "H1_1"), ("H3_1", "H2_1")];
        let flows = flows.map(|(from, to)| flow(from, from, to, ""));
        read(&format!(
            "engine = \"ethernet\"\n[run]\nduration = \"20 ms\"\nstall = \"2 ms\"\n\
             [topology]\nkind = \"ring\"\nswitches = 3\n[link]\nrate = \"1 Gbps\"\n\
             [flow_control]\nkind = \"n23\"\nlanes = \"{lanes}\"\nn3 = 6\n{}{}",
            routes.concat(),
            flows.concat()
        ))
    };
    let warns = |scenario: &Scenario| {
        let mut all = scenario.warnings.iter();
        all.any(|warning| warning.code == "deadlock")
    };
    // With one lane for all they wait in a circle, whoever has it.
    for lanes in ["class", "hash\"\nhash_lanes = 1\nheadroom = \"checked"] {
        let shared = ring(lanes);
        assert!(warns(&shared), "{lanes}");
        assert!(run(&shared).standstill.is_some(), "{lanes}");
    }
    // No two of three flows share one of a million lanes.
    for lanes in [
        "flow",
        "destination",
        "hash\"\nhash_lanes = 1000000\nheadroom = \"checked",
    ] {
        let own = ring(lanes);
        assert!(!warns(&own), "{lanes}");
        let outcome = run(&own);
        assert!(outcome.standstill.is_none(), "{lanes}");
        // Two share each link of the ring: 0.48 Gbps for each of them, 40 frames a millisecond.
        let frames = outcome.flows.iter().map(|flow| flow.delivered);
        assert!(frames.min() > Some(500), "{lanes}");
    }
}
