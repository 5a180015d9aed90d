//! Papers whose scenarios run on the Ethernet engine: short versions of every experiment.

mod common;

use papers::lab::EthernetRun;
use papers::{Lab, Paper};
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

#[test]
fn every_experiment_measures_its_claims() {
    common::measures_its_claims(&paper(), &short());
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
    let bytes: u64 = run.flows("data").map(|flow| flow.goodput_bytes).sum();
    assert!((run.mbps("data") - bytes as f64 * 8e-6 / 0.25).abs() < 1e-9);
    assert!(run.mbps("data") > 1.0, "{}", run.mbps("data"));
    assert_eq!((run.drops(), run.is_deadlocked()), (0, false));
    assert!(run.channel("A->D").queues[0].most_bytes > 40_000);
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
