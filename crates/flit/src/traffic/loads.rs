//! How much terminals are asked to send, and how much comes to each.

use alloc::vec;
use alloc::vec::Vec;

use backwater_kernel::BuildError;

use super::pattern::{Map, terminals};
use crate::spec::{FabricSpec, Injection};

/// Flits per cycle of all classes that have a load. What waits for answers or for room has none:
/// it asks for no more than the network takes.
#[derive(Clone, PartialEq, Debug)]
pub struct Loads {
    /// By terminal: born there.
    pub sent: Vec<f64>,
    /// By terminal: on their way there, where no terminal sends more than its channel carries.
    pub received: Vec<f64>,
}

impl Loads {
    /// Those of the traffic of `spec`. A permutation is the one that the seed draws.
    ///
    /// # Errors
    ///
    /// A pattern that is impossible in this network.
    pub fn of(spec: &FabricSpec) -> Result<Loads, BuildError> {
        let count = terminals(&spec.graph)? as usize;
        let mut maps = Vec::new();
        let mut loads = Loads {
            sent: vec![0.0; count],
            received: vec![0.0; count],
        };
        for (index, class) in spec.classes.iter().enumerate() {
            let (Injection::Bernoulli { load }
            | Injection::Constant { load }
            | Injection::OnOff { load, .. }) = class.injection
            else {
                continue;
            };
            let map = Map::new(&class.pattern, &spec.graph, spec.seed, index)?;
            for (source, sent) in (0..).zip(&mut loads.sent) {
                *sent += if map.leads_on(source) { load } else { 0.0 };
            }
            maps.push((load, map));
        }
        // What a terminal has too much of waits there, of all its classes alike.
        let carried: Vec<f64> = loads.sent.iter().map(|sent| 1.0 / sent.max(1.0)).collect();
        for (load, map) in maps {
            map.spread(
                |source| load * carried[source as usize],
                &mut loads.received,
            );
        }
        Ok(loads)
    }
}
