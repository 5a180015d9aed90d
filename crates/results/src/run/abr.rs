//! What is said of ABR circuits and of the ports that tell them rates.

use backwater_net::outcome::{AbrOutcome, RatePortOutcome};
use backwater_net::spec::{AbrSpec, ExplicitRateSpec};

use super::Circuits;
use super::bursts;
use crate::model::{Axis, Cell, Curve, Plot, Style, Table};
use crate::number::{grouped, rate, significant};
use crate::table_of::TableOf;
use backwater_kernel::words::counted;

/// Directions that get a dot each.
const DOTS: usize = 128;

/// A direction of a circuit with what was found of it.
pub struct Direction<'a> {
    /// Flow.
    pub flow: u32,
    /// Its source.
    pub spec: &'a AbrSpec,
    /// What was found.
    pub found: &'a AbrOutcome,
}

/// All of them, in the order of flows.
pub fn directions<'a>(run: &'a Circuits<'_>) -> Vec<Direction<'a>> {
    let flows = (0..).zip(run.network.flows.iter().zip(&run.outcome.flows));
    let direction = |(flow, (own, found)): (u32, (&'a backwater_net::spec::FlowSpec, &'a _))| {
        let found: &backwater_net::outcome::FlowOutcome = found;
        let (spec, found) = (own.abr()?, found.abr.as_ref()?);
        Some(Direction { flow, spec, found })
    };
    flows.filter_map(direction).collect()
}

/// Channels that tell rates, their rules and what was found of them.
fn ports<'a>(run: &'a Circuits<'_>) -> Vec<(u32, &'a ExplicitRateSpec, RatePortOutcome)> {
    let rules = run.network.rules.rate_ports.iter();
    let ports = rules.filter_map(|(channel, rule)| {
        let port = run
            .outcome
            .channels
            .get(*channel as usize)?
            .rate
            .as_deref()
            .copied()?;
        Some((*channel, rule, port))
    });
    let mut ports: Vec<_> = ports.collect();
    ports.sort_by_key(|port| port.0);
    ports
}

/// Rates and rules, RM cells, bursts, ports.
pub fn tables(run: &Circuits<'_>) -> Vec<Table> {
    let directions = directions(run);
    vec![
        rates(run, &directions),
        rm_cells(run, &directions),
        bursts::table(run, &directions),
        port_table(run),
    ]
}

fn mbps(bps: f64) -> Cell {
    Cell::float(bps / 1e6, 4)
}

fn rates(run: &Circuits<'_>, directions: &[Direction<'_>]) -> Table {
    TableOf::of(directions)
        .called(
            "abr: Each direction of an ABR circuit: the allowed rate of its source and the effect \
             of its rules. ACR is of the time after the warm-up, the rest of the whole run.",
        )
        .flow(run, |one| one.flow)
        .text("policy: use it or lose it")
        .of(|one| one.spec.uili.name())
        .number("PCR [Mbps]: peak cell rate")
        .of(|one| mbps(one.spec.pcr.0 as f64))
        .number("ICR [Mbps]: initial cell rate")
        .of(|one| mbps(one.spec.icr.0 as f64))
        .number("MCR [Mbps]: minimum cell rate")
        .of(|one| mbps(one.spec.mcr.0 as f64))
        .number("ACR mean [Mbps]: allowed cell rate, over time")
        .of(|one| mbps(one.found.acr_mean_bps))
        .number("ACR min [Mbps]: of the time after the warm-up")
        .of(|one| mbps(one.found.acr_min.0 as f64))
        .number("ACR max [Mbps]: of the time after the warm-up")
        .of(|one| mbps(one.found.acr_max.0 as f64))
        .number("ACR at end [Mbps]: allowed cell rate at the end")
        .of(|one| mbps(one.found.acr.0 as f64))
        .number("in-rate cells: data and RM cells sent in rate")
        .of(|one| one.found.in_rate_total)
        .number("reductions: by the policy")
        .of(|one| one.found.reductions_total)
        .number("refused: increases rejected by the policy")
        .of(|one| one.found.refused_total)
        .number("rule 6: reductions because no backward RM cells arrived")
        .of(|one| one.found.missing_total)
        .number("RM share [%]: RM cells over all cells sent")
        .of(|one| rm_share([one.found]).map(|share| Cell::float(share * 100.0, 3)))
        .done()
}

