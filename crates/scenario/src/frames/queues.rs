//! Channels, with the queues in front of them and the counters behind them.

use backwater_kernel::{Commons, Duration, Rate};
use backwater_net::frames::spec::{
    CLASSES_MAX, ChannelSpec, ClassBits, Detect, EcnSpec, ErrorSpec, InputSpec, LinkSpec, MarkAt,
    QueueSpec, ReserveSpec,
};

use super::controls::Controls;
use super::{rates, trims};
use crate::given::frames::EthernetFile;
use crate::given::frames::flow_control::{Stops, XOFF, XON};
use crate::given::frames::network::DELAY;
use crate::given::frames::scheduler::{QUANTUM, Reserve, Scheduler};
use crate::given::frames::switch::{self, Classes, FAST, MIDDLE, QueueSettings, SLOW};
use crate::language::kinds::OrShare;
use crate::prelude::*;

/// How memory and detection of the scenario look to a port.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Ports {
    /// Queues of each port.
    pub classes: u8,
    /// Classes that are stopped, a bit each; 0 without that.
    pub lossless: ClassBits,
    /// Congestion is seen at inputs.
    pub at_inputs: bool,
    /// All queues of a switch share one memory.
    pub is_shared: bool,
}

impl Ports {
    /// Where congestion is seen, but at inputs with stops of their own.
    pub(crate) fn detect(self) -> Detect {
        match self.at_inputs {
            true => Detect::Inputs,
            false => Detect::Outputs,
        }
    }

    /// Every class, a bit each.
    pub(crate) fn all(self) -> ClassBits {
        all_of(self.classes)
    }
}

/// A bit for each of so many classes.
pub(crate) fn all_of(classes: u8) -> ClassBits {
    ClassBits::MAX >> (CLASSES_MAX as u8 - classes.clamp(1, CLASSES_MAX as u8))
}

/// Builds every link.
pub(crate) fn links(controls: &Controls<'_>, mistakes: &mut Diagnostics) -> Vec<LinkSpec> {
    let file = controls.file;
    let classes = classes(file, controls.ports, file.flow_control.stops());
    let mut commons = Commons::default();
    let mut side = |number: u32| {
        let channel = channel(controls, number, &classes, mistakes);
        commons.common(channel.into())
    };
    let joins = controls.net.links.iter().zip((0_u32..).step_by(2));
    joins
        .map(|(join, number)| LinkSpec {
            ends: [join.a, join.b],
            channels: [side(number), side(number + 1)],
        })
        .collect()
}

/// Classes that some queue marks.
pub(crate) fn marked(links: &[LinkSpec]) -> [bool; CLASSES_MAX] {
    let mut marked = [false; CLASSES_MAX];
    let channels = links.iter().flat_map(|link| &link.channels);
    for channel in channels {
        for (class, queue) in marked.iter_mut().zip(&channel.queues) {
            *class |= queue.ecn.is_some();
        }
    }
    marked
}

/// What is said of the queues of each class, wherever they are.
fn classes(file: &EthernetFile, ports: Ports, stops: Option<&Stops>) -> Vec<QueueSettings> {
    let buffer = &file.buffer;
    let common = QueueSettings {
        limit: *buffer.per_queue,
        xoff: stops.map(|stops| stops.xoff.clone()).unwrap_or_default(),
        xon: stops.map(|stops| stops.xon.clone()).unwrap_or_default(),
        mark_above: buffer.mark_above,
        ecn: buffer.ecn.clone(),
        rocc: buffer.rocc.clone(),
        when_full: buffer.when_full.clone(),
    };
    let of_class = |class: u8| {
        let own = file
            .classes
            .iter()
            .filter(|own| own.class.sure() == Some(&class));
        own.fold(common.clone(), |below, own| own.queues.over(&below))
    };
    (0..ports.classes).map(of_class).collect()
}

