//! Runs of the event engine: of cells by circuit or of frames by class.

use backwater_kernel::words::counted;
use backwater_kernel::{Duration, Rings, Stop, Time};
use backwater_net::outcome::Outcome;
use backwater_net::parts::{self, Divided, Divisible};
use backwater_net::probe::{Checks, PathWaits, Ports, Probe, Recorder, Recovery, frames};
use backwater_net::{Simulation, Specification, probe};
use backwater_results::compare::{CellMeter, FrameMeter};
use backwater_results::events::{Described, Network};
use backwater_results::map::{self, bins::Bins};
use backwater_results::{
    FctFile, Findings, RunInfo, Table, note_broken_bounds, standstill_sentence, terminal_summary,
};

use super::over_time::OverTime;
use super::pace::Pace;
use super::single::Single;
use super::team::Team;
use super::trace::File;
use super::{
    Audited, Found, Head, Looks, Run, Shown, Tells, Told, Wanted, WhenMap, grown, part, turns,
};

/// What the event engine simulates.
pub trait EventScenario: Sized {
    /// As the engine has it.
    type Network: Specification + Network;
    /// What an audit has looked at in each instant that it compared, and what in some of them.
    const LOOKED_AT: [&'static str; 2];
    /// What is counted as the run goes on.
    const HOPS: &'static str;
    /// As the engine has it.
    fn network(&self) -> &Self::Network;
    /// Memory that it takes in so many parts, bytes.
    fn needed_bytes(&self, parts: usize) -> u64;
    /// The run ends here.
    fn stop_at(&self) -> Time;
    /// The first slice; how long later ones are follows from how long this takes.
    fn first_slice(&self) -> Duration;
    /// Tables that are known before it runs.
    fn before(&self) -> Vec<Table> {
        Vec::new()
    }
    /// The unit of time that is shown first, or zero.
    fn cell(&self) -> Duration {
        Duration::ZERO
    }
    /// Names of flows, in their order.
    fn names(&self) -> Vec<&str> {
        let flows = (0..).map_while(|flow| self.network().flow(flow));
        flows.collect()
    }
}

/// What runs, on one thread or on several.
pub trait Machine {
    /// What looks on.
    type Probe;
    /// As [`Simulation::run_some`].
    fn run_some(&mut self, until: Time, events: u64) -> Option<bool>;
    /// How far the run is.
    fn now(&self) -> Time;
    /// Units that have crossed a channel.
    fn unit_hops(&mut self) -> u64;
    /// What was found so far.
    fn outcome(&mut self) -> Outcome;
    /// The same of a run that does not go on, which may take less memory.
    fn last_outcome(&mut self) -> Outcome {
        self.outcome()
    }
    /// What channels did up to this instant, if that is recorded.
    fn bins(&mut self, _at: Time) -> Option<Bins> {
        None
    }
    /// What looks on.
    fn probe(&mut self) -> &mut Self::Probe;
    /// Shows it the network as at the end of a run.
    fn look_over(&mut self);
}

/// What looks on at every run: of cells and of frames one type, so that one compiled engine serves
/// both.
pub type Watch = (
    Recorder,
    ((Option<Ports>, Option<Recovery>), Option<FctFile<File>>),
);

/// What looks at its channels, if a map is wanted.
pub fn over_time(scenario: &impl EventScenario, map: WhenMap) -> Option<OverTime> {
    let network = scenario.network();
    let channels = network.links().len() * 2;
    map.is_for(channels)
        .then(|| OverTime::new(channels, network.warm_up(), scenario.stop_at()))
}

/// A run of it.
pub struct EventRun<'a, S, M> {
    scenario: &'a S,
    machine: M,
    at: Time,
}

/// What it found.
pub struct FoundEvents<'a, S: EventScenario> {
    pub scenario: &'a S,
    pub run: Findings<'a, S::Network>,
    pub told: Told,
}

impl<'a, S: EventScenario> EventRun<'a, S, Single<Metered>> {
    /// Ready to run, with nothing looking on.
    pub fn plain(scenario: &'a S) -> Result<Self, String> {
        let single = Single::compiled(scenario, NO_METER, WhenMap::Off)?;
        Ok(EventRun::on(scenario, single))
    }
}

