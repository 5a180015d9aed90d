//! What can't work in the scenario as a whole.

use backwater_kernel::words::counted;
use std::collections::BTreeMap;

use backwater_kernel::Time;
use backwater_net::spec::{
    FlowControlSpec, FlowSpec, LegSpec, SourceControlSpec, Timing, TrafficSpec,
};

use crate::Limits;
use crate::circuits::cell_tcp;
use crate::circuits::flows::{self, Draft};
use crate::circuits::partners;
use crate::circuits::reserve;
use crate::circuits::service_checks::{Whole, rates_apart};
use crate::circuits::topology::Graph;
use crate::circuits::traffic::{self, Line};
use crate::given::circuits::PacketFile;
use crate::given::circuits::flows::Series;
use crate::given::circuits::network::Link;
use crate::given::circuits::traffic::Traffic;
use crate::network::memory;
use crate::network::room::{bytes, out_of_memory};
use crate::network::tcp::old_on_fast;
use crate::prelude::*;

/// Memory of one queued unit, bytes.
const UNIT_BYTES: f64 = 40.0;

/// Warm-up against duration.
pub(crate) fn run_times(
    duration: &Placed<Time>,
    warm_up: &Placed<Time>,
    mistakes: &mut Diagnostics,
) {
    if **warm_up >= **duration && !duration.is_faulty && warm_up.is_given {
        Diagnostic::error("bad-times", "the run ends before its warm-up does")
            .at(&warm_up.at, "statistics would start here")
            .at(&duration.at, "the run ends here")
            .help("make `warm_up` shorter than `duration`: a quarter of it is usual")
            .tell(mistakes);
    }
}

/// Errors that nobody notices, wherever links are described.
pub(crate) fn corruption(file: &PacketFile, mistakes: &mut Diagnostics) {
    let corrupting = |link: &&Link| link.control_corruption.is_some_and(|chance| chance > 0.0);
    for link in file.link_tables().filter(corrupting) {
        Diagnostic::warning("unsafe", "corrupted credit may overflow buffers")
            .at(&link.control_corruption.at, "nobody notices these errors")
            .note(
                "a credit cell with a wrong value lets the sender send more than there is \
                     room for; this is why credit cells carry a CRC",
            )
            .help("for errors that the CRC finds, use `control_loss`")
            .tell(mistakes);
    }
}

/// From and until of a series against the run.
pub(crate) fn series_times(series: &Series, stop_at: Time, mistakes: &mut Diagnostics) {
    let (from, until) = (&series.from, &series.until);
    let end = until.unwrap_or(stop_at);
    if **from >= end || **from >= stop_at {
        Diagnostic::error("bad-times", "the series ends before it starts")
            .at(&from.at, "from here")
            .at(&until.at, "to here, or to the end of the run")
            .help("leave `from` and `until` out to record the whole run")
            .tell(mistakes);
    } else if end > stop_at {
        Diagnostic::warning("bad-times", "the series reaches past the end of the run")
            .at(&until.at, "later than `run.duration`")
            .help("leave `until` out to record up to the end")
            .tell(mistakes);
    }
}

/// Does the network fit into memory? Asked before it is built.
pub(crate) fn fits(
    (file, at): (&PacketFile, &At),
    graph: &Graph,
    legs: u64,
    limits: &Limits,
    mistakes: &mut Diagnostics,
) -> bool {
    let nodes = (graph.nodes.len() + 2 * graph.links.len()) as u64;
    let needed = memory::of_legs(legs, nodes);
    let Some(memory) = limits.memory_bytes.filter(|memory| needed > *memory) else {
        return true;
    };
    let largest = flows::counts(file).max_by_key(|(count, ..)| *count);
    let at = largest.map_or(at, |(.., table)| table);
    let what = format!("{legs} legs (a leg is one flow on one link)");
    out_of_memory((at, "most flows are here"), (needed, &what), memory)
        .help("use fewer flows, or a network with shorter paths")
        .tell(mistakes);
    false
}

/// Sources that start when the run is over.
pub(crate) fn starts(whole: &Whole<'_>, mistakes: &mut Diagnostics) {
    for draft in whole.drafts {
        let start = draft.traffic().and_then(Traffic::start);
        mistakes.extend(start.and_then(|start| never_starts(&draft.name, start, whole.stop_at)));
    }
}

