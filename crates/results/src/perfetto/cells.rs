//! Cells by circuit.

use std::io::{self, Write};

use backwater_kernel::{Channels, Rate, Time};
use backwater_net::Network;
use backwater_net::probe::{Crossing, Hold, LegState, LossCause, Probe, UnitKind};
use backwater_net::spec::NetworkSpec;

use super::scene::{Below, Counted, Scene};
use super::writer::{Name, Slice, Value};
use crate::trace::TraceFile;

/// A probe that writes what every port does as a trace for Perfetto: sending, blocked; the circuits
/// without credit, and whence that comes; queues, credit and allowed rates.
#[derive(Debug)]
pub struct PerfettoCells<'a, W: Write> {
    spec: &'a NetworkSpec,
    scene: Scene<W, u32>,
    legs: Vec<Leg>,
    /// By channel: legs with something waiting, and those of them that may go.
    waiting: Vec<[u32; 2]>,
    /// Legs of which something has changed at this instant.
    touched: Vec<u32>,
    /// Arrows so far.
    arrows: u64,
}

/// The sender of a leg, as it was seen last.
#[derive(Clone, Copy, Debug)]
struct Leg {
    state: LegState,
    /// The arrow from the unit that started last; 0 before.
    arrow: u64,
}

impl<'a, W: Write> PerfettoCells<'a, W> {
    /// Of a run of this network; without a file yet.
    pub fn new(spec: &'a NetworkSpec) -> PerfettoCells<'a, W> {
        PerfettoCells {
            spec,
            scene: Scene::new(spec),
            legs: Vec::new(),
            waiting: vec![[0; 2]; spec.links.len() * 2],
            touched: Vec::new(),
            arrows: 0,
        }
    }

    /// A leg is like that from now on.
    fn renew(&mut self, at: Time, id: u32, state: LegState) {
        let leg = &mut self.legs[id as usize];
        let before = core::mem::replace(&mut leg.state, state);
        let arrow = Some(leg.arrow).filter(|arrow| *arrow != 0);
        let counts = |state: LegState| {
            let waits = state.waiting > 0;
            [u32::from(waits), u32::from(waits && !lacks_credit(state))]
        };
        let of_port = &mut self.waiting[state.channel as usize];
        for (count, (old, new)) in of_port
            .iter_mut()
            .zip(counts(before).into_iter().zip(counts(state)))
        {
            *count = *count + new - old;
        }
        self.scene.touch(state.channel);
        let spec = self.spec;
        let flow = move || spec.flows[state.flow.unwrap_or(0) as usize].name.as_str();
        let below = Below::Port(state.channel);
        let queue = (Counted::Queue(state.channel, id), below);
        let name = || (format!("queue of {}", flow()), "cells");
        self.scene.count(at, queue, state.waiting.into(), name);
        if let Some(credit) = state.credit {
            let name = || (format!("credit of {}", flow()), "cells");
            self.scene
                .count(at, (Counted::Credit(id), below), credit, name);
        }
        let is_out = (lacks_credit(state), "no credit");
        let name = || format!("no credit, {}", flow());
        self.scene
            .stop(at, (state.channel, id), is_out, arrow, name);
    }
}

fn lacks_credit(leg: LegState) -> bool {
    leg.credit.is_some_and(|credit| credit <= 0)
}

impl<W: Write> TraceFile<W> for PerfettoCells<'_, W> {
    const NAME: &'static str = super::NAME;

    fn begin(&mut self, file: W, _: &str) -> io::Result<()> {
        self.scene.begin_file(file);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.scene.flush()
    }

    fn finish(&mut self, at: u64) -> io::Result<()> {
        self.scene.finish(Time(at))
    }
}

impl<W: Write> Probe for PerfettoCells<'_, W> {
    fn on_begin(&mut self, network: &Network) {
        for id in 0..network.legs() {
            let state = network.leg(id);
            self.legs.push(Leg { state, arrow: 0 });
            if state.credit.is_some() {
                self.renew(Time::ZERO, id, state);
            }
        }
    }

    fn on_start(&mut self, crossing: Crossing) {
        let channel = crossing.channel;
        let leg = &mut self.legs[crossing.leg as usize];
        let mut from = None;
        if leg.state.credit.is_some() && crossing.kind.is_queued() {
            self.arrows += 1;
            leg.arrow = self.arrows;
            from = Some(self.arrows);
        }
        let number = ("number", Value::Number(crossing.value));
        let flow = ("flow", Value::Flow(crossing.flow));
        let value = ("value", Value::Number(crossing.value));
        let (name, arguments) = match crossing.kind {
            UnitKind::Data => (Name::Flow(crossing.flow), &[number][..]),
            UnitKind::ForwardRm | UnitKind::BackwardRm => {
                (Name::Word(crossing.kind.words()), &[flow, number][..])
            }
            UnitKind::Control(_) => (Name::Word(crossing.kind.words()), &[flow, value][..]),
        };
        let rate = self.spec.links.channel(channel).rate;
        let span = rate.serialization(crossing.bytes.into());
        let slice = Slice {
            name,
            category: "sending",
            arguments,
            from,
            to: None,
        };
        self.scene.start(crossing.at, channel, span, &slice);
    }

    fn on_loss(&mut self, crossing: Crossing, why: LossCause) {
        let unit = (crossing.flow, crossing.value);
        self.scene.lost(crossing.at, crossing.channel, why, unit);
    }

    fn on_queue(&mut self, _at: Time, leg: u32, _waiting: u32) {
        self.touched.push(leg);
    }

    fn on_credit(&mut self, _at: Time, leg: u32, _credit: i64, _renewed: bool) {
        self.touched.push(leg);
    }

    fn on_rate(&mut self, at: Time, flow: u32, acr: Rate, old: Rate) {
        let flow_spec = &self.spec.flows[flow as usize];
        let what = Counted::Rate(flow);
        let is_first = !self.scene.counts(what);
        let before = is_first.then_some((Time::ZERO, old));
        for (at, rate) in before.into_iter().chain([(at, acr)]) {
            let name = || (format!("allowed rate of {}", flow_spec.name), "bit/s");
            let rate = rate.0.min(i64::MAX as u64) as i64;
            let below = Below::Node(flow_spec.source);
            self.scene.count(at, (what, below), rate, name);
        }
    }

    fn after_instant(&mut self, at: Time, network: &Network) {
        let mut touched = core::mem::take(&mut self.touched);
        touched.sort_unstable();
        touched.dedup();
        for id in touched.drain(..) {
            self.renew(at, id, network.leg(id));
        }
        self.touched = touched;
        for channel in self.scene.take_touched() {
            let [waiting, ready] = self.waiting[channel as usize];
            let hold = match waiting > 0 && ready == 0 {
                true => Hold::Blocked,
                false => Hold::Nothing,
            };
            self.scene.hold(at, channel, hold);
        }
    }
}
