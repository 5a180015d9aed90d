//! Control of a queue pair: from what the file says to absolute values.

use backwater_ends::spec::rates::{
    Clamp, DcqcnForm, DcqcnProfile, DcqcnSpec, HpccSpec, NsccSpec, RoccSpec, Segment, SwiftSpec,
    TimelyForm, TimelySpec,
};
use backwater_ends::spec::{Notify, RateControlSpec};
use backwater_kernel::{Channels, Duration, Rate};
use backwater_net::frames::routes::Tables;
use backwater_net::frames::spec::{
    AETH_BYTES, CLASSES_MAX, EthernetSpec, FRAME_LEAST_BYTES, FRAME_OVERHEAD_BYTES, FlowSpec,
    Forwarding, NodeKind, ROCE_BYTES, SwitchSpec, TAG_BYTES, TCP_IP_BYTES, TransportSpec,
    WIRE_OVERHEAD_BYTES, packet_bytes,
};

use super::headroom::wire_time;
use crate::given::frames::rate_control::{
    Dcqcn, Hpcc, HpccProfile, Np, Nscc, RateControl, Swift, Timely, TimelyProfile,
};
use crate::language::kinds::OrWord;
use crate::prelude::*;

/// Flows on one link for which HPCC's additive increase leaves room, as the paper has it.
const USUAL_FLOWS: u32 = 10;
/// Patched TIMELY's beta.
const USUAL_PATCHED_BETA: f64 = 0.008;

/// How often a destination tells, where neither the file nor the profile says.
const CNP_INTERVAL: Duration = Duration(50_000_000);

/// What of the longest round trip NSCC's target is where switches trim.
const TARGET_WHERE_TRIMMED: f64 = 0.75;

/// A queue pair, as far as control asks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    /// Rate of the source's port.
    pub line: Rate,
    /// Payload of a full packet, bytes.
    pub payload_bytes: u32,
    /// Its frames carry a tag.
    pub is_tagged: bool,
}

impl Pair {
    /// A full packet on the wire, bytes.
    fn packet_bytes(&self) -> u32 {
        let tag = if self.is_tagged { TAG_BYTES } else { 0 };
        let around = ROCE_BYTES + FRAME_OVERHEAD_BYTES + WIRE_OVERHEAD_BYTES + tag;
        self.payload_bytes + around
    }
}

/// The control that this table describes. What depends on the path is filled in by
/// [`set_paths`].
pub(crate) fn rate_control(
    given: &Chosen<RateControl>,
    pair: &Pair,
    mistakes: &mut Diagnostics,
) -> RateControlSpec {
    match given.sure() {
        None | Some(RateControl::None) => RateControlSpec::None,
        Some(RateControl::Dcqcn(own)) => RateControlSpec::Dcqcn(dcqcn(own, pair.line, mistakes)),
        Some(RateControl::Hpcc(own)) => RateControlSpec::Hpcc(hpcc(own, pair.line, mistakes)),
        Some(RateControl::Timely(own)) => RateControlSpec::Timely(timely(own, pair.line, mistakes)),
        Some(RateControl::Swift(own)) => RateControlSpec::Swift(swift(own, pair, mistakes)),
        Some(RateControl::Nscc(own)) => RateControlSpec::Nscc(nscc(own, pair)),
        Some(RateControl::Rocc(own)) => RateControlSpec::Rocc(RoccSpec {
            recovery: own.recovery,
        }),
    }
}

