//! Max-min fair shares of the flows of a run.
//!
//! What flows want follows from their traffic; what comes back on other channels (backward RM
//! cells, credit units) is background there. The rates compared are those of data units on the
//! wire.

mod wants;

use backwater_kernel::Channels;
use backwater_net::spec::{
    AbrSpec, CellTcpSpec, FlowControlSpec, FlowSpec, NetworkSpec, TrafficSpec,
};

use super::Circuits;
use super::loads::flow_loads;
use crate::events::{Fairness, line_rates, names, per_second};
use crate::fairness::{
    Allocation, Claim, FairRow, FairShares, Limit, WINDOW, WINDOW_NOTE, max_min,
};
use crate::number::significant;
use wants::{Want, is_by_window, limit_changes, unit_bits, want};

impl Fairness for NetworkSpec {
    /// The shares of all flows that have something of their own to send.
    fn shares(run: &Circuits<'_>) -> FairShares {
        let network = Network::new(run, groups_count(run.network));
        let shares = max_min(&network.capacity, &network.claims);
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
                    let rate = shares.rates[claim];
                    let data = network.data_rate(flow, &shares);
                    (row.share, row.wire_share) = (Some(data), Some(rate));
                    row.payload = network.payload(flow, data);
                    let channels = network.target.len() as u32;
                    row.limit = match shares.limits[claim] {
                        Limit::Demand if is_by_window(run, flow) => WINDOW.into(),
                        _ => shares.limit(claim, |at| run.port(at % channels)),
                    };
                }
            }
            rows.push(row);
        }
        let mut notes = network.notes(&shares);
        if rows.iter().any(|row| row.limit == WINDOW) {
            notes.push(WINDOW_NOTE.into());
        }
        FairShares {
            rows,
            counted_as: "data units on the wire",
            notes,
            ..FairShares::default()
        }
    }

    /// The share of each flow if all priorities were one, bps of data.
    fn among_equals(run: &Circuits<'_>) -> Vec<Option<f64>> {
        let network = Network::new(run, false);
        let shares = max_min(&network.capacity, &network.claims);
        let share = |(flow, claim): (usize, &Option<usize>)| {
            claim.map(|_| network.data_rate(flow, &shares))
        };
        network.claim_of.iter().enumerate().map(share).collect()
    }

    fn rates(run: &Circuits<'_>) -> Vec<f64> {
        let loads = flow_loads(run).into_iter();
        loads.map(|load| load.bits_per_second).collect()
    }

    fn goodputs(run: &Circuits<'_>) -> Vec<f64> {
        let seconds = run.seconds();
        let tcp = run
            .outcome
            .flows
            .iter()
            .filter_map(|flow| flow.tcp.as_deref());
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
    /// By channel: what is shared out, and the part of it that ABR may fill. Then, by channel
    /// again, what it carries in all.
    capacity: Vec<f64>,
    target: Vec<f64>,
    /// By channel where ABR fills a part: what has a lower priority goes into the rest.
    least_priority: Vec<Option<u8>>,
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
        let aims = line_rates(run.network).zip(&target);
        let aims = aims.map(|(rate, aim)| rate * aim);
        let least_priority = match groups_count {
            true => least_priority(run.network, &target),
            false => vec![None; target.len()],
        };
        let mut network = Network {
            run,
            measured: loads.iter().map(|load| load.bits_per_second).collect(),
            wants: (0..run.network.flows.len())
                .map(|flow| want(run, flow))
                .collect(),
            capacity: aims.chain(line_rates(run.network)).collect(),
            target,
            least_priority,
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
        let flow_spec = &self.run.network.flows[flow];
        let abr = flow_spec.abr();
        let loads = flow_spec.legs.iter();
        let mut claim = Claim {
            loads: loads
                .flat_map(|leg| self.load(flow_spec, leg.channel, 1.0))
                .collect(),
            group: if self.groups_count {
                (u8::MAX - flow_spec.priority).into()
            } else {
                0
            },
            ..Claim::default()
        };
        let data = match self.wants[flow] {
            Want::All => None,
            Want::Wire(rate) => {
                claim.demand = abr.map_or(rate, |abr| rate.min(self.peak(flow_spec, abr)));
                return self.with_echoes(flow, claim);
            }
            Want::Data(rate) => Some(rate),
            Want::Closed(_) | Want::Nothing => Some(self.measured[flow]),
        };
        claim.demand = match (data, abr) {
            (None, None) => f64::INFINITY,
            (None, Some(abr)) => self.peak(flow_spec, abr),
            (Some(data), None) => data,
            // Forward RM cells of its own, and its partner's that it answers.
            (Some(data), Some(abr)) => {
                let more = 1.0 / self.data_part(flow, abr);
                let (all, peak) = (data * more, self.peak(flow_spec, abr));
                if let Some((partner, other)) = self.abr_partner(flow)
                    && all < peak
                {
                    let claim_of = self.claim_of[partner];
                    claim.carries = claim_of.map(|of| (of, more / f64::from(other.nrm.max(1))));
                }
                all.min(peak)
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

    /// What a flow takes of a channel that sends `part` of its rate there:
    /// ABR + target x others <= target x link. What goes after ABR shares in the link as a whole.
    fn load(&self, flow: &FlowSpec, channel: u32, part: f64) -> Vec<(u32, f64)> {
        let at = channel as usize;
        let target = match flow.abr() {
            Some(_) => 1.0,
            None => self.target.get(at).copied().unwrap_or(1.0),
        };
        let whole = channel + self.target.len() as u32;
        match self.least_priority.get(at).copied().flatten() {
            Some(least) if flow.abr().is_none() && flow.priority < least => vec![(whole, part)],
            Some(_) => vec![(channel, part * target), (whole, part)],
            None => vec![(channel, part * target)],
        }
    }

    /// Credit units, and backward RM cells where they are not among the cells of a partner that
    /// has a rate of its own.
    fn with_echoes(&self, flow: usize, mut claim: Claim) -> Claim {
        let flow_spec = &self.run.network.flows[flow];
        for leg in &flow_spec.legs {
            if let FlowControlSpec::Credit(credit) = &leg.flow_control {
                let every = credit.redundant_every.unwrap_or(credit.n2).min(credit.n2);
                let message = credit.message_bytes.unwrap_or(flow_spec.unit_bytes);
                let size = f64::from(message) * 8.0 / unit_bits(flow_spec);
                let back = leg.channel ^ 1;
                let part = size / f64::from(every.max(1));
                let target = self.target.get(back as usize).copied().unwrap_or(1.0);
                claim.echoes.push((back, part * target));
            }
        }
        let silent = self.abr_partner(flow).map(|partner| partner.0);
        let silent = silent.filter(|partner| self.claim_of[*partner].is_none());
        if let (Some(abr), Some(partner)) = (flow_spec.abr(), silent) {
            let back = &self.run.network.flows[partner];
            let flow_spec = back.abr().filter(|back| back.counts_backward);
            let part = flow_spec.map_or(1.0, with_rm) / f64::from(abr.nrm.max(1));
            let loads = back.legs.iter();
            claim
                .echoes
                .extend(loads.flat_map(|leg| self.load(back, leg.channel, part)));
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
                (rate * self.data_part(flow, abr) - answers).max(0.0)
            }
        }
    }

    /// The data among its cells: what is neither a forward RM cell of its own nor an answer to one
    /// of a silent partner, which sends one with so many of its own answers.
    fn data_part(&self, flow: usize, abr: &AbrSpec) -> f64 {
        let nrm = f64::from(abr.nrm.max(2));
        let partner = self.abr_partner(flow);
        let silent = partner
            .filter(|(partner, other)| self.claim_of[*partner].is_none() && other.counts_backward);
        let answers = silent.map_or(0.0, |(_, other)| 1.0 / f64::from(other.nrm.max(2) - 1));
        (1.0 - (1.0 + answers) / nrm).max(0.0)
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
    !ports.any(|port| port.scheduler.ignores_priority())
}

/// By channel: the least priority of ABR where its ports fill a part of the link and serve by
/// priority.
fn least_priority(spec: &NetworkSpec, target: &[f64]) -> Vec<Option<u8>> {
    let mut least = vec![None; target.len()];
    for flow in spec.flows.iter().filter(|flow| flow.abr().is_some()) {
        for leg in &flow.legs {
            let channel = leg.channel as usize;
            let port = names::channel_spec(spec, leg.channel);
            if target.get(channel).is_some_and(|target| *target < 1.0)
                && port.is_some_and(|port| !port.scheduler.ignores_priority())
            {
                let of_others = least[channel].unwrap_or(flow.priority);
                least[channel] = Some(flow.priority.min(of_others));
            }
        }
    }
    least
}

/// Payload in the bits of full segments, cut into cells.
fn payload_part(tcp: &CellTcpSpec, cell_bytes: u32) -> f64 {
    let payload = tcp.tcp.mss_bytes;
    let cells = (payload + tcp.overhead_bytes).div_ceil(tcp.payload_bytes.max(1));
    f64::from(payload) / (f64::from(cells) * f64::from(cell_bytes)).max(1.0)
}
