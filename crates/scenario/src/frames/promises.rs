//! What lossless classes promise, and where the file gives it up.
//!
//! A class under flow control loses nothing, at any node. One word gives that up, for the classes
//! and places it names: `headroom = "unchecked"`.

use std::collections::{BTreeMap, BTreeSet};

use backwater_kernel::words::counted;
use backwater_net::frames::spec::{CLASSES_MAX, EthernetSpec, NodeKind};

use super::controls::Controls;
use super::net::Net;
use crate::given::frames::flow_control::Headroom;
use crate::given::frames::switch::Classes;
use crate::prelude::*;

use super::controls::Mask;

/// Whole classes that may lose frames because the file says so.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GivenUp {
    /// A bit for each class.
    pub classes: Mask,
    /// Nodes where it may be lost, in their order.
    pub nodes: Vec<u32>,
    /// What says so and where, as `scenario.toml:12: headroom = "unchecked"`.
    pub by: String,
}

/// A pool that is enough for so many inputs at once, but not for all.
pub(crate) struct Oversold {
    /// The switch.
    pub node: u32,
    /// Classes of its inputs, a bit each.
    pub classes: Mask,
    /// Any so many of them have enough,
    pub safe: u64,
    /// of so many.
    pub inputs: u64,
    /// Where the file says how much there is.
    pub at: At,
    /// What all need at once,
    pub needs: u64,
    /// what there is,
    pub has: u64,
    /// and the name of the pool, if it has one.
    pub pool: Option<String>,
}

impl Oversold {
    /// What the pool is enough for.
    pub(crate) fn words(&self) -> String {
        format!(
            "headroom for {} of {} at once",
            self.safe,
            counted(self.inputs, "input")
        )
    }
}

/// Where the file speaks of the promise.
pub(crate) struct Consent {
    /// The last that names a node and class decides.
    words: Vec<Word>,
    lossless: Mask,
    /// Classes that a switch may drop, since nothing holds them back over some link.
    open: Vec<Mask>,
}

/// One `headroom`.
struct Word {
    /// `None` names every class.
    class: Option<u8>,
    /// `None` names every node.
    nodes: Option<BTreeSet<u32>>,
    is_unchecked: bool,
    at: At,
}

impl Word {
    fn names(&self, node: u32, class: u8) -> bool {
        let nodes = self.nodes.as_ref();
        self.class.is_none_or(|own| own == class) && nodes.is_none_or(|own| own.contains(&node))
    }
}

impl Consent {
    pub(crate) fn read(controls: &Controls<'_>, mistakes: &mut Diagnostics) -> Self {
        let (file, net) = (controls.file, controls.net);
        let general = file.flow_control.headroom();
        let general = general.filter(|headroom| headroom.is_given);
        let general = general.map(|headroom| Word {
            class: None,
            nodes: None,
            is_unchecked: **headroom == Headroom::Unchecked,
            at: headroom.at.clone(),
        });
        let of_class = |own: &Placed<Classes>| {
            let headroom = (*own.headroom)?;
            Some(Word {
                class: own.class.sure().copied(),
                nodes: places(&own.headroom_at, net, mistakes),
                is_unchecked: headroom == Headroom::Unchecked,
                at: own.headroom.at.clone(),
            })
        };
        let of_classes = file.classes.iter().filter_map(of_class);
        let mut words: Vec<Word> = general.into_iter().collect();
        words.extend(of_links(controls));
        words.extend(of_classes);
        let lossless = controls.ports.lossless | controls.all_held();
        for own in &file.classes {
            without_meaning(own, lossless, mistakes);
        }
        Self {
            words,
            lossless,
            open: controls.open(),
        }
    }

    /// What gives up that the class loses nothing at a node.
    fn word(&self, node: u32, class: u8) -> Option<&Word> {
        let mut named = self.words.iter().rev();
        let word = named.find(|word| word.names(node, class));
        word.filter(|word| word.is_unchecked)
    }

    /// Is loss of the class meant at a node?
    pub(crate) fn is_meant(&self, node: u32, class: u8) -> bool {
        self.word(node, class).is_some()
    }

