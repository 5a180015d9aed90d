//! The promises once more, from what a probe is told and nothing else.

use std::collections::VecDeque;

use backwater_kernel::{Duration, Rate, Time};
use backwater_net::Network;
use backwater_net::outcome::{LossCause, Outcome};
use backwater_net::probe::{Crossing, Probe, UnitKind};
use backwater_net::spec::*;

/// Rebuilds every counter from events and checks what the rules promise.
pub struct Observer {
    legs: Vec<Seen>,
    channels: Vec<Wire>,
    touched: Vec<u32>,
    pub checks: u64,
    pub broken: Vec<String>,
}

/// One leg, as seen from outside.
struct Seen {
    channel: u32,
    children: Vec<u32>,
    infinite_sink: bool,
    zones: Option<Zones>,
    credit: i64,
    waiting: u32,
    fill: u32,
    sent: u64,
    arrived: u64,
    lost: u64,
    dropped: u64,
    delivered: u64,
    last_arrived: Option<u64>,
    starts: VecDeque<Time>,
}

struct Zones {
    buffer: i64,
    credit: i64,
    /// Most starts in any window of one control loop.
    starts: Option<u32>,
    window: Duration,
}

struct Wire {
    rate: Rate,
    busy_until: Time,
    legs: Vec<u32>,
}

fn zones(control: &FlowControlSpec) -> Option<Zones> {
    let FlowControlSpec::Credit(credit) = control else {
        return None;
    };
    let starts = match credit.rule {
        CreditRule::N123 => None,
        CreditRule::N123Plus => Some(credit.n1),
        _ => Some(credit.n2 + credit.n3),
    };
    Some(Zones {
        buffer: (credit.n1 + credit.n2 + credit.n3) as i64,
        credit: (credit.n2 + credit.n3) as i64,
        starts,
        window: credit.window,
    })
}

impl Observer {
    pub fn new(spec: &NetworkSpec) -> Observer {
        let mut legs: Vec<Seen> = Vec::new();
        for flow in &spec.flows {
            let base = legs.len() as u32;
            for (index, leg) in flow.legs.iter().enumerate() {
                let own = base + index as u32;
                if let Some(parent) = leg.parent {
                    legs[(base + parent) as usize].children.push(own);
                }
                let zones = zones(&leg.flow_control);
                let initial = match leg.flow_control {
                    FlowControlSpec::None => i64::MAX,
                    FlowControlSpec::Credit(credit) => match credit.rule {
                        CreditRule::N123Plus => credit.n1.min(credit.n2 + credit.n3) as i64,
                        _ => (credit.n2 + credit.n3) as i64,
                    },
                };
                legs.push(Seen {
                    channel: leg.channel,
                    children: Vec::new(),
                    infinite_sink: flow.sink == SinkSpec::Infinite,
                    zones,
                    credit: initial,
                    waiting: 0,
                    fill: 0,
                    sent: 0,
                    arrived: 0,
                    lost: 0,
                    dropped: 0,
                    delivered: 0,
                    last_arrived: None,
                    starts: VecDeque::new(),
                });
            }
        }
        let specs = spec
            .links
            .iter()
            .flat_map(|l| [&l.channels[0], &l.channels[1]]);
        let channels = specs.enumerate().map(|(id, channel)| Wire {
            rate: channel.rate,
            busy_until: Time::ZERO,
            legs: (0..legs.len() as u32)
                .filter(|&leg| legs[leg as usize].channel == id as u32)
                .collect(),
        });
        Observer {
            channels: channels.collect(),
            legs,
            touched: Vec::new(),
            checks: 0,
            broken: Vec::new(),
        }
    }

    fn require(&mut self, holds: bool, what: impl FnOnce() -> String) {
        self.checks += 1;
        if !holds && self.broken.len() < 100 {
            self.broken.push(format!("observer: {}", what()));
        }
    }

    fn touch(&mut self, leg: u32) -> &mut Seen {
        self.touched.push(leg);
        &mut self.legs[leg as usize]
    }

    fn check_leg(&mut self, at: Time, id: u32) {
        let leg = &self.legs[id as usize];
        let wire = (leg.sent - leg.arrived - leg.lost) as i64;
        let (credit, fill) = (leg.credit.max(0), leg.fill as i64);
        // Memory is free when the slowest branch has started the unit, or the sink has taken it.
        let kept = leg.arrived - leg.dropped;
        let passed = match leg.children[..] {
            [] if leg.infinite_sink => kept,
            [] => leg.delivered,
            _ => {
                let sent = leg.children.iter().map(|&c| self.legs[c as usize].sent);
                sent.min().expect("it has children")
            }
        };
        let limits = leg.zones.as_ref().map(|zones| (zones.buffer, zones.credit));
        self.require(passed + fill as u64 == kept, || {
            format!("{at:?}, leg {id}: {kept} kept, {passed} passed on, but {fill} stored")
        });
        if let Some((buffer, most)) = limits {
            self.require(credit + wire + fill <= buffer, || {
                format!("{at:?}, leg {id}: {credit} + {wire} + {fill} exceed {buffer}")
            });
            self.require(credit <= most, || {
                format!("{at:?}, leg {id}: credit {credit} above {most}")
            });
        }
    }

