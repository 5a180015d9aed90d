//! A run of the cycle engine as its manifest, summary, page and a terminal tell it.

use backwater_kernel::Series;
use backwater_kernel::words::counted;
use serde_json::{Value, json};

use super::{FabricFindings, credit, plots, report, starved, tables, terminal, words};
use crate::directory::Manifest;
use crate::fairness::FairShares;
use crate::info::RunInfo;
use crate::model::Table;
use crate::number::{grouped, hash};
use crate::reported::{About, Reported, Sheet};
use crate::series::series_plots;

impl Reported for FabricFindings<'_> {
    const FOLDED: &'static [&'static str] = &["fairness"];

    fn about(&self) -> About {
        let outcome = &self.outcome;
        About {
            seed: self.spec.seed,
            trace_hash: outcome.trace_hash,
            stop: outcome.stop,
            ended: (words::stop_short(outcome.stop), words::stop(outcome)),
            simulated: counted(outcome.cycles, "cycle"),
            hops: (outcome.flit_hops, "flit hops".into()),
        }
    }

    fn tables(&self) -> &[Table] {
        FabricFindings::tables(self)
    }

    fn warnings(&self) -> Vec<String> {
        let mut all = starved::sentences(self);
        all.extend(credit::sentence(self));
        let is_limit = matches!(words::warm_up_end(self), words::WarmUpEnd::Limit);
        // Beyond saturation nothing settles.
        if is_limit && self.outcome.window > 0 && self.outcome.saturated.is_none() {
            all.push(format!(
                "no end of the warm-up was detected by `run.warm_up_limit`, cycle {}: what was \
                 measured may be part of it",
                grouped(self.outcome.window_start)
            ));
        }
        all.extend(words::not_played(self));
        all
    }

    fn manifest(&self, info: &RunInfo) -> Manifest {
        Manifest {
            cycles: Some(self.outcome.cycles),
            flit_hops: Some(self.outcome.flit_hops),
            flit_hops_per_second: info.per_second(self.outcome.flit_hops),
            ..Manifest::default()
        }
    }

    /// With the numbers of the table `summary`.
    fn summary(&self, info: &RunInfo) -> Value {
        let outcome = &self.outcome;
        let shares = self.shares();
        let (jain_rates, jain_ratios) = shares.ok().and_then(FairShares::indices).unzip();
        let stuck = outcome.standstill.as_ref().map(|found| {
            json!({
                "since_cycle": found.since,
                "packets": outcome.stuck_packets,
                "others_move": found.others_move,
            })
        });
        let mut head = json!({
            "name": info.name,
            "stop": words::stop(outcome),
            "trace_hash": hash(outcome.trace_hash),
            "warm_up_detected": outcome.warm_up_detected,
            "saturated": outcome.saturated,
            "balanced": outcome.balance().holds(),
            "promises_broken": outcome.violations.total(),
            "stuck": stuck,
            "starved": starved::all(self),
            "jain_rates": jain_rates,
            "jain_ratios": jain_ratios,
            "max_min_left_out": shares.err(),
        });
        for (column, value) in tables::numbers(self) {
            head[column.key()] = json!(value);
        }
        head
    }

    fn sheet(&self, info: &RunInfo, series: &[Series]) -> Sheet {
        let series = series_plots(series, |_| (plots::time_axis(), 1.0));
        Sheet {
            facts: report::facts(info, self),
            notes: report::notes(&self.outcome),
            text: words::paragraphs(self),
            figures: vec![("Figures", plots::plots(self)), ("Over time", series)],
            ..Sheet::default()
        }
    }

    fn lines(&self, _: &RunInfo) -> [Vec<String>; 2] {
        terminal::lines(self)
    }
}
