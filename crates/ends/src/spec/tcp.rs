//! What a connection is told: plain data.

use backwater_kernel::Duration;

use crate::control::Inner;
use crate::outside::ControlRecipe;

/// A flavour of TCP, every choice explicit: flavours differ by more than their names.
#[derive(Clone, PartialEq, Debug)]
pub struct TcpSpec {
    /// Payload bytes of a full segment.
    pub mss_bytes: u32,
    /// How the congestion window grows and shrinks.
    pub congestion: Congestion,
    /// How losses are repaired.
    pub recovery: Recovery,
    /// First congestion window, segments.
    pub initial_window_segments: u32,
    /// The receiver's window (and so the most in flight), bytes.
    pub window_bytes: u32,
    /// When the retransmission timer runs.
    pub timer: TimerSpec,
    /// When the receiver acknowledges.
    pub acks: AckSpec,
    /// Duplicate acknowledgements that provoke a fast retransmit; 0 never does.
    pub duplicate_threshold: u32,
    /// After a silence of one retransmission time-out, the window starts anew.
    pub idle_restart: bool,
    /// What a new transfer (file, response) takes over from the one before.
    pub reuse: Reuse,
    /// What marks of congestion (ECN) do.
    pub ecn: Ecn,
    /// How slow start ends (with CUBIC).
    pub slow_start: SlowStart,
    /// The first segments of a connection, and after a silence, that are acknowledged one by one.
    pub quick_acks: u32,
    /// With [`Recovery::Rack`]: a probe goes before the time-out (TLP).
    pub tail_probe: bool,
    /// With [`Recovery::Rack`]: the window shrinks with what arrives (PRR), not at once.
    pub is_proportional: bool,
    /// With [`Recovery::Rack`]: duplicates that the receiver tells of (DSACK) bring the window
    /// back.
    pub undo: bool,
    /// A handshake before the first data measured this; `None` where none is known of.
    pub handshake_rtt: Option<Duration>,
    /// Segments are spaced: at the rate of the control, else of the window in a round trip.
    pub pacing: bool,
    /// Segments are handed down in bursts, if they are.
    pub burst: Option<BurstSpec>,
}

/// How slow start ends before a loss.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SlowStart {
    /// It does not.
    Loss,
    /// By the length of the train of acknowledgements, or by delay (HyStart, as Linux has it).
    HyStart,
    /// By delay, through rounds of slower growth (HyStart++, RFC 9406).
    HyStartPlusPlus,
}

/// What a host hands down at once (segmentation offload).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BurstSpec {
    /// Bytes of payload, at most.
    pub most_bytes: u32,
    /// How links and queues take it.
    pub queued: Queued,
}

/// How links and queues take a burst.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Queued {
    /// Frame by frame.
    Frames,
    /// As a whole.
    Whole,
}

/// How the congestion window grows and shrinks.
#[derive(Clone, PartialEq, Debug)]
pub enum Congestion {
    /// Slow start and congestion avoidance as in 4.3BSD Reno and later.
    Reno {
        /// Congestion avoidance adds `MSS * MSS / cwnd + MSS / 8` instead of `MSS * MSS / cwnd`
        /// for each acknowledgement, as 4.3BSD Reno to 4.4BSD did.
        eighth: bool,
    },
    /// CUBIC, RFC 9438.
    Cubic,
    /// BBR, version 1.
    Bbr,
    /// BBR, version 3.
    Bbr3,
    /// Written outside this program.
    Outside(ControlRecipe),
}

/// How losses are repaired.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Recovery {
    /// No fast recovery: the window collapses to one segment (Tahoe).
    Tahoe,
    /// Fast recovery ends with the first new acknowledgement.
    Reno,
    /// A partial acknowledgement provokes the next retransmission (RFC 6582).
    NewReno,
    /// Selective acknowledgements, pipe and scoreboard (RFC 6675).
    Sack,
    /// Selective acknowledgements, and losses by time (RACK, RFC 8985).
    Rack,
}

