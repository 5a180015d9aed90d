//! The file: packets of tracks, slices, counters and arrows, one after the other.

use std::io::{self, Write};

use backwater_kernel::Time;

use super::proto::Message;

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

/// Names that were told, by the list they belong to.
#[derive(Debug, Default)]
struct Told {
    words: Vec<&'static str>,
    flows: Vec<bool>,
}

/// Bytes that are collected before they go to the file, so that it ends with a whole packet
/// whenever the program ends.
const ENOUGH: usize = 1 << 15;

/// Writes a trace: what it collects, it writes at once.
#[derive(Debug)]
pub struct Writer<W: Write> {
    /// `None` before the file begins and after a failure.
    file: Option<W>,
    /// The file has begun: what can't be written is not kept.
    has_begun: bool,
    failure: Option<io::Error>,
    /// Packets to be written.
    packets: Message,
    /// Tracks so far: their numbers are 1, 2 and so on.
    tracks: u64,
    flows: Vec<String>,
    names: Told,
    texts: Told,
    categories: Told,
    arguments: Told,
}

impl<W: Write> Writer<W> {
    /// One without a file yet, which keeps what it is told; flows have these names.
    pub fn new(flows: Vec<String>) -> Writer<W> {
        let mut writer = Writer {
            file: None,
            has_begun: false,
            failure: None,
            packets: Message::default(),
            tracks: 0,
            flows,
            names: Told::default(),
            texts: Told::default(),
            categories: Told::default(),
            arguments: Told::default(),
        };
        writer.packets.nested(field::PACKET, |packet| {
            packet.uint(field::packet::SEQUENCE, 1);
            packet.uint(field::packet::SEQUENCE_FLAGS, ANEW);
        });
        writer
    }

    /// Begins the file.
    pub fn begin_file(&mut self, file: W) {
        (self.file, self.has_begun) = (Some(file), true);
    }

    /// Hands on what is still in memory.
    ///
    /// # Errors
    /// If it can't be written, or what came before could not.
    pub fn flush(&mut self) -> io::Result<()> {
        self.write_all();
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        self.file.as_mut().map_or(Ok(()), Write::flush)
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
        self.tell(slice);
        let name = self.names.number(slice.name);
        let category = self.categories.number(Name::Word(slice.category));
        let (arguments, texts) = (&self.arguments, &self.texts);
        event(&mut self.packets, at, |event| {
            event.uint(field::event::TYPE, kind);
            event.uint(field::event::TRACK, track);
            event.uint(field::event::NAME, name);
            event.uint(field::event::CATEGORY, category);
            for (what, value) in slice.arguments {
                event.nested(field::event::ARGUMENT, |argument| {
                    let what = arguments.number(Name::Word(what));
                    argument.uint(field::argument::NAME, what);
                    match *value {
                        Value::Number(number) => argument.uint(field::argument::NUMBER, number),
                        Value::Flow(flow) => {
                            let text = texts.number(Name::Flow(flow));
                            argument.uint(field::argument::TEXT, text);
                        }
                    }
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

    /// Names that are new are told before they are used.
    fn tell(&mut self, slice: &Slice<'_>) {
        self.tell_name(slice.name);
        if self.categories.is_new(Name::Word(slice.category)) {
            self.tell_one(field::interned::CATEGORIES, Name::Word(slice.category));
        }
        for (what, value) in slice.arguments {
            if self.arguments.is_new(Name::Word(what)) {
                self.tell_one(field::interned::ARGUMENTS, Name::Word(what));
            }
            if let Value::Flow(flow) = *value
                && self.texts.is_new(Name::Flow(flow))
            {
                self.tell_one(field::interned::TEXTS, Name::Flow(flow));
            }
        }
    }

    fn tell_name(&mut self, name: Name) {
        if self.names.is_new(name) {
            self.tell_one(field::interned::NAMES, name);
        }
    }

    fn tell_one(&mut self, list: u64, name: Name) {
        let told = match list {
            field::interned::NAMES => &self.names,
            field::interned::CATEGORIES => &self.categories,
            field::interned::ARGUMENTS => &self.arguments,
            _ => &self.texts,
        };
        let number = told.number(name);
        let text = match name {
            Name::Word(word) => word,
            Name::Flow(flow) => self.flows.get(flow as usize).map_or("", String::as_str),
        };
        self.packets.nested(field::PACKET, |packet| {
            packet.uint(field::packet::SEQUENCE, 1);
            packet.uint(field::packet::SEQUENCE_FLAGS, NEEDS_NAMES);
            packet.nested(field::packet::INTERNED, |interned| {
                interned.nested(list, |one| {
                    one.uint(field::interned::ID, number);
                    one.text(field::interned::STRING, text);
                });
            });
        });
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
        if !self.has_begun {
            return;
        }
        if let Some(file) = &mut self.file
            && let Err(error) = file.write_all(self.packets.bytes())
        {
            self.failure = Some(error);
            self.file = None;
        }
        self.packets.clear();
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
    /// Is it used for the first time?
    fn is_new(&mut self, name: Name) -> bool {
        match name {
            Name::Word(word) => {
                let is_new = !self.words.contains(&word);
                if is_new {
                    self.words.push(word);
                }
                is_new
            }
            Name::Flow(flow) => {
                let flow = flow as usize;
                if self.flows.len() <= flow {
                    self.flows.resize(flow + 1, false);
                }
                !core::mem::replace(&mut self.flows[flow], true)
            }
        }
    }

    /// Its number, once it was told.
    fn number(&self, name: Name) -> u64 {
        match name {
            Name::Word(word) => {
                let place = self.words.iter().position(|known| *known == word);
                place.map_or(0, |place| place as u64 + 1)
            }
            Name::Flow(flow) => FLOWS + u64::from(flow),
        }
    }
}
