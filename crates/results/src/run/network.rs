//! What a network of circuits says of itself.

use backwater_net::outcome::LossCause;
use backwater_net::spec::{FlowSpec, NetworkSpec};

use crate::drawn::Units;
use crate::events::Network;

impl Network for NetworkSpec {
    const UNITS: &'static str = "cells";
    const UNIT: &'static str = "cell";

    const CAUSES: &'static [LossCause] = &[
        LossCause::Buffer,
        LossCause::Pool,
        LossCause::Threshold,
        LossCause::Wire,
        LossCause::PushOut,
        LossCause::Envelope,
        LossCause::Policer,
        LossCause::Residence,
    ];

    fn unit_bytes(&self, flow: u32) -> Option<u32> {
        let flow = self.flows.get(flow as usize)?;
        flow.sizes.is_empty().then_some(flow.unit_bytes)
    }

    fn ways(&self) -> Vec<Vec<u32>> {
        let channels = |flow: &FlowSpec| flow.legs.iter().map(|leg| leg.channel).collect();
        self.flows.iter().map(channels).collect()
    }

    fn read_as() -> Units {
        Units {
            queue: "cells",
            queue_scale: 1.0,
            stop: "without credit while cells wait, share of samples",
            by: "without credit from",
            buffer: "cells that wait in front of the channel",
            ..Units::default()
        }
    }
}