/// A source that starts when the run is over.
pub(crate) fn never_starts(name: &str, start: &Placed<Time>, stop_at: Time) -> Option<Diagnostic> {
    (**start >= stop_at).then(|| {
        Diagnostic::warning("never-starts", format!("`{name}` sends nothing"))
            .at(&start.at, "not before the run is over")
            .help("start earlier, or make `run.duration` longer")
    })
}

/// Units that leave faster than they come, from the moment their first bit is in.
pub(crate) fn cut_through(whole: &Whole<'_>) -> Option<Diagnostic> {
    let legs = whole.specs.iter().flat_map(|flow| {
        let before = |leg: &LegSpec| leg.parent.map(|parent| flow.legs[parent as usize].channel);
        flow.legs
            .iter()
            .filter_map(move |leg| Some((before(leg)?, leg.channel)))
    });
    let mut outrun = legs.filter(|(into, out)| {
        let [into, out] = [into, out].map(|channel| whole.graph.channel_spec(*channel));
        into.timing == Timing::CutThrough && into.rate < out.rate
    });
    let names = outrun.next()?;
    let (into, out) = (
        whole.graph.channel_name(names.0),
        whole.graph.channel_name(names.1),
    );
    Diagnostic::warning("cut-through", "bits leave a switch before they have come")
        .at(
            &whole.file.link.at,
            format!("`{into}` cuts through and is slower than `{out}`"),
        )
        .note("delays are shorter than they can be, by up to a unit's time on the slow link")
        .help(format!(
            "write `timing = \"store-and-forward\"` for the link of `{into}`"
        ))
        .into()
}

/// Presets of TCP from the 1990s between hosts whose links are fast, and segments that do not fit
/// their cells.
pub(crate) fn tcp(whole: &Whole<'_>, mistakes: &mut Diagnostics) {
    let rate = |channel: u32| whole.graph.channel_spec(channel).rate;
    for (draft, flow) in whole.flows() {
        let ends = [flow.legs.first(), flow.legs.last()].into_iter().flatten();
        let ends = ends.map(|leg| leg.channel);
        let slower = ends.min_by_key(|channel| rate(*channel));
        if let (TrafficSpec::Tcp(spec), Some(channel)) = (&flow.traffic, slower) {
            let name = || whole.graph.channel_name(channel);
            let layers = cell_tcp::layers(whole.file, draft.settings);
            mistakes.extend(old_on_fast(&layers, &spec.tcp, (rate(channel), &name)));
            mistakes.extend(cell_tcp::check_payload(whole.file, draft, flow, spec));
        }
    }
}

/// A partner's answers are meant for one flow.
fn shared_partners(whole: &Whole<'_>, mistakes: &mut Diagnostics) {
    let specs = whole.specs;
    let mut taken: BTreeMap<u32, &Draft<'_>> = BTreeMap::new();
    for (draft, flow) in whole.flows() {
        let Some(partner) = flow.partner else {
            continue;
        };
        // The partner chose this one.
        let chosen = specs[partner as usize]
            .partner
            .map(|id| &specs[id as usize].name);
        if draft.settings.partner.is_none() && chosen == Some(&flow.name) {
            continue;
        }
        let Some(first) = taken.insert(partner, draft) else {
            continue;
        };
        let name = &specs[partner as usize].name;
        Diagnostic::error(
            "shared-partner",
            format!("`{name}` is the partner of two flows"),
        )
        .at(&draft.settings.partner.at, format!("of `{}`", draft.name))
        .at(&first.settings.partner.at, format!("of `{}`", first.name))
        .note("nobody could tell for whom an answer is")
        .help("give each flow a partner of its own; `{i}` numbers them with `count`")
        .tell(mistakes);
    }
}

