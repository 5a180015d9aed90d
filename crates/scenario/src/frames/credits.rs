//! Credit over the links into switches: its zones, from the loop of each link.
//!
//! The loop runs from the start of the largest frame of the class until the credit that knows of
//! it has come back. On the way back a credit frame may wait behind one frame: that is time in
//! which the link must be kept busy (N3), but not time that the sender must count (E). What it
//! counts are frames that arrive after the credit was written: whatever their size, those of the
//! last part of the loop, the way of the credit.

mod crowds;

use std::collections::BTreeMap;

use backwater_kernel::words::counted;
use backwater_kernel::{Channels, Duration, Time};
use backwater_net::frames::spec::{
    ClassCreditRule, ClassCreditSpec, CreditRule, CreditSpec, EthernetSpec, FRAME_LEAST_BYTES,
    largest_bytes,
};
use backwater_net::spec::CREDIT_MAX;

use super::controls::{Control, Controls, mask};
use super::counters;
use super::net::Net;
use super::way::{Told, away, in_per_cent, wire};
use crate::given::frames::flow_control::{Credits, FlowControl, Headroom, Owner};
use crate::given::frames::switch::Nodes;
use crate::language::kinds::OrWord;
use crate::network::law::{self, Growth};
use crate::prelude::*;

pub(crate) use crowds::small_frames;

/// Memory that all share has no place that is promised.
fn nothing_to_hold(control: Control<'_>) -> Diagnostic {
    let message = "shared memory can hold nothing back for credit";
    Diagnostic::error("bad-scheme", message)
        .at(control.at, "promises memory to each link and class")
        .note("whoever comes first takes what is shared (`[buffer]`, `shared`)")
        .help("leave `shared` out: each link and class then has what credit promises it")
}

/// So many lanes to spread flows over, and flows are not spread.
fn hash_lanes_alone(rules: &FlowControl) -> Option<Diagnostic> {
    let (lanes, count) = rules.owner()?;
    let at = count.place()?;
    let is_alone = **lanes != Owner::Hash;
    is_alone.then(|| {
        Diagnostic::no_meaning("hash_lanes", "without `lanes = \"hash\"`")
            .at(at, "no flows are hashed to lanes")
            .help("say `lanes = \"hash\"`, or leave it out")
    })
}

/// Gives every link into a switch its credit.
pub(crate) fn add(
    controls: &Controls<'_>,
    nodes: &BTreeMap<u32, &Nodes>,
    network: &mut EthernetSpec,
    mistakes: &mut Diagnostics,
) {
    counters::check_cells(controls, nodes, mistakes);
    let channels = 0..2 * network.links.len() as u32;
    let Some(first) = channels.clone().find(|id| controls.credited(*id) != 0) else {
        return;
    };
    if controls.file.buffer.shared.is_some() {
        return nothing_to_hold(controls.of(first)).tell(mistakes);
    }
    let largest = largest_bytes(network);
    let all = largest.iter().max().copied().unwrap_or(FRAME_LEAST_BYTES);
    let sent = mask(
        &network
            .flows
            .iter()
            .map(|flow| flow.class)
            .collect::<Vec<_>>(),
    );
    let (mut told, mut told_keys) = (Told::default(), Told::default());
    for id in channels {
        let (control, credited) = (controls.of(id), controls.credited(id));
        if credited != 0 {
            let found = hash_lanes_alone(control.rules);
            mistakes.extend(found.and_then(|found| told_keys.first(found)));
        }
        if credited != 0 && control.rules.lanes().is_some() {
            let own = nodes.get(&controls.net.ends(id).1).copied();
            counters::add(
                (controls, own),
                network,
                id,
                (&largest, sent),
                &mut told,
                mistakes,
            );
        }
        let Some(credits) = control.rules.credits().filter(|_| credited != 0) else {
            continue;
        };
        let classes = network.links.channel(id).queues.len();
        let mut own = Vec::new();
        for (class, largest) in (0..classes).zip(largest) {
            let has_credit = credited & 1 << class != 0;
            own.push(has_credit.then(|| {
                let way = Way::new(network, id, (largest, all), credits);
                let spec = way.spec(control.rules);
                let span = (network.warm_up, network.stop_at);
                // Credit of a class that sends nothing stands in nobody's way.
                let found = match sent & 1 << class {
                    0 => None,
                    _ => way.check(control, controls.net, (id, class), &spec, span),
                };
                mistakes.extend(found.and_then(|found| told.first(found)));
                spec
            }));
        }
        network.links.channel_mut(id).credits = own;
    }
    counters::reserves(controls, network, mistakes);
}

