//! What is compared: circuits with credit or rates of their own, or frames, where who slows the
//! sources and what stops them hop by hop are chosen each for itself.
//!
//! A scheme of frames is called `CONTROL+GATE`. A control alone has no gate, a gate alone is
//! under datagrams, so each has one name.

use std::fmt;

use backwater_derive::word;

use crate::language::suggest;
use crate::language::typed::Word;

/// What stands for every control or every gate.
const ANY: &str = "*";

/// What keeps buffers from overflowing, or doesn't.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scheme {
    /// Each flow has a circuit, with queues of its own.
    Circuits(Circuits),
    /// Frames.
    Frames(Control, Gate),
}

/// Schemes of circuits.
#[word]
pub enum Circuits {
    /// Credits for each circuit on each link (Kung 1993).
    N23,
    /// Explicit rates: ERICA, count-based use-it-or-lose-it sources (Kalyanaraman et al. 1998).
    Abr,
}

/// Who slows the sources of frames.
#[word]
pub enum Control {
    /// Nobody: datagrams.
    Udp,
    /// An end-to-end window: TCP Reno.
    Reno,
    /// An end-to-end window that grows by the time since the last loss: TCP CUBIC.
    Cubic,
    /// TCP with marks from queues (ECN), and a window cut by the share of them: DCTCP.
    Dctcp,
    /// Queue pairs (RoCE): a rate from single marks, recovery by timers: DCQCN.
    Dcqcn,
    /// Queue pairs: the rate that queues of switches state: RoCC.
    Rocc,
    /// Queue pairs: a rate and a window from what every switch writes on packets: HPCC.
    Hpcc,
    /// Queue pairs: a rate from how the round-trip time changes: TIMELY.
    Timely,
    /// Queue pairs: TIMELY with a fixed point.
    PatchedTimely,
    /// Queue pairs: a window from delay against a target: Swift.
    Swift,
}

/// What stops frames hop by hop.
#[word]
pub enum Gate {
    /// Nothing: queues drop.
    None,
    /// Credit as in N23 for all frames of a link, on the queues of PFC.
    N23Class,
    /// Credit in cells, told by counters that wrap: Ultra Ethernet's CBFC.
    Cbfc,
    /// The whole link is stopped (IEEE 802.3x).
    Pause,
    /// Frames to congested destinations are stopped (Nouredine and Tobagi 1999).
    Destination,
    /// A class is stopped, by counters at the inputs (IEEE 802.1Qbb).
    Pfc,
}

/// How a control moves data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Transport {
    /// Datagrams.
    Udp,
    /// TCP.
    Tcp,
    /// Queue pairs.
    Roce,
}

impl Control {
    pub(super) const fn transport(self) -> Transport {
        match self {
            Self::Udp => Transport::Udp,
            Self::Reno | Self::Cubic | Self::Dctcp => Transport::Tcp,
            Self::Dcqcn
            | Self::Rocc
            | Self::Hpcc
            | Self::Timely
            | Self::PatchedTimely
            | Self::Swift => Transport::Roce,
        }
    }

    /// What it does, in a sentence or two.
    const fn note(self) -> &'static str {
        match self {
            Self::Udp => "",
            Self::Reno => "TCP Reno end to end. Constant rates stay UDP.",
            Self::Cubic => "TCP CUBIC end to end. Constant rates stay UDP.",
            Self::Dctcp => {
                "DCTCP end to end: ports mark what joins a queue above a threshold, and a source \
                 cuts its window by the share of marks. Constant rates stay UDP."
            }
            Self::Dcqcn => {
                "DCQCN: ports mark what leaves a queue above a threshold, the destination tells, \
                 the source cuts its rate and recovers by timers. Constant rates stay UDP."
            }
            Self::Rocc => {
                "RoCC: queues of switches state a rate, which sources obey. Constant rates stay \
                 UDP."
            }
            Self::Hpcc => {
                "HPCC: a rate and a window from what every switch writes on packets. Constant \
                 rates stay UDP."
            }
            Self::Timely => {
                "TIMELY: a rate from how the round-trip time changes. Constant rates stay UDP."
            }
            Self::PatchedTimely => {
                "Patched TIMELY: a rate from the round-trip time and how it changes. Constant \
                 rates stay UDP."
            }
            Self::Swift => "Swift: a window from delay against a target. Constant rates stay UDP.",
        }
    }
}

