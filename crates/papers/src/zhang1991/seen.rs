//! What the tables of the paper print, from one run or from one run a seed.

use backwater_kernel::Samples;
use backwater_net::outcome::{FlowOutcome, LossCause, PathOutcome, PortOutcome, PortsOutcome};
use backwater_net::probe::{Ports, PortsSpec};
use backwater_net::spec::FlowSpec;
use backwater_scenario::PacketScenario;

use crate::lab::{Lab, LabError, Run};

/// What differs from a scenario's file: keys and values.
pub type Sets = Vec<(String, String)>;

/// Picoseconds of a millisecond.
const PS_PER_MS: f64 = 1e9;

/// A finished run whose ports were measured.
pub struct Seen {
    pub run: Run<()>,
    pub ports: PortsOutcome,
}

/// One run a seed.
pub struct Seeds(pub Vec<Seen>);

/// Keys and values, owned.
pub fn sets<K: Into<String>, V: Into<String>>(pairs: impl IntoIterator<Item = (K, V)>) -> Sets {
    let owned = |(key, value): (K, V)| (key.into(), value.into());
    pairs.into_iter().map(owned).collect()
}

/// Runs `file` with `sets`, one run a seed.
pub fn seeds(lab: &Lab, file: &str, sets: &Sets, seeds: u64) -> Result<Seeds, LabError> {
    let sets: Vec<(&str, &str)> = sets.iter().map(|(key, value)| (&**key, &**value)).collect();
    let found = lab.seeds_watched(file, &sets, seeds, probe, Seen::new)?;
    Ok(Seeds(found))
}

/// The same for several settings, side by side.
pub fn each(lab: &Lab, file: &str, all: &[Sets], count: u64) -> Result<Vec<Seeds>, LabError> {
    let one = |sets: &Sets| seeds(lab, file, sets, count);
    lab.each(all, one)
}

fn probe(scenario: &PacketScenario) -> Ports {
    let window = scenario.measure.window;
    Ports::new(&scenario.network, PortsSpec { window })
}

/// Trunks that a flow crosses: its first and its last link belong to hosts.
pub fn hops(flow: &FlowSpec) -> usize {
    flow.legs.len() - 2
}

/// Packets a second that a flow reserves; 0 for datagrams.
pub fn reserved(flow: &FlowSpec) -> u64 {
    flow.reserve.map_or(0, |reserve| {
        reserve.rate.0 / (8 * u64::from(flow.unit_bytes))
    })
}

/// Keeps the envelope that a source should?
pub fn is_normal(flow: &FlowSpec) -> bool {
    flow.envelope.is_some()
}

impl Seen {
    fn new(run: Run<Ports>) -> Seen {
        let ports = run.probe.outcome(run.outcome.ended_at);
        let run = Run {
            scenario: run.scenario,
            outcome: run.outcome,
            series: run.series,
            probe: (),
        };
        Seen { run, ports }
    }

    /// Seconds measured.
    pub fn seconds(&self) -> f64 {
        self.ports.span.seconds()
    }

    fn flows(&self, is_one: impl Fn(&FlowSpec) -> bool) -> Vec<(&FlowOutcome, &PathOutcome)> {
        let specs = &self.run.scenario.network.flows;
        let found = self.run.outcome.flows.iter().zip(&self.ports.paths);
        let chosen = specs.iter().zip(found).filter(|(spec, _)| is_one(spec));
        chosen.map(|(_, found)| found).collect()
    }

    /// What packets of these flows waited from end to end, in ps.
    pub fn waits(&self, is_one: impl Fn(&FlowSpec) -> bool) -> Samples {
        let mut waits = Samples::default();
        for (_, path) in self.flows(is_one) {
            waits.merge(&path.wait);
        }
        waits
    }

    /// Mean waiting time of their packets in ms.
    pub fn wait_ms(&self, is_one: impl Fn(&FlowSpec) -> bool) -> f64 {
        self.waits(is_one).mean() / PS_PER_MS
    }

    /// Its standard deviation in ms.
    pub fn wait_deviation_ms(&self, is_one: impl Fn(&FlowSpec) -> bool) -> f64 {
        self.waits(is_one).deviation() / PS_PER_MS
    }

    /// Longest wait of one of their packets in ms.
    pub fn wait_max_ms(&self, is_one: impl Fn(&FlowSpec) -> bool) -> f64 {
        self.waits(is_one).max() as f64 / PS_PER_MS
    }

