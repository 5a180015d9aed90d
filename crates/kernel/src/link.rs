//! Full-duplex links, and the numbers of their channels.

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

    #[inline]
    fn channel(&self, channel: u32) -> &C {
        &self[link(channel)].channels[side(channel)]
    }

    #[inline]
    fn channel_mut(&mut self, channel: u32) -> &mut C {
        &mut self[link(channel)].channels[side(channel)]
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
