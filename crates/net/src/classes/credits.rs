//! Credit over channels, for all frames of a class.

use alloc::vec::Vec;

use backwater_kernel::Time;

use crate::hop::unit::NONE;

/// Whose credit is whose.
#[derive(Debug, Default)]
pub(crate) struct Credits {
    /// The leg of each queue, [`NONE`] without credit; empty where no class has any.
    pub legs: Vec<u32>,
    /// The class of each leg.
    pub classes: Vec<Credited>,
    /// Credit frames that each channel has sent; empty where no class has credit.
    pub sent: Vec<u64>,
}

/// A class of a channel under credit control.
#[derive(Debug)]
pub(crate) struct Credited {
    pub channel: u32,
    pub class: u8,
    /// What one unit of credit is good for.
    pub unit_bytes: u32,
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
        let unit_bytes = u64::from(self.classes[leg as usize].unit_bytes);
        bytes.div_ceil(unit_bytes) as u32
    }
}