/// RM cells among all cells that some directions sent.
fn rm_share<'a>(directions: impl IntoIterator<Item = &'a AbrOutcome>) -> Option<f64> {
    let (mut rm, mut all) = (0, 0);
    for found in directions {
        rm += found.forward.sent + found.backward.sent;
        all += found.in_rate_total + found.out_of_rate_total;
    }
    (all > 0).then(|| rm as f64 / all as f64)
}

fn rm_cells(run: &Circuits<'_>, directions: &[Direction<'_>]) -> Table {
    let rows = directions.iter().flat_map(|one| {
        let (forward, backward) = (one.found.forward, one.found.backward);
        [(one, true, forward), (one, false, backward)]
    });
    TableOf::of(rows)
        .called("rm-cells: RM cells of each direction, by kind; whole run.")
        .flow(run, |(one, ..)| one.flow)
        .text("kind: forward, or backward: in return for its partner's")
        .of(|(_, is_forward, _)| if *is_forward { "forward" } else { "backward" })
        .number("sent [cells]: by its source")
        .of(|(.., counts)| counts.sent)
        .number("received [cells]: by its destination")
        .of(|(.., counts)| counts.received)
        .number("lost [cells]: on the wire or in a buffer")
        .of(|(.., counts)| counts.lost)
        .number("inside [cells]: in transit at the end")
        .of(|(.., counts)| counts.inside)
        .number("balance [cells]: sent - received - lost - inside; zero when all is accounted for")
        .of(|(.., counts)| counts.balance().missing())
        .number("out of rate [cells]: forward and backward ones sent out of rate")
        .of(|(one, is_forward, _)| is_forward.then_some(one.found.out_of_rate_total))
        .number("overwritten [cells]: backward cells replaced by a newer one")
        .of(|(one, is_forward, _)| (!is_forward).then_some(one.found.overwritten_total))
        .number("waiting [cells]: backward cells that wait to be sent")
        .of(|(one, is_forward, _)| (!is_forward).then_some(one.found.waiting))
        .number("notices [cells]: made by switches, that reached its source")
        .of(|(one, is_forward, _)| is_forward.then_some(one.found.notices_total))
        .done()
}

fn port_table(run: &Circuits<'_>) -> Table {
    let caption = "Ports that signal rates to ABR sources; whole run.";
    TableOf::of(ports(run))
        .called(format!("rate-ports: {caption}"))
        .port(run, "from which node to which", |(channel, ..)| *channel)
        .text("rule: of the switch")
        .of(|(_, rule, _)| rule.name())
        .number("cells [cells]: of ABR circuits that joined its queue")
        .of(|(.., found)| found.cells_total)
        .number("queue max [cells]: of ABR circuits that waited")
        .of(|(.., found)| found.queue_max)
        .number("feedbacks: backward RM cells that passed")
        .of(|(.., found)| found.feedbacks_total)
        .number("marked [cells]: EFCI set, or CI or NI in RM cells")
        .of(|(.., found)| found.marked_total)
        .number("intervals: measuring intervals that ended")
        .of(|(.., found)| (found.intervals_total > 0).then_some(found.intervals_total))
        .number("load mean: load factor z, mean over intervals with a capacity")
        .of(|(.., found)| (found.intervals_total > 0).then(|| Cell::float(found.load_mean, 4)))
        .number("active mean [circuits]: mean over intervals")
        .of(|(.., found)| (found.intervals_total > 0).then(|| Cell::float(found.active_mean, 3)))
        .number("fair share [Mbps]: at the end")
        .of(|(.., found)| {
            let fair = found.fair_share.0;
            (fair > 0).then(|| mbps(fair as f64))
        })
        .done()
}

