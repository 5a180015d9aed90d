//! Runs for the Ethernet engine.

use std::sync::atomic::Ordering;

use backwater_kernel::{Channels, Series, Stop, Time};
use backwater_net::Watched;
use backwater_net::frames::spec::EthernetSpec;
use backwater_net::outcome::{ChannelOutcome, FlowOutcome, Outcome};
use backwater_net::spec::SeriesSpec;
use backwater_scenario::Engine;

use super::{Lab, LabError, STRIDE, parse};

/// A finished run of the Ethernet engine.
#[derive(Clone, Debug)]
pub struct EthernetRun {
    /// What ran.
    pub spec: EthernetSpec,
    /// What it found. A deadlock is a result, not an error.
    pub outcome: Outcome,
    /// Series the scenario asked for, where they were recorded.
    pub series: Vec<Series>,
}

impl Lab {
    /// Runs `file` with `sets` (key, value) applied.
    ///
    /// # Errors
    /// If the scenario is not built in, not sound or for another engine; if the run breaks a
    /// promise or is stopped.
    pub fn ethernet(&self, file: &str, sets: &[(&str, &str)]) -> Result<EthernetRun, LabError> {
        self.ethernet_run(file, self.ethernet_spec(file, sets)?, &[])
    }

    /// The same with the series of the scenario.
    ///
    /// # Errors
    /// As [`Lab::ethernet`].
    pub fn ethernet_recorded(
        &self,
        file: &str,
        sets: &[(&str, &str)],
    ) -> Result<EthernetRun, LabError> {
        let (spec, series) = self.ethernet_scenario(file, sets)?;
        self.ethernet_run(file, spec, &series)
    }

    fn ethernet_run(
        &self,
        file: &str,
        spec: EthernetSpec,
        series: &[SeriesSpec],
    ) -> Result<EthernetRun, LabError> {
        let wrong = |what: String| LabError(format!("{file}: {what}"));
        let run = Watched::new(&spec, series, None);
        let mut simulation = run.map_err(|error| wrong(error.to_string()))?;
        let mut until = Time::ZERO;
        loop {
            self.go_on()?;
            until = until.checked_add(STRIDE).unwrap_or(Time::MAX);
            if !simulation.run_until(until) {
                break;
            }
        }
        self.runs.fetch_add(1, Ordering::Relaxed);
        let outcome = simulation.outcome();
        if let Some(first) = outcome.violations.kept().first() {
            return Err(wrong(format!("{} s: {}", first.at.seconds(), first.what)));
        }
        let series = simulation.series(outcome.ended_at);
        Ok(EthernetRun {
            spec,
            outcome,
            series,
        })
    }

    /// Reads and checks a built-in scenario for the Ethernet engine.
    ///
    /// # Errors
    /// If it is not built in, not sound or for another engine.
    pub fn ethernet_spec(
        &self,
        file: &str,
        sets: &[(&str, &str)],
    ) -> Result<EthernetSpec, LabError> {
        let (spec, _) = self.ethernet_scenario(file, sets)?;
        Ok(spec)
    }

    fn ethernet_scenario(
        &self,
        file: &str,
        sets: &[(&str, &str)],
    ) -> Result<(EthernetSpec, Vec<SeriesSpec>), LabError> {
        let last = self.ethernet_sets.iter();
        let last = last.map(|(key, value)| (key.as_str(), value.as_str()));
        let sets: Vec<(&str, &str)> = sets.iter().copied().chain(last).collect();
        match parse(file, &sets)?.engine {
            Engine::Ethernet(scenario) => {
                let mut spec = scenario.network;
                spec.stop_at = self.shortened(spec.warm_up, spec.stop_at);
                if self.shorter_percent().is_some() {
                    let half = Time(spec.warm_up.ps() / 2);
                    spec.stop_at = Time(spec.stop_at.ps() - half.ps());
                    spec.warm_up = half;
                }
                Ok((spec, scenario.series))
            }
            other => Err(LabError(format!(
                "{file} is for the {} engine",
                other.name()
            ))),
        }
    }

    /// One run a seed, side by side, in the order of seeds.
    ///
    /// # Errors
    /// As [`Lab::ethernet`].
    pub fn ethernet_seeds(
        &self,
        file: &str,
        sets: &[(&str, &str)],
        seeds: u64,
    ) -> Result<Vec<EthernetRun>, LabError> {
        self.each_seed(seeds, |seed| {
            let mut sets = sets.to_vec();
            sets.push(("run.seed", seed));
            self.ethernet(file, &sets)
        })
    }
}

impl EthernetRun {
    /// Seconds measured.
    pub fn seconds(&self) -> f64 {
        let ended = self.outcome.ended_at;
        ended.since(self.spec.warm_up.min(ended)).seconds()
    }

    /// Flows called `name`, or `name[1]`, `name[2]`, ...
    pub fn flows(&self, name: &str) -> impl Iterator<Item = &FlowOutcome> {
        let is_one = move |full: &str| {
            let rest = full.strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
        };
        let both = self.spec.flows.iter().zip(&self.outcome.flows);
        both.filter(move |(spec, _)| is_one(&spec.name))
            .map(|(_, found)| found)
    }

    /// Payload in Mbps that these flows' destinations got, all together.
    pub fn mbps(&self, name: &str) -> f64 {
        let bytes: u64 = self.flows(name).map(|flow| flow.ends.goodput_bytes).sum();
        bytes as f64 * 8e-6 / self.seconds()
    }

    /// Frames dropped in the whole run, all flows.
    pub fn drops(&self) -> u64 {
        let flows = self.outcome.flows.iter();
        flows.map(|flow| flow.lost_total).sum()
    }

    /// Did it end because queues waited for each other?
    pub fn is_deadlocked(&self) -> bool {
        self.outcome.stop == Stop::Standstill
    }

    /// The channel `from->to`.
    ///
    /// # Panics
    /// If the shipped scenario has none: a test runs every experiment.
    pub fn channel(&self, name: &str) -> &ChannelOutcome {
        let channels = self.outcome.channels.iter().enumerate();
        let mut named = channels.filter(|(id, _)| self.channel_name(*id as u32) == name);
        named.next().expect("a channel of the scenario").1
    }

    /// The series called `name`.
    ///
    /// # Panics
    /// If the shipped scenario has none, or it was not recorded: a test runs every experiment.
    pub fn series(&self, name: &str) -> &Series {
        let mut named = self.series.iter().filter(|series| series.name == name);
        named.next().expect("a series of the scenario")
    }

    /// `from->to` of a channel.
    pub fn channel_name(&self, channel: u32) -> String {
        let (from, to) = self.spec.links.ends(channel);
        let name = |node: u32| self.spec.nodes[node as usize].name.as_str();
        format!("{}->{}", name(from), name(to))
    }
}
