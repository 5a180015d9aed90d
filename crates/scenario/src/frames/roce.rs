//! The queue pairs of a flow: what the file says for all, and what the flow says.

use backwater_ends::spec::{AckEvery, PairRecovery, RateControlSpec, RoceSpec};
use backwater_kernel::Rate;

use super::flow_table::Table;
use super::rate_control::{Pair, rate_control};
use crate::given::frames::EthernetFile;
use crate::given::frames::roce::{MTU, Recovery, Roce, TIMEOUT};
use crate::language::kinds::OrWord;
use crate::prelude::*;

/// The queue pairs of a flow whose source has a port of this rate.
pub(crate) fn roce(
    file: &EthernetFile,
    table: &Table<'_>,
    line: Rate,
    mistakes: &mut Diagnostics,
) -> RoceSpec {
    let own = table.settings.roce.as_ref().map(|own| &own.roce);
    let given: Roce = match own {
        Some(own) => own.over(&file.roce),
        None => file.roce.value.clone(),
    };
    let mtu_bytes = given.mtu.unwrap_or(MTU.value);
    let pair = Pair {
        line,
        payload_bytes: mtu_bytes,
        is_tagged: table.settings.tagged,
    };
    let control = match &given.control.value {
        None => RateControlSpec::None,
        Some(own) => rate_control(own, &pair, mistakes),
    };
    let notify = control.notify();
    RoceSpec {
        mtu_bytes,
        message_bytes: given.message.unwrap_or(u64::MAX),
        acks: match given.ack_every {
            None => AckEvery::Packets(1),
            Some(OrWord::Value(packets)) => AckEvery::Packets(packets),
            Some(OrWord::Word) => AckEvery::Message,
        },
        recovery: match given.recovery {
            None | Some(Recovery::GoBackN) => PairRecovery::GoBackN,
            Some(Recovery::Selective) => PairRecovery::Selective,
            Some(Recovery::AnyOrder) => PairRecovery::AnyOrder,
        },
        timeout: given.timeout.unwrap_or(TIMEOUT.value),
        window_bytes: given.window.unwrap_or(u64::MAX),
        notify,
        ack_class: *given.ack_class,
        cnp_class: *given.cnp_class,
        is_ect: given.ecn.unwrap_or(notify.is_some()),
        has_telemetry: control.hears_telemetry(),
        control,
        line,
    }
}

/// Where the control of a table's flows is chosen.
pub(super) fn chosen<'r>(file: &'r EthernetFile, table: &Table<'r>) -> &'r At {
    let flow = table.settings.roce.as_ref();
    let place = flow.and_then(|flow| flow.roce.control.place());
    place.or(file.roce.control.place()).unwrap_or(table.at)
}

/// Control that goes by marks, where nothing marks.
pub(super) fn no_marks(
    file: &EthernetFile,
    table: &Table<'_>,
    control: &RateControlSpec,
) -> Diagnostic {
    let comes_of_it = match control {
        RateControlSpec::Nscc(_) => "without marks no delay makes its window smaller",
        _ => "without marks no notification (CNP) is ever sent: it stays at line rate",
    };
    let message = "nothing marks the frames of flows that answer marks";
    Diagnostic::warning("no-marks", message)
        .at(chosen(file, table), "goes by marks of congestion")
        .note(comes_of_it)
        .help("add `ecn` to `[buffer]`, with `at = \"leave\"`, by what stays behind")
}
