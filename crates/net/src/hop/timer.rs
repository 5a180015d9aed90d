//! Timers: events of one entity that are neither arrivals nor choices of a port.

use backwater_kernel::{Event, Phase, Time};

/// What a timer is for, and of whom. Its number and class are the sequence of its event, so timers
/// of one entity that share instant and phase go off in this order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Timer {
    /// A leg whose sender is blocked asks for credit.
    Request,
    /// A leg whose receiver has long been silent sends credit unasked.
    Refresh,
    /// A port may tell, or has to, what it freed of what came over a channel.
    Update,
    /// A channel states what its classes have sent.
    Statement,
    /// The station behind a channel has taken a frame, or changes its pace.
    Drain,
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
    /// A node has taken in what a control frame asks for; its channel.
    Response,
    /// A stop of a channel ends by itself.
    Expiry,
    /// A stop is said again over a channel.
    Repeat,
    /// A station's storm goes on over a channel.
    Storm,
    /// Neighbours that do not respond to a class of a channel are looked for.
    TimeOut,
    /// The watchdog of a class of a channel looks.
    Watchdog,
    /// The scheduler of a channel no longer holds a class.
    Hold,
    /// The congestion point of a class of a channel states its rate.
    Rates,
    /// Ends of flows without a row may act.
    Alarm,
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
    /// A station of a routed flow acts.
    Station,
    /// Flows of a group begin.
    Arrival,
    /// A flow may have ended.
    Ended,
    /// A standstill of classes is looked for.
    Standstill,
}

impl Timer {
    const ALL: [Timer; 30] = [
        Timer::Request,
        Timer::Refresh,
        Timer::Update,
        Timer::Statement,
        Timer::Drain,
        Timer::EndToEnd,
        Timer::Interval,
        Timer::Tcp,
        Timer::Open,
        Timer::Close,
        Timer::Reserve,
        Timer::Response,
        Timer::Expiry,
        Timer::Repeat,
        Timer::Storm,
        Timer::TimeOut,
        Timer::Watchdog,
        Timer::Hold,
        Timer::Rates,
        Timer::Alarm,
        Timer::Release,
        Timer::Offer,
        Timer::Envelope,
        Timer::Spacing,
        Timer::Policer,
        Timer::Slot,
        Timer::Station,
        Timer::Arrival,
        Timer::Ended,
        Timer::Standstill,
    ];

    const fn phase(self) -> Phase {
        match self {
            Timer::Request
            | Timer::Refresh
            | Timer::Update
            | Timer::Statement
            | Timer::Drain
            | Timer::EndToEnd
            | Timer::Interval
            | Timer::Tcp
            | Timer::Open
            | Timer::Close
            | Timer::Reserve
            | Timer::Response
            | Timer::Expiry
            | Timer::Repeat
            | Timer::Storm
            | Timer::TimeOut
            | Timer::Watchdog
            | Timer::Hold
            | Timer::Rates
            | Timer::Alarm => Phase::Control,
            Timer::Release => Phase::Release,
            Timer::Offer
            | Timer::Envelope
            | Timer::Spacing
            | Timer::Policer
            | Timer::Slot
            | Timer::Station
            | Timer::Arrival => Phase::Inject,
            Timer::Ended | Timer::Standstill => Phase::Observe,
        }
    }

    /// The event that it goes off at `time`, for `entity`.
    #[inline]
    pub const fn at(self, time: Time, entity: u32) -> Event {
        self.of_class(time, entity, 0)
    }

    /// The same for a class of a channel.
    #[inline]
    pub const fn of_class(self, time: Time, channel: u32, class: u8) -> Event {
        let sequence = (self as u32) << 5 | class as u32;
        Event::new(time, self.phase(), channel, sequence)
    }

    /// The timer that goes off in an event made by [`Timer::at`].
    #[inline]
    pub fn of(event: Event) -> Timer {
        Timer::ALL[(event.sequence() >> 5) as usize]
    }

    /// Its class, if it is of one.
    pub fn class(event: Event) -> u8 {
        (event.sequence() & 31) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_tells_its_timer() {
        for (number, timer) in Timer::ALL.into_iter().enumerate() {
            let event = timer.of_class(Time(7), 3, 31);
            assert_eq!(event.sequence() as usize >> 5, number);
            assert_eq!(Timer::class(event), 31);
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
