//! Threads, as many as the system lets start.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use rayon::{ThreadPool, ThreadPoolBuilder};

/// Threads of an attempt that failed are gone after that.
const PAUSE: Duration = Duration::from_millis(20);

/// Threads that share work.
pub struct Pool {
    /// They.
    pub threads: ThreadPool,
    /// How many were wanted, where fewer could start.
    pub wanted: Option<usize>,
}

/// As many threads as wanted, 0 for one a core; fewer if no more can start, at the least the one
/// that asks.
///
/// # Errors
/// If not even that can share work, as it does so already.
pub fn pool(threads: usize) -> Result<Pool, String> {
    pool_by(threads, |member| {
        thread::Builder::new().spawn(|| member.run()).map(drop)
    })
}

/// A pool whose threads are started by `start`.
fn pool_by(
    threads: usize,
    start: impl Fn(rayon::ThreadBuilder) -> std::io::Result<()>,
) -> Result<Pool, String> {
    let wanted = match threads {
        0 => thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    };
    let mut next = wanted;
    while next > 0 {
        let started = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&started);
        let pool = ThreadPoolBuilder::new().num_threads(next);
        let pool = pool.spawn_handler(|member| {
            start(member)?;
            count.fetch_add(1, Ordering::Relaxed);
            Ok(())
        });
        match pool.build() {
            Ok(threads) => return Ok(Pool::new(threads, wanted)),
            Err(_) => {
                next = started.load(Ordering::Relaxed).min(next - 1);
                thread::sleep(PAUSE);
            }
        }
    }
    let own = ThreadPoolBuilder::new().num_threads(1).use_current_thread();
    match own.build() {
        Ok(threads) => Ok(Pool::new(threads, wanted)),
        Err(error) => Err(format!("can't start threads: {error}")),
    }
}

impl Pool {
    fn new(threads: ThreadPool, wanted: usize) -> Pool {
        let got = threads.current_num_threads();
        Pool {
            threads,
            wanted: (got < wanted).then_some(wanted),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::prelude::*;

    /// A system with room for so many threads.
    fn limited(room: usize) -> impl Fn(rayon::ThreadBuilder) -> std::io::Result<()> {
        let left = Arc::new(AtomicUsize::new(room));
        move |member| {
            let room = left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| {
                left.checked_sub(1)
            });
            if room.is_err() {
                return Err(std::io::ErrorKind::WouldBlock.into());
            }
            let left = Arc::clone(&left);
            thread::Builder::new().spawn(move || {
                member.run();
                left.fetch_add(1, Ordering::SeqCst);
            })?;
            Ok(())
        }
    }

    #[test]
    fn where_few_threads_can_start_few_do_the_work() {
        for (room, got, wanted) in [(8, 4, None), (4, 4, None), (2, 2, Some(4)), (0, 1, Some(4))] {
            // On a thread of its own, which becomes the only one where none can start.
            let work = thread::spawn(move || {
                let pool = pool_by(4, limited(room)).expect("there is one thread at least");
                assert_eq!(pool.threads.current_num_threads(), got, "room for {room}");
                assert_eq!(pool.wanted, wanted, "room for {room}");
                let sum: u64 = pool.threads.install(|| (0..1000_u64).into_par_iter().sum());
                assert_eq!(sum, 499_500);
            });
            work.join().expect("it works");
        }
    }
}
