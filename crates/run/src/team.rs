//! One run of the event engine on several threads.
//!
//! Every thread has a part of the network. All run a window of time at once, then the thread that
//! leads hands over what crosses and says how long the next window is. Who waits for longer than a
//! moment sleeps, so that a busy machine loses little. Where little happens in a window, the thread
//! that leads runs all parts by itself: to wake the others would take longer.

use std::hint;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use backwater_kernel::{BuildError, Rings, Time};
use backwater_net::ChannelState;
use backwater_net::outcome::Outcome;
use backwater_net::parts::{Conductor, Divided, Divisible, Part, Split, Window};
use backwater_net::probe::Probe;
use backwater_results::map::bins::Bins;

use super::events::Machine;
use super::over_time::{Looked, OverTime};
use crate::machine;

/// Looks at what is waited for before going to sleep: a few microseconds, less than it takes to
/// fall asleep and wake up.
const LOOKS: u32 = 50;

/// From so many events a window on, threads share it: about 50 us of work, where to wake the others
/// and to wait for them takes 12 us with 2 threads and 50 us with 16.
const WORTH_SHARING: u64 = 400;
/// Windows over which events are averaged.
const REMEMBERED: u64 = 8;

/// A network that runs on several threads.
pub struct Team<P: Probe> {
    conductor: Conductor,
    parts: Parts<P>,
    over_time: Option<OverTime>,
    load: Load,
    /// It was said that fewer threads work than wanted.
    is_told: bool,
    /// What all parts have seen when they were asked last.
    probe: P,
}

type Parts<P> = Vec<Mutex<Part<Rings, P>>>;

/// How much happens in a window.
struct Load {
    /// From so many events on, threads share it.
    worth_sharing: u64,
    /// Events of the last windows, the latest ones more: [`REMEMBERED`] times their mean.
    recent: u64,
    /// Windows that were shared, and those that one thread ran.
    shared: u64,
    alone: u64,
}

impl Load {
    fn new(worth_sharing: u64) -> Load {
        Load {
            worth_sharing,
            recent: 0,
            shared: 0,
            alone: 0,
        }
    }

    /// A window had so many events.
    fn note(&mut self, events: u64) {
        self.recent = self.recent - self.recent / REMEMBERED + events;
    }

    /// Shall threads share the next one?
    fn is_worth_sharing(&mut self) -> bool {
        let is_worth = self.recent / REMEMBERED >= self.worth_sharing;
        let counter = if is_worth {
            &mut self.shared
        } else {
            &mut self.alone
        };
        *counter += 1;
        is_worth
    }

    /// Says so if one thread ran most of them.
    fn tell(&self) {
        let all = self.shared + self.alone;
        if self.alone > all / 2 {
            let percent = 100 * self.alone / all;
            log::info!(
                "threads: {percent} % of the windows held too few events to share; one thread ran \
                 them"
            );
        }
    }
}

/// The thread that leads, at work.
struct Leader<'a, P: Probe> {
    conductor: &'a mut Conductor,
    load: &'a mut Load,
    parts: &'a [Mutex<Part<Rings, P>>],
    /// Those that it runs itself.
    own: Vec<&'a Mutex<Part<Rings, P>>>,
    relay: &'a Relay,
}

/// How the threads of a run keep in step.
struct Relay {
    /// What to run next; `None` when the slice is over.
    window: Mutex<Option<Window>>,
    /// Windows that were given out.
    turn: AtomicU64,
    given: Condvar,
    /// Threads that still work on the last of them.
    left: AtomicUsize,
    done: Condvar,
    /// A thread has panicked: nobody waits for it.
    has_failed: AtomicBool,
}

/// Tells the others if its thread panics.
struct Alarm<'a>(&'a Relay);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            let _window = lock(&self.0.window);
            self.0.has_failed.store(true, Ordering::Relaxed);
            self.0.given.notify_all();
            self.0.done.notify_all();
        }
    }
}

impl<P: Probe + Divided + Send> Team<P> {
    /// At time zero, on so many threads.
    ///
    /// # Errors
    /// If the spec describes no network that can run, or none that can be cut into so many parts.
    pub fn new(
        spec: &(impl Divisible + Sync),
        threads: usize,
        probe: &P,
        over_time: Option<OverTime>,
    ) -> Result<Self, BuildError> {
        let (split, first) = Split::new(spec, threads, probe.clone())?;
        let others = make_others(&split, threads, probe)?;
        let parts = std::iter::once(first).chain(others);
        Ok(Team {
            conductor: split.conductor(),
            parts: parts.map(Mutex::new).collect(),
            over_time,
            load: Load::new(WORTH_SHARING),
            is_told: false,
            probe: probe.clone(),
        })
    }
}

