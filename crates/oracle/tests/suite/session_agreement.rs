//! Sessions, warnings and limits of residence: the fast engine starts every unit at the same
//! instant as the slow, obvious one, and says the same of every session.

use backwater_net::outcome::{LossCause, SessionAnswer, SessionOutcome};
use backwater_net::probe::{Crossing, Probe, UnitKind};
use backwater_net::spec::NetworkSpec;
use backwater_net::watched;
use backwater_oracle::{
    Fault, Start, first_difference, random_residence_spec, random_session_spec,
    random_warning_spec, run, run_with,
};

/// Random networks of a kind.
const NETWORKS: u64 = 1200;

#[derive(Default)]
struct Starts(Vec<Start>);

impl Probe for Starts {
    fn on_start(&mut self, crossing: Crossing) {
        self.0.push(Start {
            at_ps: crossing.at.ps(),
            channel: crossing.channel,
            flow: crossing.flow,
            control: crossing.kind != UnitKind::Data,
            number: crossing.value,
        });
    }
}

/// What is compared.
#[derive(PartialEq)]
struct Found {
    starts: Vec<Start>,
    sessions: Vec<(u32, SessionOutcome)>,
    /// Warnings that came to each source.
    warnings: Vec<u64>,
    /// Units delivered of each flow, over all destinations.
    delivered: Vec<u64>,
}

fn fast(spec: &NetworkSpec) -> (Found, u64) {
    let (probe, outcome) = watched(spec, Starts::default()).expect("a sound network");
    let mut starts = probe.0;
    starts.sort_by_key(|start| (start.at_ps, start.channel));
    let flows = || outcome.flows.iter();
    let late = flows().map(|flow| flow.drops.by(LossCause::Residence));
    let sessions = flows().enumerate();
    let found = Found {
        starts,
        sessions: sessions
            .filter_map(|(index, flow)| Some((index as u32, flow.session?)))
            .collect(),
        warnings: flows().map(|flow| flow.alarms_total).collect(),
        delivered: flows().map(|flow| flow.delivered_total).collect(),
    };
    (found, late.sum())
}

fn slow(spec: &NetworkSpec, fault: Option<Fault>) -> (Found, u64) {
    let report = match fault {
        None => run(spec),
        Some(_) => run_with(spec, fault),
    };
    let report = report.expect("the oracle can run it");
    let delivered = |flow: usize| {
        let here = report.deliveries.iter();
        let of_flow = here.filter(|one| one.flow as usize == flow);
        of_flow.map(|one| one.consumed_units).sum()
    };
    let found = Found {
        delivered: (0..spec.flows.len()).map(delivered).collect(),
        starts: report.starts,
        sessions: report.sessions,
        warnings: report.warnings,
    };
    (found, report.too_late)
}

/// Both engines say the same of `spec`: what they say, and how many units came too late.
fn compared(spec: &NetworkSpec) -> (Found, u64) {
    let ((left, late), (right, _)) = (slow(spec, None), fast(spec));
    if let Some(difference) = first_difference(&left.starts, &right.starts) {
        let scheduler = spec.links[0].channels[0].scheduler;
        panic!("seed {}, {scheduler:?}: {difference}", spec.seed);
    }
    assert_eq!(left.sessions, right.sessions, "seed {}", spec.seed);
    assert_eq!(left.warnings, right.warnings, "seed {}", spec.seed);
    assert_eq!(left.delivered, right.delivered, "seed {}", spec.seed);
    (left, late)
}

#[test]
fn sessions_go_the_same_way() {
    let (mut starts, mut admitted, mut refused, mut closed) = (0, 0, 0, 0);
    for seed in 0..NETWORKS {
        let (found, _) = compared(&random_session_spec(seed));
        starts += found.starts.len();
        for (_, session) in found.sessions {
            closed += u32::from(session.closed_at.is_some());
            match session.answer {
                SessionAnswer::Admitted => admitted += 1,
                SessionAnswer::Refused { .. } => refused += 1,
                SessionAnswer::Pending => {}
            }
        }
    }
    let counts = [admitted, refused, closed];
    assert!(starts > 100_000, "only {starts} starts compared");
    assert!(counts.iter().all(|&count| count > 1000), "{counts:?}");
}

#[test]
fn warnings_travel_and_slow_down_the_same_way() {
    let (mut starts, mut warnings) = (0, 0);
    for seed in 0..NETWORKS {
        let (found, _) = compared(&random_warning_spec(seed));
        starts += found.starts.len();
        warnings += found.warnings.iter().sum::<u64>();
    }
    assert!(starts > 100_000, "only {starts} starts compared");
    assert!(warnings > 10_000, "only {warnings} warnings");
}

#[test]
fn units_are_too_late_in_both() {
    let (mut starts, mut late) = (0, 0);
    for seed in 0..NETWORKS {
        let spec = random_residence_spec(seed);
        let (found, dropped) = compared(&spec);
        starts += found.starts.len();
        late += dropped;
    }
    assert!(starts > 100_000, "only {starts} starts compared");
    assert!(late > 10_000, "only {late} units came too late");
}

/// In how many of 200 networks a broken rule is seen.
fn seen(fault: Fault, network: fn(u64) -> NetworkSpec) -> usize {
    let differs = |seed: &u64| {
        let spec = network(*seed);
        slow(&spec, Some(fault)).0 != fast(&spec).0
    };
    (5000..5200).filter(differs).count()
}

#[test]
fn broken_rules_of_sessions_are_seen() {
    let faults = [
        Fault::LastFlowFirst,
        Fault::FullIsTooMuch,
        Fault::RefusalsKeep,
        Fault::NoRollBack,
        Fault::TearDownsOvertake,
        Fault::EarlyRelease,
        Fault::UnmovedTraffic,
        Fault::GatesGoOn,
    ];
    let counts = faults.map(|fault| (fault, seen(fault, random_session_spec)));
    assert!(counts.iter().all(|(_, count)| *count > 8), "{counts:?}");
}

#[test]
fn broken_rules_of_warnings_are_seen() {
    let faults = [
        Fault::WarnedAtThreshold,
        Fault::WarningsSkipNodes,
        Fault::FasterAgain,
        Fault::BitsSinceStart,
    ];
    let counts = faults.map(|fault| (fault, seen(fault, random_warning_spec)));
    assert!(counts.iter().all(|(_, count)| *count > 8), "{counts:?}");
}

#[test]
fn broken_rules_of_residence_are_seen() {
    let faults = [Fault::LateAtLimit, Fault::LateTakesTokens];
    let counts = faults.map(|fault| (fault, seen(fault, random_residence_spec)));
    assert!(counts.iter().all(|(_, count)| *count > 8), "{counts:?}");
}
