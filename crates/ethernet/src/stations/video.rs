//! A stand-in for H.261 video at a variable bit rate: the traces of the study are not public.
//!
//! Pictures come at even gaps. The logarithm of a picture's size is normal; half of its variance
//! is a level that is drawn anew for each scene, half an AR(1) process that goes on over scenes:
//!
//! ```text
//! s^2 = ln(1 + variation^2)
//! size = mean * exp(s * (scene + ar) / sqrt(2) - s^2 / 2)
//! ar' = r * ar + sqrt(1 - r^2) * normal
//! ```
//!
//! so that the mean is the mean and the deviation is `variation` means, apart from the clip. The
//! datagrams of a picture, all full but the last, are spread evenly over its time: the first at
//! its beginning, the last one gap before its end.

use kernel::stream::Purpose;
use kernel::{Stream, Time};
use libm::{exp, log1p, round, sqrt};

use super::datagrams::Datagram;
use super::pace::{Pace, Rest};
use crate::spec::VideoSpec;

/// A camera and its coder.
pub(super) struct Video {
    pace: Pace,
    rest: Rest,
    sizes: Sizes,
    /// The present picture began here,
    began_ps: u64,
    /// and the next one begins here.
    ends_ps: u64,
    /// Payload of the picture not yet sent.
    left_bytes: u64,
    /// Datagrams of the picture.
    datagrams: u64,
    /// Those sent.
    sent: u64,
}

/// Sizes of pictures.
struct Sizes {
    mean_bytes: f64,
    clip: (f64, f64),
    /// Mean of the logarithm of a size over the mean size.
    offset: f64,
    /// Deviation of each half of that logarithm.
    deviation: f64,
    correlation: f64,
    innovation: f64,
    level: f64,
    level_ends: Time,
    ar: f64,
    spec: VideoSpec,
    sizes: Stream,
    scenes: Stream,
}

impl Video {
    /// A video that begins as `spec` says.
    pub fn new(spec: VideoSpec, seed: u64, flow: u64, payload_bytes: u32) -> Video {
        let pace = Pace::of_frequency(spec.pictures_per_second);
        let phase_ps = Stream::new(seed, flow, Purpose::Start).below(pace.least_gap_ps());
        let first_ps = spec.start.ps().saturating_add(phase_ps);
        let mut video = Video {
            pace,
            rest: Rest::default(),
            sizes: Sizes::new(spec, seed, flow, Time(first_ps)),
            began_ps: first_ps,
            ends_ps: first_ps,
            left_bytes: 0,
            datagrams: 0,
            sent: 0,
        };
        video.next_picture(payload_bytes);
        video
    }

    /// The next datagram.
    #[inline]
    pub fn next_ps(&self) -> u64 {
        let picture_ps = u128::from(self.ends_ps - self.began_ps);
        let into = picture_ps * u128::from(self.sent) / u128::from(self.datagrams);
        self.began_ps + into as u64
    }

    /// That datagram is sent.
    pub fn take(&mut self, payload_bytes: u32) -> Datagram {
        let bytes = self.left_bytes.min(u64::from(payload_bytes));
        self.left_bytes -= bytes;
        self.sent += 1;
        let began_ps = self.began_ps;
        let is_last = self.sent == self.datagrams;
        if is_last {
            self.next_picture(payload_bytes);
        }
        Datagram {
            bytes: bytes as u32,
            picture_ps: is_last.then_some(began_ps),
        }
    }

    fn next_picture(&mut self, payload_bytes: u32) {
        self.began_ps = self.ends_ps;
        let gap_ps = self.pace.next_gap_ps(&mut self.rest);
        self.ends_ps = self.began_ps.saturating_add(gap_ps);
        self.left_bytes = self.sizes.draw(Time(self.began_ps));
        self.datagrams = self.left_bytes.div_ceil(u64::from(payload_bytes.max(1)));
        self.sent = 0;
    }
}

impl Sizes {
    fn new(spec: VideoSpec, seed: u64, flow: u64, first: Time) -> Sizes {
        let variance = log1p(spec.variation * spec.variation);
        let mut sizes = Stream::new(seed, flow, Purpose::Size);
        let mut scenes = Stream::new(seed, flow, Purpose::Traffic);
        let bytes_per_second = spec.rate.0 as f64 / 8.0;
        Sizes {
            mean_bytes: bytes_per_second / f64::from(spec.pictures_per_second.max(1)),
            clip: spec.clip,
            offset: -variance / 2.0,
            deviation: sqrt(variance / 2.0),
            correlation: spec.correlation,
            innovation: sqrt((1.0 - spec.correlation * spec.correlation).max(0.0)),
            level: sizes.normal(),
            level_ends: next(first, spec, &mut scenes),
            ar: sizes.normal(),
            spec,
            sizes,
            scenes,
        }
    }

    /// Size of the picture that begins at `at`, at least a byte.
    fn draw(&mut self, at: Time) -> u64 {
        while self.level_ends <= at {
            self.level = self.sizes.normal();
            self.level_ends = next(self.level_ends, self.spec, &mut self.scenes);
        }
        let log = self.offset + self.deviation * (self.level + self.ar);
        self.ar = self.correlation * self.ar + self.innovation * self.sizes.normal();
        let means = exp(log).clamp(self.clip.0, self.clip.1.max(self.clip.0));
        (round(means * self.mean_bytes) as u64).max(1)
    }
}

/// End of a scene that begins at `from`.
fn next(from: Time, spec: VideoSpec, scenes: &mut Stream) -> Time {
    from.checked_add(scenes.exponential(spec.scene))
        .unwrap_or(Time::MAX)
}
