//! A run as a capture: one pcapng file that Wireshark, tshark and scapy read.
//!
//! Each direction of each link is an interface. A frame is caught where it starts, at the
//! instant in which the first bit of its preamble leaves, so the frame itself begins 64 bit times
//! later. A time stamp counts nanoseconds of the run from 1970 on; picoseconds are cut off.
//!
//! Nodes have their names by address, so readers show those.
//!
//! Control frames stand in the file as they stand on the wire, frame check sequences and preambles
//! do not. Payloads are zeros, of which the first few are kept.

mod frame;
mod internet;
mod pcapng;
mod roce;

use std::io::{self, Write};

use backwater_kernel::{Channels, Time};
use backwater_net::frames::probe::{Frame, Probe};
use backwater_net::frames::spec::{EthernetSpec, FRAME_LEAST_BYTES, NodeKind};

use crate::events::names;
use crate::sink::Sink;
use crate::trace::TraceFile;
use frame::Encoder;
use pcapng::{Blocks, Interface, Named};

pub use frame::mac;

/// Bytes kept of each frame: all headers, and some of the payload.
pub const SNAP_BYTES: u32 = 128;

/// Picoseconds in a nanosecond.
const PS: u64 = 1000;

/// A probe that writes what starts on any channel, block by block; nothing stays in memory but
/// what the writer keeps.
#[derive(Debug)]
pub struct Capture<'a, W: Write> {
    spec: &'a EthernetSpec,
    file: Sink<W>,
    blocks: Blocks,
    encoder: Encoder,
}

impl<'a, W: Write> Capture<'a, W> {
    /// Of a run of this network, an interface for each channel; without a file yet.
    pub fn new(spec: &'a EthernetSpec) -> Capture<'a, W> {
        Capture {
            spec,
            file: Sink::new(None),
            blocks: Blocks::new(2 * spec.links.len(), SNAP_BYTES),
            encoder: Encoder::new(spec),
        }
    }

    fn write(&mut self) {
        let blocks = &mut self.blocks;
        self.file.write(|file| file.write_all(blocks.bytes()));
        blocks.clear();
    }
}

impl<W: Write> TraceFile<W> for Capture<'_, W> {
    const NAME: &'static str = "trace.pcapng";

    fn begin(&mut self, file: W, program: &str) -> io::Result<()> {
        let comment = "Simulated. Time 0 is the start of the run; a frame is stamped with the \
                       start of its preamble.";
        self.blocks.section(program, comment);
        for (channel, name) in (0..).zip(names::channels(self.spec)) {
            self.blocks.interface(&Interface {
                description: format!("channel {channel}: {name}"),
                name,
                mac: mac(self.spec.links.ends(channel).0),
                speed_bps: self.spec.links.channel(channel).rate.0,
            });
        }
        let nodes = (0..).zip(&self.spec.nodes).map(|(id, node)| Named {
            name: node.name.clone(),
            mac: mac(id),
            address: matches!(node.kind, NodeKind::Station { .. }).then(|| frame::address(id)),
        });
        self.blocks.names(&nodes.collect::<Vec<_>>());
        self.file = Sink::new(Some(file));
        self.write();
        self.file.flush()
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }

    fn finish(&mut self, at: u64) -> io::Result<()> {
        self.blocks.statistics(at / PS);
        self.write();
        self.file.flush()
    }
}

impl<W: Write> Probe for Capture<'_, W> {
    fn on_frame_start(&mut self, at: Time, channel: u32, frame: &Frame<'_>) {
        // What is shorter is an ordered set between frames, which a capture doesn't see.
        if frame.view().bytes < FRAME_LEAST_BYTES {
            return;
        }
        let (bytes, length) = self.encoder.bytes(frame.view());
        self.blocks.packet(channel, at.ps() / PS, &bytes, length);
        self.write();
    }
}
