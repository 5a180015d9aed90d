//! Channels, with the queues in front of them and the counters behind them.

use ethernet::spec::{ChannelSpec, EcnSpec, InputSpec, LinkSpec, Order, QueueSpec};
use kernel::{Duration, Rate};

use super::layers::Layers;
use super::net::Net;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::record::{Datum, Record};
use crate::units::Decimal;

/// Propagation where the file says nothing: 100 m of cable.
const USUAL_DELAY: Duration = Duration(500_000);

/// How memory and detection of the scenario look to a port.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Ports {
    /// Queues of each port.
    pub classes: u8,
    /// Classes under back-pressure, a bit each; 0 without it.
    pub lossless: u8,
    /// Congestion is seen at inputs.
    pub at_inputs: bool,
    /// All queues of a switch share one memory.
    pub is_shared: bool,
}

/// Builds every link.
pub(crate) fn links(
    root: &Record,
    net: &Net<'_>,
    ports: Ports,
    mistakes: &mut Diagnostics,
) -> Vec<LinkSpec> {
    let mut side = |number: u32| channel(root, net, number, ports, mistakes);
    let joins = net.joins.iter().enumerate();
    joins
        .map(|(index, join)| LinkSpec {
            a: join.a,
            b: join.b,
            forward: side(2 * index as u32),
            backward: side(2 * index as u32 + 1),
        })
        .collect()
}

/// Classes that some queue marks.
pub(crate) fn marked(links: &[LinkSpec]) -> [bool; 8] {
    let mut marked = [false; 8];
    let channels = links
        .iter()
        .flat_map(|link| [&link.forward, &link.backward]);
    for channel in channels {
        for (class, queue) in marked.iter_mut().zip(&channel.queues) {
            *class |= queue.ecn.is_some();
        }
    }
    marked
}

fn channel(
    root: &Record,
    net: &Net<'_>,
    number: u32,
    ports: Ports,
    mistakes: &mut Diagnostics,
) -> ChannelSpec {
    let own = net.layers(number);
    let link = Layers(root.record("link").into_iter().chain(own.clone()).collect());
    let rate = link.rate("rate").unwrap_or(Rate(1));
    let delay = match link.last(&["delay", "cable"]) {
        Some((layer, field)) => layer.duration(field.key.name).unwrap_or(USUAL_DELAY),
        None => USUAL_DELAY,
    };
    let switch = root.record("switch").into_iter().chain(own.clone());
    let order = match Layers(switch.collect()).word("order") {
        Some("deficit-round-robin") => Order::DeficitRoundRobin,
        _ => Order::StrictPriority,
    };
    let (from, to) = net.ends(number);
    let port = Port {
        root,
        own,
        rate,
        ports,
        name: net.channel_name(number),
    };
    let classes = 0..ports.classes;
    let leaves_switch = net.forwards(from);
    let counts_inputs = ports.at_inputs && !ports.is_shared && net.forwards(to);
    ChannelSpec {
        rate,
        delay: delay.max(Duration(1)),
        order,
        queues: classes
            .clone()
            .map(|class| port.queue(class, leaves_switch, mistakes))
            .collect(),
        inputs: match counts_inputs {
            true => classes.map(|class| port.input(class, mistakes)).collect(),
            false => Vec::new(),
        },
    }
}

struct Port<'r> {
    root: &'r Record,
    own: Vec<&'r Record>,
    rate: Rate,
    ports: Ports,
    name: String,
}