/// A link into a switch, for frames of a class.
struct Way<'a> {
    credits: &'a Credits,
    unit_bytes: u32,
    /// What its largest frame costs.
    most: u32,
    /// From the start of that until a credit frame that knows of it takes effect.
    window: Duration,
    /// The last part of it: from the start of the credit frame on.
    back: Duration,
    /// The same if the credit frame waits behind another frame first.
    whole: Duration,
    /// Time of that frame on the wire.
    frame: Duration,
    /// Time on the wire and cost of the frames that cost most for their time.
    dear: Vec<(Duration, u32)>,
    /// Most units that start within the window.
    crowd: u32,
}

impl<'a> Way<'a> {
    fn new(
        network: &EthernetSpec,
        id: u32,
        (largest, all): (u32, u32),
        credits: &'a Credits,
    ) -> Self {
        let wire = |id: u32, bytes: u32| wire(network, id, bytes);
        let away = |id: u32| away(network, id);
        let back = id ^ 1;
        let unit_bytes = credits.unit.map_or(largest, |unit| unit as u32);
        let (frame, credit) = (wire(id, largest), wire(back, FRAME_LEAST_BYTES));
        let way_back = credit + away(back);
        let window = frame + away(id) + way_back;
        let most = largest.div_ceil(unit_bytes);
        // The dearest frame for its time has one byte more than fits its units but one.
        let dear = |cost: u32| {
            let bytes = ((cost - 1) * unit_bytes + 1).max(FRAME_LEAST_BYTES);
            (wire(id, bytes), bytes.div_ceil(unit_bytes))
        };
        let mut way = Self {
            credits,
            unit_bytes,
            most,
            window,
            back: way_back,
            whole: window + wire(back, all),
            frame,
            dear: (1..=most).map(dear).collect(),
            crowd: 0,
        };
        way.crowd = way.starts_within(window);
        way
    }

    /// Most units that start within so long.
    fn starts_within(&self, span: Duration) -> u32 {
        let within = |(time, cost): &(Duration, u32)| {
            (u128::from(span.0) * u128::from(*cost)).div_ceil(u128::from(time.0.max(1)))
        };
        let most = self.dear.iter().map(within).max().unwrap_or(1);
        u32::try_from(most + u128::from(self.most)).unwrap_or(u32::MAX)
    }

    /// Units that pass during the loop at the full rate, in frames of the largest size; and those
    /// that may be left without being enough for another frame.
    fn full(&self) -> u32 {
        let units = u128::from(self.whole.0) * u128::from(self.most);
        let units = units.div_ceil(u128::from(self.frame.0.max(1)));
        u32::try_from(units + u128::from(self.most - 1)).unwrap_or(u32::MAX)
    }

    /// Largest frames that pass during the loop at the full rate.
    fn frames_in_loop(&self) -> f64 {
        self.whole.0 as f64 / self.frame.0.max(1) as f64
    }

    /// Share of the link that its largest frames get. Units of a frame are spent together and come
    /// back together, so the law of single cells holds of whole frames. N123 has one that grows;
    /// as its last credit is written, one frame is still held, which is being sent on.
    fn share(&self, rule: &CreditSpec, (from, until): (Time, Time)) -> (f64, Option<Growth>) {
        let zones = f64::from(rule.n2.saturating_add(rule.n3) / self.most);
        let told = rule
            .redundant_every
            .map_or(rule.n2, |every| every.min(rule.n2));
        let n2 = f64::from(told.div_ceil(self.most).max(1));
        let frames = self.frames_in_loop();
        if rule.rule != CreditRule::N123 {
            return (law::throughput(zones, n2, frames, 0.0), None);
        }
        let growth = Growth::new(zones, n2, frames, 1.0);
        let loops = |time: Time| time.ps() as f64 / self.whole.0.max(1) as f64;
        (growth.mean(loops(from), loops(until)), Some(growth))
    }

