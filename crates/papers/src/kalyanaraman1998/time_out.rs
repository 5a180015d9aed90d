//! Sections 5.5 and 6: the time-out that was decided on, after pauses of less and more than it.

use backwater_results::{Axis, Cell, Curve, Direction, Mark, Plot, Style, Table};

use super::PAUSE;
use super::policies::{NONE, Policy, Sets, TIME_OUT, run as run_file};
use crate::columns::column;
use crate::lab::{Lab, LabError};
use crate::measured::Measured;

/// Pauses in ms; the scenario's is among them.
const PAUSES_MS: [u32; 7] = [100, 300, 400, 480, 520, 600, 800];
/// ADTF.
const TIME_OUT_MS: u32 = 500;
/// The pause begins, and the run ends so long after it.
const BEGIN_MS: u32 = 200;
const AFTER_MS: u32 = 200;

/// Queue peaks of a wake-up after one pause, in cells.
pub struct Pause {
    ms: u32,
    none: f64,
    time_out: f64,
}

pub fn run(lab: &Lab) -> Result<Vec<Pause>, LabError> {
    lab.each(&PAUSES_MS, |&ms| {
        Ok(Pause {
            ms,
            none: peak(lab, ms, NONE)?,
            time_out: peak(lab, ms, TIME_OUT)?,
        })
    })
}

/// Most cells at X for Y.
fn peak(lab: &Lab, pause_ms: u32, policy: Policy) -> Result<f64, LabError> {
    let wake = BEGIN_MS + pause_ms;
    let limits = format!(
        "[{{ rate = \"10 Mbps\" }}, {{ from = \"{BEGIN_MS} ms\", rate = \"0 Mbps\" }}, \
         {{ from = \"{wake} ms\" }}]"
    );
    let mut sets: Sets = policy.sets("1 Mbps");
    sets.extend([
        ("flows.VC.traffic.limits", limits.clone()),
        ("flows.VC.back.limits", limits),
        ("run.warm_up", format!("{wake} ms")),
        ("run.duration", format!("{} ms", wake + AFTER_MS)),
    ]);
    let run = run_file(lab, PAUSE, &sets)?;
    let rate = run.channel("X->Y").rate.as_deref().copied();
    Ok(rate.map_or(f64::NAN, |rate| rate.queue_max as f64))
}

/// Like no policy after shorter pauses, no overload after longer ones.
pub fn measured(pauses: &[Pause]) -> Vec<Measured> {
    let (short, long): (Vec<&Pause>, Vec<&Pause>) =
        pauses.iter().partition(|pause| pause.ms < TIME_OUT_MS);
    let ratios = short.iter().map(|pause| pause.time_out / pause.none);
    let ratios: Vec<f64> = ratios.collect();
    let most = |values: &mut dyn Iterator<Item = f64>| values.fold(f64::NEG_INFINITY, f64::max);
    let least = |values: &mut dyn Iterator<Item = f64>| values.fold(f64::INFINITY, f64::min);
    let overload = least(&mut pauses.iter().map(|pause| pause.none));
    let after_long = most(&mut long.iter().map(|pause| pause.time_out));
    vec![
        Measured::new("none_queue_peak_min", overload).at_least(10_000.0),
        Measured::new(
            "time_out_over_none_short_pauses_min",
            least(&mut ratios.iter().copied()),
        )
        .within(0.95, 1.05),
        Measured::new(
            "time_out_over_none_short_pauses_max",
            most(&mut ratios.iter().copied()),
        )
        .within(0.95, 1.05),
        Measured::new("time_out_queue_peak_long_pauses", after_long).within(0.0, 999.0),
    ]
}

pub fn plot(pauses: &[Pause]) -> Plot {
    let x: Vec<f64> = pauses.iter().map(|pause| pause.ms.into()).collect();
    let curve = |name: &str, peaks: Vec<f64>| Curve::new(name, Style::Line, x.clone(), peaks);
    let none = pauses.iter().map(|pause| pause.none).collect();
    let time_out = pauses.iter().map(|pause| pause.time_out).collect();
    Plot {
        id: "sec6-pauses".into(),
        title: "Section 6: the queue of a wake-up, by the pause before it".into(),
        x: Axis::new("pause", "ms"),
        y: Axis {
            min: Some(0.0),
            ..Axis::new("queue max", "cells")
        },
        curves: vec![curve("none", none), curve("final time-out", time_out)],
        marks: vec![Mark {
            direction: Direction::Vertical,
            at: TIME_OUT_MS.into(),
            label: "paper: time-out of 500 ms".into(),
        }],
        ..Plot::default()
    }
}

pub fn table(pauses: &[Pause]) -> Table {
    let row = |pause: &Pause| {
        vec![
            pause.ms.into(),
            Cell::float(pause.none, 0),
            Cell::float(pause.time_out, 0),
        ]
    };
    Table {
        name: "pauses".into(),
        caption: format!(
            "`{PAUSE}`, with other pauses: five circuits at 10 Mbps pause and wake up together."
        ),
        columns: vec![
            column("pause", "ms", "from 200 ms on"),
            column("none", "cells", "peak queue at X for Y without a policy"),
            column("final time-out", "cells", "the same with the time-out"),
        ],
        rows: pauses.iter().map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bounds;

    fn outside(pauses: &[(u32, f64, f64)]) -> Vec<String> {
        let pause = |&(ms, none, time_out): &(u32, f64, f64)| Pause { ms, none, time_out };
        let pauses: Vec<Pause> = pauses.iter().map(pause).collect();
        let is_outside = |one: &Measured| {
            let inside = |Bounds { low, high }| (low..=high).contains(&one.value);
            !one.bounds.is_none_or(inside)
        };
        let all = measured(&pauses).into_iter();
        all.filter(is_outside).map(|one| one.name).collect()
    }

    #[test]
    fn both_sides_of_the_time_out_count() {
        let good = [(480, 13_000.0, 13_000.0), (520, 13_000.0, 20.0)];
        assert_eq!(outside(&good), [""; 0]);
        let early = [(480, 13_000.0, 20.0), (520, 13_000.0, 20.0)];
        assert_eq!(outside(&early).len(), 2);
        let late = [(480, 13_000.0, 13_000.0), (520, 13_000.0, 13_000.0)];
        assert_eq!(outside(&late), ["time_out_queue_peak_long_pauses"]);
        let idle = [(480, 20.0, 20.0), (520, 20.0, 20.0)];
        assert_eq!(outside(&idle), ["none_queue_peak_min"]);
    }
}
