//! TCP: a flavour, and what differs from it.

use backwater_derive::{table, word};
use backwater_ends::spec;
use backwater_kernel::Duration;

use crate::given::usual::{Usual, usual};
use crate::language::kinds::OrWord;
use crate::language::typed::Placed;

/// Step of the fast timer where neither the file nor the preset has one.
pub(crate) const FAST_TICK: Usual<Duration> = usual!(200 ms);
/// Delay of acknowledgements where neither the file nor the preset has one.
pub(crate) const ACK_DELAY: Usual<Duration> = usual!(40 ms);
/// Gain of DCTCP.
pub(crate) const GAIN_SHIFT: Usual<u8> = usual!(4);

/// The TCP of all flows: a flavour, and what differs from it.
#[table("[tcp]", layered)]
pub(crate) struct Tcp {
    /// The flavour it starts from.
    #[key(otherwise = "`dctcp` where queues of the flow's class mark, else `modern`")]
    pub preset: Placed<Option<Preset>>,
    /// Payload of a full segment.
    #[key(
        is = Size { min: 64, max: 9176 },
        otherwise = "40 B less than `link.mtu` where the file gives that, else as the preset says"
    )]
    pub mss: Placed<Option<u32>>,
    /// How the window grows.
    #[key(otherwise = "as the preset says")]
    pub congestion: Placed<Option<Congestion>>,
    /// Reno: congestion avoidance adds MSS/8 more for each acknowledgement.
    #[key(otherwise = "as the preset says", cite = "4.3BSD Reno to 4.4BSD")]
    pub eighth: Placed<Option<bool>>,
    /// Segments are spaced: at the rate that the control says, else at that of the window in a
    /// round trip (twice it in the first half of slow start, 6/5 of it thereafter).
    #[key(otherwise = "true for `bbr` and `bbr3`, else false")]
    #[key(cite = "Linux ip-sysctl, tcp_pacing_ss_ratio and tcp_pacing_ca_ratio")]
    pub pacing: Placed<Option<bool>>,
    /// Payload that a host hands down at once, at most (segmentation offload): a millisecond's, and
    /// more on short paths.
    #[key(is = Size { min: 1024, max: 65000 }, otherwise = "segments go one by one")]
    #[key(cite = "Linux ip-sysctl, tcp_tso_rtt_log and tcp_tso_win_divisor")]
    pub burst: Placed<Option<u32>>,
    /// How links and queues take a burst.
    #[key(otherwise = "`frames`")]
    pub burst_queued: Placed<Option<BurstQueued>>,
    /// How losses are repaired.
    #[key(otherwise = "as the preset says")]
    pub recovery: Option<Recovery>,
    /// First congestion window.
    #[key(is = Whole { min: 1, max: 1000, unit: "segments" }, otherwise = "as the preset says")]
    pub initial_window: Placed<Option<u32>>,
    /// The receiver's window, and so the most in flight.
    #[key(is = Size { min: 64, max: 1 << 30 }, otherwise = "as the preset says")]
    pub window: Placed<Option<u32>>,
    /// Step of the host's slow timer, in which every time is counted.
    #[key(is = Or("exact", Clock { min_ps: 1000000 }), otherwise = "as the preset says")]
    pub tick: Option<OrWord<Duration>>,
    /// Retransmission time-out before the first measurement.
    #[key(is = Clock { min_ps: 1 }, otherwise = "as the preset says")]
    pub initial_rto: Placed<Option<Duration>>,
    /// Least time-out.
    #[key(is = Clock { min_ps: 1 }, otherwise = "as the preset says")]
    pub min_rto: Placed<Option<Duration>>,
    /// Largest time-out after back-off.
    #[key(is = Clock { min_ps: 1 }, otherwise = "as the preset says")]
    pub max_rto: Placed<Option<Duration>>,
    /// When the receiver acknowledges.
    #[key(otherwise = "as the preset says")]
    pub acks: Option<Acks>,
    /// Step of the fast timer, or time from the first segment that waits.
    #[key(
        is = Clock { min_ps: 1 },
        otherwise = "as the preset says; {FAST_TICK} for `delayed-tick`, {ACK_DELAY} for `delayed`"
    )]
    pub ack_delay: Placed<Option<Duration>>,
    /// With `delayed`, is a segment that ends a transfer (PSH) acknowledged at once?
    #[key(otherwise = "true")]
    pub push: Placed<Option<bool>>,
    /// Duplicate acknowledgements that provoke a fast retransmit; 0 never does. With `rack`:
    /// segments that arrived beyond a gap before it waits for no reordering, where none was seen.
    #[key(is = Whole { min: 0, max: 255, unit: "acknowledgements" })]
    #[key(otherwise = "as the preset says")]
    pub duplicate_threshold: Option<u32>,
    /// After a silence of one time-out, the window starts anew.
    #[key(otherwise = "as the preset says")]
    pub idle_restart: Option<bool>,
    /// What a file or response takes over from the one before.
    #[key(otherwise = "as the preset says")]
    pub reuse: Option<Reuse>,
    /// What marks of congestion do.
    #[key(otherwise = "as the preset says")]
    pub ecn: Placed<Option<EcnAnswer>>,
    /// How slow start ends before a loss.
    #[key(otherwise = "as the preset says")]
    pub slow_start: Placed<Option<SlowStart>>,
    /// Segments that are acknowledged one by one as a connection begins, and after a silence of
    /// more than the least time-out; 0 with none.
    #[key(is = Whole { min: 0, max: 255, unit: "segments" }, otherwise = "as the preset says")]
    pub quick_acks: Option<u32>,
    /// With `rack`: a segment goes again before the time-out does, two round trips after the last.
    #[key(otherwise = "as the preset says", cite = "RFC 8985, section 7")]
    pub tail_loss_probe: Placed<Option<bool>>,
    /// With `rack`: in a recovery the window shrinks with what arrives, not at once.
    #[key(otherwise = "as the preset says", cite = "RFC 9937")]
    pub prr: Placed<Option<bool>>,
    /// With `rack`: the window comes back where all that went again came twice.
    #[key(otherwise = "as the preset says", cite = "RFC 2883, RFC 3708")]
    pub dsack_undo: Placed<Option<bool>>,
    /// A handshake before the first data has measured the round trip of the empty path; over cells
    /// and with `reuse = "handshake"` none but a real one does.
    #[key(otherwise = "as the preset says", cite = "RFC 6298, section 2.2")]
    pub handshake_rtt: Option<bool>,
    /// DCTCP: the share of marks is averaged with gain 1/2^shift.
    #[key(is = Whole { min: 1, max: 16, unit: "bits" }, otherwise = "{GAIN_SHIFT}")]
    #[key(cite = "RFC 8257")]
    pub gain_shift: Placed<Option<u8>>,
}

