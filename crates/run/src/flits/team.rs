//! One run of the cycle engine on several threads.
//!
//! Every thread has a shard of the network. In each cycle it writes to all others and hears from
//! all others; that is how they keep in step. From time to time all stop, and the thread that
//! leads measures. Waiting is short, so threads spin; they give way if it takes long.

use std::hint;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use backwater_flit::meter::Phase;
use backwater_flit::outcome::FabricOutcome;
use backwater_flit::probe::Probe;
use backwater_flit::shard::{self, Conductor, Mail, Shard};
use backwater_flit::spec::FabricSpec;
use backwater_flit::{ChannelState, Simulation};
use backwater_kernel::BuildError;

use crate::machine;

/// Looks at what is waited for before giving way to another thread.
const LOOKS: u32 = 4_000;
/// Cycles times channels that one thread gets through while it would start the others.
const SHORT: u64 = 20_000;
/// As a goal: the slice is over.
const OVER: u64 = 0;

/// A network that runs on several threads.
pub struct Team {
    conductor: Conductor,
    shards: Vec<Mutex<Shard>>,
    relay: Relay,
    /// Threads to start besides the one that leads; a member without one is worked by that.
    others: usize,
    channels: u64,
    /// It was said that fewer threads work than wanted.
    is_told: bool,
    /// Nothing looks on.
    probe: (),
}

/// How the threads of a run keep in step.
struct Relay {
    members: usize,
    /// By member: cycles whose mails it has sent.
    sent: Vec<Counter>,
    /// Mails of even and of odd cycles, by sender and receiver. A member sends those of a cycle
    /// when it has all of the cycle before; so all have read those of the cycle before that one.
    mails: Vec<Mutex<Mail>>,
    /// How often members came to a place where all meet.
    met: Counter,
    /// The cycle up to which to run on.
    goal: AtomicU64,
    /// A thread has panicked: nobody waits for it.
    has_failed: AtomicBool,
}

/// A counter on a line of memory of its own.
#[repr(align(128))]
#[derive(Default)]
struct Counter(AtomicU64);

/// Tells the others if its thread panics.
struct Alarm<'a>(&'a AtomicBool);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

impl Team {
    /// Ready for cycle 0, on so many threads.
    ///
    /// # Errors
    /// If the spec describes no network that can run, or none that can be cut into so many parts.
    pub fn new(spec: &FabricSpec, threads: usize) -> Result<Team, BuildError> {
        let (conductor, shards) = shard::split(spec, threads)?;
        Ok(Team {
            conductor,
            shards: shards.into_iter().map(Mutex::new).collect(),
            relay: Relay::new(threads),
            others: threads - 1,
            channels: spec.graph.channels.len() as u64,
            is_told: false,
            probe: (),
        })
    }
}

/// What runs, on one thread or on several.
pub trait Machine {
    /// What looks on.
    type Probe;
    /// The cycle that comes next.
    fn cycle(&self) -> u64;
    /// Flits that have crossed a channel.
    fn flit_hops(&self) -> u64;
    /// What the run is doing.
    fn phase(&self) -> Phase;
    /// Runs up to the start of `cycle`, or to the end of the run; is there more to do?
    fn run_until(&mut self, cycle: u64) -> bool;
    /// What channels have done so far.
    fn snapshot(&self) -> Vec<ChannelState>;
    /// What was found so far.
    fn outcome(&mut self) -> FabricOutcome;
    /// What looks on.
    fn probe(&mut self) -> &mut Self::Probe;
    /// Shows it the network as at the end of a run.
    fn look_over(&mut self);
}

impl<P: Probe> Machine for Simulation<P> {
    type Probe = P;

    fn cycle(&self) -> u64 {
        Simulation::cycle(self)
    }

    fn flit_hops(&self) -> u64 {
        Simulation::flit_hops(self)
    }

    fn phase(&self) -> Phase {
        Simulation::phase(self)
    }

    fn run_until(&mut self, cycle: u64) -> bool {
        Simulation::run_until(self, cycle)
    }

    fn snapshot(&self) -> Vec<ChannelState> {
        Simulation::snapshot(self)
    }

    fn outcome(&mut self) -> FabricOutcome {
        Simulation::outcome(self)
    }

    fn probe(&mut self) -> &mut P {
        self.probe_mut()
    }

    fn look_over(&mut self) {
        Simulation::look_over(self);
    }
}

