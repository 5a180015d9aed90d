//! The ABR end system (ATM Forum Traffic Management 4.0, source rules 1 to 13 and destination
//! rules; Kalyanaraman et al. 1998).
//!
//! One `Abr` is the source of one direction of a circuit, together with the destination of the
//! other: both are the same station, and answers leave between this source's cells.
//!
//! | Rule | Where |
//! |---|---|
//! | 1, 2: ACR starts at ICR, the first cell is a forward RM cell | `new`, `choose` |
//! | 3: which cell is next | `choose` |
//! | 4: in-rate cells are at least 1 / ACR apart | `slot` |
//! | 5: unused rate | `uili.rs` |
//! | 6: missing answers | `on_forward` |
//! | 7: CCR states ACR | `on_forward` |
//! | 8, 9: answers | `on_answer` |
//! | 10 to 13: out-of-rate cells, at TCR | `out_of_rate_slot` |
//! | destination 1 to 6 | `turn_around` |
//!
//! A cell in rate goes before one out of rate that may go at the same instant.
//!
//! Not modelled: changes of MCR, PCR and the like while a circuit lives; usage parameter control.

mod bursts;
mod format;
mod level;
pub(super) mod outcome;
#[cfg(test)]
mod tests;

use alloc::boxed::Box;
use alloc::collections::VecDeque;

use backwater_kernel::{Duration, Rate, Time};

use super::hooks::{Control, Counted, Item, Made, Next, Offered, Signal};
use super::ratio::Ratio;
use super::rm_cell::{ForwardCell, RmCell};
use super::uili::{Answer, Due, Uili};
use crate::spec::{AbrSpec, RateFormat, TurnAround};
use bursts::Bursts;
use format::rounded;
use level::RateLevel;
use outcome::AbrOutcome;

/// Which cell is next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Cell {
    Forward,
    Backward,
    Data,
    /// An RM cell beside the allowed rate.
    OutOfRate,
}

/// What is counted of one direction.
#[derive(Clone, Copy, Default)]
struct Counts {
    rm: Counted,
    out_of_rate: u64,
    overwritten: u64,
    notices: u64,
    in_rate: u64,
    reductions: u64,
    refused: u64,
    missing: u64,
}

/// One end system's part in a circuit.
pub struct Abr {
    spec: AbrSpec,
    rise: Rate,
    rdf: Ratio,
    cdf: Ratio,
    /// Bytes of a cell.
    bytes: u32,
    acr: Rate,
    /// Of the application.
    limit: Option<Rate>,
    /// Between in-rate cells now; `None` is for ever.
    gap: Option<Duration>,
    last_send: Option<Time>,
    last_forward: Option<Time>,
    /// In-rate cells since.
    since_forward: u32,
    answered_since_forward: bool,
    /// Forward RM cells since the last answer that no switch made.
    unanswered: u32,
    /// Out-of-rate cells keep this distance; `None` sends none.
    tcr_gap: Option<Duration>,
    last_rm: Time,
    /// Since when it wants to send and may hardly.
    starved_since: Option<Time>,
    uili: Uili,
    /// Forward RM cells of the other direction that wait to go back.
    waiting: VecDeque<RmCell>,
    /// What `next` named last.
    chosen: Cell,
    counts: Counts,
    bursts: Bursts,
    level: RateLevel,
}

impl Abr {
    pub(crate) fn new(spec: &AbrSpec, bytes: u32) -> Box<Abr> {
        let mut abr = Box::new(Abr {
            spec: *spec,
            rise: Ratio::new(spec.rif).times(spec.pcr),
            rdf: Ratio::new(spec.rdf),
            cdf: Ratio::new(spec.cdf),
            bytes,
            acr: spec.icr,
            limit: None,
            gap: None,
            last_send: None,
            last_forward: None,
            since_forward: 0,
            answered_since_forward: false,
            unanswered: 0,
            tcr_gap: (spec.tcr.0 > 0).then(|| spec.tcr.tick(bytes as u64)),
            last_rm: Time::ZERO,
            starved_since: None,
            uili: Uili::new(&spec.uili),
            waiting: VecDeque::new(),
            chosen: Cell::Data,
            counts: Counts::default(),
            bursts: Bursts::default(),
            level: RateLevel::new(spec.icr, Time::ZERO),
        });
        abr.set_gap();
        abr
    }

