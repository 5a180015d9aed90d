//! Full-duplex links, and the numbers of their channels.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

/// A full-duplex link between two nodes: a channel each way.
#[derive(Clone, PartialEq, Debug)]
pub struct Link<C> {
    /// The two nodes it joins.
    pub ends: [u32; 2],
    /// The channel from the first to the second, and the one back.
    pub channels: [C; 2],
}

impl<C: Clone> Link<C> {
    /// A link that is the same both ways.
    pub fn symmetric(ends: [u32; 2], channel: C) -> Self {
        Self {
            ends,
            channels: [channel.clone(), channel],
        }
    }
}

impl<C> Link<C> {
    /// The same link, seen from its other end.
    pub fn turned(self) -> Self {
        let ([a, b], [forward, backward]) = (self.ends, self.channels);
        Self {
            ends: [b, a],
            channels: [backward, forward],
        }
    }
}

/// The channels of a list of links: link `k` has the channels `2k` and `2k + 1`.
///
/// Like an index into a list, a number that no channel has is a panic; [`Channels::channels`] says
/// which there are.
pub trait Channels<C> {
    /// All of them, by number.
    fn channels(&self) -> Range<u32>;

    /// The node a channel leaves and the one it enters.
    fn ends(&self, channel: u32) -> (u32, u32);

    /// Of each link its number among those that join the same two nodes, from 1 on in their order.
    fn numbers(&self) -> Vec<u32>;

    /// A channel.
    fn channel(&self, channel: u32) -> &C;

    /// A channel, to change it.
    fn channel_mut(&mut self, channel: u32) -> &mut C;
}

impl<C> Channels<C> for [Link<C>] {
    #[inline]
    fn channels(&self) -> Range<u32> {
        0..2 * self.len() as u32
    }

    #[inline]
    fn ends(&self, channel: u32) -> (u32, u32) {
        let ends = self[link(channel)].ends;
        (ends[side(channel)], ends[1 - side(channel)])
    }

    fn numbers(&self) -> Vec<u32> {
        let mut known: BTreeMap<[u32; 2], u32> = BTreeMap::new();
        let number = |link: &Link<C>| {
            let [a, b] = link.ends;
            let count = known.entry([a.min(b), a.max(b)]).or_default();
            *count += 1;
            *count
        };
        self.iter().map(number).collect()
    }

    #[inline]
    fn channel(&self, channel: u32) -> &C {
        &self[link(channel)].channels[side(channel)]
    }

    #[inline]
    fn channel_mut(&mut self, channel: u32) -> &mut C {
        &mut self[link(channel)].channels[side(channel)]
    }
}

/// What a channel is called: `A->B`, and `A->B#2` over the second link between the two.
pub fn channel_name(from: &str, to: &str, number: u32) -> String {
    match number {
        0 | 1 => format!("{from}->{to}"),
        _ => format!("{from}->{to}#{number}"),
    }
}

#[inline]
fn link(channel: u32) -> usize {
    channel as usize / 2
}

#[inline]
fn side(channel: u32) -> usize {
    channel as usize % 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_beside_each_other_are_numbered_whichever_end_comes_first() {
        let links = [[7, 3], [3, 5], [3, 7], [5, 3], [7, 3]];
        let links = links.map(|ends| Link::symmetric(ends, ()));
        assert_eq!(links.numbers(), [1, 1, 2, 2, 3]);
        let names = links
            .numbers()
            .into_iter()
            .map(|number| channel_name("A", "B", number));
        assert_eq!(names.collect::<Vec<_>>()[1..3], ["A->B", "A->B#2"]);
    }

    #[test]
    fn a_link_has_a_channel_each_way() {
        let mut links = [
            Link::symmetric([7, 3], 'x'),
            Link {
                ends: [3, 5],
                channels: ['a', 'b'],
            },
        ];
        assert_eq!(links.channels(), 0..4);
        assert_eq!(links.ends(0), (7, 3));
        assert_eq!(links.ends(3), (5, 3));
        let seen = links.channels().map(|id| *links.channel(id));
        assert!(seen.eq(['x', 'x', 'a', 'b']));
        *links.channel_mut(1) = 'y';
        assert_eq!(links[0].channels, ['x', 'y']);
        assert_eq!(links[1].clone().turned().ends, [5, 3]);
        assert_eq!(links[1].clone().turned().channels, ['b', 'a']);
    }
}
