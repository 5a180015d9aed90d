//! A run of frames that leaps over what repeats itself.

use backwater_kernel::Time;
use backwater_kernel::words::counted;
use backwater_net::frames::spec::EthernetSpec;
use backwater_net::outcome::Outcome;
use backwater_net::{Forward, Watched};
use backwater_results::number::span;
use serde_json::{Value, json};

use super::events::{EventScenario, FoundEvents, Machine};
use super::single::is_asked_to_stop;
use super::{Looks, Tells};

/// One thread, which goes forward by whole periods where it can.
pub struct Ahead {
    engine: Watched<'static>,
    forward: Forward,
    told: Leaps,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct Leaps {
    /// For a terminal, a line each.
    pub lines: Vec<String>,
    /// For programs, a value each.
    pub values: Vec<Value>,
    /// Of the time of the run, this part was gone through.
    pub simulated: f64,
}

impl Ahead {
    /// At time zero.
    ///
    /// # Errors
    /// If the network has what no survey covers.
    pub fn new(network: &EthernetSpec) -> Result<Ahead, String> {
        let engine = Watched::new(network, &[], None);
        let mut engine = engine.map_err(|error| error.to_string())?;
        let forward = Forward::of(network);
        if let Some(why) = engine.never_forward(&forward) {
            return Err(format!(
                "--fast-forward: nobody knows here how {why} would repeat; run it without"
            ));
        }
        engine.stop_if(is_asked_to_stop);
        Ok(Ahead {
            engine,
            forward,
            told: Leaps::default(),
        })
    }

    /// What is told of it.
    fn leaps(&self) -> Leaps {
        let leapt = self.forward.leapt();
        let mut lines: Vec<String> = Vec::new();
        let mut values = Vec::new();
        for own in leapt {
            let (by, periods) = (own.period.ps() * own.times, counted(own.times, "period"));
            let what = match own.rounds {
                0 => format!("{periods} of {} leapt over", span(own.period.ps() as f64)),
                rounds => format!(
                    "iteration {} repeats iteration {}; {} leapt over",
                    own.begun,
                    own.begun - rounds,
                    counted(rounds * own.times, "iteration")
                ),
            };
            lines.push(format!("{what}, {} of the run", span(by as f64)));
            values.push(json!({
                "at_ps": own.at.ps(), "period_ps": own.period.ps(), "periods": own.times,
                "iterations": own.rounds * own.times,
            }));
        }
        if leapt.is_empty() {
            let why = self.forward.obstacle();
            let why = why.map_or(String::new(), |why| format!(" ({why})"));
            lines.push(format!(
                "nothing repeated itself exactly{why}; all was gone through"
            ));
        }
        let by: u64 = leapt.iter().map(|own| own.period.ps() * own.times).sum();
        let all = self.engine.now().ps().max(1) as f64;
        Leaps {
            lines,
            values,
            simulated: 1.0 - by as f64 / all,
        }
    }
}

impl Machine for Ahead {
    type Probe = Leaps;

    fn run_some(&mut self, until: Time, events: u64) -> Option<bool> {
        let more = self.engine.run_forward(until, events, &mut self.forward);
        self.told = self.leaps();
        more
    }

    fn now(&self) -> Time {
        self.engine.now()
    }

    fn unit_hops(&mut self) -> u64 {
        self.engine.unit_hops()
    }

    fn outcome(&mut self) -> Outcome {
        self.engine.outcome()
    }

    fn probe(&mut self) -> &mut Leaps {
        &mut self.told
    }

    fn look_over(&mut self) {
        self.engine.look_over();
    }
}

impl Looks for Leaps {}

impl<S: EventScenario> Tells<FoundEvents<'_, S>> for Leaps {
    fn tell(&self, found: &mut FoundEvents<'_, S>) {
        found.told.leaps = Some(self.clone());
    }
}

#[cfg(test)]
mod tests;
