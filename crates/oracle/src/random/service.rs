//! Random networks whose ports serve by reservation.

use backwater_kernel::Channels;
use backwater_net::spec::{ReserveSpec, Resync, SizeShare};

use super::*;

/// Rates of channels and reservations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rates {
    /// Whatever comes.
    Any,
    /// Every channel has 1.2 Gbit/s, every flow reserves a number of twelfths, sizes and times
    /// have many factors of 2 and 3: virtual times are mostly whole.
    Twelfths,
}

/// What random networks hold besides the discipline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ServiceMix {
    /// Rates of channels and reservations.
    pub rates: Rates,
    /// Some flows are under N23.
    pub credit: bool,
    /// Some networks have three priority groups.
    pub priorities: bool,
    /// Some flows without credit have units of several sizes.
    pub sizes: bool,
}

impl ServiceMix {
    /// Everything.
    pub const ALL: ServiceMix = ServiceMix {
        rates: Rates::Any,
        credit: true,
        priorities: true,
        sizes: true,
    };
}

/// One network while it is made.
struct Plan {
    dice: Dice,
    scheduler: SchedulerSpec,
    mix: ServiceMix,
    has_groups: bool,
    /// Of so many flows one reserves nothing; 0: all reserve.
    datagrams: u64,
    links: Vec<LinkSpec>,
}

/// A random network of 1-4 switches and 2-12 flows whose ports all serve by `scheduler`: flows
/// that keep to what they reserve and flows that don't, datagrams, sometimes more reserved than
/// there is. The same arguments give the same network.
pub fn random_service_spec(seed: u64, scheduler: SchedulerSpec, mix: ServiceMix) -> NetworkSpec {
    let mut dice = Dice {
        stream: Xoshiro256PlusPlus::seed_from_u64(seed ^ 0x5e71_11ce),
        on_grid: mix.rates == Rates::Twelfths,
        cell_ps: match mix.rates {
            Rates::Any => CELL_PS,
            Rates::Twelfths => 3_240_000,
        },
    };
    dice.on_grid |= dice.one_in(3);
    let switches = dice.between(1, 4) as u32;
    let hosts = dice.between(2, 8) as u32;
    let mut links = random_links(&mut dice, switches, hosts);
    for channel in links.iter_mut().flat_map(|link| &mut link.channels) {
        channel.scheduler = scheduler;
        if mix.rates == Rates::Twelfths {
            channel.rate = Rate(12 * TWELFTH);
        }
    }
    let mut plan = Plan {
        has_groups: mix.priorities && dice.one_in(3),
        datagrams: dice.pick(&[0, 0, 4, 4, 3, 1]),
        dice,
        scheduler,
        mix,
        links,
    };
    let mut spec = random_spec(seed);
    spec.stop_at = Time(plan.dice.between(150, 400) * plan.dice.cell_ps);
    spec.nodes = (0..switches + hosts).map(|id| node(id, switches)).collect();
    spec.flows = (0..plan.dice.between(2, 12))
        .map(|number| {
            let flow = random_flow(&mut plan.dice, number, switches, hosts, &plan.links);
            plan.reserved(flow)
        })
        .collect();
    spec.links = plan.links.clone();
    if !plan.dice.one_in(4) {
        fit(&mut spec, mix.rates);
    }
    for flow in &mut spec.flows {
        plan.fill_in(flow);
    }
    spec
}

fn node(index: u32, switches: u32) -> NodeSpec {
    let (kind, letter) = if index < switches {
        (NodeKind::Switch, 's')
    } else {
        (NodeKind::Host, 'h')
    };
    NodeSpec {
        pool: None,
        name: format!("{letter}{index}"),
        kind,
    }
}

fn rate_of(links: &[LinkSpec], channel: u32) -> u64 {
    links.channel(channel).rate.0
}

/// Where more is reserved than there is, all flows of the channel reserve less.
fn fit(spec: &mut NetworkSpec, rates: Rates) {
    for channel in spec.links.channels() {
        let limit = u128::from(rate_of(&spec.links, channel));
        let crosses = |flow: &FlowSpec| {
            let mut legs = flow.legs.iter();
            legs.any(|leg| leg.channel == channel)
        };
        let reserved = |flow: &FlowSpec| flow.reserve.map_or(0, |reserve| reserve.rate.0);
        let here = spec.flows.iter().filter(|flow| crosses(flow));
        let sum: u128 = here.map(|flow| u128::from(reserved(flow))).sum();
        if sum <= limit {
            continue;
        }
        for flow in spec.flows.iter_mut().filter(|flow| crosses(flow)) {
            if let Some(reserve) = &mut flow.reserve {
                let share = (u128::from(reserve.rate.0) * limit / sum) as u64;
                reserve.rate = match rates {
                    Rates::Any => Rate(share.max(1)),
                    // 12 flows at most: a twelfth each fits.
                    Rates::Twelfths => Rate(TWELFTH * (share / TWELFTH).max(1)),
                };
            }
        }
    }
}

const TWELFTH: u64 = 100_000_000;

