//! Use-it-or-lose-it policies, each as its definition says (Kalyanaraman et al. 1998).

use backwater_net::spec::{AbrSpec, TimeFloor, UiliSpec};

use super::math::{ONE, SECOND, divided, factor, gap, rate_of, times};

/// What a policy remembers.
pub(super) struct Policy {
    spec: AbrSpec,
    bits: u64,
    /// February 1995: forward RM cells sent since the last answer or decrease.
    unanswered: u32,
    /// February 1995: when that was.
    since_ps: u64,
    /// Rule 5b: the next increase is ignored.
    ignores_next: bool,
    /// Count and hold: the rate was in use at the last forward RM cell.
    is_used: bool,
    /// PR5.
    pr5: bool,
}

/// A forward RM cell is about to be sent.
#[derive(Clone, Copy)]
pub(super) struct AtForward {
    pub now_ps: u64,
    /// Since the last one; `None`: it is the first.
    pub since_last_ps: Option<u64>,
    pub acr: u64,
}

impl Policy {
    pub fn new(spec: AbrSpec, bits: u64) -> Policy {
        Policy {
            spec,
            bits,
            unanswered: 0,
            since_ps: 0,
            ignores_next: false,
            is_used: true,
            pr5: false,
        }
    }

    /// `rate` in cells over `span_ps`, divided by `cells`, as a factor.
    fn cells_over(&self, span_ps: u64, rate: u64, cells: f64) -> u128 {
        let bits = (u128::from(self.bits) * SECOND * factor(cells)) >> 32;
        ((u128::from(span_ps) * u128::from(rate)) << 32) / bits.max(1)
    }

    /// Rule 5: the rate after it.
    pub fn at_forward(&mut self, at: AtForward) -> u64 {
        let reduced = match at.since_last_ps {
            Some(t_ps) => self.reduced(at, t_ps),
            None => None,
        };
        if let UiliSpec::February1995 { .. } = self.spec.uili {
            if reduced.is_some() {
                self.unanswered = 0;
                self.since_ps = at.now_ps;
            }
            self.unanswered += 1;
        }
        if reduced.is_some() && self.has_rule_5b() {
            self.ignores_next = true;
        }
        // No policy raises the rate or takes it below MCR.
        reduced.map_or(at.acr, |lower| lower.max(self.spec.mcr.0).min(at.acr))
    }

    fn has_rule_5b(&self) -> bool {
        match self.spec.uili {
            UiliSpec::August1995 { rule_5b, .. }
            | UiliSpec::Baseline { rule_5b, .. }
            | UiliSpec::Time { rule_5b, .. }
            | UiliSpec::Joint { rule_5b, .. } => rule_5b,
            _ => false,
        }
    }

    /// The lower rate, if the policy has reason to reduce.
    fn reduced(&mut self, at: AtForward, t_ps: u64) -> Option<u64> {
        let acr = at.acr;
        let icr = self.spec.icr.0;
        let source_rate = rate_of(u64::from(self.spec.nrm) * self.bits, t_ps);
        let less = |share: u128| acr.saturating_sub(times(acr, share));
        match self.spec.uili {
            UiliSpec::None => None,
            UiliSpec::February1995 { tof, rdf_cells } => {
                let since = at.now_ps - self.since_ps;
                let lower = less(self.cells_over(since, acr, rdf_cells));
                (self.unanswered >= tof).then_some(lower)
            }
            UiliSpec::April1995 {
                tof,
                rdf_cells,
                floor_icr,
            } => {
                let floor = if floor_icr { icr } else { 0 };
                let lower = divided(acr, ONE + self.cells_over(t_ps, acr, rdf_cells));
                (self.is_late(t_ps, acr, tof) && acr > floor).then_some(lower.max(floor))
            }
            UiliSpec::August1995 {
                tof,
                tdf_per_second,
                ..
            } => {
                let lower = less(factor(tdf_per_second) * u128::from(t_ps) / SECOND);
                (self.is_late(t_ps, acr, tof) && acr > icr).then_some(lower.max(icr))
            }
            UiliSpec::Baseline { tdf, .. } | UiliSpec::Joint { tdf, .. } => {
                down_to(source_rate.saturating_add(icr), acr, less(factor(tdf)))
            }
            UiliSpec::Count {
                headroom,
                tdf,
                pr5,
                slack,
            } => {
                self.is_used = factor(tdf) == 0 || acr <= times(source_rate, ONE + factor(slack));
                if pr5 && self.pr5 {
                    self.pr5 = false;
                    return None;
                }
                let floor = source_rate.saturating_add(headroom.0);
                down_to(floor, acr, less(factor(tdf)))
            }
            UiliSpec::Time {
                constant,
                floor,
                headroom,
                hold,
                ..
            } => {
                if let Some(slack) = hold {
                    self.is_used = acr <= times(source_rate, ONE + factor(slack));
                }
                let floor = match floor {
                    TimeFloor::Sum => source_rate.saturating_add(headroom.0),
                    TimeFloor::Product { tof } => times(source_rate, factor(tof)).max(headroom.0),
                };
                let share = (u128::from(t_ps) << 32) / u128::from(constant.ps().max(1));
                down_to(floor, acr, less(share))
            }
            UiliSpec::TimeOut { adtf } => (t_ps > adtf.ps() && acr > icr).then_some(icr),
        }
    }

    /// T > TOF Nrm / ACR.
    fn is_late(&self, t_ps: u64, acr: u64, tof: f64) -> bool {
        let Some(gap) = gap(self.bits, acr) else {
            return false;
        };
        let limit = u128::from(gap) * u128::from(self.spec.nrm) * factor(tof);
        (u128::from(t_ps) << 32) > limit
    }

    /// A backward RM cell has come: may it raise the rate `acr`? `er` is what it allows, `marked`
    /// that it says CI or NI.
    pub fn at_backward(&mut self, now_ps: u64, acr: u64, er: u64, marked: bool) -> bool {
        self.unanswered = 0;
        self.since_ps = now_ps;
        let ignored = std::mem::take(&mut self.ignores_next);
        let may_rise = self.is_used && !ignored;
        if may_rise && !marked {
            self.pr5 = acr < er;
        }
        may_rise
    }
}

/// What is above the floor goes to `lower`, not below the floor.
fn down_to(floor: u64, acr: u64, lower: u64) -> Option<u64> {
    (acr > floor).then_some(lower.max(floor))
}