    fn classes(&self) -> impl Iterator<Item = u8> {
        let lossless = self.lossless;
        (0..CLASSES_MAX as u8).filter(move |class| lossless & 1 << class != 0)
    }

    /// Tells each node what it promises, and says where nothing is promised and why.
    pub(crate) fn promise(
        &self,
        network: &mut EthernetSpec,
        oversold: &[Oversold],
        mistakes: &Diagnostics,
    ) -> Vec<GivenUp> {
        let mut given_up = Vec::new();
        for (id, node) in (0_u32..).zip(&mut network.nodes) {
            // Only a watchdog makes a host drop anything.
            let is_switch = matches!(node.kind, NodeKind::Switch(_));
            if !is_switch && node.watchdog.is_none() {
                continue;
            }
            let open = self.open[id as usize];
            for class in self.classes().filter(|class| open & 1 << class == 0) {
                let mut sold = oversold.iter();
                let sold = sold.find(|own| own.node == id && own.classes & 1 << class != 0);
                let by = match (self.word(id, class), sold) {
                    (Some(word), _) => said(&word.at, "headroom = \"unchecked\"", mistakes),
                    (None, Some(sold)) => said(&sold.at, &sold.words(), mistakes),
                    (None, None) => {
                        node.promised |= 1 << class;
                        continue;
                    }
                };
                note(&mut given_up, by, id, class);
            }
        }
        given_up
    }
}

/// What links say of the control that they have of their own, one word for each class and place.
fn of_links(controls: &Controls<'_>) -> Vec<Word> {
    let mut found: BTreeMap<(&At, u8), BTreeSet<u32>> = BTreeMap::new();
    for (node, classes, at) in controls.unchecked() {
        for class in (0..CLASSES_MAX as u8).filter(|class| classes & 1 << class != 0) {
            found.entry((at, class)).or_default().insert(node);
        }
    }
    let word = |((at, class), nodes): ((&At, u8), BTreeSet<u32>)| Word {
        class: Some(class),
        nodes: Some(nodes),
        is_unchecked: true,
        at: at.clone(),
    };
    found.into_iter().map(word).collect()
}

/// What gives a promise up, with its place.
fn said(at: &At, what: &str, mistakes: &Diagnostics) -> String {
    let place = mistakes.position(at);
    let place = place.map_or(String::new(), |(source, line, _)| {
        format!("{}:{line}: ", source.name)
    });
    format!("{place}{what}")
}

fn note(given_up: &mut Vec<GivenUp>, by: String, node: u32, class: u8) {
    let found = given_up.iter_mut().find(|known| known.by == by);
    match found {
        Some(known) => {
            known.classes |= 1 << class;
            if known.nodes.last() != Some(&node) {
                known.nodes.push(node);
            }
        }
        None => given_up.push(GivenUp {
            classes: 1 << class,
            nodes: vec![node],
            by,
        }),
    }
}

fn places(
    named: &Placed<Vec<Named>>,
    net: &Net<'_>,
    mistakes: &mut Diagnostics,
) -> Option<BTreeSet<u32>> {
    if !named.is_given {
        return None;
    }
    let mut nodes = BTreeSet::new();
    for (name, at) in named.iter() {
        nodes.extend(mistakes.kept(net.find(name, at)));
    }
    Some(nodes)
}

/// Words about headroom that name nothing that has it.
fn without_meaning(own: &Classes, lossless: Mask, mistakes: &mut Diagnostics) {
    let class = *own.class;
    // Where nothing is under flow control, one word turned all of it off.
    let is_lossy = lossless != 0 && lossless & 1 << class == 0;
    if let Some(at) = own.headroom.place().filter(|_| is_lossy) {
        Diagnostic::error("no-meaning", format!("class {class} promises nothing"))
            .at(at, "only lossless classes have headroom")
            .note("lossless are the classes of `[flow_control]`")
            .help("leave it out, or add the class to `flow_control.classes`")
            .tell(mistakes);
    }
    if own.headroom_at.is_given && !own.headroom.is_mentioned() {
        Diagnostic::no_meaning("headroom_at", "alone")
            .at(&own.headroom_at.at, "names where `headroom` holds")
            .help("add `headroom = \"unchecked\"`, or leave this out")
            .tell(mistakes);
    }
}
