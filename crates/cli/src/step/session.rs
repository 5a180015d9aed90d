//! A run at a prompt: each command has an answer.

use backwater_kernel::words::{capital, counted};
use backwater_results::number::hash;
use backwater_run::Engine;
use backwater_run::stepping::{Condition, Stepped, ended, sentences};
use backwater_scenario::Scenario;

use super::commands::{Command, HELP, command};
use super::named;
use super::stop_at::{Goal, goal, never};

/// A run, and what it was made from.
pub struct Session<'a> {
    engine: &'a dyn Engine,
    scenario: &'a Scenario,
    run: Box<dyn Stepped + 'a>,
    names: Vec<String>,
    /// Nothing has happened yet, not even what happens at the first instant.
    is_fresh: bool,
    /// It was told that the run is over.
    is_told: bool,
}

/// An answer.
pub enum Said {
    /// To be shown.
    Text(String),
    /// To be shown: the run is over, and nothing more comes of going on.
    Over(String),
    /// None: it ends.
    Quit,
}

impl<'a> Session<'a> {
    /// At the beginning.
    ///
    /// # Errors
    /// If the engine refuses the scenario.
    pub fn new(engine: &'a dyn Engine, scenario: &'a Scenario) -> Result<Session<'a>, String> {
        let run = engine.stepped()?;
        Ok(Session {
            engine,
            scenario,
            names: run.names(),
            run,
            is_fresh: true,
            is_told: false,
        })
    }

    /// How far it is.
    pub fn at(&self) -> String {
        self.run.clock().at(self.run.at())
    }

    /// How far it is, as the begin of a sentence.
    pub fn head(&self) -> String {
        capital(&self.run.clock().head(self.run.at()))
    }

    /// The answer to a line.
    ///
    /// # Errors
    /// If it is no command, or can't be carried out: what to say instead.
    pub fn answer(&mut self, line: &str) -> Result<Said, String> {
        Ok(match command(line)? {
            Command::Quit => Said::Quit,
            Command::Help => Said::Text(format!("{HELP}\n")),
            Command::Names => Said::Text(self.listed()),
            Command::On(count) => self.go_on(count),
            Command::Until(when) => self.until(&when)?,
            Command::Queues => Said::Text(self.run.scene().queues_text()),
            Command::Next => Said::Text(self.run.scene().next_text()),
            Command::Show(patterns) => Said::Text(self.show(&patterns)?),
            Command::Flow(flow) => Said::Text(self.flow(&flow)?),
            Command::Why(name) => Said::Text(self.why(&name)?),
        })
    }

    fn go_on(&mut self, count: u64) -> Said {
        let mut text = String::new();
        self.is_fresh = false;
        for _ in 0..count {
            let happened = self.run.step();
            if happened.is_empty() {
                text.push_str(&self.over());
                return match std::mem::replace(&mut self.is_told, true) {
                    true => Said::Over(text),
                    false => Said::Text(text),
                };
            }
            text.push_str(&sentences(self.run.clock(), &happened).0);
        }
        Said::Text(text)
    }

    /// Why it goes on no more.
    fn over(&mut self) -> String {
        let head = self.run.head();
        format!(
            "The run is over at {}: {}. Its trace hash is {}.\n",
            self.run.clock().at(head.at),
            ended(head.stop),
            hash(head.trace_hash)
        )
    }

    fn until(&mut self, when: &str) -> Result<Said, String> {
        let (at, is_told) = match goal(when, self.scenario)? {
            Goal::At(at) => (at, false),
            Goal::First(wanted) => (self.first(when, wanted, None)?, true),
            Goal::Next(wanted) => (self.first(when, wanted, Some(self.run.at()))?, true),
        };
        let clock = self.run.clock();
        let now = self.run.at();
        if at < now || is_told && at == now && !self.is_fresh {
            let then = clock.at(at);
            let hint = match is_told {
                true => "`until next-stop` and `until next-drop` look after now",
                false => "start again to see it",
            };
            return Err(format!(
                "that is {then}, and it is {} now: {hint}",
                clock.at(now)
            ));
        }
        if is_told {
            if at > 0 {
                self.run.run_to(at - 1);
            }
            self.is_fresh = false;
            return Ok(Said::Text(self.told(at)));
        }
        self.is_fresh = false;
        self.run.run_to(at);
        Ok(Said::Text(match self.run.is_over() {
            true => self.over(),
            false => format!("{}\n", self.head()),
        }))
    }

    /// What happens at an instant at which something was looked for. Where that is too much, what
    /// can't go on since is said apart.
    fn told(&mut self, at: u64) -> String {
        let happened = self.run.step();
        let (text, is_all) = sentences(self.run.clock(), &happened);
        match is_all {
            true => text,
            false => text + &self.run.scene().held_since(at.saturating_sub(1)),
        }
    }

    fn first(&self, when: &str, wanted: Condition, after: Option<u64>) -> Result<u64, String> {
        let found = self.engine.first(wanted, after)?;
        found.ok_or_else(|| never(when, wanted))
    }

    fn listed(&self) -> String {
        const SHOWN: usize = 200;
        let mut text: String = self
            .names
            .iter()
            .take(SHOWN)
            .map(|n| format!("  {n}\n"))
            .collect();
        if self.names.len() > SHOWN {
            let more = counted(self.names.len() - SHOWN, "name");
            text.push_str(&format!("  and {more} more\n"));
        }
        text
    }

    fn show(&self, patterns: &[String]) -> Result<String, String> {
        let mut scene = self.run.scene();
        if let Some(pattern) = patterns.first() {
            scene = scene.narrowed(&named::find(named::ANY, pattern, &self.names)?);
        }
        Ok(format!("{}\n\n{}", self.head(), scene.text()))
    }

    fn flow(&self, flow: &str) -> Result<String, String> {
        let names = named::find("flow", flow, &self.run.flows())?;
        let flows: Vec<String> = names
            .iter()
            .take(4)
            .map(|name| self.run.scene().of_flow(name).text())
            .collect();
        Ok(flows.join("\n"))
    }

    fn why(&self, name: &str) -> Result<String, String> {
        let scene = self.run.scene();
        let mut known = self.names.clone();
        known.extend(scene.queues.iter().map(|queue| queue.name.clone()));
        let names = named::find(named::ANY, name, &known)?;
        let said: Vec<String> = names.iter().take(4).map(|name| scene.why(name)).collect();
        Ok(said.join("\n"))
    }
}
