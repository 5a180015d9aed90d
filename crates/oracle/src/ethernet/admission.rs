//! Which frames join a queue, and what it and the memory count.

use backwater_kernel::{Probability, Time};
use backwater_net::frames::probe::LossCause;
use backwater_net::frames::spec::{Ratio, SharedSpec, WatchdogAction};

use super::network::{Frame, Network, Point, channel_spec};

impl Network {
    /// A frame joins the queue of its class in front of `channel`.
    pub fn joins(&mut self, now: Time, channel: usize, mut frame: Frame) {
        self.mark(channel, &mut frame);
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
        self.after_join(now, Point::Output(channel, class), &frame);
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

    /// The mark is decided by what the queue holds before the frame joins.
    fn mark(&mut self, channel: usize, frame: &mut Frame) {
        let Some(ecn) = self.queue_spec(channel, frame.class).ecn else {
            return;
        };
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

/// `ratio` of `bytes`, rounded down.
fn part(ratio: Ratio, bytes: u64) -> u64 {
    let part = u128::from(bytes) * u128::from(ratio.numerator) / u128::from(ratio.denominator);
    part as u64
}

/// Shared memory. All is counted per (channel a frame came over, class).
impl Network {
    /// Bytes of the shared part: all but the reserves and the pool of headroom.
    fn shared_part(&self, node: usize, shared: &SharedSpec) -> u64 {
        let ports = self.leaving(node);
        let queues: usize = ports.map(|it| self.channels[it].queues.len()).sum();
        let reserved = queues as u64 * shared.reserve_bytes;
        shared.bytes.saturating_sub(reserved + shared.pool_bytes)
    }

    /// Bytes of the shared part that an input port and class holds.
    fn shared_used(&self, shared: &SharedSpec, input: (usize, usize)) -> u64 {
        let share = self.shares.get(&input).copied().unwrap_or_default();
        share.held.saturating_sub(shared.reserve_bytes)
    }

    fn inputs_of(&self, node: usize) -> Vec<(usize, usize)> {
        let shares = self.shares.keys().copied();
        shares
            .filter(|(channel, _)| self.head(*channel) == node)
            .collect()
    }

    fn shared_free(&self, node: usize, shared: &SharedSpec) -> u64 {
        let inputs = self.inputs_of(node).into_iter();
        let used: u64 = inputs.map(|input| self.shared_used(shared, input)).sum();
        self.shared_part(node, shared).saturating_sub(used)
    }

    fn headroom(&self, input: (usize, usize)) -> u64 {
        self.shares.get(&input).map_or(0, |share| share.headroom)
    }

    /// Does the frame fit into the reserve and the shared part?
    fn fits(&self, node: usize, shared: &SharedSpec, input: (usize, usize), bytes: u64) -> bool {
        let share = self.shares.get(&input).copied().unwrap_or_default();
        let before = self.shared_used(shared, input);
        let after = (share.held + bytes).saturating_sub(shared.reserve_bytes);
        let free = self.shared_free(node, shared);
        after == 0 || (after <= part(shared.alpha, free) && after - before <= free)
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
        let fits = self.fits(node, shared, key, frame.bytes);
        if self.back_pressure(node, frame.class).is_none() {
            let queue = self.queue(channel, frame.class).bytes() + frame.bytes;
            let free = self.shared_free(node, shared);
            let share = self.shares.get(&key).copied().unwrap_or_default();
            let in_reserve = share.held + frame.bytes <= shared.reserve_bytes;
            let is_over = queue > part(shared.output_alpha, free) && !in_reserve;
            let after = (share.held + frame.bytes).saturating_sub(shared.reserve_bytes);
            let cause = match after - self.shared_used(shared, key) <= free {
                true => LossCause::Threshold,
                false => LossCause::Pool,
            };
            return (!fits || is_over).then_some(cause);
        }
        let inputs = self.inputs_of(node).into_iter();
        let pool: u64 = inputs.map(|it| self.headroom(it)).sum();
        let has_headroom = self.headroom(key) + frame.bytes <= shared.headroom_bytes
            && pool + frame.bytes <= shared.pool_bytes;
        (!fits && !has_headroom).then_some(LossCause::Buffer)
    }

    pub fn take_memory(&mut self, channel: usize, frame: &Frame) {
        let node = self.tail(channel);
        let (Some(shared), Some(input)) = (self.shared(node), frame.came_over) else {
            return;
        };
        let key = (input, frame.class);
        let fits = self.fits(node, &shared, key, frame.bytes);
        let share = self.shares.entry(key).or_default();
        match fits {
            true => share.held += frame.bytes,
            false => share.headroom += frame.bytes,
        }
    }

    /// Headroom empties first.
    pub fn leave_memory(&mut self, channel: usize, frame: &Frame) {
        let Some(input) = frame.came_over else { return };
        if self.shared(self.tail(channel)).is_none() {
            return;
        }
        let share = self.shares.entry((input, frame.class)).or_default();
        let from_headroom = share.headroom.min(frame.bytes);
        share.headroom -= from_headroom;
        share.held -= frame.bytes - from_headroom;
    }

    /// Is an input port and class above its threshold?
    pub fn is_share_over(&self, node: usize, shared: &SharedSpec, input: (usize, usize)) -> bool {
        let threshold = part(shared.alpha, self.shared_free(node, shared));
        self.headroom(input) > 0 || self.shared_used(shared, input) > threshold
    }

    /// May it be resumed?
    pub fn is_share_under(&self, node: usize, shared: &SharedSpec, input: (usize, usize)) -> bool {
        let threshold = part(shared.alpha, self.shared_free(node, shared));
        let used = self.shared_used(shared, input);
        let is_low = used == 0 || used + shared.resume_offset_bytes <= threshold;
        is_low && self.headroom(input) == 0
    }

    /// Inputs that a departure may bring below their thresholds: the one the frame came over.
    pub fn inputs_to_look_at(&self, frame: &Frame) -> Vec<Point> {
        let input = frame.came_over.iter();
        input
            .map(|input| Point::Input(*input, frame.class))
            .collect()
    }
}
