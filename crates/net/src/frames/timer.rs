//! Timers of channels.

use backwater_kernel::{Event, Phase, Time};

/// What a timer of a channel is for. With the class it makes the sequence of its event, so timers
/// of one channel that share an instant go off in this order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Timer {
    /// A node has taken in what a control frame asks for.
    Response,
    /// A stop ends by itself.
    Expiry,
    /// A stop is said again.
    Refresh,
    /// A station's storm goes on.
    Storm,
    /// Neighbours that do not respond are looked for.
    TimeOut,
    /// A watchdog looks.
    Watchdog,
}

impl Timer {
    const ALL: [Timer; 6] = [
        Timer::Response,
        Timer::Expiry,
        Timer::Refresh,
        Timer::Storm,
        Timer::TimeOut,
        Timer::Watchdog,
    ];

    /// The event that it goes off at `time`, for a class of a channel (0 where it concerns all).
    pub const fn at(self, time: Time, channel: u32, class: u8) -> Event {
        let sequence = (self as u32) << 3 | class as u32;
        Event::new(time, Phase::Control, channel, sequence)
    }

    /// The timer and the class of an event made by [`Timer::at`].
    pub fn of(event: Event) -> (Timer, u8) {
        let sequence = event.sequence();
        let timer = Timer::ALL[(sequence >> 3) as usize];
        (timer, (sequence & 7) as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_tells_its_timer_and_its_class() {
        for timer in Timer::ALL {
            for class in 0..8 {
                let event = timer.at(Time(7), 3, class);
                assert_eq!((event.time(), event.entity()), (Time(7), 3));
                assert_eq!(Timer::of(event), (timer, class));
            }
        }
    }
}
