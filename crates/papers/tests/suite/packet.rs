//! Papers whose scenarios run on the packet engine: short versions of every experiment, and values
//! where chance has no part.

use crate::common;

use std::sync::atomic::Ordering;

use backwater_papers::verdict::judge;
use backwater_papers::{Lab, Paper};
use backwater_results::Verdict;

fn zhang() -> Paper {
    common::paper("zhang1991")
}

fn kung() -> Paper {
    common::paper("kung1993")
}

/// Every run short and few of them, whatever an experiment asks for.
fn short(duration: &str, seeds: u64) -> Lab {
    Lab {
        packet_sets: vec![("run.duration".into(), duration.into())],
        at_most_seeds: Some(seeds),
        ..Lab::default()
    }
}

/// Claims that fail, of those that the experiment called `title` measures.
fn failed(paper: &Paper, title: &str, lab: &Lab) -> Vec<&'static str> {
    let mut experiments = paper.experiments.iter();
    let experiment = experiments.find(|one| one.title == title).expect(title);
    let claims = backwater_papers::claim::parse(paper.claims_toml).expect("the claims can be read");
    let mut failed = Vec::new();
    for finding in common::found(experiment, lab).findings {
        let claim = claims.iter().find(|claim| claim.id == finding.claim);
        let judged = judge(claim.expect("it is stated"), &finding, 0.0, true);
        if judged.verdict == Verdict::Failed {
            failed.push(finding.claim);
        }
    }
    failed
}

#[test]
fn every_experiment_of_zhang_measures_its_claims() {
    common::measures_its_claims(&zhang(), |_| short("6 s", 1));
}

#[test]
fn every_experiment_of_kung_measures_its_claims() {
    let shown = common::measures_its_claims(&kung(), |experiment| match experiment.title {
        "Figure 21: request and response" => short("2 ms", 1),
        "Figure 6: buffer sizes" => Lab::default(),
        _ => short("12000 cells", 1),
    });
    assert!(
        shown.contains("fig18.svg") && shown.contains("fig06.svg"),
        "{shown:?}"
    );
}

#[test]
fn every_claim_has_a_finding() {
    common::has_a_finding_for_each(&zhang(), 16);
    common::has_a_finding_for_each(&kung(), 23);
}

/// Title of an experiment of Kung without chance, and a setting under which claims fail.
const CONTROLS: [(&str, &str, &str); 9] = [
    ("Figure 6: buffer sizes", "link.delay", "7 us"),
    (
        "Figures 7 and 8: the link is full",
        "flows.VC2.flow_control.n3",
        "60",
    ),
    (
        "Figures 9 to 11: no congestion",
        "flows.VC.flow_control.n3",
        "41",
    ),
    (
        "Figures 12 and 13: greedy with little credit",
        "flows.VC.flow_control.n3",
        "71",
    ),
    (
        "Figures 14 to 16: sharing under congestion",
        "flow_control.n3",
        "165",
    ),
    ("Figures 17 to 19: two switches", "flow_control.n3", "165"),
    ("Figure 20: credit against data", "flow_control.n2", "9"),
    ("Section 3: N123 and N123+", "link.delay", "77.5 cells"),
    (
        "Figure 21: request and response",
        "flow_control",
        "{ kind = \"none\" }",
    ),
];

#[test]
fn claims_of_kung_hold_and_fail_under_a_wrong_setting() {
    let kung = kung();
    for (title, key, value) in CONTROLS {
        let mut lab = match title.starts_with("Figure 21") {
            true => short("100 ms", 3),
            false => Lab::default(),
        };
        let of_paper = failed(&kung, title, &lab);
        assert!(of_paper.is_empty(), "{title}: {of_paper:?}");
        lab.packet_sets.push((key.into(), value.into()));
        let of_control = failed(&kung, title, &lab);
        assert!(!of_control.is_empty(), "{title} with {key} = {value}");
    }
}

#[test]
fn throughput_counts_from_the_warm_up() {
    // A cell every third cell time; half of the run is warm-up.
    let sets = [
        ("run.duration", "6000 cells"),
        ("run.warm_up", "3000 cells"),
    ];
    let run = Lab::default().run("kung1993/fig09-noncongested.toml", &sets);
    let run = run.expect("it runs");
    assert!((run.throughput("VC", "S->B") - 1.0 / 3.0).abs() < 1e-3);
    assert_eq!(run.measured_cells(), 3000.0);
    assert!((run.cells(run.at(155.0).ps()) - 155.0).abs() < 1e-6);
}

#[test]
fn settings_of_a_lab_come_last_and_limit_its_seeds() {
    let lab = short("2 s", 2);
    let file = "zhang1991/random-walk.toml";
    let runs = lab
        .seeds(file, &[("run.duration", "9 s")], 5)
        .expect("it runs");
    assert_eq!(runs.len(), 2);
    let seconds = |run: &backwater_papers::lab::Run<()>| run.outcome.ended_at.seconds();
    assert!(runs.iter().all(|run| seconds(run) == 2.0));
    let hashes: Vec<u64> = runs.iter().map(|run| run.outcome.trace_hash).collect();
    assert_ne!(hashes[0], hashes[1], "the seeds differ");
    // Those left out are counted, as progress is counted in runs.
    assert_eq!(lab.runs.load(Ordering::Relaxed), 5);
}
