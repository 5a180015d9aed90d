//! The trace of a run of the Ethernet engine on its way to a file.

use backwater_kernel::Time;
use backwater_net::frames::probe::{FrameView, Gate, LossCause, Probe};
use backwater_net::frames::spec::EthernetSpec;
use backwater_results::{Capture, EthernetTrace, RunDirectory};

use super::super::trace::{File, begun, written};
use super::super::{Looks, Tells, TraceKind};

/// The trace, and of what it is.
pub struct Trace<'a> {
    kind: TraceKind,
    network: &'a EthernetSpec,
    form: Option<Form>,
}

/// In either form.
enum Form {
    /// Lines.
    Csv(EthernetTrace<File>),
    /// Frames.
    Pcapng(Capture<File>),
}

impl<'a> Trace<'a> {
    /// Of a run of this network; its file begins with the run.
    pub fn new(kind: TraceKind, network: &'a EthernetSpec) -> Trace<'a> {
        Trace {
            kind,
            network,
            form: None,
        }
    }
}

impl Looks for Trace<'_> {
    fn begin(&mut self, directory: &mut RunDirectory) -> Result<(), String> {
        let network = self.network;
        self.form = Some(match self.kind {
            TraceKind::Csv => Form::Csv(begun(directory, "trace.csv", |file| {
                EthernetTrace::new(file, network)
            })?),
            TraceKind::Pcapng => Form::Pcapng(begun(directory, "trace.pcapng", |file| {
                let program = concat!("backwater ", env!("CARGO_PKG_VERSION"));
                Capture::new(file, network, program)
            })?),
        });
        Ok(())
    }

    fn flush(&mut self) -> Result<(), String> {
        written(match &mut self.form {
            Some(Form::Csv(trace)) => trace.flush(),
            Some(Form::Pcapng(capture)) => capture.flush(),
            None => Ok(()),
        })
    }

    fn finish(&mut self, at: u64) -> Result<(), String> {
        written(match self.form.take() {
            Some(Form::Csv(trace)) => trace.finish().map(drop),
            Some(Form::Pcapng(capture)) => capture.finish(Time(at)).map(drop),
            None => Ok(()),
        })
    }
}

impl<F> Tells<F> for Trace<'_> {}

impl Probe for Trace<'_> {
    fn on_frame_start(&mut self, at: Time, channel: u32, frame: &FrameView) {
        match &mut self.form {
            Some(Form::Csv(trace)) => trace.on_frame_start(at, channel, frame),
            Some(Form::Pcapng(capture)) => capture.on_frame_start(at, channel, frame),
            None => {}
        }
    }

    fn on_frame_arrival(&mut self, at: Time, channel: u32, frame: &FrameView) {
        if let Some(Form::Csv(trace)) = &mut self.form {
            trace.on_frame_arrival(at, channel, frame);
        }
    }

    fn on_frame_dropped(&mut self, at: Time, channel: u32, frame: &FrameView, cause: LossCause) {
        if let Some(Form::Csv(trace)) = &mut self.form {
            trace.on_frame_dropped(at, channel, frame, cause);
        }
    }

    fn on_gate(&mut self, at: Time, channel: u32, gate: Gate, is_stopped: bool) {
        if let Some(Form::Csv(trace)) = &mut self.form {
            trace.on_gate(at, channel, gate, is_stopped);
        }
    }
}
