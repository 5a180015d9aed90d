//! The ABR end system (ATM Forum Traffic Management 4.0, source rules 1 to 13 and destination
//! rules; Kalyanaraman et al. 1998).
//!
//! One `Abr` is the source of one direction of a circuit, together with the destination of the
//! other: both are the same station, and answers leave between this source's cells. Time is a
//! parameter; `rm_cells.rs` connects it to queues and timers.
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
//! Not modelled: changes of MCR, PCR and the like while a circuit lives; usage parameter control.

mod bursts;
mod format;
#[cfg(test)]
mod tests;

use alloc::boxed::Box;
use alloc::collections::VecDeque;

use backwater_kernel::{Duration, Rate, Time};

use crate::marking::{ForwardCell, Ratio, RmCell};
use crate::outcome::{AbrOutcome, CellCounts};
use crate::spec::{AbrSpec, RateFormat, TurnAround};
use crate::uili::{Answer, Due, Uili};
use bursts::Bursts;
pub(crate) use format::rounded;

/// Which cell is next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Next {
    Forward,
    Backward,
    Data,
}

/// What is counted of one direction.
#[derive(Clone, Copy, Default)]
pub(crate) struct Counts {
    pub forward: CellCounts,
    pub backward: CellCounts,
    pub out_of_rate: u64,
    pub overwritten: u64,
    pub notices: u64,
    pub in_rate: u64,
    pub reductions: u64,
    pub refused: u64,
    pub missing: u64,
}

/// One end system's part in a circuit.
pub(crate) struct Abr {
    spec: AbrSpec,
    rise: Rate,
    rdf: Ratio,
    cdf: Ratio,
    /// Bytes of a cell.
    bytes: u32,
    pub acr: Rate,
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
    pub counts: Counts,
    bursts: Bursts,
    level: RateLevel,
    /// The earliest event that will ask for a slot.
    pub timer: Option<Time>,
}

/// ACR over time.
#[derive(Clone, Copy)]
struct RateLevel {
    since: Time,
    from: Time,
    bit_ps: u128,
    least: Rate,
    most: Rate,
}

impl RateLevel {
    fn new(acr: Rate, from: Time) -> RateLevel {
        let (least, most) = (acr, acr);
        RateLevel {
            since: from,
            from,
            bit_ps: 0,
            least,
            most,
        }
    }

    /// The rate was `old` until `now`.
    fn change(&mut self, now: Time, old: Rate, new: Rate) {
        self.bit_ps += old.0 as u128 * now.since(self.since).ps() as u128;
        self.since = now;
        (self.least, self.most) = (self.least.min(new), self.most.max(new));
    }
}

