//! Flits.

use backwater_flit::probe::{Crossing, Network, Probe, Tag};
use backwater_flit::spec::FabricSpec;
use backwater_kernel::words::counted;

use super::Kept;
use crate::fabric::{ChannelKind, FabricNames, class_names};
use crate::stepping::of_flits::packet;

/// What happens in a run of flits.
#[derive(Clone, Debug)]
pub struct FlitLog<'a> {
    names: FabricNames<'a>,
    classes: Vec<String>,
    /// What happened.
    pub kept: Kept,
    /// VCs that were sent into in this cycle.
    used: Vec<(u32, u8)>,
    /// By buffer: since which cycle its front packet can't go on.
    held_since: Vec<Option<u64>>,
}

impl<'a> FlitLog<'a> {
    /// Of a run of this network.
    pub fn new(spec: &'a FabricSpec) -> FlitLog<'a> {
        FlitLog {
            names: FabricNames::new(&spec.graph),
            classes: class_names(spec),
            kept: Kept::default(),
            used: Vec::new(),
            held_since: Vec::new(),
        }
    }

    /// Since which cycle the front packet of a buffer, by its place in an inspection, can't go on.
    pub fn held_since(&self, buffer: usize) -> Option<u64> {
        self.held_since.get(buffer).copied().flatten()
    }

    fn flit(&self, own: &Crossing) -> String {
        let packet = packet(&own.packet, &self.classes);
        match (own.flit, own.packet.length) {
            (0, 1) => format!("{packet} (1 flit)"),
            (0, length) => format!("the header of {packet} ({})", counted(length, "flit")),
            (flit, length) if flit + 1 == length => format!("the tail of {packet}"),
            (flit, length) => format!("flit {flit} (of {length}) of {packet}"),
        }
    }
}

impl Probe for FlitLog<'_> {
    fn on_delivery(&mut self, cycle: u64, own: &Tag) {
        let (names, classes) = (&self.names, &self.classes);
        self.kept.note(cycle, || {
            let took = counted(cycle - own.birth, "cycle");
            let to = names.terminal(own.destination);
            format!("{} is complete at {to}, {took} old", packet(own, classes))
        });
    }

    fn on_birth(&mut self, own: &Tag) {
        let (names, classes) = (&self.names, &self.classes);
        self.kept.note(own.birth, || {
            let (at, flits) = (names.terminal(own.source), counted(own.length, "flit"));
            format!("{} is born at {at} ({flits})", packet(own, classes))
        });
    }

    fn on_switch(&mut self, own: &Crossing) {
        if self.kept.is_off {
            return;
        }
        let text = format!(
            "{} goes through the switch to {}, VC {}",
            self.flit(own),
            self.names.channel(own.channel),
            own.lane
        );
        self.kept.note(own.cycle, || text);
    }

    fn on_crossing(&mut self, own: &Crossing) {
        if self.kept.is_off {
            return;
        }
        let text = format!(
            "{} leaves on {}, VC {}",
            self.flit(own),
            self.names.channel(own.channel),
            own.lane
        );
        self.kept.note(own.cycle, || text);
        let kind = self.names.kind(own.channel).map(|(kind, _)| kind);
        if kind != Some(ChannelKind::Ejection) {
            self.used.push((own.channel, own.lane));
        }
    }

    fn after_cycle(&mut self, network: &Network<'_>) {
        let cycle = network.cycle();
        for (at, is_held) in network.held().enumerate() {
            if self.held_since.len() <= at {
                self.held_since.push(None);
            }
            let since = &mut self.held_since[at];
            *since = is_held.then(|| since.unwrap_or(cycle));
        }
        for (channel, lane) in self.used.drain(..) {
            if network.places(channel, lane.into()).0 == 0 {
                let names = &self.names;
                self.kept.note(network.cycle(), || {
                    format!("{}, VC {lane} has no credit left", names.channel(channel))
                });
            }
        }
    }
}
