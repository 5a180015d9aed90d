//! One instant: phase after phase.

use backwater_kernel::{Event, EventQueue, Phase};

use crate::classes::shape::ANYTHING;
use crate::flow::shaping::Site;
use crate::hop::timer::Timer;
use crate::probe::Probe;
use crate::simulation::Simulation;

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// All that happens at one instant: arrivals, timers, choices.
    #[inline]
    pub(crate) fn run_instant(&mut self) {
        while let Some((first, mut channels)) = self.due.deliveries.take_word() {
            while channels != 0 {
                self.events_handled += 1;
                self.deliver(first + channels.trailing_zeros());
                channels &= channels - 1;
            }
        }
        while let Some(event) = self.due.take_other() {
            self.events_handled += 1;
            self.on_timer(event);
        }
        self.arbitrate_all();
        self.probe.after_instant(self.now, &self.network);
    }

    #[inline]
    pub(crate) fn on_timer(&mut self, event: Event) {
        let entity = event.entity();
        match Timer::of(event) {
            Timer::Request => self.on_request_timer(entity),
            Timer::Refresh => self.on_refresh_timer(entity),
            Timer::Update => self.on_update_timer(entity),
            Timer::Statement => self.state_counters(entity),
            Timer::Drain => self.on_drain_timer(entity),
            Timer::EndToEnd => self.on_end_to_end_timer(entity),
            Timer::Interval => self.on_interval_timer(entity),
            Timer::Tcp => self.on_tcp_timer(entity),
            Timer::Open => self.open_session(entity),
            Timer::Close => self.close_session(entity),
            Timer::Reserve => self.reserve_leg(entity),
            Timer::Release => self.release(entity),
            Timer::Offer => self.on_source_timer(entity),
            Timer::Envelope => self.on_gate_timer(entity, Site::Envelope),
            Timer::Spacing => self.on_gate_timer(entity, Site::Spacing),
            Timer::Policer => self.on_gate_timer(entity, Site::Policer),
            Timer::Slot => self.on_slot(entity),
            Timer::Response => self.on_response(entity),
            Timer::Expiry => self.on_expiry(entity),
            Timer::Repeat => self.on_refresh(entity),
            Timer::Storm => self.on_storm(entity),
            Timer::TimeOut => self.on_time_out(entity, Timer::class(event)),
            Timer::Watchdog => self.on_watchdog(entity, Timer::class(event)),
            Timer::Hold => self.wake_port(entity),
            Timer::Rates => self.state_rate(entity, Timer::class(event)),
            Timer::Station => self.on_station_timer::<ANYTHING>(entity),
            Timer::Alarm => {
                self.wake_members();
                self.work_off_others::<ANYTHING>();
            }
            Timer::Arrival => {
                self.open_next(entity);
                self.arm_opened();
            }
            Timer::Ended => self.close_member(entity),
            Timer::Standstill => self.look_for_standstill(),
        }
    }

    /// Every woken port chooses on what has arrived; then the memory these choices free is free,
    /// and control units that it provokes may take ports that are still idle. So the order of
    /// ports decides nothing. What ports refused as it came is free before they choose.
    #[inline]
    fn arbitrate_all(&mut self) {
        self.free_units();
        self.queue_tickets();
        // Twice at most, in a loop: so ports are worked off at one place of the program.
        for is_first in [true, false] {
            self.arbitrate_woken();
            if !is_first {
                return;
            }
            self.free_units();
            if self.tickets.is_empty() {
                return;
            }
            self.queue_tickets();
        }
    }

    /// The memory is free that ports gave up: by their choices, or as they refused what came.
    #[inline]
    pub(crate) fn free_units(&mut self) {
        let mut next = 0;
        while let Some(unit) = self.freed.get(next) {
            next += 1;
            self.free_unit(*unit);
        }
        self.freed.clear();
    }

    #[inline]
    fn arbitrate_woken(&mut self) {
        while let Some((first, mut channels)) = self.due.arbitrations.take_word() {
            while channels != 0 {
                self.events_handled += 1;
                self.arbitrate(first + channels.trailing_zeros());
                channels &= channels - 1;
            }
        }
    }

    /// The channel has something to send: it arbitrates now, or when the wire is free.
    #[inline]
    pub(crate) fn wake(&mut self, channel_id: u32) {
        let channel = &mut self.network.channels[channel_id as usize];
        if channel.arbitration_due {
            return;
        }
        channel.arbitration_due = true;
        if channel.free_at <= self.now {
            self.due.arbitrations.insert(channel_id);
        } else {
            self.events
                .push(Event::new(channel.free_at, Phase::Arbitrate, channel_id, 0));
        }
    }
}
