//! What the oracle refuses to run.

use std::fmt;

use backwater_kernel::{Duration, Time};
use backwater_net::spec::{
    ChannelSpec, CreditSpec, EnvelopeRule, ErrorSpec, Excess, FlowControlSpec, FlowSpec,
    NetworkSpec, OnAlarm, SchedulerSpec, SinkSpec, SourceControlSpec, Span, TrafficSpec,
};

/// Why a run has no result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Problem {
    /// The network is inconsistent, or uses something the oracle doesn't know.
    Unsupported(String),
    /// A unit found a buffer with a `Drop` limit full.
    Overflow {
        /// Flow of the unit.
        flow: u32,
        /// Index in the flow's legs.
        leg: u32,
        /// When it arrived, in picoseconds.
        at_ps: u64,
    },
    /// More instants than the oracle's limit; shorten the run.
    TooLong,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Unsupported(what) => write!(f, "not supported: {what}"),
            Problem::Overflow { flow, leg, at_ps } => {
                write!(
                    f,
                    "buffer of flow {flow}, leg {leg} overflows at {at_ps} ps"
                )
            }
            Problem::TooLong => write!(f, "the run has too many instants"),
        }
    }
}

impl std::error::Error for Problem {}

type Checked = Result<(), Problem>;

fn require(holds: bool, otherwise: impl FnOnce() -> String) -> Checked {
    if holds {
        Ok(())
    } else {
        Err(Problem::Unsupported(otherwise()))
    }
}

/// From- and to-node of every channel.
pub(crate) fn channel_ends(spec: &NetworkSpec) -> Vec<(u32, u32)> {
    let ends = |link: &backwater_net::spec::LinkSpec| {
        [(link.ends[0], link.ends[1]), (link.ends[1], link.ends[0])]
    };
    spec.links.iter().flat_map(ends).collect()
}

/// The channels in order of their index.
pub(crate) fn channels(spec: &NetworkSpec) -> Vec<&ChannelSpec> {
    spec.links.iter().flat_map(|link| &link.channels).collect()
}

pub(crate) fn check(spec: &NetworkSpec) -> Checked {
    require(spec.stop_at < Time::MAX, || "a run without end".into())?;
    for (index, (from, to)) in channel_ends(spec).into_iter().enumerate() {
        let known = |node: u32| (node as usize) < spec.nodes.len();
        require(known(from) && known(to), || {
            format!("channel {index}: no such node")
        })?;
    }
    for (index, channel) in channels(spec).into_iter().enumerate() {
        check_channel(index, channel)?;
    }
    for (index, flow) in spec.flows.iter().enumerate() {
        check_tree(spec, index, flow)?;
        check_traffic(index, &flow.traffic)?;
        check_edges(index, flow)?;
        check_ways(spec, index, flow)?;
        require(flow.source_control == SourceControlSpec::None, || {
            format!("flow {index}: source control")
        })?;
        require(!matches!(flow.sink, SinkSpec::Stalling { .. }), || {
            format!("flow {index}: stalling sinks")
        })?;
    }
    Ok(())
}

fn check_channel(index: usize, channel: &ChannelSpec) -> Checked {
    let errors = channel.errors;
    let chances = [
        errors.data_loss,
        errors.control_loss,
        errors.control_corruption,
    ];
    let sound = chances.iter().all(|chance| (0.0..=1.0).contains(chance));
    require(sound, || format!("channel {index}: no chances"))?;
    require(channel.delay > Duration::ZERO, || {
        format!("channel {index}: no delay")
    })?;
    let warns = match channel.scheduler {
        SchedulerSpec::VirtualClock(spec) => spec.alarm_bytes,
        _ => None,
    };
    require(warns != Some(0), || {
        format!("channel {index}: empty warnings")
    })
}

/// Nothing may be lost of a session, and nothing can be said of a unit that is made again as often
/// as it is dropped.
fn check_ways(spec: &NetworkSpec, index: usize, flow: &FlowSpec) -> Checked {
    let channels = channels(spec);
    for leg in &flow.legs {
        let errors = [leg.channel, leg.channel ^ 1].map(|at| channels[at as usize].errors);
        let loses = |errors: &ErrorSpec| errors.control_loss + errors.control_corruption > 0.0;
        let is_lost = flow.session.is_some() && errors.iter().any(loses);
        require(!is_lost, || format!("flow {index}: messages get lost"))?;
        let drops = SchedulerSpec::Ats {
            max_residence: None,
        };
        let scheduler = channels[leg.channel as usize].scheduler;
        let is_ats = matches!(scheduler, SchedulerSpec::Ats { .. }) && scheduler != drops;
        let is_greedy = matches!(flow.traffic, TrafficSpec::Greedy { .. });
        require(!(is_ats && is_greedy && leg.parent.is_none()), || {
            format!("flow {index}: units without end that are dropped")
        })?;
    }
    let heeds = flow.on_alarm != OnAlarm::Ignore;
    require(!heeds || flow.reserve.is_some(), || {
        format!("flow {index}: it heeds warnings and reserves nothing")
    })
}

