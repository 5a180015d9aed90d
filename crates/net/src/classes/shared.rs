//! A shared memory with dynamic thresholds (Choudhury and Hahne 1998), reserves and headroom, as
//! in the switches of today's lossless fabrics.
//!
//! All is counted in cells of the memory: [`Shared::taken`] says what a frame takes, and what is
//! called `bytes` here is that.
//!
//! Not modelled: memory split between pipelines, pools of output queues.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use backwater_kernel::Survey;

use crate::classes::account::Account;
use crate::outcome::LossCause;
use crate::spec::frames::{Ratio, ShareSpec, SharedSpec, in_cells};

/// The memory of a switch.
#[derive(Clone, Debug)]
pub(crate) struct Shared {
    cell_bytes: u32,
    /// What inputs may have, each kind once.
    shares: Vec<ShareSpec>,
    pools: Vec<Pool>,
}

/// A part of it.
#[derive(Clone, Debug)]
struct Pool {
    /// What is neither reserve nor headroom.
    shared_bytes: u64,
    used_bytes: u64,
    headroom_bytes: u64,
    used_headroom_bytes: u64,
    /// Inputs that use headroom, and how many of them it is enough for.
    inputs_in_headroom: u32,
    safe_inputs: Option<u32>,
}

impl Pool {
    /// What an input, or a queue, may hold of the shared part now.
    fn threshold(&self, alpha: Ratio) -> u64 {
        let free = self.shared_bytes - self.used_bytes;
        let wide = u128::from(free) * u128::from(alpha.numerator) / u128::from(alpha.denominator);
        wide.min(u128::from(u64::MAX)) as u64
    }
}

impl Shared {
    /// What is used, for a run that repeats itself.
    pub fn survey_shared(&self, survey: &mut Survey) {
        let Shared {
            cell_bytes: _,
            shares: _,
            pools,
        } = self;
        for pool in pools {
            let Pool {
                shared_bytes: _,
                used_bytes,
                headroom_bytes: _,
                used_headroom_bytes,
                inputs_in_headroom,
                safe_inputs: _,
            } = pool;
            survey.fixed(*used_bytes);
            survey.fixed(*used_headroom_bytes);
            survey.fixed(u64::from(*inputs_in_headroom));
        }
    }

    /// For these inputs, by channel and class; also which of its shares each of them has. `None`
    /// if reserves and headroom are more than there is.
    pub fn new(spec: &SharedSpec, inputs: &[(u32, u8)]) -> Option<(Shared, Vec<u16>)> {
        let differing = spec.own.iter().map(|own| ((own.channel, own.class), own));
        let differing: BTreeMap<_, _> = differing.collect();
        let mut shares: Vec<ShareSpec> = Vec::from([spec.share]);
        let mut free: Vec<u64> = Vec::new();
        for pool in &spec.pools {
            free.push(pool.bytes.checked_sub(pool.headroom_bytes)?);
        }
        let mut kinds = Vec::new();
        for input in inputs {
            let share = differing.get(input).map_or(&spec.share, |own| &own.share);
            let known = shares.iter().position(|known| known == share);
            let kind = known.unwrap_or_else(|| {
                shares.push(*share);
                shares.len() - 1
            });
            kinds.push(u16::try_from(kind).ok()?);
            let free = free.get_mut(usize::from(share.pool))?;
            *free = free.checked_sub(share.reserve_bytes)?;
        }
        let pools = spec.pools.iter().zip(free).map(|(pool, free)| Pool {
            shared_bytes: free,
            used_bytes: 0,
            headroom_bytes: pool.headroom_bytes,
            used_headroom_bytes: 0,
            inputs_in_headroom: 0,
            safe_inputs: pool.safe_inputs,
        });
        let shared = Shared {
            cell_bytes: spec.cell_bytes,
            pools: pools.collect(),
            shares,
        };
        Some((shared, kinds))
    }

    /// What a frame takes.
    #[inline]
    pub fn taken(&self, bytes: u64) -> u64 {
        in_cells(self.cell_bytes, bytes)
    }

    #[inline]
    fn of(&self, account: &Account) -> (&ShareSpec, &Pool) {
        let share = &self.shares[usize::from(account.share)];
        (share, &self.pools[usize::from(share.pool)])
    }

    #[inline]
    fn pool_of(&mut self, account: &Account) -> &mut Pool {
        let share = &self.shares[usize::from(account.share)];
        &mut self.pools[usize::from(share.pool)]
    }

