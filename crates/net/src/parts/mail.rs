//! What crosses from one part to another.

use backwater_kernel::{Event, EventQueue, Phase, Time};

use crate::probe::Probe;
use crate::simulation::Simulation;
use crate::simulation::border::{Letter, Mail};

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// A unit has started on a channel into another part, where it will take effect.
    #[cold]
    #[inline(never)]
    pub(crate) fn send_across(&mut self, channel_id: u32, place: u32) {
        let to = self.network.channels[channel_id as usize].to;
        let Some(border) = &mut self.border else {
            return;
        };
        let mail = &mut border.mails[border.owners[to as usize] as usize];
        let units = &mut self.network.units;
        let letter = Letter {
            channel: channel_id,
            unit: *units.get(place),
            content: units.take_out(place),
        };
        let at = letter.unit.arrived;
        mail.first = Some(mail.first.map_or(at, |first| first.min(at)));
        mail.letters.push(letter);
    }

    /// The unit that has just started on a channel into another part takes effect there. The event
    /// of its arrival finds nothing here.
    #[cold]
    #[inline(never)]
    pub(crate) fn send_last_across(&mut self, channel_id: u32) {
        let wire = &mut self.network.channels[channel_id as usize].wire;
        if let Some(place) = wire.take(&self.network.units) {
            self.send_across(channel_id, place);
        }
    }

    /// Opens what came from another part, which has run up to `horizon` as this one has.
    ///
    /// # Panics
    /// If a letter should have taken effect before that.
    pub(super) fn open(&mut self, mail: &mut Mail, horizon: Time) {
        mail.first = None;
        for (flow, news) in mail.news.drain(..) {
            self.network.classes.stations.hear(flow, news);
        }
        if mail.letters.is_empty() {
            return;
        }
        if let Some(border) = &mut self.border {
            border.drained = None;
        }
        for letter in mail.letters.drain(..) {
            let at = letter.unit.arrived;
            assert!(at >= horizon, "{}", self.late(at, horizon));
            let units = &mut self.network.units;
            let place = units.put_in(letter.unit, letter.content);
            let channel = &mut self.network.channels[letter.channel as usize];
            channel.wire.push(units, place);
            let entity = match self.network.classes.count {
                0 => letter.channel,
                _ => channel.slot,
            };
            self.events.push(Event::new(at, Phase::Deliver, entity, 0));
        }
    }
}
