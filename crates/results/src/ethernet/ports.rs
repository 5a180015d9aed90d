//! Output queues and channels: tables, and which of them stand out.

use std::collections::BTreeSet;

use backwater_net::frames::spec::{ClassCreditSpec, EthernetSpec, QueueSpec};
use backwater_net::outcome::{CreditOutcome, LaneOutcome, LossCause, QueueOutcome};

use super::Frames;
use crate::events::{self, names, percent, percent_of};
use crate::model::{Cell, Table};
use crate::rows::{ROWS_MOST, kept, limit};
use crate::table_of::TableOf;

/// One output queue: a class in front of a channel.
#[derive(Clone, Copy, Debug)]
pub struct Queue<'a> {
    /// The channel.
    pub channel: u32,
    /// The class.
    pub class: usize,
    /// How many classes there are.
    pub classes: usize,
    /// What the spec says of it.
    pub spec: Option<&'a QueueSpec>,
    /// What was found.
    pub found: &'a QueueOutcome,
}

/// Every queue that some frame joined or was dropped at, or that was stopped; in order of
/// channels and classes.
pub fn queues<'a>(run: &'a Frames<'_>) -> Vec<Queue<'a>> {
    let mut queues = Vec::new();
    for (channel, found) in (0..).zip(&run.outcome.channels) {
        let told = names::channel_spec(run.network, channel);
        for (class, queue) in found.by_class.queues.iter().enumerate() {
            queues.push(Queue {
                channel,
                class,
                classes: found.by_class.queues.len(),
                spec: told.and_then(|channel| channel.queues.get(class)),
                found: queue,
            });
        }
    }
    // A PAUSE stops every class, also those that nothing comes in.
    let is_used = |queue: &Queue<'_>| {
        let found = queue.found;
        found.joined_total > 0 || found.drops.total() > 0
    };
    let used: BTreeSet<u32> = queues
        .iter()
        .filter(|queue| is_used(queue))
        .map(|queue| queue.channel)
        .collect();
    let mut idle = BTreeSet::new();
    queues.retain(|queue| match used.contains(&queue.channel) {
        true => is_used(queue),
        false => queue.found.stops.count() > 0 && idle.insert(queue.channel),
    });
    queues
}

impl Queue<'_> {
    /// Its name: the channel, and the class where there are several.
    pub fn name(&self, channels: &[String]) -> String {
        let name = names::channel(channels, self.channel);
        match self.classes {
            0 | 1 => name,
            _ => format!("{name}, class {}", self.class),
        }
    }
}

/// Queues by a value, the highest first; those without it are left out. Ties go in the order of
/// channels.
pub fn top<'a>(queues: &[Queue<'a>], value: impl Fn(&Queue<'_>) -> f64) -> Vec<Queue<'a>> {
    let mut top: Vec<Queue<'a>> = queues.iter().filter(|q| value(q) > 0.0).copied().collect();
    top.sort_by(|one, other| value(other).total_cmp(&value(one)));
    top
}

/// The longest stop of a queue, ps; 0 without any.
pub fn longest_stop_ps(queue: &QueueOutcome) -> f64 {
    queue.stops.max().unwrap_or(0.0)
}

/// Every queue that had something to do.
pub fn table(run: &Frames<'_>) -> Table {
    let all = queues(run);
    let shown = kept(all.len(), |index| all[index].found.sent_bytes as f64);
    let left_out = limit(all.len(), "queues");
    TableOf::of(shown.into_iter().map(|index| all[index]))
        .called(format!(
            "queues: Output queues, by port and class; unused ones are left out.{left_out}"
        ))
        .port(run, "from which node to which", |queue| queue.channel)
        .number("class: of its frames")
        .of(|queue| queue.class as u64)
        .number("sent [frames]: after the warm-up")
        .of(|queue| queue.found.sent)
        .number(
            "utilization [%]: share of the time after the warm-up that its frames, with preamble \
             and gap, took",
        )
        .of(|queue| percent(queue.found.data_share))
        .number("held mean [bytes]: over the time after the warm-up")
        .of(|queue| Cell::float(queue.found.mean_bytes, 0))
        .number("held max [bytes]: whole run")
        .of(|queue| queue.found.most_bytes)
        .number("limit [bytes]: that it may hold; empty: no limit")
        .of(|queue| queue.spec.and_then(|told| told.limit_bytes))
        .number("xoff [bytes]: neighbours are stopped above this (detection at outputs)")
        .of(xoff_bytes)
        .number("stopped [%]: share of the time after the warm-up")
        .of(|queue| percent(queue.found.stopped_share))
        .number("stop max [ms]: longest; whole run")
        .of(|queue| Cell::float(longest_stop_ps(queue.found) / 1e9, 6))
        .number("congestions: times it became congested; whole run")
        .of(|queue| queue.found.congestions)
        .drops::<EthernetSpec>(|queue| &queue.found.drops)
        .number("ECN-marked [frames]: after the warm-up")
        .of(|queue| queue.found.marked)
        .number("trimmed [frames]: that found it full and went on as headers; whole run")
        .of(|queue| queue.found.trimmed)
        .number("watchdog trips: whole run")
        .of(|queue| queue.found.watchdog_trips)
        .done()
}

/// The threshold, where it says something: below a limit.
pub fn xoff_bytes(queue: &Queue<'_>) -> Option<u64> {
    let queue_spec = queue.spec?;
    queue_spec
        .limit_bytes
        .is_some_and(|limit| queue_spec.high_bytes < limit)
        .then_some(queue_spec.high_bytes)
}

/// Queues that dropped, most drops first.
pub fn drops(run: &Frames<'_>) -> Table {
    let all = queues(run);
    let dropping = top(&all, |queue| queue.found.drops.total() as f64);
    let share = |queue: &Queue<'_>| {
        let drops = &queue.found.drops;
        // What the wire loses has joined before.
        let came = queue.found.joined_total + drops.total() - drops.by(LossCause::Wire);
        percent_of(drops.total(), came)
    };
    TableOf::of(dropping.into_iter().take(ROWS_MOST))
        .called("drops: Dropped frames by port and cause; whole run.")
        .port(run, "that they would have left by", |queue| queue.channel)
        .number("class: of the queue")
        .of(|queue| queue.class as u64)
        .dropped::<EthernetSpec>(
            |queue| &queue.found.drops,
            "of the frames that joined or were dropped here",
            share,
        )
        .done()
}

