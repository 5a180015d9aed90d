//! How many threads share the work decides nothing.

use std::sync::atomic::AtomicBool;

use backwater_papers::{Lab, Plan, Selection, Settings};
use rayon::ThreadPoolBuilder;

const LOSSY: &str = "kung1993/sec45-lost-credit.toml";

/// Seven seeds, side by side, on `threads` threads: every outcome as text.
fn batch(threads: usize) -> Vec<String> {
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("a pool of threads");
    let sets = [("run.duration", "8000 cells"), ("link.control_loss", "0.1")];
    let runs = pool.install(|| Lab::default().seeds(LOSSY, &sets, 7));
    runs.expect("the scenario is built in")
        .iter()
        .map(|run| format!("{:?} {:?}", run.outcome, run.series))
        .collect()
}

#[test]
fn a_batch_is_the_same_on_any_number_of_threads() {
    let alone = batch(1);
    assert_eq!(alone.len(), 7);
    for threads in [2, 5] {
        assert_eq!(batch(threads), alone, "{threads} threads");
    }
    // The seeds differ, so an exchange of two runs would have been seen.
    let mut distinct = alone.clone();
    distinct.sort();
    distinct.dedup();
    assert_eq!(distinct.len(), 7);
}

/// The same for experiments that run side by side, and seeds inside them.
fn verdicts(threads: usize) -> Vec<String> {
    let wanted = [
        "kung1993.fig10.throughput-33",
        "kung1993.fig15.equal-thirds",
        "kung1993.fig18.backpressure-shares",
    ]
    .map(String::from);
    static NEVER: AtomicBool = AtomicBool::new(false);
    let mut all = backwater_papers::papers().into_iter();
    let paper = all.find(|paper| paper.id == "kung1993");
    let settings = Settings {
        threads: Some(threads),
        ..Settings::default()
    };
    let some = Selection::of(paper.expect("the paper is known"), &wanted);
    let plan = Plan::new(vec![some.expect("the claims can be read")], settings);
    let found = plan.run(&|_| {}, &NEVER);
    let found = found.expect("the shipped scenarios are sound").remove(0);
    assert_eq!(plan.done_ms(), plan.cost_ms());
    let sections = found.sections.iter();
    let judged = found.judged.iter();
    judged
        .map(|judged| format!("{} {:?}", judged.claim.id, judged.finding.measured))
        .chain(sections.map(|one| format!("{} {:?}", one.title, one.blocks)))
        .collect()
}

#[test]
fn verdicts_are_the_same_on_any_number_of_threads() {
    let alone = verdicts(1);
    assert!(alone.len() >= 6, "{}", alone.len());
    for threads in [2, 5] {
        assert_eq!(verdicts(threads), alone, "{threads} threads");
    }
}
