//! The time-based policy (Kalyanaraman et al. 1998, section 5.3).
//!
//! If ACR > floor: ACR := max(floor, ACR (1 - T / Tc)), with floor ICR + SR or max(ICR, TOF SR),
//! and the next answer does not raise it (rule 5b). `hold` is not in the paper: answers do not
//! raise ACR while the last forward RM cell found it above SR, as in the count-based policy.
//! Without that ACR does not stay at the goal.

use backwater_kernel::{Duration, Rate};

use super::{Due, Once, less, share_of};
use crate::marking::Ratio;
use crate::spec::TimeFloor;

/// State of the policy.
#[derive(Debug)]
pub(crate) struct TimeBased {
    constant: Duration,
    /// TOF, where the floor is a product.
    tof: Option<Ratio>,
    headroom: Rate,
    once: Once,
    /// 1 + slack.
    hold: Option<Ratio>,
    is_held: bool,
}

impl TimeBased {
    pub fn new(
        constant: Duration,
        floor: TimeFloor,
        headroom: Rate,
        rule_5b: bool,
        hold: Option<f64>,
    ) -> TimeBased {
        TimeBased {
            constant,
            tof: match floor {
                TimeFloor::Sum => None,
                TimeFloor::Product { tof } => Some(Ratio::new(tof)),
            },
            headroom,
            once: Once::new(rule_5b),
            hold: hold.map(|slack| Ratio::new(1.0 + slack)),
            is_held: false,
        }
    }

    pub fn on_forward(&mut self, due: &Due) -> Rate {
        let slack = |slack: Ratio| due.acr > slack.times(due.source_rate);
        self.is_held = self.hold.is_some_and(slack);
        let floor = match self.tof {
            None => Rate(due.source_rate.0.saturating_add(self.headroom.0)),
            Some(tof) => tof.times(due.source_rate).max(self.headroom),
        };
        if due.acr <= floor {
            return due.acr;
        }
        self.once.set();
        less(due.acr, share_of(due.elapsed, self.constant)).max(floor)
    }

    pub fn permits(&mut self) -> bool {
        let may_rise = self.once.take();
        may_rise && !self.is_held
    }
}
