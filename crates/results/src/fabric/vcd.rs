//! Channels of a run of the cycle engine as waveforms: a value change dump (IEEE 1364, clause 18)
//! that GTKWave and Surfer show.
//!
//! A time unit of the dump is a cycle. Signals stand in the dump as they are once everything of the
//! cycle has happened, and only where they differ from the cycle before.

use std::io::{self, Write};

use backwater_flit::probe::{Crossing, Network, Probe};
use backwater_flit::spec::FabricSpec;

use super::FabricNames;
use crate::sink::Sink;
use crate::trace::TraceFile;

/// Signals of the flit that crosses a channel, and their bits; all but the first are as the last
/// flit left them while none crosses.
const FLIT: [(&str, u32); 8] = [
    ("valid", 1),
    ("head", 1),
    ("tail", 1),
    ("vc", 8),
    ("packet", 32),
    ("flit", 16),
    ("source", 32),
    ("destination", 32),
];
/// Bits of what a buffer holds and of its sender's credit.
const PLACES: u32 = 16;
/// Printable characters that make the short names of signals.
const LETTERS: u64 = 94;

/// A probe that writes what crosses each channel, and credit and fill of each virtual channel's
/// buffer.
#[derive(Debug)]
pub struct FabricVcd<'a, W: Write> {
    spec: &'a FabricSpec,
    file: Sink<W>,
    /// By channel and signal of its flit, as it was written last.
    flits: Vec<[u64; FLIT.len()]>,
    /// By channel and virtual channel: credit and fill.
    places: Vec<[u64; 2]>,
    /// Channels that carried a flit in the cycle before.
    carried: Vec<u32>,
    /// What has crossed in this cycle.
    crossings: Vec<Crossing>,
    /// The cycle whose line was written last.
    told: Option<u64>,
}

impl<'a, W: Write> FabricVcd<'a, W> {
    /// Of a run of this network; without a file yet.
    pub fn new(spec: &'a FabricSpec) -> FabricVcd<'a, W> {
        let channels = spec.graph.channels.len() + 2 * spec.graph.inject.len();
        FabricVcd {
            spec,
            file: Sink::new(None),
            flits: vec![[0; FLIT.len()]; channels],
            places: vec![[0; 2]; channels * usize::from(spec.router.lanes)],
            carried: Vec::new(),
            crossings: Vec::new(),
            told: None,
        }
    }

    /// Virtual channels with a buffer that is counted: terminals take all at once.
    fn lanes(&self, channel: u32) -> u32 {
        let graph = &self.spec.graph;
        let ejection = graph.channels.len() + graph.inject.len();
        match (channel as usize) < ejection {
            true => u32::from(self.spec.router.lanes),
            false => 0,
        }
    }

    fn place(&self, channel: u32, lane: u32) -> usize {
        channel as usize * usize::from(self.spec.router.lanes) + lane as usize
    }

    /// The number of a signal among all.
    fn signal(&self, channel: u32, signal: u32) -> u64 {
        let of_each = FLIT.len() as u64 + 2 * u64::from(self.spec.router.lanes);
        u64::from(channel) * of_each + u64::from(signal)
    }

    /// A signal has this value from this cycle on.
    fn set(&mut self, cycle: u64, bits: u32, value: u64, signal: u64) {
        let told = self.told.replace(cycle);
        self.file.write(|file| {
            if told != Some(cycle) {
                writeln!(file, "#{cycle}")?;
            }
            change(file, bits, value, signal)
        });
    }

    fn set_flit(&mut self, cycle: u64, channel: u32, values: [u64; FLIT.len()]) {
        let before = core::mem::replace(&mut self.flits[channel as usize], values);
        for (signal, (_, bits)) in (0..).zip(FLIT) {
            let value = values[signal as usize];
            if value != before[signal as usize] {
                self.set(cycle, bits, value, self.signal(channel, signal));
            }
        }
    }
}

impl<W: Write> TraceFile<W> for FabricVcd<'_, W> {
    const NAME: &'static str = "trace.vcd";

