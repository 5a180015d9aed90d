//! A frame is put on a wire.

use backwater_kernel::Time;

use crate::classes::Classes;
use crate::classes::shape::{ERRORS, Has, INPUTS, OUTPUTS, PARTS, may};
use crate::hop::unit::{NONE, PULLED, Unit};
use crate::hop::wire::Channel;
use crate::probe::Probe;
use crate::spec::frames::wire_bytes;

/// What is known of a frame that starts, and of its port.
pub(super) struct Started {
    pub bytes: u32,
    pub way: u32,
    pub kind: u8,
    /// Its port asks for the next of its way.
    pub pulls: bool,
    /// Its last bit gets an event.
    pub has_event: bool,
    pub free_at: Time,
    pub effect: Time,
    /// Where its channel stands among arrivals.
    pub slot: u32,
    /// The frame before it on the wire.
    pub last: Option<u32>,
}

/// A frame is put on the wire of its channel, which is busy for as long as it takes.
#[inline(always)]
pub(super) fn launch<const HAS: Has, P: Probe>(
    (channel_id, channel): (u32, &mut Channel),
    (id, frame): (u32, &mut Unit),
    classes: &Classes,
    (now, effect_bytes, is_control): (Time, Option<u64>, bool),
) -> Started {
    let (bytes, kind) = (frame.bytes, channel.kind);
    let busy = channel.span(u64::from(wire_bytes(bytes)));
    let effect = now + effect_bytes.map_or(busy, |bytes| channel.span(bytes)) + channel.latency;
    frame.arrived = effect;
    if may(HAS, ERRORS) && channel.is(Channel::ERRORS) {
        frame.is_lost = channel.loses_frame(now, busy, is_control);
    }
    let pulls = !is_control && frame.marks & PULLED != 0;
    if pulls {
        frame.marks &= !PULLED;
    }
    channel.free_at = now + busy;
    channel.sent_class = match is_control {
        true => Channel::CONTROL,
        false => frame.class,
    };
    channel.sent_bytes = bytes;
    channel.sent_account = frame.account();
    let has_event = P::WATCHES && kind & Channel::WATCHED != 0
        || channel.waiting != 0
        || channel.has_control
        || classes.counts_on_last_bit::<HAS>(channel_id, channel.from, frame.class, is_control);
    channel.has_event = has_event;
    let last = match may(HAS, PARTS) && channel.is(Channel::CROSSES) {
        true => None,
        false => {
            frame.next = NONE;
            channel.wire.append(id)
        }
    };
    Started {
        bytes,
        way: frame.way(),
        kind,
        pulls,
        has_event,
        free_at: channel.free_at,
        effect,
        slot: channel.slot,
        last,
    }
}

impl Classes {
    /// Does anybody count on when the last bit of a frame leaves a node? Where not, and nothing
    /// waits, it needs no event: see `rest`.
    #[inline(always)]
    fn counts_on_last_bit<const HAS: Has>(
        &self,
        channel: u32,
        node: u32,
        class: u8,
        is_control: bool,
    ) -> bool {
        if is_control {
            return self.asked[channel as usize].on_wire.is_some();
        }
        let is_congested = || self.queues[self.queue_in::<HAS>(channel, class)].is_congested;
        may(HAS, INPUTS) && self.nodes[node as usize].counts_inputs
            || may(HAS, OUTPUTS) && is_congested()
    }
}
