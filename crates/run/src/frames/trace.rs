//! The trace of a run of the Ethernet engine on its way to a file.

use backwater_kernel::Time;
use backwater_net::frames::probe::{Frame, Gate, LossCause, Probe};
use backwater_net::frames::spec::EthernetSpec;
use backwater_results::{Capture, EthernetTrace, RunDirectory};

use super::super::trace::{File, begun, written};
use super::super::{Looks, Tells, TraceKind};

/// Traces of frame after frame, in the forms that were asked for.
pub struct Trace<'a> {
    kinds: Vec<TraceKind>,
    network: &'a EthernetSpec,
    lines: Option<EthernetTrace<File>>,
    capture: Option<Capture<File>>,
}

impl<'a> Trace<'a> {
    /// Of a run of this network; files begin with the run.
    pub fn new(kinds: &[TraceKind], network: &'a EthernetSpec) -> Trace<'a> {
        Trace {
            kinds: kinds.to_vec(),
            network,
            lines: None,
            capture: None,
        }
    }
}

impl Looks for Trace<'_> {
    fn begin(&mut self, directory: &mut RunDirectory) -> Result<(), String> {
        let network = self.network;
        if self.kinds.contains(&TraceKind::Csv) {
            let lines = |file| EthernetTrace::new(file, network);
            self.lines = Some(begun(directory, "trace.csv", lines)?);
        }
        if self.kinds.contains(&TraceKind::Pcapng) {
            let program = concat!("backwater ", env!("CARGO_PKG_VERSION"));
            let capture = |file| Capture::new(file, network, program);
            self.capture = Some(begun(directory, "trace.pcapng", capture)?);
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), String> {
        let lines = self.lines.as_mut().map_or(Ok(()), EthernetTrace::flush);
        let capture = self.capture.as_mut().map_or(Ok(()), Capture::flush);
        written(lines.and(capture))
    }

    fn finish(&mut self, at: u64) -> Result<(), String> {
        let lines = self.lines.take().map(EthernetTrace::finish).transpose();
        let capture = self.capture.take().map(|capture| capture.finish(Time(at)));
        written(lines.and(capture.transpose()).map(drop))
    }
}

impl<F> Tells<F> for Trace<'_> {}

impl Probe for Trace<'_> {
    fn on_frame_start(&mut self, at: Time, channel: u32, frame: &Frame<'_>) {
        self.lines.on_frame_start(at, channel, frame);
        self.capture.on_frame_start(at, channel, frame);
    }

    fn on_frame_arrival(&mut self, at: Time, channel: u32, frame: &Frame<'_>) {
        self.lines.on_frame_arrival(at, channel, frame);
    }

    fn on_frame_dropped(&mut self, at: Time, channel: u32, frame: &Frame<'_>, cause: LossCause) {
        self.lines.on_frame_dropped(at, channel, frame, cause);
    }

    fn on_gate(&mut self, at: Time, channel: u32, gate: Gate, is_stopped: bool) {
        self.lines.on_gate(at, channel, gate, is_stopped);
    }
}
