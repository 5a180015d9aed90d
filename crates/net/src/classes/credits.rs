//! Credit over channels, for the frames of a lane: all of a class, or some.

use alloc::boxed::Box;
use alloc::vec::Vec;

use backwater_kernel::Time;

use crate::flow_control::cyclic::Counters;
use crate::hop::unit::NONE;
use crate::spec::frames::Price;

/// Whose credit is whose.
#[derive(Debug, Default)]
pub(crate) struct Credits {
    /// The leg of each lane, which is that of the account it leads to; [`NONE`] without credit;
    /// empty where no lane has any.
    pub legs: Vec<u32>,
    /// The lane of each leg.
    pub lanes: Vec<Credited>,
    /// Credit frames that each channel has sent; empty where no class has credit.
    pub sent: Vec<u64>,
    /// Counters of each channel that has some; empty where none has.
    pub counters: Vec<Option<Box<Counters>>>,
}

/// A lane of a channel under credit control.
#[derive(Debug)]
pub(crate) struct Credited {
    pub channel: u32,
    /// The queue in which its frames wait,
    pub queue: u32,
    /// and its place among the lanes of that; [`NONE`] if it is all of it.
    pub seat: u32,
    /// Its place among the lanes of the port, where those are counted; [`NONE`] elsewhere.
    pub place: u32,
    pub class: u8,
    /// The frame that goes next lacks credit.
    pub is_shut: bool,
    /// What that frame costs; 0 if none waits.
    pub needs: u32,
    /// What frames cost.
    pub price: Price,
    /// Whatever a frame costs, none starts with less credit.
    pub floor: u32,
    /// It has a limit in common with other lanes of its port.
    pub shares: bool,
    /// The least credit that its sender ever had.
    pub least: i32,
    /// Since when the frame that goes next has lacked credit, if it does.
    pub shut_since: Time,
}

impl Credits {
    /// The leg of a lane, if it has credit.
    #[inline]
    pub fn leg(&self, lane: usize) -> Option<u32> {
        let leg = self.legs.get(lane).copied();
        leg.filter(|leg| *leg != NONE)
    }

    /// Is the leg that of a lane whose counters the port states?
    #[inline]
    pub fn is_counted(&self, leg: u32) -> bool {
        let lane = self.lanes.get(leg as usize);
        lane.is_some_and(|lane| lane.place != NONE)
    }

    /// What a frame costs on a leg.
    #[inline]
    pub fn cost(&self, leg: u32, bytes: u64) -> u32 {
        self.lanes[leg as usize].price.of(bytes)
    }

    /// Counters of a channel, if it has some.
    #[inline]
    pub fn counters(&self, channel: u32) -> Option<&Counters> {
        self.counters.get(channel as usize)?.as_deref()
    }

    #[inline]
    pub fn counters_mut(&mut self, channel: u32) -> Option<&mut Counters> {
        self.counters.get_mut(channel as usize)?.as_deref_mut()
    }
}
