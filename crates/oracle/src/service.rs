//! Which unit a port sends next: each discipline as its definition says, one a file.
//!
//! A port is told of every unit that joins one of its queues and gives it a rank; when the wire
//! is free it is asked which of the legs that are ready goes first. Everything is a list that is
//! searched from the front.
//!
//! Where the definitions leave something open:
//!
//! 1. An endless source has one unit in the queue of each of its first legs, and hands over the
//!    next to all of them when one of these queues is empty: at its start, then in the instant
//!    the last unit starts, when the wire is taken already. So the leg never stops being ready.
//! 2. A datagram counts as having a larger stamp than any while it is sent
//!    ([`Resync::Literal`](backwater_net::spec::Resync)).
//! 3. Nothing waits at a port ([`Resync::IdleLink`](backwater_net::spec::Resync)) if none of
//!    its queues holds data, with or without credit, in any group. Of units that arrive in one
//!    instant, those of lower channels come first, then those of sources in the order of flows.
//! 4. Which flows reserve, how many share a channel and which rate is the smallest are counted
//!    over all priority groups of a port.
//! 5. Of equal ranks the unit that came first goes, of those of one instant that of the lower
//!    flow.
//! 6. The busy periods of SCFQ and SFQ are those of the port, all groups together, with empty as
//!    in 3. Units that a lack of credit holds up keep their tags, so v may step back.
//! 7. WF2Q+ calls a flow busy while it may send: it has a unit in its queue, and credit. A unit
//!    leaves its queue as it starts. V is raised to the least start when the port chooses among
//!    the units of the group, and runs with real time else.

mod ats;
mod drr;
mod edf;
mod ratio;
mod round_robin;
mod self_clocked;
mod virtual_clock;
mod wf2q_plus;
mod wfq;

use backwater_kernel::{Duration, Rate, Time};
use backwater_net::spec::{ReserveSpec, SchedulerSpec};
use self_clocked::{By, Tags};

use crate::fault::Fault;

pub(crate) use ratio::Ratio;
pub use virtual_clock::Check;

/// A leg at the port of its channel.
#[derive(Clone, Copy)]
pub(crate) struct Seat {
    pub leg: usize,
    pub group: u8,
    /// `None`: its units are datagrams.
    pub reserve: Option<ReserveSpec>,
    pub unit_bytes: u64,
}

impl Seat {
    /// Time for `bytes` at the reserved rate.
    fn tick(&self, bytes: u64) -> i128 {
        let rate = self.reserve.map_or(Rate(1), |reserve| reserve.rate);
        i128::from(rate.tick(bytes).ps())
    }
}

/// A unit joins a queue.
#[derive(Clone, Copy)]
pub(crate) struct Arrival {
    pub leg: usize,
    /// The channel it came over; `None` at its source.
    pub came_over: Option<usize>,
    pub now: Time,
    pub bytes: u64,
    pub wire: Wire,
    /// No data waits at the port.
    pub port_is_empty: bool,
    pub fault: Option<Fault>,
}

/// What a channel is busy with.
#[derive(Clone, Copy)]
pub(crate) enum Wire {
    Free,
    Control,
    /// A data unit with this rank; `None`: a datagram.
    Data(Option<Ratio>),
}

/// What the port makes of a unit that joins.
pub(crate) struct RankedUnit {
    /// Smaller ones go first; `None` is behind all others, in order of arrival.
    pub rank: Option<Ratio>,
    /// It may not go before.
    pub ready_at: Time,
}

/// The first unit of a leg that is ready.
#[derive(Clone, Copy)]
pub(crate) struct Candidate {
    pub leg: usize,
    pub group: u8,
    pub arrived: Time,
    pub bytes: u64,
    pub rank: Option<Ratio>,
}