impl Recovery {
    /// Acknowledgements tell of ranges.
    #[inline]
    pub fn has_sack(self) -> bool {
        match self {
            Recovery::Sack | Recovery::Rack => true,
            Recovery::Tahoe | Recovery::Reno | Recovery::NewReno => false,
        }
    }
}

/// When the retransmission timer runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimerSpec {
    /// Granularity; every time is counted in ticks of the host's slow timer (4.4BSD: 500 ms).
    /// `None`: the clock's own, one timer a connection, exact to the picosecond.
    pub tick: Option<Duration>,
    /// Before the first measurement (4.4BSD: 3 s; RFC 6298: 1 s).
    pub initial_rto: Duration,
    /// Least retransmission time-out (4.4BSD: 2 ticks = 1 s; Linux: 200 ms).
    pub min_rto: Duration,
    /// Largest after back-off (4.4BSD: 64 s).
    pub max_rto: Duration,
}

/// When the receiver acknowledges.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AckSpec {
    /// Each data segment at once.
    Every,
    /// Every second full segment, else at the next tick of the host's fast timer (4.4BSD:
    /// 200 ms); out of order and duplicate data at once.
    DelayedTick(Duration),
    /// Every second full segment, else this long after the first that waits (RFC 1122, 5681).
    Delayed {
        /// The longest wait.
        after: Duration,
        /// Is what ends the sender's buffer (PSH) acknowledged at once?
        push: bool,
    },
}

/// What a new transfer takes over from the one before it on the same connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reuse {
    /// Everything: one long connection.
    Persistent,
    /// Round-trip times; congestion window and threshold start anew, without a handshake.
    FreshWindow,
    /// Nothing: a new connection with SYN, SYN-ACK, and FIN at the end.
    Handshake,
}

/// What marks of congestion do.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Ecn {
    /// Segments are not marked (not ECT).
    Off,
    /// RFC 3168: the window shrinks as for a loss, once a round trip.
    Classic,
    /// DCTCP (RFC 8257), the fraction of marked bytes averaged with gain `1 / 2^shift`.
    Dctcp {
        /// 4 in the paper and in RFC 8257.
        gain_shift: u8,
    },
}

impl Congestion {
    /// It is told what each acknowledgement delivers, and says at which rate to send.
    pub fn goes_by_delivery(&self) -> bool {
        match self {
            Congestion::Bbr | Congestion::Bbr3 => true,
            Congestion::Reno { .. } | Congestion::Cubic | Congestion::Outside(_) => false,
        }
    }

    /// It keeps such a number to itself.
    pub fn keeps(&self, number: Inner) -> bool {
        let of_bbr = [
            Inner::Bandwidth,
            Inner::LeastRtt,
            Inner::PacingGain,
            Inner::Phase,
        ];
        self.goes_by_delivery() && of_bbr.contains(&number)
    }
}

impl TcpSpec {
    /// Its segments are spaced.
    pub fn is_paced(&self) -> bool {
        self.pacing || self.congestion.goes_by_delivery()
    }

    /// Payload of the largest frame, and frames beyond the first that it takes on the wire.
    pub fn largest(&self) -> (u32, u32) {
        match self.burst {
            Some(burst) if burst.queued == Queued::Whole => {
                let segments = (burst.most_bytes / self.mss_bytes.max(1)).max(2);
                (segments * self.mss_bytes, segments - 1)
            }
            Some(_) | None => (self.mss_bytes, 0),
        }
    }

