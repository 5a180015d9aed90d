//! What makes a lossless class lose frames however much room there is.

use std::collections::BTreeSet;

use backwater_kernel::Duration;
use backwater_kernel::time::PS_PER_SECOND;
use backwater_kernel::{Channels, Rate, words::counted};
use backwater_net::frames::spec::{
    BackPressureSpec, CLASSES_MAX, Message, NodeKind, QUANTUM_BITS, WatchdogAction,
};

use super::lossless::{Whole, channel_of};
use crate::given::frames::flow_control::Stops;
use crate::language::suggest;
use crate::prelude::*;

/// Places that a message lists.
const LISTED: usize = 4;

/// Nodes and classes that may lose frames.
type Places = BTreeSet<(u32, u8)>;

/// A reason to lose frames.
struct Threat<'a> {
    code: &'static str,
    message: &'static str,
    /// Where, and what is there.
    labels: Vec<(&'a At, String)>,
    notes: Vec<String>,
    help: &'static str,
    /// It is shown as a warning where loss is intended.
    is_told_if_meant: bool,
    places: Places,
}

/// Tells all of them.
pub(super) fn check(look: &Whole<'_>, mistakes: &mut Diagnostics) {
    drawn(look, mistakes);
    ignored(look, mistakes);
    lost_stops(look, mistakes);
    if let Some(stops) = look.file.flow_control.stops() {
        time_out(look, stops, mistakes);
    }
    watchdogs(look, mistakes);
    short_stops(look, mistakes);
}

impl Threat<'_> {
    fn tell(self, look: &Whole<'_>, mistakes: &mut Diagnostics) {
        let is_meant = |(node, class): &&(u32, u8)| look.consent.is_meant(*node, *class);
        let (meant, lost): (Vec<_>, Vec<_>) = self.places.iter().partition(is_meant);
        let is_meant = lost.is_empty();
        let places = if is_meant { meant } else { lost };
        if places.is_empty() || is_meant && !self.is_told_if_meant {
            return;
        }
        let mut told = Diagnostic::error_unless(is_meant, self.code, self.message.into());
        for (at, label) in self.labels {
            told = told.at(at, label);
        }
        for note in self.notes {
            told = told.note(note);
        }
        let named =
            |(node, class): &&(u32, u8)| format!("class {class} at `{}`", look.net.name(*node));
        let more = |more| format!(" and {}", counted(more, "more place"));
        let listed = suggest::first(&places, LISTED, named, more);
        told = told.note(format!("affected: {listed}"));
        let class = places[0].1;
        mistakes.push(
            told.help(self.help)
                .help_if((!is_meant).then(|| consent(class))),
        );
    }
}

/// How to say that loss is intended.
pub(super) fn consent(class: u8) -> String {
    format!(
        "if the loss is intended, say `headroom = \"unchecked\"` in `[flow_control]`, or in \
         `[[classes]]` for class {class} alone, with `headroom_at` for some places"
    )
}

impl Whole<'_> {
    /// May a control frame that starts on a channel be lost?
    fn loses_control(&self, channel: u32) -> bool {
        let mut outages = self.spec.outages.iter();
        self.spec.links.channel(channel).errors.control_loss > 0.0
            || outages.any(|outage| outage.channel == channel)
    }

    /// The rules by which who sends a class over a channel is kept from sending too much.
    fn rules(&self, channel: u32, class: u8) -> Option<&BackPressureSpec> {
        self.stops_over(channel)
            .filter(|rules| rules.watches(class))
    }

    /// Is a class lossless at a node, by stops?
    fn is_kept(&self, node: u32, class: u8) -> bool {
        self.stops_of(node).any(|rules| rules.watches(class))
    }

    /// Queues of switches that stop for what they hold of a class: channel and class, with the
    /// rules.
    fn queues(&self) -> impl Iterator<Item = (u32, u8, &BackPressureSpec)> {
        self.crossings.crossed().filter_map(|(channel, class)| {
            let rules = self.stops_at_outputs(self.net.ends(channel).0)?;
            Some((channel, class, rules)).filter(|_| rules.watches(class))
        })
    }
}

/// Random draws may miss those that fill the queue.
fn drawn(look: &Whole<'_>, mistakes: &mut Diagnostics) {
    let Some(choose) = look.file.flow_control.choose() else {
        return;
    };
    let mut places = Places::new();
    for (channel, class, rules) in look.queues() {
        let load = look.crossings.on(channel, class);
        if rules.is_drawn() && load.is_some_and(|load| load.destinations > 1) {
            places.insert((look.net.ends(channel).0, class));
        }
    }
    Threat {
        code: "headroom",
        message: "stops drawn at random may miss what fills a queue",
        labels: vec![(&choose.at, "those not drawn go on sending".into())],
        notes: vec!["no headroom is enough where several destinations share a queue".into()],
        help: "leave `choose` out: all that are found in the queue are stopped",
        is_told_if_meant: true,
        places,
    }
    .tell(look, mistakes);
}

