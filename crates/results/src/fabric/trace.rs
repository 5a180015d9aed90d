//! Every flit on every channel of a run of the cycle engine, as CSV.

use std::io::{self, Write};

use backwater_flit::probe::{Crossing, Probe, TraceProbe};
use backwater_flit::spec::FabricSpec;

use crate::csv;
use crate::sink::Sink;
use crate::trace::TraceFile;

/// Header row of a trace.
const HEADER: &str = "cycle,channel,vc,source,destination,birth,class,flit,flits";

/// A probe that writes a line for each flit that crosses a channel.
#[derive(Debug)]
pub struct FabricTrace<W: Write> {
    file: Sink<W>,
    /// What is written when a slice is over, in order.
    collected: TraceProbe,
    /// By class, as CSV fields.
    classes: Vec<String>,
}

impl<W: Write> FabricTrace<W> {
    /// Of a run of this network; without a file yet.
    pub fn new(spec: &FabricSpec) -> FabricTrace<W> {
        let classes = spec.classes.iter();
        FabricTrace {
            file: Sink::new(None),
            collected: TraceProbe::default(),
            classes: classes.map(|class| csv::field(&class.name)).collect(),
        }
    }

    fn line(&mut self, crossing: &Crossing) {
        let packet = &crossing.packet;
        let class = self.classes.get(usize::from(packet.class));
        let class = class.map_or("", String::as_str);
        self.file.write(|file| {
            write!(
                file,
                "{},{},{},{},{},{},{class},{},{}\n",
                crossing.cycle,
                crossing.channel,
                crossing.lane,
                packet.source,
                packet.destination,
                packet.birth,
                crossing.flit,
                packet.length
            )
        });
    }
}

impl<W: Write> TraceFile<W> for FabricTrace<W> {
    const NAME: &'static str = "trace.csv";

    fn begin(&mut self, file: W, _: &str) -> io::Result<()> {
        self.file = Sink::with_header(file, HEADER)?;
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        for crossing in self.collected.take() {
            self.line(&crossing);
        }
        self.file.flush()
    }
}

impl<W: Write> Probe for FabricTrace<W> {
    fn on_crossing(&mut self, crossing: &Crossing) {
        self.collected.on_crossing(crossing);
    }
}
