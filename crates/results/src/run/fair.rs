//! Max-min fair shares of the flows of a run.
//!
//! What flows want follows from their traffic; what comes back on other channels (backward RM
//! cells, credit units) is background there. The rates compared are those of data units on the
//! wire.

use backwater_kernel::{Channels, Duration};
use backwater_net::outcome::SessionAnswer;
use backwater_net::spec::{
    AbrSpec, CellApplication, CellTcpSpec, EnvelopeRule, EnvelopeSpec, FlowControlSpec, FlowSpec,
    NetworkSpec, SchedulerSpec, SinkSpec, Span, TrafficSpec,
};

use super::Circuits;
use super::loads::flow_loads;
use crate::events::{Fairness, line_rates, names, per_second};
use crate::fairness::{Allocation, Claim, FairRow, FairShares, max_min};
use crate::number::significant;

/// What a flow wants, in bps.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Want {
    /// All it can get.
    All,
    /// So much data; RM cells come on top.
    Data(f64),
    /// So much on the wire, RM cells included.
    Wire(f64),
    /// Its partner's answers decide; others see what it was measured to take.
    Closed(&'static str),
    /// Nothing of its own.
    Nothing,
}

impl Fairness for NetworkSpec {
    /// The shares of all flows that have something of their own to send.
    fn shares(run: &Circuits<'_>) -> FairShares {
        let network = Network::new(run, groups_count(run.network));
        let found = max_min(&network.capacity, &network.claims);
        let mut rows = Vec::new();
        for (flow, want) in network.wants.iter().enumerate() {
            if *want == Want::Nothing {
                continue;
            }
            let mut row = FairRow {
                name: run.network.flows[flow].name.clone(),
                measured: network.measured[flow],
                wire_measured: network.wire_measured(flow),
                ..FairRow::default()
            };
            match (network.claim_of[flow], want) {
                (_, Want::Closed(why)) => row.remark = why,
                (None, _) => row.remark = "no path",
                (Some(claim), _) => {
                    let rate = found.rates[claim];
                    let data = network.data_rate(flow, &found);
                    (row.share, row.wire_share) = (Some(data), Some(rate));
                    row.payload = network.payload(flow, data);
                    row.limit = found.limit(claim, |channel| run.port(channel));
                }
            }
            rows.push(row);
        }
        FairShares {
            rows,
            counted_as: "data units on the wire",
            notes: network.notes(&found),
            ..FairShares::default()
        }
    }

    /// The share of each flow if all priorities were one, bps of data.
    fn among_equals(run: &Circuits<'_>) -> Vec<Option<f64>> {
        let network = Network::new(run, false);
        let found = max_min(&network.capacity, &network.claims);
        let share =
            |(flow, claim): (usize, &Option<usize>)| claim.map(|_| network.data_rate(flow, &found));
        network.claim_of.iter().enumerate().map(share).collect()
    }

    fn rates(run: &Circuits<'_>) -> Vec<f64> {
        let loads = flow_loads(run).into_iter();
        loads.map(|load| load.bits_per_second).collect()
    }

    fn goodputs(run: &Circuits<'_>) -> Vec<f64> {
        let seconds = run.seconds();
        let tcp = run.outcome.flows.iter().filter_map(|flow| flow.tcp);
        tcp.map(|tcp| per_second(tcp.delivered_bytes as f64 * 8.0, seconds))
            .collect()
    }
}

/// The network as water filling sees it.
struct Network<'a> {
    run: &'a Circuits<'a>,
    /// bps of data, by flow.
    measured: Vec<f64>,
    wants: Vec<Want>,
    /// By channel: what is shared out, and the part of it that ABR may fill.
    capacity: Vec<f64>,
    target: Vec<f64>,
    claims: Vec<Claim>,
    /// By flow.
    claim_of: Vec<Option<usize>>,
    groups_count: bool,
}