impl Abr {
    pub fn new(spec: &AbrSpec, bytes: u32) -> Box<Abr> {
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
            counts: Counts::default(),
            bursts: Bursts::default(),
            level: RateLevel::new(spec.icr, Time::ZERO),
            timer: None,
        });
        abr.set_gap();
        abr
    }

    fn set_gap(&mut self) {
        let pace = self.limit.map_or(self.acr, |limit| limit.min(self.acr));
        self.gap = (pace.0 > 0).then(|| pace.tick(self.bytes as u64));
    }

    /// The application can send no faster than this from now on.
    pub fn set_limit(&mut self, limit: Option<Rate>) {
        if self.limit != limit {
            self.limit = limit;
            self.set_gap();
        }
    }

    /// Is there anything to send in rate?
    #[inline]
    pub fn wants(&self, has_data: bool) -> bool {
        has_data || !self.waiting.is_empty() || self.spec.is_eager && self.is_due_by_count()
    }

    #[inline]
    fn is_due_by_count(&self) -> bool {
        self.last_forward.is_some() && self.since_forward + 1 >= self.spec.nrm
    }

    /// When the next in-rate cell may go; `None`: never at this rate.
    #[inline]
    pub fn slot(&self) -> Option<Time> {
        match self.last_send {
            None => self.gap.map(|_| Time::ZERO),
            Some(last) => last.checked_add(self.gap?),
        }
    }

    /// Rule 3.
    #[inline]
    pub fn choose(&self, now: Time, has_data: bool) -> Next {
        let Some(last) = self.last_forward else {
            return Next::Forward;
        };
        let is_late = || self.since_forward >= self.spec.mrm && now.since(last) >= self.spec.trm;
        if self.is_due_by_count() || is_late() {
            return Next::Forward;
        }
        let is_turn = !self.answered_since_forward || !has_data;
        if is_turn && !self.waiting.is_empty() {
            return Next::Backward;
        }
        Next::Data
    }

    /// An in-rate cell goes.
    #[inline]
    pub fn on_sent(&mut self, now: Time, next: Next) {
        self.last_send = Some(now);
        self.counts.in_rate += 1;
        match next {
            Next::Data => self.since_forward += 1,
            Next::Backward => {
                self.since_forward += self.spec.counts_backward as u32;
                self.answered_since_forward = true;
                self.last_rm = now;
            }
            Next::Forward => {
                self.last_forward = Some(now);
                self.since_forward = 0;
                self.answered_since_forward = false;
                self.last_rm = now;
            }
        }
    }

    /// Rules 5 to 7, before a forward RM cell goes.
    pub fn on_forward(&mut self, now: Time) -> (RmCell, ForwardCell) {
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
        self.counts.forward.sent += 1;
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

    /// A rate as this circuit's RM cells can state it.
    pub fn written(&self, rate: Rate) -> Rate {
        match self.spec.format {
            RateFormat::Exact => rate,
            RateFormat::Bits16 => rounded(rate, 8 * self.bytes as u64),
        }
    }

    /// Rules 8 and 9: an answer came, or a notice that a switch made.
    pub fn on_answer(&mut self, now: Time, cell: &RmCell) {
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
        }
    }

    /// A forward RM cell of the other direction came: it waits to go back. `efci`: the last data
    /// cell met congestion.
    pub fn turn_around(&mut self, mut cell: RmCell, efci: bool) {
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
    pub fn take_waiting(&mut self) -> Option<RmCell> {
        let cell = self.waiting.pop_front()?;
        self.counts.backward.sent += 1;
        Some(cell)
    }

    /// When an out-of-rate cell may go, if one has to: it wants to send, and ACR is below TCR.
    pub fn out_of_rate_slot(&mut self, now: Time, has_data: bool) -> Option<Time> {
        let gap = self.tcr_gap?;
        if self.acr >= self.spec.tcr || !self.wants(has_data) {
            self.starved_since = None;
            return None;
        }
        let since = *self.starved_since.get_or_insert(now);
        since.max(self.last_rm).checked_add(gap)
    }

    /// The out-of-rate cell that goes now.
    pub fn take_out_of_rate(&mut self, now: Time) -> RmCell {
        self.last_rm = now;
        self.counts.out_of_rate += 1;
        if let Some(mut cell) = self.take_waiting() {
            cell.is_out_of_rate = true;
            return cell;
        }
        self.counts.forward.sent += 1;
        self.forward_cell(true)
    }

    /// PCR.
    pub fn peak(&self) -> Rate {
        self.spec.pcr
    }

    /// The application offers cells.
    pub fn on_offered(&mut self, now: Time, cells: u64) {
        self.bursts.offer(now, cells, &self.counts);
    }

    /// A data cell was sent; `is_last`: none waits any more.
    #[inline]
    pub fn on_data_sent(&mut self, now: Time, is_last: bool) {
        self.bursts.on_sent(now, self.acr, is_last, &self.counts);
    }

    /// Statistics start.
    pub fn end_warm_up(&mut self, at: Time) {
        self.level = RateLevel::new(self.acr, at);
    }

    /// What has been found by `now`. Cells under way are the caller's to count.
    pub fn outcome(&self, now: Time) -> Box<AbrOutcome> {
        let mut level = self.level;
        level.change(now.max(level.since), self.acr, self.acr);
        let span = level.since.since(level.from).ps();
        let counts = &self.counts;
        Box::new(AbrOutcome {
            forward: counts.forward,
            backward: counts.backward,
            out_of_rate_total: counts.out_of_rate,
            overwritten_total: counts.overwritten,
            waiting: self.waiting.len() as u64,
            notices_total: counts.notices,
            in_rate_total: counts.in_rate,
            acr: self.acr,
            acr_min: level.least,
            acr_max: level.most,
            acr_mean_bps: match span {
                0 => self.acr.0 as f64,
                _ => level.bit_ps as f64 / span as f64,
            },
            reductions_total: counts.reductions,
            refused_total: counts.refused,
            missing_total: counts.missing,
            bursts: self.bursts.outcome(counts),
        })
    }
}
