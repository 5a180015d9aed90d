//! Notification: what control frames of stops say, and when that is decided.
//!
//! A frame speaks of one topic: the port, all classes of the port, or one destination. Of each
//! topic at most one frame waits. What it says is decided as it starts, or as it is handed over to
//! the MAC: it states all stops that stand, and once those that have ended. Each frame sets the
//! one timer anew after which its topic is stated again.

use alloc::vec::Vec;

use backwater_kernel::{Duration, EventQueue};

use crate::classes::requests::{Asked, topic_of};
use crate::hop::kind::ControlKind;
use crate::hop::load::{Control, Orders, pack_gate, unpack_gate};
use crate::hop::timer::Timer;
use crate::hop::unit::NONE;
use crate::hop::wire::Ticket;
use crate::probe::{Gate, Probe};
use crate::simulation::Simulation;
use crate::spec::frames::{Binding, FRAME_LEAST_BYTES, Message};

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// One more asks the neighbour behind `channel` to stop.
    pub(crate) fn ask(&mut self, channel: u32, gate: Gate) {
        if self.network.classes.asked[channel as usize].add(gate) {
            self.want(channel, topic_of(gate));
        }
    }

    /// One fewer does.
    pub(crate) fn give_back(&mut self, channel: u32, gate: Gate) {
        if self.network.classes.asked[channel as usize].remove(gate) {
            self.want(channel, topic_of(gate));
        }
    }

    /// There is something to say to the neighbour behind `channel`.
    fn want(&mut self, channel: u32, topic: Gate) {
        if self.network.classes.asked[channel as usize].is_pending(topic) {
            return;
        }
        let node = self.network.channels[channel as usize].from;
        let rules = self.network.classes.nodes[node as usize]
            .stops
            .over(channel ^ 1);
        let handed = match rules.map(|rules| rules.binding) {
            Some(Binding::Handover) => match self.decide(channel, topic) {
                None => return,
                handed => handed,
            },
            Some(Binding::Start) | None => None,
        };
        let asked = &mut self.network.classes.asked[channel as usize];
        asked.pending.push((topic, handed));
        self.network.channels[channel as usize].push_control(Ticket {
            leg: NONE,
            kind: ControlKind::Stop,
            value: pack_gate(topic),
            bytes: FRAME_LEAST_BYTES,
            is_patient: false,
        });
        self.wake_port(channel);
    }

    /// Decides what a frame says; `None` if there is nothing to say.
    fn decide(&mut self, channel: u32, topic: Gate) -> Option<Control> {
        let from = self.network.channels[channel as usize].from;
        let node = &self.network.classes.nodes[from as usize];
        let (storm, rules) = (node.storm, node.stops.over(channel ^ 1).copied());
        let asked = &mut self.network.classes.asked[channel as usize];
        if let Some(storm) = storm {
            asked.stops += 1;
            let classes = |stops| Orders::Classes { stops, resumes: 0 };
            return Some(Control {
                orders: storm.classes.map_or(Orders::Gate(Gate::Port), classes),
                quanta: storm.quanta,
                is_endless: false,
                from,
            });
        }
        let rules = rules?;
        let (orders, is_stop) = asked.tell(topic)?;
        let (quanta, refresh) = match rules.message {
            Message::UntilCancelled => (u16::MAX, None),
            Message::Quanta {
                quanta,
                refresh_percent,
            } => (quanta, refresh_percent),
        };
        if let Some(percent) = refresh.filter(|_| is_stop) {
            let whole = self.network.quanta(channel ^ 1, quanta);
            let at = self.later(Duration((whole.0 / 100 * u64::from(percent)).max(1)));
            self.network.classes.asked[channel as usize]
                .refreshes
                .push((at, topic));
            self.set_timer(at, channel, Timer::Repeat, 0);
        }
        Some(Control {
            orders,
            quanta: if is_stop { quanta } else { 0 },
            is_endless: is_stop && rules.message == Message::UntilCancelled,
            from,
        })
    }

    /// A frame that waits is about to start; `None` if it has nothing to say any more.
    pub(crate) fn start_stop(&mut self, channel: u32, ticket: Ticket) -> Option<u32> {
        let topic = unpack_gate(ticket.value);
        let asked = &mut self.network.classes.asked[channel as usize];
        let control = match asked.handed(topic) {
            Some(control) => {
                asked.on_wire = Some(topic);
                control
            }
            None => {
                asked.done(topic);
                self.decide(channel, topic)?
            }
        };
        let number = self.by_class.controls_made;
        self.by_class.controls_made += 1;
        Some(self.network.units.stop_frame(self.now, number, control))
    }

    /// The last bit of a frame that was handed over has left: the MAC has room for the next.
    pub(crate) fn hand_over_next(&mut self, channel: u32) {
        let Some(topic) = self.network.classes.asked[channel as usize].on_wire else {
            return;
        };
        let asked = &mut self.network.classes.asked[channel as usize];
        asked.on_wire = None;
        asked.done(topic);
        if asked.has_news(topic) {
            asked.yields = true;
            self.want(channel, topic);
        }
    }

    /// Stops that still stand are said again.
    pub(crate) fn on_refresh(&mut self, channel: u32) {
        loop {
            let asked = &mut self.network.classes.asked[channel as usize];
            match asked.refreshes.first() {
                Some((at, _)) if *at <= self.now => {
                    let (_, topic) = asked.refreshes.remove(0);
                    if asked.stands(topic).next().is_some() {
                        asked.due.push(topic);
                        self.want(channel, topic);
                    }
                }
                _ => return,
            }
        }
    }

    /// A station that sends stops whatever happens sends the next.
    pub(crate) fn on_storm(&mut self, channel: u32) {
        let node = self.network.channels[channel as usize].from;
        let Some(storm) = self.network.classes.nodes[node as usize].storm else {
            return;
        };
        if self.now >= storm.until {
            return;
        }
        let topic = storm.classes.map_or(Gate::Port, |_| Gate::Class(0));
        self.want(channel, topic);
        let half = Duration((self.network.quanta(channel ^ 1, storm.quanta).0 / 2).max(1));
        self.set_timer(self.later(half), channel, Timer::Storm, 0);
    }
}

