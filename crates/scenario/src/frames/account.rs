//! The account of headroom: what each queue and input needs, term by term.

use backwater_kernel::Duration;
use backwater_net::frames::spec::{
    BackPressureSpec, Binding, Detect, FRAME_LEAST_BYTES, MemorySpec, NodeKind, Notify, SwitchSpec,
};

use super::flight::Flight;
use super::headroom::{self, Brought, Need, Place, Stop};
use super::lossless::{Whole, channel_of, switch_of};

/// Bytes of a cell of a switch's memory.
fn cell_bytes(switch: &SwitchSpec) -> u32 {
    match &switch.memory {
        MemorySpec::Shared(shared) => shared.cell_bytes,
        MemorySpec::Queues => 1,
    }
}

impl Whole<'_> {
    /// What comes over an input after its stop was decided.
    pub(super) fn stop(&self, input: u32, class: u8) -> Option<Stop> {
        let load = self.crossings.on(input, class)?;
        let (from, to) = self.net.ends(input);
        let (there, back) = (
            channel_of(self.spec, input),
            channel_of(self.spec, input ^ 1),
        );
        let latency = |node| switch_of(self.spec, node).map_or(0, |switch| switch.latency.0);
        // A rate that the switch states goes on its way like data.
        let data = (0..there.queues.len() as u8)
            .filter_map(|class| self.crossings.on(input ^ 1, class))
            .map(|load| load.sizes.largest)
            .chain(self.rate_message)
            .map(|bytes| headroom::wire_time(back.rate, bytes).0)
            .max();
        let control = self.control(input);
        Some(Stop {
            rate: there.rate,
            sizes: load.sizes,
            ahead: Duration(data.unwrap_or(0).max(control.0)),
            queued: Duration(self.queued(input, control.0, data.unwrap_or(0))),
            control,
            away: Duration(there.delay.0 + back.delay.0 + latency(from) + latency(to)),
            response: there.stopped.response,
            cell_bytes: switch_of(self.spec, to).map_or(1, cell_bytes),
        })
    }

    /// Time of one control frame to the sender over an input.
    pub(super) fn control(&self, input: u32) -> Duration {
        headroom::wire_time(channel_of(self.spec, input ^ 1).rate, FRAME_LEAST_BYTES)
    }

    /// Time of the frames that may wait on the way to the sender of an input as one more stop is
    /// made, with those of a control frame and of the largest data frame there. Of what is said of
    /// a port or a destination, and of the credit of one class, only the latest waits.
    fn queued(&self, input: u32, control: u64, data: u64) -> u64 {
        let back = input ^ 1;
        let classes = channel_of(self.spec, input).queues.len() as u8;
        let credited = |channel: u32| {
            let all = (0..classes).filter(move |class| self.has_credit(channel, *class));
            all.map(|class| self.lanes(channel, class)).sum::<u64>()
        };
        let gates = self.gates_to(back, None).saturating_sub(1);
        // The other way a sender may ask for credit, and state what it has sent.
        let credit = credited(input) + 2 * credited(back);
        let binding = self.stops_over(input).map(|rules| rules.binding);
        match binding.unwrap_or_default() {
            Binding::Start => control.saturating_mul(gates + credit),
            // What was handed over of its kind goes first, and all others may go before that and
            // after it. Each that was handed over lets a data frame go behind it.
            Binding::Handover => {
                let handed = 2 * gates + 1;
                let data = data.saturating_mul(handed);
                control
                    .saturating_mul(handed + 2 * credit)
                    .saturating_add(data)
            }
        }
    }

    /// What a switch may stop at the neighbour behind a channel, each with frames of its own.
    fn gates_to(&self, channel: u32, flight: Option<&Flight<'_>>) -> u64 {
        let Some(rules) = self.stops_over(channel ^ 1) else {
            return 0;
        };
        let told = self.told(rules, channel, flight);
        if !rules.is_by_destination() {
            // One frame says all of a port.
            return u64::from(told.count() > 0);
        }
        let loads = told.filter_map(|(out, class)| self.crossings.on(out, class));
        loads.map(|load| u64::from(load.destinations.max(1))).sum()
    }

    /// Queues, or inputs, and their classes whose congestion is told to the neighbour behind a
    /// channel.
    fn told<'a>(
        &'a self,
        rules: &'a BackPressureSpec,
        channel: u32,
        flight: Option<&'a Flight<'a>>,
    ) -> impl Iterator<Item = (u32, u8)> + 'a {
        let node = self.net.ends(channel).0;
        let classes = channel_of(self.spec, channel).queues.len() as u8;
        let is_ruled = move |class: &u8| rules.watches(*class);
        let inputs = (0..classes).filter(is_ruled).filter_map(move |class| {
            let input = channel ^ 1;
            let is_told = rules.detect == Detect::Inputs
                && self.crossings.on(input, class).is_some()
                && !self.has_credit(input, class);
            is_told.then_some((input, class))
        });
        let leaving = self.net.neighbours[node as usize].iter();
        let leaving = leaving.filter(move |_| rules.detect == Detect::Outputs);
        let queues = leaving.flat_map(move |(_, out)| {
            let out = *out;
            let classes = (0..classes).filter(is_ruled);
            classes.filter_map(move |class| self.tells(rules, (out, class), channel, flight))
        });
        inputs.chain(queues)
    }

    /// The same, if the queue of a class before `out` is one of them.
    fn tells(
        &self,
        rules: &BackPressureSpec,
        (out, class): (u32, u8),
        channel: u32,
        flight: Option<&Flight<'_>>,
    ) -> Option<(u32, u8)> {
        self.crossings.on(out, class)?;
        let queue = self.queue(out, class)?;
        let is_told = match rules.notify {
            Notify::All => true,
            Notify::Others => out != channel,
            Notify::Contributing => {
                let mut inputs = self.crossings.inputs(self.net, out, class);
                inputs.any(|(input, _)| input == channel ^ 1)
            }
        };
        let fills = || flight.is_none_or(|flight| flight.fills(rules, out, class));
        (is_told && queue.high_bytes < u64::MAX && fills()).then_some((out, class))
    }

    /// May control frames start on a channel?
    fn carries_control(&self, channel: u32, flight: &Flight<'_>) -> bool {
        let classes = channel_of(self.spec, channel).queues.len() as u8;
        let mut credited = (0..classes)
            .filter(|c| self.has_credit(channel, *c) || self.has_credit(channel ^ 1, *c));
        credited.next().is_some() || self.gates_to(channel, Some(flight)) > 0
    }

    /// Headroom of each input at which congestion is seen, by channel and class.
    pub(super) fn needed_at_inputs(&self) -> Vec<(u32, u8, Stop)> {
        let all = self.crossings.crossed();
        let stopped = all.filter(|(channel, class)| {
            let rules = self.stops_at_input(*channel);
            let is_stopped = rules.is_some_and(|rules| rules.watches(*class));
            is_stopped && !self.has_credit(*channel, *class) && !self.ignores_stops(*channel)
        });
        stopped
            .filter_map(|(channel, class)| Some((channel, class, self.stop(channel, class)?)))
            .collect()
    }

    /// Output queues: the room above `xoff` against all inputs that feed it.
    pub(super) fn outputs(&self) -> Vec<Need> {
        let (mut found, flight) = (Vec::new(), Flight::new(self));
        for (channel, class) in self.crossings.crossed() {
            let node = self.net.ends(channel).0;
            let queue = &channel_of(self.spec, channel).queues[usize::from(class)];
            let (Some(rules), Some(limit)) = (self.stops_at_outputs(node), queue.limit_bytes)
            else {
                continue;
            };
            if !rules.watches(class) || queue.high_bytes == u64::MAX {
                continue;
            }
            let mut need = Need {
                place: Place::Queue,
                channel,
                class,
                brought: Vec::new(),
                leaves: 0,
                limit,
                xoff: queue.high_bytes,
            };
            let inputs = self.crossings.inputs(self.net, channel, class);
            let inputs = inputs.filter(|(input, _)| !self.ignores_stops(*input));
            for (input, load) in inputs {
                let Some(stop) = self.stop(input, class) else {
                    continue;
                };
                let stop = Stop {
                    sizes: load.sizes,
                    ..stop
                };
                let times = if rules.is_by_destination() {
                    load.destinations.max(1)
                } else {
                    1
                };
                need.add(input, stop, times.into());
            }
            need.leaves = self.sent(&need, &flight);
            found.push(need);
        }
        found
    }

    /// What the queue has sent before second frames come, where nothing can stop or delay it.
    fn sent(&self, need: &Need, flight: &Flight<'_>) -> u64 {
        let (channel, class) = (need.channel, need.class);
        let spec = channel_of(self.spec, channel);
        let to = self.net.ends(channel).1;
        let next = &self.spec.nodes[to as usize].kind;
        // Shaping and slow hosts hold frames that nothing else stops.
        let is_held = spec.scheduler.shapes() || self.spec.rules.is_slow(to);
        let is_free = matches!(next, NodeKind::Station { storm: None }) && !is_held;
        // Even of a less urgent class a frame may be on the wire, and one of the queue behind it.
        let mut others = (0..spec.queues.len() as u8).filter(|other| *other != class);
        let is_alone = others.all(|other| self.crossings.on(channel, other).is_none());
        let load = self.crossings.on(channel, class);
        match load.filter(|_| is_free && is_alone && !self.carries_control(channel, flight)) {
            Some(load) => headroom::sent_meanwhile(spec.rate, load.sizes, &need.brought),
            None => 0,
        }
    }

    /// Counters at inputs: the room above `xoff` against that one input.
    pub(super) fn inputs(&self) -> Vec<Need> {
        let all = self.needed_at_inputs().into_iter();
        let found = all.filter_map(|(channel, class, stop)| {
            let input = self.input(channel, class)?;
            Some(Need {
                place: Place::Input,
                channel,
                class,
                brought: Vec::from([Brought {
                    inputs: Vec::from([channel]),
                    stop,
                    times: 1,
                }]),
                leaves: 0,
                limit: input.limit_bytes?,
                xoff: input.high_bytes,
            })
        });
        found.collect()
    }
}