/// What a flow changes of `[tcp]`; with a `preset` of its own, it starts anew from that.
#[table("flows.tcp")]
pub(crate) struct TcpOverride {
    #[key(flatten, as_above)]
    pub tcp: Tcp,
}

/// Words of `preset`: The flavour it starts from.
#[word]
pub(crate) enum Preset {
    /// Reno as 4.4BSD had it: MSS 1024, MSS/8, 500 ms ticks, 64 KB, every segment acknowledged, a
    /// fresh window per file.
    #[word(cite = "Nouredine, Tobagi 1999")]
    Bsd,
    /// As `bsd` with a handshake per file, delayed acknowledgements, a first window of 2.
    BsdFull,
    /// CUBIC, SACK, MSS 1460, first window 10, least time-out 200 ms, 4 MiB.
    #[word(name = "linux-3", cite = "RFC 9438, RFC 6675, RFC 6928")]
    Linux3,
    /// As `linux-3` with losses by time (RACK), tail loss probes, DSACK undo, PRR, HyStart, quick
    /// acknowledgements of young connections and the round trip of the handshake.
    #[word(name = "linux-6", cite = "RFC 8985, RFC 9937, RFC 2883")]
    Linux6,
    /// What hosts do today: as `linux-6`.
    Modern,
    /// As `linux-3` with Reno growth and DCTCP's answer to marks.
    #[word(cite = "RFC 8257")]
    Dctcp,
}

