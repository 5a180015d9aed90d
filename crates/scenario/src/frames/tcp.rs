//! The TCP of a flow: what the file says for all, what the flow says, what its network suggests.

use backwater_ends::spec::TcpSpec;
use backwater_net::frames::spec::TCP_IP_BYTES;

use crate::given::frames::EthernetFile;
use crate::given::frames::flows::FlowSettings;
use crate::language::diagnostics::Diagnostics;
use crate::network::tcp::{Usual, flavour, layers};

/// The TCP of a flow; `is_marked` if queues of its class mark.
pub(crate) fn tcp(
    file: &EthernetFile,
    flow: &FlowSettings,
    is_marked: bool,
    mistakes: &mut Diagnostics,
) -> TcpSpec {
    let layers = layers(&file.tcp, flow.tcp.as_ref().map(|own| &own.tcp));
    let usual = Usual {
        mss: usual_mss(file),
        is_marked,
    };
    flavour(&layers, usual, &file.tcp.at, mistakes)
}

/// A full segment fills the MTU that the file gives; without one the preset says its size.
fn usual_mss(file: &EthernetFile) -> Option<u32> {
    Some(file.link.mtu?.saturating_sub(TCP_IP_BYTES))
}
