//! What controls each link: `[flow_control]`, or the credit that the link has of its own.
//!
//! Where a class has credit over some links into a switch, its memory there is counted by input:
//! over each link it has credit, is stopped by what that link alone brought, or is dropped beyond
//! `per_input`. Output queues then limit nothing.

use backwater_net::frames::spec::{CLASSES_MAX, ClassBits};

use crate::given::frames::EthernetFile;
use crate::given::frames::flow_control::{FlowControl, Headroom};
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
    own: Vec<Option<Placed<FlowControl>>>,
    credited: Vec<Mask>,
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
            check_kind(own, mistakes);
        }
        towards_hosts(file, net, mistakes);
        let channels = 0..2 * net.links.len() as u32;
        let has_own = given(file).any(|own| own.value.is_some());
        let own = |id| if has_own { own(file, net, id) } else { None };
        let own: Vec<_> = channels.clone().map(own).collect();
        let mut found = Self {
            file,
            net,
            ports,
            credited: vec![0; own.len()],
            held: vec![0; net.nodes.len()],
            own,
        };
        for id in channels {
            let to = net.ends(id).1;
            if !net.forwards(to) {
                continue;
            }
            let rules = found.of(id).rules;
            if rules.credited_classes().is_some() {
                let named = rules.classes().and_then(|classes| classes.as_deref());
                let mask = named.map_or(ports.all(), mask);
                found.credited[id as usize] = mask;
                found.held[to as usize] |= mask;
            }
        }
        found
    }

    /// Where links say of their own credit that it promises nothing: the switch behind each, the
    /// classes, and the place.
    pub(crate) fn unchecked(&self) -> Vec<(u32, Mask, &At)> {
        let own = (0..).zip(&self.own);
        let own = own.filter_map(|(id, own)| Some((id, own.as_ref()?.value.credit_headroom()?)));
        let unchecked = own.filter(|(_, own)| ***own == Headroom::Unchecked);
        unchecked
            .map(|(id, own)| (self.net.ends(id).1, self.credited(id), &own.at))
            .collect()
    }

    /// What controls a channel.
    pub(crate) fn of(&self, channel: u32) -> Control<'_> {
        match &self.own[channel as usize] {
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

    /// Classes with credit over some channel into a switch.
    pub(crate) fn held(&self, node: u32) -> Mask {
        self.held[node as usize]
    }

    /// Classes that are stopped for what came over a channel.
    pub(crate) fn stopped(&self, channel: u32) -> Mask {
        let is_free = matches!(
            self.own[channel as usize].as_ref().map(|own| &own.value),
            Some(FlowControl::None)
        );
        match self.ports.at_inputs && !is_free {
            true => self.ports.lossless & !self.credited(channel),
            false => 0,
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
            if !net.forwards(to) {
                continue;
            }
            let held = self.stopped(id) | self.credited(id);
            let elsewhere = if ports.at_inputs { 0 } else { ports.lossless };
            open[to as usize] |= !(held | elsewhere);
        }
        open
    }

    /// Classes with credit anywhere.
    pub(crate) fn all_credited(&self) -> Mask {
        self.held.iter().fold(0, |all, own| all | own)
    }

    /// Stops for queues at outputs reach every link into the switch: credit over one of them can't
    /// keep them away.
    pub(crate) fn check(&self, mistakes: &mut Diagnostics) {
        let (file, net, ports) = (self.file, self.net, self.ports);
        let pauses = matches!(file.flow_control.value.value, FlowControl::Pause(_));
        let stopped = match (ports.lossless, pauses) {
            (0, _) => return,
            (_, true) => Mask::MAX,
            (lossless, false) if !ports.at_inputs || ports.is_shared => lossless,
            (_, false) => return,
        };
        let own = (0..).zip(&self.own);
        let own = own.filter_map(|(id, own)| Some((id, own.as_ref()?)));
        let both = own.filter(|(id, own)| match own.value {
            FlowControl::None => net.forwards(net.ends(*id).1),
            _ => self.credited[*id as usize] & stopped != 0,
        });
        let Some((id, own)) = both.into_iter().next() else {
            return;
        };
        let class = (self.credited[id as usize] & stopped).trailing_zeros();
        let said = match own.value {
            FlowControl::None => "asks for no stops".to_owned(),
            _ => format!("gives credit to class {class}"),
        };
        let general = &file.flow_control;
        Diagnostic::error(
            "bad-scheme",
            "a switch can't stop some of its neighbours only",
        )
        .at(&own.at, said)
        .at(&general.at, "stops neighbours for a full queue")
        .note(format!(
            "the queue holds what came over `{}` and over other links",
            net.channel_name(id)
        ))
        .help(match (ports.is_shared, pauses) {
            (true, _) => "leave `shared` out: each input then has memory of its own",
            (_, true) => {
                "write `kind = \"pfc\"` with `detect = \"inputs\"`: a link is then stopped, \
                     class by class, for what it brought itself"
            }
            (_, false) => {
                "write `detect = \"inputs\"` in `[flow_control]`: a link is then stopped for \
                     what it brought itself"
            }
        })
        .tell(mistakes);
    }
}

/// What a channel says of its own control; stops are no matter of one link.
fn own(file: &EthernetFile, net: &Net<'_>, channel: u32) -> Option<Placed<FlowControl>> {
    let own = net.settings(file, channel).flow_control;
    let value = own.value.filter(|rules| rules.stops().is_none())?;
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
        let own = own.filter(|at| !net.forwards(net.ends(id).1) && !told.contains(at));
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

fn check_kind(own: &Placed<Option<FlowControl>>, mistakes: &mut Diagnostics) {
    if own.value.as_ref().is_some_and(|own| own.stops().is_some()) {
        Diagnostic::error("bad-scheme", "a link can't have stops of its own")
            .at(&own.at, "is a kind of stop")
            .note("a switch stops its neighbours by one rule, which `[flow_control]` gives")
            .help(
                "write it in `[flow_control]` with `detect = \"inputs\"`, and credit, or \
                     `kind = \"none\"`, on the links that differ",
            )
            .tell(mistakes);
    }
}
