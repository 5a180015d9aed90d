//! Which frames join a queue, and what it and the memory count.

use backwater_ends::application::Payload;
use backwater_ends::control::Telemetry;
use backwater_ends::queue_pair::PacketKind;
use backwater_kernel::{Probability, Time};
use backwater_net::frames::probe::LossCause;
use backwater_net::frames::spec::{MarkAt, Ratio, ShareSpec, SharedSpec, WatchdogAction};

use super::network::{CONTROL_BYTES, Frame, Network, Point, Share, WIRE_BYTES, channel_spec};

impl Network {
    /// A frame joins the queue of its class in front of `channel`.
    pub fn joins(&mut self, now: Time, channel: usize, mut frame: Frame) {
        self.mark(channel, &mut frame, MarkAt::Join);
        self.rank(now, channel, &mut frame);
        self.joins += 1;
        frame.joined = self.joins;
        let class = frame.class;
        self.channels[channel].queues[class]
            .waiting
            .push(frame.clone());
        let bytes = self.queue(channel, class).bytes();
        let counts = &mut self.channels[channel].counts;
        counts.joined[class] += 1;
        counts.most_bytes[class] = counts.most_bytes[class].max(bytes);
        self.look_at_blocked(now, channel, class, Some(&frame));
        // What is made here asks nobody to stop.
        if frame.came_over.is_some() {
            self.after_join(now, Point::Output(channel, class), &frame);
        }
    }

    /// Has the watchdog tripped, and does it drop?
    pub fn drops_all(&self, channel: usize, class: usize) -> bool {
        let watchdog = self.spec.nodes[self.tail(channel)].watchdog;
        let drops = watchdog.is_some_and(|it| it.action == WatchdogAction::Drop);
        drops && self.queue(channel, class).tripped.is_some()
    }

    pub fn refusal(&self, channel: usize, frame: &Frame) -> Option<LossCause> {
        let queue = self.queue(channel, frame.class);
        if self.drops_all(channel, frame.class) {
            return Some(LossCause::Watchdog);
        }
        let limit = self.queue_spec(channel, frame.class).limit_bytes;
        if limit.is_some_and(|limit| queue.bytes() + frame.bytes > limit) {
            return Some(LossCause::QueueFull);
        }
        if self.lacks_place(frame) {
            return Some(LossCause::Buffer);
        }
        let input = frame.came_over?;
        if let Some(shared) = self.shared(self.tail(channel)) {
            return self.shared_refusal(&shared, channel, input, frame);
        }
        let limit = channel_spec(&self.spec, input)
            .inputs
            .get(frame.class)?
            .limit_bytes?;
        let held = self.came_in(input, frame.class);
        let held: u64 = held.iter().map(|frame| frame.bytes).sum();
        (held + frame.bytes > limit).then_some(LossCause::Buffer)
    }

    /// Data of a queue pair that finds a queue full which trims is a header from now on.
    pub fn trim(&mut self, channel: usize, frame: &mut Frame) {
        let spec = self.queue_spec(channel, frame.class);
        let held = self.queue(channel, frame.class).bytes();
        let (Some(class), Some(limit)) = (spec.trim, spec.limit_bytes) else {
            return;
        };
        let Payload::Roce(packet) = &mut frame.payload else {
            return;
        };
        let is_long = frame.bytes > CONTROL_BYTES && packet.kind == PacketKind::Data;
        if self.switch(self.tail(channel)).is_none() || !is_long || held + frame.bytes <= limit {
            return;
        }
        (packet.is_trimmed, packet.has_telemetry) = (true, false);
        frame.path.clear();
        self.channels[channel].counts.trimmed[frame.class] += 1;
        let flow = &mut self.flows[frame.flow];
        flow.trimmed += 1;
        flow.dropped_bytes += frame.bytes - CONTROL_BYTES;
        (frame.bytes, frame.class) = (CONTROL_BYTES, usize::from(class));
    }

