//! What ports tell ABR sources: from tables to channels.

use backwater_kernel::Channels;
use backwater_net::spec::{
    AgingSpec, CapcSpec, EprcaSpec, EricaSpec, ExplicitRateSpec, MarkSpec, QueueControlSpec,
    RelativeRateSpec,
};

use crate::circuits::topology::Graph;
use crate::given::circuits::PacketFile;
use crate::given::circuits::explicit_rate::{Aim, Erica, ExplicitRate, Long, Marks};
use crate::given::circuits::network::{Channel, Link};
use crate::prelude::*;

/// The tables that speak of a channel, the nearest first: of its direction, of its link or of links
/// between switches, of all.
pub(crate) fn tables_of<'a>(
    file: &'a PacketFile,
    graph: &Graph,
    channel: u32,
) -> impl Iterator<Item = &'a Link> {
    let (from, to) = graph.ends(channel);
    let (side, link) = match graph.entry(&file.links, channel) {
        Some((links, is_forward)) => {
            let side = [&links.backward, &links.forward][usize::from(is_forward)];
            (side.as_ref(), Some(&links.link))
        }
        None if graph.is_host(from) || graph.is_host(to) => (None, None),
        None => {
            let topology = file.topology.as_ref();
            (topology.and_then(|own| own.trunk.as_ref()), None)
        }
    };
    let side = side.map(|side: &Channel| &side.link);
    side.into_iter().chain(link).chain([&file.link.value])
}

/// The rule of each port that has one, by channel.
pub(crate) fn ports(
    file: &PacketFile,
    graph: &Graph,
    mistakes: &mut Diagnostics,
) -> Vec<(u32, ExplicitRateSpec)> {
    let mut found = Vec::new();
    for channel in graph.links.channels() {
        let (from, _) = graph.ends(channel);
        let mut tables = tables_of(file, graph, channel);
        let rule = tables.find_map(|link| link.explicit_rate.as_ref());
        if let (Some(rule), false) = (rule.and_then(Chosen::sure), graph.is_host(from))
            && let Some(rule) = spec(rule)
        {
            found.push((channel, rule));
        }
    }
    check_places(file, graph, mistakes);
    check_rules(file, mistakes);
    found
}

/// The tables that stand for single links, where no port can follow them.
fn check_places(file: &PacketFile, graph: &Graph, mistakes: &mut Diagnostics) {
    let is_host = |channel: u32| graph.is_host(graph.ends(channel).0);
    let mut refuse = |link: &Link, why: String| {
        Diagnostic::error("no-switch", "a host signals no rates")
            .at(&link.explicit_rate.at, why)
            .note("the port at the sending end signals them, and hosts forward nothing")
            .help("put `explicit_rate` where a switch sends, or in `[link]` for all of them")
            .tell(mistakes);
    };
    for (link, (entry, turned)) in &graph.entries {
        let links = &file.links[*entry];
        let channels = [2 * link, 2 * link + 1];
        let first = usize::from(*turned);
        let name = |channel: u32| graph.channel_name(channel);
        if links.link.explicit_rate.is_given && channels.into_iter().all(is_host) {
            refuse(
                &links.link,
                format!("both ends of `{}` are hosts", name(channels[first])),
            );
        }
        let sides = [
            (&links.forward, channels[first]),
            (&links.backward, channels[1 - first]),
        ];
        for (side, channel) in sides {
            let link = side.as_ref().map(|side| &side.link);
            let link = link.filter(|link| link.explicit_rate.is_given);
            if let (Some(link), true) = (link, is_host(channel)) {
                refuse(link, format!("`{}` leaves a host", name(channel)));
            }
        }
    }
    let no_switch = (0..graph.nodes.len() as u32).all(|node| graph.is_host(node));
    if file.link.explicit_rate.is_given && no_switch && !graph.nodes.is_empty() {
        refuse(&file.link, "the network has no switch".into());
    }
}

/// Every `explicit_rate` table of the file.
fn tables(file: &PacketFile) -> impl Iterator<Item = &Chosen<ExplicitRate>> {
    let links = file.link_tables();
    links.filter_map(|link| link.explicit_rate.as_ref())
}

/// Every rule of the file.
pub(crate) fn rules(file: &PacketFile) -> impl Iterator<Item = &ExplicitRate> {
    tables(file).filter_map(Chosen::sure)
}

/// Is there a table of which the rule is not known?
pub(crate) fn are_faulty(file: &PacketFile) -> bool {
    tables(file).any(|table| table.sure().is_none())
}

