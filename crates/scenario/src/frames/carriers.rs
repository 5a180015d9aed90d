//! What carries a flow: what the file says, or what its traffic needs.

use backwater_kernel::Rate;
use backwater_net::frames::spec::{TransportSpec, UDP_IP_BYTES};

use super::flow_table::Table;
use super::packets::{RTP_BYTES, mtu};
use super::{roce, tcp};
use crate::given::frames::EthernetFile;
use crate::given::frames::flows::Transport;
use crate::given::frames::traffic::TrafficKind;
use crate::language::typed::Word;
use crate::prelude::*;

/// The protocol that this traffic needs, or takes where the file does not say; and whether it may
/// take the other. A connection has one destination, which acknowledges.
fn usual(kind: &TrafficKind, is_multicast: bool) -> (Transport, bool) {
    match kind {
        TrafficKind::Greedy { .. } if is_multicast => (Transport::Udp, false),
        TrafficKind::Greedy { .. } => (Transport::Tcp, true),
        TrafficKind::Files { .. } | TrafficKind::Requests { .. } => (Transport::Tcp, false),
        TrafficKind::Constant { .. }
        | TrafficKind::Poisson { .. }
        | TrafficKind::SelfSimilar { .. }
        | TrafficKind::Video { .. } => (Transport::Udp, false),
    }
}

/// The protocol of a table's flows whose source has a port of this rate.
pub(super) fn transport(
    file: &EthernetFile,
    table: &Table<'_>,
    (is_marked, is_multicast): (bool, bool),
    line: Rate,
    mistakes: &mut Diagnostics,
) -> TransportSpec {
    let settings = table.settings;
    let kind = table.traffic.map(|traffic| &traffic.kind);
    // Of a workload and of ranks flows are bytes that have an end, as of a greedy one.
    let others = (Transport::Tcp, true);
    let (usual, takes_both) = kind.map_or(others, |kind| usual(kind, is_multicast));
    let (at, sends) = kind.map_or((table.at, ""), |kind| (&kind.at, kind.word));
    let transport = settings.transport.unwrap_or(usual);
    let word = transport.word();
    let is_roce = transport == Transport::Roce;
    if is_multicast && transport != Transport::Udp {
        let at = settings.transport.place().unwrap_or(at);
        Diagnostic::error("bad-transport", "a connection has one destination")
            .at(at, format!("over {word}"))
            .note("with several, each would acknowledge, and all would have to")
            .note("greedy, constant, poisson, self-similar and video go over udp")
            .help("leave `multicast` out, or choose traffic that goes over udp")
            .tell(mistakes);
    } else if transport != usual && !takes_both && !(is_roce && usual == Transport::Tcp) {
        Diagnostic::error(
            "bad-transport",
            format!("`{sends}` traffic does not go over {word}"),
        )
        .at(
            &settings.transport.at,
            match usual {
                Transport::Tcp | Transport::Roce => "this traffic needs `tcp` or `roce`",
                Transport::Udp => "this traffic needs `udp`",
            },
        )
        .note(
            "over tcp and roce: greedy, files and requests; over udp: greedy and the rest; \
             collectives and jobs go over all",
        )
        .help("leave `transport` out, or choose other traffic")
        .tell(mistakes);
    }
    useless(table, transport, at, mistakes);
    match transport {
        Transport::Roce => TransportSpec::Roce(roce::roce(file, table, line, mistakes)),
        Transport::Tcp => TransportSpec::Tcp(tcp::tcp(file, settings, is_marked, mistakes)),
        Transport::Udp => {
            let is_video = kind.is_some_and(|kind| matches!(**kind, TrafficKind::Video { .. }));
            let has_rtp = settings.rtp.unwrap_or(is_video);
            let headers = UDP_IP_BYTES + if has_rtp { RTP_BYTES } else { 0 };
            let payload = settings
                .payload
                .unwrap_or_else(|| mtu(&file.link) - headers);
            TransportSpec::Udp {
                payload_bytes: payload,
                has_rtp,
                is_ect: settings.ecn.unwrap_or(false),
            }
        }
    }
}

/// Keys of the protocols that it does not go by.
fn useless(table: &Table<'_>, transport: Transport, at: &At, mistakes: &mut Diagnostics) {
    let (settings, word) = (table.settings, transport.word());
    let useless = match transport {
        Transport::Tcp => vec![
            ("payload", settings.payload.place()),
            ("rtp", settings.rtp.place()),
            ("ecn", settings.ecn.place()),
            ("roce", settings.roce.place()),
        ],
        Transport::Roce => vec![
            ("payload", settings.payload.place()),
            ("rtp", settings.rtp.place()),
            ("ecn", settings.ecn.place()),
            ("tcp", settings.tcp.place()),
        ],
        Transport::Udp => vec![
            ("tcp", settings.tcp.place()),
            ("roce", settings.roce.place()),
        ],
    };
    for (key, place) in useless {
        if let Some(place) = place {
            Diagnostic::no_meaning(key, format!("over {word}"))
                .at(place, format!("this flow goes over {word}"))
                .help("leave it out, or change `transport`")
                .aside_after(Some(at.clone()))
                .tell(mistakes);
        }
    }
}
