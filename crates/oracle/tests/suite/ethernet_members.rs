//! Flows without rows: a run is the same to the last start as if each had a row, and what they did
//! together is what those rows add up to.

use std::collections::BTreeMap;

use backwater_kernel::{Balance, Distribution, Duration, Rings, Time};
use backwater_net::frames::Simulation;
use backwater_net::frames::spec::*;
use backwater_net::outcome::{FlowOutcome, Outcome};
use backwater_oracle::ethernet::{Mix, SCHEMES, SPREADS, Scheme, random_spec};

use crate::ethernet_common::{Log, fast};

const SEEDS: u64 = 12;
/// Times over that each flow of a random network comes again.
const TIMES: u64 = 8;

/// A list in memory.
struct Listed(std::vec::IntoIter<Arrival>);

impl Arrivals for Listed {
    fn next(&mut self) -> Result<Option<Arrival>, String> {
        Ok(self.0.next())
    }
}

/// Flows as a list: those of a random network, over and over, in the order in which they begin.
fn listed(seed: u64, mix: Mix) -> EthernetSpec {
    let mut spec = random_spec(seed, mix);
    let stop_at = spec.stop_at.ps();
    let mut all = Vec::new();
    for turn in 0..TIMES {
        for (index, flow) in (0_u64..).zip(&spec.flows) {
            let draw = (seed * 7_919 + turn * 104_729 + index * 1_299_709) % 1_000;
            // Many begin together.
            let start = Time(stop_at / 1_000 * (draw / 50 * 40));
            let mut flow = flow.clone();
            flow.others = Vec::new();
            flow.name = format!("list[{}]", all.len());
            // Nothing is left to paths, which flows without a row alone are asked for.
            if let TransportSpec::Tcp(tcp) = &mut flow.transport {
                tcp.handshake_rtt = tcp.handshake_rtt.map(|_| Duration(5_000_000));
            }
            flow.traffic = TrafficSpec::Infinite {
                start,
                bytes: Some(1 + draw * draw * 17 % 9_000),
            };
            all.push(flow);
        }
    }
    all.sort_by_key(|flow| file(flow).0);
    spec.flows = all;
    spec
}

/// The same where only the first so many have a row.
fn with_rows(spec: &EthernetSpec, rows: usize) -> EthernetSpec {
    let kinds: Vec<FlowSpec> = spec.flows[rows..].to_vec();
    let arrival = |(kind, flow): (u32, &FlowSpec)| Arrival {
        at: file(flow).0,
        source: flow.source,
        destination: flow.destination,
        bytes: file(flow).1,
        kind,
    };
    let all: Vec<Arrival> = (0..).zip(&kinds).map(arrival).collect();
    let mut members = spec.clone();
    members.flows.truncate(rows);
    members.rules.arrivals = vec![ArrivalSpec {
        name: "list".into(),
        count: all.len() as u32,
        active: 1,
        kinds,
        arrivals: ArrivalRecipe::new(move || Box::new(Listed(all.clone().into_iter()))),
    }];
    members
}

/// When a flow begins, and with how many bytes.
fn file(flow: &FlowSpec) -> (Time, u64) {
    match flow.traffic {
        TrafficSpec::Infinite {
            start,
            bytes: Some(bytes),
        } => (start, bytes),
        _ => unreachable!("all are of a list"),
    }
}

/// What several did together, as far as flows without a row tell it.
#[derive(Debug, PartialEq)]
struct Sums {
    units: Balance,
    bytes: Balance,
    counts: [u64; 8],
    tcp: String,
    times: [Distribution; 2],
    slowdowns: (u64, u64, i64, i64),
}

fn sums<'a>(flows: impl Iterator<Item = &'a FlowOutcome> + Clone) -> Sums {
    let total = |of: fn(&FlowOutcome) -> u64| flows.clone().map(of).sum::<u64>();
    let slowdown = Distribution::merged(flows.clone().map(|flow| &flow.slowdown));
    let thousandths = |of: Option<f64>| of.map_or(-1, |of| (of * 1e3).round() as i64);
    let tcp = |of: fn(&FlowOutcome) -> u64| total(of).to_string();
    Sums {
        units: flows.clone().map(FlowOutcome::balance).sum(),
        bytes: flows.clone().filter_map(|flow| flow.bytes).sum(),
        counts: [
            total(|flow| flow.delivered),
            total(|flow| flow.lost),
            total(|flow| flow.marked),
            total(|flow| flow.delay.count),
            total(|flow| flow.ends.goodput_bytes),
            total(|flow| flow.ends.transfers_begun),
            total(|flow| flow.ends.transfers_total),
            total(|flow| flow.ends.unacknowledged_total),
        ],
        tcp: [
            tcp(|flow| flow.ends.tcp.segments),
            tcp(|flow| flow.ends.tcp.again_bytes),
            tcp(|flow| flow.ends.tcp.time_outs),
        ]
        .join(" "),
        times: [
            Distribution::merged(flows.clone().map(|flow| &flow.ends.transfer_time)),
            Distribution::merged(flows.clone().map(|flow| &flow.ends.acknowledged_time)),
        ],
        slowdowns: (
            slowdown.count(),
            slowdown.open(),
            thousandths(slowdown.mean()),
            thousandths(slowdown.max()),
        ),
    }
}