    fn spec(&self, control: &FlowControl) -> ClassCreditSpec {
        let n2 = self.credits.n2;
        let n3 = self.credits.n3.unwrap_or_else(|| self.full());
        let there = self.window.0 - self.back.0;
        let exact = |window: &Placed<OrWord<Duration>>| {
            let given = window.value.value().unwrap_or(self.window);
            Duration(given.0.saturating_sub(there).max(1))
        };
        let (rule, n1, window, resync_every) = match control {
            FlowControl::N23 { window, .. } => (CreditRule::N23, 0, exact(window), None),
            FlowControl::N123 { n1, .. } => {
                let n1 = n1.unwrap_or(self.crowd);
                (CreditRule::N123, n1, self.back, None)
            }
            FlowControl::N123Plus { window, n1, .. } => {
                let n1 = n1.unwrap_or(n2.saturating_add(n3));
                (CreditRule::N123Plus, n1, exact(window), None)
            }
            FlowControl::Cumulative { resync_every, .. } => {
                (CreditRule::Cumulative, 0, self.back, *resync_every)
            }
            FlowControl::Relative(_)
            | FlowControl::Cbfc { .. }
            | FlowControl::InfiniBand { .. }
            | FlowControl::Grains { .. }
            | FlowControl::None
            | FlowControl::Pause(_)
            | FlowControl::Pfc(_)
            | FlowControl::Destination { .. } => (CreditRule::Relative, 0, self.back, None),
        };
        ClassCreditSpec {
            owner: self.credits.lanes.over(*self.credits.hash_lanes),
            unit_bytes: self.unit_bytes,
            overhead_bytes: 0,
            rule: ClassCreditRule::Zones(CreditSpec {
                rule,
                n1,
                n2,
                n3,
                window,
                bind: (*self.credits.bind).into(),
                redundant_every: self.credits.redundant_every,
                refresh_every: self.credits.refresh_every,
                request_after: self.credits.request_after,
                resync_every,
                message_bytes: None,
            }),
        }
    }

    /// A window that is given, shorter than the loop or so long that the class may stop.
    fn wrong_window(
        &self,
        control: Control<'_>,
        rule: &CreditSpec,
        place: &str,
    ) -> Option<Diagnostic> {
        let window = control.rules.window()?;
        let given = window.value.value()?;
        let loop_ns = self.window.0.div_ceil(1_000);
        let about = |mistake: Diagnostic| {
            mistake
                .at(&window.at, format!("{} ns", given.0 / 1_000))
                .note(format!("the loop is {loop_ns} ns ({place})"))
                .help("write `window = \"exact\"`, the default")
        };
        if given < self.window {
            let meant = *self.credits.headroom == Headroom::Unchecked;
            let message = "a window shorter than the control loop overflows".into();
            let mistake = Diagnostic::error_unless(meant, "window-too-short", message);
            let help = "to measure the overflow, say `headroom = \"unchecked\"`";
            return Some(about(mistake).help(help));
        }
        // Frames that were counted and are gone keep the last credit for themselves.
        let late = Duration(given.0 - self.window.0);
        let is_cured = rule.request_after.is_some() || rule.refresh_every.is_some();
        if late == Duration::ZERO
            || is_cured
            || self.starts_within(late) <= rule.n3.saturating_add(1)
        {
            return None;
        }
        let message = "the class may stop for ever: the window is far longer than the loop";
        let mistake = Diagnostic::warning("window-too-long", message);
        Some(about(mistake).help("or let the sender ask again, with `request_after`"))
    }

