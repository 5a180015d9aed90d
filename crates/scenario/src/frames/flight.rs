//! What can be in flight at once: windows, and what is sent again while the first copy still waits.
//!
//! A window limits what a connection has sent and not heard of. It does not limit copies: a
//! time-out sends the window anew, whether its frames are lost or only wait, behind stops or a host
//! that stops. So of a class there is in flight at once no more than
//!
//! ```text
//! windows * (1 + 2 * time-outs + 1 where frames may be lost or overtake each other)
//! ```
//!
//! A connection has at most as many time-outs as the shortest one fits into the run. Each sends a
//! window again; what arrives twice is acknowledged twice, and three such acknowledgements send a
//! segment again, which adds less than a half of it. No time-out counts where every acknowledgement
//! is back before the shortest one ends: where one class has its channels to itself, nothing is
//! held, and windows are too small for a stop anywhere, a frame waits at each port for no more than
//! the windows that cross it, and it passes each switch once.

use backwater_ends::spec::AckSpec;
use backwater_kernel::Duration;
use backwater_net::frames::spec::{
    BackPressureSpec, CLASSES_MAX, FlowSpec, NodeKind, NodeSpec, TransportSpec, WIRE_OVERHEAD_BYTES,
};

use super::headroom::wire_time;
use super::lossless::{Whole, channel_of, switch_of};

/// Bytes and frames that may be in flight, by class.
pub(crate) struct Flight<'a> {
    look: &'a Whole<'a>,
    /// Of each class, how many copies of a window.
    copies: [u64; CLASSES_MAX],
}

impl<'a> Flight<'a> {
    /// With what is sent again.
    pub(crate) fn new(look: &'a Whole<'a>) -> Self {
        let windows = Self::of_windows(look);
        let copies = std::array::from_fn(|class| windows.most_copies(class as u8));
        Flight { look, copies }
    }

    /// Windows alone.
    pub(crate) fn of_windows(look: &'a Whole<'a>) -> Self {
        Flight {
            look,
            copies: [1; CLASSES_MAX],
        }
    }

    /// May the queue before a channel be congested, or have its blocked frames stopped upstream?
    pub(crate) fn fills(&self, pressure: &BackPressureSpec, channel: u32, class: u8) -> bool {
        let Some(queue) = self.look.queue(channel, class) else {
            return false;
        };
        let blocked = pressure.blocked.filter(|_| pressure.is_by_destination());
        let least = blocked.map_or(u64::MAX, |blocked| blocked.high_bytes);
        self.may_exceed(channel, class, queue.high_bytes.min(least))
    }

    /// The same for the counter of an input; shared memory has no threshold of its own.
    pub(crate) fn fills_input(&self, channel: u32, class: u8) -> bool {
        let input = self.look.input(channel, class);
        self.may_exceed(channel, class, input.map_or(0, |input| input.high_bytes))
    }

    /// May the sender of a class over a channel with credit wait for some? Units that
    /// are free again may not have been told of: it is sure of the rest. Every frame costs whole
    /// units.
    pub(crate) fn lacks_credit(&self, channel: u32, class: u8) -> bool {
        let look = self.look;
        let load = look.crossings.on(channel, class);
        let Some((credit, load)) = look.credit(channel, class).zip(load) else {
            return false;
        };
        let unit_bytes = u64::from(credit.unit_bytes.max(1));
        let each = u64::from(credit.cost(load.sizes.largest.into()));
        let by_largest = load.most_frames.saturating_mul(each);
        let by_bytes = load.most_frames.saturating_add(load.most / unit_bytes);
        let units = by_largest.min(by_bytes).saturating_mul(self.copies(class));
        units > u64::from(credit.surely_free_units(look.counters(channel)))
    }

    fn copies(&self, class: u8) -> u64 {
        self.copies[usize::from(class) % CLASSES_MAX]
    }

    fn may_exceed(&self, channel: u32, class: u8, bytes: u64) -> bool {
        let load = self.look.crossings.on(channel, class);
        load.is_some_and(|load| load.most.saturating_mul(self.copies(class)) > bytes)
    }

    /// How many copies of what is in a window there may be.
    fn most_copies(&self, class: u8) -> u64 {
        let flows = || self.look.spec.kinds();
        let timers = flows().filter(|flow| flow.class == class).filter_map(timer);
        let Some(shortest) = timers.min() else {
            return 1;
        };
        let run = self.look.spec.stop_at.0;
        let is_quick = || self.round_trip(class).is_some_and(|it| it < shortest);
        let again = match run <= shortest.0 || is_quick() {
            true => 0,
            false => run / shortest.0.max(1),
        };
        let is_in_order = self.look.spec.rules.keeps_order() && !self.may_lose(class);
        (2 * again).saturating_add(1 + u64::from(!is_in_order))
    }