enum Discipline {
    RoundRobin(round_robin::Served),
    Fifo,
    StrictPriority,
    VirtualClock(virtual_clock::Clocks),
    Wfq(wfq::Groups),
    Wf2qPlus(wf2q_plus::Systems),
    SelfClocked(self_clocked::Tags),
    Drr(drr::Groups),
    Edf,
    Ats(ats::Buckets),
}

/// The sending end of a channel.
pub(crate) struct Port {
    pub spec: SchedulerSpec,
    seats: Vec<Seat>,
    discipline: Discipline,
}

impl Port {
    /// A port at a channel of `rate`. Only for disciplines that the check lets pass.
    pub fn new(spec: &SchedulerSpec, rate: Rate, mut seats: Vec<Seat>) -> Port {
        // What shapes holds nothing that reserves nothing.
        if !spec.shapes() {
            reserve_equal_shares(rate, &mut seats);
        }
        let discipline = match *spec {
            SchedulerSpec::Fifo => Discipline::Fifo,
            SchedulerSpec::StrictPriority => Discipline::StrictPriority,
            SchedulerSpec::VirtualClock(spec) => {
                Discipline::VirtualClock(virtual_clock::Clocks::new(spec, &seats))
            }
            SchedulerSpec::Wfq => Discipline::Wfq(wfq::Groups::new(rate)),
            SchedulerSpec::Wf2qPlus => Discipline::Wf2qPlus(wf2q_plus::Systems::new(&seats)),
            SchedulerSpec::Scfq => Discipline::SelfClocked(Tags::new(By::Finish, &seats)),
            SchedulerSpec::Sfq => Discipline::SelfClocked(Tags::new(By::Start, &seats)),
            SchedulerSpec::Drr { quantum_bytes } => {
                Discipline::Drr(drr::Groups::new(quantum_bytes, &seats))
            }
            SchedulerSpec::Edf => Discipline::Edf,
            SchedulerSpec::Ats { max_residence } => {
                Discipline::Ats(ats::Buckets::new(max_residence))
            }
            SchedulerSpec::RoundRobin => Discipline::RoundRobin(round_robin::Served::default()),
        };
        Port {
            spec: *spec,
            seats,
            discipline,
        }
    }

    /// A port of deficit round robin with these bytes a round, by leg.
    pub fn of_quanta(rate: Rate, mut seats: Vec<Seat>, quanta: Vec<(usize, u64)>) -> Port {
        reserve_equal_shares(rate, &mut seats);
        Port {
            spec: SchedulerSpec::Drr { quantum_bytes: 0 },
            discipline: Discipline::Drr(drr::Groups::of_quanta(quanta, &seats)),
            seats,
        }
    }

    fn seat(&self, leg: usize) -> Seat {
        let seat = self.seats.iter().find(|seat| seat.leg == leg);
        *seat.expect("the leg crosses this channel")
    }

    /// A unit joins the queue of a leg; `None` if it would wait there for too long.
    pub fn arrive(&mut self, arrival: Arrival) -> Option<RankedUnit> {
        let seat = self.seat(arrival.leg);
        let by_arrival = Some(Ratio::time(arrival.now));
        let at_once = |rank| RankedUnit {
            rank,
            ready_at: arrival.now,
        };
        if let Discipline::SelfClocked(tags) = &mut self.discipline {
            tags.note_arrival(&arrival);
        }
        Some(match &mut self.discipline {
            Discipline::RoundRobin(_) => at_once(None),
            Discipline::Fifo | Discipline::StrictPriority => at_once(by_arrival),
            // Datagrams leave no trace in what follows.
            _ if seat.reserve.is_none() => at_once(None),
            Discipline::VirtualClock(clocks) => at_once(Some(clocks.stamp(&seat, arrival))),
            Discipline::Wfq(groups) => at_once(Some(groups.finish(&seat, arrival))),
            Discipline::SelfClocked(tags) => at_once(Some(tags.tag(&seat, arrival))),
            Discipline::Drr(_) | Discipline::Wf2qPlus(_) => at_once(by_arrival),
            Discipline::Edf => at_once(Some(edf::deadline(&seat, arrival))),
            Discipline::Ats(buckets) => {
                let ready_at = buckets.eligible_at(&seat, arrival)?;
                RankedUnit {
                    rank: Some(Ratio::time(ready_at)),
                    ready_at,
                }
            }
        })
    }