impl<'a, S: EventScenario, M: Machine<Probe: Tells<FoundEvents<'a, S>>>> EventRun<'a, S, M> {
    /// Ready to run on this machine.
    pub fn on(scenario: &'a S, machine: M) -> Self {
        let at = Time::ZERO;
        EventRun {
            scenario,
            machine,
            at,
        }
    }

    /// What runs it.
    #[cfg(test)]
    pub fn machine(&self) -> &M {
        &self.machine
    }

    /// What was found so far.
    pub fn so_far(&mut self) -> FoundEvents<'a, S> {
        let outcome = self.machine.outcome();
        self.found_with(outcome)
    }

    fn found_with(&mut self, outcome: Outcome) -> FoundEvents<'a, S> {
        let (network, cell) = (self.scenario.network(), self.scenario.cell());
        let mut found = FoundEvents {
            scenario: self.scenario,
            run: Findings::new(network, outcome, cell),
            told: Told::default(),
        };
        note_broken_bounds(&mut found.run);
        found.run.before = self.scenario.before();
        found.told.bins = self.machine.bins(found.run.outcome.ended_at);
        self.machine.probe().tell(&mut found);
        found
    }
}

/// Ready to run on this machine, as commands know it.
pub fn run_on<'a, S, M>(
    scenario: &'a S,
    machine: Result<M, String>,
) -> Result<Box<dyn Run<'a> + 'a>, String>
where
    S: EventScenario,
    M: Machine<Probe: Tells<FoundEvents<'a, S>> + Looks> + 'a,
{
    Ok(Box::new(EventRun::on(scenario, machine?)))
}

/// A run on several threads where that is wanted and can be. Else it is said why not.
pub fn run_on_threads<'a, S, P>(
    scenario: &'a S,
    probe: P,
    wanted: &Wanted<'_>,
) -> Result<Box<dyn Run<'a> + 'a>, String>
where
    S: EventScenario<Network: Divisible + Sync>,
    P: Probe + Divided + Send + Tells<FoundEvents<'a, S>> + 'a,
{
    let network = scenario.network();
    if wanted.threads > 1 {
        let Some(why) = parts::obstacle(network) else {
            let threads = wanted.threads.min(parts::most_parts(network));
            if threads < wanted.threads {
                let got = counted(threads, "thread");
                log::info!("{got}: the network can be cut into no more parts");
            }
            let needed = scenario.needed_bytes(threads);
            wanted.memory.refuse_beyond(needed)?;
            let team = Team::new(network, threads, &probe, over_time(scenario, wanted.map));
            return run_on(scenario, team.map_err(|error| error.to_string()));
        };
        log::info!("one thread: {why}");
    }
    run_on(scenario, Single::compiled(scenario, probe, wanted.map))
}

impl<'a, S, M> Run<'a> for EventRun<'a, S, M>
where
    S: EventScenario,
    M: Machine<Probe: Tells<FoundEvents<'a, S>> + Looks>,
{
    fn first_slice(&self) -> u64 {
        self.scenario.first_slice().ps()
    }

    fn advance(&mut self, pace: &mut Pace) -> bool {
        let (machine, end) = (&mut self.machine, self.scenario.stop_at());
        let more = pace.events(&mut self.at, end, |until, events| {
            let more = machine.run_some(until, events);
            more.ok_or_else(|| machine.now())
        });
        more.unwrap_or(true)
    }

    fn progress(&mut self) -> (u64, String) {
        let (at, end) = (self.at.ps(), self.scenario.stop_at().ps());
        let hops = self.machine.unit_hops() as f64 / 1e6;
        (part(at, end), format!("{hops:.1} M {}", S::HOPS))
    }

    fn look_over(&mut self) {
        self.machine.look_over();
    }

    fn looks(&mut self) -> &mut dyn Looks {
        self.machine.probe()
    }

    fn found(&mut self) -> Box<dyn Found + 'a> {
        Box::new(self.so_far())
    }

    fn found_at_end(&mut self) -> Box<dyn Found + 'a> {
        let outcome = self.machine.last_outcome();
        Box::new(self.found_with(outcome))
    }
}