/// Numbers that contradict each other.
fn check_rules(file: &PacketFile, mistakes: &mut Diagnostics) {
    for rule in rules(file) {
        match rule {
            ExplicitRate::Erica { aim, own } => {
                check_target(&aim.target, own.queue.is_some(), mistakes);
                check_delta(&own.delta, mistakes);
            }
            ExplicitRate::None => {}
            ExplicitRate::Efci(long) => check_long(long, mistakes),
            ExplicitRate::RelativeRate {
                long,
                ni_high,
                ni_low,
                ..
            } => {
                check_long(long, mistakes);
                check_marks(("ni_high", ni_high), ("ni_low", ni_low), mistakes);
            }
            ExplicitRate::Eprca { long, own } => {
                check_long(long, mistakes);
                check_marks(
                    ("very_high", &own.very_high),
                    ("high", &long.high),
                    mistakes,
                );
            }
            ExplicitRate::Capc { aim, .. } => check_target(&aim.target, false, mistakes),
        }
    }
}

fn check_long(long: &Long, mistakes: &mut Diagnostics) {
    check_marks(("high", &long.high), ("low", &long.low), mistakes);
}

fn check_marks(
    (high, above): (&str, &Placed<u32>),
    (low, below): (&str, &Placed<u32>),
    mistakes: &mut Diagnostics,
) {
    if above.is_faulty || below.is_faulty || **above >= **below {
        return;
    }
    Diagnostic::error("bad-marks", format!("`{high}` is below `{low}`"))
        .at(&above.at, format!("{} cells", **above))
        .at(&below.at, format!("{} cells", **below))
        .note("a queue that gets long at one mark gets short again at a lower one")
        .help(format!("make `{high}` at least `{low}`"))
        .tell(mistakes);
}

fn check_target(target: &Placed<f64>, has_queue: bool, mistakes: &mut Diagnostics) {
    let Some(share) = target.sure().copied() else {
        return;
    };
    if share == 0.0 {
        Diagnostic::error("bad-target", "a target of 0 lets no ABR cell through")
            .at(&target.at, "aims at nothing")
            .help("0.9 is usual; a rule is switched off with `kind = \"none\"`")
            .tell(mistakes);
    } else if share > 1.0 && !has_queue {
        Diagnostic::warning("bad-target", "the port aims at more than the link carries")
            .at(&target.at, "above 1")
            .note("the queue then grows as long as sources have more to send")
            .help("0.9 is usual; 1.0 with `queue` (ERICA+), which keeps the queue short")
            .tell(mistakes);
    }
}

fn check_delta(delta: &Placed<f64>, mistakes: &mut Diagnostics) {
    if delta.sure().is_some_and(|delta| *delta >= 1.0) {
        Diagnostic::warning("bad-delta", "twice the target counts as no overload")
            .at(&delta.at, "loads up to 1 + `delta` are left alone")
            .note("a circuit above the fair share keeps what it was given before, up to that")
            .help("0.1 is usual")
            .tell(mistakes);
    }
}

/// What the port does; nothing where it is to tell nothing.
fn spec(rule: &ExplicitRate) -> Option<ExplicitRateSpec> {
    let marks = |high: &Placed<u32>, low: &Placed<u32>| MarkSpec {
        high_cells: **high,
        low_cells: **low,
    };
    let long = |long: &Long| marks(&long.high, &long.low);
    Some(match rule {
        ExplicitRate::Erica { aim, own } => ExplicitRateSpec::Erica(erica(aim, own)),
        ExplicitRate::None => return None,
        ExplicitRate::Efci(own) => ExplicitRateSpec::Efci(long(own)),
        ExplicitRate::RelativeRate {
            long: own,
            ni_high,
            ni_low,
            marks: way,
            notice_every,
        } => ExplicitRateSpec::RelativeRate(RelativeRateSpec {
            congestion: long(own),
            no_increase: marks(ni_high, ni_low),
            marks_backward: *way == Marks::Backward,
            backward_notice_every: *notice_every,
        }),
        ExplicitRate::Eprca { long: queue, own } => ExplicitRateSpec::Eprca(EprcaSpec {
            weight: own.weight,
            down_pressure: own.down_pressure,
            reduction: own.reduction,
            major_reduction: own.major_reduction,
            congestion: long(queue),
            very_cells: *own.very_high,
        }),
        ExplicitRate::Capc { aim, own } => ExplicitRateSpec::Capc(CapcSpec {
            interval: aim.interval,
            target: *aim.target,
            rise: own.rise,
            rise_most: own.rise_most,
            fall: own.fall,
            fall_least: own.fall_least,
            congestion_cells: own.congestion,
        }),
    })
}

fn erica(aim: &Aim, own: &Erica) -> EricaSpec {
    EricaSpec {
        interval: aim.interval,
        interval_cells: *own.interval_cells,
        target: *aim.target,
        delta: *own.delta,
        limit_jump: own.limit_jump,
        ccr: own.ccr.into(),
        one_feedback: own.one_feedback,
        up_to_link: own.up_to_link,
        activity_decay: own.activity_decay,
        queue: own.queue.as_ref().map(|queue| QueueControlSpec {
            delay: queue.delay,
            a: queue.a,
            b: queue.b,
            least: queue.least,
        }),
        aging: own.aging.as_ref().map(|aging| AgingSpec {
            alpha: aging.alpha,
            delta: aging.delta,
            floor: aging.floor,
            weight: aging.weight,
        }),
    }
}
