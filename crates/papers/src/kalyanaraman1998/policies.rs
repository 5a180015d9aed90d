//! The policies as settings, and what is taken from a run of the five sources.

use backwater_results::{Axis, Cell, Column, Direction, Mark, Plot};

use super::FIVE;
use super::steps::Steps;
use crate::columns::{column, words};
use crate::lab::{Lab, LabError, Run};

/// The sources wake up.
pub const WAKE_MS: f64 = 200.0;
/// Where the policies should bring ACR: the source rate and the headroom.
pub const GOAL_MBPS: f64 = 11.0;
/// An excursion is above one and a half times the goal.
const EXCURSION_MBPS: f64 = 1.5 * GOAL_MBPS;

pub const ICR: &str = "flows.*.source_control.icr";
pub const UILI: &str = "flows.*.source_control.uili";
pub const AGING: &str = "link.explicit_rate.aging";

/// What a run has in place of the scenario's own.
pub type Sets = Vec<(&'static str, String)>;

/// A policy with the parameters of section 7.
#[derive(Clone, Copy)]
pub struct Policy {
    /// As tables call it.
    pub name: &'static str,
    /// For sources; `H` stands for the headroom.
    uili: &'static str,
    /// Circuits age in the switches.
    ages: bool,
}

const fn source(name: &'static str, uili: &'static str) -> Policy {
    Policy {
        name,
        uili,
        ages: false,
    }
}

pub const NONE: Policy = source("none", "{ kind = \"none\" }");
pub const AUGUST: Policy = source(
    "August 1995, TDF 16384/s",
    "{ kind = \"august-1995\", tdf_per_second = 16384.0 }",
);
pub const AUGUST_PRINTED: Policy = source(
    "August 1995, TDF 0.125/s",
    "{ kind = \"august-1995\", tdf_per_second = 0.125 }",
);
pub const AUGUST_SMALL: Policy = source(
    "August 1995, TDF 128/s",
    "{ kind = \"august-1995\", tdf_per_second = 128.0 }",
);
pub const BASELINE: Policy = source("baseline", "{ kind = \"baseline\", tdf = 0.125 }");
pub const COUNT: Policy = source(
    "count",
    "{ kind = \"count\", headroom = \"H\", tdf = 0.125 }",
);
pub const TIME: Policy = source("time", "{ kind = \"time\", headroom = \"H\" }");
pub const TIME_PRODUCT: Policy = source(
    "time, floor max(ICR, 2 SR)",
    "{ kind = \"time\", headroom = \"H\", floor = \"product\" }",
);
pub const TIME_HELD: Policy = source(
    "time, with a hold",
    "{ kind = \"time\", headroom = \"H\", hold = 0.001 }",
);
pub const TIME_FLOOR_HELD: Policy = source(
    "time, floor max(headroom, 2 SR), with a hold",
    "{ kind = \"time\", headroom = \"H\", floor = \"product\", hold = 0.001 }",
);
pub const JOINT: Policy = source("joint", "{ kind = \"joint\" }");
pub const TIME_OUT: Policy = source("final time-out", "{ kind = \"time-out\" }");
pub const AGED: Policy = Policy {
    name: "switch aging",
    uili: "{ kind = \"time-out\" }",
    ages: true,
};
pub const FEBRUARY: Policy = source("February 1995", "{ kind = \"february-1995\" }");
pub const APRIL: Policy = source("April 1995", "{ kind = \"april-1995\" }");
pub const JUNE: Policy = source("June 1995", "{ kind = \"april-1995\", floor_icr = true }");

impl Policy {
    /// Its settings, with this headroom.
    pub fn sets(&self, headroom: &str) -> Sets {
        let mut sets = vec![(UILI, self.uili.replace('H', headroom))];
        if self.ages {
            let aging = "{ alpha = 0.1, delta = 1.5, floor = \"H\", weight = 0.25 }";
            sets.push((AGING, aging.replace('H', headroom)));
        }
        sets
    }
}

/// A scenario with other settings.
pub fn run(lab: &Lab, file: &str, sets: &Sets) -> Result<Run<()>, LabError> {
    let sets: Vec<(&str, &str)> = sets.iter().map(|(key, value)| (*key, &**value)).collect();
    lab.run(file, &sets)
}

/// What the five sources did.
pub struct Five {
    /// ACR of each.
    pub acr: Vec<Steps>,
    /// SR of the first.
    pub source_rate: Steps,
    /// Most cells that waited between the switches.
    pub queue_peak: f64,
    /// Share of the time after the wake-up in which the link between them sent.
    pub utilization: f64,
}

impl Five {
    pub fn run(lab: &Lab, sets: &Sets) -> Result<Five, LabError> {
        let run = run(lab, FIVE, sets)?;
        let between = run.channel("X->Y");
        Ok(Five {
            acr: (1..=5)
                .map(|k| Steps::new(run.series(&format!("ACR {k}"))))
                .collect(),
            source_rate: Steps::new(run.series("source rate")),
            queue_peak: between
                .rate
                .as_ref()
                .map_or(f64::NAN, |rate| rate.queue_max as f64),
            utilization: between.data_share + between.control_share,
        })
    }

    /// First time within a tenth of the goal.
    pub fn reached_ms(&self) -> Option<f64> {
        self.acr[0].reached_ms(GOAL_MBPS, WAKE_MS)
    }

    /// Since when it is there until the sources wake up.
    pub fn settled_ms(&self) -> Option<f64> {
        self.acr[0].settled_ms(GOAL_MBPS, WAKE_MS)
    }

    /// Least and most ACR in the 100 ms before the wake-up.
    pub fn range(&self) -> (f64, f64) {
        self.acr[0].range(WAKE_MS - 100.0, WAKE_MS)
    }

    /// Rises above one and a half times the goal in the 100 ms before the wake-up.
    pub fn excursions(&self) -> u32 {
        self.acr[0].excursions(EXCURSION_MBPS, WAKE_MS - 100.0, WAKE_MS)
    }

    /// Least source rate in the same time.
    pub fn source_rate_least(&self) -> f64 {
        self.source_rate.range(WAKE_MS - 100.0, WAKE_MS).0
    }

    /// As the paper draws it: five times ACR and one source rate.
    pub fn plot(&self, id: &str, title: &str, note: &str) -> Plot {
        let number = |(at, acr): (usize, &Steps)| acr.curve(&format!("ACR {}", at + 1));
        let mut curves: Vec<_> = self.acr.iter().enumerate().map(number).collect();
        curves.push(self.source_rate.curve("source rate"));
        Plot {
            id: id.into(),
            title: title.into(),
            x: Axis::new("time", "ms"),
            y: Axis {
                // Up to what there is: ACR never leaves a fifth of the link in some panels.
                min: Some(0.0),
                ..Axis::new("rate", "Mbps")
            },
            curves,
            note: note.into(),
            marks: vec![
                Mark {
                    direction: Direction::Vertical,
                    at: WAKE_MS,
                    label: "paper: sources wake up".into(),
                },
                Mark {
                    direction: Direction::Horizontal,
                    at: GOAL_MBPS,
                    label: "paper: source rate + headroom".into(),
                },
            ],
        }
    }

    /// Its row in a table with [`columns`].
    pub fn row(&self, mut first: Vec<Cell>) -> Vec<Cell> {
        let (least, most) = self.range();
        let ms = |at: Option<f64>| at.map(|at| Cell::float(at, 1));
        first.extend([
            ms(self.reached_ms()).unwrap_or_default(),
            ms(self.settled_ms()).unwrap_or_default(),
            Cell::Text(format!("{least:.2} to {most:.2}")),
            self.excursions().into(),
            Cell::float(self.source_rate_least(), 2),
            Cell::float(self.queue_peak, 0),
            Cell::float(self.utilization, 3),
        ]);
        first
    }
}

/// Columns of [`Five::row`].
pub fn columns(first: Vec<Column>) -> Vec<Column> {
    let mut columns = first;
    columns.extend([
        column("at the goal", "ms", "first time within 10 % of 11 Mbps"),
        column("settled", "ms", "there from then until 200 ms"),
        words("ACR, Mbps", "min and max from 100 to 200 ms"),
        column("excursions", "", "rises above 16.5 Mbps from 100 to 200 ms"),
        column("SR min", "Mbps", "smallest source rate from 100 to 200 ms"),
        column(
            "queue max",
            "cells",
            "largest number of ABR cells that waited at X for Y",
        ),
        column("utilization", "", "of the link from X to Y, from 200 ms on"),
    ]);
    columns
}
