//! The trace of a run of the Ethernet engine on its way to a file.

use std::fs::File;
use std::io::{self, BufWriter};

use backwater_kernel::Time;
use backwater_net::frames::probe::{Cause, FrameView, Gate, Probe};
use backwater_net::frames::spec::EthernetSpec;
use backwater_results::directory::fresh_file;
use backwater_results::{Capture, EthernetTrace, RunDirectory};

use super::super::TraceKind;
use crate::files::shown;

/// In either form.
pub enum Trace {
    /// Lines.
    Csv(EthernetTrace<BufWriter<File>>),
    /// Frames.
    Pcapng(Capture<BufWriter<File>>),
}

impl Trace {
    /// Begins the file in `directory`.
    pub fn create(
        kind: TraceKind,
        directory: &mut RunDirectory,
        network: &EthernetSpec,
    ) -> Result<Trace, String> {
        let path = directory.adopt(match kind {
            TraceKind::Csv => "trace.csv",
            TraceKind::Pcapng => "trace.pcapng",
        });
        let begun = fresh_file(&path).map(BufWriter::new).and_then(|file| {
            Ok(match kind {
                TraceKind::Csv => Trace::Csv(EthernetTrace::new(file, network)?),
                TraceKind::Pcapng => {
                    let program = concat!("backwater ", env!("CARGO_PKG_VERSION"));
                    Trace::Pcapng(Capture::new(file, network, program)?)
                }
            })
        });
        begun.map_err(|error| format!("can't write {}: {error}", shown(&path)))
    }

    /// What there is so far stands in the file.
    pub fn flush(&mut self) -> Result<(), String> {
        told(match self {
            Trace::Csv(trace) => trace.flush(),
            Trace::Pcapng(capture) => capture.flush(),
        })
    }

    /// The run is over.
    pub fn finish(self, at: Time) -> Result<(), String> {
        told(match self {
            Trace::Csv(trace) => trace.finish().map(drop),
            Trace::Pcapng(capture) => capture.finish(at).map(drop),
        })
    }
}

fn told(result: io::Result<()>) -> Result<(), String> {
    result.map_err(|error| format!("can't write the trace: {error}"))
}

impl Probe for Trace {
    fn on_frame_start(&mut self, at: Time, channel: u32, frame: &FrameView) {
        match self {
            Trace::Csv(trace) => trace.on_frame_start(at, channel, frame),
            Trace::Pcapng(capture) => capture.on_frame_start(at, channel, frame),
        }
    }

    fn on_frame_arrival(&mut self, at: Time, channel: u32, frame: &FrameView) {
        if let Trace::Csv(trace) = self {
            trace.on_frame_arrival(at, channel, frame);
        }
    }

    fn on_frame_dropped(&mut self, at: Time, channel: u32, frame: &FrameView, cause: Cause) {
        if let Trace::Csv(trace) = self {
            trace.on_frame_dropped(at, channel, frame, cause);
        }
    }

    fn on_gate(&mut self, at: Time, channel: u32, gate: Gate, is_stopped: bool) {
        if let Trace::Csv(trace) = self {
            trace.on_gate(at, channel, gate, is_stopped);
        }
    }
}