impl Machine for Team {
    type Probe = ();

    fn cycle(&self) -> u64 {
        self.conductor.cycle()
    }

    fn flit_hops(&self) -> u64 {
        self.conductor.flit_hops()
    }

    fn phase(&self) -> Phase {
        self.conductor.phase()
    }

    fn run_until(&mut self, cycle: u64) -> bool {
        let (conductor, shards, relay) = (&mut self.conductor, &self.shards, &self.relay);
        let cycles = cycle.saturating_sub(conductor.cycle());
        let is_short = cycles.saturating_mul(self.channels) < SHORT;
        let others = if is_short { 0 } else { self.others };
        let own = thread::scope(|scope| {
            let mut own = vec![0];
            for (member, shard) in shards.iter().enumerate().skip(1) {
                let work = move || relay.follow(member, shard);
                let start = || thread::Builder::new().spawn_scoped(scope, work).is_ok();
                // The system may let no more start.
                if member > others || !start() {
                    own.push(member);
                }
            }
            relay.lead(conductor, shards, &own, cycle);
            own.len()
        });
        if own > 1 && !is_short && !self.is_told {
            self.is_told = true;
            machine::note_threads(shards.len() + 1 - own, shards.len());
        }
        conductor.is_running()
    }

    fn snapshot(&self) -> Vec<ChannelState> {
        let shards: Vec<_> = self.shards.iter().map(lock).collect();
        self.conductor.snapshot(&shards)
    }

    fn outcome(&mut self) -> FabricOutcome {
        let mut shards: Vec<_> = self.shards.iter().map(lock).collect();
        self.conductor.outcome(&mut shards)
    }

    fn probe(&mut self) -> &mut () {
        &mut self.probe
    }

    fn look_over(&mut self) {}
}

impl Relay {
    fn new(members: usize) -> Relay {
        Relay {
            members,
            sent: (0..members).map(|_| Counter::default()).collect(),
            mails: (0..2 * members * members)
                .map(|_| Mutex::default())
                .collect(),
            met: Counter::default(),
            goal: AtomicU64::new(OVER),
            has_failed: AtomicBool::new(false),
        }
    }

    /// What the thread of the first shard does: it also measures, and works the shards of all
    /// members that are its `own`.
    fn lead(&self, conductor: &mut Conductor, shards: &[Mutex<Shard>], own: &[usize], until: u64) {
        let _alarm = Alarm(&self.has_failed);
        loop {
            let goal = {
                let mut shards: Vec<_> = shards.iter().map(lock).collect();
                conductor.look(&mut shards, until).unwrap_or(OVER)
            };
            self.goal.store(goal, Ordering::Relaxed);
            self.meet(own.len());
            if goal == OVER {
                return;
            }
            let mut group: Vec<_> = own.iter().map(|own| (*own, lock(&shards[*own]))).collect();
            self.run(&mut group, goal);
            drop(group);
            self.meet(own.len());
        }
    }

    /// What the other threads do.
    fn follow(&self, member: usize, shard: &Mutex<Shard>) {
        let _alarm = Alarm(&self.has_failed);
        loop {
            self.meet(1);
            let goal = self.goal.load(Ordering::Relaxed);
            if goal == OVER {
                return;
            }
            self.run(&mut [(member, lock(shard))], goal);
            self.meet(1);
        }
    }

