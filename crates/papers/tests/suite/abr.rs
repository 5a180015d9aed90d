//! The paper whose scenarios run ABR circuits: short versions of every experiment, and Figure 6 as
//! it is.

use crate::common;

use backwater_papers::{Bounds, Evidence, Lab, Measured, Paper};

fn paper() -> Paper {
    common::paper("kalyanaraman1998")
}

/// Every run with these settings on top, few random networks.
fn lab(sets: &[(&str, &str)]) -> Lab {
    let sets = sets.iter();
    Lab {
        packet_sets: sets
            .map(|(key, value)| ((*key).into(), (*value).into()))
            .collect(),
        at_most_seeds: Some(2),
        ..Lab::default()
    }
}

#[test]
fn every_experiment_measures_its_claims() {
    let short = lab(&[("run.duration", "30 ms"), ("run.warm_up", "5 ms")]);
    common::measures_its_claims(&paper(), |_| short.clone());
}

#[test]
fn every_claim_has_a_finding() {
    common::has_a_finding_for_each(&paper(), 11);
}

/// Claims of Figure 6 with a number outside its bounds.
fn broken(sets: &[(&str, &str)]) -> Vec<&'static str> {
    let paper = paper();
    let figure = paper.experiments.iter().find(|one| {
        let mut claims = one.claims.iter();
        claims.any(|claim| claim.contains("fig6"))
    });
    let run = figure.expect("it is an experiment").run;
    let Evidence { findings, .. } = run(&lab(sets)).expect("it runs");
    let is_outside = |one: &Measured| {
        let inside = |Bounds { low, high }: Bounds| (low..=high).contains(&one.value);
        !one.bounds.is_none_or(inside)
    };
    let broken = findings
        .iter()
        .filter(|one| one.measured.iter().any(is_outside));
    broken.map(|one| one.claim).collect()
}

#[test]
fn figure_6_is_what_the_paper_says() {
    assert_eq!(broken(&[]), [""; 0]);
}

#[test]
fn without_policies_only_the_first_panel_is_as_the_paper_says() {
    let none = ("flows.*.source_control.uili", "{ kind = \"none\" }");
    assert_eq!(
        broken(&[none]),
        [
            "kalyanaraman1998.fig6b.august-oscillates",
            "kalyanaraman1998.fig6c.baseline-oscillates",
            "kalyanaraman1998.fig6d.count-converges",
            "kalyanaraman1998.fig6e.time-slow",
        ]
    );
}
