//! What can't work, or hardly, in ABR circuits.

use kernel::Time;
use packet::spec::{ExplicitRateSpec, FlowSpec};

use crate::diagnostics::Diagnostics;
use crate::flows::Draft;
use crate::topology::Graph;

pub(crate) fn check(
    _graph: &Graph,
    _drafts: &[Draft<'_>],
    _specs: &[FlowSpec],
    _ports: &[(u32, ExplicitRateSpec)],
    _stop_at: Time,
    _mistakes: &mut Diagnostics,
) {
}
