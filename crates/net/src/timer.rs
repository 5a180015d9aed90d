//! Timers: events of one entity that are neither arrivals nor choices of a port.

use backwater_kernel::{Event, Phase, Time};

/// What a timer is for, and of whom. Its number is the sequence of its event, so timers of one
/// entity that share instant and phase go off in this order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Timer {
    /// A leg whose sender is blocked asks for credit.
    Request,
    /// A leg whose receiver has long been silent sends credit unasked.
    Refresh,
    /// A flow waits for acknowledgements end to end.
    EndToEnd,
    /// A port that tells rates ends a measuring interval; its channel.
    Interval,
    /// A TCP connection; the flow that opens it.
    Tcp,
    /// A flow's session opens.
    Open,
    /// A flow's session closes.
    Close,
    /// A set-up waits at the sending port of a leg.
    Reserve,
    /// The sink of a leg takes a unit.
    Release,
    /// A flow's application offers units.
    Offer,
    /// A unit of a flow conforms to its envelope.
    Envelope,
    /// A unit of a warned flow may follow the last one.
    Spacing,
    /// A unit of a flow conforms to its policer.
    Policer,
    /// A slot of a flow whose source control has them.
    Slot,
}

impl Timer {
    const ALL: [Timer; 14] = [
        Timer::Request,
        Timer::Refresh,
        Timer::EndToEnd,
        Timer::Interval,
        Timer::Tcp,
        Timer::Open,
        Timer::Close,
        Timer::Reserve,
        Timer::Release,
        Timer::Offer,
        Timer::Envelope,
        Timer::Spacing,
        Timer::Policer,
        Timer::Slot,
    ];

    const fn phase(self) -> Phase {
        match self {
            Timer::Request
            | Timer::Refresh
            | Timer::EndToEnd
            | Timer::Interval
            | Timer::Tcp
            | Timer::Open
            | Timer::Close
            | Timer::Reserve => Phase::Control,
            Timer::Release => Phase::Release,
            Timer::Offer | Timer::Envelope | Timer::Spacing | Timer::Policer | Timer::Slot => {
                Phase::Inject
            }
        }
    }

    /// The event that it goes off at `time`, for `entity`.
    #[inline]
    pub const fn at(self, time: Time, entity: u32) -> Event {
        Event::new(time, self.phase(), entity, self as u32)
    }

    /// The timer that goes off in an event made by [`Timer::at`].
    #[inline]
    pub fn of(event: Event) -> Timer {
        Timer::ALL[event.sequence() as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_tells_its_timer() {
        for (number, timer) in Timer::ALL.into_iter().enumerate() {
            let event = timer.at(Time(7), 3);
            assert_eq!(event.sequence() as usize, number);
            assert_eq!((event.time(), event.entity()), (Time(7), 3));
            assert_eq!(Timer::of(event), timer);
        }
    }

    #[test]
    fn timers_stand_in_the_order_of_their_phases() {
        let phases = Timer::ALL.map(|timer| timer.phase());
        assert!(phases.is_sorted());
    }
}