    /// ACR: what the network allows now.
    pub fn allowed_rate(&self) -> Rate {
        self.acr
    }

    fn set_gap(&mut self) {
        let pace = self.limit.map_or(self.acr, |limit| limit.min(self.acr));
        self.gap = (pace.0 > 0).then(|| pace.tick(self.bytes as u64));
    }

    /// The application can send no faster than this from now on.
    fn set_limit(&mut self, limit: Option<Rate>) {
        if self.limit != limit {
            self.limit = limit;
            self.set_gap();
        }
    }

    /// Is there anything to send in rate?
    #[inline]
    fn wants(&self, has_data: bool) -> bool {
        has_data || !self.waiting.is_empty() || self.spec.is_eager && self.is_due_by_count()
    }

    #[inline]
    fn is_due_by_count(&self) -> bool {
        self.last_forward.is_some() && self.since_forward + 1 >= self.spec.nrm
    }

    /// When the next in-rate cell may go; `None`: never at this rate.
    #[inline]
    fn slot(&self) -> Option<Time> {
        match self.last_send {
            None => self.gap.map(|_| Time::ZERO),
            Some(last) => last.checked_add(self.gap?),
        }
    }

    /// Rule 3.
    #[inline]
    fn choose(&self, now: Time, has_data: bool) -> Cell {
        let Some(last) = self.last_forward else {
            return Cell::Forward;
        };
        let is_late = || self.since_forward >= self.spec.mrm && now.since(last) >= self.spec.trm;
        if self.is_due_by_count() || is_late() {
            return Cell::Forward;
        }
        let is_turn = !self.answered_since_forward || !has_data;
        if is_turn && !self.waiting.is_empty() {
            return Cell::Backward;
        }
        Cell::Data
    }

    /// A cell goes in its slot.
    #[inline]
    fn take_slot(&mut self, now: Time) {
        self.last_send = Some(now);
        self.counts.in_rate += 1;
    }

    /// A forward RM cell goes in rate.
    fn send_forward(&mut self, now: Time) -> Made {
        let (cell, seen) = self.on_forward(now);
        self.take_slot(now);
        self.last_forward = Some(now);
        self.since_forward = 0;
        self.answered_since_forward = false;
        self.last_rm = now;
        let forward = Some(seen);
        Made { cell, forward }
    }

    /// A backward RM cell goes in rate.
    fn send_backward(&mut self, now: Time) -> Option<Made> {
        let cell = self.take_waiting()?;
        self.take_slot(now);
        self.since_forward += self.spec.counts_backward as u32;
        self.answered_since_forward = true;
        self.last_rm = now;
        let forward = None;
        Some(Made { cell, forward })
    }

    /// An RM cell goes beside the rate: one that waits to go back, else a forward one.
    fn send_out_of_rate(&mut self, now: Time) -> Made {
        self.last_rm = now;
        self.counts.out_of_rate += 1;
        let cell = match self.take_waiting() {
            Some(cell) => RmCell {
                is_out_of_rate: true,
                ..cell
            },
            None => {
                self.counts.rm.forward.sent += 1;
                self.forward_cell(true)
            }
        };
        let forward = None;
        Made { cell, forward }
    }

