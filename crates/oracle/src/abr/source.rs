//! The end system of one direction of a circuit: the source's rules of TM 4.0.

use std::collections::VecDeque;

use backwater_net::spec::{AbrSpec, RateFormat, TurnAround};

use super::Kind;
use super::math::{ENDLESS, factor, gap, times, written};
use super::policy::{AtForward, Policy};
use super::rates::Notice;

/// What an RM cell says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Rm {
    pub ccr: u64,
    pub er: u64,
    pub ci: bool,
    pub ni: bool,
    /// How rates are written into it.
    pub format: RateFormat,
    /// Size of cells, for rates in cells.
    pub bits: u64,
}

impl Rm {
    /// A switch allows `er` at most.
    pub fn limit(&mut self, er: u64) {
        if er < self.er {
            self.er = written(er, self.bits, self.format);
        }
    }
}

/// A cell that a source sends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Outgoing {
    pub kind: Kind,
    pub rm: Option<Rm>,
}

/// The source of a flow, and what it sends back for its partner.
pub(super) struct Source {
    pub spec: AbrSpec,
    pub bits: u64,
    pub acr: u64,
    /// Data cells that wait; `u64::MAX` is without end.
    pub backlog: u64,
    /// What a bottlenecked application allows.
    pub limit: u64,
    policy: Policy,
    /// Backward RM cells that wait, the oldest first.
    pub turn_around: VecDeque<Rm>,
    /// The last data cell that came had EFCI.
    pub efci: bool,
    last_send_ps: Option<u64>,
    /// The last forward RM cell in rate.
    last_forward_ps: Option<u64>,
    /// In-rate cells since then.
    cells_since: u32,
    /// A backward RM cell in rate since then.
    backward_since: bool,
    /// Forward RM cells in rate since the last answer.
    pub unanswered: u32,
    /// The last RM cell of any kind.
    last_rm_ps: Option<u64>,
    /// Since when it wants to send out of rate.
    slow_since_ps: Option<u64>,
    pub sent: [u64; 3],
    pub received: [u64; 3],
    pub overwritten: u64,
}

impl Source {
    pub fn new(spec: AbrSpec, bits: u64) -> Source {
        Source {
            spec,
            bits,
            acr: spec.icr.0,
            backlog: 0,
            limit: ENDLESS,
            policy: Policy::new(spec, bits),
            turn_around: VecDeque::new(),
            efci: false,
            last_send_ps: None,
            last_forward_ps: None,
            cells_since: 0,
            backward_since: false,
            unanswered: 0,
            last_rm_ps: None,
            slow_since_ps: None,
            sent: [0; 3],
            received: [0; 3],
            overwritten: 0,
        }
    }

    fn wants(&self) -> bool {
        let is_due = self.spec.is_eager && self.forward_is_due_by_count();
        self.backlog > 0 || !self.turn_around.is_empty() || is_due
    }

    fn forward_is_due_by_count(&self) -> bool {
        self.last_forward_ps.is_some() && self.cells_since + 1 >= self.spec.nrm
    }

    /// When its next cell in rate may leave; `None` is never.
    fn slot(&self) -> Option<u64> {
        let Some(last) = self.last_send_ps else {
            return Some(0);
        };
        last.checked_add(gap(self.bits, self.acr.min(self.limit))?)
    }

    fn wants_out_of_rate(&self) -> bool {
        self.wants() && self.acr < self.spec.tcr.0
    }

    /// When its next cell out of rate may leave.
    fn slow_slot(&self) -> Option<u64> {
        let since = self.slow_since_ps?;
        let from = self.last_rm_ps.unwrap_or(0).max(since);
        from.checked_add(gap(self.bits, self.spec.tcr.0)?)
    }

    /// Takes note of whether it wants to send out of rate.
    pub fn settle(&mut self, now_ps: u64) {
        if !self.wants_out_of_rate() {
            self.slow_since_ps = None;
        } else if self.slow_since_ps.is_none() {
            self.slow_since_ps = Some(now_ps);
        }
    }

    /// When to call [`Source::send`] next, if nothing else happens.
    pub fn next_ps(&self, now_ps: u64) -> Option<u64> {
        let in_rate = self.slot().filter(|_| self.wants());
        let next = [in_rate, self.slow_slot()].into_iter().flatten().min()?;
        Some(next.max(now_ps))
    }