    /// What it slows down for.
    pub fn slowed_by(&self) -> &'static str {
        match (&self.congestion, self.ecn) {
            (Congestion::Outside(_), _) => "what is written outside",
            (Congestion::Reno { .. } | Congestion::Cubic, Ecn::Dctcp { .. }) => {
                "marks and losses (DCTCP)"
            }
            (Congestion::Reno { .. }, _) => "losses (Reno)",
            (Congestion::Cubic, _) => "losses (CUBIC)",
            (Congestion::Bbr | Congestion::Bbr3, _) => "what is delivered, and how fast (BBR)",
        }
    }

    /// Reno as 4.4BSD had it and Nouredine and Tobagi (1999) are best reproduced with: MSS 1024,
    /// the MSS/8 term, 500 ms ticks, 64 KB, every segment acknowledged, a fresh window per file.
    pub const fn bsd() -> TcpSpec {
        TcpSpec {
            mss_bytes: 1024,
            congestion: Congestion::Reno { eighth: true },
            recovery: Recovery::Reno,
            initial_window_segments: 1,
            window_bytes: 65_535,
            timer: TimerSpec {
                tick: Some(Duration(500_000_000_000)),
                initial_rto: Duration(3_000_000_000_000),
                min_rto: Duration(1_000_000_000_000),
                max_rto: Duration(64_000_000_000_000),
            },
            acks: AckSpec::Every,
            duplicate_threshold: 3,
            idle_restart: true,
            reuse: Reuse::FreshWindow,
            ecn: Ecn::Off,
            slow_start: SlowStart::Loss,
            quick_acks: 0,
            tail_probe: false,
            is_proportional: false,
            undo: false,
            handshake_rtt: None,
            pacing: false,
            burst: None,
        }
    }

    /// 4.4BSD with a handshake per file, delayed acknowledgements and a first window of two.
    pub const fn bsd_full() -> TcpSpec {
        let mut spec = TcpSpec::bsd();
        spec.initial_window_segments = 2;
        spec.acks = AckSpec::DelayedTick(Duration(200_000_000_000));
        spec.reuse = Reuse::Handshake;
        spec
    }

    /// As Linux was before its losses went by time: CUBIC, SACK, first window 10, least time-out
    /// 200 ms.
    pub const fn linux_3() -> TcpSpec {
        TcpSpec {
            mss_bytes: 1460,
            congestion: Congestion::Cubic,
            recovery: Recovery::Sack,
            initial_window_segments: 10,
            window_bytes: 4_194_304,
            timer: TimerSpec {
                tick: None,
                initial_rto: Duration(1_000_000_000_000),
                min_rto: Duration(200_000_000_000),
                max_rto: Duration(120_000_000_000_000),
            },
            acks: AckSpec::Delayed {
                after: Duration(40_000_000_000),
                push: true,
            },
            duplicate_threshold: 3,
            idle_restart: true,
            reuse: Reuse::Persistent,
            ecn: Ecn::Off,
            slow_start: SlowStart::Loss,
            quick_acks: 0,
            tail_probe: false,
            is_proportional: false,
            undo: false,
            handshake_rtt: None,
            pacing: false,
            burst: None,
        }
    }

    /// As Linux 6 is: what [`TcpSpec::linux_3`] has, with RACK and its probe, DSACK undo, PRR,
    /// HyStart, a handshake that measures and young connections that acknowledge quickly. The
    /// round trip of the handshake is the path's: zero here.
    pub const fn linux_6() -> TcpSpec {
        let mut spec = TcpSpec::linux_3();
        spec.recovery = Recovery::Rack;
        spec.slow_start = SlowStart::HyStart;
        spec.quick_acks = 16;
        spec.tail_probe = true;
        spec.is_proportional = true;
        spec.undo = true;
        spec.handshake_rtt = Some(Duration::ZERO);
        spec
    }

    /// What hosts are taken for that nothing is said of.
    pub const fn modern() -> TcpSpec {
        TcpSpec::linux_6()
    }

    /// DCTCP as in its paper: Reno growth, marks answered in proportion, over what
    /// [`TcpSpec::linux_3`] has beside.
    pub fn dctcp() -> TcpSpec {
        TcpSpec {
            congestion: Congestion::Reno { eighth: false },
            ecn: Ecn::Dctcp { gain_shift: 4 },
            ..TcpSpec::linux_3()
        }
    }
}