    /// Rules 5 to 7, before a forward RM cell goes.
    fn on_forward(&mut self, now: Time) -> (RmCell, ForwardCell) {
        let acr_before = self.acr;
        let mut source_rate = None;
        if let Some(last) = self.last_forward {
            let elapsed = now.since(last);
            let due = self.due(now, elapsed);
            source_rate = Some(due.source_rate);
            let acr = self.uili.on_forward(&due);
            self.counts.reductions += (acr < self.acr) as u64;
            self.set_acr(now, acr);
            if self.cdf.0 > 0 && self.unanswered >= self.spec.crm {
                let less = Rate(self.acr.0.saturating_sub(self.cdf.times(self.acr).0));
                self.counts.missing += 1;
                self.set_acr(now, less.max(self.spec.mcr));
            }
        }
        self.unanswered = self.unanswered.saturating_add(1);
        self.counts.rm.forward.sent += 1;
        let seen = ForwardCell {
            acr_before,
            acr: self.acr,
            source_rate,
        };
        (self.forward_cell(false), seen)
    }

    fn due(&self, now: Time, elapsed: Duration) -> Due {
        let bits = 8 * self.bytes;
        let sent =
            self.spec.nrm as u128 * bits as u128 * backwater_kernel::time::PS_PER_SECOND as u128;
        let source_rate = sent / elapsed.ps().max(1) as u128;
        let gap = self.acr.tick(self.bytes as u64);
        Due {
            now,
            elapsed,
            acr: self.acr,
            source_rate: Rate(source_rate.min(u64::MAX as u128) as u64),
            icr: self.spec.icr,
            mcr: self.spec.mcr,
            nrm_gap: Duration(gap.ps().saturating_mul(self.spec.nrm as u64)),
            bits,
        }
    }

    fn forward_cell(&self, is_out_of_rate: bool) -> RmCell {
        RmCell {
            ccr: self.written(self.acr),
            er: self.written(self.spec.pcr),
            mcr: self.written(self.spec.mcr),
            is_out_of_rate,
            ..RmCell::default()
        }
    }

    /// Rules 8 and 9: an answer came, or a notice that a switch made.
    fn on_answer(&mut self, now: Time, cell: &RmCell) {
        let (acr, spec) = (self.acr, &self.spec);
        let may_increase = !cell.ci && !cell.ni;
        let answer = Answer {
            now,
            acr,
            er: cell.er,
            may_increase,
        };
        let is_permitted = self.uili.permits(&answer);
        let mut new = acr;
        if cell.ci {
            new = Rate(acr.0.saturating_sub(self.rdf.times(acr).0)).max(spec.mcr);
        } else if may_increase && is_permitted {
            new = Rate(acr.0.saturating_add(self.rise.0)).min(spec.pcr);
        }
        self.counts.refused += (may_increase && !is_permitted && cell.er > acr) as u64;
        new = new.min(cell.er).max(spec.mcr);
        if !cell.bn {
            self.unanswered = 0;
        }
        self.set_acr(now, new);
    }

    fn set_acr(&mut self, now: Time, acr: Rate) {
        if acr != self.acr {
            self.level.change(now, self.acr, acr);
            self.acr = acr;
            self.set_gap();
            if acr >= self.spec.tcr {
                self.starved_since = None;
            }
        }
    }

    /// A forward RM cell of the other direction came: it waits to go back. `efci`: the last data
    /// cell met congestion.
    fn turn_around(&mut self, mut cell: RmCell, efci: bool) {
        cell.is_backward = true;
        cell.is_out_of_rate = false;
        cell.ci |= efci;
        if self.spec.turn_around == TurnAround::Latest {
            self.counts.overwritten += self.waiting.len() as u64;
            self.waiting.clear();
        }
        self.waiting.push_back(cell);
    }

    /// The backward RM cell that goes next.
    fn take_waiting(&mut self) -> Option<RmCell> {
        let cell = self.waiting.pop_front()?;
        self.counts.rm.backward.sent += 1;
        Some(cell)
    }

