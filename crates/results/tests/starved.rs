//! Who offered something and got next to nothing is named, with what stood in the way.

mod sample;

use packet::outcome::LossCause;
use packet::spec::SchedulerSpec;
use results::{
    ethernet_manifest, ethernet_report, ethernet_terminal_summary, fabric_manifest, fabric_report,
    fabric_terminal_summary, page, run_manifest, run_report, terminal_summary,
};
use sample::{ethernet, fabric};

/// `warning: ` lines of a terminal, without that word.
fn warnings(terminal: &str) -> Vec<&str> {
    let lines = terminal.lines();
    lines.filter_map(|l| l.strip_prefix("warning: ")).collect()
}

const STARVED: &str = "greedy: 41,000 offered, 409 delivered: ports serve 1 flow of priority 0 \
                       before it, its own is 1; smaller numbers are served first here";

#[test]
fn a_circuit_behind_a_more_urgent_one() {
    let (info, mut spec) = (sample::info(), sample::spec());
    let mut outcome = sample::outcome();
    assert!(run_manifest(&info, &spec, &outcome).warnings.is_empty());
    let of_greedy = |delivered: u64, outcome: &mut packet::outcome::Outcome| {
        outcome.flows[1].delivered_total = delivered;
        outcome.flows[1].inside_total = 41_000 - delivered;
    };
    // One in a hundred is little, and no warning.
    of_greedy(410, &mut outcome);
    assert!(run_manifest(&info, &spec, &outcome).warnings.is_empty());
    of_greedy(409, &mut outcome);
    assert_eq!(run_manifest(&info, &spec, &outcome).warnings, [STARVED]);
    let terminal = terminal_summary(&info, &spec, &outcome, None);
    assert_eq!(warnings(&terminal), [STARVED]);
    let report = run_report(&info, &spec, &outcome, None, &[]);
    assert!(page(&report).contains(STARVED));
    // Where the order is that of arrival, priority is not the reason.
    for link in &mut spec.links {
        link.forward.scheduler = SchedulerSpec::Fifo;
    }
    let waits = "greedy: 41,000 offered, 409 delivered: 40,591 wait or are on their way";
    assert_eq!(run_manifest(&info, &spec, &outcome).warnings, [waits]);
}

#[test]
fn a_circuit_whose_units_are_dropped_and_many_at_once() {
    let (info, mut spec) = (sample::info(), sample::spec());
    let mut outcome = sample::outcome();
    let found = &mut outcome.flows[0];
    (found.delivered_total, found.inside_total) = (3, 7);
    found.lost_total = 33_390;
    found.drops.add(LossCause::Buffer, 33_000);
    found.drops.add(LossCause::Wire, 390);
    let lost = "bursty, first: 33,400 offered, 3 delivered: 33,390 dropped by full buffers";
    assert_eq!(run_manifest(&info, &spec, &outcome).warnings, [lost]);
    for _ in 0..5 {
        spec.flows.push(spec.flows[0].clone());
        outcome.flows.push(outcome.flows[0].clone());
    }
    let told = run_manifest(&info, &spec, &outcome).warnings;
    assert_eq!(told[..3], [lost; 3]);
    assert_eq!(told[3..], ["3 more got next to nothing"]);
}

#[test]
fn frames_of_a_low_class() {
    let (info, mut spec, mut outcome) = (ethernet::info(), ethernet::spec(), ethernet::outcome());
    assert!(
        ethernet_manifest(&info, &spec, &outcome)
            .warnings
            .is_empty()
    );
    let found = &mut outcome.flows[1];
    (found.delivered_total, found.dropped_total) = (9, 0);
    found.inside_total = 991;
    spec.flows[0].class = 1;
    (spec.flows[1].class, spec.flows[2].class) = (0, 0);
    let starved = "file[2]: 1,000 frames created, 9 delivered: 991 wait or are on their way; 1 \
                   flow is of a class above 0, and the highest class goes first here";
    let manifest = ethernet_manifest(&info, &spec, &outcome);
    assert_eq!(manifest.warnings, [starved]);
    let terminal = ethernet_terminal_summary(&info, &spec, &outcome);
    assert_eq!(warnings(&terminal), [starved]);
    assert!(page(&ethernet_report(&info, &spec, &outcome, &[])).contains(starved));
    let found = &mut outcome.flows[1];
    (found.dropped_total, found.inside_total) = (991, 0);
    let dropped = "file[2]: 1,000 frames created, 9 delivered: 991 were dropped";
    assert_eq!(
        ethernet_manifest(&info, &spec, &outcome).warnings,
        [dropped]
    );
}

#[test]
fn flits_of_a_class_and_of_a_terminal() {
    let (info, spec, outcome) = (fabric::info(), fabric::spec(), fabric::outcome());
    assert!(fabric_manifest(&info, &spec, &outcome).warnings.is_empty());
    let mut low = outcome.clone();
    low.classes[0].created_total = 5_000;
    low.classes[0].delivered_total = 10;
    let told = fabric_manifest(&info, &spec, &low).warnings;
    let name = &spec.classes[0].name;
    assert!(
        told[0].starts_with(&format!("{name}: 5,000 flits created, 10 delivered: ")),
        "{told:?}"
    );
    let terminal = fabric_terminal_summary(&info, &spec, &low);
    assert_eq!(warnings(&terminal), told);
    assert!(page(&fabric_report(&info, &spec, &low)).contains("5,000 flits created"));

    let mut shut_out = outcome;
    let injection = spec.graph.channels.len() + 2;
    shut_out.utilization[injection] = 0.0;
    shut_out.terminals[2].created = 900;
    shut_out.terminals[2].queued = 1_700;
    let told = fabric_manifest(&info, &spec, &shut_out).warnings;
    let wanted = "terminal 2: 900 flits created in the window, 0 got into the network: 1,700 wait \
                  there";
    assert!(told.iter().any(|one| one == wanted), "{told:?}");
}
