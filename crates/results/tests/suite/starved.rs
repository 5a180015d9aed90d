//! Who offered something and got next to nothing is named, with what stood in the way.

use crate::sample;

use backwater_flit::spec::Injection;
use backwater_kernel::{Duration, Rate, Time};
use backwater_net::frames::spec::{Span, TrafficSpec as EthernetTraffic};
use backwater_net::outcome::{AbrOutcome, LossCause};
use backwater_net::spec::{
    AbrSpec, CreditSpec, FlowControlSpec, NetworkSpec, RateFormat, SchedulerSpec,
    SourceControlSpec, TrafficSpec, TurnAround, UiliSpec,
};
use backwater_results::{Findings, page, run_manifest, run_report, terminal_summary};
use sample::{ethernet, fabric};

/// `warning: ` lines of a terminal, without that word.
fn warnings(terminal: &str) -> Vec<&str> {
    let lines = terminal.lines();
    lines.filter_map(|l| l.strip_prefix("warning: ")).collect()
}

const STARVED: &str = "greedy: 41,000 cells offered, 409 delivered: ports serve 1 flow of \
                       priority 1 before it, its own is 0; larger numbers are served first";

#[test]
fn a_circuit_behind_a_more_urgent_one() {
    let (info, mut spec) = (sample::info(), sample::spec());
    let mut outcome = sample::outcome();
    assert!(
        run_manifest(&info, &Findings::new(&spec, outcome.clone(), sample::CELL))
            .warnings
            .is_empty()
    );
    let of_greedy = |delivered: u64, outcome: &mut backwater_net::outcome::Outcome| {
        outcome.flows[1].delivered_total = delivered;
        outcome.flows[1].inside_total = 41_000 - delivered;
    };
    // One in a hundred is little, and no warning.
    of_greedy(410, &mut outcome);
    assert!(
        run_manifest(&info, &Findings::new(&spec, outcome.clone(), sample::CELL))
            .warnings
            .is_empty()
    );
    of_greedy(409, &mut outcome);
    assert_eq!(
        run_manifest(&info, &Findings::new(&spec, outcome.clone(), sample::CELL)).warnings,
        [STARVED]
    );
    let terminal = terminal_summary(&info, &Findings::new(&spec, outcome.clone(), sample::CELL));
    assert_eq!(warnings(&terminal), [STARVED]);
    let report = run_report(
        &info,
        &Findings::new(&spec, outcome.clone(), sample::CELL),
        &[],
    );
    assert!(page(&report).contains(STARVED));
    // Where the order is that of arrival, priority is not the reason.
    for link in &mut spec.links {
        link.channels[0].scheduler = SchedulerSpec::Fifo;
    }
    let waits = "greedy: 41,000 cells offered, 409 delivered: 40,591 are waiting or in transit";
    assert_eq!(
        run_manifest(&info, &Findings::new(&spec, outcome.clone(), sample::CELL)).warnings,
        [waits]
    );
}

