//! What can't work, or hardly, in schedulers, pools, reservations and sessions.

mod guarantees;
mod refused;
mod reservations;

pub(crate) use reservations::{rate_text, rate_texts, rates_apart};

use backwater_kernel::Time;
use backwater_net::spec::{
    ExplicitRateSpec, FlowControlSpec, FlowSpec, OutageSpec, SchedulerSpec, TrafficSpec,
};

use crate::circuits::flows::Draft;
use crate::circuits::service;
use crate::circuits::topology::Graph;
use crate::given::circuits::PacketFile;
use crate::given::circuits::flows::FlowSettings;
use crate::given::circuits::service::{Resync, Scheduler, WhenFull};
use crate::prelude::*;
use backwater_kernel::words::counted;

/// Stamps stay below this: then a unit's time may be added, and differences fit 64 bits.
const LARGEST_STAMP: u128 = 1 << 62;

/// Checks the service of a sound network.
pub(crate) fn check(whole: &Whole<'_>, mistakes: &mut Diagnostics) {
    for (draft, flow) in whole.flows() {
        mistakes.extend(gaps(draft, flow));
    }
    whole.partners_in_sessions(mistakes);
    whole.sessions_cross(mistakes);
    whole.windows_that_close(mistakes);
    whole.greedy_before_ats(mistakes);
    whole.closed_loops(mistakes);
    mistakes.extend(whole.shared_without_limit());
    mistakes.extend(whole.shared_too_small());
    mistakes.extend(whole.threshold_without_meaning());
    mistakes.extend(whole.shared_and_credit());
    mistakes.extend(whole.priorities_in_fifo());
    mistakes.extend(whole.stamps());
    mistakes.extend(whole.over_reserved());
    mistakes.extend(whole.misbehaving());
    mistakes.extend(whole.nothing_reserved());
    whole.no_guarantee(mistakes);
    literal_resync(whole.file, mistakes);
}

/// The flows that leave through one port.
#[derive(Clone, Copy)]
pub(crate) struct Port {
    pub flows: u32,
    /// The first of them, and the first of another priority.
    first: u32,
    other: Option<u32>,
    /// Those that reserve, the one with least, and what all reserve that are there from the start.
    reserving: u32,
    least: u32,
    standing: u32,
    bits_per_second: u64,
}

/// Those of all channels.
pub(crate) fn ports(graph: &Graph, specs: &[FlowSpec]) -> Vec<Port> {
    let unused = Port {
        flows: 0,
        first: 0,
        other: None,
        reserving: 0,
        least: 0,
        standing: 0,
        bits_per_second: 0,
    };
    let mut ports = vec![unused; 2 * graph.links.len()];
    let rate = |flow: usize| specs[flow].reserve.map_or(u64::MAX, |r| r.rate.0);
    for (index, flow) in specs.iter().enumerate() {
        for leg in &flow.legs {
            let port = &mut ports[leg.channel as usize];
            if port.flows == 0 {
                port.first = index as u32;
            } else if specs[port.first as usize].priority != flow.priority {
                port.other.get_or_insert(index as u32);
            }
            port.flows += 1;
            let Some(reserve) = flow.reserve else {
                continue;
            };
            if port.reserving == 0 || reserve.rate.0 < rate(port.least as usize) {
                port.least = index as u32;
            }
            port.reserving += 1;
            if flow.session.is_none() {
                port.standing += 1;
                port.bits_per_second = port.bits_per_second.saturating_add(reserve.rate.0);
            }
        }
    }
    ports
}

/// A network that is sound in its parts, and what it was built from.
pub(crate) struct Whole<'a> {
    pub file: &'a Placed<PacketFile>,
    pub graph: &'a Graph,
    pub drafts: &'a [Draft<'a>],
    pub specs: &'a [FlowSpec],
    /// Those that tell sources rates, by channel.
    pub rate_ports: &'a [(u32, ExplicitRateSpec)],
    pub outages: &'a [OutageSpec],
    pub ports: Vec<Port>,
    pub warm_up: Time,
    pub stop_at: Time,
}

impl<'a> Whole<'a> {
    /// The flows, each with what it was built from.
    pub(crate) fn flows(&self) -> impl Iterator<Item = (&'a Draft<'a>, &'a FlowSpec)> + use<'a> {
        self.drafts.iter().zip(self.specs)
    }

    /// One of them.
    pub(crate) fn flow(&self, index: u32) -> (&'a Draft<'a>, &'a FlowSpec) {
        (&self.drafts[index as usize], &self.specs[index as usize])
    }
}

impl Whole<'_> {
    /// Ports in use with their channels.
    fn used(&self) -> impl Iterator<Item = (u32, &Port)> {
        let ports = self.ports.iter().enumerate();
        ports
            .filter(|(_, port)| port.flows > 0)
            .map(|(channel, port)| (channel as u32, port))
    }

    fn scheduler(&self, channel: u32) -> SchedulerSpec {
        self.graph.channel_spec(channel).scheduler
    }

