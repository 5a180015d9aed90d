//! What credit promises, and what came of it.

use backwater_net::spec::{FlowControlSpec, NetworkSpec};

use super::Circuits;
use crate::directory::{Promise, PromiseState};
use crate::events::Promises;
use crate::info::RunInfo;

impl Promises for NetworkSpec {
    /// One for the whole network. Nothing gives it up: a scenario that overfills its
    /// buffers to see by how much breaks it.
    fn promises(run: &Circuits<'_>, _: &RunInfo) -> Vec<Promise> {
        let legs = run.network.flows.iter().flat_map(|flow| &flow.legs);
        let credit = legs.filter(|leg| leg.flow_control != FlowControlSpec::None);
        let count = credit.count();
        let (state, detail) = match run.outcome.violations.total() {
            0 => (PromiseState::Kept, String::new()),
            broken => (PromiseState::Broken, format!("broken {broken} times")),
        };
        let what = match count {
            0 => "units balance".into(),
            1 => "1 hop under credit overflows no buffer; units balance".into(),
            _ => format!("{count} hops under credit overflow no buffer; units balance"),
        };
        vec![Promise {
            what,
            state,
            detail,
        }]
    }
}