/// It is made only as it may leave, so little is offered, and all of that arrives.
#[test]
fn a_greedy_circuit_far_below_its_share() {
    let (info, mut spec) = (sample::info(), sample::spec());
    let mut outcome = sample::outcome();
    let seconds = outcome.ended_at.since(spec.warm_up).seconds();
    // Three circuits on 622 Mbps.
    let share = 622e6 / 3.0;
    let got = |times: f64, outcome: &mut backwater_net::outcome::Outcome| {
        let found = &mut outcome.flows[1];
        found.delivered_bytes = (share * times / 100.0 * seconds / 8.0) as u64;
    };
    got(1.01, &mut outcome);
    assert!(
        run_manifest(&info, &Findings::new(&spec, outcome.clone(), sample::CELL))
            .warnings
            .is_empty()
    );
    got(0.5, &mut outcome);
    let starved = "greedy: 1.037 Mbps of a max-min share of 207.3 Mbps without priorities: ports \
                   serve 1 flow of priority 1 before it, its own is 0; larger numbers are served \
                   first";
    assert_eq!(
        run_manifest(&info, &Findings::new(&spec, outcome.clone(), sample::CELL)).warnings,
        [starved]
    );
    let terminal = terminal_summary(&info, &Findings::new(&spec, outcome.clone(), sample::CELL));
    assert_eq!(warnings(&terminal), [starved]);
    let report = run_report(
        &info,
        &Findings::new(&spec, outcome.clone(), sample::CELL),
        &[],
    );
    assert!(page(&report).contains(starved));
    let summary = sample::summary(&info, &spec, &outcome, None);
    assert_eq!(summary["starved"], serde_json::json!(["greedy"]));
    // Half the time, half the share.
    let start = Time((spec.warm_up.ps() + outcome.ended_at.ps()) / 2);
    spec.flows[1].traffic = TrafficSpec::Greedy { start, total: None };
    got(0.6, &mut outcome);
    assert!(
        run_manifest(&info, &Findings::new(&spec, outcome.clone(), sample::CELL))
            .warnings
            .is_empty()
    );
    // What ends by itself may be small.
    got(0.0, &mut outcome);
    let total = Some(41_000);
    spec.flows[1].traffic = TrafficSpec::Greedy { start, total };
    assert!(
        run_manifest(&info, &Findings::new(&spec, outcome.clone(), sample::CELL))
            .warnings
            .is_empty()
    );
}

/// What an ABR source may not send waits before the network: the rate it was allowed says why.
#[test]
fn an_abr_circuit_far_below_its_share() {
    let (info, mut spec) = (sample::info(), sample::spec());
    let mut outcome = sample::outcome();
    for link in &mut spec.links {
        link.channels[0].scheduler = SchedulerSpec::Fifo;
    }
    spec.flows[1].source_control = SourceControlSpec::Abr(AbrSpec {
        pcr: Rate(622_000_000),
        mcr: Rate(0),
        icr: Rate(1_000_000),
        nrm: 32,
        mrm: 2,
        trm: Duration(100_000_000_000),
        rif: 1.0,
        rdf: 1.0,
        crm: 1000,
        cdf: 0.0,
        tcr: Rate(0),
        is_eager: true,
        counts_backward: true,
        turn_around: TurnAround::Queue,
        format: RateFormat::Exact,
        uili: UiliSpec::None,
    });
    outcome.flows[1].delivered_bytes = 0;
    outcome.flows[1].abr = Some(Box::new(AbrOutcome {
        acr_mean_bps: 1e6,
        ..AbrOutcome::default()
    }));
    let told = run_manifest(&info, &Findings::new(&spec, outcome.clone(), sample::CELL)).warnings;
    assert!(
        told[0].contains("its mean allowed rate was 1 Mbps"),
        "{told:?}"
    );
    // A peak rate below the share is the share.
    let SourceControlSpec::Abr(abr) = &mut spec.flows[1].source_control else {
        return;
    };
    abr.pcr = Rate(1_000_000);
    outcome.flows[1].delivered_bytes = 1_000_000;
    assert!(
        run_manifest(&info, &Findings::new(&spec, outcome, sample::CELL))
            .warnings
            .is_empty()
    );
}

