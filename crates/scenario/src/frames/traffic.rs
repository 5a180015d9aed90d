//! What applications send.

use backwater_net::frames::spec::{TrafficSpec, VideoSpec};

use crate::given::frames::traffic::{Phase, Traffic, TrafficKind};

/// What the application of a flow sends.
pub(crate) fn traffic(traffic: &Traffic) -> TrafficSpec {
    let start = *traffic.start;
    match &traffic.kind.value {
        TrafficKind::Greedy { total } => TrafficSpec::Infinite {
            start,
            bytes: *total,
        },
        TrafficKind::Files {
            size,
            think,
            transfers,
        } => TrafficSpec::Files {
            start,
            bytes: *size,
            think: *think,
            count: *transfers,
        },
        TrafficKind::Requests {
            request,
            response,
            service,
            think,
            transfers,
        } => TrafficSpec::Requests {
            start,
            request_bytes: *request,
            response_bytes: *response,
            service: *service,
            think: *think,
            count: *transfers,
        },
        TrafficKind::Constant { rate, phase } => TrafficSpec::Constant {
            start,
            rate: **rate,
            random_phase: *phase == Phase::Random,
        },
        TrafficKind::Poisson { rate } => TrafficSpec::Poisson {
            start,
            rate: **rate,
        },
        TrafficKind::SelfSimilar {
            rate,
            sources,
            peak,
            shape,
            mean_on,
        } => TrafficSpec::SelfSimilar {
            start,
            rate: **rate,
            sources: *sources,
            peak: **peak,
            shape: *shape,
            mean_on: *mean_on,
        },
        TrafficKind::Video { rate, video } => TrafficSpec::Video(VideoSpec {
            start,
            rate: **rate,
            pictures_per_second: video.pictures,
            variation: video.variation,
            scene: video.scene,
            correlation: video.correlation,
            clip: (video.clip_least, video.clip_most),
            deadline: video.deadline,
        }),
    }
}
