//! Where names of nodes stand on the map: on a side of the node where no link is in the way.

use super::{Map, Node};

/// Pixels for a letter,
pub const LETTER: f64 = 7.0;
/// between neighbours, and around the middle of a node.
const SCALE: f64 = 92.0;
const RADIUS: f64 = 16.0;
/// Half of what the two lines of a link take, with their bars.
const LINK: f64 = 9.0;
/// Above and below a node a name begins and ends so far from its middle; beside it, it is as high.
const NEAR_EDGE: f64 = 12.0;
const FAR_EDGE: f64 = 28.0;
const HALF_NAME: f64 = 7.0;
/// Longer names have no room beside a node.
const LONGEST_BESIDE: usize = 8;
/// A neighbour this near, in places, takes the room of a name between them.
const NEAR: f64 = 1.5;

/// A side of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// Where names stand if they can.
    Below,
    /// Over the node.
    Above,
    /// To its left.
    Left,
    /// To its right.
    Right,
}

/// Lower and upper end along x, and along y.
type Rect = [(f64, f64); 2];

/// The side of each node that the fewest links cross, below first.
pub fn sides(map: &Map) -> Vec<Side> {
    let place = |node: usize| {
        let (x, y) = map.nodes[node].place;
        [x * SCALE, y * SCALE]
    };
    let links = map.arcs.iter();
    let links = links.map(|arc| drawn(place(arc.from), place(arc.to)));
    let links: Vec<[[f64; 2]; 2]> = links.collect();
    let of = |(index, node): (usize, &Node)| {
        let length = node.name.chars().count();
        let has_room = |side: &Side| match side {
            Side::Below | Side::Above => true,
            beside => length <= LONGEST_BESIDE && beside.is_free(node, &map.nodes),
        };
        let crossed = |side: &Side| {
            let name = side.name(place(index), length as f64 * LETTER / 2.0);
            links.iter().filter(|link| crosses(**link, name)).count()
        };
        let sides = [Side::Below, Side::Above, Side::Left, Side::Right];
        let sides = sides.into_iter().filter(has_room);
        sides.min_by_key(crossed).unwrap_or(Side::Below)
    };
    map.nodes.iter().enumerate().map(of).collect()
}

/// The ends of a link as it is drawn, from the edge of one node to that of the other.
fn drawn(from: [f64; 2], to: [f64; 2]) -> [[f64; 2]; 2] {
    let length = (to[0] - from[0]).hypot(to[1] - from[1]);
    let part = (RADIUS / length.max(1.0)).min(0.5);
    let along = |at: f64| [0, 1].map(|axis| from[axis] + (to[axis] - from[axis]) * at);
    [along(part), along(1.0 - part)]
}

/// Does a line from point to point cross this rectangle?
fn crosses([from, to]: [[f64; 2]; 2], rect: Rect) -> bool {
    let (mut first, mut last) = (0.0_f64, 1.0_f64);
    for axis in 0..2 {
        let (low, high) = rect[axis];
        let way = to[axis] - from[axis];
        if way == 0.0 {
            if from[axis] <= low || from[axis] >= high {
                return false;
            }
            continue;
        }
        let ends = [low, high].map(|end| (end - from[axis]) / way);
        first = first.max(ends[0].min(ends[1]));
        last = last.min(ends[0].max(ends[1]));
    }
    first < last
}

impl Side {
    /// What a name takes here, half of which is so long, with room for the lines of a link.
    fn name(self, [x, y]: [f64; 2], half: f64) -> Rect {
        let wide = (x - half - LINK, x + half + LINK);
        let high = (y - HALF_NAME - LINK, y + HALF_NAME + LINK);
        let [near, far] = [NEAR_EDGE - LINK, FAR_EDGE + LINK];
        let beside = RADIUS + 2.0 * half + LINK;
        match self {
            Side::Below => [wide, (y + near, y + far)],
            Side::Above => [wide, (y - far, y - near)],
            Side::Left => [(x - beside, x - near), high],
            Side::Right => [(x + near, x + beside), high],
        }
    }

    /// Is no other node near on this side?
    fn is_free(self, node: &Node, nodes: &[Node]) -> bool {
        let is_near = |other: &&Node| {
            let (x, y) = (other.place.0 - node.place.0, other.place.1 - node.place.1);
            let ahead = if self == Side::Left { -x } else { x };
            ahead > 0.0 && ahead <= NEAR && y.abs() < 0.5
        };
        !nodes.iter().any(|other| is_near(&other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drawn::Arc;

    /// The sides of names at these places, with links from the first to all others.
    fn star(places: &[(f64, f64)], name: &str) -> Vec<Side> {
        let node = |&place: &(f64, f64)| Node {
            name: name.into(),
            is_host: true,
            place,
        };
        let arc = |to| Arc {
            from: 0,
            to,
            channels: Vec::new(),
            flows: Vec::new(),
            flows_all: 0,
            stuck: String::new(),
            load: Vec::new(),
            stopped: Vec::new(),
            queued: Vec::new(),
        };
        sides(&Map {
            nodes: places.iter().map(node).collect(),
            arcs: (1..places.len()).map(arc).collect(),
            folded: String::new(),
        })
    }

    #[test]
    fn names_stand_where_no_link_is() {
        let middle = (0.0, 0.0);
        let [below, above] = [(0.0, 1.0), (0.0, -1.0)];
        let [left, right] = [(-2.0, 0.0), (2.0, 0.0)];
        assert_eq!(star(&[middle, right], "A"), [Side::Below, Side::Below]);
        assert_eq!(star(&[middle, below], "A"), [Side::Above, Side::Below]);
        assert_eq!(star(&[middle, below, above], "A")[0], Side::Left);
        assert_eq!(star(&[middle, below, above, left], "A")[0], Side::Right);
        // All sides are taken: below, as ever.
        assert_eq!(
            star(&[middle, below, above, left, right], "A")[0],
            Side::Below
        );
        // No room beside the node, for what is near or for the length of the name.
        assert_eq!(
            star(&[middle, below, below, above, (-1.0, 0.2), (1.0, 0.2)], "A")[0],
            Side::Above
        );
        assert_eq!(star(&[middle, below, above], "bystander")[0], Side::Below);
        assert_eq!(
            star(&[middle, below, below, above], "bystander")[0],
            Side::Above
        );
        // A link aslant crosses a long name but not a short one.
        assert_eq!(star(&[middle, (1.0, 0.5)], "A")[0], Side::Below);
        assert_eq!(star(&[middle, (1.0, 0.5)], "bystander")[0], Side::Above);
        // So does a link of others, over the first of three in a column.
        let column = [(2.0, 1.0), (0.0, 0.0), (0.0, 1.0), (0.3, 2.0)];
        assert_eq!(
            star(&column, "host")[1..],
            [Side::Above, Side::Below, Side::Below]
        );
    }
}