/// At most three lines: circuits, bursts, ports.
pub fn lines(run: &Circuits<'_>) -> Vec<String> {
    let directions = directions(run);
    let mut lines = Vec::new();
    if !directions.is_empty() {
        let sum = |of: fn(&AbrOutcome) -> u64| directions.iter().map(|one| of(one.found)).sum();
        let (reductions, refused): (u64, u64) = (
            sum(|found| found.reductions_total),
            sum(|found| found.refused_total),
        );
        let means = directions.iter().map(|one| one.found.acr_mean_bps);
        let least = means.clone().reduce(f64::min).unwrap_or(0.0);
        let most = means.reduce(f64::max).unwrap_or(0.0);
        let mut line = format!(
            "ABR: mean ACR {} to {}; {}, {} refused",
            rate(least),
            rate(most),
            counted(reductions, "reduction"),
            grouped(refused)
        );
        let missing: u64 = sum(|found| found.missing_total);
        if missing > 0 {
            line.push_str(&format!(", {} without backward RM cells", grouped(missing)));
        }
        if let Some(share) = rm_share(directions.iter().map(|one| one.found)) {
            line.push_str(&format!(
                "; RM cells {} % of all",
                significant(share * 100.0, 3)
            ));
        }
        let lost: u64 = sum(|found| found.forward.lost + found.backward.lost);
        if lost > 0 {
            line.push_str(&format!(", {} lost", grouped(lost)));
        }
        lines.push(line);
    }
    lines.extend(bursts::line(run, &directions));
    lines.extend(port_line(run));
    lines
}

/// The port with the longest queue.
fn port_line(run: &Circuits<'_>) -> Option<String> {
    let ports = ports(run);
    let by = |a, b| {
        let queue = |port: &(u32, &ExplicitRateSpec, RatePortOutcome)| port.2.queue_max;
        if queue(&b) > queue(&a) { b } else { a }
    };
    let (channel, own, found) = ports.iter().copied().reduce(by)?;
    let name = run.port(channel);
    let mut line = format!(
        "{} at {}; longest queue {} at {name}",
        own.name(),
        counted(ports.len(), "port"),
        counted(found.queue_max, "cell")
    );
    if found.intervals_total > 0 {
        line.push_str(&format!(", mean load {}", significant(found.load_mean, 3)));
    }
    Some(line)
}

/// Allowed rates with their ranges, and bursts.
pub fn plots(run: &Circuits<'_>) -> Vec<Plot> {
    let directions = directions(run);
    let mut plots = Vec::new();
    if directions.len() > 1 {
        plots.push(allowed(run, &directions[..directions.len().min(DOTS)]));
    }
    plots.extend(bursts::plot(run, &directions));
    plots
}

fn allowed(run: &Circuits<'_>, directions: &[Direction<'_>]) -> Plot {
    let of = |value: fn(&AbrOutcome) -> f64| -> Vec<f64> {
        let all = directions.iter();
        all.map(|one| value(one.found) / 1e6).collect()
    };
    let (low, high) = (
        of(|found| found.acr_min.0 as f64),
        of(|found| found.acr_max.0 as f64),
    );
    let named = directions.iter().map(|one| run.flow(one.flow));
    Plot::new(
        "allowed-rates",
        "Allowed cell rates",
        vec![Curve {
            interval: Some((low, high)),
            ..Curve::in_order("mean", Style::Points, of(|found| found.acr_mean_bps))
        }],
    )
    .x(Axis::of_names("Direction of a circuit", named))
    .y(Axis::new("ACR", "Mbps").from_zero())
    .note("Whiskers run from the smallest to the largest ACR after the warm-up.")
}
