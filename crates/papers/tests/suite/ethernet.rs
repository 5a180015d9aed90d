//! Papers whose scenarios run on the Ethernet engine: short versions of every experiment.

use crate::common;

use backwater_papers::lab::EthernetRun;
use backwater_papers::{Lab, Measured, Paper};
use rayon::ThreadPoolBuilder;

const FILE: &str = "nouredine1999/fig02-speed-mismatch.toml";

fn paper() -> Paper {
    common::paper("nouredine1999")
}

/// Every run short and one of each, whatever an experiment asks for.
fn short() -> Lab {
    let set = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    Lab {
        ethernet_sets: vec![set("run.duration", "300 ms"), set("run.warm_up", "50 ms")],
        at_most_seeds: Some(1),
        ..Lab::default()
    }
}

/// The same value from a run of its own.
struct Again {
    claim: &'static str,
    name: &'static str,
    file: &'static str,
    sets: &'static [(&'static str, &'static str)],
    value: fn(&EthernetRun) -> f64,
}

/// Payload in bytes that the flows whose names begin so brought, over the 100 ms that are measured.
fn mbps(run: &EthernetRun, flow: &str) -> f64 {
    let both = run.spec.flows.iter().zip(&run.outcome.flows);
    let bytes = both.filter(|(spec, _)| spec.name.starts_with(flow));
    let bytes: u64 = bytes.map(|(_, found)| found.ends.goodput_bytes).sum();
    bytes as f64 * 8e-6 / 0.1
}

/// A link of 10 Mbps in segments of 1024 bytes.
const LIMIT: f64 = 10.0 * 1024.0 / 1102.0;
const NONE: (&str, &str) = ("flow_control", "{ kind = \"none\" }");
const DESTINATION: (&str, &str) = ("flow_control.kind", "destination");

/// What experiments measure in one setting; what they select over several is tested beside them.
const AGAIN: [Again; 9] = [
    Again {
        claim: "fig2.loss-of-half",
        name: "share_200kb_10_connections",
        file: FILE,
        sets: &[NONE, ("flows.data.count", "10")],
        value: |run| mbps(run, "data") / LIMIT,
    },
    Again {
        claim: "fig4.merging",
        name: "share_slow_clocks",
        file: "nouredine1999/fig04-merging.toml",
        sets: &[NONE, ("link.rate", "9.9995 Mbps")],
        value: |run| mbps(run, "data") / LIMIT,
    },
    Again {
        claim: "fig4.merging",
        name: "one_connection_fast_clocks",
        file: "nouredine1999/fig04-merging.toml",
        sets: &[
            NONE,
            ("link.rate", "10.0005 Mbps"),
            ("tcp.reuse", "fresh-window"),
        ],
        value: |run| mbps(run, "data") / LIMIT,
    },
    Again {
        claim: "fig4.smaller-buffer-lower-threshold",
        name: "drops_at_80_percent",
        file: "nouredine1999/sec312-smaller-buffer.toml",
        sets: &[
            ("flow_control.xoff", "80 %"),
            ("flow_control.xon", "70 %"),
            ("flow_control.headroom", "unchecked"),
        ],
        value: |run| {
            run.outcome
                .flows
                .iter()
                .map(|flow| flow.lost_total as f64)
                .sum()
        },
    },
    Again {
        claim: "fig6.ratio-eight",
        name: "ratio_10_percent_margin",
        file: "nouredine1999/fig06-input-mismatch.toml",
        sets: &[],
        value: |run| mbps(run, "S1") / mbps(run, "S2"),
    },
    Again {
        claim: "fig6.starved-without-control",
        name: "with_back_pressure_10_connections_500kb",
        file: "nouredine1999/fig06-input-mismatch.toml",
        sets: &[],
        value: |run| mbps(run, "S1"),
    },
    Again {
        claim: "fig11.shared-upstream",
        name: "destination_n5",
        file: "nouredine1999/fig11-shared-upstream.toml",
        sets: &[DESTINATION, ("flows.D1.count", "5")],
        value: |run| mbps(run, "D2"),
    },
    Again {
        claim: "fig11.blocked-share-limit",
        name: "blocked_share_60",
        file: "nouredine1999/fig11-shared-upstream.toml",
        sets: &[
            DESTINATION,
            ("flow_control.blocked_share", "{ xoff = \"60 %\" }"),
        ],
        value: |run| mbps(run, "D2"),
    },
    Again {
        claim: "sec33.shared-incoming-link",
        name: "mean_delay_ms_simple_n9",
        file: "nouredine1999/sec33-shared-incoming-link.toml",
        sets: &[],
        value: |run| run.outcome.flows[9].delay.mean / 1e9,
    },
];

