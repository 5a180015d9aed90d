//! Random networks with losses and loads on top, and runs that are watched.

mod observer;

pub use observer::Observer;

use backwater_kernel::{Channels, Duration, Purpose, Stop, Stream, Time, Violation};
use backwater_net::outcome::Outcome;
use backwater_net::probe::Audit;
use backwater_net::spec::*;
use backwater_oracle::{exact_window, random_spec};

/// Random networks behind every property.
pub const NETWORKS: u64 = 200;
/// Time of a 53-byte cell at 1 Gbit/s.
pub const CELL_PS: u64 = 424_000;
/// Every credit rule.
pub const RULES: [CreditRule; 5] = [
    CreditRule::N23,
    CreditRule::Relative,
    CreditRule::Cumulative,
    CreditRule::N123,
    CreditRule::N123Plus,
];

pub fn cells(cells: u64) -> Duration {
    Duration(cells * CELL_PS)
}

/// `random_spec` with Poisson and exponential on-off sources and stalling sinks among the rest.
pub fn loaded(seed: u64) -> NetworkSpec {
    let mut spec = random_spec(seed);
    let mut dice = Stream::new(seed, 0, Purpose::Pattern);
    for flow in &mut spec.flows {
        let start = Time(dice.below(30) * CELL_PS);
        match dice.below(6) {
            0 => {
                flow.traffic = TrafficSpec::Poisson {
                    start,
                    mean_interval: cells(1 + dice.below(6)),
                    min_interval: Duration::ZERO,
                    total: None,
                }
            }
            1 => {
                flow.traffic = TrafficSpec::OnOff {
                    start,
                    on: Span::Exponential(cells(5 + dice.below(50))),
                    off: Span::Exponential(cells(5 + dice.below(50))),
                    on_interval: cells(1),
                    off_interval: None,
                }
            }
            _ => {}
        }
        if dice.below(4) == 0 {
            flow.sink = SinkSpec::Stalling {
                interval: Duration(CELL_PS / 2 * (1 + dice.below(6))),
                run: Span::Exponential(cells(20)),
                stall: Span::Exponential(cells(1 + dice.below(60))),
            };
        }
    }
    spec
}

/// The same with every source finite and all the time it takes.
pub fn finite(seed: u64) -> NetworkSpec {
    let mut spec = loaded(seed);
    let mut dice = Stream::new(seed, 1, Purpose::Pattern);
    spec.stop_at = Time(4_000_000 * CELL_PS);
    for flow in &mut spec.flows {
        let units = 20 + dice.below(130);
        match &mut flow.traffic {
            TrafficSpec::Greedy { total, .. }
            | TrafficSpec::Constant { total, .. }
            | TrafficSpec::Poisson { total, .. } => *total = Some(units),
            other => {
                *other = TrafficSpec::Poisson {
                    start: Time::ZERO,
                    mean_interval: cells(2),
                    min_interval: Duration::ZERO,
                    total: Some(units),
                }
            }
        }
    }
    spec
}

/// Calls `change` for the credit scheme of every controlled leg.
pub fn each_credit(spec: &mut NetworkSpec, mut change: impl FnMut(&mut CreditSpec)) {
    for leg in spec.flows.iter_mut().flat_map(|flow| &mut flow.legs) {
        if let FlowControlSpec::Credit(credit) = &mut leg.flow_control {
            change(credit);
        }
    }
}