    fn settings(&self, flow: u32) -> &FlowSettings {
        self.drafts[flow as usize].settings
    }

    fn scheduler_at(&self, channel: u32) -> At {
        service::scheduler_at(self.file, self.graph, channel)
    }

    fn partners_in_sessions(&self, mistakes: &mut Diagnostics) {
        for (draft, flow) in self.flows() {
            let Some(partner) = flow.partner else {
                continue;
            };
            if self.specs[partner as usize].session.is_none() {
                continue;
            }
            let name = &self.specs[partner as usize].name;
            Diagnostic::error(
                "bad-session",
                format!("`{name}` carries answers and can't be a session"),
            )
            .at(
                &self.settings(partner).session.at,
                format!("the partner of `{}`", draft.name),
            )
            .at(&draft.settings.partner.at, "named here")
            .note("answers would be lost until it is set up, or if it is refused")
            .help(format!(
                "leave its `session` out, and give it to `{}` instead",
                draft.name
            ))
            .tell(mistakes);
        }
    }

    fn shared_without_limit(&self) -> Option<Diagnostic> {
        let own = self.file.buffer.shared.as_ref()?;
        (own.units.is_none() && own.limit().is_none()).then(|| {
            Diagnostic::warning("no-limit", "the shared memory has no limit")
                .at(&self.file.buffer.shared.at, "neither `units` nor `bytes`")
                .help("add `units = 100` or `bytes = \"64 kB\"`, or leave `[buffer.shared]` out")
        })
    }

    /// `alpha` is a share of what is free: of units, where the unit that comes is what is dropped.
    fn threshold_without_meaning(&self) -> Option<Diagnostic> {
        let own = self.file.buffer.shared.as_ref()?;
        let pushes_out = own.when_full == WhenFull::PushOut;
        let at = own
            .alpha
            .place()
            .filter(|_| pushes_out || own.units.is_none())?;
        let (label, help) = match pushes_out {
            true => (
                "what comes is always taken in",
                "`when_full = \"tail-drop\"`",
            ),
            false => ("of how many units?", "`units = 100`"),
        };
        Diagnostic::no_meaning("alpha", "with this memory")
            .at(at, label)
            .note("a flow may hold `alpha` times the units that are free, or is refused")
            .help(format!("write {help}, or leave `alpha` out"))
            .into()
    }

    fn shared_too_small(&self) -> Option<Diagnostic> {
        let limit = self.file.buffer.shared.as_ref().and_then(|own| own.limit());
        let (key, limit_at) = limit?;
        let pools = self.graph.nodes.iter().filter_map(|node| node.pool);
        let bytes = pools.filter_map(|pool| pool.limit_bytes).min()?;
        let through = |flow: &FlowSpec| flow.legs.iter().any(|leg| leg.parent.is_some());
        let crossing = self.flows().filter(|(_, flow)| through(flow));
        let largest = crossing.max_by_key(|(_, flow)| flow.unit_bytes);
        let (draft, flow) = largest.filter(|(_, flow)| bytes < u64::from(flow.unit_bytes))?;
        let at = match flow.sizes.is_empty() {
            true => &draft.settings.unit_bytes.at,
            false => &draft.settings.sizes.at,
        };
        Diagnostic::error("shared-too-small", "the shared memory can't hold one unit")
            .at(limit_at, counted(bytes, "byte"))
            .at(
                at,
                format!(
                    "units of `{}` have {}",
                    draft.name,
                    counted(flow.unit_bytes, "byte")
                ),
            )
            .note("every such unit would be dropped")
            .help(format!("`{key} = \"{} B\"` or more", flow.unit_bytes))
            .into()
    }

    fn shared_and_credit(&self) -> Option<Diagnostic> {
        let pooled = |channel: u32| {
            let (_, to) = self.graph.ends(channel);
            self.graph.nodes[to as usize].pool.is_some()
        };
        let clashes = self.flows().filter_map(|(d, flow)| {
            let credit = |leg: &&backwater_net::spec::LegSpec| {
                leg.flow_control != FlowControlSpec::None && pooled(leg.channel)
            };
            flow.legs.iter().find(credit).map(|leg| (d, leg.channel))
        });
        let mut clashes = clashes.peekable();
        let (draft, channel) = clashes.peek().map(|(d, channel)| (*d, *channel))?;
        let (_, switch) = self.graph.ends(channel);
        let own = draft.settings.flow_control.as_ref();
        let tables = own.map(|own| &own.control).into_iter();
        let mut tables = tables.chain([&self.file.flow_control.value]);
        let kind = tables.find_map(|table| Some(&table.kind).filter(|own| own.is_given));
        Diagnostic::error(
            "shared-and-credit",
            format!(
                "`{}` has shared memory, and credit on `{}`",
                self.graph.name(switch),
                self.graph.channel_name(channel)
            ),
        )
        .at(&self.file.buffer.shared.at, "memory that all flows share")
        .at(
            kind.map_or(draft.table, |kind| &kind.at),
            "credit promises each flow memory of its own",
        )
        .note(format!(
            "{} with credit on the way into a switch",
            counted(clashes.count() as u64, "flow")
        ))
        .help("leave `[buffer.shared]` out, or use `flow_control.kind = \"none\"`")
        .into()
    }