/// What the file left to the path of each flow: the round trip of an empty network, and its hops.
pub(crate) fn set_paths(network: &mut EthernetSpec) {
    let asks = |flow: &FlowSpec| match &flow.transport {
        TransportSpec::Roce(roce) => match &roce.control {
            RateControlSpec::Hpcc(spec) => spec.base_rtt == Duration::ZERO,
            RateControlSpec::Swift(_) | RateControlSpec::Nscc(_) => true,
            _ => false,
        },
        TransportSpec::Tcp(tcp) => tcp.handshake_rtt == Some(Duration::ZERO),
        TransportSpec::Udp { .. } => false,
    };
    if !network.flows.iter().any(asks) {
        return;
    }
    let Ok(tables) = Tables::new(network) else {
        return;
    };
    let flows = network.flows.iter();
    let paths: Vec<_> = flows
        .map(|flow| asks(flow).then(|| round_trip(network, &tables, flow)))
        .collect();
    let is_under_nscc = |flow: &FlowSpec| match &flow.transport {
        TransportSpec::Roce(roce) => matches!(roce.control, RateControlSpec::Nscc(_)),
        TransportSpec::Tcp(_) | TransportSpec::Udp { .. } => false,
    };
    let paths_of_nscc = network.flows.iter().zip(&paths);
    let under_nscc = paths_of_nscc.filter_map(|(flow, path)| {
        path.filter(|_| is_under_nscc(flow))
            .map(|(round_trip, _)| round_trip)
    });
    let longest = under_nscc.max().unwrap_or(Duration::ZERO);
    let trims: Vec<bool> = (0..CLASSES_MAX as u8)
        .map(|class| trims(network, class))
        .collect();
    for (flow, path) in network.flows.iter_mut().zip(paths) {
        match (&mut flow.transport, path) {
            (TransportSpec::Roce(roce), Some((round_trip, hops))) => match &mut roce.control {
                RateControlSpec::Hpcc(spec) => spec.base_rtt = round_trip,
                RateControlSpec::Swift(spec) => spec.hops = hops,
                RateControlSpec::Nscc(spec) => {
                    if trims[usize::from(flow.class)] {
                        spec.target_share = TARGET_WHERE_TRIMMED;
                    }
                    for (rtt, known) in [
                        (&mut spec.base_rtt, round_trip),
                        (&mut spec.network_rtt, longest),
                    ] {
                        if *rtt == Duration::ZERO {
                            *rtt = known;
                        }
                    }
                }
                _ => {}
            },
            (TransportSpec::Tcp(tcp), Some((round_trip, _))) => {
                tcp.handshake_rtt = Some(round_trip);
            }
            (TransportSpec::Udp { .. }, _) | (_, None) => {}
        }
    }
}

/// Some port trims frames of this class.
fn trims(network: &EthernetSpec, class: u8) -> bool {
    let channels = network.links.channels().map(|id| network.links.channel(id));
    let mut queues = channels.filter_map(|channel| channel.queues.get(usize::from(class)));
    queues.any(|queue| queue.trim.is_some())
}

/// From the start of a full packet to the end of its acknowledgement, or of a SYN to the end of its
/// answer, with nothing else in the network, and the links there; of several paths that are as
/// short, one.
fn round_trip(network: &EthernetSpec, tables: &Tables, flow: &FlowSpec) -> (Duration, u32) {
    let tag = if flow.is_tagged { TAG_BYTES } else { 0 };
    let frame = |packet: u32| (packet + FRAME_OVERHEAD_BYTES + tag).max(FRAME_LEAST_BYTES);
    let (data, answer) = match &flow.transport {
        TransportSpec::Tcp(_) => (TCP_IP_BYTES, TCP_IP_BYTES),
        TransportSpec::Roce(_) | TransportSpec::Udp { .. } => {
            let data = packet_bytes(&flow.transport);
            (data, data - flow.transport.payload_bytes() + AETH_BYTES)
        }
    };
    let (source, destination) = (flow.source, flow.destination);
    let (there, hops) = one_way(network, tables, (source, destination), frame(data));
    let (back, _) = one_way(network, tables, (destination, source), frame(answer));
    (there + back, hops)
}

fn one_way(
    network: &EthernetSpec,
    tables: &Tables,
    (from, to): (u32, u32),
    bytes: u32,
) -> (Duration, u32) {
    let (mut node, mut took, mut hops) = (from, Duration::ZERO, 0);
    while let Some(&hop) = tables.next_hops(node, to).first().filter(|_| node != to) {
        let channel = network.links.channel(hop);
        node = network.links.ends(hop).1;
        let next = tables.next_hops(node, to).first();
        let next = next.map(|next| network.links.channel(*next).rate);
        let switch = match &network.nodes[node as usize].kind {
            NodeKind::Switch(switch) => Some(switch),
            NodeKind::Station { .. } => None,
        };
        let cuts = |switch: &&SwitchSpec| switch.forwarding == Forwarding::CutThrough;
        let cuts = switch.is_some_and(|it| cuts(&it)) && next.is_some_and(|it| it <= channel.rate);
        let waited = if cuts { FRAME_LEAST_BYTES } else { bytes };
        let latency = switch.map_or(Duration::ZERO, |switch| switch.latency);
        took = took + wire_time(channel.rate, waited) + channel.delay + latency;
        hops += 1;
    }
    (took, hops)
}

