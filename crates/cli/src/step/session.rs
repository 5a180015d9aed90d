//! A run at a prompt: each command has an answer.

use backwater_kernel::words::{capital, counted};
use backwater_results::number::hash;
use backwater_run::Engine;
use backwater_run::stepping::{Condition, Stepped, ended, sentences};
use backwater_scenario::Scenario;

use serde_json::json;

use super::answer::{Answer, Said};
use super::commands::{Command, HELP, command};
use super::stop_at::{Goal, goal, never};
use super::{back, named};

/// A run, and what it was made from.
pub struct Session<'a> {
    engine: &'a dyn Engine,
    scenario: &'a Scenario,
    run: Box<dyn Stepped + 'a>,
    names: Vec<String>,
    /// The instants that were gone through one by one up to now, none left out.
    trail: Vec<u64>,
    /// Nothing has happened yet, not even what happens at the first instant.
    is_fresh: bool,
    /// It was told that the run is over.
    is_told: bool,
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
            trail: Vec::new(),
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
        let said = match command(line)? {
            Command::Quit => return Ok(Said::Quit),
            Command::On(count) => {
                let said = self.go_on(count);
                return Ok(self.placed(said));
            }
            Command::Help => Answer::text(format!("{HELP}\n")),
            Command::Names => Answer::of(self.listed(), json!({ "names": self.names })),
            Command::Until(when) => self.until(&when)?,
            Command::Back(count) => self.back(count)?,
            Command::BackTo(when) => self.back_to(&when)?,
            Command::Queues => {
                let scene = self.run.scene();
                Answer::of(scene.queues_text(), scene.json())
            }
            Command::Next => {
                let scene = self.run.scene();
                Answer::of(scene.next_text(), json!({ "next": scene.json()["next"] }))
            }
            Command::Show(patterns) => self.show(&patterns)?,
            Command::Flow(flow) => self.flow(&flow)?,
            Command::Why(name) => Answer::text(self.why(&name)?),
        };
        Ok(self.placed(Said::Answer(said)))
    }

    /// With how far the run is.
    fn placed(&self, mut said: Said) -> Said {
        if let Said::Answer(answer) | Said::Over(answer) = &mut said {
            let at = self.run.at();
            answer.put(&format!("at_{}", self.run.clock().key()), at);
            answer.put("at", self.run.clock().at(at));
            answer.put("is_over", self.run.is_over());
        }
        said
    }

    fn go_on(&mut self, count: u64) -> Said {
        let mut answer = Answer::default();
        self.is_fresh = false;
        answer.happened(self.run.clock(), &[]);
        for _ in 0..count {
            let happened = self.run.step();
            if happened.is_empty() {
                self.over(&mut answer);
                return match std::mem::replace(&mut self.is_told, true) {
                    true => Said::Over(answer),
                    false => Said::Answer(answer),
                };
            }
            self.trail.push(self.run.at());
            answer.text += &sentences(self.run.clock(), &happened).0;
            answer.happened(self.run.clock(), &happened);
        }
        Said::Answer(answer)
    }

    /// Why it goes on no more.
    fn over(&mut self, answer: &mut Answer) {
        let head = self.run.head();
        answer.put("stop", ended(head.stop));
        answer.put("trace_hash", hash(head.trace_hash));
        answer.text += &format!(
            "The run is over at {}: {}. Its trace hash is {}.\n",
            self.run.clock().at(head.at),
            ended(head.stop),
            hash(head.trace_hash)
        );
    }

    /// So many instants back, to what happened last before that.
    fn back(&mut self, count: u64) -> Result<Answer, String> {
        let now = self.run.at();
        if self.is_fresh {
            return Err(self.at_the_beginning());
        }
        let steps = usize::try_from(count).unwrap_or(usize::MAX);
        let known: Vec<u64> = self.trail.iter().copied().filter(|at| *at < now).collect();
        let to = match known.len().checked_sub(steps) {
            Some(at) => Some(known[at]),
            None => {
                let instants = back::before(self.engine, now, count)?;
                let is_there = instants.len() as u64 == count;
                instants.last().copied().filter(|_| is_there)
            }
        };
        self.make_again()?;
        let Some(to) = to else {
            let text = format!(
                "{}: the beginning, nothing has happened yet.\n",
                self.head()
            );
            return Ok(Answer::text(text));
        };
        self.trail = known.into_iter().filter(|at| *at < to).collect();
        Ok(self.happened_at(to))
    }

    /// Back to the end of an instant.
    fn back_to(&mut self, when: &str) -> Result<Answer, String> {
        let (at, is_told) = match goal(when, self.scenario)? {
            Goal::At(at) => (at, false),
            Goal::First(wanted) => (self.first(when, wanted, None)?, true),
            Goal::Next(_) => return Err(format!("`{when}` lies ahead: `until {when}`")),
        };
        let now = self.run.at();
        if at >= now {
            let clock = self.run.clock();
            return Err(format!(
                "that is {then}, and it is {} now: `until {when}` goes on to it",
                clock.at(now),
                then = clock.at(at)
            ));
        }
        self.make_again()?;
        if is_told {
            return Ok(self.happened_at(at));
        }
        self.is_fresh = false;
        self.run.run_to(at);
        Ok(Answer::text(format!("{}\n", self.head())))
    }

    fn at_the_beginning(&self) -> String {
        format!(
            "it is {} now, the beginning: there is nothing before",
            self.at()
        )
    }

    /// The same run before its first instant.
    fn make_again(&mut self) -> Result<(), String> {
        self.run = self.engine.stepped()?;
        self.trail.clear();
        (self.is_fresh, self.is_told) = (true, false);
        Ok(())
    }

    /// Runs to an instant at which something happens, and says what.
    fn happened_at(&mut self, at: u64) -> Answer {
        if at > 0 {
            self.run.run_to(at - 1);
        }
        self.is_fresh = false;
        self.told(at)
    }

    fn until(&mut self, when: &str) -> Result<Answer, String> {
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
                true => "`until next-stop` and `until next-drop` look after now".to_owned(),
                false => format!("`back {when}` goes back to it"),
            };
            return Err(format!(
                "that is {then}, and it is {} now: {hint}",
                clock.at(now)
            ));
        }
        self.trail.clear();
        if is_told {
            return Ok(self.happened_at(at));
        }
        self.is_fresh = false;
        self.run.run_to(at);
        let mut answer = Answer::default();
        match self.run.is_over() {
            true => self.over(&mut answer),
            false => answer.text = format!("{}\n", self.head()),
        }
        Ok(answer)
    }

    /// What happens at an instant at which something was looked for. Where that is too much, what
    /// can't go on since is said apart.
    fn told(&mut self, at: u64) -> Answer {
        let happened = self.run.step();
        self.trail.push(self.run.at());
        let (text, is_all) = sentences(self.run.clock(), &happened);
        let mut answer = Answer::default();
        answer.happened(self.run.clock(), &happened);
        answer.text = match is_all {
            true => text,
            false => text + &self.run.scene().held_since(at.saturating_sub(1)),
        };
        answer
    }

    fn first(&self, when: &str, wanted: Condition, after: Option<u64>) -> Result<u64, String> {
        let instant = self.engine.first(wanted, after)?;
        instant.ok_or_else(|| never(when, wanted))
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

    fn show(&self, patterns: &[String]) -> Result<Answer, String> {
        let mut scene = self.run.scene();
        if let Some(pattern) = patterns.first() {
            scene = scene.narrowed(&named::find(named::ANY, pattern, &self.names)?);
        }
        let text = format!("{}\n\n{}", self.head(), scene.text());
        Ok(Answer::of(text, scene.json()))
    }

    fn flow(&self, flow: &str) -> Result<Answer, String> {
        let names = named::find("flow", flow, &self.run.flows())?;
        let names = names.iter().take(4);
        let scenes = names.map(|name| (name, self.run.scene().of_flow(name)));
        let (mut texts, mut flows) = (Vec::new(), Vec::new());
        for (name, scene) in scenes {
            texts.push(scene.text());
            let mut object = scene.json();
            object["flow"] = json!(name);
            flows.push(object);
        }
        Ok(Answer::of(texts.join("\n"), json!({ "flows": flows })))
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
