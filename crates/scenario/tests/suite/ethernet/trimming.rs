//! Queues that trim, as the file says it, and what `scenarios/ethernet/trimming.toml` comes to.

use backwater_kernel::{Channels, Rings};
use backwater_net::Simulation;
use backwater_net::outcome::Outcome;

use super::{told, try_read};

const TRIMMING: &str = include_str!("../../../../../scenarios/ethernet/trimming.toml");

/// By class, in which class headers of what leaves the switch for the receiver go.
fn trims(sets: &[&str]) -> Vec<Option<u8>> {
    let scenario = try_read(TRIMMING, sets).expect("sound");
    let spec = told(&scenario).0;
    let port = spec.links.channel(31);
    assert_eq!(spec.links.ends(31).0, 16, "from the switch");
    let queues = &spec.links.channel(30).queues;
    assert!(queues.iter().all(|queue| queue.trim.is_none()), "at a host");
    port.queues.iter().map(|queue| queue.trim).collect()
}

#[test]
fn headers_have_the_highest_class_unless_one_is_named() {
    assert_eq!(trims(&[]), [Some(1), None]);
    assert_eq!(trims(&["buffer.when_full=drop"]), [None]);
    assert_eq!(
        trims(&["switch.classes=4"]),
        [Some(3), Some(3), Some(3), None]
    );
    let named = "buffer.when_full={kind=\"trim\",class=1}";
    assert_eq!(
        trims(&[named, "switch.classes=3"]),
        [Some(1), None, Some(1)]
    );
    let own = "classes=[{class=0,when_full=\"drop\"}]";
    assert_eq!(trims(&[own]), [None, None]);
}

struct Found {
    burst_us: f64,
    victim_us: f64,
    trimmed: u64,
    lost: u64,
    time_outs: u64,
}

fn run(sets: &[&str]) -> Found {
    let scenario = try_read(TRIMMING, sets).expect("sound");
    let mut simulation: Simulation<Rings> = Simulation::new(told(&scenario).0).expect("sound");
    simulation.run();
    let outcome: Outcome = simulation.outcome();
    let us = |flow: usize| outcome.flows[flow].ends.last_transfer.ps() as f64 / 1e6;
    let sum = |of: fn(&backwater_net::outcome::FlowOutcome) -> u64| -> u64 {
        outcome.flows.iter().map(of).sum()
    };
    Found {
        burst_us: (0..15).map(us).fold(0.0, f64::max),
        victim_us: us(15),
        trimmed: sum(|flow| flow.trimmed),
        lost: sum(|flow| flow.lost_total),
        time_outs: sum(|flow| flow.ends.tcp.time_outs),
    }
}

/// 15 times 489 packets of 4,096 B, the last of each shorter, with 82 B around each.
const BURST_US: f64 = 15.0 * (2_000_000.0 + 489.0 * 82.0) * 8.0 / 100_000.0;

/// The table of the scenario's sweep: with trimming the port of the receiver hardly rests, as under
/// stops and credit, which lose nothing; a queue that drops waits for time-outs.
#[test]
fn the_incast_ends_at_its_bound_with_trimming() {
    let drops = run(&["buffer.when_full=drop"]);
    let trims = run(&[]);
    let pfc = run(&[
        "buffer={per_input=\"300 kB\"}",
        "flow_control={kind=\"pfc\",detect=\"inputs\",xoff=\"60 kB\",xon=\"50 kB\"}",
    ]);
    let cbfc = run(&[
        "buffer={}",
        "flow_control={kind=\"cbfc\",cell=\"64 B\",limit=4687}",
    ]);
    assert!(trims.trimmed > 1_000 && trims.lost == 0 && trims.time_outs == 0);
    assert!(trims.burst_us > BURST_US && trims.burst_us < 1.02 * BURST_US);
    assert!(drops.lost > 100 && drops.time_outs > 0 && drops.trimmed == 0);
    assert!(drops.burst_us > 1.1 * BURST_US, "{}", drops.burst_us);
    assert!(drops.victim_us > trims.victim_us, "{}", drops.victim_us);
    for lossless in [&pfc, &cbfc] {
        assert_eq!((lossless.lost, lossless.trimmed), (0, 0));
        assert!(lossless.burst_us < 1.02 * BURST_US, "{}", lossless.burst_us);
        assert!(
            lossless.victim_us < trims.victim_us,
            "{}",
            lossless.victim_us
        );
    }
}