/// Nodes that ignore stops.
fn ignored(look: &Whole<'_>, mistakes: &mut Diagnostics) {
    for own in look.file.nodes.iter().filter(|own| *own.ignores_stops) {
        let named = own.name.iter();
        let nodes: BTreeSet<u32> = named
            .filter_map(|(name, at)| look.net.find(name, at).ok())
            .collect();
        let mut places = Places::new();
        for (channel, class) in look.crossings.crossed() {
            let (from, to) = look.net.ends(channel);
            if nodes.contains(&from) && look.rules(channel, class).is_some() {
                places.insert((to, class));
            }
        }
        Threat {
            code: "ignores-stops",
            message: "a node ignores stops: queues it feeds may overflow",
            labels: vec![(&own.ignores_stops.at, "no headroom is enough for it".into())],
            notes: vec![
                "a time-out (`flow_control.time_out`) keeps others from waiting for it".into(),
            ],
            help: "leave `ignores_stops` out, unless it is what the scenario shows",
            is_told_if_meant: true,
            places,
        }
        .tell(look, mistakes);
    }
}

/// Wires that lose stops.
fn lost_stops(look: &Whole<'_>, mistakes: &mut Diagnostics) {
    let (mut places, mut links) = (Places::new(), BTreeSet::new());
    for (channel, class) in look.crossings.crossed() {
        let to = look.net.ends(channel).1;
        if look.rules(channel, class).is_some() && look.loses_control(channel ^ 1) {
            places.insert((to, class));
            links.insert(channel / 2);
        }
    }
    let joins = links.iter().map(|link| &look.net.links[*link as usize]);
    let labels = joins.take(LISTED).map(|join| {
        let label = "`control_loss` or `outages` lose control frames here";
        (&join.at, label.into())
    });
    Threat {
        code: "lost-stops",
        message: "a stop may be lost: whom it was for goes on sending",
        labels: labels.collect(),
        notes: vec!["no headroom is enough for as long as a stop is not said again".into()],
        help: "leave `control_loss` and `outages` out of these links, unless they are what the \
               scenario shows",
        is_told_if_meant: true,
        places,
    }
    .tell(look, mistakes);
}

/// Neighbours that are released send into queues that are still congested.
fn time_out(look: &Whole<'_>, stops: &Stops, mistakes: &mut Diagnostics) {
    let given_up = look
        .queues()
        .filter(|(_, _, rules)| rules.time_out.is_some());
    let places = given_up.map(|(channel, class, _)| (look.net.ends(channel).0, class));
    Threat {
        code: "time-out",
        message: "neighbours released by a time-out may overflow the queue that stopped them",
        labels: vec![(
            &stops.time_out.at,
            "ends stops while congestion lasts".into(),
        )],
        notes: Vec::new(),
        help: "leave `time_out` out",
        is_told_if_meant: false,
        places: places.collect(),
    }
    .tell(look, mistakes);
}

/// Watchdogs drop what waits, or send it to those who stopped it.
fn watchdogs(look: &Whole<'_>, mistakes: &mut Diagnostics) {
    let (mut common, mut own) = (Places::new(), vec![Places::new(); look.spec.nodes.len()]);
    let given: BTreeSet<u32> = watched(look).map(|(node, _)| node).collect();
    for (channel, class) in look.crossings.crossed() {
        let (from, to) = look.net.ends(channel);
        let Some(watchdog) = look.spec.nodes[from as usize].watchdog else {
            continue;
        };
        if !may_be_stopped(look, channel, class) {
            continue;
        }
        let loser = match watchdog.action {
            WatchdogAction::Drop => from,
            WatchdogAction::Forward => to,
        };
        let is_switch = look.net.is_switch(loser);
        let is_lossless = match is_switch {
            true => look.is_kept(loser, class),
            // Only a watchdog of its own makes a host drop.
            false => loser == from && look.is_lossless(class),
        };
        if is_lossless {
            let places = match given.contains(&from) {
                true => &mut own[from as usize],
                false => &mut common,
            };
            places.insert((loser, class));
        }
    }
    let threat = |at, places| Threat {
        code: "watchdog",
        message: "a watchdog makes lossless classes lose frames",
        labels: vec![(at, "drops, or sends what was stopped".into())],
        notes: Vec::new(),
        help: "leave it out",
        is_told_if_meant: false,
        places,
    };
    if let Some(watchdog) = &look.file.watchdog {
        threat(&watchdog.action.at, common).tell(look, mistakes);
    }
    for (node, at) in watched(look) {
        let places = std::mem::take(&mut own[node as usize]);
        threat(at, places).tell(look, mistakes);
    }
}

/// Nodes with a watchdog of their own, and where it stands.
fn watched<'a>(look: &Whole<'a>) -> impl Iterator<Item = (u32, &'a At)> {
    let net = look.net;
    look.file.nodes.iter().flat_map(move |own| {
        let named = own.watchdog.place().map(|at| (at, own.name.iter()));
        let named = named
            .into_iter()
            .flat_map(|(at, names)| names.map(move |name| (at, name)));
        named.filter_map(move |(at, (name, place))| Some((net.find(name, place).ok()?, at)))
    })
}