fn check_edges(index: usize, flow: &FlowSpec) -> Checked {
    let say = |what: &str| format!("flow {index}: {what}");
    for gate in flow.envelope.iter().chain(&flow.policer) {
        let sound = match gate.rule {
            EnvelopeRule::FixedWindow {
                units, interval, ..
            }
            | EnvelopeRule::SlidingWindow { units, interval } => {
                units > 0 && interval > Duration::ZERO
            }
            EnvelopeRule::Bucket { rate, .. } => rate.0 > 0,
        };
        require(sound, || say("nothing may pass"))?;
    }
    let frozen = flow
        .policer
        .is_some_and(|gate| gate.excess == Excess::Freeze);
    require(!frozen, || say("a policer that freezes"))?;
    let is_said = flow.session.is_none_or(|one| one.message_bytes > 0);
    require(is_said, || say("empty messages"))?;
    let rates = flow.reserve.is_none_or(|reserve| reserve.rate.0 > 0);
    require(rates && flow.unit_bytes > 0, || say("no rate or no size"))
}

fn check_tree(spec: &NetworkSpec, index: usize, flow: &FlowSpec) -> Checked {
    let ends = channel_ends(spec);
    require((flow.source as usize) < spec.nodes.len(), || {
        format!("flow {index}: no such source")
    })?;
    for (number, leg) in flow.legs.iter().enumerate() {
        let place = || format!("flow {index}, leg {number}");
        let Some(&(from, _)) = ends.get(leg.channel as usize) else {
            return require(false, || format!("{}: no such channel", place()));
        };
        let above = match leg.parent {
            None => flow.source,
            Some(parent) => {
                let earlier = (parent as usize) < number;
                require(earlier, || {
                    format!("{}: its parent doesn't precede it", place())
                })?;
                ends[flow.legs[parent as usize].channel as usize].1
            }
        };
        require(from == above, || {
            format!("{}: doesn't start where its parent ends", place())
        })?;
        if let FlowControlSpec::Credit(credit) = &leg.flow_control {
            let (_, to) = ends[leg.channel as usize];
            require(spec.nodes[to as usize].pool.is_none(), || {
                format!("{}: credit for a pool", place())
            })?;
            check_credit(credit)
                .map_err(|what| Problem::Unsupported(format!("{}: {what}", place())))?;
        }
    }
    Ok(())
}

fn check_credit(credit: &CreditSpec) -> Result<(), &'static str> {
    if credit.n2 == 0 || credit.redundant_every == Some(0) {
        return Err("credit units every 0 units");
    }
    let zero = Some(Duration::ZERO);
    if credit.request_after == zero || credit.refresh_every == zero {
        return Err("a timer of zero");
    }
    if credit.resync_every == Some(0) {
        return Err("statements every 0 units");
    }
    Ok(())
}

fn check_traffic(index: usize, traffic: &TrafficSpec) -> Checked {
    let sound = match *traffic {
        TrafficSpec::Silent | TrafficSpec::Greedy { .. } => true,
        TrafficSpec::Constant {
            interval,
            random_phase,
            ..
        } => {
            require(!random_phase, || format!("flow {index}: a random phase"))?;
            interval > Duration::ZERO
        }
        TrafficSpec::Poisson {
            mean_interval,
            min_interval,
            ..
        } => mean_interval > min_interval,
        TrafficSpec::OnOff {
            on,
            off,
            on_interval,
            off_interval,
            ..
        } => {
            let (Span::Fixed(on), Span::Fixed(off)) = (on, off) else {
                return require(false, || format!("flow {index}: random spans"));
            };
            let cycle = on.checked_add(off);
            cycle.is_some_and(|cycle| cycle > Duration::ZERO)
                && on_interval > Duration::ZERO
                && off_interval != Some(Duration::ZERO)
        }
        _ => return require(false, || format!("flow {index}: this kind of traffic")),
    };
    require(sound, || {
        format!("flow {index}: intervals must be above zero")
    })
}