impl<'a> Network<'a> {
    fn new(run: &'a Circuits<'a>, groups_count: bool) -> Network<'a> {
        let loads = flow_loads(run);
        let mut target = vec![1.0; 2 * run.network.links.len()];
        for (channel, rule) in &run.network.rules.rate_ports {
            if let (Some(target), Some(aim)) = (target.get_mut(*channel as usize), rule.target()) {
                *target = aim;
            }
        }
        let capacity = line_rates(run.network).zip(&target);
        let mut network = Network {
            run,
            measured: loads.iter().map(|load| load.bits_per_second).collect(),
            wants: (0..run.network.flows.len())
                .map(|flow| want(run, flow))
                .collect(),
            capacity: capacity.map(|(rate, aim)| rate * aim).collect(),
            target,
            claims: Vec::new(),
            claim_of: vec![None; run.network.flows.len()],
            groups_count,
        };
        network.measured.resize(run.network.flows.len(), 0.0);
        network.add_claims();
        network
    }

    fn add_claims(&mut self) {
        let mut count = 0;
        for flow in 0..self.run.network.flows.len() {
            let has_way = !self.run.network.flows[flow].legs.is_empty();
            if has_way && (self.wants[flow] != Want::Nothing || self.measured[flow] > 0.0) {
                self.claim_of[flow] = Some(count);
                count += 1;
            }
        }
        for flow in 0..self.run.network.flows.len() {
            if self.claim_of[flow].is_some() {
                let claim = self.claim(flow);
                self.claims.push(claim);
            }
        }
    }

    fn claim(&self, flow: usize) -> Claim {
        let own = &self.run.network.flows[flow];
        let abr = own.abr();
        let loads = own.legs.iter();
        let mut claim = Claim {
            loads: loads
                .map(|leg| (leg.channel, self.weight(leg.channel, abr.is_some())))
                .collect(),
            group: if self.groups_count {
                (u8::MAX - own.priority).into()
            } else {
                0
            },
            ..Claim::default()
        };
        let data = match self.wants[flow] {
            Want::All => None,
            Want::Wire(rate) => {
                claim.demand = rate;
                return self.with_echoes(flow, claim);
            }
            Want::Data(rate) => Some(rate),
            Want::Closed(_) | Want::Nothing => Some(self.measured[flow]),
        };
        claim.demand = match (data, abr) {
            (None, None) => f64::INFINITY,
            (None, Some(abr)) => self.peak(own, abr),
            (Some(data), None) => data,
            // Forward RM cells of its own, and its partner's that it answers.
            (Some(data), Some(abr)) => {
                let more = with_rm(abr);
                if let Some((partner, other)) = self.abr_partner(flow) {
                    let claim_of = self.claim_of[partner];
                    claim.carries = claim_of.map(|of| (of, more / f64::from(other.nrm.max(1))));
                }
                data * more
            }
        };
        self.with_echoes(flow, claim)
    }

    /// What a source of ABR may send, RM cells included, where that is less than its link carries.
    fn peak(&self, flow: &FlowSpec, abr: &AbrSpec) -> f64 {
        let first = flow.legs.first().map(|leg| leg.channel);
        let rate = first.map(|channel| self.run.network.links.channel(channel).rate);
        match rate.is_some_and(|rate| abr.pcr < rate) {
            true => abr.pcr.0 as f64,
            false => f64::INFINITY,
        }
    }

    /// What a flow's rate is multiplied by on a channel: ABR + target x others <= target x link.
    fn weight(&self, channel: u32, is_abr: bool) -> f64 {
        match self.target.get(channel as usize) {
            Some(target) if !is_abr => *target,
            _ => 1.0,
        }
    }

    /// Credit units, and backward RM cells where they are not among the cells of a partner that
    /// has a rate of its own.
    fn with_echoes(&self, flow: usize, mut claim: Claim) -> Claim {
        let own = &self.run.network.flows[flow];
        for leg in &own.legs {
            if let FlowControlSpec::Credit(credit) = &leg.flow_control {
                let every = credit.redundant_every.unwrap_or(credit.n2).min(credit.n2);
                let message = credit.message_bytes.unwrap_or(own.unit_bytes);
                let size = f64::from(message) * 8.0 / unit_bits(own);
                let back = leg.channel ^ 1;
                let part = size / f64::from(every.max(1)) * self.weight(back, false);
                claim.echoes.push((back, part));
            }
        }
        let silent = self.abr_partner(flow).map(|partner| partner.0);
        let silent = silent.filter(|partner| self.claim_of[*partner].is_none());
        if let (Some(abr), Some(partner)) = (own.abr(), silent) {
            let part = 1.0 / f64::from(abr.nrm.max(1));
            let back = self.run.network.flows[partner].legs.iter();
            claim.echoes.extend(back.map(|leg| (leg.channel, part)));
        }
        claim
    }

    fn abr_partner(&self, flow: usize) -> Option<(usize, &'a AbrSpec)> {
        let partner = self.run.network.flows[flow].partner? as usize;
        Some((partner, self.run.network.flows.get(partner)?.abr()?))
    }

    /// The data in a flow's share: without its forward RM cells and without its partner's that
    /// it answers.
    fn data_rate(&self, flow: usize, found: &Allocation) -> f64 {
        let rate_of = |flow: usize| self.claim_of[flow].map_or(0.0, |claim| found.rates[claim]);
        let rate = rate_of(flow);
        match self.run.network.flows[flow].abr() {
            None => rate,
            Some(abr) => {
                let answers = self.abr_partner(flow).map_or(0.0, |(partner, other)| {
                    rate_of(partner) / f64::from(other.nrm.max(1))
                });
                (rate / with_rm(abr) - answers).max(0.0)
            }
        }
    }

    /// For ABR: data, and as many RM cells as in the whole run came to a data cell.
    fn wire_measured(&self, flow: usize) -> Option<f64> {
        let measured = self.measured[flow];
        let Some(found) = &self.run.outcome.flows.get(flow)?.abr else {
            return Some(measured);
        };
        let rm = found.forward.sent + found.backward.sent;
        let all = found.in_rate_total + found.out_of_rate_total;
        let data = all.saturating_sub(rm);
        (data > 0).then(|| measured * all as f64 / data as f64)
    }

    /// TCP over cells: payload measured, and that of the share.
    fn payload(&self, flow: usize, data_bps: f64) -> Option<(f64, f64)> {
        let TrafficSpec::Tcp(tcp) = &self.run.network.flows[flow].traffic else {
            return None;
        };
        let found = self.run.outcome.flows.get(flow)?.tcp.as_ref()?;
        let measured = found.delivered_bytes as f64 * 8.0;
        let measured = per_second(measured, self.run.seconds());
        let cell_bytes = self.run.network.flows[flow].unit_bytes;
        Some((measured, data_bps * payload_part(tcp, cell_bytes)))
    }

    fn notes(&self, found: &Allocation) -> Vec<String> {
        let mut notes = Vec::new();
        let mut crossed = vec![false; self.target.len()];
        for leg in self.run.network.flows.iter().flat_map(|flow| &flow.legs) {
            if let Some(crossed) = crossed.get_mut(leg.channel as usize) {
                *crossed = true;
            }
        }
        let aims = self.target.iter().zip(&crossed);
        let mut aims: Vec<f64> = aims
            .filter(|(aim, crossed)| **crossed && **aim < 1.0)
            .map(|(aim, _)| *aim)
            .collect();
        aims.sort_by(f64::total_cmp);
        aims.dedup();
        if !aims.is_empty() {
            let aims: Vec<String> = aims.iter().map(|aim| significant(*aim, 3)).collect();
            notes.push(format!(
                "ports that signal rates give ABR {} of what others leave",
                aims.join(" or ")
            ));
        }
        if (0..self.run.network.flows.len()).any(|flow| limit_changes(self.run, flow)) {
            notes.push("limits changed in the run; the last one counts".into());
        }
        if !self.run.network.outages.is_empty() {
            notes.push("shares are those without outages".into());
        }
        if !self.groups_count {
            notes.push("a port serves in order of arrival: priorities do not count".into());
        }
        if !found.is_settled {
            notes.push("the background did not settle: shares are approximate".into());
        }
        notes
    }
}