impl<S: EventScenario> Found for FoundEvents<'_, S> {
    fn head(&self) -> Head {
        Head::of(&self.run.outcome)
    }

    fn told(&mut self) -> &mut Told {
        &mut self.told
    }

    fn flow_tables(&self, name: &str) -> Option<Vec<Table>> {
        self.run.flow_tables(name)
    }

    fn shown(&self, info: &RunInfo) -> Shown<'_> {
        let bins = self.told.bins.as_ref();
        let over_time = bins.and_then(|bins| map::network(&self.run, bins));
        Shown::of(info, &self.run, &self.told, over_time)
    }

    fn summary(&self, info: &RunInfo) -> String {
        terminal_summary(info, &self.run)
    }

    fn standstill(&self) -> Option<String> {
        let still = standstill_sentence(&self.run)?;
        let is_why = self.run.outcome.stop == Stop::Standstill;
        let what = if is_why { "error" } else { "note" };
        Some(format!("{what}: {still}"))
    }

    fn grew(&self) -> String {
        let inside = self.run.outcome.all_flows().map(|flow| flow.inside_total);
        let flows = self.scenario.names().into_iter().zip(inside);
        let flows: Vec<(&str, u64)> = flows.collect();
        grown(S::Network::UNIT, flows.into_iter(), &self.told.series)
    }
}

impl Looks for Recorder {
    fn points(&self) -> (usize, usize) {
        self.stored()
    }
}

impl<S: EventScenario> Tells<FoundEvents<'_, S>> for Recorder {
    fn tell(&self, found: &mut FoundEvents<'_, S>) {
        let at = found.run.outcome.ended_at;
        found.told.series = self.series(at);
        found.told.thinned = self.thinned(at);
    }
}

impl Looks for Ports {}

impl<S: EventScenario> Tells<FoundEvents<'_, S>> for Ports {
    fn tell(&self, found: &mut FoundEvents<'_, S>) {
        found.run.at_ports = Some(self.outcome(found.run.outcome.ended_at));
    }
}

impl Looks for Recovery {}

impl<S: EventScenario> Tells<FoundEvents<'_, S>> for Recovery {
    fn tell(&self, found: &mut FoundEvents<'_, S>) {
        found.run.recovery = Some(self.outcome(found.run.outcome.ended_at));
    }
}

impl Looks for probe::Audit {}
impl Looks for frames::Audit {}

impl<S: EventScenario> Tells<FoundEvents<'_, S>> for probe::Audit {
    fn tell(&self, found: &mut FoundEvents<'_, S>) {
        audited(self.checks(), found);
    }
}

impl<S: EventScenario> Tells<FoundEvents<'_, S>> for frames::Audit {
    fn tell(&self, found: &mut FoundEvents<'_, S>) {
        audited(self.checks(), found);
    }
}

fn audited<S: EventScenario>(checks: &Checks, found: &mut FoundEvents<'_, S>) {
    found.run.outcome.violations.append(checks.violations());
    let seen = checks.coverage();
    let instants = seen.instants;
    let [always, sometimes] = S::LOOKED_AT;
    let compared = [seen.compared, instants, seen.compared_within];
    found.told.audited = Some(Audited {
        checks: checks.made(),
        coverage: format!(
            "{always} in {}; {}",
            counted(instants, "instant"),
            turns(sometimes, "instant", compared)
        ),
        broken: checks.violations().total(),
    });
}

/// What measures a comparison or a sweep: one of these, or none. One type for the same reason.
pub type Meter = (Option<CellMeter>, (Option<FrameMeter>, Option<PathWaits>));
/// A run that nothing looks at.
pub const NO_METER: Meter = (None, (None, None));
/// The engine of such runs.
type Metered = Simulation<Rings, Meter>;

impl Looks for PathWaits {}
impl<F> Tells<F> for PathWaits {}

impl Looks for CellMeter {}
impl Looks for FrameMeter {}

impl<S: EventScenario> Tells<FoundEvents<'_, S>> for CellMeter {
    fn tell(&self, found: &mut FoundEvents<'_, S>) {
        found.told.seen = Some(self.clone().finish(found.scenario.stop_at()));
    }
}

impl<S: EventScenario> Tells<FoundEvents<'_, S>> for FrameMeter {
    fn tell(&self, found: &mut FoundEvents<'_, S>) {
        found.told.seen = Some(self.clone().finish(found.scenario.stop_at()));
    }
}
