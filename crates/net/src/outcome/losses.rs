//! Why units are lost.

use backwater_kernel::Cause;

/// Units lost, by cause.
pub type Drops = backwater_kernel::Drops<LossCause, 10>;

/// Why a unit was lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LossCause {
    /// The output queue of its class was full.
    QueueFull,
    /// There was no room for what comes over its channel: the buffer of its leg was full, or the
    /// limit of the input or its headroom was used up.
    Buffer,
    /// The memory that the queues of a node share was full when it came.
    Pool,
    /// That memory had room, but not for this queue, input or flow: it held its share of what is
    /// free, the dynamic threshold.
    Threshold,
    /// A tripped watchdog dropped it.
    Watchdog,
    /// An error on the wire, or the channel was cut. (Of frames, control frames too.)
    Wire,
    /// It was pushed out of a full pool.
    PushOut,
    /// It did not conform to its source's envelope.
    Envelope,
    /// It did not conform to the policer at the edge.
    Policer,
    /// It would have been held longer than asynchronous traffic shaping allows.
    Residence,
}

impl Cause<10> for LossCause {
    const ALL: [LossCause; 10] = [
        LossCause::QueueFull,
        LossCause::Buffer,
        LossCause::Pool,
        LossCause::Threshold,
        LossCause::Watchdog,
        LossCause::Wire,
        LossCause::PushOut,
        LossCause::Envelope,
        LossCause::Policer,
        LossCause::Residence,
    ];

    fn index(self) -> usize {
        self as usize
    }
}