#[test]
fn every_experiment_measures_its_claims() {
    common::measures_its_claims(&paper(), |_| short());
}

/// What the experiment of `claim` measured under `name`.
fn measured(lab: &Lab, claim: &str, name: &str) -> f64 {
    let paper = paper();
    let is_its = |ids: &[&str]| ids.iter().any(|id| id.ends_with(claim));
    let mut experiments = paper.experiments.iter();
    let experiment = experiments.find(|one| is_its(one.claims));
    let evidence = (experiment.expect("it is an experiment").run)(lab).expect("it runs");
    let findings = evidence.findings.into_iter();
    let its = findings.filter(|finding| finding.claim.ends_with(claim));
    let mut values = its.flat_map(|finding| finding.measured);
    let found = values.find(|one: &Measured| one.name == name);
    found.expect("it is measured").value
}

#[test]
fn what_is_measured_is_what_a_run_of_its_own_gives() {
    let mut lab = short();
    lab.ethernet_sets[0].1 = "150 ms".into();
    for again in AGAIN {
        let found = measured(&lab, again.claim, again.name);
        let mut sets = again.sets.to_vec();
        sets.push(("run.seed", "1"));
        let run = lab.ethernet(again.file, &sets).expect("it runs");
        let expected = (again.value)(&run);
        let what = (again.claim, again.name);
        assert!(
            expected > 0.0 || again.name.contains("drops"),
            "{what:?}: {expected}"
        );
        assert!(
            (found - expected).abs() < 1e-9,
            "{what:?}: {found}, {expected}"
        );
    }
}

#[test]
fn every_claim_has_a_finding() {
    common::has_a_finding_for_each(&paper(), 13);
}

fn batch(threads: usize) -> Vec<EthernetRun> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    let lab = Lab {
        at_most_seeds: Some(7),
        ..short()
    };
    let runs = pool
        .expect("a pool of threads")
        .install(|| lab.ethernet_seeds(FILE, &[("flows.data.count", "2")], 9));
    runs.expect("the scenario is built in")
}

#[test]
fn a_batch_is_the_same_on_any_number_of_threads() {
    let text = |runs: &[EthernetRun]| {
        let text = runs.iter().map(|run| format!("{:?}", run.outcome));
        text.collect::<Vec<String>>()
    };
    let alone = batch(1);
    assert_eq!(alone.len(), 7);
    for threads in [2, 5] {
        assert_eq!(text(&batch(threads)), text(&alone), "{threads} threads");
    }
    let mut hashes: Vec<u64> = alone.iter().map(|run| run.outcome.trace_hash).collect();
    hashes.sort_unstable();
    hashes.dedup();
    assert_eq!(hashes.len(), 7, "the seeds differ");
}

#[test]
fn a_run_can_be_asked_by_name() {
    let run = short().ethernet(FILE, &[]).expect("it runs");
    assert_eq!(
        (run.flows("data").count(), run.flows("dat").count()),
        (3, 0)
    );
    let bytes: u64 = run.flows("data").map(|flow| flow.ends.goodput_bytes).sum();
    assert!((run.mbps("data") - bytes as f64 * 8e-6 / 0.25).abs() < 1e-9);
    assert!(run.mbps("data") > 1.0, "{}", run.mbps("data"));
    assert_eq!((run.drops(), run.is_deadlocked()), (0, false));
    assert!(run.channel("A->D").by_class.queues[0].most_bytes > 40_000);
}

#[test]
fn deadlocks_are_results_and_other_engines_are_refused() {
    let lab = Lab::default();
    let tree = lab.ethernet("ethernet/tree-deadlock.toml", &[]);
    assert!(tree.expect("it runs").is_deadlocked());
    let error = lab.ethernet("kung1993/fig12-greedy.toml", &[]).unwrap_err();
    assert!(error.0.contains("packet engine"), "{error}");
    let error = lab.fabric(FILE, &[]).unwrap_err();
    assert!(error.0.contains("ethernet engine"), "{error}");
    let error = lab.ethernet(FILE, &[("run.seed", "none")]).unwrap_err();
    assert!(error.0.contains("seed"), "{error}");
}