/// In-rate cells to a cell that is no forward RM cell.
fn with_rm(abr: &AbrSpec) -> f64 {
    let nrm = f64::from(abr.nrm.max(2));
    nrm / (nrm - 1.0)
}

/// Priorities count, unless flows of several meet a port that serves in order of arrival.
fn groups_count(spec: &NetworkSpec) -> bool {
    let first = spec.flows.first().map(|flow| flow.priority);
    if spec.flows.iter().all(|flow| Some(flow.priority) == first) {
        return true;
    }
    let legs = spec.flows.iter().flat_map(|flow| &flow.legs);
    let mut ports = legs.filter_map(|leg| names::channel_spec(spec, leg.channel));
    !ports.any(|port| port.scheduler == SchedulerSpec::Fifo)
}

/// Mean bits of a data unit on the wire.
fn unit_bits(flow: &FlowSpec) -> f64 {
    let shares: f64 = flow.sizes.iter().map(|size| size.share).sum();
    let bytes = match shares > 0.0 {
        true => {
            let sizes = flow.sizes.iter();
            sizes
                .map(|size| f64::from(size.bytes) * size.share)
                .sum::<f64>()
                / shares
        }
        false => f64::from(flow.unit_bytes),
    };
    (bytes * 8.0).max(1.0)
}

/// Payload in the bits of full segments, cut into cells.
fn payload_part(tcp: &CellTcpSpec, cell_bytes: u32) -> f64 {
    let payload = tcp.tcp.mss_bytes;
    let cells = (payload + tcp.overhead_bytes).div_ceil(tcp.payload_bytes.max(1));
    f64::from(payload) / (f64::from(cells) * f64::from(cell_bytes)).max(1.0)
}

