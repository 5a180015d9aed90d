//! The file: packets of tracks, slices, counters and arrows, one after the other.

use std::io::{self, Write};

use backwater_kernel::Time;

use super::proto::Message;
use crate::sink::Sink;

/// Numbers of fields in Perfetto's `trace_packet.proto` and what it includes.
mod field {
    pub const PACKET: u64 = 1;
    pub mod packet {
        pub const TIMESTAMP: u64 = 8;
        pub const SEQUENCE: u64 = 10;
        pub const TRACK_EVENT: u64 = 11;
        pub const INTERNED: u64 = 12;
        pub const SEQUENCE_FLAGS: u64 = 13;
        pub const TRACK: u64 = 60;
    }
    pub mod track {
        pub const UUID: u64 = 1;
        pub const NAME: u64 = 2;
        pub const PROCESS: u64 = 3;
        pub const PARENT: u64 = 5;
        pub const COUNTER: u64 = 8;
    }
    pub mod process {
        pub const PID: u64 = 1;
        pub const NAME: u64 = 6;
    }
    pub const COUNTER_UNIT: u64 = 6;
    pub mod event {
        pub const CATEGORY: u64 = 3;
        pub const ARGUMENT: u64 = 4;
        pub const TYPE: u64 = 9;
        pub const NAME: u64 = 10;
        pub const TRACK: u64 = 11;
        pub const VALUE: u64 = 30;
        pub const FLOW: u64 = 47;
        pub const LAST_OF_FLOW: u64 = 48;
    }
    pub mod argument {
        pub const NAME: u64 = 1;
        pub const NUMBER: u64 = 3;
        pub const TEXT: u64 = 17;
    }
    pub mod interned {
        pub const CATEGORIES: u64 = 1;
        pub const NAMES: u64 = 2;
        pub const ARGUMENTS: u64 = 3;
        pub const TEXTS: u64 = 29;
        pub const ID: u64 = 1;
        pub const STRING: u64 = 2;
    }
}

const BEGIN: u64 = 1;
const END: u64 = 2;
const INSTANT: u64 = 3;
const COUNTER: u64 = 4;

/// Names are told from here on, once each; and those told before are needed.
const ANEW: u64 = 1;
const NEEDS_NAMES: u64 = 2;

/// Names of flows have numbers from here on, words of the program those below.
const FLOWS: u64 = 64;

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Name {
    /// A word of the program.
    Word(&'static str),
    /// A flow.
    Flow(u32),
}

/// What is said of a slice beside its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    /// A number.
    Number(u64),
    /// The name of a flow.
    Flow(u32),
}

/// A slice or an instant.
#[derive(Clone, Copy, Debug)]
pub struct Slice<'a> {
    /// Its name.
    pub name: Name,
    /// What it is.
    pub category: &'static str,
    /// What else is said of it.
    pub arguments: &'a [(&'static str, Value)],
    /// An arrow begins here.
    pub from: Option<u64>,
    /// An arrow ends here.
    pub to: Option<u64>,
}

impl Slice<'_> {
    /// One of which nothing else is said.
    pub fn plain(word: &'static str) -> Slice<'static> {
        Slice {
            name: Name::Word(word),
            category: word,
            arguments: &[],
            from: None,
            to: None,
        }
    }
}

/// Names that were told of a list.
#[derive(Debug, Default)]
struct Told {
    list: u64,
    words: Vec<&'static str>,
    flows: Vec<bool>,
}

/// Bytes that are collected before they go to the file, so that it ends with a whole packet
/// whenever the program ends.
const ENOUGH: usize = 1 << 15;

/// Writes a trace: what it collects, it writes at once.
#[derive(Debug)]
pub struct Writer<W: Write> {
    file: Sink<W>,
    /// The file has begun: what can't be written is not kept.
    has_begun: bool,
    /// Packets to be written.
    packets: Message,
    /// Tracks so far: their numbers are 1, 2 and so on.
    tracks: u64,
    flows: Vec<String>,
    names: Told,
    texts: Told,
    categories: Told,
    arguments: Told,
    /// Numbers of what is said of the slice at hand: its name, the field of its value, and that.
    said: Vec<(u64, u64, u64)>,
}

impl<W: Write> Writer<W> {
    /// One without a file yet, which keeps what it is told; flows have these names.
    pub fn new(flows: Vec<String>) -> Writer<W> {
        let mut writer = Writer {
            file: Sink::new(None),
            has_begun: false,
            packets: Message::default(),
            tracks: 0,
            flows,
            names: Told::of(field::interned::NAMES),
            texts: Told::of(field::interned::TEXTS),
            categories: Told::of(field::interned::CATEGORIES),
            arguments: Told::of(field::interned::ARGUMENTS),
            said: Vec::new(),
        };
        writer.packets.nested(field::PACKET, |packet| {
            packet.uint(field::packet::SEQUENCE, 1);
            packet.uint(field::packet::SEQUENCE_FLAGS, ANEW);
        });
        writer
    }

    /// Begins the file.
    pub fn begin_file(&mut self, file: W) {
        (self.file, self.has_begun) = (Sink::new(Some(file)), true);
    }

    /// Hands on what is still in memory.
    ///
    /// # Errors
    /// If it can't be written, or what came before could not.
    pub fn flush(&mut self) -> io::Result<()> {
        self.write_all();
        self.file.flush()
    }

    /// A track that stands for a node and holds those of its ports.
    pub fn node(&mut self, number: u32, name: &str) -> u64 {
        self.track(|track| {
            track.nested(field::track::PROCESS, |process| {
                process.uint(field::process::PID, u64::from(number) + 1);
                process.text(field::process::NAME, name);
            });
        })
    }

