//! Credit over channels, for all frames of a class.

use alloc::boxed::Box;
use alloc::vec::Vec;

use backwater_kernel::Time;

use crate::flow_control::cyclic::Counters;
use crate::hop::unit::NONE;
use crate::spec::frames;

/// Whose credit is whose.
#[derive(Debug, Default)]
pub(crate) struct Credits {
    /// The leg of each queue, which is that of the account it leads to; [`NONE`] without credit;
    /// empty where no class has any.
    pub legs: Vec<u32>,
    /// The class of each leg.
    pub classes: Vec<Credited>,
    /// Credit frames that each channel has sent; empty where no class has credit.
    pub sent: Vec<u64>,
    /// Counters of each channel that has some; empty where none has.
    pub counters: Vec<Option<Box<Counters>>>,
}

/// A class of a channel under credit control.
#[derive(Debug)]
pub(crate) struct Credited {
    pub channel: u32,
    pub class: u8,
    /// What one unit of credit is good for.
    pub unit_bytes: u32,
    /// Counted with each frame before it is divided into units.
    pub overhead_bytes: i32,
    /// The least credit that its sender ever had.
    pub least: i32,
    /// Since when the frame that goes next has lacked credit, if it does.
    pub shut_since: Time,
}

impl Credits {
    /// The leg of a queue, if it has credit.
    #[inline]
    pub fn leg(&self, queue: usize) -> Option<u32> {
        let leg = self.legs.get(queue).copied();
        leg.filter(|leg| *leg != NONE)
    }

    /// What a frame costs on a leg.
    #[inline]
    pub fn cost(&self, leg: u32, bytes: u64) -> u32 {
        self.classes[leg as usize].cost(bytes)
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