    /// The mark is decided by what the queue holds without the frame, as it joins or leaves.
    pub fn mark(&mut self, channel: usize, frame: &mut Frame, when: MarkAt) {
        let ecn = self.queue_spec(channel, frame.class).ecn;
        let Some(ecn) = ecn.filter(|ecn| ecn.at == when) else {
            return;
        };
        if self.switch(self.tail(channel)).is_none() {
            return;
        }
        let bytes = self.queue(channel, frame.class).bytes();
        if !frame.is_ect || bytes <= ecn.low_bytes {
            return;
        }
        let is_marked = bytes >= ecn.high_bytes || {
            let share = (bytes - ecn.low_bytes) as f64 / (ecn.high_bytes - ecn.low_bytes) as f64;
            let probability = Probability::new(ecn.probability * share);
            let stream = self.marking.get_mut(&(channel, frame.class));
            match (stream, probability) {
                (Some(stream), Some(probability)) => stream.chance(probability),
                _ => false,
            }
        };
        if is_marked {
            frame.is_marked = true;
            self.channels[channel].counts.marked[frame.class] += 1;
        }
    }
}

impl Network {
    /// A switch writes into a packet that has room for it; every frame counts for the next one.
    pub fn write_telemetry(&mut self, now: Time, channel: usize, frame: &mut Frame) {
        let wire_bytes = frame.bytes + WIRE_BYTES;
        let sent_bytes = self.sent_bytes[channel];
        if self.switch(self.tail(channel)).is_none() {
            return;
        }
        self.sent_bytes[channel] += wire_bytes;
        if !matches!(frame.payload, Payload::Roce(packet) if packet.has_telemetry) {
            return;
        }
        let queues = self.channels[channel].queues.iter();
        frame.path.push(Telemetry {
            at: now,
            sent_bytes,
            queued_bytes: queues.map(|queue| queue.bytes()).sum(),
            rate: self.rate_of(channel),
        });
    }
}

/// `ratio` of `bytes`, rounded down.
fn part(ratio: Ratio, bytes: u64) -> u64 {
    let part = u128::from(bytes) * u128::from(ratio.numerator) / u128::from(ratio.denominator);
    part as u64
}

/// Whole cells of the memory for so many bytes.
fn cells(shared: &SharedSpec, bytes: u64) -> u64 {
    let cell = u64::from(shared.cell_bytes.max(1));
    let left_over = bytes % cell;
    match left_over {
        0 => bytes,
        _ => bytes - left_over + cell,
    }
}

/// Of an input port and class: (channel a frame came over, class).
type Key = (usize, usize);

/// What an input port and class may have.
fn share_of(shared: &SharedSpec, (channel, class): Key) -> ShareSpec {
    let mut share = shared.share;
    for own in &shared.own {
        if (own.channel as usize, usize::from(own.class)) == (channel, class) {
            share = own.share;
        }
    }
    share
}

/// Shared memory. All is counted per (channel a frame came over, class).
impl Network {
    /// Every input port and class of a switch that counts in a pool.
    fn members(&self, node: usize, shared: &SharedSpec, pool: u8) -> Vec<Key> {
        let mut members = Vec::new();
        for channel in self.leaving(node) {
            for class in 0..self.channels[channel].queues.len() {
                if share_of(shared, (channel ^ 1, class)).pool == pool {
                    members.push((channel ^ 1, class));
                }
            }
        }
        members
    }

    /// Bytes of the shared part of a pool: all but the reserves and the headroom.
    fn shared_part(&self, node: usize, shared: &SharedSpec, pool: u8) -> u64 {
        let members = self.members(node, shared, pool).into_iter();
        let reserved: u64 = members
            .map(|input| share_of(shared, input).reserve_bytes)
            .sum();
        let pool = shared.pools[usize::from(pool)];
        pool.bytes.saturating_sub(reserved + pool.headroom_bytes)
    }

    fn held(&self, input: Key) -> Share {
        self.shares.get(&input).copied().unwrap_or_default()
    }

    /// Bytes of the shared part that an input port and class holds.
    fn shared_used(&self, shared: &SharedSpec, input: Key) -> u64 {
        let reserve = share_of(shared, input).reserve_bytes;
        self.held(input).held.saturating_sub(reserve)
    }

    fn shared_free(&self, node: usize, shared: &SharedSpec, pool: u8) -> u64 {
        let members = self.members(node, shared, pool).into_iter();
        let used: u64 = members.map(|input| self.shared_used(shared, input)).sum();
        self.shared_part(node, shared, pool).saturating_sub(used)
    }