    /// Packets a second delivered for each of these flows, on average.
    pub fn rate(&self, is_one: impl Fn(&FlowSpec) -> bool) -> f64 {
        let flows = self.flows(is_one);
        let delivered: u64 = flows.iter().map(|(flow, _)| flow.delivered).sum();
        delivered as f64 / flows.len() as f64 / self.seconds()
    }

    /// Packets a second delivered in all.
    pub fn total_rate(&self) -> f64 {
        let delivered: u64 = self
            .run
            .outcome
            .flows
            .iter()
            .map(|flow| flow.delivered)
            .sum();
        delivered as f64 / self.seconds()
    }

    /// Packets of these flows lost in switches.
    pub fn lost(&self, is_one: impl Fn(&FlowSpec) -> bool) -> f64 {
        self.dropped(
            is_one,
            &[LossCause::Pool, LossCause::Threshold, LossCause::PushOut],
        )
    }

    /// Packets of these flows dropped by the policer at the edge.
    pub fn policed(&self, is_one: impl Fn(&FlowSpec) -> bool) -> f64 {
        self.dropped(is_one, &[LossCause::Policer])
    }

    fn dropped(&self, is_one: impl Fn(&FlowSpec) -> bool, causes: &[LossCause]) -> f64 {
        let flows = self.flows(is_one);
        let by =
            |flow: &FlowOutcome| -> u64 { causes.iter().map(|&cause| flow.drops.by(cause)).sum() };
        flows.iter().map(|(flow, _)| by(flow)).sum::<u64>() as f64
    }

    /// What packets of these flows wait at the ports of `channels`, in ms on average; NaN if none
    /// crosses them.
    pub fn wait_at_ms(&self, channels: &[&str], is_one: impl Fn(&FlowSpec) -> bool) -> f64 {
        let channels: Vec<u32> = channels
            .iter()
            .map(|name| self.run.channel_id(name))
            .collect();
        let flows = &self.run.scenario.network.flows;
        let legs = self.run.outcome.legs.iter().zip(&self.ports.legs);
        let mut waits = Samples::default();
        for (leg, wait) in legs {
            if channels.contains(&leg.channel) && is_one(&flows[leg.flow as usize]) {
                waits.merge(wait);
            }
        }
        if waits.count() == 0 {
            return f64::NAN;
        }
        waits.mean() / PS_PER_MS
    }

    /// The sending port of the channel `from->to`.
    pub fn port(&self, channel: &str) -> &PortOutcome {
        &self.ports.channels[self.run.channel_id(channel) as usize]
    }

    /// Mean of `value` over both ends of the middle trunk ("Link 12").
    pub fn middle(&self, value: impl Fn(&PortOutcome) -> f64) -> f64 {
        let ends = MIDDLE.map(|channel| value(self.port(channel)));
        ends.iter().sum::<f64>() / ends.len() as f64
    }

    /// Waiting per packet and trunk in ms.
    pub fn wait_per_hop_ms(&self) -> f64 {
        let (mut sum, mut crossings) = (0.0, 0.0);
        for spec in &[1, 2, 3] {
            let waits = self.waits(|flow| hops(flow) == *spec);
            sum += waits.sum() as f64;
            crossings += waits.count() as f64 * *spec as f64;
        }
        sum / crossings / PS_PER_MS
    }
}

/// The middle trunk, each way.
pub const MIDDLE: [&str; 2] = ["S2->S3", "S3->S2"];

impl Seeds {
    /// `value` of each run.
    pub fn each(&self, value: impl Fn(&Seen) -> f64) -> Vec<f64> {
        self.0.iter().map(value).collect()
    }

    /// Mean of `value` over both ends of the middle trunk by run.
    pub fn middle(&self, value: impl Fn(&PortOutcome) -> f64) -> Vec<f64> {
        self.each(|seen| seen.middle(&value))
    }

    /// Mean waiting time in ms by run.
    pub fn waits_ms(&self, is_one: impl Fn(&FlowSpec) -> bool) -> Vec<f64> {
        self.each(|seen| seen.wait_ms(&is_one))
    }

    /// Packets a second of each flow by run.
    pub fn rates(&self, is_one: impl Fn(&FlowSpec) -> bool) -> Vec<f64> {
        self.each(|seen| seen.rate(&is_one))
    }

    /// Packets lost in switches by run.
    pub fn losses(&self, is_one: impl Fn(&FlowSpec) -> bool) -> Vec<f64> {
        self.each(|seen| seen.lost(&is_one))
    }
}