fn span_seconds(span: Span) -> f64 {
    match span {
        Span::Fixed(length) | Span::Uniform(length) | Span::Exponential(length) => length.seconds(),
    }
}

/// `units` in `seconds`; no limit where there is no time.
fn pace(units: f64, seconds: f64) -> f64 {
    if seconds > 0.0 {
        units / seconds
    } else {
        f64::INFINITY
    }
}

fn want(run: &Circuits<'_>, flow: usize) -> Want {
    let own = &run.network.flows[flow];
    let session = run.outcome.flows.get(flow).and_then(|found| found.session);
    if session.is_some_and(|found| matches!(found.answer, SessionAnswer::Refused { .. })) {
        return Want::Closed("refused");
    }
    let bits = unit_bits(own);
    let data = |units_per_second: f64| Want::Data(bits * units_per_second);
    let want = match &own.traffic {
        TrafficSpec::Silent => Want::Nothing,
        TrafficSpec::Greedy { .. } => Want::All,
        TrafficSpec::Bottlenecked { limits, .. } => {
            let mut past = limits
                .iter()
                .filter(|limit| limit.from < run.outcome.ended_at);
            match past.next_back().and_then(|limit| limit.rate) {
                Some(rate) => Want::Wire(rate.0 as f64),
                None => Want::All,
            }
        }
        TrafficSpec::Constant { interval, .. } => data(pace(1.0, interval.seconds())),
        TrafficSpec::Poisson { mean_interval, .. } => data(pace(1.0, mean_interval.seconds())),
        TrafficSpec::Trains {
            mean_units,
            gap,
            mean_pause,
            ..
        } => data(pace(
            1.0,
            gap.seconds() + mean_pause.seconds() / mean_units.max(1.0),
        )),
        TrafficSpec::OnOff {
            on,
            off,
            on_interval,
            off_interval,
            ..
        } => {
            let per_second = |gap: Duration| pace(1.0, gap.seconds());
            let (on, off) = (span_seconds(*on), span_seconds(*off));
            let slow = off_interval.map_or(0.0, per_second);
            data(pace(on * per_second(*on_interval) + off * slow, on + off))
        }
        TrafficSpec::Tcp(tcp) => match tcp.application {
            CellApplication::Bulk(_) => Want::All,
            CellApplication::Requests { .. } => Want::Closed("closed loop"),
        },
        TrafficSpec::Client(_) | TrafficSpec::Requests(_) => Want::Closed("closed loop"),
        TrafficSpec::Server | TrafficSpec::TcpBack => Want::Closed("answers"),
        TrafficSpec::Outside(_) => Want::Closed("outside"),
    };
    limited(own, bits, want)
}

/// No more than the sink takes and envelope and policer let through.
fn limited(own: &FlowSpec, bits: f64, want: Want) -> Want {
    let envelope = |envelope: &EnvelopeSpec| match envelope.rule {
        EnvelopeRule::FixedWindow {
            units, interval, ..
        }
        | EnvelopeRule::SlidingWindow { units, interval } => {
            bits * pace(f64::from(units), interval.seconds())
        }
        EnvelopeRule::Bucket { rate, .. } => rate.0 as f64,
    };
    let sink = match own.sink {
        SinkSpec::Infinite => f64::INFINITY,
        SinkSpec::Limited { interval } => bits * pace(1.0, interval.seconds()),
        SinkSpec::Stalling {
            interval,
            run,
            stall,
        } => {
            let (run, stall) = (span_seconds(run), span_seconds(stall));
            bits * pace(1.0, interval.seconds()) * run / (run + stall).max(1e-12)
        }
    };
    let held = [own.envelope.as_ref(), own.policer.as_ref()]
        .into_iter()
        .flatten();
    let most = held.map(envelope).fold(sink, f64::min);
    match want {
        Want::All if most.is_finite() => Want::Data(most),
        Want::Data(rate) => Want::Data(rate.min(most)),
        want => want,
    }
}

/// A limit of its source changed while rates were measured.
fn limit_changes(run: &Circuits<'_>, flow: usize) -> bool {
    let TrafficSpec::Bottlenecked { limits, .. } = &run.network.flows[flow].traffic else {
        return false;
    };
    let mut changes = limits.iter().map(|limit| limit.from);
    changes.any(|from| from > run.network.warm_up && from < run.outcome.ended_at)
}
