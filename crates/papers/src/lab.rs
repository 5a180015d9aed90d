//! Runs shipped scenarios and reads what they found.

mod ethernet;
mod fabric;

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use backwater_kernel::{Duration, Series, Time};
use backwater_net::Watched;
use backwater_net::outcome::{ChannelOutcome, FlowOutcome, LegOutcome, Outcome};
use backwater_net::probe::{AnyProbe, Probe};
use backwater_scenario::{Engine, PacketScenario, Scenario, Set, Source};
use rayon::ThreadPool;
use rayon::prelude::*;

pub use ethernet::EthernetRun;
pub use fabric::FabricRun;

/// Simulated time between two looks at [`Lab::stop`] by the event engines: few at link rates of
/// the papers, and a fraction of a second of computing.
const STRIDE: Duration = Duration(10_000_000_000);

/// Why an experiment could not run: a defect of this program, not of a claim.
#[derive(Clone, Debug)]
pub struct LabError(pub String);

impl fmt::Display for LabError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for LabError {}

/// Finds scenarios that are built into the program, and runs them.
#[derive(Clone, Debug, Default)]
pub struct Lab {
    /// Settings (key, value) on top of all others, for the flit engine; a test of the experiments
    /// makes its networks small with them.
    pub fabric_sets: Vec<(String, String)>,
    /// The same for the packet engine, to make runs short.
    pub packet_sets: Vec<(String, String)>,
    /// The same for the Ethernet engine.
    pub ethernet_sets: Vec<(String, String)>,
    /// No setting runs with more seeds than this.
    pub at_most_seeds: Option<u64>,
    /// Of the time after the warm-up only so many percent are simulated.
    pub measured_percent: Option<u64>,
    /// Once it is set, runs end with an error.
    pub stop: Option<&'static AtomicBool>,
    /// The threads that share the work; the program's own if none.
    pub pool: Option<Arc<ThreadPool>>,
    /// Runs that have ended, and those left out by `at_most_seeds`.
    pub runs: Arc<AtomicU64>,
}

/// A finished run.
pub struct Run<P> {
    /// What ran.
    pub scenario: PacketScenario,
    /// What it found.
    pub outcome: Outcome,
    /// Series the scenario asked for.
    pub series: Vec<Series>,
    /// The probe that looked on.
    pub probe: P,
}

impl Lab {
    /// `work` on each item, side by side, in their order. All that runs in parallel does so here.
    ///
    /// # Errors
    /// The first of `work`, or that the work was interrupted.
    pub fn each<T: Sync, R: Send>(
        &self,
        items: &[T],
        work: impl Fn(&T) -> Result<R, LabError> + Sync,
    ) -> Result<Vec<R>, LabError> {
        let slots: Vec<_> = items.iter().map(|_| Mutex::new(None)).collect();
        self.side_by_side(items.len(), &|index| {
            let found = work(&items[index]);
            let is_found = found.is_ok();
            *slots[index].lock().unwrap_or_else(PoisonError::into_inner) = Some(found);
            is_found
        });
        // Where something was not begun, there is an error.
        let found = slots.into_iter();
        found
            .filter_map(|slot| slot.into_inner().unwrap_or_else(PoisonError::into_inner))
            .collect()
    }

    /// Compiled once, not for each kind of work. Ends early once a piece of work says false.
    fn side_by_side(&self, count: usize, work: &(dyn Fn(usize) -> bool + Sync)) {
        let all = || {
            let indices = (0..count).into_par_iter();
            indices.try_for_each(|index| work(index).then_some(()))
        };
        let _all_or_until_an_error = match &self.pool {
            Some(pool) => pool.install(all),
            None => all(),
        };
    }

    /// `work` for each of `seeds`, or as many of them as this lab allows.
    pub(crate) fn each_seed<R: Send>(
        &self,
        seeds: u64,
        work: impl Fn(&str) -> Result<R, LabError> + Sync,
    ) -> Result<Vec<R>, LabError> {
        let some = self.at_most_seeds.map_or(seeds, |most| most.min(seeds));
        let numbers: Vec<u64> = (1..=some).collect();
        let found = self.each(&numbers, |seed| work(&seed.to_string()));
        self.runs.fetch_add(seeds - some, Ordering::Relaxed);
        found
    }

    /// Of `count` random networks, or other samples that are not seeds, how many to try.
    pub(crate) fn samples(&self, count: u64) -> u64 {
        match (self.measured_percent, self.at_most_seeds) {
            (Some(percent), _) => (count * percent / 100).max(1),
            (None, Some(most)) => count.min(most),
            (None, None) => count,
        }
    }

    /// The same lab with runs of full length, for looks at instants.
    pub(crate) fn whole(&self) -> Lab {
        Lab {
            measured_percent: None,
            ..self.clone()
        }
    }

