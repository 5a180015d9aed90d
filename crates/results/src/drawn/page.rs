//! What the page holds of a run over time, as compact JSON.

use serde_json::{Value, json};

use super::labels::{Side, sides};
use super::{Arc, Map, Node, OverTime, Port, Ports, Units};
use crate::number::rounded;

/// Parts into which the largest queue is cut.
const PARTS: u64 = 250;

/// Names that the figures have in the page.
pub struct Ids {
    /// The map, if there is one.
    pub map: Option<String>,
    /// The strips of stops,
    pub stops: Option<String>,
    /// and of queues.
    pub queues: Option<String>,
}

/// All of it; rows of bytes are in base 64, one after the other.
pub fn data(drawn: &OverTime, ids: &Ids) -> Value {
    let units = &drawn.units;
    let ends = drawn.ends.iter().map(|end| rounded(*end, 7));
    let map = drawn.map.as_ref().zip(ids.map.as_ref());
    json!({
        "clock": {
            "ends": ends.collect::<Vec<_>>(),
            "start": drawn.start,
            "unit": units.time,
            "scale": units.time_scale,
            "other": units.other_time.as_ref().map(|other| json!({
                "unit": other.unit,
                "per": other.per_unit,
            })),
        },
        "map": map.map(|(map, id)| of_map(map, units, id)),
        "ports": of_ports(&drawn.ports, units, ids),
    })
}

/// The unit of queues, the largest, and the parts it is cut into.
fn queues(units: &Units, most: u64) -> Value {
    json!({
        "unit": units.queue,
        "most": rounded(most as f64 * units.queue_scale, 6),
        "parts": PARTS,
    })
}

fn of_map(map: &Map, units: &Units, id: &str) -> Value {
    let most = map.queue_most();
    let node = |(node, side): (&Node, Side)| {
        json!([
            node.name,
            node.is_host,
            short(node.place.0),
            short(node.place.1),
            match side {
                Side::Below => "below",
                Side::Above => "above",
                Side::Left => "left",
                Side::Right => "right",
            }
        ])
    };
    let arc = |arc: &Arc| {
        json!([
            arc.from,
            arc.to,
            arc.channels.len(),
            arc.flows,
            arc.flows_all,
            arc.stuck
        ])
    };
    json!({
        "id": id,
        "nodes": map.nodes.iter().zip(sides(map)).map(node).collect::<Vec<_>>(),
        "arcs": map.arcs.iter().map(arc).collect::<Vec<_>>(),
        "queues": queues(units, most),
        "stops": map.has_stops(),
        "opens": match map.opens_with_stops() {
            true => "stopped",
            false => "load",
        },
        "load": base64(map.arcs.iter().flat_map(|arc| arc.load.iter().copied())),
        "stopped": base64(map.arcs.iter().flat_map(|arc| arc.stopped.iter().copied())),
        "queued": base64(map.arcs.iter().flat_map(|arc| levels(&arc.queued, most))),
    })
}

fn of_ports(ports: &Ports, units: &Units, ids: &Ids) -> Value {
    let most = ports.queue_most();
    let all = &ports.ports;
    let row = |port: &Port| json!([port.from, port.to, port.number, port.stuck]);
    json!({
        "ports": all.iter().map(row).collect::<Vec<_>>(),
        "by": units.by,
        "exact": units.stops_are_exact,
        "queues": queues(units, most),
        "stops": ids.stops.as_ref().map(|id| json!({ "id": id, "rows": ports.stops })),
        "heat": ids.queues.as_ref().map(|id| json!({ "id": id, "rows": ports.queues })),
        "stopped": base64(all.iter().flat_map(|port| port.stopped.iter().copied())),
        "queued": base64(all.iter().flat_map(|port| levels(&port.queued, most))),
    })
}

fn levels(queued: &[u64], most: u64) -> impl Iterator<Item = u8> {
    queued.iter().map(move |queued| level(*queued, most))
}

/// A queue in parts of the largest; what is longer, at hosts, is as long as can be shown.
fn level(queued: u64, most: u64) -> u8 {
    let parts = (u128::from(queued) * u128::from(PARTS)).div_ceil(u128::from(most.max(1)));
    parts.min(u128::from(PARTS) + 1) as u8
}

fn short(place: f64) -> f64 {
    (place * 1e3).round() / 1e3
}

fn base64(bytes: impl Iterator<Item = u8>) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bytes: Vec<u8> = bytes.collect();
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let at = |index: usize| u32::from(three.get(index).copied().unwrap_or(0));
        let word = at(0) << 16 | at(1) << 8 | at(2);
        for index in 0..4 {
            match index <= three.len() {
                true => text.push(char::from(
                    LETTERS[(word >> (18 - 6 * index)) as usize & 63],
                )),
                false => text.push('='),
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_written_in_base_64() {
        let text = |bytes: &[u8]| base64(bytes.iter().copied());
        assert_eq!(text(b"Man"), "TWFu");
        assert_eq!(text(b"Ma"), "TWE=");
        assert_eq!(text(b"M"), "TQ==");
        assert_eq!(text(&[0, 255, 200, 1]), "AP/IAQ==");
    }

    #[test]
    fn queues_are_parts_of_the_largest() {
        assert_eq!(
            [level(0, 9), level(1, 1_000_000), level(9, 9), level(20, 9)],
            [0, 1, 250, 251]
        );
    }
}
