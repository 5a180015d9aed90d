//! How long stops lasted: a table by port and class, and their distribution drawn.

use backwater_kernel::Distribution;

use super::Frames;
use super::ports::{self, Queue};
use crate::distribution::{shares, steps};
use crate::model::{Axis, Cell, Plot, Table};
use crate::rows::{ROWS_MOST, limit};
use crate::table_of::TableOf;

/// Ports that get a curve each, those stopped longest.
const PORTS: usize = 7;
const MICROSECOND_PS: f64 = 1e6;

/// Queues by the time for which they were stopped, the longest first.
fn stopped<'a>(queues: &[Queue<'a>]) -> Vec<Queue<'a>> {
    ports::top(queues, |queue| queue.found.stops.sum())
}

/// A row for each queue that was stopped.
pub fn table(run: &Frames<'_>) -> Table {
    let queues = ports::queues(run);
    let stopped = stopped(&queues);
    let caption = format!(
        "How long each stop of a port and class lasted, from taking effect to its end. A port \
         is stopped by PAUSE, by PFC, by a stop for some destinations, or by a lack of credit. \
         Whole run; a stop that lasts at the end counts with the time so far.{}",
        limit(stopped.len(), "queues")
    );
    TableOf::of(stopped.into_iter().take(ROWS_MOST))
        .called(format!("pauses: {caption}"))
        .port(run, "that was stopped", |queue| queue.channel)
        .number("class: of its frames")
        .of(|queue| queue.class as u64)
        .number("stops: how many; whole run")
        .of(|queue| queue.found.stops.count())
        .number("stopped total [us]: all of them together; whole run")
        .of(|queue| Cell::float(queue.found.stops.sum() / MICROSECOND_PS, 3))
        .times("pause", ("us", MICROSECOND_PS), |queue| &queue.found.stops)
        .done()
}

/// The share of stops that lasted no longer: of all ports, and of those stopped longest.
pub fn plot(channels: &[String], queues: &[Queue<'_>]) -> Plot {
    let stopped = stopped(queues);
    let all = Distribution::merged(stopped.iter().map(|queue| &queue.found.stops));
    let curve = |name: &str, stops: &Distribution| steps(name, stops, MICROSECOND_PS);
    let mut curves = Vec::new();
    if all.count() > 1 {
        if stopped.len() > 1 {
            curves.push(curve("all ports", &all));
        }
        for queue in stopped.iter().take(PORTS) {
            curves.push(curve(&queue.name(channels), &queue.found.stops));
        }
    }
    Plot::new("pauses", "How long stops lasted", curves)
        .x(Axis::new("Length of a stop", "us").log())
        .y(shares("Share of stops that lasted no longer"))
        .note("Whole run.")
}