    /// Works the shards of a group of members, who take turns within each cycle.
    fn run(&self, group: &mut [(usize, MutexGuard<'_, Shard>)], goal: u64) {
        let first = group[0].0;
        let mut sent = self.sent[first].0.load(Ordering::Relaxed);
        // All shards see the same cycle and the same standstill; each has to be asked, since it
        // skips idle time then.
        let go_on = |group: &mut [(usize, MutexGuard<'_, Shard>)]| {
            let asked = group.iter_mut().map(|(_, shard)| shard.goes_on(goal));
            asked.fold(true, |all, one| all & one)
        };
        while go_on(group) {
            for (member, shard) in group.iter_mut() {
                shard.work();
                for to in self.all_but(*member) {
                    std::mem::swap(shard.mail(to), &mut lock(self.mail(sent, *member, to)));
                }
                self.sent[*member].0.store(sent + 1, Ordering::Release);
            }
            sent += 1;
            for (member, shard) in group.iter_mut() {
                for from in self.all_but(*member) {
                    self.wait_for(&self.sent[from], sent);
                    shard.take(&mut lock(self.mail(sent - 1, from, *member)));
                }
                shard.end_cycle();
            }
        }
    }

    fn all_but(&self, member: usize) -> impl Iterator<Item = usize> {
        (0..self.members).filter(move |other| *other != member)
    }

    fn mail(&self, sent: u64, from: usize, to: usize) -> &Mutex<Mail> {
        let parity = (sent % 2) as usize;
        &self.mails[(parity * self.members + from) * self.members + to]
    }

    /// So many members are here; waits until all are.
    fn meet(&self, come: usize) {
        let members = self.members as u64;
        let before = self.met.0.fetch_add(come as u64, Ordering::AcqRel);
        self.wait_for(&self.met, (before / members + 1) * members);
    }

    fn wait_for(&self, counter: &Counter, least: u64) {
        let mut looks = 0;
        while counter.0.load(Ordering::Acquire) < least {
            if looks < LOOKS {
                looks += 1;
                hint::spin_loop();
            } else {
                assert!(
                    !self.has_failed.load(Ordering::Relaxed),
                    "another thread of the run has failed"
                );
                thread::yield_now();
            }
        }
    }
}

/// A thread that panics ends the run, so nobody sees what it left behind.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use backwater_scenario::{Engine, Set, Source};

    /// A mesh under load, shorter than shipped.
    pub fn mesh() -> Box<FabricSpec> {
        let source = Source {
            name: "mesh".into(),
            text: backwater_shipped::scenario("flit/mesh-8x8.toml").into(),
        };
        let set = |key: &str, value: &str| Set {
            key: key.into(),
            value: value.into(),
        };
        let sets = [
            set("run.warm_up", "100 cycles"),
            set("run.measure", "300 cycles"),
        ];
        let Ok(scenario) = backwater_scenario::parse(&source, &sets) else {
            panic!("the scenario is sound");
        };
        match scenario.engine {
            Engine::Flit(spec) => spec,
            _ => panic!("it is for the cycle engine"),
        }
    }

    #[test]
    fn threads_change_nothing_however_the_run_is_sliced() {
        let spec = mesh();
        let mut one = Simulation::new(&spec).expect("it builds");
        let mut teams: Vec<Team> = [1, 2, 3]
            .map(|threads| Team::new(&spec, threads).expect("it can be cut"))
            .into();
        for cycle in [1, 2, 90, 250, u64::MAX] {
            let more = one.run_until(cycle);
            let expected = format!("{:?}", one.outcome());
            for team in &mut teams {
                assert_eq!(team.run_until(cycle), more);
                assert_eq!(format!("{:?}", team.outcome()), expected);
                assert_eq!(Machine::snapshot(team), one.snapshot());
                assert_eq!(team.flit_hops(), one.flit_hops());
                assert_eq!((team.cycle(), team.phase()), (one.cycle(), one.phase()));
            }
        }
        assert!(!one.run_until(u64::MAX));
        assert!(one.outcome().packets_total > 500);
    }

    /// Whatever number of threads could be started for six parts.
    #[test]
    fn members_without_a_thread_take_turns() {
        let spec = mesh();
        let mut one = Simulation::new(&spec).expect("it builds");
        let mut teams: Vec<Team> = [0, 1, 3, 5]
            .map(|others| Team {
                others,
                // No slice is short.
                channels: SHORT,
                ..Team::new(&spec, 6).expect("it can be cut")
            })
            .into();
        for cycle in [1, 90, u64::MAX] {
            let more = one.run_until(cycle);
            let expected = format!("{:?}", one.outcome());
            for team in &mut teams {
                assert_eq!(team.run_until(cycle), more);
                assert_eq!(format!("{:?}", team.outcome()), expected);
                assert_eq!(team.is_told, team.others < 5, "{}", team.others);
            }
        }
    }

    /// Else a defect in one thread would look like a run without end.
    #[test]
    fn nobody_waits_for_a_thread_that_has_failed() {
        let relay = Relay::new(2);
        let results = thread::scope(|scope| {
            let fails = scope.spawn(|| {
                let _alarm = Alarm(&relay.has_failed);
                panic!("a defect");
            });
            let waits = scope.spawn(|| {
                let _alarm = Alarm(&relay.has_failed);
                relay.meet(1);
            });
            [fails.join().is_err(), waits.join().is_err()]
        });
        assert_eq!(results, [true, true]);
    }
}
