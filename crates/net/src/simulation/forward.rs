//! A run that repeats itself goes forward by whole periods at once.
//!
//! Now and then all that decides what happens next is surveyed. Where that is as in an earlier
//! survey, word for word, what followed that one follows again, so much later: so many periods are
//! leapt over as lie before the end of the run, or before the last rounds of what flows do. What
//! was counted grows as it did in the period; the trace hash takes in each start of it again, at
//! its time. For that the first period after its length is known is gone through once more: each
//! start in it is one at each of the times to come. Nothing is estimated.
//!
//! Surveys to compare with are taken as in Brent's search for cycles: the one kept is replaced
//! after 1, 2, 4, .. others, so that a beginning of any length and a period of any length are
//! found.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use backwater_ends::stations::Round;
use backwater_kernel::{Duration, EventQueue, Survey, Time};

use crate::probe::Probe;
use crate::simulation::Simulation;
use crate::simulation::record::Record;
use crate::spec::frames::EthernetSpec;

mod survey;

/// Rounds that are left for the run to go through as it is: near its end it may not repeat itself.
const ROUNDS_LEFT: u64 = 2;
/// Words of a survey that cost as much as a frame.
const WORDS_A_FRAME: u64 = 32;
/// Surveys without a period, at most, where no rounds end.
const MOST_SURVEYS: u64 = 1 << 16;

/// A leap over so many periods.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leapt {
    /// From here,
    pub at: Time,
    /// so many
    pub times: u64,
    /// of this length.
    pub period: Duration,
    /// Rounds of the first program that goes on in a period, and those that it had begun by then.
    pub rounds: u64,
    /// Those.
    pub begun: u64,
}

/// What is surveyed in a run, and what came of that.
pub struct Forward {
    /// By flow, its part of what is done again and again.
    rounds: Vec<Round>,
    /// A flow of each program.
    leads: Vec<u32>,
    /// What its rounds, or frames, were at the last survey.
    passed: u64,
    /// The survey to compare with, and rounds begun then by program.
    kept: Option<(Survey, Vec<u64>)>,
    /// Surveys since, and after how many it is replaced.
    since: u64,
    power: u64,
    surveys: u64,
    stride: u64,
    is_off: bool,
    /// What stood in the way last.
    obstacle: Option<&'static str>,
    leapt: Vec<Leapt>,
}

impl Forward {
    /// Of a network: jobs and other collectives are programs.
    pub fn of(spec: &EthernetSpec) -> Forward {
        let jobs = spec
            .rules
            .jobs
            .iter()
            .map(|job| (job.flows.clone(), job.iterations));
        let collectives = spec.rules.collectives.iter().filter(|own| {
            let mut jobs = spec.rules.jobs.iter();
            !jobs.any(|job| job.flows.contains(&own.flows.start))
        });
        let programs = jobs.chain(collectives.map(|own| (own.flows.clone(), own.times)));
        let mut rounds = vec![Round::default(); spec.flows.len()];
        let mut leads = Vec::new();
        for (flows, times) in programs {
            let mut program = 0;
            for flow in flows {
                let list = spec.flows[flow as usize].traffic.messages();
                let each = |count: u64| (count / u64::from(times.max(1))) as u32;
                let Some(list) = list.filter(|list| each(list.message_count()) > 0) else {
                    continue;
                };
                if program == 0 {
                    leads.push(flow);
                    program = leads.len() as u32;
                }
                rounds[flow as usize] = Round {
                    program,
                    messages: each(list.message_count()),
                    computes: each(list.compute_count()),
                };
            }
        }
        Forward {
            rounds,
            leads,
            passed: 0,
            kept: None,
            since: 0,
            power: 1,
            surveys: 0,
            stride: 1,
            is_off: false,
            obstacle: None,
            leapt: Vec::new(),
        }
    }

    /// The leaps, in order.
    pub fn leapt(&self) -> &[Leapt] {
        &self.leapt
    }