impl Plan {
    /// The flow with another size, group and a rate it reserves.
    fn reserved(&mut self, mut flow: FlowSpec) -> FlowSpec {
        let dice = &mut self.dice;
        flow.unit_bytes = match self.mix.rates {
            Rates::Any => dice.pick(&[53, 53, 53, 106, 200, 500]),
            Rates::Twelfths => dice.pick(&[486, 486, 972, 1458]),
        };
        flow.priority = if self.has_groups {
            2 - dice.between(0, 2) as u8
        } else {
            0
        };
        let slowest = flow
            .legs
            .iter()
            .map(|leg| rate_of(&self.links, leg.channel));
        let slowest = slowest.min().unwrap_or(1);
        let rate = match self.mix.rates {
            Rates::Any => slowest / 100 * dice.between(3, 50),
            Rates::Twelfths => TWELFTH * dice.pick(&[1, 1, 2, 3, 4, 6]),
        };
        let is_datagram = self.datagrams > 0 && dice.one_in(self.datagrams);
        flow.reserve = (!is_datagram).then_some(ReserveSpec {
            rate: Rate(rate),
            interval: None,
            burst_bytes: None,
            offset: Duration::ZERO,
            deadline: None,
        });
        flow
    }

    /// What depends on the rate: checks, deadlines, traffic, credit.
    fn fill_in(&mut self, flow: &mut FlowSpec) {
        let bytes = u64::from(flow.unit_bytes);
        let dice = &mut self.dice;
        let rate = flow
            .reserve
            .map_or(Rate(50_000_000), |reserve| reserve.rate);
        let tick = rate.tick(bytes);
        if let Some(reserve) = &mut flow.reserve {
            if !dice.one_in(5) {
                reserve.interval = Some(Duration(tick.ps() * dice.between(4, 32) / 4));
            }
            if dice.one_in(4) {
                reserve.offset = Duration(tick.ps() * dice.between(1, 20) / 2);
            }
            if dice.one_in(3) {
                reserve.deadline = Some(dice.span(5, 500));
            }
            if dice.one_in(2) {
                reserve.burst_bytes = Some(bytes * dice.between(1, 6));
            }
        }
        let roots = flow.legs.iter().filter(|leg| leg.parent.is_none()).count();
        flow.traffic = self.traffic(tick, roots);
        if let SinkSpec::Limited { interval } = &mut flow.sink {
            *interval = Duration(interval.ps().min(tick.ps()));
        }
        let controlled = self.mix.credit && self.dice.one_in(3);
        if self.mix.sizes && !controlled && self.dice.one_in(3) {
            let size = |bytes: u64, share: f64| SizeShare {
                bytes: bytes as u32,
                share,
            };
            flow.sizes = vec![size(bytes / 2, 2.0), size(bytes / 6, 1.0), size(bytes, 1.0)];
        }
        for leg in &mut flow.legs {
            leg.flow_control = FlowControlSpec::None;
            if controlled {
                let credit =
                    random_credit(&mut self.dice, &self.links, leg.channel, flow.unit_bytes);
                leg.flow_control = FlowControlSpec::Credit(credit);
            }
        }
    }

    /// A source that offers a unit every `tick` on average, or more often.
    fn traffic(&mut self, tick: Duration, roots: usize) -> TrafficSpec {
        let dice = &mut self.dice;
        let start = Time(dice.span(0, 150).ps());
        let total = dice.one_in(4).then(|| dice.between(1, 100));
        // In twelfths and more: 12 is what it reserves, one in four flows offers up to 6 times
        // as much.
        let often = if dice.one_in(4) {
            dice.between(13, 72)
        } else {
            dice.between(9, 12)
        };
        let mut interval = Duration((tick.ps() * 12 / often).max(dice.cell_ps / 8));
        let mut in_burst = Duration((interval.ps() / 3).max(dice.cell_ps / 8));
        if dice.on_grid {
            let half = dice.cell_ps / 2;
            interval = Duration(interval.ps().next_multiple_of(half));
            in_burst = Duration(in_burst.ps().next_multiple_of(half));
        }
        let literal = matches!(self.scheduler,
            SchedulerSpec::VirtualClock(spec) if spec.resync == Resync::Literal);
        // Which of two first legs starts first in an instant would decide a stamp.
        let may_pull = roots == 1 || !literal;
        match dice.between(0, 6) {
            0 if may_pull => TrafficSpec::Greedy { start, total },
            1 | 2 if !dice.on_grid => TrafficSpec::Poisson {
                start,
                mean_interval: interval,
                min_interval: Duration::ZERO,
                total,
            },
            3 | 4 => TrafficSpec::OnOff {
                start,
                on: Span::Fixed(Duration(interval.ps() * dice.between(1, 4))),
                off: Span::Fixed(Duration(interval.ps() * dice.between(1, 6))),
                on_interval: in_burst,
                off_interval: dice.one_in(3).then_some(interval),
            },
            _ => TrafficSpec::Constant {
                start,
                interval,
                random_phase: false,
                total,
            },
        }
    }
}