#[cfg(test)]
mod tests {
    use super::super::TEST_ONE;
    use super::*;

    /// Test One for ten seconds with sources of ten packets a second, evenly spaced, and `more`.
    fn even(more: &[(&str, &str)]) -> Seeds {
        let even = "{ kind = \"constant\", rate = \"20 kbps\", phase = \"random\" }";
        let mut all = sets([("run.duration", "10 s"), ("flows.*.traffic", even)]);
        all.extend(sets(more.iter().copied()));
        seeds(&Lab::default(), TEST_ONE, &all, 2).expect("it runs")
    }

    fn near(values: &[f64], expected: f64) {
        assert_eq!(values.len(), 2);
        for value in values {
            assert!(
                (value / expected - 1.0).abs() < 0.02,
                "{values:?}, not {expected}"
            );
        }
    }

    #[test]
    fn rates_and_utilization_by_hand() {
        let found = even(&[]);
        near(&found.rates(|_| true), 10.0);
        near(&found.rates(|flow| hops(flow) == 3), 10.0);
        near(&found.each(Seen::total_rate), 600.0);
        // 18 flows of 10 packets of 5 ms.
        near(&found.middle(|port| port.utilization_mean), 0.9);
        assert_eq!(found.losses(|_| true), [0.0, 0.0]);
        let flows = &found.0[0].run.scenario.network.flows;
        let count = |n: usize| flows.iter().filter(|flow| hops(flow) == n).count();
        assert_eq!([1, 2, 3].map(count), [24, 24, 12]);
        assert!(
            flows
                .iter()
                .all(|flow| reserved(flow) == 10 && is_normal(flow))
        );
    }

    #[test]
    fn the_middle_trunk_has_two_ends() {
        let silent = "{ kind = \"silent\" }";
        let found = even(&[
            ("flows.2 hops 3>1.traffic", silent),
            ("flows.2 hops 4>2.traffic", silent),
            ("flows.3 hops 4>1.traffic", silent),
        ]);
        let of = |channel: &str| found.each(|seen| seen.port(channel).utilization_mean);
        near(&of("S2->S3"), 0.9);
        assert_eq!(of("S3->S2"), [0.0, 0.0]);
        near(&found.middle(|port| port.utilization_mean), 0.45);
    }

    #[test]
    fn waits_count_each_trunk_of_a_way() {
        // 12 of 18 flows cross two trunks or three; a wait per trunk weighs each crossing alike.
        let found = even(&[]);
        for seen in &found.0 {
            let total = |n: usize| {
                let waits = seen.waits(|flow| hops(flow) == n);
                (waits.sum() as f64, waits.count() as f64 * n as f64)
            };
            let (sums, crossings): (Vec<f64>, Vec<f64>) = [1, 2, 3].map(total).into_iter().unzip();
            let expected = sums.iter().sum::<f64>() / crossings.iter().sum::<f64>() / 1e9;
            assert!((seen.wait_per_hop_ms() / expected - 1.0).abs() < 1e-12);
            let places = [["S1->S2", "S4->S3"], MIDDLE, ["S3->S4", "S2->S1"]];
            let each = places.map(|channels| seen.wait_at_ms(&channels, |flow| hops(flow) == 3));
            let along: f64 = each.iter().sum();
            assert!((seen.wait_ms(|flow| hops(flow) == 3) / along - 1.0).abs() < 0.02);
            assert!(seen.wait_at_ms(&MIDDLE, |flow| hops(flow) == 1).is_nan());
        }
    }

    #[test]
    fn what_goes_beyond_the_link_is_lost_or_policed() {
        // 18 flows of 40 packets a second on a link of 80.
        let fast = "{ kind = \"constant\", rate = \"80 kbps\", phase = \"random\" }";
        let wide = ("flows.*.envelope.units", "1000000");
        let found = even(&[("flows.*.traffic", fast), wide]);
        assert!(found.losses(|_| true).iter().all(|lost| *lost > 1000.0));
        near(&found.middle(|port| port.utilization_mean), 1.0);
        let bucket = "{ kind = \"bucket\", burst = \"250 B\" }";
        let policed = even(&[("flows.*.traffic", fast), wide, ("flows.*.policer", bucket)]);
        assert_eq!(policed.losses(|_| true), [0.0, 0.0]);
        near(
            &policed.each(|seen| seen.policed(|_| true)),
            60.0 * 30.0 * 10.0,
        );
    }
}