fn dcqcn(own: &Dcqcn, line: Rate, mistakes: &mut Diagnostics) -> DcqcnSpec {
    let mut spec = DcqcnProfile::from(own.profile).spec(line);
    let set = |to: &mut Duration, given: Option<Duration>| *to = given.unwrap_or(*to);
    let rate = |to: &mut Rate, given: Option<Rate>| *to = given.unwrap_or(*to);
    let share = |to: &mut f64, given: Option<f64>| *to = given.unwrap_or(*to);
    let truth = |to: &mut bool, given: Option<bool>| *to = given.unwrap_or(*to);
    spec.form = own.form.map_or(spec.form, DcqcnForm::from);
    spec.clamp = own.clamp.map_or(spec.clamp, Clamp::from);
    spec.notify = notify(own, spec.notify, mistakes);
    let gain = |(above, below): (u32, u32)| f64::from(above) / f64::from(below.max(1));
    share(&mut spec.gain, own.g.map(gain));
    share(&mut spec.first_alpha, own.initial_alpha);
    share(&mut spec.largest_cut, own.largest_cut);
    let kept = own.rate_on_first_cnp.map(|kept| match kept {
        0.0 => 1.0,
        kept => kept,
    });
    share(&mut spec.first_share, kept);
    set(&mut spec.alpha_interval, own.alpha_interval);
    set(&mut spec.decrease_interval, *own.decrease_interval);
    set(&mut spec.increase_interval, own.increase_interval);
    rate(&mut spec.additive, own.additive);
    rate(&mut spec.hyper, own.hyper);
    rate(&mut spec.least, *own.least);
    spec.byte_counter = match own.byte_counter {
        None => spec.byte_counter,
        Some(OrWord::Word) => None,
        Some(OrWord::Value(bytes)) => Some(bytes),
    };
    spec.stages = own.stages.unwrap_or(spec.stages);
    spec.cuts_first = own.alpha_first.map_or(spec.cuts_first, |first| !first);
    truth(&mut spec.releases, own.release);
    truth(&mut spec.rescales, own.rescale);
    spec.freezes = own.freeze_when_paused;
    let useless = match spec.form {
        DcqcnForm::Paper => ("decrease_interval", own.decrease_interval.place(), "paper"),
        DcqcnForm::Nic => ("alpha_first", own.alpha_first.place(), "nic"),
    };
    if let (key, Some(at), form) = useless {
        mistakes.push(Diagnostic::useless_here(
            key,
            at,
            &format!("`form` is `{form}`"),
        ));
    }
    least(&own.least, line, mistakes);
    spec
}

fn notify(own: &Dcqcn, usual: Notify, mistakes: &mut Diagnostics) -> Notify {
    let known = match usual {
        Notify::Window(interval) | Notify::Tick(interval) => interval,
        Notify::Echo => CNP_INTERVAL,
    };
    let interval = own.cnp_interval.unwrap_or(known);
    let notify = match (own.np, usual) {
        (Some(Np::Window), _) | (None, Notify::Window(_)) => Notify::Window(interval),
        (Some(Np::Tick), _) | (None, Notify::Tick(_)) => Notify::Tick(interval),
        (Some(Np::Ack), _) | (None, Notify::Echo) => Notify::Echo,
    };
    if let (Notify::Echo, Some(at)) = (notify, own.cnp_interval.place()) {
        let why = "each acknowledgement of a marked packet tells of it (`np` is `ack`)";
        mistakes.push(Diagnostic::useless_here("cnp_interval", at, why));
    }
    notify
}

fn hpcc(own: &Hpcc, line: Rate, mistakes: &mut Diagnostics) -> HpccSpec {
    let base_rtt = own.base_rtt.unwrap_or(Duration::ZERO);
    let profile = match own.profile {
        HpccProfile::Artifact => {
            if let Some(at) = own.flows.place() {
                let why = "`profile` is `artifact`";
                mistakes.push(Diagnostic::useless_here("flows", at, why));
            }
            HpccSpec::artifact(line, base_rtt)
        }
        HpccProfile::Paper => HpccSpec::paper(line, base_rtt, own.flows.unwrap_or(USUAL_FLOWS)),
    };
    if *own.target_use <= 0.0 {
        Diagnostic::error("bad-rates", "a link can't be aimed to be idle")
            .at(&own.target_use.at, "0 of its rate")
            .help("give `target_use` above 0, such as 0.95")
            .tell(mistakes);
    }
    HpccSpec {
        target_use: *own.target_use,
        max_stage: own.max_stage.unwrap_or(profile.max_stage),
        additive: own.additive.unwrap_or(profile.additive),
        least: own.least,
        reacts_fast: own.fast_react,
        by_hop: own.per_hop,
        counters: own.counters.into(),
        first_use: own.initial_use,
        rescales: own.rescale,
        ..profile
    }
}