/// The parts after the first: each is made by a thread of its own, or here if the system lets no
/// more start.
fn make_others<P: Probe + Divided + Send>(
    split: &Split<'_, impl Divisible + Sync>,
    parts: usize,
    probe: &P,
) -> Result<Vec<Part<Rings, P>>, BuildError> {
    thread::scope(|scope| {
        let start = |index: usize| {
            let probe = probe.clone();
            let make = move || split.part(index, probe);
            thread::Builder::new().spawn_scoped(scope, make)
        };
        let started: Vec<_> = (1..parts).map(start).collect();
        let made = (1..).zip(started).map(|(index, thread)| match thread {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(_) => split.part(index, probe.clone()),
        });
        made.collect()
    })
}

impl<P: Probe + Divided + Send> Machine for Team<P> {
    type Probe = P;

    fn run_some(&mut self, until: Time, events: u64) -> Option<bool> {
        let (conductor, parts) = (&mut self.conductor, &self.parts);
        let (over_time, load) = (&mut self.over_time, &mut self.load);
        let relay = Relay::new();
        let (own, more) = thread::scope(|scope| {
            let mut own = vec![&parts[0]];
            for part in &parts[1..] {
                let work = || relay.follow(part);
                // The system may let no more start.
                if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                    own.push(part);
                }
            }
            let _alarm = Alarm(&relay);
            let relay = &relay;
            let mut leader = Leader {
                conductor,
                load,
                parts,
                own,
                relay,
            };
            let more = match over_time {
                Some(over_time) => over_time.run(&mut leader, until, events),
                None => leader.run_some(until, events),
            };
            relay.give(None, leader.others());
            (leader.own.len(), more)
        });
        if more == Some(false) {
            self.load.tell();
        }
        if own > 1 && !self.is_told {
            self.is_told = true;
            machine::note_threads(self.parts.len() + 1 - own, self.parts.len());
        }
        more
    }

    fn now(&self) -> Time {
        self.conductor.now()
    }

    fn unit_hops(&mut self) -> u64 {
        all(&self.parts).iter().map(|part| part.unit_hops()).sum()
    }

    fn outcome(&mut self) -> Outcome {
        let mut parts = all(&self.parts);
        self.probe = self.conductor.probe(&parts);
        self.conductor.outcome(&mut parts)
    }

    fn bins(&mut self, at: Time) -> Option<Bins> {
        let over_time = self.over_time.as_ref()?;
        let mut leader = Leader {
            conductor: &mut self.conductor,
            load: &mut self.load,
            parts: &self.parts,
            own: Vec::new(),
            relay: &Relay::new(),
        };
        Some(over_time.bins(&mut leader, at))
    }

    fn probe(&mut self) -> &mut P {
        &mut self.probe
    }

    fn look_over(&mut self) {}
}

impl<P: Probe> Leader<'_, P> {
    /// Threads beside this one.
    fn others(&self) -> usize {
        self.parts.len() - self.own.len()
    }
}

impl<P: Probe> Looked for Leader<'_, P> {
    fn run_some(&mut self, until: Time, events: u64) -> Option<bool> {
        let mut before = self.events_handled();
        let enough = before.saturating_add(events);
        loop {
            let mut all = all(self.parts);
            let handled = self.conductor.events_handled(&all);
            self.load.note(handled - before);
            before = handled;
            if handled >= enough {
                return None;
            }
            let Some(window) = self.conductor.next(&mut all, until) else {
                return Some(self.conductor.has_more());
            };
            if !self.load.is_worth_sharing() {
                all.iter_mut().for_each(|part| part.run(&window));
                continue;
            }
            drop(all);
            self.relay.give(Some(window), self.others());
            self.own.iter().for_each(|part| lock(part).run(&window));
            self.relay.wait_for_others();
        }
    }

    fn events_handled(&mut self) -> u64 {
        self.conductor.events_handled(&all(self.parts))
    }

    fn crossed(&mut self) -> u64 {
        all(self.parts).iter().map(|part| part.unit_hops()).sum()
    }

    fn snapshot(&mut self, at: Time, into: &mut Vec<ChannelState>) -> bool {
        self.conductor.snapshot(&mut all(self.parts), at, into)
    }
}

