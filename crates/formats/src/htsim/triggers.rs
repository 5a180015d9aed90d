//! What triggers of a connection matrix say: which connection begins after which.
//!
//! A oneshot fires all of its connections at the first hit and must not be hit again; a multishot
//! fires one of them at each hit, in their order; a barrier fires all at hit `count`.

use std::collections::BTreeMap;

use backwater_kernel::words::counted;

use crate::{FileError, Happened, ListedFlow, Wait};

/// A connection.
pub(super) struct Conn {
    pub line: u32,
    pub source: u32,
    pub destination: u32,
    pub bytes: u64,
    pub start_ps: Option<u64>,
    pub id: Option<u64>,
    /// Starts it.
    pub trigger: Option<u64>,
    /// Triggers that it hits, and when.
    pub fires: Vec<(u64, Happened)>,
}

impl Conn {
    pub(super) fn new(line: u32, source: u32, destination: u32) -> Self {
        Self {
            line,
            source,
            destination,
            bytes: 0,
            start_ps: None,
            id: None,
            trigger: None,
            fires: Vec::new(),
        }
    }
}

impl Conn {
    /// The flow that it is, which waits for these.
    pub(super) fn flow(self, after: Vec<Wait>) -> ListedFlow {
        ListedFlow {
            line: self.line,
            source: self.source,
            destination: self.destination,
            class: None,
            bytes: self.bytes,
            start_ps: self.start_ps.unwrap_or_default(),
            id: self.id,
            after,
        }
    }
}

/// A trigger.
pub(super) struct Trigger {
    pub line: u32,
    /// `oneshot`, `multishot` or `barrier`.
    pub kind: String,
    pub count: Option<u64>,
}

/// What each connection waits for.
pub(super) fn connect(
    conns: &[Conn],
    triggers: &BTreeMap<u64, Trigger>,
) -> Result<Vec<Vec<Wait>>, FileError> {
    let mut hits: BTreeMap<u64, Vec<Wait>> = BTreeMap::new();
    for (flow, conn) in (0_u32..).zip(conns) {
        for (trigger, what) in &conn.fires {
            if !triggers.contains_key(trigger) {
                return Err(unknown(conn.line, *trigger));
            }
            let hit = Wait { flow, what: *what };
            hits.entry(*trigger).or_default().push(hit);
        }
    }
    let mut fired: BTreeMap<u64, u32> = BTreeMap::new();
    let waits = conns.iter().map(|conn| {
        let Some(trigger) = conn.trigger else {
            return Ok(Vec::new());
        };
        let known = triggers
            .get(&trigger)
            .ok_or_else(|| unknown(conn.line, trigger))?;
        let hits = hits.get(&trigger).map_or(&[][..], |hits| hits);
        let turn = fired.entry(trigger).or_default();
        *turn += 1;
        can_be_said(conn.line, (trigger, known), (hits.len(), *turn))?;
        Ok(hits.to_vec())
    });
    waits.collect()
}

/// When it fires is known before the run: once all of its hits have come.
fn can_be_said(
    line: u32,
    (id, trigger): (u64, &Trigger),
    (hits, turn): (usize, u32),
) -> Result<(), FileError> {
    let at = trigger.line;
    let kind = &*trigger.kind;
    let by = counted(hits, "connection");
    if hits == 0 {
        let message = format!("it waits for trigger {id}, which no connection hits");
        return Err(FileError::new(line, message)
            .allowed("a trigger that a `send_done_trigger` or `recv_done_trigger` names"));
    }
    match kind {
        "barrier" => {
            let count = trigger.count.ok_or_else(|| {
                FileError::new(at, format!("barrier {id} without `count`"))
                    .allowed(format!("`count {hits}`: the connections that hit it"))
            })?;
            if count != hits as u64 {
                let message = format!("barrier {id} waits for {count} hits, and {by} can hit it");
                return Err(FileError::new(at, message).allowed(format!("`count {hits}`")));
            }
        }
        "multishot" if hits == 1 && turn > 1 => {
            let message = format!("multishot {id} is hit once, which starts the first it has");
            return Err(FileError::new(line, message).allowed("one connection that waits for it"));
        }
        _ if hits > 1 => {
            let message = format!(
                "{kind} {id} is hit by {by}: what comes first, and so what it starts when, is only \
                 known in the run"
            );
            return Err(FileError::new(at, message)
                .allowed("a oneshot or multishot that one connection hits, or a barrier")
                .hint("give each connection a trigger of its own, or take a barrier"));
        }
        _ => {}
    }
    Ok(())
}

fn unknown(line: u32, trigger: u64) -> FileError {
    FileError::new(line, format!("there is no trigger {trigger}")).allowed(format!(
        "a trigger of the file: `trigger id {trigger} oneshot`"
    ))
}
