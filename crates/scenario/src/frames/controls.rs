//! What controls each link: `[flow_control]`, or what the link says of its own: credit, stops or
//! nothing.
//!
//! Where a class has credit, or stops of one link alone, over some links into a switch, its memory
//! there is counted by input: over each link it has credit, is stopped by what that link alone
//! brought, or is dropped beyond `per_input`. Output queues then limit nothing.
//!
//! What a link says replaces what the file says, but for one thing: beside credit of some classes,
//! stops of the file stay for the others.

use std::collections::BTreeMap;

use backwater_net::frames::spec::{CLASSES_MAX, ClassBits};

use crate::given::frames::EthernetFile;
use crate::given::frames::flow_control::{Detect, FlowControl, Headroom, Stops};
use crate::given::frames::network::Channel;
use crate::prelude::*;

use super::net::Net;
use super::queues::Ports;

/// Classes, a bit each.
pub(crate) type Mask = ClassBits;

/// The control of each channel.
pub(crate) struct Controls<'a> {
    pub file: &'a EthernetFile,
    pub net: &'a Net<'a>,
    pub ports: Ports,
    /// What a channel says of its own: of a large network hardly any does.
    own: BTreeMap<u32, Placed<FlowControl>>,
    /// Classes with credit, by channel.
    credited: Vec<Mask>,
    /// By node, classes with credit over some channel into it, or with stops of one alone.
    held: Vec<Mask>,
}

/// What controls a channel, and where that is said.
#[derive(Clone, Copy)]
pub(crate) struct Control<'a> {
    pub rules: &'a FlowControl,
    pub at: &'a At,
}

/// All that links say of their own control.
pub(crate) fn given(file: &EthernetFile) -> impl Iterator<Item = &Placed<Option<FlowControl>>> {
    let trunk = file.topology.as_ref().and_then(|it| it.trunk.as_ref());
    let links = file.links.iter().flat_map(|own| {
        let sides = [own.forward.as_ref(), own.backward.as_ref()];
        [Some(&own.channel)].into_iter().chain(sides).flatten()
    });
    trunk
        .into_iter()
        .chain(links)
        .map(|channel: &Channel| &channel.flow_control)
}

/// A bit for each class.
pub(crate) fn mask(classes: &[u8]) -> Mask {
    classes
        .iter()
        .fold(0, |mask, class| mask | 1 << (class % CLASSES_MAX as u8))
}

impl<'a> Controls<'a> {
    /// Reads them.
    pub(crate) fn read(
        file: &'a EthernetFile,
        net: &'a Net<'a>,
        ports: Ports,
        mistakes: &mut Diagnostics,
    ) -> Self {
        for own in given(file) {
            check_stops(own, mistakes);
        }
        towards_hosts(file, net, mistakes);
        let channels = 0..2 * net.links.len() as u32;
        let has_own = given(file).any(|own| own.value.is_some());
        let asked = channels.clone().filter(|_| has_own);
        let own = asked.filter_map(|id| Some((id, own(file, net, id)?)));
        let mut found = Self {
            file,
            net,
            ports,
            credited: vec![0; channels.len()],
            held: vec![0; net.nodes.len()],
            own: own.collect(),
        };
        for id in channels {
            let to = net.ends(id).1;
            if !net.is_switch(to) {
                continue;
            }
            let rules = found.of(id).rules;
            if rules.credited_classes().is_some() {
                let named = rules.classes().and_then(|classes| classes.as_deref());
                let mask = named.map_or(ports.all(), mask);
                found.credited[id as usize] = mask;
                found.held[to as usize] |= mask;
            }
            if found.own_stops(id).is_some() {
                found.held[to as usize] |= found.stopped(id);
            }
        }
        found
    }

    /// Where links say of their own control that it promises nothing: the switch behind each, the
    /// classes, and the place.
    pub(crate) fn unchecked(&self) -> Vec<(u32, Mask, &At)> {
        let own = self.own.iter();
        let own = own.filter_map(|(id, own)| Some((*id, own.value.headroom()?)));
        let unchecked = own.filter(|(_, own)| ***own == Headroom::Unchecked);
        unchecked
            .map(|(id, own)| {
                let classes = self.credited(id) | self.stopped(id);
                (self.net.ends(id).1, classes, &own.at)
            })
            .collect()
    }

