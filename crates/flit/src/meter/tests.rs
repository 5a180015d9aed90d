//! Tests of measuring.

mod numbers;
mod phases;
mod settling;
mod verdicts;

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;
use backwater_kernel::{Purpose, Stop, Stream};

use super::{Delivered, Meter, Phase, Totals};
use crate::outcome::FabricOutcome;
use crate::spec::{FabricSpec, Injection, MeasureSpec, WarmUp};
use crate::traffic::testing::{class, crossbar};

const TERMINALS: u32 = 16;

fn measured(warm_up: WarmUp, window: u64, drain: u64) -> FabricSpec {
    let traffic = class(Injection::Bernoulli { load: 0.5 });
    FabricSpec {
        measure: MeasureSpec {
            warm_up,
            window,
            drain,
            stall: 1_000,
        },
        ..crossbar(TERMINALS, vec![traffic])
    }
}

/// A network that keeps each packet for as long as it is told to.
struct Carrier {
    meter: Meter,
    /// By cycle of arrival: terminals and cycle of birth.
    under_way: BTreeMap<u64, Vec<(u32, u32, u64)>>,
    inside: u64,
    stream: Stream,
    phases: Vec<(u64, Phase)>,
}

impl Carrier {
    fn new(spec: &FabricSpec) -> Carrier {
        Carrier {
            meter: Meter::new(spec),
            under_way: BTreeMap::new(),
            inside: 0,
            stream: Stream::new(7, 0, Purpose::Pattern),
            phases: Vec::new(),
        }
    }

    /// Runs to the end, at most `most` cycles: single flits born with probability `load` that
    /// take `latency` of their birth.
    fn run(mut self, most: u64, load: f64, latency: impl Fn(u64, u64) -> u64) -> Finished {
        let load = backwater_kernel::Probability::new(load).unwrap();
        let mut end = most;
        for now in 0..most {
            if now >= self.meter.next_checkpoint() {
                let totals = Totals {
                    queued: 0,
                    inside: self.inside,
                };
                let phase = self.meter.checkpoint(now, &totals);
                if self.phases.last().map(|(_, last)| *last) != Some(phase) {
                    self.phases.push((now, phase));
                }
                if matches!(phase, Phase::Done(_)) {
                    end = now;
                    break;
                }
            }
            self.arrive(now);
            for terminal in 0..TERMINALS {
                if self.stream.chance(load) {
                    let to = self.stream.below(u64::from(TERMINALS)) as u32;
                    let noise = self.stream.below(8);
                    self.meter.born(now, terminal, 0, 1);
                    self.inside += 1;
                    let at = now + latency(now, noise).max(1);
                    self.under_way
                        .entry(at)
                        .or_default()
                        .push((terminal, to, now));
                }
            }
        }
        let mut outcome = FabricOutcome {
            cycles: end,
            ..FabricOutcome::default()
        };
        if let Phase::Done(stop) = self.meter.phase() {
            outcome.stop = stop;
        }
        self.meter.fill(&mut outcome);
        Finished {
            outcome,
            phases: self.phases,
        }
    }

    fn arrive(&mut self, now: u64) {
        for (source, destination, birth) in self.under_way.remove(&now).unwrap_or_default() {
            self.inside -= 1;
            self.meter.delivered(&Delivered {
                source,
                destination,
                class: 0,
                length: 1,
                birth,
                entered: birth + 1,
                hops: 2,
                flight: 2,
                now,
            });
        }
    }
}

struct Finished {
    outcome: FabricOutcome,
    phases: Vec<(u64, Phase)>,
}

impl Finished {
    fn stop(&self) -> Stop {
        self.outcome.stop
    }
}