    /// The cells it sends at this instant.
    pub fn send(&mut self, now_ps: u64) -> Vec<Outgoing> {
        let mut cells = Vec::new();
        if self.wants() && self.slot().is_some_and(|slot| slot <= now_ps) {
            cells.push(self.send_in_rate(now_ps));
        }
        self.settle(now_ps);
        if self.slow_slot().is_some_and(|slot| slot <= now_ps) {
            cells.push(self.send_out_of_rate(now_ps));
            self.settle(now_ps);
        }
        for cell in &cells {
            self.sent[cell.kind as usize] += 1;
        }
        cells
    }

    fn send_in_rate(&mut self, now_ps: u64) -> Outgoing {
        self.last_send_ps = Some(now_ps);
        let waits = !self.turn_around.is_empty();
        if self.is_turn_of_forward(now_ps) {
            return self.send_forward(now_ps);
        }
        if waits && (!self.backward_since || self.backlog == 0) {
            self.backward_since = true;
            self.cells_since += self.spec.counts_backward as u32;
            return self.send_backward(now_ps);
        }
        self.cells_since += 1;
        if self.backlog != u64::MAX {
            self.backlog -= 1;
        }
        Outgoing {
            kind: Kind::Data,
            rm: None,
        }
    }

    fn is_turn_of_forward(&self, now_ps: u64) -> bool {
        let Some(last) = self.last_forward_ps else {
            return true;
        };
        let is_late = now_ps - last >= self.spec.trm.ps();
        self.forward_is_due_by_count() || self.cells_since >= self.spec.mrm && is_late
    }

    fn send_forward(&mut self, now_ps: u64) -> Outgoing {
        let is_first = self.last_forward_ps.is_none();
        // Rule 5.
        self.acr = self.policy.at_forward(AtForward {
            now_ps,
            since_last_ps: self.last_forward_ps.map(|last| now_ps - last),
            acr: self.acr,
        });
        // Rule 6.
        if !is_first && self.spec.cdf > 0.0 && self.unanswered >= self.spec.crm {
            let lower = self.acr - times(self.acr, factor(self.spec.cdf)).min(self.acr);
            self.acr = lower.max(self.spec.mcr.0);
        }
        self.unanswered += 1;
        self.last_forward_ps = Some(now_ps);
        self.cells_since = 0;
        self.backward_since = false;
        self.forward(now_ps)
    }

    /// Rule 7.
    fn forward(&mut self, now_ps: u64) -> Outgoing {
        self.last_rm_ps = Some(now_ps);
        let format = self.spec.format;
        Outgoing {
            kind: Kind::Forward,
            rm: Some(Rm {
                ccr: written(self.acr, self.bits, format),
                er: written(self.spec.pcr.0, self.bits, format),
                ci: false,
                ni: false,
                format,
                bits: self.bits,
            }),
        }
    }

    fn send_backward(&mut self, now_ps: u64) -> Outgoing {
        self.last_rm_ps = Some(now_ps);
        Outgoing {
            kind: Kind::Backward,
            rm: self.turn_around.pop_front(),
        }
    }

    fn send_out_of_rate(&mut self, now_ps: u64) -> Outgoing {
        match self.turn_around.is_empty() {
            true => self.forward(now_ps),
            false => self.send_backward(now_ps),
        }
    }

    /// An answer came back: rules 8 and 9.
    pub fn on_backward(&mut self, rm: Rm, now_ps: u64) {
        self.unanswered = 0;
        self.follow(rm, now_ps);
    }

    /// A switch tells it something: rules 8 and 9, but rule 6 goes on counting.
    pub fn on_notice(&mut self, notice: Notice, now_ps: u64) {
        let rm = Rm {
            ccr: 0,
            er: self.spec.pcr.0,
            ci: notice.ci,
            ni: notice.ni,
            format: self.spec.format,
            bits: self.bits,
        };
        self.follow(rm, now_ps);
    }

    fn follow(&mut self, rm: Rm, now_ps: u64) {
        let (acr, spec) = (self.acr, &self.spec);
        let may_rise = self.policy.at_backward(now_ps, acr, rm.er, rm.ci || rm.ni);
        let mut next = acr;
        if rm.ci {
            next = acr - times(acr, factor(spec.rdf)).min(acr);
            next = next.max(spec.mcr.0);
        } else if !rm.ni && may_rise {
            next = acr.saturating_add(times(spec.pcr.0, factor(spec.rif)));
            next = next.min(spec.pcr.0);
        }
        self.acr = next.min(rm.er).max(spec.mcr.0);
    }

    /// A forward RM cell of the partner came: it is to go back.
    pub fn on_forward(&mut self, mut rm: Rm) {
        rm.ci |= std::mem::take(&mut self.efci);
        if self.spec.turn_around == TurnAround::Latest {
            self.overwritten += self.turn_around.len() as u64;
            self.turn_around.clear();
        }
        self.turn_around.push_back(rm);
    }
}