    /// What controls a channel.
    pub(crate) fn of(&self, channel: u32) -> Control<'_> {
        match self.own.get(&channel) {
            Some(own) => Control {
                rules: &own.value,
                at: &own.at,
            },
            None => Control {
                rules: &self.file.flow_control.value.value,
                at: &self.file.flow_control.at,
            },
        }
    }

    /// Classes with credit over a channel.
    pub(crate) fn credited(&self, channel: u32) -> Mask {
        self.credited[channel as usize]
    }

    /// Classes with credit over some channel into a switch, or with stops of one alone.
    pub(crate) fn held(&self, node: u32) -> Mask {
        self.held[node as usize]
    }

    /// Does a link into a switch say otherwise than stops at all inputs do, or where none are?
    pub(crate) fn differs(&self, channel: u32) -> bool {
        let has_stops = self.ports.at_inputs || self.own_stops(channel).is_some();
        has_stops && self.own.contains_key(&channel)
    }

    /// Where a link says what controls it.
    pub(crate) fn own_at(&self, channel: u32) -> Option<&At> {
        self.own.get(&channel).map(|own| &own.at)
    }

    /// The stops that a link has of its own.
    pub(crate) fn own_stops(&self, channel: u32) -> Option<&Stops> {
        self.own.get(&channel)?.value.stops()
    }

    /// By which rules whoever sends over a channel may be stopped, and the classes that they
    /// watch.
    pub(crate) fn stops(&self, channel: u32) -> Option<(&FlowControl, Mask)> {
        let general = &self.file.flow_control.value.value;
        let of_link = self.own.get(&channel);
        let credited = self.credited(channel);
        let (rules, classes) = match of_link.map(|own| &own.value) {
            None => (general, self.ports.lossless),
            Some(FlowControl::None) => return None,
            Some(own) => match own.stops() {
                Some(stops) => {
                    let named = stops.classes.as_deref();
                    (own, named.map_or(self.ports.all(), mask))
                }
                // A whole port is not stopped beside credit.
                None if matches!(general, FlowControl::Pause(_)) => return None,
                None => (general, self.ports.lossless & !credited),
            },
        };
        (classes != 0 && rules.stops().is_some()).then_some((rules, classes))
    }

    /// Classes that are stopped for what came over a channel.
    pub(crate) fn stopped(&self, channel: u32) -> Mask {
        let is_by_input = self.ports.at_inputs || self.own_stops(channel).is_some();
        let stops = self.stops(channel).filter(|_| is_by_input);
        stops.map_or(0, |(_, classes)| classes)
    }

    /// How ports look where any input counts.
    pub(crate) fn counted(&self) -> Ports {
        Ports {
            at_inputs: self.ports.at_inputs || self.all_held() != 0,
            ..self.ports
        }
    }

    /// Classes whose memory is counted by input at the switch `to`, without credit over a channel.
    pub(crate) fn limited(&self, channel: u32, to: u32) -> Mask {
        let by_input = match self.ports.at_inputs {
            true => self.ports.lossless | self.held(to),
            false => self.held(to),
        };
        by_input & !self.credited(channel)
    }

    /// Classes that each switch may drop: nothing holds them back over some link into it.
    pub(crate) fn open(&self) -> Vec<Mask> {
        let (net, ports) = (self.net, self.ports);
        let mut open = vec![0; net.nodes.len()];
        for id in 0..2 * net.links.len() as u32 {
            let to = net.ends(id).1;
            if !net.is_switch(to) {
                continue;
            }
            let held = self.stopped(id) | self.credited(id);
            let elsewhere = if ports.at_inputs { 0 } else { ports.lossless };
            open[to as usize] |= !(held | elsewhere);
        }
        open
    }

    /// Classes with credit, or with stops of a link, anywhere.
    pub(crate) fn all_held(&self) -> Mask {
        self.held.iter().fold(0, |all, own| all | own)
    }

    /// Stops for queues at outputs reach every link into the switch: what one of them says can't
    /// keep them away.
    pub(crate) fn check(&self, mistakes: &mut Diagnostics) {
        let (file, net, ports) = (self.file, self.net, self.ports);
        let stopped = match file.flow_control.value.value {
            _ if !ports.is_shared && (ports.at_inputs || ports.lossless == 0) => return,
            FlowControl::Pause(_) => Mask::MAX,
            _ => ports.lossless,
        };
        let mut both = self.own.iter().filter(|(id, own)| match own.value {
            FlowControl::None => stopped != 0 && net.is_switch(net.ends(**id).1),
            _ if self.own_stops(**id).is_some() => net.is_switch(net.ends(**id).1),
            _ => self.credited[**id as usize] & stopped != 0,
        });
        let Some((&id, own)) = both.next() else {
            return;
        };
        let class = (self.credited[id as usize] & stopped).trailing_zeros();
        let said = match own.value {
            FlowControl::None => "asks for no stops".to_owned(),
            _ if self.own_stops(id).is_some() => "asks for stops of its own".to_owned(),
            _ => format!("gives credit to class {class}"),
        };
        let message = "a switch can't stop some of its neighbours only";
        let mut mistake = Diagnostic::error("bad-scheme", message).at(&own.at, said);
        if ports.lossless != 0 {
            let general = &file.flow_control;
            mistake = mistake.at(&general.at, "stops neighbours for a full queue");
        }
        let holder = if ports.is_shared { "memory" } else { "queue" };
        let note = format!(
            "the {holder} holds what came over `{}` and over other links",
            net.channel_name(id)
        );
        let help = match ports.is_shared {
            true => "leave `shared` out: each input then has memory of its own",
            false => {
                "write `detect = \"inputs\"` in `[flow_control]`: a link is then stopped for \
                     what it brought itself"
            }
        };
        mistake.note(note).help(help).tell(mistakes);
    }
}