/// Every controlled leg under `rule`; zone N1, for the rules that have one, as small as is safe:
/// what a leg can start within one control loop (N123), or its share of that (N123+).
pub fn under(mut spec: NetworkSpec, rule: CreditRule) -> NetworkSpec {
    let mut dice = Stream::new(spec.seed, 2, Purpose::Pattern);
    let links = spec.links.clone();
    for flow in &mut spec.flows {
        let bytes = flow.unit_bytes;
        for leg in &mut flow.legs {
            let FlowControlSpec::Credit(credit) = &mut leg.flow_control else {
                continue;
            };
            let channel = links.channel(leg.channel);
            let unit = channel.rate.serialization(bytes as u64);
            let window = exact_window(&links, leg.channel, bytes);
            let fits = window.ps().div_ceil(unit.ps()) as u32;
            credit.rule = rule;
            credit.n1 = match rule {
                CreditRule::N123 => fits,
                CreditRule::N123Plus => {
                    credit.n2 + dice.below(fits.saturating_sub(credit.n2).max(1) as u64) as u32
                }
                _ => 0,
            };
        }
    }
    sealed(spec)
}

/// Every controlled buffer holds N1 + N2 + N3 and no more: one unit beyond is a violation.
pub fn sealed(mut spec: NetworkSpec) -> NetworkSpec {
    for leg in spec.flows.iter_mut().flat_map(|flow| &mut flow.legs) {
        if let FlowControlSpec::Credit(credit) = &leg.flow_control {
            leg.buffer = BufferSpec {
                limit_units: Some(credit.n1 + credit.n2 + credit.n3),
                overflow: Overflow::Drop,
            };
        }
    }
    spec
}

/// The same errors on every channel.
pub fn with_errors(mut spec: NetworkSpec, errors: ErrorSpec) -> NetworkSpec {
    for link in &mut spec.links {
        link.channels[0].errors = errors;
        link.channels[1].errors = errors;
    }
    spec
}

pub fn control_loss(probability: f64) -> ErrorSpec {
    ErrorSpec {
        control_loss: probability,
        ..ErrorSpec::default()
    }
}

pub fn data_loss(probability: f64) -> ErrorSpec {
    ErrorSpec {
        data_loss: probability,
        ..ErrorSpec::default()
    }
}

/// Senders ask after two control loops without credit.
pub fn with_requests(mut spec: NetworkSpec) -> NetworkSpec {
    each_credit(&mut spec, |credit| {
        credit.request_after = Some(credit.window * 2);
    });
    spec
}

/// A run with the engine's own audit and an observer that shares nothing with it looking on.
pub struct Watched {
    pub outcome: Outcome,
    /// Everything broken: by the engine's account, the audit's and the observer's.
    pub broken: Vec<String>,
    /// Checks that the audit and the observer made.
    pub checks: u64,
}

pub fn watched(spec: &NetworkSpec) -> Watched {
    let probe = (Audit::new(spec), Observer::new(spec));
    let ((audit, mut observer), outcome) =
        backwater_net::watched(spec, probe).expect("a sound network");
    observer.compare(&outcome);
    let say = |violation: &Violation| {
        format!(
            "{:?}, {:?}: {}",
            violation.at, violation.place, violation.what
        )
    };
    let engine = outcome.violations.kept().iter().map(say);
    let audited = audit.checks().violations().kept().iter().map(say);
    let broken = engine
        .chain(audited)
        .chain(observer.broken.iter().cloned())
        .collect();
    Watched {
        checks: audit.checks().made() + observer.checks,
        broken,
        outcome,
    }
}

impl Watched {
    /// Everything offered was delivered, and nothing is left to do.
    pub fn all_delivered(&self) -> bool {
        let whole =
            |flow: &backwater_net::outcome::FlowOutcome| flow.offered_total == flow.delivered_total;
        self.outcome.stop == Stop::Drained && self.outcome.flows.iter().all(whole)
    }
}

/// Runs every network of `specs` and requires that nothing is broken; the runs.
pub fn sound(specs: impl Iterator<Item = NetworkSpec>) -> Vec<Watched> {
    specs
        .map(|spec| {
            let run = watched(&spec);
            assert!(
                run.broken.is_empty(),
                "seed {}: {} broken, first: {}",
                spec.seed,
                run.broken.len(),
                run.broken[0]
            );
            run
        })
        .collect()
}