    /// Does it matter to it since when legs are ready?
    pub fn keeps_lists(&self) -> bool {
        matches!(
            self.discipline,
            Discipline::Drr(_) | Discipline::Wf2qPlus(_)
        )
    }

    /// These legs are ready, all in order of legs. Told before and after the choices of an
    /// instant.
    pub fn settle(&mut self, ready: &[Candidate], now: Time) {
        match &mut self.discipline {
            Discipline::Drr(groups) => groups.settle(ready),
            Discipline::Wf2qPlus(systems) => systems.settle(ready, now),
            _ => {}
        }
    }

    /// The last unit of a leg was pushed out.
    pub fn note_empty(&mut self, leg: usize) {
        match &mut self.discipline {
            Discipline::Drr(groups) => groups.forget(leg),
            Discipline::Wf2qPlus(systems) => systems.forget(leg),
            _ => {}
        }
    }

    /// The leg that goes next, of those that are ready.
    pub fn choose(&mut self, ready: &[Candidate], now: Time) -> Option<usize> {
        let first = ready.iter().map(|one| one.group).max()?;
        let in_group = |one: &&Candidate| one.group == first;
        let group: Vec<Candidate> = ready.iter().filter(in_group).copied().collect();
        match &mut self.discipline {
            Discipline::RoundRobin(served) => served.choose(&group),
            Discipline::Fifo => smallest(ready),
            Discipline::Drr(groups) => groups.choose(&group).or_else(|| smallest(&group)),
            Discipline::Wf2qPlus(systems) => {
                systems.choose(&group, now).or_else(|| smallest(&group))
            }
            Discipline::SelfClocked(tags) => {
                let leg = smallest(&group)?;
                let mut chosen = group.iter().filter(|one| one.leg == leg);
                tags.serve(chosen.next()?);
                Some(leg)
            }
            Discipline::Wfq(groups) => {
                groups.watch_ties(&group, now);
                smallest(&group)
            }
            _ => smallest(&group),
        }
    }

    /// Within a leg, is the smallest stamp first, whenever it came?
    pub fn sorts_within_a_leg(&self) -> bool {
        matches!(self.discipline, Discipline::VirtualClock(_))
    }

    /// Every check of VirtualClock so far.
    pub fn checks(&self) -> &[Check] {
        match &self.discipline {
            Discipline::VirtualClock(clocks) => &clocks.checks,
            _ => &[],
        }
    }

    /// See [`Report::close_call_ps`](crate::Report::close_call_ps).
    pub fn close_call(&self) -> Option<Time> {
        match &self.discipline {
            Discipline::Wfq(groups) => groups.close_call,
            _ => None,
        }
    }
}

/// Stamped units by rank, then datagrams; equal ones by arrival, then in order of legs.
fn smallest(ready: &[Candidate]) -> Option<usize> {
    let key = |one: &&Candidate| {
        let rank = one.rank.unwrap_or(Ratio::ZERO);
        (one.rank.is_none(), rank, one.arrived, one.leg)
    };
    ready.iter().min_by_key(key).map(|one| one.leg)
}

/// Where no leg reserves, each counts as reserving an equal share.
fn reserve_equal_shares(rate: Rate, seats: &mut [Seat]) {
    if seats.is_empty() || seats.iter().any(|seat| seat.reserve.is_some()) {
        return;
    }
    let share = Rate((rate.0 / seats.len() as u64).max(1));
    for seat in seats {
        seat.reserve = Some(ReserveSpec {
            rate: share,
            interval: None,
            burst_bytes: None,
            offset: Duration::ZERO,
            deadline: None,
        });
    }
}