    /// When an out-of-rate cell may go, if one has to: it wants to send, and ACR is below TCR.
    fn out_of_rate_slot(&mut self, now: Time, has_data: bool) -> Option<Time> {
        let gap = self.tcr_gap?;
        if self.acr >= self.spec.tcr || !self.wants(has_data) {
            self.starved_since = None;
            return None;
        }
        let since = *self.starved_since.get_or_insert(now);
        since.max(self.last_rm).checked_add(gap)
    }
}

impl Control for Abr {
    #[inline(always)]
    fn next(&mut self, now: Time, has_data: bool) -> Next {
        let mut at = match self.wants(has_data) {
            true => self.slot(),
            false => None,
        };
        if at.is_some_and(|slot| slot <= now) {
            self.chosen = self.choose(now, has_data);
            return Next::Now(match self.chosen {
                Cell::Data => Item::Data,
                _ => Item::Control,
            });
        }
        if let Some(slot) = self.out_of_rate_slot(now, has_data) {
            if slot <= now {
                self.chosen = Cell::OutOfRate;
                return Next::Now(Item::Control);
            }
            at = Some(at.map_or(slot, |at| at.min(slot)));
        }
        at.map_or(Next::Wait, Next::At)
    }

    #[inline]
    fn on_sent(&mut self, now: Time, is_last: bool) {
        self.take_slot(now);
        self.since_forward += 1;
        self.bursts.on_sent(now, self.acr, is_last, &self.counts);
    }

    fn take_control(&mut self, now: Time) -> Option<Made> {
        match self.chosen {
            Cell::Forward => Some(self.send_forward(now)),
            Cell::Backward => self.send_backward(now),
            Cell::OutOfRate => Some(self.send_out_of_rate(now)),
            Cell::Data => None,
        }
    }

    fn on_offered(&mut self, now: Time, offered: Offered) {
        self.set_limit(offered.limit);
        self.bursts.offer(now, offered.units, &self.counts);
    }

    fn on_control(&mut self, now: Time, signal: &Signal) -> Option<Rate> {
        let notice;
        let cell = match signal {
            Signal::Forward { cell, is_marked } => {
                self.turn_around(*cell, *is_marked);
                return None;
            }
            Signal::Backward(cell) => cell,
            Signal::Notification | Signal::Rate { .. } => return None,
            Signal::Notice { ci, ni } => {
                self.counts.notices += 1;
                notice = RmCell {
                    er: self.spec.pcr,
                    ci: *ci,
                    ni: *ni,
                    bn: true,
                    is_backward: true,
                    ..RmCell::default()
                };
                &notice
            }
        };
        self.on_answer(now, cell);
        Some(cell.er)
    }

    /// ACR.
    #[inline]
    fn pacing(&self) -> Option<Rate> {
        Some(self.acr)
    }

    fn written(&self, rate: Rate) -> Rate {
        match self.spec.format {
            RateFormat::Exact => rate,
            RateFormat::Bits16 => rounded(rate, 8 * self.bytes as u64),
        }
    }

    fn counted(&mut self) -> Option<&mut Counted> {
        Some(&mut self.counts.rm)
    }

    fn end_warm_up(&mut self, at: Time) {
        self.level = RateLevel::new(self.acr, at);
    }

    fn outcome(&self, now: Time) -> Option<Box<AbrOutcome>> {
        let level = self.level.until(now, self.acr);
        let counts = &self.counts;
        Some(Box::new(AbrOutcome {
            forward: counts.rm.forward,
            backward: counts.rm.backward,
            out_of_rate_total: counts.out_of_rate,
            overwritten_total: counts.overwritten,
            waiting: self.waiting.len() as u64,
            notices_total: counts.notices,
            in_rate_total: counts.in_rate,
            acr: self.acr,
            acr_min: level.least,
            acr_max: level.most,
            acr_mean_bps: level.mean_bps(self.acr),
            reductions_total: counts.reductions,
            refused_total: counts.refused,
            missing_total: counts.missing,
            bursts: self.bursts.outcome(counts),
        }))
    }
}