/// Far above one in a hundred of its share, and far below the share: named where its credit allows
/// no more, and only there.
#[test]
fn a_greedy_circuit_that_credit_holds_back() {
    let (info, mut spec) = (sample::info(), sample::spec());
    let mut outcome = sample::outcome();
    let seconds = outcome.ended_at.since(spec.warm_up).seconds();
    let told = |spec: &NetworkSpec, outcome: &backwater_net::outcome::Outcome| {
        let found = Findings::new(spec, outcome.clone(), sample::CELL);
        run_manifest(&info, &found).warnings
    };
    let round_trip = 2.0 * outcome.flows[1].delay.min as f64 / 1e12;
    assert!(round_trip > 0.0);
    // A window of cells that allows a tenth of the share, three circuits on 622 Mbps.
    let share = 622e6 / 3.0;
    let cells = (share / 10.0 * round_trip / 424.0).ceil().max(1.0);
    let allowed = cells * 424.0 / round_trip;
    let got = |bps: f64, outcome: &mut backwater_net::outcome::Outcome| {
        outcome.flows[1].delivered_bytes = (bps * seconds / 8.0) as u64;
    };
    got(allowed * 0.95, &mut outcome);
    assert_eq!(
        told(&spec, &outcome),
        [""; 0],
        "nothing of its own holds it back"
    );
    spec.flows[1].source_control = SourceControlSpec::Window {
        units: cells as u32,
    };
    let held = told(&spec, &outcome);
    assert_eq!(held.len(), 1, "{held:?}");
    assert!(held[0].starts_with("greedy: "), "{held:?}");
    assert!(
        held[0].contains(" of a max-min share of 207.3 Mbps"),
        "{held:?}"
    );
    assert!(held[0].contains(": its window of "), "{held:?}");
    // It got more than that allows, or much less: something else it is.
    for other in [allowed * 1.6, allowed * 0.4] {
        got(other, &mut outcome);
        assert_eq!(told(&spec, &outcome), [""; 0], "{other}");
    }
}

/// Credit is what binds where it was missing for most of the time, whatever it allows; not where a
/// port behind was busy.
#[test]
fn credit_that_was_missing_is_named() {
    let (info, mut spec) = (sample::info(), sample::spec());
    let mut outcome = sample::outcome();
    let measured = outcome.ended_at.since(spec.warm_up);
    let told = |spec: &NetworkSpec, outcome: &backwater_net::outcome::Outcome| {
        let found = Findings::new(spec, outcome.clone(), sample::CELL);
        run_manifest(&info, &found).warnings
    };
    // A third of its share.
    outcome.flows[1].delivered_bytes = (622e6 / 9.0 * measured.seconds() / 8.0) as u64;
    let exact = Duration(155 * sample::CELL.0);
    spec.flows[1].legs[1].flow_control = FlowControlSpec::Credit(CreditSpec::n23(2, 1, exact));
    for port in &mut outcome.channels {
        port.data_share = 0.3;
    }
    assert_eq!(told(&spec, &outcome), [""; 0]);
    let leg = outcome.legs.iter_mut().filter(|leg| leg.flow == 1).nth(1);
    leg.expect("it has three").blocked = Duration(measured.0 / 10 * 9);
    let held = told(&spec, &outcome);
    assert_eq!(held.len(), 1, "{held:?}");
    assert!(
        held[0].ends_with("(N2 + N3 = 3 cells) was missing 90 % of the time"),
        "{held:?}"
    );
    outcome.channels[8].data_share = 0.95;
    assert_eq!(told(&spec, &outcome), [""; 0], "the port behind is busy");
}

/// A channel that carried all that its buffers let through, in a network beyond saturation.
#[test]
fn credit_of_flits_that_binds_is_named() {
    let (info, mut spec, mut outcome) = (fabric::info(), fabric::spec(), fabric::outcome());
    outcome.saturated = None;
    for channel in &mut spec.graph.channels {
        channel.latency = 99;
    }
    // 32 packets of several flits at most in each round trip of 100 cycles and their lengths.
    let credit = backwater_flit::credit::ChannelCredit::of(&spec, 0).expect("between routers");
    assert!(credit.round_trip == 100 && credit.carried < 0.5);
    outcome.utilization[0] = credit.carried * 0.95;
    let told = |outcome: &backwater_flit::outcome::FabricOutcome| {
        let all = run_manifest(&info, &fabric::found(&spec, outcome)).warnings;
        all.into_iter()
            .find(|one| one.starts_with("credit binds: "))
    };
    assert_eq!(told(&outcome), None, "below saturation");
    outcome.saturated = Some("queues grow".into());
    let held = told(&outcome).expect("it binds");
    assert!(
        held.contains("as credit is back after 100 cycles"),
        "{held}"
    );
    for used in &mut outcome.utilization {
        *used = credit.carried * 0.5;
    }
    assert_eq!(told(&outcome), None, "something else binds");
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
    let lost = "bursty, first: 33,400 cells offered, 3 delivered: 33,390 dropped by full buffers";
    assert_eq!(
        run_manifest(&info, &Findings::new(&spec, outcome.clone(), sample::CELL)).warnings,
        [lost]
    );
    for _ in 0..5 {
        spec.flows.push(spec.flows[0].clone());
        outcome.flows.push(outcome.flows[0].clone());
    }
    let told = run_manifest(&info, &Findings::new(&spec, outcome.clone(), sample::CELL)).warnings;
    assert_eq!(told[..3], [lost; 3]);
    assert_eq!(told[3..], ["3 more got almost nothing"]);
}