/// Words of `congestion`: How the window grows.
#[word]
pub(crate) enum Congestion {
    /// Slow start and congestion avoidance.
    #[word(cite = "RFC 5681")]
    Reno,
    /// CUBIC.
    #[word(cite = "RFC 9438")]
    Cubic,
    /// BBR, version 1: by a model of the path, its rate and its round trip, not by losses.
    #[word(cite = "draft-cardwell-iccrg-bbr-congestion-control-00")]
    Bbr,
    /// BBR, version 3: the same with bounds that losses teach.
    #[word(cite = "draft-ietf-ccwg-bbr-06")]
    Bbr3,
}

/// Words of `burst_queued`: How links and queues take a burst.
#[word(of = spec::Queued)]
pub(crate) enum BurstQueued {
    /// Frame by frame: a full queue drops some of them.
    Frames,
    /// As one: a queue has room for all of it or drops all, and the receiver acknowledges it once.
    Whole,
}

/// Words of `recovery`: How losses are repaired.
#[word(of = spec::Recovery)]
pub(crate) enum Recovery {
    /// The window collapses to one segment.
    Tahoe,
    /// Fast recovery, until the first new acknowledgement.
    #[word(cite = "RFC 2581")]
    Reno,
    /// A partial acknowledgement provokes the next retransmission.
    #[word(cite = "RFC 6582")]
    NewReno,
    /// Selective acknowledgements.
    #[word(cite = "RFC 6675")]
    Sack,
    /// Selective acknowledgements; what went before something that arrived is lost when a time for
    /// reordering has passed, which grows with the reordering seen.
    #[word(cite = "RFC 8985")]
    Rack,
}

/// Words of `slow_start`: How slow start ends before a loss.
#[word(of = spec::SlowStart)]
pub(crate) enum SlowStart {
    /// It ends with a loss or a mark.
    Loss,
    /// CUBIC with `rack`: acknowledgements of one round have come for more than half of the least
    /// round trip, or round trips are longer by an eighth.
    #[word(name = "hystart", of = HyStart, cite = "Ha, Rhee 2011; as in Linux")]
    HyStart,
    /// CUBIC with `rack`: round trips are longer by an eighth; five rounds of slower growth first.
    #[word(name = "hystart++", of = HyStartPlusPlus, cite = "RFC 9406")]
    HyStartPlusPlus,
}

/// Words of `acks`: When the receiver acknowledges.
#[word]
pub(crate) enum Acks {
    /// Each data segment at once.
    Every,
    /// Every second full segment, else at the next tick of the fast timer.
    #[word(cite = "4.4BSD")]
    DelayedTick,
    /// Every second full segment, and each that ends a transfer (PSH) unless `push = false`, else a
    /// time after the first that waits.
    #[word(cite = "RFC 1122, section 4.2.3.2; of PSH it says nothing")]
    Delayed,
}

/// Words of `reuse`: What a file or response takes over from the one before.
#[word(of = spec::Reuse)]
pub(crate) enum Reuse {
    /// Everything: one long connection.
    Persistent,
    /// Round-trip times; the congestion window starts anew, without a handshake.
    FreshWindow,
    /// Nothing: a new connection with SYN and FIN.
    Handshake,
}

/// Words of `ecn`: What marks of congestion do.
#[word]
pub(crate) enum EcnAnswer {
    /// Its segments are not marked.
    Off,
    /// The window shrinks as for a loss, once a round trip.
    #[word(cite = "RFC 3168")]
    Classic,
    /// The window shrinks in proportion to the share of marks.
    #[word(cite = "RFC 8257")]
    Dctcp,
}
