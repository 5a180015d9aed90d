//! What is compared, in words.

use std::fmt::{self, Display};

use super::{Delivery, Drop, Start};

impl Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ps, channel {}: ", self.at_ps, self.channel)?;
        match self.control {
            Some(control) => write!(f, "{control:?}"),
            None => write!(
                f,
                "flow {} number {}, {} bytes",
                self.flow, self.number, self.bytes
            ),
        }
    }
}

impl Display for Drop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} ps, channel {}: flow {} number {}, {:?}",
            self.at_ps, self.channel, self.flow, self.number, self.cause
        )
    }
}

impl Display for Delivery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = if self.is_marked { ", marked" } else { "" };
        write!(
            f,
            "{} ps: flow {} number {} at {}{mark}",
            self.at_ps, self.flow, self.number, self.station
        )
    }
}
