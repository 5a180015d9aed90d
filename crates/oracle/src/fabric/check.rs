//! Laws that hold at the end of every cycle. All is counted anew, from where flits are.

use backwater_kernel::BuildError;

use super::network::{Channel, End, Flit, Network, wrong};

impl Network {
    /// Notes the first broken law; the cycle ends with it.
    pub fn break_law(&mut self, what: String) {
        self.broken.get_or_insert(what);
    }

    /// Flits that wait at sources.
    pub fn queued(&self) -> u64 {
        let waiting = |packet: &usize| u64::from(self.packets[*packet].length);
        let queues = self.sources.iter().flat_map(|source| &source.queue);
        let terminals = self.nodes.iter().filter(|node| node.is_terminal);
        let lanes = terminals.flat_map(|node| &node.inputs[0].lanes);
        let in_lanes = lanes.map(|lane| lane.buffer.len() as u64);
        queues.map(waiting).sum::<u64>() + in_lanes.sum::<u64>()
    }

    /// Flits in routers and on channels.
    pub fn inside(&self) -> u64 {
        let routers = self.nodes.iter().filter(|node| !node.is_terminal);
        let lanes = routers
            .flat_map(|node| &node.inputs)
            .flat_map(|input| &input.lanes);
        let stored = lanes.map(|lane| lane.buffer.len());
        let channels = self.channels.iter();
        let under_way = channels.map(|channel| channel.output_buffer.len() + channel.flying.len());
        stored.chain(under_way).sum::<usize>() as u64
    }

    /// A flit comes out of a channel: it must be the next of the packet begun on that lane.
    pub fn check_order(&mut self, id: usize, lane: usize, flit: Flit) {
        let index = flit.index.saturating_add(1);
        let next = (!self.is_tail(flit)).then_some(Flit { index, ..flit });
        let expected = std::mem::replace(&mut self.channels[id].expects[lane], next);
        let fits = match expected {
            None => flit.index == 0,
            Some(expected) => flit == expected,
        };
        if !fits {
            self.break_law(format!(
                "channel {id}, lane {lane} brought {flit:?}, expected {expected:?}"
            ));
        }
    }

    pub fn check(&mut self, now: u64) -> Result<(), BuildError> {
        let broken = self.broken.take();
        let broken = broken.or_else(|| self.conservation());
        let broken = broken.or_else(|| self.room());
        match broken.or_else(|| self.holders()) {
            Some(what) => wrong(format!("cycle {now}: {what}")),
            None => Ok(()),
        }
    }

    fn conservation(&self) -> Option<String> {
        let (queued, inside) = (self.queued(), self.inside());
        let found = self.delivered + queued + inside;
        (found != self.created).then(|| {
            format!(
                "{} flits born, but {} delivered, {queued} queued, {inside} inside",
                self.created, self.delivered
            )
        })
    }

    /// Credits, credits and flits under way, and flits stored fill each lane exactly.
    fn room(&self) -> Option<String> {
        for (id, channel) in self.channels.iter().enumerate() {
            let End::Router { node, port } = channel.end else {
                continue;
            };
            for (lane, in_lane) in self.nodes[node].inputs[port].lanes.iter().enumerate() {
                let stored = in_lane.buffer.len();
                let credits = channel.lanes[lane].credits.unwrap_or(0) as usize;
                let (flits, returning) = under_way(channel, lane);
                let depth = usize::from(self.spec.router.depth);
                if credits + returning + flits + stored != depth {
                    return Some(format!(
                        "channel {id}, lane {lane}: {credits} credits, {returning} coming, \
                         {flits} flits under way and {stored} stored, depth {depth}"
                    ));
                }
            }
        }
        None
    }

    /// Every front packet with a target holds it, and is the only one to.
    fn holders(&self) -> Option<String> {
        let mut claimed = Vec::new();
        for (index, node) in self.nodes.iter().enumerate() {
            for in_lane in node.inputs.iter().flat_map(|input| &input.lanes) {
                let Some((output, lane)) = in_lane.target else {
                    continue;
                };
                let id = node.outputs[output];
                let holder = self.channels[id].lanes[lane].holder;
                let front = in_lane.buffer.front().map(|stored| stored.flit.packet);
                let is_other = front.is_some() && front != holder;
                if holder.is_none() || is_other || claimed.contains(&(id, lane)) {
                    return Some(format!(
                        "node {index}: {front:?} claims lane {lane} of channel {id}, {holder:?} \
                         holds it"
                    ));
                }
                claimed.push((id, lane));
            }
        }
        None
    }
}

/// Flits that took a credit of this lane and are not stored yet, and credits on their way back.
fn under_way(channel: &Channel, lane: usize) -> (usize, usize) {
    let buffered = channel.output_buffer.iter();
    let flying = channel.flying.iter();
    let flits = buffered
        .map(|entry| entry.0)
        .chain(flying.map(|flying| flying.lane));
    let returning = channel.credits_coming.iter().map(|coming| coming.1);
    (
        flits.filter(|of| *of == lane).count(),
        returning.filter(|of| *of == lane).count(),
    )
}
