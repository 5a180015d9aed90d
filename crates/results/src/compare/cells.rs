//! The meter of runs in cells.

use backwater_kernel::Time;
use backwater_net::outcome::LossCause;
use backwater_net::probe::{Crossing, Probe, UnitKind};
use backwater_net::spec::{NetworkSpec, NodeKind};

use super::meter::{Meter, Starts};
use super::{Carrier, FlowKind, Observed, Workload};

/// Watches a run of the packet engine.
#[derive(Clone, Debug)]
pub struct CellMeter {
    meter: Meter,
    flows: Vec<MeteredCells>,
    payload: u64,
    /// Bytes of a data unit in memory; 0 for hosts, whose memory is not counted.
    cell_in: Vec<u64>,
}

/// A flow of the engine.
#[derive(Clone, Debug)]
struct MeteredCells {
    carrier: Carrier,
    first_leg: u32,
    last_leg: u32,
    starts: Starts,
    /// Cells that have arrived, of each burst or in all.
    arrived: Vec<u64>,
    /// Cells of a burst or response; 0 for endless flows.
    message: u64,
    is_request: bool,
}

impl CellMeter {
    /// A meter for `spec`, whose flows carry what `carriers` say; units have so many bytes of
    /// payload and in memory.
    #[inline]
    pub fn new(
        workload: &Workload,
        spec: &NetworkSpec,
        carriers: &[Carrier],
        [payload, memory]: [u64; 2],
    ) -> CellMeter {
        let mut first_leg = 0;
        let mut flows = Vec::new();
        for (flow, carrier) in spec.flows.iter().zip(carriers) {
            let legs = flow.legs.len() as u32;
            let kind = &workload.flows[carrier.flow].kind;
            flows.push(MeteredCells {
                carrier: *carrier,
                first_leg,
                last_leg: first_leg + legs.saturating_sub(1),
                starts: Starts::default(),
                arrived: Vec::new(),
                message: message(kind, carrier.is_back, payload),
                is_request: matches!(kind, FlowKind::Requests(..)) && !carrier.is_back,
            });
            first_leg += legs;
        }
        let cell = |kind: NodeKind| match kind {
            NodeKind::Switch => memory,
            NodeKind::Host => 0,
        };
        CellMeter {
            meter: Meter::of(workload, spec),
            flows,
            payload,
            cell_in: spec.nodes.iter().map(|node| cell(node.kind)).collect(),
        }
    }

    /// What it saw until `at`.
    #[inline]
    pub fn finish(self, at: Time) -> Observed {
        self.meter.finish(at.ps())
    }
}

/// Cells after which a message is whole.
#[inline]
fn message(kind: &FlowKind, is_back: bool, payload: u64) -> u64 {
    match kind {
        FlowKind::Bursts(bytes, _) if !is_back => bytes.div_ceil(payload).max(1),
        FlowKind::Requests(_, response) if is_back => response.div_ceil(payload).max(1),
        _ => 0,
    }
}

impl Probe for CellMeter {
    const IN_ALL_FORMS: bool = true;

    #[inline]
    fn on_start(&mut self, crossing: Crossing) {
        let at = crossing.at.ps();
        let bytes = u64::from(crossing.bytes);
        let is_data = crossing.kind == UnitKind::Data;
        if self.meter.counts(at) {
            let wire = &mut self.meter.seen.wire;
            if is_data {
                wire.payload += self.payload;
                wire.headers += bytes.saturating_sub(self.payload);
            } else {
                wire.control += bytes;
            }
        }
        let flow = &mut self.flows[crossing.flow as usize];
        if is_data && crossing.leg == flow.first_leg {
            flow.starts.left(crossing.value, at);
            self.meter.seen.flows[flow.carrier.flow].sent += self.payload;
            if flow.is_request {
                self.meter.request(at, flow.carrier.flow);
            }
        }
    }

    #[inline]
    fn on_arrival(&mut self, crossing: Crossing) {
        let flow = &mut self.flows[crossing.flow as usize];
        if crossing.kind != UnitKind::Data || crossing.leg != flow.last_leg {
            return;
        }
        let (at, of) = (crossing.at.ps(), flow.carrier.flow);
        self.meter.delivered(at, of, self.payload);
        let left = flow.starts.arrived(crossing.value);
        if let Some(left) = left
            && self.meter.counts(at)
        {
            self.meter.seen.flows[of].delay.record(at - left.at);
        }
        if flow.message == 0 {
            return;
        }
        if flow.carrier.is_back {
            flow.arrived.resize(1, 0);
            flow.arrived[0] += 1;
            if flow.arrived[0].is_multiple_of(flow.message) {
                let response = (flow.arrived[0] / flow.message) as usize - 1;
                self.meter.complete(at, of, response);
            }
            return;
        }
        let Some(left) = left else { return };
        let burst = (left.index / flow.message) as usize;
        if flow.arrived.len() <= burst {
            flow.arrived.resize(burst + 1, 0);
        }
        flow.arrived[burst] += 1;
        if flow.arrived[burst] == flow.message {
            self.meter.complete(at, of, burst);
        }
    }

    #[inline]
    fn on_loss(&mut self, crossing: Crossing, _: LossCause) {
        if crossing.kind == UnitKind::Data {
            let flow = self.flows[crossing.flow as usize].carrier.flow;
            self.meter.seen.flows[flow].lost += self.payload;
        }
    }

    #[inline]
    fn on_stored(&mut self, at: Time, node: u32, stored: u64) {
        let cell = self.cell_in[node as usize];
        if cell > 0 {
            self.meter.stored(at.ps(), node as usize, stored * cell);
        }
    }
}