    /// What stood in the way at the last survey.
    pub fn obstacle(&self) -> Option<&'static str> {
        self.obstacle
    }
}

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// As [`Self::run_some`], leaping over periods.
    pub fn run_forward(&mut self, until: Time, events: u64, forward: &mut Forward) -> Option<bool> {
        let until = until.min(self.stop_at);
        let enough = self.events_handled.saturating_add(events);
        while !forward.is_off && self.events_handled < enough && !self.asked.is_set {
            if self.advance(until, self.events_handled + 1).is_some() {
                break;
            }
            if self.has_passed(forward) {
                self.take_survey(forward);
            }
        }
        let rest = enough.saturating_sub(self.events_handled);
        self.run_some(until.max(self.now), rest)
    }

    /// What it has for which no survey is known, at its beginning: with that it never leaps.
    pub fn never_forward(&mut self, forward: &Forward) -> Option<&'static str> {
        let mut survey = Survey::at(self.now);
        self.survey_run(&mut survey, &forward.rounds);
        survey.obstacle()
    }

    /// The end of a round of the first program that has more, or a frame of a flow where there is
    /// no program.
    fn has_passed(&mut self, forward: &mut Forward) -> bool {
        let stations = &self.network.classes.stations;
        let goes_on = |flow: &&u32| {
            let round = forward.rounds[**flow as usize];
            stations.rounds_left(**flow, round) > ROUNDS_LEFT
        };
        let passed = match forward.leads.iter().find(goes_on) {
            Some(flow) => {
                let each = forward.rounds[*flow as usize].messages;
                stations.messages_in(*flow) / u64::from(each)
            }
            None if !forward.leads.is_empty() => return false,
            None => match self.network.classes.flows.first() {
                Some(flow) => flow.delivered / forward.stride,
                None => return false,
            },
        };
        core::mem::replace(&mut forward.passed, passed) != passed && passed > 0
    }

    fn take_survey(&mut self, forward: &mut Forward) {
        if !self.is_warm {
            return;
        }
        self.catch_up(self.now);
        let mut survey = Survey::at(self.now);
        self.survey_run(&mut survey, &forward.rounds);
        forward.obstacle = survey.obstacle();
        forward.surveys += 1;
        let begun = self.rounds_begun(forward);
        let (survey, begun) = match self.compare(forward, survey, begun) {
            Some(unlike) => unlike,
            None => return,
        };
        // Within a period that is gone through once more nothing else is looked for.
        let known = self.record.as_ref().and_then(|record| record.again);
        if known.is_none() {
            self.keep_survey(forward, survey, begun);
        }
    }

    /// Compares it with the one kept: of two that are alike the period is noted, and when that is
    /// done it is leapt over.
    fn compare(
        &mut self,
        forward: &mut Forward,
        survey: Survey,
        begun: Vec<u64>,
    ) -> Option<(Survey, Vec<u64>)> {
        let kept = forward.kept.take_if(|(kept, _)| kept.is_like(&survey));
        let (Some((kept, begun_then)), Some(record)) = (kept, &self.record) else {
            return Some((survey, begun));
        };
        let is_tied = record.is_tied;
        let again = record.again.filter(|_| !record.is_full());
        forward.obstacle = is_tied.then_some("arrivals at one instant at one port");
        let both = begun.iter().zip(&begun_then);
        let went: Vec<u64> = both.map(|(now, then)| now - then).collect();
        let period = survey.now.since(kept.now);
        let times = match is_tied {
            true => 0,
            false => self.periods_left(forward, &survey, kept.now, &went),
        };
        if times > 0 && again == Some((times, period)) {
            let lead = went.iter().position(|went| *went > 0).unwrap_or(0);
            forward.leapt.push(Leapt {
                at: survey.now,
                times,
                period,
                rounds: went.get(lead).copied().unwrap_or(0),
                begun: begun.get(lead).copied().unwrap_or(0),
            });
            self.leap((kept, &survey), times, &forward.rounds);
            (forward.since, forward.power) = (0, 1);
            return None;
        }
        forward.is_off |= record.is_full();
        let flows = self.network.classes.flows.len();
        self.record = match times {
            2.. if again.is_none() => Some(Box::new(Record::again(times - 1, period, flows))),
            _ => None,
        };
        match self.record.is_some() {
            true => {
                forward.kept = Some((survey, begun));
                None
            }
            false => Some((survey, begun)),
        }
    }

    /// It is compared with those that follow, if it is its turn.
    fn keep_survey(&mut self, forward: &mut Forward, survey: Survey, begun: Vec<u64>) {
        let is_programs = !forward.leads.is_empty();
        if forward.surveys == 1 && !is_programs {
            forward.stride = (survey.length() as u64 / WORDS_A_FRAME).max(1);
            forward.passed = self.network.classes.flows[0].delivered / forward.stride;
        }
        forward.since += 1;
        if !is_programs && forward.surveys > MOST_SURVEYS {
            forward.is_off = true;
            (self.record, forward.kept) = (None, None);
            return;
        }
        let is_over = forward.since >= forward.power;
        if is_over || forward.kept.is_none() || self.record.is_none() {
            forward.kept = Some((survey, begun));
            forward.since = 0;
            forward.power <<= u32::from(is_over);
            self.record = Some(Box::default());
        }
    }

    /// Rounds that each program has begun.
    fn rounds_begun(&self, forward: &Forward) -> Vec<u64> {
        let stations = &self.network.classes.stations;
        let leads = forward.leads.iter();
        leads
            .map(|flow| stations.rounds_begun(*flow, forward.rounds[*flow as usize]))
            .collect()
    }

    /// So many periods, in each of which programs went on by so many rounds, can follow before the
    /// end of the run, and before that of any list of messages.
    fn periods_left(&self, forward: &Forward, survey: &Survey, since: Time, went: &[u64]) -> u64 {
        let period = survey.now.since(since).ps().max(1);
        let in_time = (self.stop_at.since(self.now).ps() / period).saturating_sub(ROUNDS_LEFT);
        let stations = &self.network.classes.stations;
        let mut least = in_time;
        for (flow, round) in (0..).zip(&forward.rounds) {
            let Some(program) = round.program.checked_sub(1) else {
                continue;
            };
            let went = went[program as usize];
            if !stations.goes_round(flow, *round, went) {
                return 0;
            }
            let left = stations.rounds_left(flow, *round);
            let times = left.saturating_sub(ROUNDS_LEFT).checked_div(went);
            least = times.map_or(least, |times| least.min(times));
        }
        least
    }

    /// Over so many periods, of which all is noted.
    fn leap(&mut self, (before, after): (Survey, &Survey), times: u64, rounds: &[Round]) {
        let Some(record) = self.record.take() else {
            return;
        };
        self.hash.join(record.hash);
        if let Some(mut leap) = Survey::leap(&before, after, times, record.samples) {
            self.survey_run(&mut leap, rounds);
        }
    }
}