fn timely(own: &Timely, line: Rate, mistakes: &mut Diagnostics) -> TimelySpec {
    let profile = match own.profile {
        TimelyProfile::Paper => TimelySpec::paper(),
        TimelyProfile::Artifact => TimelySpec::artifact(line),
        TimelyProfile::Patched => TimelySpec::patched(),
    };
    let is_patched = own.profile == TimelyProfile::Patched;
    let only = [
        ("patched_beta", own.patched_beta.place()),
        ("reference", own.reference.place()),
    ];
    for (key, at) in only {
        if let Some(at) = at.filter(|_| !is_patched) {
            let why = "`profile` is not `patched`";
            mistakes.push(Diagnostic::useless_here(key, at, why));
        }
    }
    if *own.t_low > own.t_high {
        Diagnostic::error("bad-times", "`t_low` is above `t_high`")
            .at(
                &own.t_low.at,
                "a round-trip time can't be above one and below the other",
            )
            .help("lower `t_low`, or raise `t_high`")
            .tell(mistakes);
    }
    let additive = own.additive.unwrap_or(profile.additive);
    let hyper = match own.additive {
        Some(additive) => Rate(additive.0.saturating_mul(5)),
        None => profile.hyper,
    };
    TimelySpec {
        form: match is_patched {
            true => TimelyForm::Patched {
                decrease: own.patched_beta.unwrap_or(USUAL_PATCHED_BETA),
                reference: own.reference.unwrap_or(*own.t_low),
            },
            false => TimelyForm::Gradient,
        },
        weight: own.weight,
        decrease: own.beta,
        low: *own.t_low,
        high: own.t_high,
        least_rtt: own.min_rtt,
        additive,
        hyper: own.hyper.unwrap_or(hyper),
        hyper_after: own.hyper_after,
        counts_low: profile.counts_low,
        segment: match own.segment {
            None => profile.segment,
            Some(OrWord::Word) => Segment::RoundTrip,
            Some(OrWord::Value(bytes)) => Segment::Bytes(bytes),
        },
        least: own.least.unwrap_or(profile.least),
        rescales: own.rescale,
    }
}

fn swift(own: &Swift, pair: &Pair, mistakes: &mut Diagnostics) -> SwiftSpec {
    let guessed = SwiftSpec::guessed(pair.payload_bytes, pair.packet_bytes(), 0);
    let above = [
        (
            "range_from",
            "range_to",
            &own.range_from,
            own.range_to,
            true,
        ),
        (
            "min_window",
            "max_window",
            &own.min_window,
            own.max_window,
            false,
        ),
    ];
    for (low, high, least, most, differs) in above {
        if **least > most || differs && **least == most {
            Diagnostic::error("bad-window", format!("`{low}` is not below `{high}`"))
                .at(
                    &least.at,
                    format!("{} of a packet; `{high}` is {most}", **least),
                )
                .help(format!("lower `{low}`, or raise `{high}`"))
                .tell(mistakes);
        }
    }
    SwiftSpec {
        base: own.base,
        per_hop: own.per_hop.unwrap_or(SwiftSpec::per_hop_of(own.base)),
        range: own.range.unwrap_or(own.base * 5),
        range_from: *own.range_from,
        range_to: own.range_to,
        additive: own.ai,
        decrease: own.beta,
        largest_cut: own.max_mdf,
        first_window: own.initial_window,
        least_window: *own.min_window,
        most_window: own.max_window,
        ..guessed
    }
}

fn nscc(own: &Nscc, pair: &Pair) -> NsccSpec {
    NsccSpec {
        base_rtt: own.base_rtt.unwrap_or(Duration::ZERO),
        network_rtt: own.network_rtt.unwrap_or(Duration::ZERO),
        target: own.target.unwrap_or(Duration::ZERO),
        decrease: own.gamma,
        largest_cut: own.max_cut,
        weight: own.weight,
        most_window: own.max_window,
        adjust_packets: own.adjust_every,
        quick: own.quick_adapt,
        ..NsccSpec::usual(pair.payload_bytes, pair.packet_bytes(), pair.line)
    }
}

/// No cut can keep more than there is.
fn least(given: &Placed<Option<Rate>>, line: Rate, mistakes: &mut Diagnostics) {
    if let (Some(least), Some(at)) = (given.value.filter(|least| *least > line), given.place()) {
        Diagnostic::warning("bad-rates", "the least rate is above that of the port")
            .at(
                at,
                format!(
                    "{} Gbps; the port has {} Gbps",
                    least.0 as f64 / 1e9,
                    line.0 as f64 / 1e9
                ),
            )
            .note("no notification slows this source down")
            .help("lower `least`")
            .tell(mistakes);
    }
}
