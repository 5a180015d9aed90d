//! Points computed and stored.

use backwater_results::sweep::{FlowColumn, Measure, Point};
use backwater_run::interrupt;
use backwater_run::memory;
use rayon::prelude::*;

use super::plan::{Checked, Plan};
use super::progress::Progress;
use super::store::{Key, Store};

/// A sweep at work in its directory.
pub struct Work<'a> {
    plan: &'a Plan,
    measures: Vec<Measure>,
    columns: Vec<FlowColumn>,
    store: Store,
}

impl<'a> Work<'a> {
    /// Of a plan that is checked, with this store.
    pub fn new(plan: &'a Plan, checked: &Checked, store: Store) -> Work<'a> {
        Work {
            plan,
            measures: checked.measures.clone(),
            columns: checked.columns.clone(),
            store,
        }
    }

    /// The stored points of these keys. Of those that are damaged it says so.
    pub fn stored(&self, points: &[u64], keys: &[Key]) -> Vec<Option<Point>> {
        let load = |key: &Key| self.store.load(key, &self.measures);
        let pool = &self.plan.pool;
        let results: Vec<_> = pool.install(|| keys.par_iter().map(load).collect());
        let all = points.iter().zip(results);
        let point = |(number, results): (&u64, Result<Option<Point>, String>)| {
            results.unwrap_or_else(|damage| {
                let point = self.plan.sweep.describe(*number);
                remark!("note: the stored point {point} is damaged ({damage}): computed again");
                None
            })
        };
        all.map(point).collect()
    }

    /// Stores points that were computed elsewhere, each once.
    pub fn take(&self, keys: &[Key], found: &[Option<Point>]) -> Result<(), String> {
        let mut all: Vec<(&Key, &Point)> = (keys.iter().zip(found))
            .filter_map(|(key, point)| Some((key, point.as_ref()?)))
            .collect();
        all.sort_by_key(|(key, _)| *key);
        all.dedup_by_key(|(key, _)| *key);
        let take = |(key, point): &(&Key, &Point)| match self.store.load(key, &self.measures) {
            Ok(Some(_)) => Ok(()),
            _ => self.store.save(key, &self.measures, point),
        };
        self.plan.pool.install(|| all.par_iter().try_for_each(take))
    }

    /// Computes what `found` lacks, each scenario once, and stores it. After Ctrl-C the rest stays
    /// `None`.
    pub fn complete(
        &self,
        points: &[u64],
        keys: &[Key],
        found: &mut [Option<Point>],
    ) -> Result<(), String> {
        let mut missing: Vec<usize> = (0..points.len())
            .filter(|at| found[*at].is_none())
            .collect();
        let all = missing.clone();
        missing.sort_by_key(|at| (keys[*at], *at));
        missing.dedup_by_key(|at| keys[*at]);
        missing.sort();
        let progress = Progress::new("running", missing.len() as u64);
        let compute = |at: &usize| {
            let point = self.compute(points[*at], &keys[*at])?;
            progress.step();
            Ok((*at, point))
        };
        let computed: Result<Vec<(usize, Option<Point>)>, String> = self
            .plan
            .pool
            .install(|| missing.par_iter().map(compute).collect());
        for (at, point) in computed? {
            found[at] = point;
        }
        for at in all {
            if found[at].is_none() {
                // The same scenario under another number.
                let same = missing.iter().find(|other| keys[**other] == keys[at]);
                found[at] = same.and_then(|other| found[*other].clone());
            }
        }
        Ok(())
    }

    fn compute(&self, point: u64, key: &Key) -> Result<Option<Point>, String> {
        if interrupt::is_set() || memory::is_short() {
            return Ok(None);
        }
        let of_point = |message: String| format!("{}: {message}", self.plan.sweep.describe(point));
        let scenario = self
            .plan
            .scenario(point)
            .map_err(|wrong| of_point(wrong.render(false)))?;
        let measured = backwater_run::engine(&scenario).measure(&self.columns);
        let Some(measured) = measured.map_err(of_point)? else {
            return Ok(None);
        };
        self.store.save(key, &self.measures, &measured)?;
        Ok(Some(measured))
    }
}
