//! DCQCN once more, every timer an event of its own and each rule as it is printed: what the other
//! is held against.

use backwater_kernel::Rate;

use crate::spec::rates::{Clamp, DcqcnForm, DcqcnSpec};

/// What may be wrong with it on purpose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    None,
    /// The timer of recovery goes on over a cut.
    KeepsTimer,
    /// Alpha is updated after a cut of the same instant.
    AlphaLate,
    /// Stages are counted on the other side of an increase.
    CountsOtherwise,
    /// A flag of a cut is not cleared.
    ForgetsNothing,
}

pub struct Slow {
    spec: DcqcnSpec,
    line: u64,
    fault: Fault,
    pub rate: u64,
    pub target: u64,
    pub alpha: f64,
    pub limited: bool,
    alpha_flag: bool,
    decrease_flag: bool,
    alpha_timer: Option<u64>,
    decrease_timer: Option<u64>,
    increase_timer: Option<u64>,
    t: u64,
    b: u64,
    sent: u64,
    sent_limit: u64,
}

impl Slow {
    pub fn new(spec: &DcqcnSpec, line: Rate, fault: Fault) -> Slow {
        Slow {
            spec: *spec,
            line: line.0,
            fault,
            rate: line.0,
            target: line.0,
            alpha: spec.first_alpha,
            limited: false,
            alpha_flag: false,
            decrease_flag: false,
            alpha_timer: None,
            decrease_timer: None,
            increase_timer: None,
            t: 0,
            b: 0,
            sent: 0,
            sent_limit: u64::MAX,
        }
    }

    /// All timers before `ps`, and with `too` those at it.
    pub fn advance(&mut self, ps: u64, too: bool) {
        loop {
            let alpha_rank = if self.fault == Fault::AlphaLate { 3 } else { 0 };
            let all = [
                (self.alpha_timer, alpha_rank),
                (self.increase_timer, 1),
                (self.decrease_timer, 2),
            ];
            let due = all.into_iter().filter_map(|(at, rank)| Some((at?, rank)));
            let Some((at, rank)) = due.min() else { return };
            if at > ps || at == ps && !too {
                return;
            }
            match rank {
                1 => {
                    self.increase_timer = Some(at + self.spec.increase_interval.0);
                    self.increase(true, at);
                }
                2 => {
                    self.decrease_timer = Some(at + self.spec.decrease_interval.0);
                    if self.decrease_flag {
                        self.decrease_flag = self.fault == Fault::ForgetsNothing;
                        self.cut(at);
                    }
                }
                _ => {
                    self.alpha_timer = Some(at + self.spec.alpha_interval.0);
                    self.alpha *= 1.0 - self.spec.gain;
                    if self.alpha_flag {
                        self.alpha += self.spec.gain;
                    }
                    self.alpha_flag = false;
                }
            }
        }
    }

    pub fn notify(&mut self, ps: u64) {
        self.advance(ps, false);
        let first = !self.limited;
        if first {
            self.limited = true;
            self.alpha = self.spec.first_alpha;
            self.rate = ((self.line as f64 * self.spec.first_share) as u64)
                .max(self.spec.least.0.min(self.line));
            self.target = self.rate;
            self.alpha_timer = Some(ps + self.spec.alpha_interval.0);
        }
        match self.spec.form {
            DcqcnForm::Nic => {
                if first {
                    self.decrease_timer = Some(ps + self.spec.decrease_interval.0);
                }
                self.alpha_flag = !first;
                self.decrease_flag = true;
            }
            DcqcnForm::Paper => {
                let g = self.spec.gain;
                let new = (1.0 - g) * self.alpha + g;
                if self.spec.cuts_first {
                    self.cut(ps);
                    self.alpha = new;
                } else {
                    self.alpha = new;
                    self.cut(ps);
                }
                self.alpha_timer = Some(ps + self.spec.alpha_interval.0);
            }
        }
    }

    fn cut(&mut self, ps: u64) {
        let clamps = match (self.spec.clamp, self.t, self.b) {
            (Clamp::Always, _, _) => true,
            (Clamp::AfterStage, 0, 0) | (Clamp::AfterBytes, _, 0) => false,
            (Clamp::AfterStage | Clamp::AfterBytes, _, _) => true,
        };
        if clamps {
            self.target = self.rate;
        }
        let mut alpha = self.alpha;
        if let Some(bits) = self.spec.cut_bits {
            let steps = f64::from(1_u32 << bits);
            alpha = f64::from((alpha * steps) as u32) / steps;
        }
        let cut = self.rate as f64 * (1.0 - (alpha / 2.0).min(self.spec.largest_cut));
        self.rate = (cut as u64).max(self.spec.least.0.min(self.rate));
        (self.t, self.b, self.sent) = (0, 0, 0);
        self.sent_limit = self.spec.byte_counter.unwrap_or(u64::MAX);
        if self.fault != Fault::KeepsTimer || self.increase_timer.is_none() {
            self.increase_timer = Some(ps + self.spec.increase_interval.0);
        }
    }

    pub fn packet(&mut self, ps: u64, bytes: u64) {
        self.advance(ps, true);
        let Some(counter) = self.spec.byte_counter else {
            return;
        };
        if self.increase_timer.is_none() {
            return;
        }
        self.sent += bytes;
        if self.sent >= self.sent_limit {
            self.sent = 0;
            self.sent_limit = counter;
            self.increase(false, ps);
        }
    }

    fn increase(&mut self, is_timer: bool, ps: u64) {
        let f = u64::from(self.spec.stages);
        let is_paper = self.spec.form == DcqcnForm::Paper;
        let counts_first = is_paper != (self.fault == Fault::CountsOtherwise);
        if counts_first {
            self.step(is_timer);
        }
        let (high, low) = match self.spec.byte_counter {
            None if !is_paper => (self.t, self.t),
            _ => (self.t.max(self.b), self.t.min(self.b)),
        };
        let far = (self.t == 1 || self.b == 1) && self.target > 10 * self.rate;
        if is_paper {
            self.raise_paper((high, low, f), far);
            if low >= f && is_timer {
                self.increase_timer = Some(ps + self.spec.increase_interval.0 / 2);
            } else if low >= f {
                self.sent_limit = self.spec.byte_counter.unwrap_or(u64::MAX) / 2;
            }
        } else {
            if low > f {
                self.target += self.spec.hyper.0;
            } else if high >= f {
                self.target += self.spec.additive.0;
            }
            self.target = self.target.min(self.line);
        }
        self.rate = ((self.rate + self.target).div_ceil(2)).min(self.line);
        if !counts_first {
            self.step(is_timer);
        }
        if self.spec.releases && self.rate >= self.line {
            *self = Slow::new(&self.spec, Rate(self.line), self.fault);
        }
    }

    fn raise_paper(&mut self, (high, low, f): (u64, u64, u64), far: bool) {
        if high < f {
            // Fast recovery: the target stays.
        } else if far {
            self.target /= 8;
        } else if low >= f {
            self.target += self.spec.hyper.0 * (low - f + 1);
        } else {
            self.target += self.spec.additive.0;
        }
    }

    fn step(&mut self, is_timer: bool) {
        match is_timer {
            true => self.t += 1,
            false => self.b += 1,
        }
    }
}