/// Partners: who needs one, and what it must be.
pub(crate) fn partners(whole: &Whole<'_>, mistakes: &mut Diagnostics) {
    shared_partners(whole, mistakes);
    for (draft, flow) in whole.flows() {
        let settings = draft.settings;
        let control_at = &settings.source_control.at;
        let (what, at, wanted) = match (&flow.traffic, &flow.source_control) {
            (TrafficSpec::Client(_), SourceControlSpec::None) => {
                ("a client", &settings.traffic.at, "server")
            }
            (TrafficSpec::Client(_), _) => {
                Diagnostic::error("bad-partner", "a client has no window of its own")
                    .at(control_at, "its requests already wait")
                    .help("leave `source_control` out; `outstanding` limits a client")
                    .tell(mistakes);
                continue;
            }
            (TrafficSpec::Requests(_) | TrafficSpec::Tcp(_), _)
            | (_, SourceControlSpec::Abr(_)) => {
                // What `abr_checks` looks at.
                continue;
            }
            (_, control) if !control.is_acknowledged() => continue,
            _ => ("a window", control_at, "silent"),
        };
        if draft.to.len() > 1 {
            Diagnostic::error("bad-partner", format!("{what} works with one destination"))
                .at(at, "on a multicast flow")
                .note("answers of several destinations have no meaning to it")
                .tell(mistakes);
            continue;
        }
        let back = format!("from `{}` back", draft.name);
        let Some(partner) = flow.partner else {
            Diagnostic::error("missing-key", format!("{what} needs a `partner`"))
                .at(at, "who carries the answers?")
                .help(format!(
                    "add a flow {back} with `traffic = {{ kind = \"{wanted}\" }}`, and name \
                         it here: `partner = \"..\"`"
                ))
                .tell(mistakes);
            continue;
        };
        check_partner(draft, whole.flow(partner), wanted, mistakes);
    }
}

