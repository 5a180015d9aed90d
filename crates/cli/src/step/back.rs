//! Back in a run: it is made again from its start, which gives the same run, and stopped earlier.

use backwater_run::Engine;

/// The first look goes back by this part of the time so far; each further one by so many times as
/// much.
const FIRST_PART: u64 = 1_024;
const FURTHER: u64 = 8;

/// The instants at which something happened that is told, the last before `now` first, `count` of
/// them if there are so many.
///
/// # Errors
/// If the engine refuses the scenario.
pub fn before(engine: &dyn Engine, now: u64, count: u64) -> Result<Vec<u64>, String> {
    let mut span = (now / FIRST_PART).max(1);
    loop {
        let mut run = engine.stepped()?;
        let is_whole = span >= now;
        if !is_whole {
            run.run_to(now - span);
        }
        let mut instants = Vec::new();
        while !run.is_over() && !run.step().is_empty() && run.at() < now {
            instants.push(run.at());
        }
        instants.reverse();
        if is_whole || instants.len() as u64 >= count {
            instants.truncate(usize::try_from(count).unwrap_or(usize::MAX));
            return Ok(instants);
        }
        span = span.saturating_mul(FURTHER);
    }
}