fn all<P: Probe>(parts: &[Mutex<Part<Rings, P>>]) -> Vec<MutexGuard<'_, Part<Rings, P>>> {
    parts.iter().map(lock).collect()
}

impl Relay {
    fn new() -> Relay {
        Relay {
            window: Mutex::new(None),
            turn: AtomicU64::new(0),
            given: Condvar::new(),
            left: AtomicUsize::new(0),
            done: Condvar::new(),
            has_failed: AtomicBool::new(false),
        }
    }

    /// Gives the next window to so many others.
    fn give(&self, window: Option<Window>, others: usize) {
        let mut next = lock(&self.window);
        *next = window;
        self.left.store(others, Ordering::Relaxed);
        self.turn.fetch_add(1, Ordering::Release);
        self.given.notify_all();
    }

    /// What all threads but the first do.
    fn follow<P: Probe>(&self, part: &Mutex<Part<Rings, P>>) {
        let _alarm = Alarm(self);
        let mut turn = 0;
        loop {
            turn += 1;
            self.sleep_until(&self.given, || self.turn.load(Ordering::Acquire) >= turn);
            let Some(window) = *lock(&self.window) else {
                return;
            };
            lock(part).run(&window);
            if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
                let _window = lock(&self.window);
                self.done.notify_all();
            }
        }
    }

    fn wait_for_others(&self) {
        self.sleep_until(&self.done, || self.left.load(Ordering::Acquire) == 0);
    }

    /// Waits a moment, then asleep, until something holds of which a change is told by `news`.
    fn sleep_until(&self, news: &Condvar, holds: impl Fn() -> bool) {
        for _ in 0..LOOKS {
            if holds() {
                return;
            }
            hint::spin_loop();
        }
        let mut guard = lock(&self.window);
        while !holds() {
            let has_failed = self.has_failed.load(Ordering::Relaxed);
            assert!(!has_failed, "another thread of the run has failed");
            guard = news.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// A thread that panics ends the run, so nobody sees what it left behind.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use backwater_kernel::Rings;
    use backwater_net::Simulation;

    use super::super::frames::tests::merge;
    use super::*;

    /// What was found, and the map.
    #[test]
    fn threads_change_nothing_however_the_run_is_sliced() {
        let spec = merge().network;
        let looks = || OverTime::new(2 * spec.links.len(), spec.warm_up, spec.stop_at);
        let mut one = Simulation::<Rings>::new(&spec).expect("it builds");
        let mut over_time = looks();
        while over_time.run(&mut one, Time::MAX, u64::MAX) != Some(false) {}
        let outcome = one.outcome();
        let bins = over_time.bins(&mut one, outcome.ended_at);
        let expected = format!("{outcome:?}{bins:?}");
        let shared = |worth: u64| [(2, u64::MAX), (2, 300), (3, 1_000)].map(|how| (how, worth));
        for ((threads, events), worth) in [0, 1, u64::MAX].into_iter().flat_map(shared) {
            let mut team = Team::new(&spec, threads, &(), Some(looks())).expect("it can be cut");
            team.load = Load::new(worth);
            while team.run_some(Time::MAX, events) != Some(false) {}
            let outcome = team.outcome();
            let bins = team.bins(outcome.ended_at).expect("it has a map");
            assert_eq!(
                format!("{outcome:?}{bins:?}"),
                expected,
                "{threads} {worth}"
            );
            let ran = [team.load.shared, team.load.alone].map(|windows| windows > 0);
            assert_eq!(ran, [worth < u64::MAX, worth > 0], "{worth}");
        }
        assert!(one.unit_hops() > 50);
    }

    /// Else a defect in one thread would look like a run without end.
    #[test]
    fn nobody_waits_for_a_thread_that_has_failed() {
        let relay = Relay::new();
        relay.give(None, 1);
        let results = thread::scope(|scope| {
            let fails = scope.spawn(|| {
                let _alarm = Alarm(&relay);
                panic!("a defect");
            });
            let waits = scope.spawn(|| {
                let _alarm = Alarm(&relay);
                relay.wait_for_others();
            });
            [fails.join().is_err(), waits.join().is_err()]
        });
        assert_eq!(results, [true, true]);
    }
}
