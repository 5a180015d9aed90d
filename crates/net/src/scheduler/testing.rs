//! A port without an engine, for replaying small cases by hand.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use backwater_kernel::{Duration, Rate, Time};

use super::{Admitted, Choice, Discipline, Packet, Port, Share};

/// A flow whose rate is one byte every `tick_ps` picoseconds; 0 makes it a datagram flow.
pub fn share(tick_ps: u64) -> Share {
    let bits_per_second = 8 * backwater_kernel::time::PS_PER_SECOND;
    Share {
        rate: Rate(bits_per_second.checked_div(tick_ps).unwrap_or(0)),
        unit_bytes: 1,
        check_every: 0,
        offset: Duration::ZERO,
        deadline: Duration::ZERO,
        tolerance: Duration::ZERO,
        ingress: u32::MAX,
    }
}

/// An idle port at `now_ps`.
pub fn idle(now_ps: u64) -> Port {
    Port {
        now: Time(now_ps),
        wire_is_free: true,
        is_idle: true,
        in_service: None,
    }
}

/// A port at `now_ps` whose wire is taken by a data unit with this stamp, or by a control unit.
pub fn busy(now_ps: u64, in_service: Option<u64>) -> Port {
    Port {
        now: Time(now_ps),
        wire_is_free: false,
        is_idle: false,
        in_service,
    }
}

/// A discipline and its queues.
pub struct Bench<D> {
    pub discipline: D,
    queues: Vec<VecDeque<Packet>>,
}

impl<D: Discipline> Bench<D> {
    pub fn new(discipline: D) -> Bench<D> {
        Bench {
            discipline,
            queues: Vec::new(),
        }
    }

    /// A unit comes to a busy port; its rank, unless it is refused.
    pub fn arrive(&mut self, now_ps: u64, seat: u32, bytes: u32) -> Option<u64> {
        self.admit(&busy(now_ps, None), seat, bytes)
            .map(|admitted| admitted.rank)
    }

    /// A unit comes to a port in this state.
    pub fn admit(&mut self, port: &Port, seat: u32, bytes: u32) -> Option<Admitted> {
        let admitted = self.discipline.on_arrival(port, seat, bytes)?;
        let queue = seat as usize;
        if self.queues.len() <= queue {
            self.queues.resize_with(queue + 1, VecDeque::new);
        }
        let queue = &mut self.queues[queue];
        let rank = admitted.rank;
        let place = queue.partition_point(|packet| packet.rank <= rank);
        assert!(place == queue.len() || self.discipline.reorders());
        let came = port.now;
        queue.insert(place, Packet { rank, came, bytes });
        if place == 0 {
            self.discipline.ready(port.now, seat, queue[0]);
        }
        Some(admitted)
    }

    /// What the port does when its wire is free.
    pub fn choose(&mut self, now_ps: u64) -> Choice {
        self.discipline.choose(Time(now_ps))
    }

    /// Serves the unit that is due; its seat, and the unit.
    pub fn serve_unit(&mut self, now_ps: u64) -> Option<(u32, Packet)> {
        let port = idle(now_ps);
        let Choice::Leg(seat) = self.discipline.choose(port.now) else {
            return None;
        };
        let queue = &mut self.queues[seat as usize];
        let unit = queue.pop_front()?;
        let head = queue.front().copied();
        self.discipline.on_start(seat, unit);
        match head {
            Some(head) => self.discipline.ready(port.now, seat, head),
            None => self.discipline.not_ready(seat),
        }
        Some((seat, unit))
    }

    /// Serves what may be served at `now_ps`; the seats in that order.
    pub fn serve_all(&mut self, now_ps: u64) -> Vec<u32> {
        core::iter::from_fn(|| self.serve_unit(now_ps).map(|(seat, _)| seat)).collect()
    }
}