    /// More than the counters hold.
    fn too_large(
        &self,
        control: Control<'_>,
        rule: &CreditSpec,
        place: &str,
    ) -> Option<Diagnostic> {
        let zones = [
            ("n1", rule.n1, control.at),
            ("n2", rule.n2, control.at),
            ("n3", rule.n3, &self.credits.n3.at),
        ];
        let sum: u64 = zones.iter().map(|(_, units, _)| u64::from(*units)).sum();
        let (key, _, at) = zones.into_iter().max_by_key(|(_, units, _)| *units)?;
        let message = "the zones together are more than the counters hold";
        (sum > CREDIT_MAX).then(|| {
            Diagnostic::error("too-large", message)
                .at(at, format!("N1 + N2 + N3 = {}", counted(sum, "unit")))
                .note(format!(
                    "N1 = {}, N2 = {}, N3 = {} for {place}; {CREDIT_MAX} units at most together",
                    rule.n1, rule.n2, rule.n3
                ))
                .help(format!("lower `{key}`, or count in larger units (`unit`)"))
        })
    }

    /// What can't work, or works badly.
    fn check(
        &self,
        control: Control<'_>,
        net: &Net<'_>,
        (id, class): (u32, usize),
        spec: &ClassCreditSpec,
        span: (Time, Time),
    ) -> Option<Diagnostic> {
        let place = format!("link `{}`, class {class}", net.channel_name(id));
        let rule = spec.zones()?;
        let zone = &self.credits.n3.at;
        let meant = *self.credits.headroom == Headroom::Unchecked;
        let found = if let Some(wrong) = self.too_large(control, rule, &place) {
            wrong
        } else if rule.n3.saturating_add(1) < self.most {
            let least = self.most - 1;
            Diagnostic::error(
                "zone-too-small",
                "the credit would never do for a full frame",
            )
            .at(zone, format!("N3 = {}", counted(rule.n3, "unit")))
            .note(format!(
                "a frame costs up to {} of {} B; {} may be free and not yet announced ({place})",
                counted(self.most, "unit"),
                spec.unit_bytes,
                rule.n2 - 1
            ))
            .help(format!("write `n3 = {least}` or more, or leave it out"))
        } else if let Some(wrong) = self.wrong_window(control, rule, &place) {
            wrong
        } else if rule.rule == CreditRule::N123 && rule.n1 < self.crowd {
            let missing = self.crowd - rule.n1;
            let message = format!(
                "N1 is {} too small: frames may be lost",
                counted(missing, "unit")
            );
            Diagnostic::error_unless(meant, "zone-too-small", message)
                .at(control.at, format!("N1 = {}", counted(rule.n1, "unit")))
                .note(format!("as many can start within the loop ({place})"))
                .help(format!("write `n1 = {}`, or leave it out", self.crowd))
        } else {
            return self.slow(rule, span, &place);
        };
        Some(found)
    }

    /// The credit of a class that its link waits for.
    fn slow(&self, rule: &CreditSpec, span: (Time, Time), place: &str) -> Option<Diagnostic> {
        let units = self.frames_in_loop() * f64::from(self.most);
        let (share, growth) = self.share(rule, span);
        // Of several lanes one alone need not fill the link.
        let is_alone = *self.credits.lanes == Owner::Class;
        if share > 0.9 || !self.credits.n3.is_given || !is_alone {
            return None;
        }
        // What N123+ takes off is what has come within the loop: frames that are still on
        // their way may have credit twice.
        let about = match rule.rule {
            CreditRule::N123Plus => "at least",
            _ => "about",
        };
        let grows = growth.filter(|growth| growth.loops.is_finite());
        let grows = grows.map(|growth| {
            format!(
                "from {} % on, each loop has {} more: the link is full after {:.3} ms",
                in_per_cent(growth.first),
                counted(growth.cells.round() as u64, "frame"),
                growth.loops * self.whole.0 as f64 / 1e9
            )
        });
        let slow = Diagnostic::warning("slow", "the credit is spent before more of it comes back")
            .at(
                &self.credits.n3.at,
                format!("N2 + N3 = {}", counted(rule.n2 + rule.n3, "unit")),
            )
            .note(format!(
                "a loop takes {units:.1} units: {about} {} % of the link ({place})",
                in_per_cent(share)
            ))
            .note_if(grows)
            .help(format!("N3 = {} keeps the link busy", self.full()));
        Some(slow)
    }
}
