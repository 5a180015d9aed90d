//! Nanoseconds per hold (take the next event out, add one) of rings, the wheel and the heap.
//!
//! `cargo bench -p backwater-kernel --bench hold`; a name as argument runs the rows it occurs in.

use std::time::Instant;

use backwater_kernel::{Duration, Event, EventQueue, Heap, Phase, Purpose, Rings, Stream, Wheel};

/// One ATM cell at 622 Mb/s.
const CELL_PS: u64 = 681_672;
/// Delays drawn ahead of the measurement.
const TABLE: usize = 1 << 14;

type Delays = Vec<u64>;

fn main() {
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| !a.starts_with('-'))
        .collect();
    println!(
        "{:<12} {:>9} {:>10} {:>10} {:>10}",
        "delays", "pending", "rings ns", "wheel ns", "heap ns"
    );
    for (name, draw) in patterns() {
        let mut stream = Stream::new(1, 0, Purpose::Pattern);
        let delays: Delays = (0..TABLE).map(|_| draw(&mut stream)).collect();
        for pending in [1, 20, 100, 1_000, 10_000, 100_000, 1_000_000] {
            let row = format!("{name}/{pending}");
            if !wanted.is_empty() && !wanted.iter().any(|w| row == *w || name == w) {
                continue;
            }
            let holds = 4_000_000;
            let rings = best_of_three(|| hold::<Rings>(&delays, pending, holds));
            let wheel = best_of_three(|| hold::<Wheel>(&delays, pending, holds));
            let heap = best_of_three(|| hold::<Heap>(&delays, pending, holds));
            println!("{name:<12} {pending:>9} {rings:>10.1} {wheel:>10.1} {heap:>10.1}");
        }
    }
}

fn best_of_three(mut measure: impl FnMut() -> f64) -> f64 {
    (0..3).map(|_| measure()).fold(f64::INFINITY, f64::min)
}

/// Nanoseconds per hold with `pending` events waiting.
fn hold<Q: EventQueue>(delays: &Delays, pending: usize, holds: usize) -> f64 {
    let mut queue = Q::default();
    for entity in 0..pending {
        queue.push(event(delays[entity % TABLE], entity as u32));
    }
    turn_over(&mut queue, delays, 2 * pending + 10_000);
    let start = Instant::now();
    let last_ps = turn_over(&mut queue, delays, holds);
    let elapsed = start.elapsed();
    assert!(last_ps > 0 && queue.len() == pending);
    elapsed.as_secs_f64() * 1e9 / holds as f64
}

fn turn_over<Q: EventQueue>(queue: &mut Q, delays: &Delays, holds: usize) -> u64 {
    let (mut last_ps, mut i, mut taken) = (0, 0, Vec::new());
    while i < holds {
        let instant = queue.take_instant(backwater_kernel::Time::MAX, |event| taken.push(event));
        last_ps = instant.expect("every hold adds what it takes").ps();
        for next in taken.drain(..) {
            queue.push(event(last_ps + delays[i % TABLE], next.entity()));
            i += 1;
        }
    }
    last_ps
}

fn event(at_ps: u64, entity: u32) -> Event {
    Event::new(backwater_kernel::Time(at_ps), Phase::Deliver, entity, 0)
}

type Draw = fn(&mut Stream) -> u64;

fn patterns() -> Vec<(&'static str, Draw)> {
    vec![
        ("grid", |s| CELL_PS / 2 * (2 + s.below(159))),
        ("cells", |s| CELL_PS * if s.below(8) == 0 { 80 } else { 1 }),
        ("uniform", |s| 1 + s.below(80 * CELL_PS)),
        ("exponential", |s| {
            s.exponential(Duration(40 * CELL_PS)).ps()
        }),
        ("two scales", |s| {
            let mean_ps = if s.below(10) == 0 {
                1_000 * CELL_PS
            } else {
                CELL_PS
            };
            s.exponential(Duration(mean_ps)).ps()
        }),
        ("pareto", |s| s.pareto(CELL_PS as f64, 1.2) as u64),
        ("constant", |_| CELL_PS),
        ("six", |s| {
            CELL_PS * [1, 7, 20, 21, 80, 160][s.below(6) as usize]
        }),
    ]
}
