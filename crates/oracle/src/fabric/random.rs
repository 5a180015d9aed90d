//! Random networks to compare engines on.

mod graph;
mod load;

use backwater_flit::spec::{
    Allocator, Arbiter, FabricSpec, LaneChoice, MeasureSpec, Release, RouterSpec, Sources, Switch,
    WarmUp,
};
use backwater_kernel::{BuildError, Purpose, Stream};

use super::network::Network;
use super::order;

/// Draws until a spec can be built.
const ATTEMPTS: u64 = 1_000;

pub(super) struct Dice(Stream);

impl Dice {
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.0.below(high - low + 1)
    }

    pub fn one_in(&mut self, count: u64) -> bool {
        self.0.below(count) == 0
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.0.below(from.len() as u64) as usize]
    }
}

/// A random small network with random traffic that `flit` and the reference can build; the same
/// seed gives the same. It may deadlock. With `exact` no arbiter is random, so that runs can be
/// compared flit by flit. Nothing in [`FabricSpec::measure`] ends a run before cycle 100,000.
///
/// The error is that of the last of many draws of which none could be built.
pub fn random_spec(seed: u64, exact: bool) -> Result<FabricSpec, BuildError> {
    let mut last = None;
    for attempt in 0..ATTEMPTS {
        let mut dice = Dice(Stream::new(seed, attempt, Purpose::Topology));
        let built = drawn(&mut dice, seed, exact)
            .and_then(|spec| Network::new(&spec).map(|_| spec))
            .map_err(|error| last = Some(error));
        if let Ok(spec) = built {
            return Ok(spec);
        }
    }
    Err(last.unwrap_or(BuildError(String::new())))
}

fn drawn(dice: &mut Dice, seed: u64, exact: bool) -> Result<FabricSpec, BuildError> {
    let (graph, routings) = graph::drawn(dice)?;
    let router = router(dice, exact);
    let longest = if router.cut_through {
        router.depth
    } else {
        dice.pick(&[1, 2, 5, 9])
    };
    let terminals = graph.inject.len() as u32;
    let mut spec = FabricSpec {
        seed,
        graph,
        routing: dice.pick(&routings),
        router,
        sources: dice.pick(&[Sources::One, Sources::Shared, Sources::PerLane]),
        classes: load::drawn(dice, terminals, longest),
        measure: MeasureSpec {
            warm_up: WarmUp::Cycles(0),
            window: 100_000,
            drain: 0,
            stall: 100_000,
        },
    };
    if order::of_moves(&spec).is_err() {
        spec.router.credit_delay = 1;
    }
    spec.router.allocation_delay = dice.pick(&[0, 0, 1, 2]);
    spec.router.lane_choice = dice.pick(&[LaneChoice::Lowest, LaneChoice::RoundRobin]);
    Ok(spec)
}

fn router(dice: &mut Dice, exact: bool) -> RouterSpec {
    let arbiters = [Arbiter::RoundRobin, Arbiter::Earliest, Arbiter::Random];
    let arbiters = if exact { &arbiters[..2] } else { &arbiters };
    RouterSpec {
        lanes: dice.between(1, 5) as u8,
        depth: dice.between(1, 6) as u16,
        switch: switch(dice),
        release: dice.pick(&[Release::Drained, Release::TailSent]),
        cut_through: dice.one_in(4),
        header_delay: dice.pick(&[0, 0, 1, 3]),
        allocation_delay: 0,
        pipeline_delay: dice.pick(&[0, 0, 1, 2]),
        credit_delay: dice.pick(&[0, 0, 1, 1, 2, 4]),
        channel_arbiter: dice.pick(arbiters),
        lane_arbiter: dice.pick(arbiters),
        lane_choice: LaneChoice::Lowest,
    }
}

fn switch(dice: &mut Dice) -> Switch {
    if dice.one_in(3) {
        return Switch::Crossbar;
    }
    let output_buffer = dice.pick(&[0, 0, 1, 2, 4]);
    Switch::Multiplexed {
        allocator: dice.pick(&[
            Allocator::SeparableInputFirst,
            Allocator::SeparableOutputFirst,
            Allocator::Islip { iterations: 1 },
            Allocator::Islip { iterations: 2 },
            Allocator::Islip { iterations: 3 },
        ]),
        output_buffer,
        speedup: if output_buffer == 0 {
            1
        } else {
            dice.between(1, 3) as u8
        },
    }
}