/// What a channel says of its own control.
fn own(file: &EthernetFile, net: &Net<'_>, channel: u32) -> Option<Placed<FlowControl>> {
    let own = net.settings(file, channel).flow_control;
    let value = own.value?;
    Some(Placed {
        value,
        at: own.at,
        is_given: own.is_given,
        is_faulty: own.is_faulty,
    })
}

/// A direction into a host has nothing to control: hosts take what comes.
fn towards_hosts(file: &EthernetFile, net: &Net<'_>, mistakes: &mut Diagnostics) {
    let mut told: Vec<&At> = Vec::new();
    for id in 0..2 * net.links.len() as u32 {
        let Some((links, is_forward)) = net.entry(&file.links, id) else {
            continue;
        };
        let side = [&links.backward, &links.forward][usize::from(is_forward)];
        let own = side.as_ref().and_then(|side| side.flow_control.place());
        let own = own.filter(|at| !net.is_switch(net.ends(id).1) && !told.contains(at));
        let Some(at) = own else { continue };
        told.push(at);
        let name = net.channel_name(id);
        Diagnostic::error("no-meaning", format!("`{name}` leads into a host"))
            .at(at, "has no meaning there")
            .note("a host takes what comes: nothing holds back what is sent to it")
            .help("give it to the other direction, or leave it out")
            .tell(mistakes);
    }
}

/// Stops of a link are for what came over it.
fn check_stops(own: &Placed<Option<FlowControl>>, mistakes: &mut Diagnostics) {
    let Some((rules, stops)) = own.value.as_ref().and_then(|own| Some((own, own.stops()?))) else {
        return;
    };
    if matches!(rules, FlowControl::Destination { .. }) {
        Diagnostic::error("bad-scheme", "a link can't be stopped by destination")
            .at(&own.at, "stops frames by destination")
            .note("destinations are found in the queue that is congested: an output queue")
            .help("write it in `[flow_control]`, for all links, or `kind = \"pfc\"` here")
            .tell(mistakes);
    }
    let at_outputs = *stops.detect == Some(Detect::Outputs);
    if let Some(at) = stops.detect.place().filter(|_| at_outputs) {
        Diagnostic::no_meaning("detect = \"outputs\"", "for one link")
            .at(at, "holds what came over other links, too")
            .help("leave it out: a link is stopped for what it brought itself")
            .tell(mistakes);
    }
    for (key, at) in [
        ("notify", stops.notify.place()),
        ("time_out", stops.time_out.place()),
    ] {
        if let Some(at) = at {
            Diagnostic::no_meaning(key, "for one link")
                .at(at, "an input stops its own neighbour only")
                .help("leave it out")
                .tell(mistakes);
        }
    }
}
