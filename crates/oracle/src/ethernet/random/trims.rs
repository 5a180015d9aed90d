//! Queues that trim.

use backwater_net::frames::spec::{EthernetSpec, NodeKind};

use super::Dice;

/// Most queues of switches are short and trim into the highest class, whose own are shorter still.
/// Networks with one class stay as they are.
pub(super) fn fill(dice: &mut Dice, spec: &mut EthernetSpec) {
    for link in &mut spec.links {
        for (side, channel) in link.channels.iter_mut().enumerate() {
            let from = &spec.nodes[link.ends[side] as usize];
            let class = channel.queues.len() as u8 - 1;
            let Some((headers, data)) = channel.queues.split_last_mut() else {
                continue;
            };
            if !matches!(from.kind, NodeKind::Switch(_)) || data.is_empty() {
                continue;
            }
            headers.limit_bytes = Some(dice.pick(&[100, 200, 2_000, 100_000]));
            for queue in data {
                queue.limit_bytes = Some(dice.between(1_100, 8_000));
                queue.trim = (!dice.one_in(4)).then_some(class);
            }
        }
    }
}