    /// Takes a frame of `bytes` in: in the reserve and the shared part, or (if `queue` is `None`:
    /// the class is lossless) as a whole in the headroom. `queue` is the share of its output
    /// queue and what that holds.
    pub fn admit(
        &mut self,
        account: &mut Account,
        queue: Option<(u16, u64)>,
        bytes: u64,
    ) -> Result<(), LossCause> {
        let (share, pool) = self.of(account);
        let held = account.bytes - account.headroom_bytes;
        let after = (held + bytes).saturating_sub(share.reserve_bytes);
        if after == 0 {
            return Ok(());
        }
        let more = after - account.shared_bytes;
        let may_share =
            after <= pool.threshold(share.alpha) && pool.used_bytes + more <= pool.shared_bytes;
        let fits_queue = queue.is_none_or(|(own, held)| self.fits_output(pool, own, held + bytes));
        if may_share && fits_queue {
            account.shared_bytes = after;
            self.pool_of(account).used_bytes += more;
            Ok(())
        } else if queue.is_none() {
            self.admit_to_headroom(account, bytes)
        } else {
            Err(self.refusal(account, bytes))
        }
    }

    /// What a frame of a class without back-pressure is refused by that does not fit.
    pub fn refusal(&self, account: &Account, bytes: u64) -> LossCause {
        let (share, pool) = self.of(account);
        let held = account.bytes - account.headroom_bytes;
        let after = (held + bytes).saturating_sub(share.reserve_bytes);
        let more = after - account.shared_bytes;
        match pool.used_bytes + more <= pool.shared_bytes {
            true => LossCause::Threshold,
            false => LossCause::Pool,
        }
    }

    /// May a queue with the share `own` that holds so much take a frame of a class without
    /// back-pressure? It may where the frame fits into the reserve of its input.
    pub fn fits_queue(
        &self,
        account: &Account,
        (own, queue_bytes): (u16, u64),
        bytes: u64,
    ) -> bool {
        let (share, pool) = self.of(account);
        let held = account.bytes - account.headroom_bytes;
        held + bytes <= share.reserve_bytes || self.fits_output(pool, own, queue_bytes + bytes)
    }

    fn fits_output(&self, pool: &Pool, own: u16, queue_bytes: u64) -> bool {
        queue_bytes <= pool.threshold(self.shares[usize::from(own)].output_alpha)
    }

    fn admit_to_headroom(&mut self, account: &mut Account, bytes: u64) -> Result<(), LossCause> {
        let (share, pool) = self.of(account);
        let fits = account.headroom_bytes + bytes <= share.headroom_bytes
            && pool.used_headroom_bytes + bytes <= pool.headroom_bytes;
        if !fits {
            return Err(LossCause::Buffer);
        }
        let pool = self.pool_of(account);
        pool.inputs_in_headroom += u32::from(account.headroom_bytes == 0);
        pool.used_headroom_bytes += bytes;
        account.headroom_bytes += bytes;
        Ok(())
    }

    /// Headroom was promised to the input, which has found none.
    pub fn has_promised(&self, account: &Account) -> bool {
        let (_, pool) = self.of(account);
        let using = pool.inputs_in_headroom + u32::from(account.headroom_bytes == 0);
        pool.safe_inputs.is_some_and(|safe| using <= safe)
    }

    /// A frame of the input has left: headroom is freed first, the reserve last.
    pub fn leave(&mut self, account: &mut Account, bytes: u64) {
        let headroom = bytes.min(account.headroom_bytes);
        let shared = (bytes - headroom).min(account.shared_bytes);
        let pool = self.pool_of(account);
        pool.used_headroom_bytes -= headroom;
        pool.used_bytes -= shared;
        pool.inputs_in_headroom -= u32::from(headroom > 0 && headroom == account.headroom_bytes);
        account.headroom_bytes -= headroom;
        account.shared_bytes -= shared;
    }

    /// Must the neighbour at this input stop?
    pub fn is_above(&self, account: &Account) -> bool {
        let (share, pool) = self.of(account);
        account.headroom_bytes > 0 || account.shared_bytes > pool.threshold(share.alpha)
    }

    /// May it go on?
    pub fn is_below(&self, account: &Account) -> bool {
        let (share, pool) = self.of(account);
        let held = account.shared_bytes + share.resume_offset_bytes;
        account.headroom_bytes == 0
            && (account.shared_bytes == 0
                || account.bytes <= share.resume_floor_bytes
                || held <= pool.threshold(share.alpha))
    }
}

#[cfg(test)]
mod tests;