    /// A frame may be lost though classes are lossless.
    fn may_lose(&self, class: u8) -> bool {
        let (look, spec) = (self.look, self.look.spec);
        let errors = |channel: u32| channel_of(spec, channel).errors.data_loss > 0.0;
        let mut channels = 0..2 * spec.links.len() as u32;
        let mut nodes = (0..).zip(&spec.nodes);
        let drops = |(node, own): (u32, &NodeSpec)| {
            own.watchdog.is_some() || look.consent.is_meant(node, class)
        };
        !spec.outages.is_empty() || channels.any(errors) || nodes.any(drops)
    }

    /// Longest time from the first bit of a frame to the acknowledgement's last, if a sum of waits
    /// that windows allow says so; `None` where something may hold frames for longer.
    fn round_trip(&self, class: u8) -> Option<Duration> {
        let (look, spec) = (self.look, self.look.spec);
        let storms = |kind: &NodeKind| matches!(kind, NodeKind::Station { storm: Some(_) });
        let is_slow = !spec.rules.drains.is_empty();
        if is_slow || spec.nodes.iter().any(|node| storms(&node.kind)) {
            return None;
        }
        // The longest stay in front of any channel that leaves a node.
        let mut stays = vec![0_u64; spec.nodes.len()];
        for (channel, _) in look.crossings.crossed().filter(|(_, own)| *own == class) {
            let (from, to) = look.net.ends(channel);
            let own = channel_of(spec, channel);
            let load = look.crossings.on(channel, class)?;
            let mut others = (0..CLASSES_MAX as u8).filter(|other| *other != class);
            let is_shared = others.any(|other| look.crossings.on(channel, other).is_some());
            let is_held = own.scheduler.shapes();
            if is_shared || is_held || self.may_stop(channel, class) {
                return None;
            }
            let overhead = load
                .most_frames
                .checked_mul(u64::from(WIRE_OVERHEAD_BYTES))?;
            let bytes = u32::try_from(load.most.checked_add(overhead)?).ok()?;
            let latency = switch_of(spec, to).map_or(0, |switch| switch.latency.0);
            let stay = wire_time(own.rate, bytes).0.checked_add(own.delay.0)?;
            let known = &mut stays[from as usize];
            *known = stay.checked_add(latency)?.max(*known);
        }
        let is_switch = |node: usize| switch_of(spec, node as u32).is_some();
        let of = |wanted: bool| {
            let all = stays.iter().enumerate();
            all.filter(move |(node, _)| is_switch(*node) == wanted)
                .map(|(_, stay)| *stay)
        };
        let way = of(true).try_fold(of(false).max()?, u64::checked_add)?;
        let flows = spec.kinds().filter(|flow| flow.class == class);
        let pause = flows.map(acknowledged_after).max()?;
        Some(Duration(way.checked_mul(2)?.checked_add(pause.0)?))
    }

    /// May windows alone stop, or leave without credit, what goes over a channel or waits for it?
    fn may_stop(&self, channel: u32, class: u8) -> bool {
        let look = self.look;
        let at_queue = look.stops_at_outputs(look.net.ends(channel).0);
        let at_input = look.stops_at_input(channel);
        look.has_credit(channel, class)
            || at_queue.is_some_and(|rules| rules.holds(class) && self.fills(rules, channel, class))
            || at_input.is_some_and(|rules| rules.holds(class)) && self.fills_input(channel, class)
    }
}

/// The shortest time after which a connection sends again; a tick may end at once.
fn timer(flow: &FlowSpec) -> Option<Duration> {
    let tcp = match &flow.transport {
        TransportSpec::Tcp(tcp) => tcp,
        TransportSpec::Roce(roce) => return Some(roce.timeout),
        TransportSpec::Udp { .. } => return None,
    };
    let least = tcp.timer.min_rto.min(tcp.timer.initial_rto);
    let tick = tcp.timer.tick.unwrap_or(Duration::ZERO);
    Some(Duration(least.0.saturating_sub(tick.0)))
}

/// How long a receiver may keep an acknowledgement.
fn acknowledged_after(flow: &FlowSpec) -> Duration {
    let TransportSpec::Tcp(tcp) = &flow.transport else {
        return Duration::ZERO;
    };
    match tcp.acks {
        AckSpec::Every => Duration::ZERO,
        AckSpec::Delayed { after, .. } | AckSpec::DelayedTick(after) => after,
    }
}
