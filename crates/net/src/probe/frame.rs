//! A frame, as the hooks of probes have it.

use core::cell::OnceCell;

use crate::hop::unit::Unit;
use crate::hop::view::FrameView;
use crate::network::Network;

/// A frame that a probe is told of: what every hop has at hand, and the rest for who asks.
///
/// Most probes ask for little, and what a frame carries lies in memory that no hop touches.
pub struct Frame<'a> {
    /// See [`FrameView::class`].
    pub class: u8,
    /// See [`FrameView::bytes`].
    pub bytes: u32,
    /// See [`FrameView::is_marked`].
    pub is_marked: bool,
    source: Source<'a>,
    /// What was read of it, once somebody asked.
    read: OnceCell<FrameView>,
}

/// Where what a probe asks of a frame comes from.
enum Source<'a> {
    /// The network, the place of its unit there, and the channel it is on or in front of.
    Network(&'a Network, u32, u32),
    View(&'a FrameView),
}

impl<'a> Frame<'a> {
    /// The frame at `id`, which is on `channel`, or in front of it; at its host without one.
    #[inline(always)]
    pub(crate) fn inside(network: &'a Network, id: u32, channel: u32) -> Frame<'a> {
        Frame::of(network, (id, network.units.get(id)), channel)
    }

    /// The same of a frame that is known.
    #[inline(always)]
    pub(crate) fn of(network: &'a Network, (id, unit): (u32, &Unit), channel: u32) -> Frame<'a> {
        Frame {
            class: unit.class,
            bytes: unit.bytes,
            is_marked: unit.is_marked(),
            source: Source::Network(network, id, channel),
            read: OnceCell::new(),
        }
    }

    /// All that can be seen of it.
    #[inline]
    pub fn view(&self) -> &FrameView {
        match self.source {
            Source::Network(network, id, channel) => {
                self.read.get_or_init(|| network.view(id, channel))
            }
            Source::View(view) => view,
        }
    }
}

impl<'a> From<&'a FrameView> for Frame<'a> {
    fn from(view: &'a FrameView) -> Self {
        Frame {
            class: view.class,
            bytes: view.bytes,
            is_marked: view.is_marked,
            source: Source::View(view),
            read: OnceCell::new(),
        }
    }
}