    /// For other readings, which stand beside what is judged: a quick lab takes one seed and a
    /// tenth of the time.
    pub(crate) fn beside(&self) -> Lab {
        match self.measured_percent {
            None => self.clone(),
            Some(percent) => Lab {
                measured_percent: Some(percent.min(10)),
                at_most_seeds: Some(1),
                ..self.clone()
            },
        }
    }

    /// `work` on each of `count` samples of `runs` runs, or as many as this lab allows, all of
    /// full length.
    pub(crate) fn each_sample<R: Send>(
        &self,
        count: u64,
        runs: u64,
        work: impl Fn(&Lab, u64) -> Result<R, LabError> + Sync,
    ) -> Result<Vec<R>, LabError> {
        let some = self.samples(count);
        let whole = self.whole();
        let numbers: Vec<u64> = (1..=some).collect();
        let found = self.each(&numbers, |&number| work(&whole, number));
        self.runs
            .fetch_add((count - some) * runs, Ordering::Relaxed);
        found
    }

    /// An error once the work was interrupted.
    pub(crate) fn go_on(&self) -> Result<(), LabError> {
        match self.stop {
            Some(stop) if stop.load(Ordering::Relaxed) => {
                Err(LabError("it was interrupted".into()))
            }
            _ => Ok(()),
        }
    }

    /// When a run ends that is measured from `warm_up` to `stop_at`.
    fn shortened(&self, warm_up: Time, stop_at: Time) -> Time {
        let Some(percent) = self.shorter_percent() else {
            return stop_at;
        };
        let measured = u128::from(stop_at.ps().saturating_sub(warm_up.ps()));
        let kept = measured * u128::from(percent) / 100;
        Time(warm_up.ps().min(stop_at.ps()) + kept as u64)
    }

    /// What is simulated of the time after a warm-up, where that is not all. Frames then warm up
    /// for half as long, and so do flits, for a quarter where little is measured.
    fn shorter_percent(&self) -> Option<u64> {
        self.measured_percent.filter(|percent| *percent < 100)
    }

    /// `work`, and the seconds it took.
    pub fn timed<T>(&self, work: impl FnOnce() -> T) -> (T, f64) {
        let start = Instant::now();
        let result = work();
        (result, start.elapsed().as_secs_f64())
    }

    /// Runs `file` with `sets` (key, value) applied.
    ///
    /// # Errors
    /// If the scenario is not built in or not sound.
    pub fn run(&self, file: &str, sets: &[(&str, &str)]) -> Result<Run<()>, LabError> {
        self.run_watched(file, sets, |_| ())
    }