/// Does a port obey stops of a class that the node behind it may send?
fn may_be_stopped(look: &Whole<'_>, channel: u32, class: u8) -> bool {
    let by = channel_of(look.spec, channel).stopped.by;
    match &look.spec.nodes[look.net.ends(channel).1 as usize].kind {
        NodeKind::Switch(switch) => {
            let rules = switch.stops.over(channel);
            rules.is_some_and(|rules| rules.holds(class))
        }
        NodeKind::Station { storm } => storm.is_some_and(|storm| by.in_storm(storm.classes, class)),
    }
}

/// A stop of so many quanta on its way to one input.
struct Lasting {
    /// How long it lasts.
    lasts: Duration,
    /// When it is sent again, and how late that may come.
    again: Option<(Duration, Duration)>,
}

impl Lasting {
    /// It may end before it is sent again.
    fn is_short(&self, run: Duration) -> bool {
        match self.again {
            None => self.lasts < run,
            Some((every, late)) => every.0.saturating_add(late.0) > self.lasts.0,
        }
    }
}

/// Stops that may end while congestion lasts.
fn short_stops(look: &Whole<'_>, mistakes: &mut Diagnostics) {
    let run = Duration(look.spec.stop_at.0);
    let most = gates(look);
    let mut places = Places::new();
    let mut worst: Option<(u32, Lasting)> = None;
    for (input, class) in look.crossings.crossed() {
        let node = look.net.ends(input).1;
        let rules = look.rules(input, class);
        let Some(stop) = rules.and_then(|rules| lasting(look, rules, (input, class), most)) else {
            continue;
        };
        if stop.is_short(run) {
            places.insert((node, class));
            if worst
                .as_ref()
                .is_none_or(|(_, worst)| stop.lasts < worst.lasts)
            {
                worst = Some((input, stop));
            }
        }
    }
    let worst = worst.and_then(|(input, stop)| {
        let stops = look.controls.of(input).rules.stops()?;
        Some((input, stop, stops))
    });
    let Some((input, stop, stops)) = worst else {
        return;
    };
    let from = look.net.name(look.net.ends(input).0);
    let again = match stop.again {
        None => "it is not sent again".into(),
        Some((every, late)) => format!(
            "sent again after {:.6} ms, which may come {:.6} ms late",
            ms(every),
            ms(late)
        ),
    };
    Threat {
        code: "short-stop",
        message: "a stop may end while congestion lasts",
        labels: vec![
            (
                &stops.quanta.at,
                format!("{:.6} ms for `{from}`", ms(stop.lasts)),
            ),
            (&stops.refresh.at, again),
        ],
        notes: vec![
            "quanta are bit times of each link: slow neighbours stop longer".into(),
            "a stop waits for the frame ahead of it, and takes 84 bytes on the wire".into(),
        ],
        help: "leave `refresh` at `\"50 %\"`, and raise `quanta`",
        is_told_if_meant: true,
        places,
    }
    .tell(look, mistakes);
}

fn lasting(
    look: &Whole<'_>,
    rules: &BackPressureSpec,
    (input, class): (u32, u8),
    most: u64,
) -> Option<Lasting> {
    let Message::Quanta {
        quanta,
        refresh_percent,
    } = rules.message
    else {
        return None;
    };
    let lasts = bits(
        u64::from(quanta) * QUANTUM_BITS,
        channel_of(look.spec, input).rate,
    );
    let again = refresh_percent.and_then(|percent| {
        let stop = look.stop(input, class)?;
        let every = Duration(lasts.0 / 100 * u64::from(percent));
        // All that can be said to this neighbour may be said at once.
        let said = look.control(input).0.saturating_mul(most);
        let said = said.max(stop.queued.0.saturating_add(stop.control.0));
        Some((every, Duration(stop.ahead.0.saturating_add(said))))
    });
    Some(Lasting { lasts, again })
}

/// Control frames that can be said to a neighbour at once: one for the port or all its classes,
/// or one for each destination.
fn gates(look: &Whole<'_>) -> u64 {
    let by_destination = look.all_stops().any(BackPressureSpec::is_by_destination);
    // Asked once for each class: there may be as many switches to look for as flows.
    let lossless: [bool; CLASSES_MAX] = std::array::from_fn(|class| look.is_lossless(class as u8));
    let flows = (0..).zip(&look.spec.flows);
    let flows = flows.filter(|(_, flow)| lossless.get(usize::from(flow.class)) == Some(&true));
    let mut gates = BTreeSet::new();
    for (number, flow) in flows {
        let is_connection = flow.transport.is_connection();
        let ends = [
            Some(flow.address(number)),
            Some(flow.source).filter(|_| is_connection),
        ];
        gates.extend(ends.into_iter().flatten().map(|end| match by_destination {
            true => (flow.class, end),
            false => (0, 0),
        }));
    }
    gates.len() as u64
}

fn bits(bits: u64, rate: Rate) -> Duration {
    let ps = u128::from(bits) * u128::from(PS_PER_SECOND) / u128::from(rate.0.max(1));
    Duration(u64::try_from(ps).unwrap_or(u64::MAX))
}

fn ms(span: Duration) -> f64 {
    span.seconds() * 1_000.0
}
