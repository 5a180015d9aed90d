//! What classes have at ports that serve them otherwise than by strict priority.

use backwater_net::frames::spec::{
    ChannelSpec, EthernetSpec, SchedulerSpec, WIRE_OVERHEAD_BYTES, largest_bytes,
};

use super::net::Net;
use crate::circuits::reserve::small_burst;
use crate::circuits::service::serves_by_reservation;
use crate::circuits::service_checks::{rate_text, rate_texts};
use crate::given::frames::EthernetFile;
use crate::given::frames::switch::Classes;
use crate::prelude::*;
use backwater_kernel::words::counted;

/// Checks what `[[classes]]` says of their service against the schedulers that there are.
pub(crate) fn check(
    file: &EthernetFile,
    net: &Net<'_>,
    network: &EthernetSpec,
    mistakes: &mut Diagnostics,
) {
    let largest = largest_bytes(network);
    for own in file.classes.iter() {
        let class = own.class.sure();
        if let Some(bytes) = class.and_then(|class| largest.get(usize::from(*class))) {
            burst(own, bytes.saturating_add(WIRE_OVERHEAD_BYTES), mistakes);
        }
    }
    if mistakes.errors() > 0 {
        // A scheduler that is none would be taken for the default.
        return;
    }
    let channels = network.links.iter().flat_map(|link| &link.channels);
    let channels: Vec<&ChannelSpec> = channels.map(|own| &**own).collect();
    let has = |of: fn(&SchedulerSpec) -> bool| channels.iter().any(|own| of(&own.scheduler));
    let (by_reservation, by_priority) = (has(uses_reserve), has(has_groups));
    for own in file.classes.iter() {
        if !by_reservation && own.service.reserve.is_some() {
            let help = "use `kind = \"wfq\"`, `\"virtual-clock\"`, `\"edf\"` or another that does";
            mistakes.push(unused("reserve", &own.service.reserve, help));
        }
        if !by_priority && own.service.priority.is_some() {
            let help = "under `strict-priority` the class is the priority; the others have both";
            mistakes.push(unused("priority", &own.service.priority, help));
        }
    }
    mistakes.extend(over_reserved(file, net, &channels));
    mistakes.extend(nothing_reserved(file, &channels));
}

fn uses_reserve(scheduler: &SchedulerSpec) -> bool {
    let is_drr = scheduler.has_quanta();
    let is_ats = scheduler.shapes();
    is_ats || serves_by_reservation(*scheduler) && !is_drr
}

fn has_groups(scheduler: &SchedulerSpec) -> bool {
    !matches!(
        scheduler,
        SchedulerSpec::StrictPriority | SchedulerSpec::Fifo
    )
}

fn unused<T>(key: &str, given: &Placed<Option<T>>, help: &str) -> Diagnostic {
    Diagnostic::warning("unused", format!("no scheduler looks at `{key}`"))
        .at(&given.at, "has no effect at any port")
        .help(help)
}

fn burst(own: &Classes, largest_bytes: u32, mistakes: &mut Diagnostics) {
    let Some(burst) = own.service.reserve.as_ref().map(|own| &own.burst) else {
        return;
    };
    let label = "the largest frame of this class never fits";
    let note = format!("with preamble and gap it has up to {largest_bytes} bytes");
    mistakes.extend(small_burst(burst, (largest_bytes, "frame"), label, note));
}

/// Bits per second that the classes of a port reserve, where its scheduler goes by that.
fn reserved(channel: &ChannelSpec) -> u64 {
    let queues = channel.queues.iter().filter_map(|queue| queue.reserve);
    let rates = queues.map(|reserve| reserve.rate.0);
    match uses_reserve(&channel.scheduler) {
        true => rates.fold(0, u64::saturating_add),
        false => 0,
    }
}

fn over_reserved(
    file: &EthernetFile,
    net: &Net<'_>,
    channels: &[&ChannelSpec],
) -> Option<Diagnostic> {
    let all = (0_u32..).zip(channels);
    let over = all.filter(|(_, channel)| reserved(channel) > channel.rate.0);
    let excess = |channel: &ChannelSpec| {
        (u128::from(reserved(channel)) << 32) / u128::from(channel.rate.0.max(1))
    };
    let (id, channel) = over.max_by_key(|(id, channel)| (excess(channel), !id))?;
    let [own, there] = rate_texts([reserved(channel), channel.rate.0]);
    let last = file
        .classes
        .iter()
        .rev()
        .find(|own| own.service.reserve.is_some())?;
    Diagnostic::warning(
        "over-reserved",
        format!(
            "classes reserve {own} of {there} on `{}`: none can count on its share",
            net.channel_name(id)
        ),
    )
    .at(&last.service.reserve.at, "the last of them")
    .help("reserve less, as shares of the port's rate for example: `rate = \"40 %\"`")
    .into()
}

fn nothing_reserved(file: &EthernetFile, channels: &[&ChannelSpec]) -> Option<Diagnostic> {
    let reserves = file.classes.iter().any(|own| own.service.reserve.is_some());
    let is_one = |channel: &&&ChannelSpec| {
        let scheduler = &channel.scheduler;
        uses_reserve(scheduler) && (channel.queues.len() > 1 || scheduler.shapes())
    };
    let channel = channels.iter().find(is_one).filter(|_| !reserves)?;
    let (message, note) = match channel.scheduler.shapes() {
        true => (
            "no class reserves anything: none is shaped",
            "all classes go in the order in which frames come".into(),
        ),
        false => {
            let share = channel.rate.0 / channel.queues.len().max(1) as u64;
            let note = format!(
                "while all {} send, each has {} of {}; what one leaves the others have",
                counted(channel.queues.len(), "class"),
                rate_text(share),
                rate_text(channel.rate.0)
            );
            ("no class reserves anything: all share equally", note)
        }
    };
    Diagnostic::warning("nothing-reserved", message)
        .at(
            &file.scheduler.at,
            "ports serve classes by what they reserve",
        )
        .note(note)
        .help(
            "give classes a share: `[[classes]]` with `class = 3`, `reserve = { rate = \"40 %\" }`",
        )
        .help("or use `kind = \"round-robin\"`, which needs none")
        .into()
}
