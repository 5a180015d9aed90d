//! What is compared, in words.

use std::fmt::{self, Display};

use super::{Delivery, Move};

impl Display for Delivery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "cycle {}: {} to {}, class {}, {} flits, born {}, entered {}, {} hops",
            self.delivered,
            self.source,
            self.destination,
            self.class,
            self.length,
            self.birth,
            self.entered,
            self.hops
        )
    }
}

impl Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "cycle {}: channel {}, lane {}, flit {} of {} to {} born {}",
            self.cycle,
            self.channel,
            self.lane,
            self.flit,
            self.source,
            self.destination,
            self.birth
        )
    }
}