/// Both runs, and whether they say the same; how many slots there were.
fn compare(spec: &EthernetSpec, rows: usize, name: &str) -> (Outcome, usize) {
    let members = with_rows(spec, rows);
    let (wanted_log, wanted): (Log, Outcome) = fast(spec);
    let (log, found) = fast(&members);
    let mut both = log.starts.iter().zip(&wanted_log.starts);
    if let Some((one, wanted)) = both.find(|(one, wanted)| one != wanted) {
        panic!("{name}: {one:?} for {wanted:?}");
    }
    assert_eq!(log.starts.len(), wanted_log.starts.len(), "{name}: starts");
    assert!(log.drops == wanted_log.drops, "{name}: drops");
    assert!(
        log.deliveries == wanted_log.deliveries,
        "{name}: deliveries"
    );
    assert_eq!(found.trace_hash, wanted.trace_hash, "{name}");
    assert_eq!(found.ended_at, wanted.ended_at, "{name}");
    assert_eq!(
        found.violations.total(),
        wanted.violations.total(),
        "{name}"
    );
    assert_eq!(found.balances(), wanted.balances(), "{name}");
    let mut by_size: BTreeMap<u64, Vec<&FlowOutcome>> = BTreeMap::new();
    for (flow, outcome) in spec.flows.iter().zip(&wanted.flows).skip(rows) {
        by_size.entry(file(flow).1).or_default().push(outcome);
    }
    for bin in &found.members {
        let of_bin = by_size.range(bin.least_bytes..=bin.most_bytes);
        let of_bin: Vec<&FlowOutcome> = of_bin.flat_map(|(_, own)| own).copied().collect();
        assert_eq!(bin.flows, of_bin.len() as u64, "{name}");
        let (own, all) = (sums([&bin.found].into_iter()), sums(of_bin.into_iter()));
        assert_eq!(
            own, all,
            "{name}: {} to {}",
            bin.least_bytes, bin.most_bytes
        );
    }
    let counted: u64 = found.members.iter().map(|bin| bin.flows).sum();
    assert_eq!(counted, (spec.flows.len() - rows) as u64, "{name}");
    let mut simulation = Simulation::<Rings>::new(&members).expect("a sound network");
    simulation.run();
    assert_eq!(simulation.outcome().trace_hash, wanted.trace_hash, "{name}");
    (wanted, simulation.network().slots())
}

/// Schemes that stop stations have a lane for each flow there is.
fn schemes() -> impl Iterator<Item = Scheme> {
    let by_station = [Scheme::Destination, Scheme::Drawn];
    SCHEMES
        .into_iter()
        .filter(move |scheme| !by_station.contains(scheme))
}

#[test]
fn a_list_without_rows_runs_as_with_rows() {
    let (mut flows, mut slots, mut drops) = (0, 0, 0);
    for scheme in schemes() {
        for seed in 0..SEEDS {
            for (has_tcp, has_pairs, parts) in [
                (false, false, seed % 2 == 0),
                (true, false, seed % 2 == 1),
                (true, true, seed % 3 == 0),
            ] {
                let mix = Mix {
                    has_tcp,
                    has_pairs,
                    spread: match parts {
                        true => SPREADS[seed as usize % SPREADS.len()],
                        false => Spread::Flows,
                    },
                    has_losses: seed % 4 == 3,
                    ..Mix::of(scheme)
                };
                let spec = listed(seed, mix);
                let name = format!("{scheme:?} {seed} {has_tcp} {has_pairs} {parts}");
                let (outcome, own) = compare(&spec, (seed % 5) as usize, &name);
                flows += spec.flows.len();
                slots += own;
                drops += outcome.balance().dropped;
            }
        }
    }
    assert!(drops > 100, "{drops}");
    assert!(slots < flows * 3 / 4, "{slots} slots of {flows} flows");
}

/// Numbers decide: the same flows, of which some of one instant have changed places, are another
/// run. So equal hashes say something.
#[test]
fn a_list_in_another_order_is_another_run() {
    let mut differ = 0;
    for seed in 0..SEEDS {
        let spec = listed(seed, Mix::of(Scheme::Off));
        let mut other = spec.clone();
        for two in other
            .flows
            .chunk_by_mut(|one, next| file(one).0 == file(next).0)
        {
            two.reverse();
        }
        let hash = |spec: &EthernetSpec| fast(&with_rows(spec, 0)).1.trace_hash;
        differ += u64::from(hash(&spec) != hash(&other));
    }
    assert!(differ > SEEDS / 2, "{differ}");
}
