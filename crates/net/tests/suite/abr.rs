//! ABR end to end: Figures 5 and 6 of Kalyanaraman et al. 1998 in small.

use crate::common;

use backwater_kernel::{Rate, Series, Time};
use backwater_net::outcome::Outcome;
use backwater_net::probe::{Audit, Recorder};
use backwater_net::spec::*;
use backwater_net::{Simulation, watched};
use common::figure_5::*;

fn series(name: &str, measure: Measure, flow: Option<u32>) -> SeriesSpec {
    SeriesSpec {
        name: name.into(),
        measure,
        of: match (measure, flow) {
            (Measure::AllowedRate, Some(flow)) => Subject::Flow(flow),
            _ => Subject::leg(flow, 10),
        },
        window: None,
        from: Time(0),
        until: Time(400 * MS),
    }
}

fn run(abr: AbrSpec) -> (Outcome, Vec<Series>) {
    let spec = figure_5(abr);
    let wanted = [
        series("acr", Measure::AllowedRate, Some(0)),
        series("queue", Measure::RateQueue, None),
    ];
    let recorder = Recorder::new(&wanted);
    let audit = Audit::new(&spec);
    let (probe, outcome) = watched(&spec, (recorder, audit)).expect("a network");
    assert_eq!(outcome.violations.total(), 0, "{:?}", outcome.violations);
    let series = probe.0.series(outcome.ended_at);
    (outcome, series)
}

/// Least and most of a series between two instants, in ms.
fn range(series: &Series, from: u64, to: u64) -> (f64, f64) {
    let mut found = (f64::INFINITY, 0.0_f64);
    for k in 0..series.x.len() {
        let end = series.x.get(k + 1).copied().unwrap_or(u64::MAX);
        if series.x[k] <= to * MS && end > from * MS {
            found = (found.0.min(series.y[k]), found.1.max(series.y[k]));
        }
    }
    found
}

#[test]
fn count_based_reaches_its_goal_and_stays() {
    let (_, series) = run(abr(count(), Rate(MBPS)));
    let acr = &series[0];
    let (least, most) = range(acr, 60, 200);
    assert!(least > 10.9e6 && most < 11.1e6, "{least} to {most}");
    let (_, queue) = range(&series[1], 200, 400);
    assert!(queue < 100.0, "{queue}");
}

#[test]
fn without_a_policy_the_sources_overload_the_network() {
    let (_, series) = run(abr(UiliSpec::None, Rate(MBPS)));
    let (least, most) = range(&series[0], 100, 199);
    // 0.9 of the link, rounded down.
    assert_eq!((least, most), (139_967_999.0, 139_967_999.0));
    let (_, queue) = range(&series[1], 200, 400);
    assert!((13_000.0..14_000.0).contains(&queue), "{queue}");
}

#[test]
fn circuits_that_can_not_work_are_refused() {
    let sound = || figure_5(abr(count(), Rate(MBPS)));
    let refused = |change: fn(&mut NetworkSpec)| {
        let mut spec = sound();
        change(&mut spec);
        let built = Simulation::<backwater_kernel::Rings, ()>::new(&spec);
        built.err().map(|error| error.0).unwrap_or_default()
    };
    assert_eq!(refused(|_| {}), "");
    type Change = fn(&mut NetworkSpec);
    let broken: [(Change, &str); 6] = [
        (|spec| spec.flows[0].partner = None, "needs a partner"),
        (|spec| spec.flows[0].partner = Some(3), "needs a partner"),
        (
            |spec| spec.flows[1].legs[0].channel = 15,
            "lead back the same way",
        ),
        (
            |spec| {
                if let SourceControlSpec::Abr(abr) = &mut spec.flows[0].source_control {
                    abr.nrm = 1;
                }
            },
            "Nrm",
        ),
        (
            |spec| {
                let again = spec.rules.rate_ports[0];
                spec.rules.rate_ports.push(again);
            },
            "two rules",
        ),
        (
            |spec| {
                if let ExplicitRateSpec::Erica(erica) = &mut spec.rules.rate_ports[0].1 {
                    erica.interval = backwater_kernel::Duration(0);
                }
            },
            "let time pass",
        ),
    ];
    for (change, word) in broken {
        let said = refused(change);
        assert!(said.contains(word), "{word}: {said}");
    }
}