#[test]
fn frames_of_a_low_class() {
    let (info, mut spec, mut outcome) = (ethernet::info(), ethernet::spec(), ethernet::outcome());
    assert!(
        run_manifest(
            &info,
            &Findings::new(&spec, outcome.clone(), Duration::ZERO)
        )
        .warnings
        .is_empty()
    );
    let found = &mut outcome.flows[1];
    (found.delivered_total, found.lost_total) = (9, 0);
    found.inside_total = 991;
    spec.flows[0].class = 1;
    (spec.flows[1].class, spec.flows[2].class) = (0, 0);
    let starved = "file[2]: 1,000 frames offered, 9 delivered: 991 are waiting or in transit; 1 \
                   flow is of a class above 0, and the highest class goes first here";
    let manifest = run_manifest(
        &info,
        &Findings::new(&spec, outcome.clone(), Duration::ZERO),
    );
    assert_eq!(manifest.warnings, [starved]);
    let terminal = terminal_summary(
        &info,
        &Findings::new(&spec, outcome.clone(), Duration::ZERO),
    );
    assert_eq!(warnings(&terminal), [starved]);
    assert!(
        page(&run_report(
            &info,
            &Findings::new(&spec, outcome.clone(), Duration::ZERO),
            &[]
        ))
        .contains(starved)
    );
    let found = &mut outcome.flows[1];
    (found.lost_total, found.inside_total) = (991, 0);
    let dropped = "file[2]: 1,000 frames offered, 9 delivered: 991 were dropped";
    assert_eq!(
        run_manifest(
            &info,
            &Findings::new(&spec, outcome.clone(), Duration::ZERO)
        )
        .warnings,
        [dropped]
    );
}

/// Files, one after another, beside a video of 1.5 Mbps on 10 Mbps.
#[test]
fn a_connection_far_below_its_share() {
    let (info, mut spec, mut outcome) = (ethernet::info(), ethernet::spec(), ethernet::outcome());
    outcome.flows[1].ends.goodput_bytes = 30_000;
    outcome.flows[1].ends.tcp.time_outs = 3;
    let told = run_manifest(
        &info,
        &Findings::new(&spec, outcome.clone(), Duration::ZERO),
    )
    .warnings;
    assert_eq!(told.len(), 1, "{told:?}");
    let (rates, why) = (
        "file[2]: 24 kbps of a max-min share of ",
        " without priorities: ",
    );
    assert!(told[0].starts_with(rates), "{told:?}");
    assert!(
        told[0].ends_with(&format!("{why}10 are waiting or in transit, 3 time-outs")),
        "{told:?}"
    );
    let summary = sample::ethernet::summary(&info, &spec, &outcome);
    assert_eq!(summary["starved"], serde_json::json!(["file[2]"]));
    let why_now = |outcome: &backwater_net::outcome::Outcome| {
        let found = Findings::new(&spec, outcome.clone(), Duration::ZERO);
        let mut told = run_manifest(&info, &found).warnings;
        told.pop()
            .and_then(|text| Some(text.split_once(why)?.1.to_owned()))
            .unwrap_or_default()
    };
    // A port on its way that was stopped most of the time.
    let mut held = outcome.clone();
    held.flows[1].path = vec![0];
    let class = usize::from(spec.flows[1].class);
    held.channels[0].by_class.queues[class].stopped_share = 0.9;
    let stopped = "was stopped by flow control 90 % of the time";
    assert!(why_now(&held).ends_with(stopped), "{}", why_now(&held));
    // No more than its window came through in a round trip: that binds, whatever else there is.
    held.flows[1].delay.min = 10_000_000_000_000;
    let found = why_now(&held);
    assert!(
        found.starts_with("its window (`tcp.window`) of 65.5"),
        "{found}"
    );
    assert!(
        found.contains(" over a round trip of 20 s allows about 26.2"),
        "{found}"
    );
    // The control: a round trip so short that the window would allow far more.
    held.flows[1].delay.min = 1_000_000_000;
    assert!(why_now(&held).ends_with(stopped));
    // A file of 30 kB each second is all that this one wants.
    let mut files = |seconds: u64| {
        spec.flows[1].traffic = EthernetTraffic::Files {
            start: Time::ZERO,
            bytes: 30_000,
            think: Span::Fixed(Duration(seconds * 1_000_000_000_000)),
            count: None,
        };
        run_manifest(
            &info,
            &Findings::new(&spec, outcome.clone(), Duration::ZERO),
        )
        .warnings
        .len()
    };
    assert_eq!((files(0), files(1)), (1, 0));
}

