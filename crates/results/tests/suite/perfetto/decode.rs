//! A reader of traces for Perfetto, for tests: by the numbers of fields, as published.

use std::collections::BTreeMap;

/// A slice of a track, ns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slice {
    pub from: u64,
    pub to: u64,
    pub name: String,
    /// The name of the slice an arrow comes from, and of its track.
    pub by: Option<(String, String)>,
}

/// What a trace shows, by the path of its track.
#[derive(Debug, Default)]
pub struct Trace {
    pub slices: BTreeMap<String, Vec<Slice>>,
    /// Instant, ns, and value.
    pub counters: BTreeMap<String, Vec<(u64, i64)>>,
}

#[derive(Clone, Copy)]
enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

struct Track {
    name: String,
    parent: Option<u64>,
}

struct Event<'a> {
    at: u64,
    fields: Vec<(u64, Value<'a>)>,
}

fn varint(bytes: &mut &[u8]) -> Result<u64, String> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (first, rest) = bytes.split_first().ok_or("a number is cut off")?;
        *bytes = rest;
        value |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err("a number is too long".into())
}

fn fields(mut bytes: &[u8]) -> Result<Vec<(u64, Value<'_>)>, String> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let tag = varint(&mut bytes)?;
        let value = match tag & 7 {
            0 => Value::Number(varint(&mut bytes)?),
            1 => {
                let (own, rest) = bytes.split_at_checked(8).ok_or("8 bytes are cut off")?;
                bytes = rest;
                let own = own.try_into().map_err(|_| "8 bytes")?;
                Value::Number(u64::from_le_bytes(own))
            }
            2 => {
                let length = varint(&mut bytes)? as usize;
                let split = bytes.split_at_checked(length);
                let (own, rest) = split.ok_or("a message is cut off")?;
                bytes = rest;
                Value::Bytes(own)
            }
            kind => return Err(format!("kind {kind} of field {}", tag >> 3)),
        };
        found.push((tag >> 3, value));
    }
    Ok(found)
}

fn number(fields: &[(u64, Value<'_>)], field: u64) -> Option<u64> {
    let mut numbers = fields.iter().filter_map(|one| match one {
        (own, Value::Number(number)) if *own == field => Some(*number),
        _ => None,
    });
    numbers.next_back()
}

fn bytes<'a>(fields: &[(u64, Value<'a>)], field: u64) -> Option<&'a [u8]> {
    let mut all = fields.iter().filter_map(|one| match one {
        (own, Value::Bytes(bytes)) if *own == field => Some(*bytes),
        _ => None,
    });
    all.next_back()
}

fn text(fields: &[(u64, Value<'_>)], field: u64) -> Option<String> {
    bytes(fields, field).map(|bytes| String::from_utf8_lossy(bytes).into_owned())
}

/// A trace while it is read.
#[derive(Default)]
struct Reader<'a> {
    tracks: BTreeMap<u64, Track>,
    names: BTreeMap<u64, String>,
    events: Vec<Event<'a>>,
}

impl<'a> Reader<'a> {
    fn packet(&mut self, packet: &'a [u8]) -> Result<(), String> {
        let packet = fields(packet)?;
        if let Some(track) = bytes(&packet, 60) {
            let track = fields(track)?;
            let process = fields(bytes(&track, 3).unwrap_or(&[]))?;
            let name = text(&track, 2).or(text(&process, 6));
            let (name, parent) = (name.ok_or("a track without a name")?, number(&track, 5));
            let id = number(&track, 1).ok_or("a track without a number")?;
            if parent.is_some_and(|parent| !self.tracks.contains_key(&parent)) {
                return Err(format!("`{name}` has no parent"));
            }
            self.tracks.insert(id, Track { name, parent });
        }
        if let Some(interned) = bytes(&packet, 12) {
            let interned = fields(interned)?;
            if let Some(name) = bytes(&interned, 2) {
                let name = fields(name)?;
                let id = number(&name, 1).ok_or("a name without a number")?;
                self.names
                    .insert(id, text(&name, 2).ok_or("no text of a name")?);
            }
        }
        if let Some(event) = bytes(&packet, 11) {
            let at = number(&packet, 8).ok_or("an event without an instant")?;
            let fields = fields(event)?;
            self.events.push(Event { at, fields });
        }
        Ok(())
    }

    fn path(&self, track: u64) -> Result<String, String> {
        let own = self.tracks.get(&track).ok_or("an unknown track")?;
        Ok(match own.parent {
            Some(parent) => format!("{}/{}", self.path(parent)?, own.name),
            None => own.name.clone(),
        })
    }
}

/// What a trace shows. Slices of a track follow each other, and an arrow goes forward.
pub fn read(content: &[u8]) -> Result<Trace, String> {
    let mut reader = Reader::default();
    for (field, value) in fields(content)? {
        match (field, value) {
            (1, Value::Bytes(packet)) => reader.packet(packet)?,
            _ => return Err(format!("field {field} is no packet")),
        }
    }
    reader.events.sort_by_key(|event| event.at);
    let mut trace = Trace::default();
    let mut open: BTreeMap<String, Slice> = BTreeMap::new();
    let mut arrows = BTreeMap::new();
    for event in &reader.events {
        let (at, own) = (event.at, &event.fields);
        let path = reader.path(number(own, 11).ok_or("an event of no track")?)?;
        let name = number(own, 10).map(|id| reader.names.get(&id).cloned());
        match number(own, 9) {
            Some(1) => {
                let name = name.flatten().ok_or("a slice without a name")?;
                if let Some(arrow) = number(own, 47) {
                    arrows.insert(arrow, (path.clone(), name.clone()));
                }
                let by = number(own, 48).map(|arrow| arrows.get(&arrow).cloned());
                if by == Some(None) {
                    return Err(format!("{path}: an arrow from nowhere at {at}"));
                }
                let slice = Slice {
                    from: at,
                    to: 0,
                    name,
                    by: by.flatten(),
                };
                if open.insert(path.clone(), slice).is_some() {
                    return Err(format!("{path}: slices overlap at {at}"));
                }
            }
            Some(2) => {
                let mut slice = open
                    .remove(&path)
                    .ok_or_else(|| format!("{path}: an end without a beginning at {at}"))?;
                slice.to = at;
                trace.slices.entry(path).or_default().push(slice);
            }
            Some(4) => {
                let value = number(own, 30).ok_or("a counter without a value")? as i64;
                trace.counters.entry(path).or_default().push((at, value));
            }
            kind => return Err(format!("{path}: kind {kind:?} of event")),
        }
    }
    match open.keys().next() {
        Some(path) => Err(format!("{path}: a slice without an end")),
        None => Ok(trace),
    }
}