/// Least ACR of the first circuit and the notices that reached its source, under relative-rate
/// marks that a switch adds to forward cells, with or without cells of its own.
fn marked(every: Option<backwater_kernel::Duration>) -> (f64, u64) {
    let mut abr = abr(UiliSpec::None, Rate(100 * MBPS));
    (abr.rif, abr.rdf, abr.cdf) = (1.0 / 16.0, 0.25, 0.0);
    let mut spec = figure_5(abr);
    spec.stop_at = Time(30 * MS);
    for flow in &mut spec.flows {
        flow.traffic = TrafficSpec::Greedy {
            start: Time(0),
            total: None,
        };
    }
    for (_, rule) in &mut spec.rules.rate_ports {
        let marks = MarkSpec {
            high_cells: 50,
            low_cells: 10,
        };
        *rule = ExplicitRateSpec::RelativeRate(RelativeRateSpec {
            congestion: marks,
            no_increase: marks,
            marks_backward: false,
            backward_notice_every: every,
        });
    }
    let wanted = [series("acr", Measure::AllowedRate, Some(0))];
    let recorder = Recorder::new(&wanted);
    let mut simulation: Simulation<backwater_kernel::Rings, _> =
        Simulation::with_probe(&spec, (recorder, Audit::new(&spec))).expect("a network");
    simulation.run();
    let outcome = simulation.outcome();
    assert_eq!(outcome.violations.total(), 0, "{:?}", outcome.violations);
    let series = simulation.probe().0.series(outcome.ended_at);
    let notices = outcome.flows[0]
        .abr
        .as_ref()
        .map_or(0, |abr| abr.notices_total);
    (range(&series[0], 0, 25).0, notices)
}

#[test]
fn notices_of_a_switch_come_before_the_first_answer() {
    // Five sources at 100 Mbps fill the link between the switches at once. An answer takes the
    // round trip of 30 ms; a cell of the switch the 10 ms over one link and back.
    assert_eq!(marked(None), (1e8, 0));
    let (least, notices) = marked(Some(backwater_kernel::Duration(MS)));
    assert!(notices >= 10, "{notices}");
    assert!(least < 2e7, "{least}");
}

/// Least ACR of the first circuit of Figure 5 from 150 to 199 ms, beside 100 Mbps that are no ABR's
/// and have this priority; that of ABR is 1.
fn beside(priority: u8) -> f64 {
    let mut spec = figure_5(abr(UiliSpec::None, Rate(MBPS)));
    spec.stop_at = Time(400 * MS);
    for link in &mut spec.links {
        for channel in &mut link.channels {
            channel.scheduler = SchedulerSpec::StrictPriority;
        }
    }
    for flow in &mut spec.flows {
        flow.priority = 1;
    }
    let first = spec.flows[0].clone();
    spec.flows.push(FlowSpec {
        name: "other".into(),
        priority,
        traffic: TrafficSpec::Constant {
            start: Time(0),
            interval: Rate(100 * MBPS).tick(53),
            random_phase: false,
            total: None,
        },
        source_control: SourceControlSpec::None,
        partner: None,
        ..first
    });
    let wanted = [series("acr", Measure::AllowedRate, Some(0))];
    let (recorder, outcome) = watched(&spec, Recorder::new(&wanted)).expect("a network");
    range(&recorder.series(outcome.ended_at)[0], 150, 199).0
}

#[test]
fn what_is_served_after_abr_is_no_background() {
    // Alone: 0.9 of the link.
    assert_eq!(beside(0), 139_967_999.0);
    // Of what 100 Mbps leave.
    assert!(beside(2) < 0.9 * 56e6);
}

#[test]
fn a_burst_ends_when_its_last_cell_has_left() {
    let mut spec = figure_5(abr(UiliSpec::None, Rate(100 * MBPS)));
    spec.flows[0].traffic = TrafficSpec::Constant {
        start: Time(0),
        interval: backwater_kernel::Duration(10 * MS),
        random_phase: false,
        total: Some(2),
    };
    let (_, outcome) = watched(&spec, ()).expect("a network");
    let found = outcome.flows[0].abr.as_ref().expect("ABR");
    let cell = Rate(155_520_000).serialization(53);
    // Each burst is a cell. The second finds the source idle: its slot has come.
    assert_eq!(found.bursts[1].response(), Some(cell));
}
