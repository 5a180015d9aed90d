//! Channels whose buffers last for less than a round trip of credit, where more is to cross.
//!
//! What credit lets through is an upper bound, and so is what it is held against where ways don't
//! depend on the load: what the terminals offer, or as much as the network could carry of it if
//! they always have more. Where packets choose their ways, only the sums over all channels between
//! routers are compared.

use backwater_flit::credit::ChannelCredit;
use backwater_flit::spec::{ClassSpec, FabricSpec, Injection, Release};
use backwater_flit::traffic::ways;
use backwater_kernel::words::counted;

use crate::given::flits::FlitFile;
use crate::given::flits::network::RoutingKind;
use crate::given::flits::router::Forwarding;
use crate::prelude::*;

/// Less than this of what is to cross is told.
const TOLD_BELOW: f64 = 0.75;

/// A channel, its credit, and what is to cross it, flits a cycle.
struct Slow {
    channel: usize,
    credit: ChannelCredit,
    wanted: f64,
}

/// Tells of the channel whose credit lets least of what is to cross through.
pub(crate) fn check(file: &FlitFile, rule: RoutingKind, spec: &FabricSpec) -> Option<Diagnostic> {
    let wanted = wanted(spec)?;
    let all = wanted
        .into_iter()
        .enumerate()
        .filter_map(|(channel, wanted)| {
            let credit = ChannelCredit::of(spec, channel)?;
            let slow = Slow {
                channel,
                credit,
                wanted,
            };
            (slow.part() < TOLD_BELOW).then_some(slow)
        });
    let all: Vec<Slow> = all.collect();
    let worst = all.iter().min_by(|a, b| a.part().total_cmp(&b.part()))?;
    Some(worst.told(file, rule, spec, all.len()))
}

/// What is to cross each channel that has credit; nothing where that is not known.
fn wanted(spec: &FabricSpec) -> Option<Vec<f64>> {
    let inner = spec.graph.channels.len();
    let mut sums = vec![0.0; inner + spec.graph.inject.len()];
    let mut is_adaptive = false;
    for class in &spec.classes {
        let load = match class.injection {
            Injection::Bernoulli { load }
            | Injection::Constant { load }
            | Injection::OnOff { load, .. } => Some(load),
            Injection::Saturation => None,
            Injection::RequestReply { .. } | Injection::Replies | Injection::Trace(_) => continue,
        };
        let alone = FabricSpec {
            classes: Vec::from([ClassSpec {
                lane_group: 0,
                ..class.clone()
            }]),
            ..spec.clone()
        };
        let parts = ways::loads(&alone).or_else(|_| {
            is_adaptive = true;
            ways::loads_when_empty(&alone)
        });
        let mut each = vec![0.0; sums.len()];
        for (channel, part) in parts.ok()?.into_iter().flatten() {
            if let Some(sum) = each.get_mut(channel as usize) {
                *sum += part;
            }
        }
        let most = each.iter().copied().fold(1.0, f64::max);
        let rate = load.unwrap_or(1.0 / most);
        for (sum, part) in sums.iter_mut().zip(each) {
            *sum += rate * part;
        }
    }
    if is_adaptive && inner > 0 {
        // All channels between routers alike: what one has less another has more.
        let mean = sums[..inner].iter().sum::<f64>() / inner as f64;
        sums[..inner].fill(mean);
        let credit = (0..inner).filter_map(|channel| ChannelCredit::of(spec, channel));
        let carried = credit.map(|credit| credit.carried).sum::<f64>() / inner as f64;
        if carried >= TOLD_BELOW * mean {
            sums[..inner].fill(0.0);
        }
    }
    Some(sums.into_iter().map(|sum| sum.min(1.0)).collect())
}

impl Slow {
    fn part(&self) -> f64 {
        match self.wanted > 0.0 {
            true => self.credit.carried / self.wanted,
            false => 1.0,
        }
    }

    fn told(
        &self,
        file: &FlitFile,
        rule: RoutingKind,
        spec: &FabricSpec,
        count: usize,
    ) -> Diagnostic {
        let router = &spec.router;
        let at = match (file.router.storage.is_given, file.router.depth.is_given) {
            (true, _) => &file.router.storage.at,
            (_, true) => &file.router.depth.at,
            _ => &file.router.vcs.at,
        };
        let graph = &spec.graph;
        let name = match graph.channels.get(self.channel) {
            Some(inner) => format!("the channel from router {} to {}", inner.from, inner.to),
            None => format!(
                "the channel of terminal {}",
                self.channel - graph.channels.len()
            ),
        };
        let more = (count > 1).then(|| format!("so it is on {}", counted(count as u64, "channel")));
        Diagnostic::warning("slow", "buffers are used up before credit comes back")
            .at(
                at,
                format!(
                    "{} of {} a channel",
                    counted(router.lanes, "VC"),
                    counted(router.depth, "flit")
                ),
            )
            .note(format!(
                "{name} lets at most {:.3} flits per cycle through, as credit is back after \
                 {}; {:.3} are to cross",
                self.credit.carried,
                counted(self.credit.round_trip, "cycle"),
                self.wanted
            ))
            .note_if(self.credit.is_one_packet.then(|| {
                "a VC that is free when it is drained holds one packet in each round trip".into()
            }))
            .note_if(more)
            .help(self.help(file, rule, spec))
    }

    /// The least that is enough, of what works for this router.
    fn help(&self, file: &FlitFile, rule: RoutingKind, spec: &FabricSpec) -> String {
        let vcs = u32::from(spec.router.lanes);
        let Ok(depth) = u16::try_from(self.credit.enough) else {
            return "shorten the channels".into();
        };
        let room = match file.router.storage.is_given {
            true => format!("storage = {}", vcs * u32::from(depth)),
            false => format!("depth = {depth}"),
        };
        let is_enough = |change: &dyn Fn(&mut FabricSpec)| {
            let mut changed = spec.clone();
            change(&mut changed);
            let credit = ChannelCredit::of(&changed, self.channel);
            credit.is_some_and(|credit| credit.carried >= 0.95 * self.wanted)
        };
        if is_enough(&|spec| spec.router.depth = depth) {
            return format!("write `{room}`: as many flits as a round trip takes");
        }
        // A header that waits behind another packet can't take the escape any more.
        let may_queue = rule != RoutingKind::MinimalAdaptive
            || *file.router.forwarding == Forwarding::CutThrough;
        if may_queue && spec.router.release == Release::Drained {
            return format!("write `{room}` and `release = \"tail-sent\"`, so that packets queue");
        }
        let lanes = (spec.router.lanes..=backwater_flit::spec::LANES_MAX).find(|lanes| {
            is_enough(&|spec| {
                spec.router.depth = depth;
                spec.router.lanes = *lanes;
            })
        });
        match lanes {
            Some(lanes) => format!("write `vcs = {lanes}` and `depth = {depth}`"),
            None => "shorten the channels, or send longer packets".into(),
        }
    }
}