impl Gate {
    /// What it does, in a sentence.
    const fn note(self) -> &'static str {
        match self {
            Self::None => "Queues that drop.",
            Self::N23Class => {
                "N23 credit for all frames of a link, in units of 64 B, instead of stops."
            }
            Self::Cbfc => {
                "CBFC of Ultra Ethernet, in cells of 64 B: the memory of an input is its limit."
            }
            Self::Pause => "A congested output queue stops whole links.",
            Self::Destination => {
                "A congested output queue stops frames to the hosts it holds frames for."
            }
            Self::Pfc => "An input that holds too much stops its sender; there is one class.",
        }
    }
}

impl Scheme {
    /// Those that run where a file does not choose, in the order of tables.
    pub const USUAL: &[Scheme] = &[
        Scheme::Frames(Control::Udp, Gate::None),
        Scheme::Frames(Control::Reno, Gate::None),
        Scheme::Frames(Control::Dctcp, Gate::None),
        Scheme::Circuits(Circuits::N23),
        Scheme::Frames(Control::Udp, Gate::N23Class),
        Scheme::Frames(Control::Udp, Gate::Cbfc),
        Scheme::Frames(Control::Udp, Gate::Pause),
        Scheme::Frames(Control::Udp, Gate::Destination),
        Scheme::Frames(Control::Udp, Gate::Pfc),
        Scheme::Circuits(Circuits::Abr),
    ];

    /// All there are, in the order of tables: the usual ones, then every other control under every
    /// gate.
    pub fn every() -> Vec<Scheme> {
        let pairs = Control::ALL.iter().flat_map(|control| {
            let gates = Gate::ALL.iter();
            gates.map(|gate| Scheme::Frames(*control, *gate))
        });
        let others = pairs.filter(|scheme| !Self::USUAL.contains(scheme));
        Self::USUAL.iter().copied().chain(others).collect()
    }

    /// Which names there are, in words.
    pub fn all_names() -> String {
        let usual: Vec<String> = Self::USUAL.iter().map(|scheme| scheme.name()).collect();
        format!(
            "schemes: {}; or CONTROL+GATE, of the controls {} and the gates {}, `*` for all",
            usual.join(", "),
            joined(Control::ALL),
            joined(Gate::ALL)
        )
    }

    /// The name that was meant by one that there isn't, if a part of it is near to a word.
    pub fn meant(name: &str) -> Option<String> {
        let circuits = Circuits::ALL.iter().map(Word::word);
        let controls = Control::ALL.iter().map(Word::word);
        let words = circuits.chain(controls);
        let words: Vec<&str> = words.chain(Gate::ALL.iter().map(Word::word)).collect();
        let part = |part| match part == ANY || words.contains(&part) {
            true => Some(part),
            false => suggest::nearest(part, words.iter().copied()),
        };
        let parts: Option<Vec<&str>> = name.split('+').map(part).collect();
        parts
            .map(|parts| parts.join("+"))
            .filter(|name| !Self::chosen(name).is_empty())
    }

    /// Its name.
    pub fn name(self) -> String {
        match self {
            Self::Circuits(scheme) => scheme.word().into(),
            Self::Frames(Control::Udp, gate) => gate.word().into(),
            Self::Frames(control, Gate::None) => control.word().into(),
            Self::Frames(control, gate) => format!("{}+{}", control.word(), gate.word()),
        }
    }

    /// The scheme of this name.
    pub fn of_name(name: &str) -> Option<Scheme> {
        match &Self::chosen(name)[..] {
            &[scheme] => Some(scheme),
            _ => None,
        }
    }