    /// Does the frame fit into the reserve and the shared part?
    fn fits(&self, node: usize, shared: &SharedSpec, input: Key, bytes: u64) -> bool {
        let share = share_of(shared, input);
        let before = self.shared_used(shared, input);
        let after = (self.held(input).held + bytes).saturating_sub(share.reserve_bytes);
        let free = self.shared_free(node, shared, share.pool);
        after == 0 || (after <= part(share.alpha, free) && after - before <= free)
    }

    fn shared_refusal(
        &self,
        shared: &SharedSpec,
        channel: usize,
        input: usize,
        frame: &Frame,
    ) -> Option<LossCause> {
        let node = self.tail(channel);
        let key = (input, frame.class);
        let share = share_of(shared, key);
        let bytes = cells(shared, frame.bytes);
        let fits = self.fits(node, shared, key, bytes);
        let rules = self.stops_over(input);
        if rules.is_none_or(|rules| rules.classes >> frame.class & 1 == 0) {
            let queue = self.queue(channel, frame.class).bytes() + bytes;
            let free = self.shared_free(node, shared, share.pool);
            let held = self.held(key).held;
            let in_reserve = held + bytes <= share.reserve_bytes;
            let of_port = share_of(shared, (channel ^ 1, frame.class));
            let is_over = queue > part(of_port.output_alpha, free) && !in_reserve;
            let after = (held + bytes).saturating_sub(share.reserve_bytes);
            let cause = match after - self.shared_used(shared, key) <= free {
                true => LossCause::Threshold,
                false => LossCause::Pool,
            };
            return (!fits || is_over).then_some(cause);
        }
        let members = self.members(node, shared, share.pool).into_iter();
        let pool: u64 = members.map(|it| self.held(it).headroom).sum();
        let has_headroom = self.held(key).headroom + bytes <= share.headroom_bytes
            && pool + bytes <= shared.pools[usize::from(share.pool)].headroom_bytes;
        (!fits && !has_headroom).then_some(LossCause::Buffer)
    }

    pub fn take_memory(&mut self, channel: usize, frame: &Frame) {
        let node = self.tail(channel);
        let (Some(shared), Some(input)) = (self.shared(node), frame.came_over) else {
            return;
        };
        let key = (input, frame.class);
        let bytes = cells(&shared, frame.bytes);
        let fits = self.fits(node, &shared, key, bytes);
        let share = self.shares.entry(key).or_default();
        match fits {
            true => share.held += bytes,
            false => share.headroom += bytes,
        }
    }

    /// Headroom empties first.
    pub fn leave_memory(&mut self, channel: usize, frame: &Frame) {
        let Some(input) = frame.came_over else { return };
        let Some(shared) = self.shared(self.tail(channel)) else {
            return;
        };
        let bytes = cells(&shared, frame.bytes);
        let share = self.shares.entry((input, frame.class)).or_default();
        let from_headroom = share.headroom.min(bytes);
        share.headroom -= from_headroom;
        share.held -= bytes - from_headroom;
    }

    /// Is an input port and class above its threshold?
    pub fn is_share_over(&self, node: usize, shared: &SharedSpec, input: Key) -> bool {
        let share = share_of(shared, input);
        let threshold = part(share.alpha, self.shared_free(node, shared, share.pool));
        self.held(input).headroom > 0 || self.shared_used(shared, input) > threshold
    }

    /// May it be resumed?
    pub fn is_share_under(&self, node: usize, shared: &SharedSpec, input: Key) -> bool {
        let share = share_of(shared, input);
        let threshold = part(share.alpha, self.shared_free(node, shared, share.pool));
        let used = self.shared_used(shared, input);
        let held = self.held(input);
        let is_low = used == 0
            || used + share.resume_offset_bytes <= threshold
            || held.held + held.headroom <= share.resume_floor_bytes;
        is_low && held.headroom == 0
    }

    /// Inputs that a departure may bring below their thresholds: the one the frame came over.
    pub fn inputs_to_look_at(&self, frame: &Frame) -> Vec<Point> {
        let input = frame.came_over.iter();
        input
            .map(|input| Point::Input(*input, frame.class))
            .collect()
    }
}
