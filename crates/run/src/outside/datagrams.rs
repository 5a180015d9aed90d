//! Control in front of datagrams: it says when each goes, at the rate of the port at most.
//! Nothing comes back over UDP, so it hears of what it sends and of its timer alone.

use backwater_ends::control::{Control, Item, Next};
use backwater_ends::outside::{ControlRecipe, Emission, Source, SourceRecipe};
use backwater_ends::spec::bytes::TrafficSpec;
use backwater_kernel::{Duration, Rate, Time};
use backwater_net::spec::frames::{
    FRAME_LEAST_BYTES, FRAME_OVERHEAD_BYTES, FlowSpec, TAG_BYTES, WIRE_OVERHEAD_BYTES, packet_bytes,
};

/// What a flow of datagrams without end, or of so many bytes, sends under control that this makes.
///
/// # Errors
/// If its traffic says itself when datagrams go.
pub(super) fn paced(
    flow: &FlowSpec,
    line: Rate,
    recipe: ControlRecipe,
) -> Result<TrafficSpec, String> {
    let TrafficSpec::Infinite { start, bytes } = flow.traffic else {
        return Err(format!(
            "traffic of `{}` says itself when datagrams go: control needs `greedy`, with or \
             without a total",
            flow.name
        ));
    };
    let payload_bytes = flow.transport.payload_bytes();
    let tag = if flow.is_tagged { TAG_BYTES } else { 0 };
    let around = packet_bytes(&flow.transport) - payload_bytes + FRAME_OVERHEAD_BYTES + tag;
    Ok(TrafficSpec::Outside(SourceRecipe::new(move || {
        Box::new(Paced {
            control: recipe.make(),
            line,
            payload_bytes,
            around_bytes: around,
            left_bytes: bytes.unwrap_or(u64::MAX),
            start,
            free_at: start,
        })
    })))
}

/// A source of datagrams with control.
struct Paced {
    control: Box<dyn Control + Send>,
    line: Rate,
    payload_bytes: u32,
    /// Bytes of a frame beside its payload.
    around_bytes: u32,
    left_bytes: u64,
    start: Time,
    /// The next datagram may not go before.
    free_at: Time,
}

impl Paced {
    /// The next datagram, if control lets it go now; else when to ask again.
    fn send(&mut self, now: Time) -> Result<u64, Option<Time>> {
        if self.left_bytes == 0 {
            return Err(None);
        }
        if now < self.free_at {
            return Err(Some(self.free_at));
        }
        match self.control.next(now, true) {
            Next::Now(Item::Data) => {}
            Next::At(at) => return Err(Some(at)),
            Next::Now(Item::Control) | Next::Wait => return Err(None),
        }
        let payload = self.left_bytes.min(self.payload_bytes.into());
        self.left_bytes -= payload;
        let frame = (payload as u32 + self.around_bytes).max(FRAME_LEAST_BYTES);
        let wire_bytes = frame + WIRE_OVERHEAD_BYTES;
        self.control.on_packet(now, wire_bytes);
        self.control.on_sent(now, self.left_bytes == 0);
        let rate = self
            .control
            .pacing()
            .map_or(self.line, |own| own.min(self.line));
        self.free_at = now + rate.serialization(wire_bytes.into());
        Ok(payload)
    }
}

impl Source for Paced {
    fn start(&mut self) -> Option<Time> {
        Some(self.start)
    }

    fn on_timer(&mut self, now: Time) -> Emission {
        if self.control.timer().is_some_and(|at| at <= now) {
            self.control.on_timer(now);
        }
        let (units, slot) = match self.send(now) {
            Ok(payload) => (payload, Some(self.free_at).filter(|_| self.left_bytes > 0)),
            Err(slot) => (0, slot),
        };
        let timer = self.control.timer();
        let next = slot.into_iter().chain(timer).min();
        Emission {
            units,
            // Time has to pass.
            next: next.map(|at| at.max(now + Duration(1))),
        }
    }
}
