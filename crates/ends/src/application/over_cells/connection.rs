//! A connection: both ends, the frames each has under way, what uses it.

use backwater_kernel::stream::Purpose;
use backwater_kernel::{Stream, Time};

use super::super::transfers::{End, Milestone, Plan, Transfers};
use super::frames::Frames;
use crate::outcome::CellTcpOutcome;
use crate::spec::units::CellTcpSpec;
use crate::tcp::HostClock;
use crate::{Endpoint, Segment};

/// State of one connection. Arrays hold the opener's first.
pub struct Connection {
    spec: CellTcpSpec,
    /// On which each end sends.
    pub flows: [u32; 2],
    ends: [Endpoint; 2],
    /// Frames that each end sends.
    frames: [Frames; 2],
    transfers: Transfers,
    /// Requests answered in full.
    answered: u64,
    /// Cells of new frames that source control was not told of.
    fresh_cells: [u64; 2],
    /// The earliest event that will call `on_timer`.
    armed_at: Option<Time>,
    delivered_bytes: u64,
    delivered_bytes_total: u64,
    returned_bytes: u64,
    returned_bytes_total: u64,
}

impl Connection {
    /// A connection on which nothing was sent, between these hosts.
    pub fn new(spec: &CellTcpSpec, flows: [u32; 2], hosts: [u32; 2], seed: u64) -> Connection {
        let end = |host, opens: bool| {
            let clock = HostClock::of_host(seed, host, &spec.tcp);
            let flow = u64::from(flows[usize::from(!opens)]);
            let key = Stream::new(seed, flow, Purpose::Probing).next_u64();
            Endpoint::new(&spec.tcp, clock, opens).drawing_from(key)
        };
        Connection {
            spec: spec.clone(),
            flows,
            ends: [end(hosts[0], true), end(hosts[1], false)],
            frames: [Frames::new(spec), Frames::new(spec)],
            transfers: Transfers::new(Plan::over_cells(spec), seed, flows[0]),
            answered: 0,
            fresh_cells: [0; 2],
            armed_at: None,
            delivered_bytes: 0,
            delivered_bytes_total: 0,
            returned_bytes: 0,
            returned_bytes_total: 0,
        }
    }

    /// A cell that `sender` sends gets its number.
    pub fn on_cell_sent(&mut self, sender: End, number: u32) {
        self.frames[sender as usize].on_cell_sent(number);
    }

    /// A cell from `sender` came; the segment it completes.
    pub fn on_cell(&mut self, sender: End, number: u32) -> Option<Segment> {
        self.frames[sender as usize].on_cell(number)
    }

    /// A segment reached `end`; when the request was issued whose response it completes.
    pub fn on_segment(
        &mut self,
        now: Time,
        end: End,
        segment: &Segment,
        is_measured: bool,
    ) -> Option<Time> {
        let tcp = &self.spec.tcp;
        let received = self.ends[end as usize].on_segment(now, tcp, segment, false);
        let bytes = received.delivered_bytes;
        let measured = if is_measured { bytes } else { 0 };
        match end {
            End::Opener => {
                self.returned_bytes_total += bytes;
                self.returned_bytes += measured;
            }
            End::Answerer => {
                self.delivered_bytes_total += bytes;
                self.delivered_bytes += measured;
            }
        }
        let milestone = self.transfers.on_received(now, end, &received);
        self.send(now, end);
        self.wake_if_due(now);
        match milestone {
            Some(Milestone::Answered(began)) => {
                self.answered += 1;
                Some(began)
            }
            Some(Milestone::FileIn(_) | Milestone::FileAcknowledged(_)) | None => None,
        }
    }

    /// An event that [`Connection::arm`] asked for; false if another has taken its place.
    pub fn on_timer(&mut self, now: Time) -> bool {
        if self.armed_at != Some(now) {
            return false;
        }
        self.armed_at = None;
        self.wake_if_due(now);
        for end in [End::Opener, End::Answerer] {
            let endpoint = &mut self.ends[end as usize];
            if endpoint.timer().is_some_and(|due| due <= now) {
                endpoint.on_timer(now, &self.spec.tcp);
                self.send(now, end);
            }
        }
        true
    }

    /// When the first of its timers runs out, of those that run.
    fn due(&self) -> Option<Time> {
        let [opener, answerer] = &self.ends;
        let timers = [self.transfers.wakes_at, opener.timer(), answerer.timer()];
        timers.into_iter().flatten().min()
    }

    /// Will anything happen by itself?
    pub fn waits(&self) -> bool {
        self.due().is_some()
    }

    /// When an event must call [`Connection::on_timer`], if none does by then.
    pub fn arm(&mut self, now: Time) -> Option<Time> {
        let due = self.due()?.max(now);
        if self.armed_at.is_some_and(|armed| armed <= due) {
            return None;
        }
        self.armed_at = Some(due);
        self.armed_at
    }

    /// Cells that each end has to offer to source control.
    pub fn take_cells(&mut self) -> [u64; 2] {
        core::mem::take(&mut self.fresh_cells)
    }

    /// When the request under way began, if there is one.
    pub fn unanswered(&self) -> Option<Time> {
        self.transfers.unanswered()
    }

    /// What was found.
    pub fn outcome(&self) -> CellTcpOutcome {
        let [opener, answerer] = &self.ends;
        CellTcpOutcome {
            delivered_bytes: self.delivered_bytes,
            delivered_bytes_total: self.delivered_bytes_total,
            returned_bytes: self.returned_bytes,
            returned_bytes_total: self.returned_bytes_total,
            requests_total: self.answered,
            broken_frames_total: self.frames.iter().map(|frames| frames.broken).sum(),
            opener: opener.counts(),
            answerer: answerer.counts(),
        }
    }

    fn wake_if_due(&mut self, now: Time) {
        if self.transfers.is_due(now) {
            let (end, bytes) = self.transfers.wake(now);
            self.ends[end as usize].send(now, &self.spec.tcp, bytes);
            self.send(now, end);
        }
    }

    /// Cuts what an end may send now into cells.
    fn send(&mut self, now: Time, end: End) {
        let index = end as usize;
        while let Some(segment) = self.ends[index].poll(now, &self.spec.tcp) {
            self.fresh_cells[index] += u64::from(self.frames[index].offer(segment));
        }
    }
}
