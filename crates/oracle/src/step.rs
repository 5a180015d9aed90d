//! One instant after another: Deliver, Control, Release, Inject, Arbitrate, Transmit.

use backwater_kernel::{Duration, Time};
use backwater_net::spec::SinkSpec;

use crate::check::Problem;
use crate::clock::later;
use crate::credit;
use crate::network::{Cell, Network};
use crate::pool::Room;
use crate::report::Start;
use crate::service::Wire;
use crate::unit::{Load, Unit};

/// Instants after which a run is given up.
const MAX_INSTANTS: u64 = 20_000_000;

/// What an idle channel decided to send.
enum Choice {
    Control {
        channel: usize,
        leg: usize,
        load: Load,
    },
    Data {
        channel: usize,
        leg: usize,
    },
}

impl Network {
    /// Runs the next instant at which anything can happen; `None` past the end of the run.
    pub fn step(&mut self) -> Result<Option<Time>, Problem> {
        let Some(now) = self.next_instant().filter(|next| *next <= self.stop_at) else {
            return Ok(None);
        };
        self.instants += 1;
        if self.instants > MAX_INSTANTS {
            return Err(Problem::TooLong);
        }
        self.now = Some(now);
        self.has_chosen = false;
        self.deliver(now)?;
        self.ask(now);
        self.refresh(now);
        self.run_sessions(now);
        self.release(now);
        self.inject(now);
        self.settle(now);
        self.arbitrate(now);
        self.send_tear_downs(now);
        self.transmit(now);
        self.settle(now);
        self.note_blocked(now);
        Ok(Some(now))
    }

    fn next_instant(&self) -> Option<Time> {
        let earliest = self.now.map_or(Time::ZERO, |now| later(now, Duration(1)));
        let arrivals = self.on_the_way.iter().map(|unit| unit.effective);
        let idle = self.channels.iter().map(|channel| channel.free_at);
        let offers = (0..self.flows.len()).flat_map(|index| {
            let flow = &self.flows[index];
            let held_until = self.held_until(index, earliest);
            [
                flow.next_offer(earliest),
                flow.releases(earliest),
                held_until,
            ]
        });
        let offers = offers.flatten();
        let queues = (0..self.legs.len()).filter_map(|leg| {
            let first = self.head(leg)?;
            Some(self.legs[leg].queue[first].ready_at)
        });
        let sinks = (0..self.legs.len()).filter_map(|leg| self.sink_ready(leg));
        let timers = (0..self.legs.len()).flat_map(|leg| self.timers(leg));
        let happenings = arrivals
            .chain(timers)
            .chain(idle)
            .chain(self.sessions_next())
            .chain(offers)
            .chain(queues)
            .chain(sinks);
        happenings.filter(|at| *at >= earliest).min()
    }

    fn deliver(&mut self, now: Time) -> Result<(), Problem> {
        let is_due = |unit: &Unit| unit.effective == now;
        let mut arriving: Vec<Unit> = self.on_the_way.iter().copied().filter(is_due).collect();
        self.on_the_way.retain(|unit| !is_due(unit));
        arriving.sort_by_key(|unit| unit.channel);
        for unit in arriving.into_iter().filter(|unit| !unit.is_lost) {
            match unit.load {
                Load::Data(number) => self.store(unit.leg, number, now)?,
                Load::Credit(value) => self.apply(unit.leg, value, now),
                Load::Ask(_) => self.want_credit(unit.leg, now),
                Load::State(sent) => self.learn_losses(unit.leg, sent, now),
                Load::Warning(bytes, _) => self.pass_warning(unit.leg, bytes, now),
                Load::Tell(message) => self.hear(unit.leg, message, now),
            }
        }
        Ok(())
    }

    fn store(&mut self, leg: usize, number: u64, now: Time) -> Result<(), Problem> {
        let state = &mut self.legs[leg];
        if state
            .drop_limit
            .is_some_and(|limit| state.stored.len() >= limit as usize)
        {
            return Err(Problem::Overflow {
                flow: state.flow as u32,
                leg: state.index_in_flow as u32,
                at_ps: now.ps(),
            });
        }
        state.arrived += 1;
        let room = self.room(leg, number, now);
        if room == Room::None {
            return Ok(());
        }
        let state = &mut self.legs[leg];
        state.stored.push(Cell {
            number,
            waits_for: state.children.clone(),
            until: now,
        });
        state.max_fill = state.max_fill.max(state.fill());
        for child in state.children.clone() {
            self.queue_up(child, number, now);
        }
        if room == Room::Made {
            self.push_out(leg, now);
        }
        let state = &self.legs[leg];
        if state.is_leaf() && self.flows[state.flow].sink == SinkSpec::Infinite {
            self.take(leg, now);
        }
        Ok(())
    }

    fn apply(&mut self, leg: usize, value: i64, now: Time) {
        let state = &self.legs[leg];
        if let Some(control) = state.control {
            self.legs[leg].credit = credit::applied(state, &control, value, now);
            self.legs[leg].blocked_since = None;
        }
    }

