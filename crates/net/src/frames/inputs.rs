//! What came in and has not left, by account: limits, and detection where PFC switches do it.

use alloc::format;

use backwater_kernel::{EventQueue, Place};

use crate::classes::Node;
use crate::classes::account::Account;
use crate::classes::shape::{CREDIT, Has, INPUTS, MULTICAST, SHARED, may};
use crate::hop::frame::COPY;
use crate::probe::{LossCause, Probe};
use crate::simulation::Simulation;

/// A frame is in. Is the account above its threshold, which nobody has been told yet?
#[inline(always)]
fn count<const HAS: Has>(node: &mut Node, account: &mut Account, bytes: u64) -> bool {
    node.bytes += bytes;
    node.most_bytes = node.most_bytes.max(node.bytes);
    account.bytes += bytes;
    account.most_bytes = account.most_bytes.max(account.bytes);
    let may_stop = node.detects_inputs && node.lossless & 1 << account.class != 0;
    may_stop
        && !account.is_congested
        && match &node.shared {
            Some(shared) if may(HAS, SHARED) => shared.is_above(account),
            Some(_) | None => account.bytes > account.high_bytes,
        }
}

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// A frame for the queue `queue` comes in: it counts at its node and its account, if inputs are
    /// counted there, or there is no room. Is its sender to be stopped now?
    #[inline(always)]
    pub(crate) fn enter_account<const HAS: Has>(
        &mut self,
        node_id: u32,
        account_id: u32,
        queue: usize,
        mut bytes: u64,
    ) -> Result<bool, LossCause> {
        let classes = &mut self.network.classes;
        let at = classes.account_in::<HAS>(account_id);
        let node = &mut classes.nodes[node_id as usize];
        if !may(HAS, INPUTS) || !node.counts_inputs {
            return Ok(false);
        }
        let account = &mut classes.accounts[at];
        if let Some(shared) = &mut node.shared
            && may(HAS, SHARED)
        {
            let of_queue = match node.lossless & 1 << account.class != 0 {
                true => None,
                false => Some((classes.queues[queue].share, classes.queues[queue].bytes)),
            };
            bytes = shared.taken(bytes);
            if let Err(cause) = shared.admit(account, of_queue, bytes) {
                if of_queue.is_none() && shared.has_promised(account) {
                    self.note_headroom(account_id);
                }
                return Err(cause);
            }
            let most = &mut classes.account_times[at].headroom_most_bytes;
            *most = account.headroom_bytes.max(*most);
        } else if account.bytes + bytes > account.limit_bytes {
            return Err(LossCause::Buffer);
        }
        if !may(HAS, CREDIT) || classes.credits.lanes.is_empty() {
            return Ok(count::<HAS>(node, account, bytes));
        }
        if let Some(leg) = classes.credits.leg(account_id as usize) {
            self.take_place(leg, bytes)?;
        }
        let classes = &mut self.network.classes;
        let node = &mut classes.nodes[node_id as usize];
        Ok(count::<HAS>(node, &mut classes.accounts[at], bytes))
    }

    /// The sender of what an account holds, which is under back-pressure, is to be stopped.
    #[inline(never)]
    pub(crate) fn stop_account(&mut self, node: u32, account: u32) {
        let at = self.network.classes.queue_of(account).0;
        let account = &mut self.network.classes.accounts[at];
        account.is_congested = true;
        let (channel, class) = (account.channel, account.class);
        if let Some(gate) = self.network.classes.nodes[node as usize].gate_of(channel, class) {
            self.ask(channel ^ 1, gate);
        }
    }

    /// A frame that an account of the node holds has left, or one of the copies that share it has:
    /// they count until the last is gone. Nothing counts where inputs do not.
    #[inline(always)]
    pub(crate) fn leave_account<const HAS: Has>(
        &mut self,
        node_id: u32,
        mut account: u32,
        mut bytes: u64,
    ) {
        if may(HAS, MULTICAST) && account & COPY != 0 {
            if !self.network.classes.nodes[node_id as usize].counts_inputs {
                return;
            }
            let (copies, place) = (&mut self.network.copies, account & !COPY);
            account = copies.account(place);
            if copies.sent_by_one(place, self.now).is_none() {
                return;
            }
        }
        let classes = &mut self.network.classes;
        let at = classes.account_in::<HAS>(account);
        let node = &mut classes.nodes[node_id as usize];
        if !node.counts_inputs {
            return;
        }
        let input = &mut classes.accounts[at];
        if let Some(shared) = &mut node.shared
            && may(HAS, SHARED)
        {
            bytes = shared.taken(bytes);
            shared.leave(input, bytes);
        }
        node.bytes -= bytes;
        input.bytes -= bytes;
        if input.is_congested {
            self.look_whether_below(node_id, at);
        } else if may(HAS, CREDIT)
            && let Some(leg) = classes.credits.leg(account as usize)
        {
            // No account has both.
            self.free_place(leg, bytes);
        }
    }

    /// An account whose sender was stopped holds less: may that go on?
    #[inline(never)]
    fn look_whether_below(&mut self, node_id: u32, at: usize) {
        let classes = &mut self.network.classes;
        let node = &classes.nodes[node_id as usize];
        let account = &mut classes.accounts[at];
        let is_below = match &node.shared {
            Some(shared) => shared.is_below(account),
            None => account.bytes < account.low_bytes,
        };
        if is_below {
            account.is_congested = false;
            let (channel, class) = (account.channel, account.class);
            if let Some(gate) = node.gate_of(channel, class) {
                self.give_back(channel ^ 1, gate);
            }
        }
    }

    /// What an account holds has found no headroom although its switch promised enough.
    #[cold]
    fn note_headroom(&mut self, account: u32) {
        let at = self.network.classes.queue_of(account).0;
        let account = &self.network.classes.accounts[at];
        let (place, class) = (Place::Channel(account.channel), account.class);
        self.violations.note(self.now, place, || {
            format!("headroom was not enough for class {class}, which was promised")
        });
    }
}