/// The credit of each class over each link that was used.
pub fn credits(run: &Frames<'_>) -> Table {
    let all: Vec<Credited<'_>> = queues(run)
        .into_iter()
        .flat_map(|queue| {
            let spec = names::channel_spec(run.network, queue.channel);
            let spec = spec.and_then(|spec| spec.credits.get(queue.class)?.as_ref());
            let whole = queue.found.credit.as_ref().map(|credit| (None, **credit));
            let lanes = queue.found.lanes.iter();
            let lanes = lanes.map(|lane| (Some(lane), lane.credit));
            let own = whole.into_iter().chain(lanes);
            own.filter_map(move |(lane, credit)| Some((queue, spec?, credit, lane)))
        })
        .collect();
    let shown = kept(all.len(), |index| all[index].2.consumed as f64);
    let left_out = limit(all.len(), "credits");
    TableOf::of(shown.into_iter().map(|index| all[index]))
        .called(format!(
            "credits: Credit of classes and lanes over links, in units of a cell; unused ones are \
             left out.{left_out}"
        ))
        .port(run, "from which node to which", |(queue, ..)| queue.channel)
        .number("class: of its frames")
        .of(|(queue, ..)| queue.class as u64)
        .text(
            "lane: the flow, or the host, that has it for itself, or its number of those that \
             flows are hashed to; empty: the class",
        )
        .of(|(.., lane)| lane.map_or(String::new(), |lane| owner(run, lane)))
        .number("cell [bytes]: what one unit is good for")
        .of(|(_, spec, ..)| u64::from(spec.unit_bytes))
        .number("limit [units]: most that may be spent and not known to be free again")
        .of(|(.., found, _)| found.limit)
        .number("credits used [units]: spent and not known to be free, at the end")
        .of(|(.., found, _)| found.used)
        .number("credits used max [units]: the most that ever was; whole run")
        .of(|(.., found, _)| found.most_used)
        .number("credits consumed [units]: spent on all frames that started; whole run")
        .of(|(.., found, _)| found.consumed)
        .number("credits freed [units]: of that, at the receiver, known losses included; whole run")
        .of(|(.., found, _)| found.freed)
        .number("credits lost [units]: found lost on the wire, and given back; whole run")
        .of(|(.., found, _)| found.lost)
        .number("messages received: of credit, by the sender; whole run")
        .of(|(.., found, _)| found.messages)
        .done()
}

/// A queue with credit over the link behind it.
type Credited<'a> = (
    Queue<'a>,
    &'a ClassCreditSpec,
    CreditOutcome,
    Option<&'a LaneOutcome>,
);

/// Whose a lane is.
fn owner(run: &Frames<'_>, lane: &LaneOutcome) -> String {
    match (lane.way, lane.number) {
        (None, Some(number)) => format!("lane {number}"),
        (None, None) => names::node(run.network, lane.destination),
        (Some(way), _) if way % 2 == 1 => format!("{}, back", names::flow(run.network, way / 2)),
        (Some(way), _) => names::flow(run.network, way / 2),
    }
}

/// Each direction of each link: what its port said and heard of flow control, and what waited at
/// the input behind it.
pub fn channels(run: &Frames<'_>) -> Table {
    events::ports::table(run)
        .number("number: as in a trace")
        .of(|(port, _)| *port)
        .number("stops sent [frames]: by this port, refreshes included; whole run")
        .of(|(_, found)| found.by_class.stops_sent)
        .number("refreshes sent [frames]: among them")
        .of(|(_, found)| found.by_class.refreshes_sent)
        .number("resumes sent [frames]: whole run")
        .of(|(_, found)| found.by_class.resumes_sent)
        .number("stops obeyed [frames]: by this port; whole run")
        .of(|(_, found)| found.by_class.stops_obeyed)
        .number(
            "stops ignored [frames]: for this port, of what is not under flow control there; whole \
             run",
        )
        .of(|(_, found)| found.by_class.stops_ignored)
        .number("control lost [frames]: control frames by this port lost on the wire; whole run")
        .of(|(_, found)| found.by_class.control_lost_total)
        .number("credits sent [frames]: credit frames by this port; whole run")
        .of(|(_, found)| found.by_class.credits_sent)
        .number(
            "input held max [bytes]: received over the link and not yet forwarded by the node at \
             its end, each class when it held most, added up; whole run",
        )
        .of(|(_, found)| found.by_class.input_most_bytes)
        .number(
            "headroom held max [bytes]: of that in headroom, or above the XOFF threshold; whole \
             run",
        )
        .of(|(_, found)| found.by_class.headroom_most_bytes)
        .done()
}