    fn check_idle(&mut self, at: Time, channel: u32) {
        let wire = &self.channels[channel as usize];
        if wire.busy_until > at {
            return;
        }
        let may_send = |&&leg: &&u32| {
            let leg = &self.legs[leg as usize];
            leg.waiting > 0 && leg.credit > 0
        };
        let waiting = wire.legs.iter().find(may_send).copied();
        self.require(waiting.is_none(), || {
            format!("{at:?}: channel {channel} idles though leg {waiting:?} may send")
        });
    }

    /// The engine's totals are those seen.
    pub fn compare(&mut self, outcome: &Outcome) {
        for (id, leg) in outcome.legs.iter().enumerate() {
            let seen = &self.legs[id];
            let own = [seen.sent, seen.lost, seen.dropped, seen.fill as u64];
            let theirs = [
                leg.sent_total,
                leg.lost_total,
                leg.dropped_total,
                leg.fill as u64,
            ];
            self.require(own == theirs, || {
                format!("leg {id}: {own:?} seen, {theirs:?} reported")
            });
        }
        for flow in &outcome.flows {
            let ends = flow.delivered_total + flow.lost_total + flow.inside_total;
            self.require(flow.offered_total == ends, || {
                format!("{} offered, {ends} accounted for", flow.offered_total)
            });
        }
    }
}

impl Probe for Observer {
    fn on_start(&mut self, crossing: Crossing) {
        let wire = &mut self.channels[crossing.channel as usize];
        let (at, id) = (crossing.at, crossing.leg);
        let was_free = wire.busy_until <= at;
        wire.busy_until = at + wire.rate.serialization(crossing.bytes as u64);
        self.require(was_free, || {
            format!("{at:?}: two units at once on a channel")
        });
        if crossing.kind != UnitKind::Data {
            return;
        }
        let leg = self.touch(id);
        leg.sent += 1;
        let had_credit = leg.credit > 0;
        let crowd = leg.zones.as_ref().and_then(|zones| {
            leg.starts.push_back(at);
            while leg.starts.front().is_some_and(|&s| s + zones.window <= at) {
                leg.starts.pop_front();
            }
            zones.starts.map(|most| (leg.starts.len(), most))
        });
        self.require(had_credit, || {
            format!("{at:?}, leg {id}: a start without credit")
        });
        if let Some((count, most)) = crowd {
            self.require(count <= most as usize, || {
                format!("{at:?}, leg {id}: {count} starts in a loop, {most} allowed")
            });
        }
    }

    fn on_arrival(&mut self, crossing: Crossing) {
        if crossing.kind != UnitKind::Data {
            return;
        }
        let (at, id, number) = (crossing.at, crossing.leg, crossing.value);
        let leg = self.touch(id);
        leg.arrived += 1;
        let last = leg.last_arrived.replace(number);
        let expected = last.map_or(0, |last| last + 1);
        let in_order = last.is_none_or(|last| last < number);
        // Whatever is skipped was lost on this wire or before it.
        let skipped = number.saturating_sub(expected);
        let lossless = self.legs.iter().all(|leg| leg.lost + leg.dropped == 0);
        self.require(in_order && (skipped == 0 || !lossless), || {
            format!("{at:?}, leg {id}: unit {number} came after {last:?}")
        });
    }

    fn on_loss(&mut self, crossing: Crossing, _cause: LossCause) {
        if crossing.kind != UnitKind::Data {
            return;
        }
        let leg = self.touch(crossing.leg);
        if leg.last_arrived == Some(crossing.value) {
            leg.dropped += 1;
        } else {
            leg.lost += 1;
        }
    }

    fn on_fill(&mut self, _at: Time, leg: u32, fill: u32) {
        self.touch(leg).fill = fill;
    }

    fn on_credit(&mut self, _at: Time, leg: u32, credit: i64, _renewed: bool) {
        self.touch(leg).credit = credit;
    }

    fn on_queue(&mut self, _at: Time, leg: u32, waiting: u32) {
        self.touch(leg).waiting = waiting;
    }

    fn on_delivered(&mut self, _at: Time, leg: u32, _born: Time, _bytes: u32) {
        self.touch(leg).delivered += 1;
    }

    fn after_instant(&mut self, at: Time, _network: &Network) {
        let mut touched = std::mem::take(&mut self.touched);
        touched.sort_unstable();
        touched.dedup();
        for &leg in &touched {
            self.check_leg(at, leg);
        }
        // A port that becomes free has something touched only if it starts: check all.
        for channel in 0..self.channels.len() as u32 {
            self.check_idle(at, channel);
        }
        touched.clear();
        self.touched = touched;
    }
}