    /// All signals by channel.
    fn begin(&mut self, mut file: W, program: &str) -> io::Result<()> {
        writeln!(file, "$version {program} $end")?;
        writeln!(file, "$comment a time unit is a cycle $end")?;
        writeln!(file, "$timescale 1 ns $end")?;
        let names = FabricNames::new(&self.spec.graph);
        for channel in 0..self.flits.len() as u32 {
            let name = plain(&names.channel(channel));
            writeln!(file, "$scope module channel_{channel}_{name} $end")?;
            for (signal, (name, bits)) in (0..).zip(FLIT) {
                let short = short(self.signal(channel, signal));
                writeln!(file, "$var wire {bits} {short} {name} $end")?;
            }
            for lane in 0..self.lanes(channel) {
                for (number, name) in (0..).zip(["credit", "fill"]) {
                    let signal = FLIT.len() as u32 + 2 * lane + number;
                    let short = short(self.signal(channel, signal));
                    writeln!(file, "$var wire {PLACES} {short} {name}_vc{lane} $end")?;
                }
            }
            writeln!(file, "$upscope $end")?;
        }
        writeln!(file, "$enddefinitions $end")?;
        // vcd2fst drops values in front of an instant 0.
        writeln!(file, "#0")?;
        writeln!(file, "$dumpvars")?;
        for channel in 0..self.flits.len() as u32 {
            for (signal, (_, bits)) in (0..).zip(FLIT) {
                change(&mut file, bits, 0, self.signal(channel, signal))?;
            }
            for lane in 0..self.lanes(channel) {
                let depth = u64::from(self.spec.router.depth);
                for (number, value) in (0..).zip([depth, 0]) {
                    let signal = FLIT.len() as u32 + 2 * lane + number;
                    change(&mut file, PLACES, value, self.signal(channel, signal))?;
                }
                let place = self.place(channel, lane);
                self.places[place] = [depth, 0];
            }
        }
        writeln!(file, "$end")?;
        self.told = Some(0);
        self.file = Sink::new(Some(file));
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }

    fn finish(&mut self, cycles: u64) -> io::Result<()> {
        if self.told != Some(cycles) {
            self.file.write(|file| writeln!(file, "#{cycles}"));
        }
        self.flush()
    }
}

impl<W: Write> Probe for FabricVcd<'_, W> {
    fn on_crossing(&mut self, crossing: &Crossing) {
        self.crossings.push(*crossing);
    }

    fn after_cycle(&mut self, network: &Network<'_>) {
        let cycle = network.cycle();
        let mut crossings = core::mem::take(&mut self.crossings);
        crossings.sort_unstable_by_key(|crossing| crossing.channel);
        let carries: Vec<u32> = crossings.iter().map(|one| one.channel).collect();
        for channel in core::mem::replace(&mut self.carried, carries) {
            if self.carried.binary_search(&channel).is_err() {
                let mut values = self.flits[channel as usize];
                values[0] = 0;
                self.set_flit(cycle, channel, values);
            }
        }
        for crossing in crossings.drain(..) {
            let packet = &crossing.packet;
            let values = [
                1,
                u64::from(crossing.flit == 0),
                u64::from(crossing.flit + 1 == packet.length),
                u64::from(crossing.lane),
                u64::from(packet.number),
                u64::from(crossing.flit),
                u64::from(packet.source),
                u64::from(packet.destination),
            ];
            self.set_flit(cycle, crossing.channel, values);
        }
        self.crossings = crossings;
        for channel in 0..self.flits.len() as u32 {
            for lane in 0..self.lanes(channel) {
                let (credit, fill) = network.places(channel, lane);
                let now = [u64::from(credit), u64::from(fill)];
                let place = self.place(channel, lane);
                let before = core::mem::replace(&mut self.places[place], now);
                for number in 0..2 {
                    if now[number] != before[number] {
                        let signal = FLIT.len() as u32 + 2 * lane + number as u32;
                        let signal = self.signal(channel, signal);
                        self.set(cycle, PLACES, now[number], signal);
                    }
                }
            }
        }
    }
}

/// A value change.
fn change(file: &mut impl Write, bits: u32, value: u64, signal: u64) -> io::Result<()> {
    match bits {
        1 => writeln!(file, "{value}{}", short(signal)),
        _ => writeln!(file, "b{value:b} {}", short(signal)),
    }
}

/// The short name of a signal: its number in printable characters.
fn short(mut number: u64) -> String {
    let mut name = String::new();
    loop {
        name.push((b'!' + (number % LETTERS) as u8) as char);
        number /= LETTERS;
        if number == 0 {
            return name;
        }
        number -= 1;
    }
}

/// A name of letters, digits and underscores.
fn plain(name: &str) -> String {
    let name = name.replace(" -> ", "_to_");
    let keep = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let kept: String = name.chars().map(keep).collect();
    let words: Vec<&str> = kept.split('_').filter(|word| !word.is_empty()).collect();
    words.join("_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_differ_and_can_be_printed() {
        let names: std::collections::BTreeSet<String> = (0..20_000).map(short).collect();
        assert_eq!(names.len(), 20_000);
        let is_graphic = |name: &String| name.bytes().all(|byte| byte.is_ascii_graphic());
        assert!(names.iter().all(is_graphic));
    }

    #[test]
    fn names_are_words() {
        assert_eq!(plain("(x=3,y=4) -> (x=4,y=4)"), "x_3_y_4_to_x_4_y_4");
        assert_eq!(
            plain("terminal 5 -> S0.2 (port 1)"),
            "terminal_5_to_S0_2_port_1"
        );
    }
}