    /// The same with a probe made for the scenario.
    ///
    /// # Errors
    /// If the scenario is not built in or not sound.
    pub fn run_watched<P: Probe>(
        &self,
        file: &str,
        sets: &[(&str, &str)],
        probe: impl FnOnce(&PacketScenario) -> P,
    ) -> Result<Run<P>, LabError> {
        let scenario = self.scenario(file, sets)?;
        let mut probe = probe(&scenario);
        let watch = P::WATCHES.then(|| Box::new(&mut probe) as Box<dyn AnyProbe + '_>);
        let (outcome, series) = self
            .run_looked_at(&scenario, watch)
            .map_err(|LabError(what)| LabError(format!("{file}: {what}")))?;
        Ok(Run {
            scenario,
            outcome,
            series,
            probe,
        })
    }

    fn run_looked_at(
        &self,
        scenario: &PacketScenario,
        watch: Option<Box<dyn AnyProbe + '_>>,
    ) -> Result<(Outcome, Vec<Series>), LabError> {
        let mut run = Watched::new(&scenario.network, &scenario.series, watch)
            .map_err(|error| LabError(error.to_string()))?;
        let mut until = Time::ZERO;
        loop {
            self.go_on()?;
            until = until.checked_add(STRIDE).unwrap_or(Time::MAX);
            if !run.run_until(until) {
                break;
            }
        }
        self.runs.fetch_add(1, Ordering::Relaxed);
        let outcome = run.outcome();
        let series = run.series(outcome.ended_at);
        Ok((outcome, series))
    }

    /// Reads and checks a built-in scenario for the packet engine.
    ///
    /// # Errors
    /// If it is not built in, not sound or for another engine.
    pub fn scenario(&self, file: &str, sets: &[(&str, &str)]) -> Result<PacketScenario, LabError> {
        let last = self.packet_sets.iter();
        let last = last.map(|(key, value)| (key.as_str(), value.as_str()));
        let sets: Vec<(&str, &str)> = sets.iter().copied().chain(last).collect();
        match parse(file, &sets)?.engine {
            Engine::Packet(mut packet) => {
                let network = &mut packet.network;
                network.stop_at = self.shortened(network.warm_up, network.stop_at);
                Ok(packet)
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
    /// If the scenario is not built in or not sound.
    pub fn seeds(
        &self,
        file: &str,
        sets: &[(&str, &str)],
        seeds: u64,
    ) -> Result<Vec<Run<()>>, LabError> {
        self.seeds_watched(file, sets, seeds, |_| (), |run| run)
    }

    /// The same with a probe made for each run; `found` keeps what is needed of it.
    ///
    /// # Errors
    /// If the scenario is not built in or not sound.
    pub fn seeds_watched<P: Probe, T: Send>(
        &self,
        file: &str,
        sets: &[(&str, &str)],
        seeds: u64,
        probe: impl Fn(&PacketScenario) -> P + Sync,
        found: impl Fn(Run<P>) -> T + Sync,
    ) -> Result<Vec<T>, LabError> {
        self.each_seed(seeds, |seed| {
            let mut sets = sets.to_vec();
            sets.push(("run.seed", seed));
            Ok(found(self.run_watched(file, &sets, &probe)?))
        })
    }
}

/// Reads and checks a scenario of any paper.
fn parse(file: &str, sets: &[(&str, &str)]) -> Result<Scenario, LabError> {
    let papers = crate::papers();
    let mut shipped = papers.iter().flat_map(|paper| paper.scenarios);
    let (_, text) = shipped
        .find(|(name, _)| *name == file)
        .ok_or_else(|| LabError(format!("no scenario `{file}` is built in")))?;
    let source = Source {
        name: format!("scenarios/{file}"),
        text: (*text).into(),
    };
    let set = |(key, value): &(&str, &str)| Set {
        key: (*key).into(),
        value: (*value).into(),
    };
    let sets: Vec<Set> = sets.iter().map(set).collect();
    backwater_scenario::parse(&source, &sets).map_err(|mistakes| LabError(mistakes.render(false)))
}

impl<P> Run<P> {
    /// The flow called `name`.
    ///
    /// # Panics
    /// If the shipped scenario has none: a test runs every experiment.
    pub fn flow(&self, name: &str) -> &FlowOutcome {
        &self.outcome.flows[self.flow_id(name)]
    }

    fn flow_id(&self, name: &str) -> usize {
        let flows = &self.scenario.network.flows;
        flows
            .iter()
            .position(|flow| flow.name == name)
            .expect("a flow of the scenario")
    }

    /// The channel `from->to`, by index.
    ///
    /// # Panics
    /// If the shipped scenario has none.
    pub fn channel_id(&self, name: &str) -> u32 {
        let network = &self.scenario.network;
        let (from, to) = name
            .split_once("->")
            .expect("a channel is written from->to");
        let node = |wanted: &str| {
            let found = network.nodes.iter().position(|node| node.name == wanted);
            found.expect("a node of the scenario") as u32
        };
        let (from, to) = (node(from), node(to));
        let ends = |link: &backwater_net::spec::LinkSpec| {
            [(link.ends[0], link.ends[1]), (link.ends[1], link.ends[0])]
        };
        let mut channels = network.links.iter().flat_map(ends);
        channels
            .position(|ends| ends == (from, to))
            .expect("a link of the scenario") as u32
    }

    /// What the channel `from->to` carried.
    pub fn channel(&self, name: &str) -> &ChannelOutcome {
        &self.outcome.channels[self.channel_id(name) as usize]
    }

    /// Index of the leg of `flow` on the channel `from->to`.
    ///
    /// # Panics
    /// If the flow does not cross it.
    pub fn leg_id(&self, flow: &str, channel: &str) -> u32 {
        let (flow, channel) = (self.flow_id(flow) as u32, self.channel_id(channel));
        let is_it = |leg: &LegOutcome| leg.flow == flow && leg.channel == channel;
        self.outcome
            .legs
            .iter()
            .position(is_it)
            .expect("a leg of the flow") as u32
    }

    /// What was counted of `flow` on the channel `from->to`.
    pub fn leg(&self, flow: &str, channel: &str) -> &LegOutcome {
        &self.outcome.legs[self.leg_id(flow, channel) as usize]
    }

    /// The series called `name`.
    ///
    /// # Panics
    /// If the shipped scenario has none.
    pub fn series(&self, name: &str) -> &Series {
        self.series
            .iter()
            .find(|series| series.name == name)
            .expect("a series of the scenario")
    }

    /// Time in cell times.
    pub fn cells(&self, time_ps: u64) -> f64 {
        Duration(time_ps).in_units_of(self.scenario.cell)
    }

    /// Cell times after the warm-up.
    pub fn measured_cells(&self) -> f64 {
        self.cells(
            self.outcome
                .ended_at
                .since(self.scenario.network.warm_up)
                .ps(),
        )
    }

    /// Share of its channel that a flow used after the warm-up.
    pub fn throughput(&self, flow: &str, channel: &str) -> f64 {
        self.leg(flow, channel).sent as f64 / self.measured_cells()
    }

    /// `cells` cell times into the run.
    pub fn at(&self, cells: f64) -> Time {
        Time((cells * self.scenario.cell.ps() as f64) as u64)
    }
}
