//! Queues that trim: in which class the headers go, and what speaks against it.

use backwater_net::frames::spec::ClassBits;

use crate::given::frames::EthernetFile;
use crate::given::frames::switch::WhenFull;
use crate::language::typed::Chosen;
use crate::prelude::*;

/// A port of a switch.
#[derive(Clone, Copy)]
pub(crate) struct Port {
    /// Queues it has.
    pub classes: u8,
    /// Classes whose senders are stopped or have credit, a bit each.
    pub held_back: ClassBits,
    /// Its queues share a memory.
    pub is_shared: bool,
}

/// The class of the headers of what the queue of `class` can't hold; none of those that trim
/// nothing, which is a mistake where it was asked for.
pub(crate) fn headers(
    (own, at): (&Placed<Option<u8>>, &At),
    (class, port): (u8, Port),
    mistakes: &mut Diagnostics,
) -> Option<u8> {
    let headers = own.unwrap_or(port.classes - 1);
    let named = own.place().unwrap_or(at);
    if headers >= port.classes {
        // There is no such class, as is told of all that name one.
        return None;
    }
    if port.is_shared {
        Diagnostic::no_meaning("when_full", "with shared memory")
            .at(at, "what finds its queue full is trimmed")
            .note("queues that share a memory have no limit of their own")
            .help("give each queue its own memory: `per_queue` in place of `shared`")
            .tell(mistakes);
    } else if port.classes == 1 {
        Diagnostic::error(
            "bad-class",
            "headers of trimmed packets have no class of their own",
        )
        .at(at, "ports have 1 queue")
        .note("a header that joins the queue that is full is lost as its packet would be")
        .help("raise `classes` of `[switch]` to 2, or leave it out")
        .tell(mistakes);
    } else if let Some(lossless) = [class, headers]
        .into_iter()
        .find(|class| port.held_back & 1 << class != 0)
    {
        let (what, help) = match lossless == headers {
            true => (
                "headers of trimmed packets",
                "let headers go in a class without flow control",
            ),
            false => (
                "its packets",
                "give `when_full` in `[[classes]]` to those without flow control alone",
            ),
        };
        Diagnostic::error("contradiction", "a lossless class trims nothing")
            .at(
                named,
                format!("class {lossless} is under flow control: {what}"),
            )
            .note("flow control stops senders before a queue is full, trimming lets it fill")
            .help(help)
            .tell(mistakes);
    } else {
        return (class != headers).then_some(headers);
    }
    None
}

/// The class of headers as it is given, where queues are to trim, and where that stands.
pub(crate) fn asked(
    given: &Placed<Option<Chosen<WhenFull>>>,
) -> Option<(&Placed<Option<u8>>, &At)> {
    match given.as_ref()?.sure()? {
        WhenFull::Trim { class } => Some((class, &given.at)),
        WhenFull::Drop => None,
    }
}

/// Each time the file asks for it.
pub(crate) fn given(file: &EthernetFile) -> Vec<(&Placed<Option<u8>>, &At)> {
    let own = file.own_queues().into_iter();
    let own = own.map(|(queues, _)| &queues.when_full);
    let all = [&file.buffer.when_full].into_iter().chain(own);
    all.filter_map(asked).collect()
}
