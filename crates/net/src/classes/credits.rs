//! Credit over channels, for the frames of a lane: all of a class, or some.

use alloc::boxed::Box;
use alloc::vec::Vec;

use backwater_kernel::Time;

use crate::flow_control::cyclic::Counters;
use crate::hop::unit::NONE;
use crate::spec::frames;

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
    pub lane: u32,
    /// Its place among the lanes of the port, where those are counted.
    pub place: u32,
    pub class: u8,
    /// What one unit of credit is good for.
    pub unit_bytes: u32,
    /// Counted with each frame before it is divided into units.
    pub overhead_bytes: i32,
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

    /// What a frame costs on a leg.
    #[inline]
    pub fn cost(&self, leg: u32, bytes: u64) -> u32 {
        self.lanes[leg as usize].cost(bytes)
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

impl Credited {
    /// What a frame costs.
    #[inline]
    pub fn cost(&self, bytes: u64) -> u32 {
        frames::cost(self.unit_bytes, self.overhead_bytes, bytes)
    }
}
