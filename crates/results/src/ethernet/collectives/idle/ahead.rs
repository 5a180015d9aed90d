//! Rounds that are like those before them are not gone through, but counted.
//!
//! At the end of rounds all that decides what follows is read, relative to now and to the round.
//! Where that is what it was at the end of an earlier one, what lay between follows again and
//! again: all lists then end so many rounds earlier, and the end is so much later.

use backwater_kernel::{Duration, Survey, Time};
use backwater_net::frames::spec::MessagesSpec;

use super::{Idle, Line, parts};

/// Rounds that are gone through at the end.
const ROUNDS_LEFT: u32 = 2;

/// How many rounds were counted, and what is known of those before.
#[derive(Default)]
pub(super) struct Ahead {
    /// The first flow, its messages of a round, if all flows have as many rounds.
    lead: Option<(u32, u32)>,
    kept: Option<(Survey, u32)>,
    /// Rounds read since, and after how many others are compared with.
    since: u32,
    power: u32,
    /// So long in all.
    pub leapt: Duration,
}

impl Ahead {
    pub fn of(lists: &[(u32, &MessagesSpec)]) -> Ahead {
        let mut rounds = lists.iter().map(|(_, list)| list.rounds());
        let first = rounds.next().flatten();
        let lead = lists
            .first()
            .filter(|_| first.is_some() && rounds.all(|own| own == first));
        Ahead {
            lead: lead.map(|(flow, list)| (*flow, list.again.messages)),
            power: 1,
            ..Ahead::default()
        }
    }

    /// Is a round over with this message?
    pub fn is_round(&self, flow: u32, message: u32) -> bool {
        let (_, each) = self.lead.filter(|lead| lead.0 == flow).unwrap_or_default();
        each > 0 && (message + 1).is_multiple_of(each)
    }
}

impl Idle<'_> {
    /// A round is over: all that follows, if it is known, is counted.
    pub(super) fn go_ahead(&mut self, now: Time) {
        let Some((flow, each)) = self.ahead.lead else {
            return;
        };
        let next = self.own_mut(flow).map_or(0, |own| own.lines[0].next.0);
        let round = next / each;
        let Some((survey, left)) = self.survey(now, round) else {
            return;
        };
        if let Some((kept, before)) = &self.ahead.kept
            && kept.is_like(&survey)
        {
            let rounds = round - before;
            let times = left.saturating_sub(ROUNDS_LEFT) / rounds;
            let period = now.since(kept.now);
            self.ahead.leapt = Duration(period.ps() * u64::from(times));
            self.end_earlier(times * rounds);
            self.ahead.lead = None;
            return;
        }
        let ahead = &mut self.ahead;
        ahead.since += 1;
        if ahead.kept.is_none() || ahead.since >= ahead.power {
            ahead.power <<= u32::from(ahead.since >= ahead.power);
            (ahead.kept, ahead.since) = (Some((survey, round)), 0);
        }
    }

    /// What decides what follows, and how many rounds of which nothing is known are left; nothing
    /// before all flows are where they go round.
    fn survey(&self, now: Time, round: u32) -> Option<(Survey, u32)> {
        let mut survey = Survey::at(now);
        let mut least = u32::MAX;
        for (flow, own) in (self.base..).zip(&self.flows) {
            let (Some(own), Some(list)) = (own, self.times.list(flow)) else {
                continue;
            };
            let each = [list.again.messages, list.again.computes];
            let from = list.round_from();
            let lines = own.lines.iter().zip(each).zip([from.0, from.1]);
            for (((line, each), from), is_compute) in lines.zip([false, true]) {
                if each == 0 {
                    continue;
                }
                if (line.next.0 as usize) < from {
                    return None;
                }
                let known = line.next.0 + line.waiting.len() as u32;
                least = least.min(line.count.saturating_sub(known) / each);
                survey.fixed(u64::from(line.next.0).wrapping_sub(u64::from(round * each)));
                line.survey_line(&mut survey, |number| match is_compute {
                    true => Some(Duration::ZERO),
                    false => Some(list.message(number)?.0.think),
                });
            }
        }
        for free in &self.ports {
            survey.ahead(&mut free.clone());
        }
        survey.ahead(&mut self.last.clone());
        let mut due: Vec<_> = self.due.iter().map(|own| own.0).collect();
        due.sort_unstable();
        for (mut at, flow, what) in due {
            let (number, is_compute) = parts(what);
            let again = self.times.list(flow)?.again;
            let each = [again.messages, again.computes][is_compute];
            survey.instant(&mut at);
            survey.fixed(u64::from(flow) << 1 | is_compute as u64);
            survey.fixed(u64::from(number).wrapping_sub(u64::from(round * each)));
        }
        Some((survey, least))
    }

    /// All lists end so many rounds earlier.
    fn end_earlier(&mut self, rounds: u32) {
        for (flow, own) in (self.base..).zip(&mut self.flows) {
            let (Some(own), Some(list)) = (own, self.times.list(flow)) else {
                continue;
            };
            let each = [list.again.messages, list.again.computes];
            for (line, each) in own.lines.iter_mut().zip(each) {
                line.count -= rounds * each;
            }
        }
    }
}

impl Line {
    /// What waits. What happens from now on is later than what has: of that it matters only how
    /// far it is ahead.
    fn survey_line(&self, survey: &mut Survey, think: impl Fn(u32) -> Option<Duration>) {
        let (next, mut behind) = self.next;
        survey.ahead(&mut behind);
        survey.fixed(self.waiting.len() as u64);
        for (number, (waits, ready)) in (next..).zip(&self.waiting) {
            survey.fixed(u64::from(*waits));
            let mut due = match *waits {
                0 => *ready + think(number).unwrap_or(Duration::ZERO),
                _ => *ready,
            };
            survey.ahead(&mut due);
        }
    }
}
