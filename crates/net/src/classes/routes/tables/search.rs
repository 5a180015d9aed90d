//! Distances between rows of tables, from kind to kind.

use alloc::vec;
use alloc::vec::Vec;

use super::super::alike::Alike;
use super::Hop;
use crate::hop::unit::NONE;
use crate::spec::frames::EthernetSpec;

/// Distances from a row, and what is used from one search to the next.
pub(super) struct Search {
    pub alike: Alike,
    /// By kind: its rows.
    rows: Leaving,
    /// The channels between rows.
    between: Leaving,
    /// By kind: those that it is joined to.
    joined: Vec<Vec<u32>>,
    /// By kind: ways lead through it.
    forwards: Vec<bool>,
    /// By kind.
    distance: Vec<u32>,
    /// The same of kinds that ways may lead through or to.
    passable: Vec<u32>,
    /// In the order of their distance.
    pub reached: Vec<u32>,
    /// By kind: the kinds that ways led on to so far, and which were found last.
    known: Vec<(Vec<Vec<u32>>, usize)>,
}

/// Rows that no shortest way tells apart; each is of its own where the scenario gives ways.
pub(super) fn kinds(spec: &EthernetSpec, rows: (&[u32], usize), out: &[Option<Hop>]) -> Alike {
    alike(spec, &between(spec, rows), rows, out)
}

fn between(spec: &EthernetSpec, (rows, count): (&[u32], usize)) -> Leaving {
    let row = |node: u32| Some(rows[node as usize]).filter(|row| *row != NONE);
    let channels = channels(spec);
    let between = channels.filter_map(|(from, channel, to)| Some((row(from)?, channel, row(to)?)));
    Leaving::new(count, between)
}

fn alike(
    spec: &EthernetSpec,
    between: &Leaving,
    (rows, count): (&[u32], usize),
    out: &[Option<Hop>],
) -> Alike {
    if !spec.rules.routes.is_empty() {
        return Alike::none(count);
    }
    let mut is_target = vec![false; count];
    for (node, way) in (0..).zip(out) {
        let target = match way {
            Some(way) => way.switch,
            None if !spec.is_switch(node) => node,
            None => continue,
        };
        is_target[rows[target as usize] as usize] = true;
    }
    let around = |row: u32| between.of(row).iter().map(|(_, next)| *next);
    Alike::new(count, |row| is_target[row as usize], around)
}

impl Search {
    pub fn new(spec: &EthernetSpec, (rows, count): (&[u32], usize), out: &[Option<Hop>]) -> Search {
        let between = between(spec, (rows, count));
        let alike = alike(spec, &between, (rows, count), out);
        let kinds = alike.counts.len();
        let by_kind = (0..).zip(&alike.kinds).map(|(row, kind)| (*kind, row, 0));
        let by_kind = Leaving::new(kinds, by_kind);
        let mut forward = vec![false; kinds];
        for node in (0..rows.len() as u32).filter(|node| spec.forwards(*node)) {
            forward[alike.kinds[rows[node as usize] as usize] as usize] = true;
        }
        // All rows of a kind are joined to the same kinds.
        let joined = (0..kinds as u32).map(|kind| {
            let first = by_kind.of(kind)[0].0;
            let around = between.of(first).iter();
            let around = around.map(|(_, next)| alike.kinds[*next as usize]);
            let mut around: Vec<u32> = around.collect();
            around.sort_unstable();
            around.dedup();
            around
        });
        Search {
            joined: joined.collect(),
            rows: by_kind,
            between,
            forwards: forward,
            distance: vec![u32::MAX; kinds],
            passable: vec![u32::MAX; kinds],
            reached: Vec::new(),
            known: vec![(vec![Vec::new()], 0); kinds],
            alike,
        }
    }

    /// Searches outwards from a row that alone is of its kind, through what forwards.
    pub fn from(&mut self, target: u32) {
        for kind in self.reached.drain(..) {
            self.distance[kind as usize] = u32::MAX;
            self.passable[kind as usize] = u32::MAX;
        }
        let target = self.alike.kinds[target as usize];
        self.distance[target as usize] = 0;
        self.passable[target as usize] = 0;
        self.reached.push(target);
        let mut at = 0;
        while let Some(kind) = self.reached.get(at).copied() {
            at += 1;
            let Some(further) = self.passable[kind as usize].checked_add(1) else {
                continue;
            };
            for &next in &self.joined[kind as usize] {
                if self.distance[next as usize] == u32::MAX {
                    self.distance[next as usize] = further;
                    if self.forwards[next as usize] {
                        self.passable[next as usize] = further;
                    }
                    self.reached.push(next);
                }
            }
        }
    }

    /// The kinds by which ways lead on from one that was reached, in their order.
    pub fn nearer(&self, kind: u32, nearer: &mut Vec<u32>) {
        let distance = self.distance[kind as usize] - 1;
        let joined = self.joined[kind as usize].iter().copied();
        nearer.clear();
        nearer.extend(joined.filter(|next| self.passable[*next as usize] == distance));
    }

    /// Which of the sets of a kind these are that ways lead on to, and whether they are new. Most
    /// are those found last: the kinds upwards.
    pub fn choice(&mut self, kind: u32, nearer: &[u32]) -> (u32, bool) {
        let (sets, last) = &mut self.known[kind as usize];
        if sets[*last] == nearer {
            return (*last as u32, false);
        }
        let at = sets.iter().position(|known| known == nearer);
        *last = at.unwrap_or(sets.len());
        if at.is_none() {
            sets.push(nearer.to_vec());
        }
        (*last as u32, at.is_none())
    }

    pub fn rows_of(&self, kind: u32) -> impl Iterator<Item = u32> + use<'_> {
        self.rows.of(kind).iter().map(|(row, _)| *row)
    }

    /// The channels from a row to rows of these kinds.
    pub fn hops(&self, row: u32, nearer: &[u32]) -> impl Iterator<Item = u32> {
        let leaving = self.between.of(row).iter();
        let leads = |next: u32| {
            nearer
                .binary_search(&self.alike.kinds[next as usize])
                .is_ok()
        };
        leaving.filter_map(move |(channel, next)| leads(*next).then_some(*channel))
    }
}

/// All channels: where they leave, their number, where they lead.
pub(super) fn channels(spec: &EthernetSpec) -> impl Iterator<Item = (u32, u32, u32)> + Clone {
    let all = 0..spec.links.len() as u32 * 2;
    all.filter_map(|channel| spec.ends(channel).map(|(from, to)| (from, channel, to)))
}

/// Channels by where they leave, and where they lead, in their order.
pub(super) struct Leaving {
    first: Vec<u32>,
    channels: Vec<(u32, u32)>,
}

impl Leaving {
    /// Those of so many places; they come in their order.
    pub fn new(places: usize, channels: impl Iterator<Item = (u32, u32, u32)> + Clone) -> Leaving {
        // One more than there are places: where the next channel of each stands comes behind.
        let mut first = vec![0_u32; places + 2];
        for (from, ..) in channels.clone() {
            first[from as usize + 2] += 1;
        }
        for place in 1..=places {
            first[place + 1] += first[place];
        }
        let mut sorted = vec![(0, 0); first[places + 1] as usize];
        for (from, channel, to) in channels {
            let next = &mut first[from as usize + 1];
            sorted[*next as usize] = (channel, to);
            *next += 1;
        }
        Leaving {
            first,
            channels: sorted,
        }
    }

    pub fn of(&self, place: u32) -> &[(u32, u32)] {
        let (from, to) = (self.first[place as usize], self.first[place as usize + 1]);
        &self.channels[from as usize..to as usize]
    }
}
