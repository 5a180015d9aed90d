//! A unit on its way from the application to the first port.

use backwater_ends::control::Control;
use backwater_kernel::{EventQueue, Time};

use super::{Shaping, Site};
use crate::hop::kind::UnitKind;
use crate::outcome::LossCause;
use crate::probe::{Crossing, Probe};
use crate::simulation::Simulation;
use backwater_ends::shape::envelope::{Parcel, Verdict};

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    fn shaping(&mut self, flow_id: u32) -> Option<&mut Shaping> {
        self.network.flows[flow_id as usize].shaping.as_deref_mut()
    }

    /// The application of a shaped flow has something to say.
    pub(crate) fn offer_shaped(&mut self, flow_id: u32) {
        let now = self.now;
        let flow = &mut self.network.flows[flow_id as usize];
        let Some(shaping) = flow.shaping.as_deref_mut() else {
            return;
        };
        if let Some(resume) = shaping.freeze(now) {
            return self.ask_again(flow_id, Some(resume));
        }
        let lag = shaping.lag;
        let emission = flow.traffic.on_timer(Time(now.ps() - lag.ps()));
        let units = emission.units;
        if shaping.is_greedy {
            shaping.held = shaping.held.saturating_add(units);
        } else if shaping.gate(Site::Envelope).is_none() {
            flow.backlog = flow.backlog.saturating_add(units);
        } else {
            for _ in 0..units {
                self.offer_one(flow_id);
                if self.is_asked_to_stop() {
                    return;
                }
            }
        }
        self.ask_again(flow_id, emission.next.map(|next| next + lag));
        self.pump(flow_id);
    }

    fn offer_one(&mut self, flow_id: u32) {
        let came = self.now;
        let flow = &mut self.network.flows[flow_id as usize];
        // Not numbered yet: the number is what it would be if it could be sent now.
        let number = flow.next_number;
        let bytes = flow
            .shaping
            .as_mut()
            .map_or(0, |shaping| shaping.draw_size());
        let parcel = Parcel {
            came,
            number,
            bytes,
        };
        self.present(flow_id, Site::Envelope, parcel);
    }

    /// A held unit goes to source control, now or at an instant for which a timer is set.
    pub(crate) fn feed(&mut self, flow_id: u32) -> bool {
        let now = self.now;
        let flow = &mut self.network.flows[flow_id as usize];
        let Some(shaping) = flow.shaping.as_deref_mut() else {
            return false;
        };
        match shaping.feed(now) {
            Ok(()) => {
                flow.backlog = 1;
                return true;
            }
            Err(Some(at)) => self.set_gate_timer(flow_id, Site::Envelope, at),
            Err(None) => {}
        }
        false
    }

    /// Source control, or the destination that answers, hands over unit `number`.
    pub(crate) fn inject_shaped(&mut self, flow_id: u32, number: u32) {
        let came = self.now;
        let flow = &mut self.network.flows[flow_id as usize];
        let Some(shaping) = flow.shaping.as_deref_mut() else {
            return;
        };
        let sends_again = flow.control.position().is_some();
        let bytes = match &mut shaping.sizes {
            None => shaping.unit_bytes,
            Some(sizes) if sends_again => sizes.of(number),
            Some(sizes) => sizes.take_next(),
        };
        let parcel = Parcel {
            came,
            number,
            bytes,
        };
        self.present(flow_id, Site::Spacing, parcel);
    }

    /// A unit comes to a gate.
    fn present(&mut self, flow_id: u32, site: Site, parcel: Parcel) {
        let Some(shaping) = self.shaping(flow_id) else {
            return;
        };
        match shaping.judge(site, parcel) {
            Verdict::Passes => self.go_on(flow_id, site, parcel),
            Verdict::Refused => self.refuse_entry(flow_id, site, parcel),
            Verdict::Waits(Some(at)) => self.set_gate_timer(flow_id, site, at),
            Verdict::Waits(None) => {}
        }
    }

    /// A unit has passed a gate.
    fn go_on(&mut self, flow_id: u32, site: Site, mut parcel: Parcel) {
        parcel.came = self.now;
        let flow = &mut self.network.flows[flow_id as usize];
        let Some(shaping) = flow.shaping.as_deref_mut() else {
            return;
        };
        match site {
            Site::Envelope => {
                flow.backlog += 1;
                shaping.keep_size(parcel.bytes);
            }
            Site::Spacing => {
                if let Some(alarm) = &mut shaping.alarm {
                    alarm.count(parcel.came, parcel.bytes);
                }
                self.present(flow_id, Site::Policer, parcel);
            }
            Site::Policer => self.enter(flow_id, parcel.number, parcel.bytes),
        }
    }

    /// A unit that does not conform is dropped. Its way would have begun on the first leg.
    fn refuse_entry(&mut self, flow_id: u32, site: Site, parcel: Parcel) {
        let cause = match site {
            Site::Policer => LossCause::Policer,
            _ => LossCause::Envelope,
        };
        let root = self.network.roots(flow_id)[0];
        let channel = self.network.legs[root as usize].sender.channel;
        let flow = &mut self.network.flows[flow_id as usize];
        let destinations = flow.leaves as u64;
        flow.counts.offered += destinations;
        flow.counts.lost += destinations;
        flow.counts.drops.add(cause, destinations);
        let crossing = Crossing {
            at: self.now,
            channel,
            flow: flow_id,
            leg: root,
            kind: UnitKind::Data,
            value: parcel.number as u64,
            bytes: parcel.bytes,
        };
        self.probe.on_loss(crossing, cause);
    }

    fn set_gate_timer(&mut self, flow_id: u32, site: Site, at: Time) {
        self.schedule(site.timer().at(at, flow_id));
    }

    /// A unit that waits at a gate conforms from now on, or one that is held.
    pub(crate) fn on_gate_timer(&mut self, flow_id: u32, site: Site) {
        let now = self.now;
        if let Some(shaping) = self.shaping(flow_id)
            && shaping.is_greedy
            && site == Site::Envelope
        {
            shaping.feed_due = false;
        }
        while let Some(shaping) = self.shaping(flow_id) {
            match shaping.release(site, now) {
                Ok(_) if self.is_asked_to_stop() => break,
                Ok(parcel) => self.go_on(flow_id, site, parcel),
                Err(again) => {
                    if let Some(at) = again {
                        self.set_gate_timer(flow_id, site, at);
                    }
                    break;
                }
            }
        }
        self.pump(flow_id);
    }

    /// A warning reached the source of `flow_id`.
    pub(crate) fn on_alarm(&mut self, flow_id: u32) {
        let now = self.now;
        let flow = &mut self.network.flows[flow_id as usize];
        flow.counts.alarms += 1;
        if let Some(shaping) = &mut flow.shaping {
            shaping.heed_alarm(now);
        }
    }
}