#[test]
fn flits_of_a_class_and_of_a_terminal() {
    let (info, spec, outcome) = (fabric::info(), fabric::spec(), fabric::outcome());
    assert!(
        run_manifest(&info, &fabric::found(&spec, &outcome))
            .warnings
            .is_empty()
    );
    let mut low = outcome.clone();
    low.classes[0].created_total = 5_000;
    low.classes[0].delivered_total = 10;
    let told = run_manifest(&info, &fabric::found(&spec, &low)).warnings;
    let summary = sample::fabric::summary(&info, &spec, &low);
    assert_eq!(summary["starved"].as_array().map(Vec::len), Some(1));
    let name = &spec.classes[0].name;
    assert!(
        told[0].starts_with(&format!("{name}: 5,000 flits created, 10 delivered: ")),
        "{told:?}"
    );
    let terminal = terminal_summary(&info, &fabric::found(&spec, &low));
    assert_eq!(warnings(&terminal), told);
    assert!(
        page(&run_report(&info, &fabric::found(&spec, &low), &[])).contains("5,000 flits created")
    );

    let mut shut_out = outcome;
    let injection = spec.graph.channels.len() + 2;
    shut_out.utilization[injection] = 0.0;
    shut_out.terminals[2].created = 900;
    shut_out.terminals[2].queued = 1_700;
    let told = run_manifest(&info, &fabric::found(&spec, &shut_out)).warnings;
    let wanted = "terminal 2: 900 flits created in the window, 0 entered the network: 1,700 wait \
                  there";
    assert!(told.iter().any(|one| one == wanted), "{told:?}");
}

#[test]
fn a_greedy_source_that_never_gets_in_starves_and_counts() {
    let (info, mut spec, mut outcome) = (fabric::info(), fabric::spec(), fabric::outcome());
    spec.classes.truncate(1);
    spec.classes[0].injection = Injection::Saturation;
    let injection = spec.graph.channels.len() + 2;
    outcome.utilization[injection] = 0.0;
    outcome.terminals[2].created = 0;
    let told = run_manifest(&info, &fabric::found(&spec, &outcome)).warnings;
    let wanted = "terminal 2: it always has a packet to send, and 0 flits entered the network in \
                  the window; its max-min share is 10,000";
    assert_eq!(told, [wanted]);
    let summary = fabric::summary(&info, &spec, &outcome);
    assert_eq!(summary["starved"][0], "terminal 2");
    assert_eq!(summary["jain_rates"], summary["jain_index_of_sources"]);
    let text = terminal_summary(&info, &fabric::found(&spec, &outcome));
    assert!(text.contains("over 16 sources"), "{text}");
}