    fn priorities_in_fifo(&self) -> Option<Diagnostic> {
        let fifo = |channel| self.scheduler(channel).ignores_priority();
        let mut mixed = self
            .used()
            .filter_map(|(channel, port)| Some((channel, port.first, port.other?)))
            .filter(|(channel, ..)| fifo(*channel));
        let (channel, first, other) = mixed.next()?;
        let name = self.graph.channel_name(channel);
        let said = |flow: u32| {
            let flow = &self.specs[flow as usize];
            format!("priority {} of `{}`", flow.priority, flow.name)
        };
        Diagnostic::error(
            "fifo-priority",
            format!("flows of different priority on `{name}`, served as they come"),
        )
        .at(&self.settings(other).priority.at, said(other))
        .at(&self.settings(first).priority.at, said(first))
        .at(&self.scheduler_at(channel), "fifo knows no priority")
        .note_if(more(mixed.count(), "port"))
        .help("use `scheduler.kind = \"strict-priority\"`: in order of arrival in each group")
        .into()
    }

    /// Virtual time runs up to channel rate / smallest rate of the port times as fast as time.
    fn stamps(&self) -> Option<Diagnostic> {
        use SchedulerSpec as S;
        let fast = |(channel, port): &(u32, &Port)| {
            if !matches!(self.scheduler(*channel), S::Wfq | S::Scfq | S::Sfq) {
                return false;
            }
            let stop = u128::from(self.stop_at.0);
            let least = self.specs[port.least as usize].reserve;
            let rate = u128::from(self.graph.channel_spec(*channel).rate.0);
            match least.filter(|_| port.reserving > 0) {
                Some(least) => stop * rate > LARGEST_STAMP * u128::from(least.rate.0),
                None => stop * u128::from(port.flows) > LARGEST_STAMP,
            }
        };
        let mut too_fast = self.used().filter(fast);
        let (channel, port) = too_fast.next()?;
        let at = match port.reserving {
            0 => self.scheduler_at(channel),
            _ => reserve_at(&self.drafts[port.least as usize]),
        };
        Diagnostic::error(
            "too-large",
            format!(
                "virtual time on `{}` would run past its end",
                self.graph.channel_name(channel)
            ),
        )
        .at(&at, "the smallest rate of this port")
        .at(&self.file.run.duration.at, "over so long a run")
        .note(
            "it may run channel rate / smallest rate times as fast as time, and reaches 2^62 \
                 ps (53 days)",
        )
        .help("shorten the run, reserve more, or use `virtual-clock` or `wf2q+`")
        .note_if(more(too_fast.count(), "port"))
        .into()
    }
}

/// Least and fixed gaps against the mean time between units.
fn gaps(draft: &Draft<'_>, flow: &FlowSpec) -> Option<Diagnostic> {
    let own = draft.table_of_traffic()?;
    let way_on = match flow.traffic {
        TrafficSpec::Poisson {
            mean_interval,
            min_interval,
            ..
        } if min_interval >= mean_interval => {
            "shorten it, offer less, or use `kind = \"constant\"`"
        }
        TrafficSpec::Trains { mean_pause, .. } if mean_pause.0 == 0 => {
            "leave it out for half the mean, or offer less"
        }
        _ => return None,
    };
    let (key, at, spacing) = own.bounded_gap()?;
    Diagnostic::error(
        "gap-too-long",
        format!("`{key}` is not shorter than the mean time between units"),
    )
    .at(at, "nothing is left to be random")
    .at(spacing.place().unwrap_or(&own.at), "sets the mean")
    .note(format!(
        "`{key}` must be shorter than the mean, which it does not change"
    ))
    .help(way_on)
    .into()
}

fn literal_resync(file: &PacketFile, mistakes: &mut Diagnostics) {
    for scheduler in service::schedulers(file) {
        let Scheduler::VirtualClock { resync, .. } = scheduler else {
            continue;
        };
        if **resync == Resync::Literal {
            Diagnostic::warning(
                "unsafe",
                "literal resynchronisation may reorder a flow and breaks bounds",
            )
            .at(&resync.at, "as section 3.1 of Zhang 1991 is written")
            .note(
                "auxVC is set back while units of the flow wait: later ones may get smaller \
                     stamps, and claim work twice",
            )
            .help("`resync = \"idle-link\"` is safe")
            .tell(mistakes);
        }
    }
}

/// Where the rate of a flow's reservation stands.
fn reserve_at(draft: &Draft<'_>) -> At {
    let own = draft.settings.reserve.as_ref();
    own.map_or(draft.table, |reserve| &reserve.rate.at).clone()
}

/// "the same holds for 2 more flows".
fn more(count: usize, what: &str) -> Option<String> {
    let what = if count == 1 {
        what.into()
    } else {
        format!("{what}s")
    };
    (count > 0).then(|| format!("the same holds for {count} more {what}"))
}