impl<'r> Port<'r> {
    /// What is said of the queues of a class here, the last winning.
    fn layers(&self, class: u8) -> Layers<'r> {
        let classes = self.root.records("classes").iter();
        let of_class = classes.filter(|record| record.whole("class") == Some(u64::from(class)));
        let general = ["back_pressure", "buffer"];
        let general = general.iter().filter_map(|name| self.root.record(name));
        Layers(general.chain(of_class).chain(self.own.clone()).collect())
    }

    fn is_lossless(&self, class: u8) -> bool {
        self.ports.lossless & 1 << class != 0
    }

    fn queue(&self, class: u8, leaves_switch: bool, mistakes: &mut Diagnostics) -> QueueSpec {
        let layers = self.layers(class);
        let quantum_bytes = layers.whole("quantum").unwrap_or(1_522) as u32;
        let endless = QueueSpec {
            limit_bytes: None,
            high_bytes: u64::MAX,
            low_bytes: 0,
            quantum_bytes,
            ecn: None,
        };
        if !leaves_switch {
            return endless;
        }
        let ecn = self.ecn(class, &layers, mistakes);
        let given = layers.whole("limit").or_else(|| layers.whole("per_queue"));
        let is_endless = self.ports.is_shared || self.ports.at_inputs && self.is_lossless(class);
        let usual = (!is_endless).then(|| usual_bytes(self.rate));
        let limit_bytes = given.or(usual).filter(|_| !self.ports.is_shared);
        let queue = QueueSpec {
            limit_bytes,
            ecn,
            ..endless
        };
        match limit_bytes {
            Some(limit) if self.is_lossless(class) && !self.ports.at_inputs => {
                let (high_bytes, low_bytes) = self.thresholds(class, &layers, limit, mistakes);
                QueueSpec {
                    high_bytes,
                    low_bytes,
                    ..queue
                }
            }
            _ => queue,
        }
    }

    fn input(&self, class: u8, mistakes: &mut Diagnostics) -> InputSpec {
        if !self.is_lossless(class) {
            return InputSpec {
                high_bytes: u64::MAX,
                low_bytes: 0,
                limit_bytes: None,
            };
        }
        let layers = self.layers(class);
        let limit = layers.whole("per_input");
        let limit = limit.unwrap_or_else(|| usual_bytes(self.rate));
        let (high_bytes, low_bytes) = self.thresholds(class, &layers, limit, mistakes);
        InputSpec {
            high_bytes,
            low_bytes,
            limit_bytes: Some(limit),
        }
    }

    /// High and low, which are shares of `limit` or bytes.
    fn thresholds(
        &self,
        class: u8,
        layers: &Layers<'_>,
        limit: u64,
        mistakes: &mut Diagnostics,
    ) -> (u64, u64) {
        let read = |key: &'static str| {
            let usual = self.root.record("back_pressure")?;
            match layers.field(key) {
                Some(field) => Some((bytes(&field.datum, limit)?, field.at.clone())),
                None => Some((common(usual, key, limit)?, usual.at.clone())),
            }
        };
        // One that could not be read is a mistake already told.
        let (Some((high, high_at)), Some((low, low_at))) = (read("high"), read("low")) else {
            return (limit, 0);
        };
        let place = || format!("queue `{}`, class {class}: {limit} B", self.name);
        if high >= limit {
            mistakes.push(
                Diagnostic::error("bad-threshold", "the high threshold leaves no room")
                    .at(high_at.clone(), format!("{high} B of a limit of {limit} B"))
                    .note(place())
                    .note("what comes before a stop takes effect needs room above `high`")
                    .help("lower `high`, to `\"80 %\"` for example, or raise the limit"),
            );
        }
        if low > high || high == 0 {
            mistakes.push(
                Diagnostic::error("bad-threshold", "the low threshold is above the high one")
                    .at(low_at, format!("`low` is {low} B"))
                    .at(high_at, format!("`high` is {high} B"))
                    .note(place())
                    .help("congestion begins above `high` and ends below `low`: lower `low`"),
            );
        } else if low == 0 {
            mistakes.push(
                Diagnostic::error("bad-threshold", "congestion would never end")
                    .at(low_at, "no queue holds less than 0 B")
                    .note(place())
                    .help("raise `low`: congestion ends when the queue holds less"),
            );
        }
        (high, low)
    }

    fn ecn(&self, class: u8, layers: &Layers<'_>, mistakes: &mut Diagnostics) -> Option<EcnSpec> {
        let (layer, field) = layers.last(&["mark_above", "ecn"])?;
        if field.key.name == "mark_above" {
            let low_bytes = layer.whole("mark_above")?;
            return Some(EcnSpec {
                low_bytes,
                high_bytes: low_bytes + 1,
                probability: 1.0,
            });
        }
        let slope = layer.record("ecn")?;
        let (low_bytes, high_bytes) = (slope.whole("low")?, slope.whole("high")?);
        if low_bytes >= high_bytes {
            mistakes.push(
                Diagnostic::error("bad-threshold", "marks end before they begin")
                    .at(slope.at("high"), format!("{high_bytes} B"))
                    .at(slope.at("low"), format!("{low_bytes} B"))
                    .note(format!("queue `{}`, class {class}", self.name))
                    .help("raise `high` above `low`, or use `mark_above` for a step"),
            );
        }
        Some(EcnSpec {
            low_bytes,
            high_bytes,
            probability: slope.decimal("probability").unwrap_or(1.0),
        })
    }
}

/// A threshold of `[back_pressure]` in bytes, or the paper's; `None` if it could not be read.
pub(crate) fn common(record: &Record, key: &'static str, limit: u64) -> Option<u64> {
    if record.faulty.contains(&key) {
        return None;
    }
    let usual = Decimal {
        digits: if key == "high" { 8 } else { 7 },
        scale: 1,
    };
    let datum = record.datum(key).cloned();
    bytes(&datum.unwrap_or(Datum::Share(usual)), limit)
}

/// A threshold in bytes; shares are rounded half up.
pub(crate) fn bytes(datum: &Datum, limit: u64) -> Option<u64> {
    match datum {
        Datum::Whole(bytes) => Some(*bytes),
        Datum::Share(share) => share
            .times(u128::from(limit))
            .and_then(|bytes| u64::try_from(bytes).ok()),
        _ => None,
    }
}

/// The paper's buffers: 70 kB at 10 Mbps, 500 kB at 100 Mbps, 1 MB at 1 Gbps and above.
pub(crate) fn usual_bytes(rate: Rate) -> u64 {
    match rate.0 {
        0..100_000_000 => 70_000,
        100_000_000..1_000_000_000 => 500_000,
        _ => 1_000_000,
    }
}