impl Asked {
    /// Stops that stand, of a topic.
    fn stands(&self, topic: Gate) -> impl Iterator<Item = Gate> {
        let gates = self.gates.iter().map(|(gate, _)| *gate);
        gates.filter(move |gate| topic_of(*gate) == topic)
    }

    /// Stops that stand for all that the neighbour was told, of a topic.
    fn told(&self, topic: Gate) -> impl Iterator<Item = Gate> {
        let told = self.told.iter().copied();
        told.filter(move |gate| topic_of(*gate) == topic)
    }

    /// Is there anything to say?
    fn has_news(&self, topic: Gate) -> bool {
        let is_due = self.due.contains(&topic) && self.stands(topic).next().is_some();
        is_due || !self.stands(topic).eq(self.told(topic))
    }

    /// What there is to say, and whether it stops anything. From here on it is said.
    fn tell(&mut self, topic: Gate) -> Option<(Orders, bool)> {
        let stands: Vec<Gate> = self.stands(topic).collect();
        let told: Vec<Gate> = self.told(topic).collect();
        let is_due = self.due.contains(&topic) && !stands.is_empty();
        self.due.retain(|own| *own != topic);
        if stands == told && !is_due {
            return None;
        }
        let is_stop = !stands.is_empty();
        self.stops += u64::from(is_stop);
        self.resumes += u64::from(!is_stop);
        self.refreshed += u64::from(stands == told);
        self.refreshes.retain(|(_, own)| *own != topic);
        self.told.retain(|gate| topic_of(*gate) != topic);
        self.told.extend(&stands);
        self.told.sort_unstable();
        let mask = |gates: &[Gate]| {
            gates.iter().fold(0, |mask, gate| match gate {
                Gate::Class(class) => mask | 1 << class,
                Gate::Port | Gate::Destination(..) | Gate::Flow(..) | Gate::Lane(..) => mask,
            })
        };
        let orders = match topic {
            Gate::Class(_) => Orders::Classes {
                stops: mask(&stands),
                resumes: mask(&told) & !mask(&stands),
            },
            Gate::Port | Gate::Destination(..) | Gate::Flow(..) | Gate::Lane(..) => {
                Orders::Gate(topic)
            }
        };
        Some((orders, is_stop))
    }

    fn is_pending(&self, topic: Gate) -> bool {
        self.pending.iter().any(|(own, _)| *own == topic)
    }

    /// What a frame of a topic says that was handed over.
    fn handed(&self, topic: Gate) -> Option<Control> {
        let mut pending = self.pending.iter();
        pending.find(|(own, _)| *own == topic)?.1
    }

    fn done(&mut self, topic: Gate) {
        self.pending.retain(|(own, _)| *own != topic);
    }
}