fn channel(
    controls: &Controls<'_>,
    number: u32,
    classes: &[QueueSettings],
    mistakes: &mut Diagnostics,
) -> ChannelSpec {
    let (file, net, ports) = (controls.file, controls.net, controls.ports);
    let own = net.settings(file, number);
    let wire = own.wire.over(&file.link.wire);
    // Without a rate nothing is run.
    let rate = wire.rate.unwrap_or(Rate(1));
    let delay = wire.delay.or(wire.cable).unwrap_or(DELAY.value);
    let (from, to) = net.ends(number);
    let port = Port {
        file,
        scheduler: own.scheduler.as_ref(),
        rate,
        ports,
        held: controls.held(from),
        stopped: controls.stopped(number),
        limited: controls.limited(number, to),
        name: net.channel_name(number),
    };
    let leaves_switch = net.is_switch(from);
    let counts_inputs = port.limited != 0 && !ports.is_shared && net.is_switch(to);
    let mut spec = ChannelSpec {
        rate,
        delay: delay.max(Duration(1)),
        errors: ErrorSpec {
            data_loss: wire.data_loss.unwrap_or_default(),
            control_loss: wire.control_loss.unwrap_or_default(),
            control_corruption: 0.0,
            from: wire.errors_from.unwrap_or_default(),
        },
        scheduler: own.scheduler.as_ref().unwrap_or(&file.scheduler).spec(),
        queues: Vec::new(),
        inputs: Vec::new(),
        credits: Vec::new(),
        counters: None,
        stopped: Default::default(),
    };
    // Stops of its own have thresholds of their own.
    let of_link = controls.own_stops(number);
    let of_link = of_link.map(|stops| self::classes(file, ports, Some(stops)));
    let classes = of_link.as_deref().unwrap_or(classes);
    let classes: Vec<QueueSettings> = classes.iter().map(|class| own.queues.over(class)).collect();
    // As much room as there are classes: a large network has many ports.
    let by_class = (0_u8..).zip(&classes);
    let queues = by_class
        .clone()
        .map(|(class, settings)| port.queue(class, settings, leaves_switch, mistakes));
    spec.queues = queues.collect();
    if counts_inputs {
        let inputs = by_class.map(|(class, settings)| port.input(class, settings, mistakes));
        spec.inputs = inputs.collect();
    }
    spec
}

struct Port<'r> {
    file: &'r EthernetFile,
    /// That of its link, if it has one.
    scheduler: Option<&'r Scheduler>,
    rate: Rate,
    ports: Ports,
    /// Classes that have credit, or stops of a link alone, over some link into the switch that it
    /// leaves: inputs hold them.
    held: ClassBits,
    /// Classes that are stopped for what came over it.
    stopped: ClassBits,
    /// Classes with memory of their own behind it, and no credit for that.
    limited: ClassBits,
    name: String,
}

