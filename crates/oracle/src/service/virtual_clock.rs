//! VirtualClock (Zhang 1991, section 3.1).

use backwater_net::spec::{Resync, Stamp, VirtualClockSpec};

use super::{Arrival, Ratio, Seat, Wire};

/// A check of a flow at a port.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Check {
    /// When, in picoseconds.
    pub at_ps: u64,
    /// Leg, counted over all flows.
    pub leg: u32,
    /// VirtualClock - (now - P), in picoseconds.
    pub ahead_ps: i64,
    /// T, in picoseconds.
    pub threshold_ps: u64,
}

impl Check {
    /// Is the flow to be warned?
    pub fn is_alarm(&self) -> bool {
        i128::from(self.ahead_ps) > i128::from(self.threshold_ps)
    }
}

/// The clocks of every flow of a port.
pub(crate) struct Clocks {
    spec: VirtualClockSpec,
    flows: Vec<Clock>,
    pub checks: Vec<Check>,
}

struct Clock {
    leg: usize,
    started: bool,
    virtual_clock: i128,
    aux: i128,
    /// Units since the last check.
    counted: u64,
    /// Checked since the last unit came (`Resync::IdleLink`).
    is_marked: bool,
}

impl Clocks {
    pub fn new(spec: VirtualClockSpec, seats: &[Seat]) -> Clocks {
        let clock = |seat: &Seat| Clock {
            leg: seat.leg,
            started: false,
            virtual_clock: 0,
            aux: 0,
            counted: 0,
            is_marked: false,
        };
        Clocks {
            spec,
            flows: seats.iter().map(clock).collect(),
            checks: Vec::new(),
        }
    }

    /// The stamp of a unit that arrives.
    pub fn stamp(&mut self, seat: &Seat, arrival: Arrival) -> Ratio {
        let spec = self.spec;
        let offset = seat.reserve.map_or(0, |reserve| reserve.offset.ps());
        let now = i128::from(arrival.now.ps().saturating_sub(offset));
        let found = self.flows.iter_mut().find(|flow| flow.leg == seat.leg);
        let flow = found.expect("the leg crosses this channel");
        if !flow.started {
            flow.started = true;
            flow.virtual_clock = now;
            flow.aux = now;
        }
        let wire_is_free = matches!(arrival.wire, Wire::Free);
        if flow.is_marked && wire_is_free && arrival.port_is_empty {
            flow.aux = flow.virtual_clock;
        }
        flow.is_marked = false;
        flow.aux = flow.aux.max(now) + seat.tick(arrival.bytes);
        flow.virtual_clock += seat.tick(arrival.bytes);
        let stamp = match spec.stamp {
            Stamp::AuxVc => flow.aux,
            Stamp::VirtualClock => flow.virtual_clock,
        };
        flow.counted += 1;
        if units_of_interval(seat) == Some(flow.counted) {
            flow.counted = 0;
            let check = flow.check(&spec, seat, arrival, now);
            self.checks.push(check);
        }
        Ratio::whole(stamp)
    }
}

impl Clock {
    /// `now` is real time - P.
    fn check(
        &mut self,
        spec: &VirtualClockSpec,
        seat: &Seat,
        arrival: Arrival,
        now: i128,
    ) -> Check {
        let units = units_of_interval(seat).unwrap_or(0);
        let interval = units as i128 * seat.tick(seat.unit_bytes);
        let threshold = spec.threshold.map_or(interval, |span| span.ps().into());
        let check = Check {
            at_ps: arrival.now.ps(),
            leg: seat.leg as u32,
            ahead_ps: (self.virtual_clock - now) as i64,
            threshold_ps: threshold as u64,
        };
        self.virtual_clock = self.virtual_clock.max(now);
        match spec.resync {
            Resync::None => {}
            Resync::IdleLink => self.is_marked = true,
            Resync::Literal => {
                let harmless = match arrival.wire {
                    Wire::Free => true,
                    Wire::Control => false,
                    Wire::Data(stamp) => stamp.is_none_or(|stamp| stamp > Ratio::whole(self.aux)),
                };
                if harmless {
                    self.aux = self.virtual_clock;
                }
            }
        }
        check
    }
}

/// AIR; `None`: never checked.
fn units_of_interval(seat: &Seat) -> Option<u64> {
    let reserve = seat.reserve?;
    let bits = reserve.rate.bits_in(reserve.interval?);
    let units = bits / (8 * u128::from(seat.unit_bytes.max(1)));
    Some(units.max(1) as u64)
}
