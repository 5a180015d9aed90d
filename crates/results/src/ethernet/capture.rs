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

use std::io::{self, Write};

use backwater_kernel::Time;
use backwater_net::frames::probe::{Frame, Probe};
use backwater_net::frames::spec::{EthernetSpec, NodeKind};

use crate::events::names;
use frame::Encoder;
use pcapng::{Interface, Named, PcapngWriter};

pub use frame::mac;

/// Bytes kept of each frame: all headers, and some of the payload.
pub const SNAP_BYTES: u32 = 128;

/// Picoseconds in a nanosecond.
const PS: u64 = 1000;

/// A probe that writes what starts on any channel, block by block; nothing stays in memory but
/// what the writer keeps. Hand it a buffered one.
#[derive(Debug)]
pub struct Capture<W: Write> {
    /// `None` after a failure.
    file: Option<PcapngWriter<W>>,
    failure: Option<io::Error>,
    encoder: Encoder,
}

impl<W: Write> Capture<W> {
    /// Begins the file: an interface for each channel, in their order.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn new(writer: W, spec: &EthernetSpec, program: &str) -> io::Result<Capture<W>> {
        let names = names::channels(spec);
        let interfaces: Vec<Interface> = names
            .into_iter()
            .zip(0..)
            .map(|(name, channel)| {
                let found = names::channel_spec(spec, channel);
                Interface {
                    description: format!("channel {channel}: {name}"),
                    name,
                    mac: mac(names::channel_ends(spec, channel).map_or(0, |ends| ends.0)),
                    speed_bps: found.map_or(0, |channel| channel.rate.0),
                }
            })
            .collect();
        let comment = "Simulated. Time 0 is the start of the run; a frame is stamped with the \
                       start of its preamble.";
        let mut file = PcapngWriter::new(writer, (program, comment), &interfaces, SNAP_BYTES)?;
        let nodes = (0..).zip(&spec.nodes).map(|(id, node)| Named {
            name: node.name.clone(),
            mac: mac(id),
            address: matches!(node.kind, NodeKind::Station { .. }).then(|| frame::address(id)),
        });
        file.names(&nodes.collect::<Vec<_>>())?;
        Ok(Capture {
            file: Some(file),
            failure: None,
            encoder: Encoder::new(spec),
        })
    }

    /// Hands on what is still in memory, so that the file can be read as it is.
    ///
    /// # Errors
    /// If it can't be written, or what came before could not.
    pub fn flush(&mut self) -> io::Result<()> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        self.file.as_mut().map_or(Ok(()), PcapngWriter::flush)
    }

    /// Ends the file of a run that got this far, and hands the writer back.
    ///
    /// # Errors
    /// If it can't be written, or what came before could not.
    pub fn finish(mut self, at: Time) -> io::Result<Option<W>> {
        self.flush()?;
        let file = self.file.map(|file| file.finish(at.ps() / PS));
        file.transpose()
    }
}

impl<W: Write> Probe for Capture<W> {
    fn on_frame_start(&mut self, at: Time, channel: u32, frame: &Frame<'_>) {
        let frame = frame.view();
        let Some(file) = &mut self.file else {
            return;
        };
        let (bytes, length) = self.encoder.bytes(frame);
        if let Err(error) = file.packet(channel, at.ps() / PS, &bytes, length) {
            self.failure = Some(error);
            self.file = None;
        }
    }
}
