//! Control units that wait until their port has nothing else to send.

use super::{Channel, Ticket};
use crate::hop::kind::ControlKind;

impl Channel {
    /// Does the control unit that waits longest wait for an idle port?
    pub fn has_patient(&self) -> bool {
        self.control.front().is_some_and(|first| first.is_patient)
    }

    /// The control unit that waits longest of those that wait for no idle port.
    pub fn pop_impatient(&mut self) -> Option<Ticket> {
        let place = self.control.iter().position(|own| !own.is_patient)?;
        self.control.remove(place)
    }

    /// Control units of this kind wait for an idle port no longer.
    pub fn hurry(&mut self, kind: ControlKind) {
        self.control
            .iter_mut()
            .for_each(|own| own.is_patient &= own.kind != kind);
    }
}