fn check_partner(
    draft: &Draft<'_>,
    (other, partner): (&Draft<'_>, &FlowSpec),
    wanted: &str,
    mistakes: &mut Diagnostics,
) {
    let (to, at) = (draft.to[0], &draft.settings.partner.at);
    let fits = match partner.traffic {
        TrafficSpec::Server => wanted == "server",
        TrafficSpec::Silent => wanted == "silent",
        _ => false,
    };
    if !fits {
        partners::no_answers(&partner.name, at, wanted, other.settings).tell(mistakes);
    }
    if other.source != to || other.to != [draft.source] {
        partners::astray(&partner.name, at, &draft.name)
            .at(&other.at, "the partner's path")
            .help("a partner starts where the flow ends, and ends where it starts")
            .tell(mistakes);
    }
}

/// Offered load against rates, where nothing holds a flow back.
pub(crate) fn load(whole: &Whole<'_>, limits: &Limits, mistakes: &mut Diagnostics) {
    let (graph, drafts) = (whole.graph, whole.drafts);
    let offered = Offered::of(graph, whole.specs);
    let mut queued_bytes = 0.0;
    for (channel, flows) in offered.by_channel.iter().enumerate() {
        let channel = channel as u32;
        let rate = graph.channel_spec(channel).rate.0 as f64;
        let offers = flows.iter().map(|load| (load.before, load.bits_per_second));
        let offers: Vec<(Option<u32>, f64)> = offers.collect();
        let sum: f64 = offers.iter().map(|(_, bits)| bits).sum();
        let bits = arriving(graph, &offers);
        if bits <= rate * 1.000_001 || has_limit(graph, channel) {
            continue;
        }
        let units = flows.iter().map(|load| load.units_per_second).sum::<f64>() * bits / sum;
        let growth = units * (bits - rate) / bits;
        let by_end = growth * whole.stop_at.seconds();
        queued_bytes += by_end * UNIT_BYTES;
        let name = graph.channel_name(channel);
        let Some(draft) = flows.last().and_then(|load| drafts.get(load.flow)) else {
            continue;
        };
        let [offered, carried] = rates_apart([bits, rate], 1);
        Diagnostic::warning(
            "overload",
            format!("the queue for `{name}` grows without end"),
        )
        .at(
            &draft.settings.traffic.at,
            format!("`{}` and nothing holds it back", draft.name),
        )
        .note(format!(
            "{} without flow control {} {offered}, it carries {carried}: {by_end:.0} cells wait by \
             the end of the run",
            counted(flows.len(), "flow"),
            if flows.len() == 1 { "offers" } else { "offer" }
        ))
        .help(
            "turn on credits (`[flow_control]` `kind = \"n23\"`), lower the load, or \
                       limit `buffer`",
        )
        .tell(mistakes);
    }
    if let Some(memory) = limits
        .memory_bytes
        .filter(|memory| queued_bytes > *memory as f64)
        && let Some(draft) = drafts.first()
    {
        Diagnostic::error(
            "out-of-memory",
            "queues would grow beyond the memory there is",
        )
        .at(&draft.settings.traffic.at, "see the warnings above")
        .note(format!(
            "about {} of queued cells; {} are free",
            bytes(queued_bytes as u64),
            bytes(memory)
        ))
        .help("shorten the run, lower the load, or limit `buffer`")
        .tell(mistakes);
    }
}

/// Is the queue for this channel limited by the memory of its node?
fn has_limit(graph: &Graph, channel: u32) -> bool {
    let (from, _) = graph.ends(channel);
    let pool = graph.nodes[from as usize].pool;
    pool.is_some_and(|pool| pool.limit_units.is_some() || pool.limit_bytes.is_some())
}

/// The channel by which a flow comes to this leg.
pub(crate) fn before(flow: &FlowSpec, leg: &LegSpec) -> Option<u32> {
    let parent = flow.legs.get(leg.parent? as usize)?;
    Some(parent.channel)
}

/// What comes to a channel, of offers each with the channel before it on the way: over that no
/// more comes, of all together, than it carries.
pub(crate) fn arriving(graph: &Graph, offers: &[(Option<u32>, f64)]) -> f64 {
    let mut by: BTreeMap<Option<u32>, f64> = BTreeMap::new();
    for (before, bits) in offers {
        *by.entry(*before).or_default() += bits;
    }
    let carried = |before: u32| graph.channel_spec(before).rate.0 as f64;
    let capped = |(before, bits): (Option<u32>, f64)| match before {
        Some(before) => bits.min(carried(before)),
        None => bits,
    };
    by.into_iter().map(capped).sum()
}

/// What one flow brings to one channel.
struct Load {
    flow: usize,
    /// The channel before this one on its way.
    before: Option<u32>,
    bits_per_second: f64,
    units_per_second: f64,
}

/// What flows that nothing holds back bring to each channel.
struct Offered {
    by_channel: Vec<Vec<Load>>,
}

impl Offered {
    fn of(graph: &Graph, specs: &[FlowSpec]) -> Self {
        let free: Vec<(usize, &FlowSpec, f64, f64)> = specs
            .iter()
            .enumerate()
            .filter(|(_, flow)| uncontrolled(flow))
            .filter_map(|(index, flow)| {
                let first = flow.legs.first()?;
                let rate = graph.channel_spec(first.channel).rate;
                let line = Line::new(rate, &flow.sizes, flow.unit_bytes);
                let offered = traffic::offered_per_second(&flow.traffic, line)?;
                let bytes = line.mean_bytes();
                let held = [flow.envelope, flow.policer].into_iter().flatten();
                let held = held.map(|envelope| reserve::envelope_per_second(&envelope, bytes));
                Some((index, flow, held.fold(offered, f64::min), 8.0 * bytes))
            })
            .collect();
        let mut first_bits = vec![0.0; 2 * graph.links.len()];
        for (_, flow, units, unit_bits) in &free {
            first_bits[flow.legs[0].channel as usize] += units * unit_bits;
        }
        let mut by_channel: Vec<Vec<Load>> =
            (0..2 * graph.links.len()).map(|_| Vec::new()).collect();
        for (index, flow, units, unit_bits) in free {
            let first = flow.legs[0].channel;
            let rate = graph.channel_spec(first).rate.0 as f64;
            let passed = (rate / first_bits[first as usize]).min(1.0);
            let greedy = matches!(flow.traffic, TrafficSpec::Greedy { .. });
            for leg in &flow.legs {
                let at_source = leg.parent.is_none();
                // A greedy source makes its units when they can leave: it has no queue.
                let share = if at_source && !greedy { 1.0 } else { passed };
                let units_per_second = units * share;
                by_channel[leg.channel as usize].push(Load {
                    flow: index,
                    before: before(flow, leg),
                    bits_per_second: units_per_second * unit_bits,
                    units_per_second,
                });
            }
        }
        Self { by_channel }
    }
}

/// Does nothing hold it back? Whether a session is there at all is seen in the run only.
pub(crate) fn uncontrolled(flow: &FlowSpec) -> bool {
    let free = |leg: &backwater_net::spec::LegSpec| {
        leg.flow_control == FlowControlSpec::None && leg.buffer.limit_units.is_none()
    };
    flow.source_control == SourceControlSpec::None
        && flow.session.is_none()
        && flow.legs.iter().all(free)
}
