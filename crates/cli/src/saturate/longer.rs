//! The same points with longer windows, for the loads near the edge.

use std::path::Path;

use backwater_scenario::Grid;

use super::Options;
use crate::sweep::plan::{Checked, Plan};
use crate::sweep::store::Store;
use crate::sweep::work::Work;

/// How many times as long as the scenario's own.
pub(super) const LONGER: [u64; 2] = [4, 16];

/// Plans of the same points, each with a longer window.
pub(super) struct Longer {
    /// The key that says how long.
    pub key: &'static str,
    /// Its values, and plans with them.
    pub plans: Vec<(String, Plan)>,
}

impl Longer {
    /// Of a plan whose axes leave the window alone; as far as the scenario allows.
    pub(super) fn new(plan: &Plan, options: &Options, grid: &Grid) -> Longer {
        let mut longer = Longer {
            key: "",
            plans: Vec::new(),
        };
        let Ok(first) = plan.scenario(0) else {
            return longer;
        };
        for factor in LONGER {
            let Some((key, value)) = backwater_run::engine(&first).longer_window(factor) else {
                return longer;
            };
            longer.key = key;
            if plan.sweep.axes().iter().any(|axis| axis.path == key) {
                return longer;
            }
            let mut asked = plan.asked.clone();
            let is_other = |set: &String| set.split('=').next().map(str::trim) != Some(key);
            asked.changes.sets.retain(is_other);
            asked.changes.sets.push(format!("{key}={value}"));
            match Plan::to_compute(asked, &options.how, Some(grid.clone())) {
                Ok(plan) if plan.scenario(0).is_ok() => longer.plans.push((value, plan)),
                _ => return longer,
            }
        }
        longer
    }

    /// All at work in the same directory, the scenario's own window first.
    pub(super) fn work<'a>(
        &'a self,
        (plan, work): (&'a Plan, Work<'a>),
        checked: &Checked,
        out: &Path,
    ) -> Result<Vec<(&'a Plan, Work<'a>)>, String> {
        let mut all = vec![(plan, work)];
        for (_, plan) in &self.plans {
            all.push((plan, Work::new(plan, checked, Store::open(out, false)?)));
        }
        Ok(all)
    }
}