    /// When the limited sink of a leaf can take its next unit, if it holds one.
    fn sink_ready(&self, leg: usize) -> Option<Time> {
        let state = &self.legs[leg];
        let SinkSpec::Limited { interval } = self.flows[state.flow].sink else {
            return None;
        };
        if !state.is_leaf() || state.stored.is_empty() {
            return None;
        }
        Some(
            state
                .last_taken
                .map_or(Time::ZERO, |last| later(last, interval)),
        )
    }

    fn release(&mut self, now: Time) {
        for leg in 0..self.legs.len() {
            while self.sink_ready(leg).is_some_and(|ready| ready <= now) {
                self.legs[leg].last_taken = Some(now);
                self.take(leg, now);
            }
        }
    }

    /// A sink takes the oldest cell of a leaf.
    fn take(&mut self, leg: usize, now: Time) {
        self.legs[leg].stored.remove(0);
        self.freed(leg, now);
    }

    /// A cell has just left the receiver's memory of this leg.
    fn freed(&mut self, leg: usize, now: Time) {
        self.legs[leg].freed += 1;
        self.want_credit_if_due(leg, now);
    }

    /// Ports take note of which legs are ready.
    fn settle(&mut self, now: Time) {
        for channel in 0..self.channels.len() {
            if !self.channels[channel].port.keeps_lists() {
                continue;
            }
            let ready = self.ready(channel, now);
            self.channels[channel].port.settle(&ready, now);
        }
    }

    fn arbitrate(&mut self, now: Time) {
        let choices: Vec<Choice> = (0..self.channels.len())
            .filter_map(|channel| self.choose(channel, now))
            .collect();
        self.has_chosen = true;
        // The values are bound already: credit units start before the data of this step frees
        // anything, so what it frees counts towards the next credit unit.
        for choice in &choices {
            if let Choice::Control { channel, leg, load } = *choice {
                self.start_control(channel, leg, load, now);
            }
        }
        for choice in &choices {
            if let Choice::Data { channel, leg } = *choice {
                self.start_data(channel, leg, now);
            }
        }
    }

    fn choose(&mut self, channel: usize, now: Time) -> Option<Choice> {
        if self.channels[channel].free_at > now {
            return None;
        }
        if let Some((leg, load)) = self.first_ticket(channel) {
            return Some(Choice::Control { channel, leg, load });
        }
        let ready = self.ready(channel, now);
        let leg = self.channels[channel].port.choose(&ready, now)?;
        Some(Choice::Data { channel, leg })
    }

    fn transmit(&mut self, now: Time) {
        for channel in 0..self.channels.len() {
            if self.channels[channel].free_at > now {
                continue;
            }
            if let Some((leg, load)) = self.first_ticket(channel) {
                self.start_control(channel, leg, load, now);
            }
        }
    }

    fn start_data(&mut self, channel: usize, leg: usize, now: Time) {
        let Some(place) = self.head(leg) else { return };
        let state = &mut self.legs[leg];
        let unit = state.queue.remove(place);
        state.starts.push(now);
        if state.control.is_some() {
            state.credit -= 1;
        }
        let (parent, flow) = (state.parent, state.flow);
        self.state_counter_if_due(leg, now);
        if let Some(parent) = parent {
            let until = later(now, self.on_wire(leg, channel, Load::Data(unit.number)));
            self.leave(parent, leg, unit.number, now, until);
        }
        self.channels[channel].wire = Wire::Data(unit.rank);
        self.start(channel, leg, Load::Data(unit.number), now);
        if parent.is_none() {
            self.pull(flow, now);
        }
    }

    /// One branch of `parent` is done with a unit, whose last bit leaves it at `until`.
    pub(crate) fn leave(
        &mut self,
        parent: usize,
        branch: usize,
        number: u64,
        now: Time,
        until: Time,
    ) {
        let stored = &mut self.legs[parent].stored;
        let Some(place) = stored.iter().position(|cell| cell.number == number) else {
            return;
        };
        let cell = &mut stored[place];
        cell.waits_for.retain(|leg| *leg != branch);
        cell.until = cell.until.max(until);
        if cell.waits_for.is_empty() {
            let until = stored.remove(place).until;
            self.note_leaving(parent, number, until);
            self.freed(parent, now);
        }
    }

    pub(crate) fn start(&mut self, channel: usize, leg: usize, load: Load, now: Time) {
        let (load, is_lost) = self.channels[channel].errors.hit(load, now);
        let (control, number) = match load {
            Load::Data(number) => (false, number),
            Load::Credit(value) => (true, value as u64),
            Load::Ask(value) | Load::State(value) => (true, value),
            Load::Warning(_, noise) => (true, noise),
            Load::Tell(message) => (true, message.number()),
        };
        self.log.push(Start {
            at_ps: now.ps(),
            channel: channel as u32,
            flow: self.legs[leg].flow as u32,
            control,
            number,
        });
        let effective = self.effective(leg, channel, load, now);
        self.on_the_way.push(Unit {
            effective,
            channel,
            leg,
            load,
            is_lost,
        });
        self.channels[channel].free_at = later(now, self.on_wire(leg, channel, load));
    }
}