    /// The schemes that a name stands for, in the order of tables: one, or, with `*` for a control
    /// or a gate, each of these; none if there is no such name.
    pub fn chosen(name: &str) -> Vec<Scheme> {
        let stands = |word: &str, part: &str| part == ANY || part == word;
        let mut schemes = Self::every();
        match name.split_once('+') {
            Some((source, hop)) => schemes.retain(|scheme| match scheme {
                Self::Frames(control, gate) => {
                    stands(control.word(), source) && stands(gate.word(), hop)
                }
                Self::Circuits(_) => false,
            }),
            None => schemes.retain(|scheme| {
                let datagrams = *scheme == Self::Frames(Control::Udp, Gate::None);
                scheme.name() == name || datagrams && name == Control::Udp.word()
            }),
        }
        schemes
    }

    /// What it does, in a sentence or two.
    pub fn note(self) -> String {
        match self {
            Self::Circuits(Circuits::N23) => "N23 credit for each circuit on each link.".into(),
            Self::Circuits(Circuits::Abr) => {
                "ERICA at every port of a switch, the count-based policy at the sources; one of 32 \
                 units of a source is an RM unit."
                    .into()
            }
            Self::Frames(control, gate) => {
                format!("{} {}", control.note(), gate.note()).trim().into()
            }
        }
    }

    /// Does it promise that nothing is dropped for want of memory?
    pub fn is_lossless(self) -> bool {
        match self {
            Self::Circuits(scheme) => scheme == Circuits::N23,
            Self::Frames(_, gate) => gate != Gate::None,
        }
    }

    /// Has each flow a circuit, with queues of its own?
    pub const fn has_circuits(self) -> bool {
        matches!(self, Self::Circuits(_))
    }
}

fn joined<T: Word>(words: &[T]) -> String {
    let words: Vec<&str> = words.iter().map(Word::word).collect();
    words.join(", ")
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_scheme_has_one_name_and_the_usual_ones_their_own() {
        let every = Scheme::every();
        assert_eq!(every.len(), 2 + 10 * 6);
        for (at, scheme) in every.iter().enumerate() {
            assert_eq!(Scheme::of_name(&scheme.name()), Some(*scheme), "{scheme}");
            assert!(!every[..at].contains(scheme), "{scheme}");
        }
        let names: Vec<String> = Scheme::USUAL.iter().map(|one| one.name()).collect();
        let names = names.join(" ");
        let usual = "none reno dctcp n23 n23-class cbfc pause destination pfc abr";
        assert_eq!(names, usual);
    }

    #[test]
    fn a_name_stands_for_one_or_for_each_control_or_gate() {
        let chosen = |name: &str| -> Vec<String> {
            let schemes = Scheme::chosen(name).into_iter();
            schemes.map(Scheme::name).collect()
        };
        assert_eq!(chosen("dcqcn+pfc"), ["dcqcn+pfc"]);
        assert_eq!(chosen("dcqcn+none"), ["dcqcn"]);
        assert_eq!(chosen("udp+pfc"), ["pfc"]);
        assert_eq!(chosen("udp"), ["none"]);
        assert_eq!(chosen("hpcc+*").len(), 6);
        assert_eq!(chosen("*+cbfc").len(), 10);
        assert_eq!(chosen("*+*").len(), 60);
        for wrong in [
            "",
            "*",
            "+",
            "pfc+dcqcn",
            "n23+pfc",
            "dcqcn+",
            "dcqcn+pfc+pfc",
            "cubik",
        ] {
            assert!(Scheme::chosen(wrong).is_empty(), "{wrong}");
        }
        assert_eq!(Scheme::meant("dcqn+pcf").as_deref(), Some("dcqcn+pfc"));
        assert_eq!(Scheme::meant("paus").as_deref(), Some("pause"));
        assert_eq!(Scheme::meant("pfc+dcqcn"), None);
    }
}
