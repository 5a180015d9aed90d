//! What is done one after another, and each after what it waits for: the messages of a flow, or
//! what its host computes.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use backwater_kernel::{Duration, Survey, Time};

/// One of them, as it is listed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Row {
    pub bytes: u64,
    /// Position behind its last byte or datagram.
    pub end: u64,
    /// From when it is ready on: a message's think time, or how long it is computed.
    pub time: Duration,
    /// It waits for so much.
    pub after: u32,
}

/// Of what one waits for, so much has not happened; when the last of it did, and before, when its
/// flow starts.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    waits: u32,
    ready_at: Time,
}

/// All of them.
#[derive(Debug)]
pub(super) struct Line {
    rows: Vec<Row>,
    /// The last so many are a round, done again so many times.
    round: u32,
    times: u32,
    /// Positions of a round.
    length: u64,
    start: Time,
    /// So many are done, or begun.
    passed: u64,
    /// What is known of the next ones, as far as something that they wait for has happened.
    waiting: VecDeque<Waiting>,
}

impl Line {
    pub fn new(rows: Vec<Row>, (round, times): (u32, u32), start: Time) -> Line {
        let end = |at: usize| at.checked_sub(1).map_or(0, |last| rows[last].end);
        let length = end(rows.len()) - end(rows.len().saturating_sub(round as usize));
        Line {
            rows,
            round,
            times,
            length,
            start,
            passed: 0,
            waiting: VecDeque::new(),
        }
    }

    /// So many in all.
    pub fn count(&self) -> u64 {
        self.rows.len() as u64 + u64::from(self.round) * u64::from(self.times)
    }

    /// Of those to come, so many.
    pub fn left(&self) -> u64 {
        self.count() - self.passed
    }

    /// The one of this number, at its place.
    pub fn row(&self, number: u64) -> Option<Row> {
        let Some(more) = number.checked_sub(self.rows.len() as u64) else {
            return Some(self.rows[number as usize]);
        };
        let round = u64::from(self.round);
        let rounds = more.checked_div(round)?;
        let at = self.rows.len() - self.round as usize + (more % round) as usize;
        (rounds < self.times.into()).then(|| {
            let row = self.rows[at];
            let further = self.length.saturating_mul(rounds + 1);
            Row {
                end: row.end.saturating_add(further),
                ..row
            }
        })
    }

    /// The next one, if it waits for nothing more: since when.
    #[inline]
    pub fn ready(&self) -> Option<(Row, Time)> {
        let row = self.row(self.passed)?;
        let front = self.waiting.front().copied();
        let next = front.unwrap_or_else(|| self.untouched(row));
        (next.waits == 0).then_some((row, next.ready_at))
    }

    fn untouched(&self, row: Row) -> Waiting {
        Waiting {
            waits: row.after,
            ready_at: self.start,
        }
    }

    /// The next one is begun, or done.
    #[inline]
    pub fn pass(&mut self) {
        self.passed += 1;
        self.waiting.pop_front();
    }

    /// Something that one of them waits for has happened.
    pub fn on_happened(&mut self, now: Time, number: u32) {
        let Some(ahead) = u64::from(number).checked_sub(self.passed) else {
            return;
        };
        self.know(ahead as usize + 1);
        if let Some(own) = self.waiting.get_mut(ahead as usize) {
            own.waits -= 1;
            own.ready_at = now.max(own.ready_at);
        }
    }

    /// The next so many are known, if there are so many.
    fn know(&mut self, count: usize) {
        while self.waiting.len() < count {
            let Some(row) = self.row(self.passed + self.waiting.len() as u64) else {
                return;
            };
            self.waiting.push_back(self.untouched(row));
        }
    }

    /// From the next one on, and so many before it, is each what it is so many further?
    pub fn repeats(&self, back: u64) -> bool {
        let alike = |one: Row, other: Row| {
            let what = |row: Row| (row.bytes, row.time, row.after);
            what(one) == what(other)
        };
        let round_from = self.rows.len() as u64 - u64::from(self.round);
        let listed = match self.times {
            0 => self.rows.len() as u64,
            _ => round_from,
        };
        let goes_round = self.times == 0 || back.is_multiple_of(self.round.max(1).into());
        goes_round
            && (self.passed.saturating_sub(back)..listed).all(|number| {
                let later = self.row(number).zip(self.row(number + back));
                later.is_none_or(|(one, other)| alike(one, other))
            })
    }

    /// What waits from the next one on. In a leap that moves so far on.
    pub fn survey_line(&mut self, survey: &mut Survey, further: u64) {
        self.know(1);
        let first = self.passed;
        let times = (first..first + self.waiting.len() as u64).map(|number| {
            let row = self.row(number);
            row.map_or(Duration::ZERO, |row| row.time)
        });
        let times: Vec<Duration> = times.collect();
        let Line {
            rows: _,
            round: _,
            times: _,
            length: _,
            start: _,
            passed,
            waiting,
        } = self;
        survey.fixed(waiting.len() as u64);
        for (own, time) in waiting.iter_mut().zip(times) {
            survey.fixed(u64::from(own.waits));
            if own.waits == 0
                && let Some(mut due) = own.ready_at.checked_add(time)
            {
                survey.ahead(&mut due);
                own.ready_at = Time(due.ps() - time.ps());
            }
        }
        *passed += further;
    }
}
