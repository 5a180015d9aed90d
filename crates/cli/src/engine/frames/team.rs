//! One run of the event engine on several threads.
//!
//! Every thread has a part of the network. All run a window of time at once, then the thread that
//! leads hands over what crosses and says how long the next window is. Windows take a fraction of
//! a millisecond; who waits for longer than a moment sleeps.

use std::hint;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use backwater_kernel::{BuildError, Time};
use backwater_net::frames::spec::EthernetSpec;
use backwater_net::outcome::Outcome;
use backwater_net::parts::{self, Conductor, Part, Window};

use super::super::events::Machine;
use crate::machine;

/// Looks at what is waited for before going to sleep.
const LOOKS: u32 = 2_000;

/// A network that runs on several threads.
pub struct Team {
    conductor: Conductor,
    parts: Vec<Mutex<Part>>,
    /// It was said that fewer threads work than wanted.
    is_told: bool,
    /// Nothing looks on.
    probe: (),
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

impl Team {
    /// At time zero, on so many threads.
    ///
    /// # Errors
    /// If the spec describes no network that can run, or none that can be cut into so many parts.
    pub fn new(spec: &EthernetSpec, threads: usize) -> Result<Team, BuildError> {
        let (conductor, parts) = parts::split(spec, threads)?;
        Ok(Team {
            conductor,
            parts: parts.into_iter().map(Mutex::new).collect(),
            is_told: false,
            probe: (),
        })
    }

    fn all(&self) -> Vec<MutexGuard<'_, Part>> {
        self.parts.iter().map(lock).collect()
    }
}

impl Machine for Team {
    type Probe = ();

    fn run_some(&mut self, until: Time, events: u64) -> Option<bool> {
        let handled = |parts: &[MutexGuard<'_, Part>]| -> u64 {
            parts.iter().map(|part| part.events_handled()).sum()
        };
        let enough = handled(&self.all()).saturating_add(events);
        let (conductor, parts) = (&mut self.conductor, &self.parts);
        let relay = Relay::new();
        let (own, is_done) = thread::scope(|scope| {
            let mut own = vec![&parts[0]];
            for part in &parts[1..] {
                let work = || relay.follow(part);
                // The system may let no more start.
                if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                    own.push(part);
                }
            }
            let others = parts.len() - own.len();
            let _alarm = Alarm(&relay);
            loop {
                let mut all: Vec<_> = parts.iter().map(lock).collect();
                let has_enough = handled(&all) >= enough;
                let next = match has_enough {
                    true => None,
                    false => conductor.next(&mut all, until),
                };
                drop(all);
                relay.give(next, others);
                let Some(window) = next else {
                    return (own.len(), !has_enough);
                };
                own.iter().for_each(|part| lock(part).run(&window));
                relay.wait_for_others();
            }
        });
        if own > 1 && !self.is_told {
            self.is_told = true;
            machine::note_threads(self.parts.len() + 1 - own, self.parts.len());
        }
        is_done.then(|| self.conductor.has_more())
    }

    fn now(&self) -> Time {
        self.conductor.now()
    }

    fn unit_hops(&mut self) -> u64 {
        self.all().iter().map(|part| part.unit_hops()).sum()
    }

    fn outcome(&mut self) -> Outcome {
        let mut parts: Vec<_> = self.parts.iter().map(lock).collect();
        self.conductor.outcome(&mut parts)
    }

    fn probe(&mut self) -> &mut () {
        &mut self.probe
    }

    fn look_over(&mut self) {}
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
    fn follow(&self, part: &Mutex<Part>) {
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

    use super::super::tests::merge;
    use super::*;

    #[test]
    fn threads_change_nothing_however_the_run_is_sliced() {
        let spec = merge().network;
        let mut one = Simulation::<Rings>::new(&spec).expect("it builds");
        one.run();
        let expected = format!("{:?}", one.outcome());
        for (threads, events) in [(2, u64::MAX), (2, 300), (3, 1_000)] {
            let mut team = Team::new(&spec, threads).expect("it can be cut");
            while team.run_some(Time::MAX, events).unwrap_or(true) {}
            assert_eq!(format!("{:?}", team.outcome()), expected, "{threads}");
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
