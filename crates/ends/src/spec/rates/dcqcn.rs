//! DCQCN: how the source answers notifications, in sets of values as they are published.

use backwater_kernel::{Duration, Rate};

use super::Notify;

/// Which of the two forms of the reaction point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DcqcnForm {
    /// A notification cuts at once (Zhu and others 2015).
    Paper,
    /// A notification sets flags, which timers look at, as NICs do.
    Nic,
}

/// When a cut also takes back the target of recovery.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Clamp {
    /// Always.
    Always,
    /// After a stage of recovery, of the timer or of the bytes.
    AfterStage,
    /// After a stage of the bytes.
    AfterBytes,
}

/// DCQCN's reaction point, and what it wants of the notification point.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DcqcnSpec {
    /// Which form.
    pub form: DcqcnForm,
    /// When the destination tells of marks.
    pub notify: Notify,
    /// g: weight of the new in alpha.
    pub gain: f64,
    /// Alpha at the first notification.
    pub first_alpha: f64,
    /// Alpha falls, or is updated (NIC), so often.
    pub alpha_interval: Duration,
    /// NIC: a cut is looked for so often.
    pub decrease_interval: Duration,
    /// The rate recovers so often.
    pub increase_interval: Duration,
    /// It recovers each time so many bytes were sent, too.
    pub byte_counter: Option<u64>,
    /// F: stages of fast recovery.
    pub stages: u32,
    /// What additive increase adds to the target.
    pub additive: Rate,
    /// What hyper increase adds.
    pub hyper: Rate,
    /// No cut goes below.
    pub least: Rate,
    /// The first notification keeps this share of the rate, before it cuts.
    pub first_share: f64,
    /// When a cut takes back the target.
    pub clamp: Clamp,
    /// A cut keeps at least the rest of this share.
    pub largest_cut: f64,
    /// A cut takes alpha in so many bits, rounded down.
    pub cut_bits: Option<u32>,
    /// Paper form: a cut is by alpha as it was before the notification.
    pub cuts_first: bool,
    /// Back at line rate there is no limiter, and nothing is remembered.
    pub releases: bool,
    /// A new rate changes the wait of the packet that is next by now.
    pub rescales: bool,
    /// Its timers stand still while the network stops the source.
    pub freezes: bool,
}

const fn us(us: u64) -> Duration {
    Duration(us * 1_000_000)
}

const fn mbps(mbps: u64) -> Rate {
    Rate(mbps * 1_000_000)
}

impl DcqcnSpec {
    /// As the paper prints it.
    fn paper() -> DcqcnSpec {
        DcqcnSpec {
            form: DcqcnForm::Paper,
            notify: Notify::Window(us(50)),
            gain: 1.0 / 256.0,
            first_alpha: 1.0,
            alpha_interval: us(55),
            decrease_interval: us(50),
            increase_interval: us(55),
            byte_counter: Some(10_000_000),
            stages: 5,
            additive: mbps(40),
            hyper: mbps(200),
            least: mbps(10),
            first_share: 1.0,
            clamp: Clamp::Always,
            largest_cut: 0.5,
            cut_bits: None,
            cuts_first: true,
            releases: true,
            rescales: false,
            freezes: false,
        }
    }
}

/// A named set of values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DcqcnProfile {
    /// Zhu and others, SIGCOMM 2015.
    Paper,
    /// The example of the simulator of that paper's authors.
    Ns3Rdma,
    /// What HPCC was compared with (100 Gb/s; increases grow with the NIC's rate).
    Artifact,
    /// The other row of that program, nearer to the paper.
    ArtifactPaper,
    /// What a vendor's NICs do if nobody changes it.
    Firmware,
}

/// How a switch marks for a profile: nothing up to `least_bytes`, all above `most_bytes`, with
/// this probability just below that.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Marking {
    /// Kmin.
    pub least_bytes: u64,
    /// Kmax.
    pub most_bytes: u64,
    /// Pmax.
    pub probability: f64,
}

impl DcqcnProfile {
    /// All of them.
    pub const ALL: [DcqcnProfile; 5] = [
        DcqcnProfile::Paper,
        DcqcnProfile::Ns3Rdma,
        DcqcnProfile::Artifact,
        DcqcnProfile::ArtifactPaper,
        DcqcnProfile::Firmware,
    ];

    /// Its values behind a NIC of this rate.
    pub fn spec(self, line: Rate) -> DcqcnSpec {
        let paper = DcqcnSpec::paper();
        // 5 and 50 Mb/s for each 25 Gb/s of the NIC.
        let artifact = DcqcnSpec {
            form: DcqcnForm::Nic,
            notify: Notify::Echo,
            alpha_interval: us(1),
            decrease_interval: us(4),
            increase_interval: us(300),
            byte_counter: None,
            stages: 1,
            additive: Rate((line.0 / 5_000).max(1)),
            hyper: Rate((line.0 / 500).max(1)),
            least: mbps(1_000),
            clamp: Clamp::AfterStage,
            cuts_first: false,
            releases: false,
            ..paper
        };
        match self {
            DcqcnProfile::Paper => paper,
            DcqcnProfile::Ns3Rdma => DcqcnSpec {
                increase_interval: us(60),
                byte_counter: None,
                cuts_first: false,
                releases: false,
                ..paper
            },
            DcqcnProfile::Artifact => artifact,
            DcqcnProfile::ArtifactPaper => DcqcnSpec {
                alpha_interval: us(50),
                decrease_interval: us(50),
                increase_interval: us(55),
                ..artifact
            },
            DcqcnProfile::Firmware => DcqcnSpec {
                notify: Notify::Window(us(4)),
                gain: 5.0 / 1_024.0,
                first_alpha: 1_023.0 / 1_024.0,
                byte_counter: Some(32_767),
                additive: mbps(5),
                hyper: mbps(50),
                least: mbps(1),
                cut_bits: Some(10),
                ..artifact
            },
        }
    }

    /// How switches mark with it, at a port of this rate.
    pub fn marking(self, port: Rate) -> Marking {
        let kb = |least: u64, most: u64, probability: f64| Marking {
            least_bytes: least * 1_000,
            most_bytes: most * 1_000,
            probability,
        };
        match self {
            DcqcnProfile::Paper => kb(5, 200, 0.01),
            DcqcnProfile::Ns3Rdma => kb(40, 1_000, 1.0),
            // 4 and 16 KB for each Gb/s.
            DcqcnProfile::Artifact | DcqcnProfile::ArtifactPaper => Marking {
                least_bytes: port.0 / 250_000,
                most_bytes: port.0 / 62_500,
                probability: 0.2,
            },
            // The vendor's guide for switches; it names no probability.
            DcqcnProfile::Firmware => kb(150, 1_500, 1.0),
        }
    }
}