impl Port<'_> {
    fn is_lossless(&self, class: u8) -> bool {
        self.ports.lossless & 1 << class != 0
    }

    /// What the file says of a class.
    fn class(&self, class: u8) -> Option<&Classes> {
        let mut own = self.file.classes.iter();
        let own = own.find(|own| own.class.sure() == Some(&class));
        own.map(|own| &own.value)
    }

    /// Bytes a round of a class: what the link says holds for all, then what the class says.
    fn quantum(&self, class: u8) -> u32 {
        let of_class = self.class(class);
        let of_class = of_class.and_then(|own| own.service.quantum.as_ref());
        let (of_link, of_all) = match self.scheduler {
            Some(scheduler) => (scheduler.quantum(), None),
            None => (None, self.file.scheduler.quantum()),
        };
        let given = of_link.or(of_class).or(of_all);
        given.copied().unwrap_or(QUANTUM.value)
    }

    fn queue(
        &self,
        class: u8,
        settings: &QueueSettings,
        leaves_switch: bool,
        mistakes: &mut Diagnostics,
    ) -> QueueSpec {
        let service = self.class(class).map(|own| &own.service);
        let reserve = service.and_then(|service| service.reserve.as_ref());
        let endless = QueueSpec {
            limit_bytes: None,
            high_bytes: u64::MAX,
            low_bytes: 0,
            priority: service.and_then(|own| *own.priority).unwrap_or_default(),
            quantum_bytes: self.quantum(class),
            reserve: reserve.map(|own| reserved(own, self.rate)),
            ecn: None,
            rocc: None,
            trim: None,
        };
        if !leaves_switch {
            return endless;
        }
        let ecn = self.ecn(class, settings, mistakes);
        let rocc = settings.rocc.as_ref();
        let rocc = rocc.map(|own| rates::point(own, self.rate, &self.name, mistakes));
        let has_credit = self.held & 1 << class != 0;
        let is_endless =
            self.ports.is_shared || has_credit || self.ports.at_inputs && self.is_lossless(class);
        let usual = (!is_endless).then(|| usual_bytes(self.rate));
        let has_limit = !self.ports.is_shared && !has_credit;
        let limit_bytes = settings.limit.or(usual).filter(|_| has_limit);
        let trim = self.trim(class, settings, mistakes);
        let queue = QueueSpec {
            limit_bytes,
            ecn,
            rocc,
            trim,
            ..endless
        };
        match limit_bytes {
            Some(limit) if self.is_lossless(class) && !self.ports.at_inputs => {
                let (high_bytes, low_bytes) = self.thresholds(class, settings, limit, mistakes);
                QueueSpec {
                    high_bytes,
                    low_bytes,
                    ..queue
                }
            }
            _ => queue,
        }
    }

    /// The class of the headers of what a class can't hold.
    fn trim(&self, class: u8, settings: &QueueSettings, mistakes: &mut Diagnostics) -> Option<u8> {
        let (named, at) = trims::asked(&settings.when_full)?;
        let port = trims::Port {
            classes: self.ports.classes,
            held_back: self.ports.lossless | self.held,
            is_shared: self.ports.is_shared,
        };
        trims::headers((named, at), (class, port), mistakes)
    }

    fn input(&self, class: u8, settings: &QueueSettings, mistakes: &mut Diagnostics) -> InputSpec {
        let given = self.file.buffer.per_input;
        let limit = given.unwrap_or_else(|| usual_bytes(self.rate));
        if self.stopped & 1 << class == 0 {
            return InputSpec {
                high_bytes: u64::MAX,
                low_bytes: 0,
                limit_bytes: (self.limited & 1 << class != 0).then_some(limit),
            };
        }
        let (high_bytes, low_bytes) = self.thresholds(class, settings, limit, mistakes);
        InputSpec {
            high_bytes,
            low_bytes,
            limit_bytes: Some(limit),
        }
    }

    /// XOFF and XON thresholds, which are shares of `limit` or bytes.
    fn thresholds(
        &self,
        class: u8,
        settings: &QueueSettings,
        limit: u64,
        mistakes: &mut Diagnostics,
    ) -> (u64, u64) {
        let (xoff_at, xon_at) = (&settings.xoff.at, &settings.xon.at);
        // One that could not be read is a mistake already told.
        let (Some(xoff), Some(xon)) = (xoff(&settings.xoff, limit), xon(&settings.xon, limit))
        else {
            return (limit, 0);
        };
        let place = || format!("queue `{}`, class {class}: {limit} B", self.name);
        if xoff >= limit {
            Diagnostic::error("bad-threshold", "`xoff` leaves no room above it")
                .at(xoff_at, format!("{xoff} B of a limit of {limit} B"))
                .note(place())
                .note("what comes before a stop takes effect needs room above `xoff`")
                .help("lower `xoff`, to `\"80 %\"` for example, or raise the limit")
                .tell(mistakes);
        }
        if xon > xoff || xoff == 0 {
            Diagnostic::error("bad-threshold", "`xon` is above `xoff`")
                .at(xon_at, format!("`xon` is {xon} B"))
                .at(xoff_at, format!("`xoff` is {xoff} B"))
                .note(place())
                .help("congestion begins above `xoff` and ends below `xon`: lower `xon`")
                .tell(mistakes);
        } else if xon == 0 {
            Diagnostic::error("bad-threshold", "congestion would never end")
                .at(xon_at, "no queue holds less than 0 B")
                .note(place())
                .help("raise `xon`: congestion ends when the queue holds less")
                .tell(mistakes);
        }
        (xoff, xon)
    }

    fn ecn(
        &self,
        class: u8,
        settings: &QueueSettings,
        mistakes: &mut Diagnostics,
    ) -> Option<EcnSpec> {
        if let Some(low_bytes) = settings.mark_above {
            return Some(EcnSpec {
                low_bytes,
                high_bytes: low_bytes + 1,
                probability: 1.0,
                at: MarkAt::Join,
            });
        }
        let slope = settings.ecn.as_ref()?;
        let (low_bytes, high_bytes) = (*slope.min.sure()?, *slope.max.sure()?);
        if low_bytes >= high_bytes {
            Diagnostic::error("bad-threshold", "marks end before they begin")
                .at(&slope.max.at, format!("{high_bytes} B"))
                .at(&slope.min.at, format!("{low_bytes} B"))
                .note(format!("queue `{}`, class {class}", self.name))
                .help("raise `max` above `min`, or use `mark_above` for a step")
                .tell(mistakes);
        }
        Some(EcnSpec {
            low_bytes,
            high_bytes,
            probability: slope.probability,
            at: match slope.at {
                switch::MarkAt::Join => MarkAt::Join,
                switch::MarkAt::Leave => MarkAt::Leave,
            },
        })
    }
}

/// What a class reserves at a port of this rate.
fn reserved(own: &Reserve, port: Rate) -> ReserveSpec {
    let rate = own.rate.of(port);
    ReserveSpec {
        rate: Rate(rate.0.max(1)),
        interval: None,
        burst_bytes: *own.burst,
        offset: Duration::ZERO,
        deadline: own.deadline,
    }
}

/// The XOFF threshold in bytes; `None` if it could not be read.
pub(crate) fn xoff(given: &Placed<Option<OrShare<u64>>>, limit: u64) -> Option<u64> {
    given.sure()?.unwrap_or(XOFF.value).of(limit)
}

/// The same of the XON threshold.
pub(crate) fn xon(given: &Placed<Option<OrShare<u64>>>, limit: u64) -> Option<u64> {
    given.sure()?.unwrap_or(XON.value).of(limit)
}

/// The paper's buffers: 70 kB at 10 Mbps, 500 kB at 100 Mbps, 1 MB at 1 Gbps and above.
pub(crate) fn usual_bytes(rate: Rate) -> u64 {
    match rate.0 {
        0..100_000_000 => SLOW.value,
        100_000_000..1_000_000_000 => MIDDLE.value,
        _ => FAST.value,
    }
}
