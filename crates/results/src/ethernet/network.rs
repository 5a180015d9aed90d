//! What a network of frames says of itself.

use backwater_net::frames::routes::Tables;
use backwater_net::frames::spec::{EthernetSpec, GROUP};
use backwater_net::outcome::LossCause;

use crate::drawn::Units;
use crate::events::Network;

/// Flows that are followed at most to name them at channels.
const FOLLOWED: usize = 4_000;

impl Network for EthernetSpec {
    const UNITS: &'static str = "frames";
    const UNIT: &'static str = "frame";

    const CAUSES: &'static [LossCause] = &[
        LossCause::QueueFull,
        LossCause::Buffer,
        LossCause::Pool,
        LossCause::Threshold,
        LossCause::Watchdog,
        LossCause::Wire,
    ];

    fn hosts_of(&self, node: u32) -> Option<u32> {
        (node & GROUP != 0).then_some(node & !GROUP)
    }

    /// Of flows that are not too many.
    fn ways(&self) -> Vec<Vec<u32>> {
        if self.flows.len() > FOLLOWED {
            return Vec::new();
        }
        let Ok(tables) = Tables::new(self) else {
            return Vec::new();
        };
        let flows = (0..).step_by(2).take(self.flows.len());
        let way = |way: u32| {
            let mut hops = Vec::new();
            match tables.follow(self, way, &mut hops) {
                Ok(_) => hops,
                Err(_) => Vec::new(),
            }
        };
        flows.map(way).collect()
    }

    fn read_as() -> Units {
        Units {
            queue: "kB",
            queue_scale: 1e-3,
            stop: "by PAUSE, PFC, a stop for some destinations or a lack of credit; its most \
                   class counts",
            stops_are_exact: true,
            by: "stopped by",
            buffer: "queue in front of the channel",
            ..Units::default()
        }
    }
}