    /// A track of slices below another.
    pub fn slices(&mut self, parent: u64, name: &str) -> u64 {
        self.track(|track| {
            track.text(field::track::NAME, name);
            track.uint(field::track::PARENT, parent);
        })
    }

    /// A track of a number over time below another.
    pub fn counter(&mut self, parent: u64, name: &str, unit: &str) -> u64 {
        self.track(|track| {
            track.text(field::track::NAME, name);
            track.uint(field::track::PARENT, parent);
            track.nested(field::track::COUNTER, |counter| {
                counter.text(field::COUNTER_UNIT, unit);
            });
        })
    }

    fn track(&mut self, fill: impl FnOnce(&mut Message)) -> u64 {
        self.tracks += 1;
        let number = self.tracks;
        self.packets.nested(field::PACKET, |packet| {
            packet.uint(field::packet::SEQUENCE, 1);
            packet.nested(field::packet::TRACK, |track| {
                track.uint(field::track::UUID, number);
                fill(track);
            });
        });
        self.write();
        number
    }

    /// A slice begins.
    pub fn begin(&mut self, at: Time, track: u64, slice: &Slice<'_>) {
        self.slice(at, track, slice, BEGIN);
    }

    /// The slice that began last on a track, and has not ended, ends.
    pub fn end(&mut self, at: Time, track: u64) {
        self.event(at, |event| {
            event.uint(field::event::TYPE, END);
            event.uint(field::event::TRACK, track);
        });
    }

    /// Something happens that takes no time.
    pub fn instant(&mut self, at: Time, track: u64, slice: &Slice<'_>) {
        self.slice(at, track, slice, INSTANT);
    }

    /// A counter has this value from now on.
    pub fn value(&mut self, at: Time, track: u64, value: i64) {
        self.event(at, |event| {
            event.uint(field::event::TYPE, COUNTER);
            event.uint(field::event::TRACK, track);
            event.int(field::event::VALUE, value);
        });
    }

    fn slice(&mut self, at: Time, track: u64, slice: &Slice<'_>, kind: u64) {
        let Writer {
            packets,
            flows,
            said,
            ..
        } = self;
        let name = self.names.number(slice.name, flows, packets);
        let category = Name::Word(slice.category);
        let category = self.categories.number(category, flows, packets);
        said.clear();
        for (what, value) in slice.arguments {
            let what = self.arguments.number(Name::Word(what), flows, packets);
            said.push(match *value {
                Value::Number(number) => (what, field::argument::NUMBER, number),
                Value::Flow(flow) => {
                    let text = self.texts.number(Name::Flow(flow), flows, packets);
                    (what, field::argument::TEXT, text)
                }
            });
        }
        event(packets, at, |event| {
            event.uint(field::event::TYPE, kind);
            event.uint(field::event::TRACK, track);
            event.uint(field::event::NAME, name);
            event.uint(field::event::CATEGORY, category);
            for (what, field, value) in said {
                event.nested(field::event::ARGUMENT, |argument| {
                    argument.uint(field::argument::NAME, *what);
                    argument.uint(*field, *value);
                });
            }
            if let Some(arrow) = slice.from {
                event.fixed(field::event::FLOW, arrow);
            }
            if let Some(arrow) = slice.to {
                event.fixed(field::event::LAST_OF_FLOW, arrow);
            }
        });
        self.write();
    }

    fn event(&mut self, at: Time, fill: impl FnOnce(&mut Message)) {
        event(&mut self.packets, at, fill);
        self.write();
    }

    fn write(&mut self) {
        if self.has_begun && self.packets.bytes().len() >= ENOUGH {
            self.write_all();
        }
    }

    fn write_all(&mut self) {
        if self.has_begun {
            let packets = self.packets.bytes();
            self.file.write(|file| file.write_all(packets));
            self.packets.clear();
        }
    }
}

/// A packet with an event; stamps count nanoseconds, what is below is cut off.
fn event(message: &mut Message, at: Time, fill: impl FnOnce(&mut Message)) {
    message.nested(field::PACKET, |packet| {
        packet.uint(field::packet::TIMESTAMP, at.ps() / 1000);
        packet.uint(field::packet::SEQUENCE, 1);
        packet.uint(field::packet::SEQUENCE_FLAGS, NEEDS_NAMES);
        packet.nested(field::packet::TRACK_EVENT, fill);
    });
}

impl Told {
    fn of(list: u64) -> Told {
        Told {
            list,
            ..Told::default()
        }
    }

    /// The number of a name. One that is new is told before it is used.
    fn number(&mut self, name: Name, flows: &[String], packets: &mut Message) -> u64 {
        let (number, text) = match name {
            Name::Word(word) => {
                if let Some(place) = self.words.iter().position(|known| *known == word) {
                    return place as u64 + 1;
                }
                self.words.push(word);
                (self.words.len() as u64, word)
            }
            Name::Flow(flow) => {
                let (number, flow) = (FLOWS + u64::from(flow), flow as usize);
                if self.flows.len() <= flow {
                    self.flows.resize(flow + 1, false);
                }
                if core::mem::replace(&mut self.flows[flow], true) {
                    return number;
                }
                (number, flows.get(flow).map_or("", String::as_str))
            }
        };
        packets.nested(field::PACKET, |packet| {
            packet.uint(field::packet::SEQUENCE, 1);
            packet.uint(field::packet::SEQUENCE_FLAGS, NEEDS_NAMES);
            packet.nested(field::packet::INTERNED, |interned| {
                interned.nested(self.list, |one| {
                    one.uint(field::interned::ID, number);
                    one.text(field::interned::STRING, text);
                });
            });
        });
        number
    }
}
