//! What operations and jobs took, in numbers that sweeps compare: of several the worst.

use backwater_net::frames::spec::EthernetSpec;

use super::{collectives, jobs};
use crate::events::Findings;

/// Nothing where there is none, or one of them is not complete.
#[derive(Clone, Copy, Debug, Default)]
pub struct Training {
    /// Size over the mean time of the collective of which that is least, bps.
    pub algorithm: Option<f64>,
    /// The least of what is moved as a bus would have to, bps.
    pub bus: Option<f64>,
    /// The longest mean time of an operation, ps.
    pub operation: Option<f64>,
    /// The longest completion time of a job, ps.
    pub completion: Option<f64>,
    /// The largest completion time over a roofline.
    pub ratio: Option<f64>,
    /// The longest mean time of an iteration, ps.
    pub iteration: Option<f64>,
    /// The most of it in which ranks do not compute, ps.
    pub exposed: Option<f64>,
    /// The largest share of it.
    pub exposed_share: Option<f64>,
}

impl Training {
    /// Of all operations and jobs of a run.
    pub fn of(run: &Findings<'_, EthernetSpec>) -> Training {
        let mut all = Training::default();
        let operations = collectives::means(run);
        if let Some(operations) = operations.into_iter().collect::<Option<Vec<_>>>() {
            let least =
                |of: fn(&collectives::Mean) -> f64| operations.iter().map(of).reduce(f64::min);
            all.algorithm = least(|own| own.algorithm);
            all.bus = least(|own| own.bus);
            all.operation = operations.iter().map(|own| own.took).reduce(f64::max);
        }
        if let Some(jobs) = jobs::means(run).into_iter().collect::<Option<Vec<_>>>() {
            let most = |of: fn(&jobs::Mean) -> f64| jobs.iter().map(of).reduce(f64::max);
            all.completion = most(|own| own.completion);
            all.ratio = most(|own| own.ratio);
            all.iteration = most(|own| own.iteration);
            all.exposed = most(|own| own.exposed);
            all.exposed_share = most(|own| own.exposed_share);
        }
        all
    }
}
