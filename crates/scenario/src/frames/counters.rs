//! Credit that ports count in cells: limits from the loop of each link, and what can't work.
//!
//! The loop runs from the start of the largest frame of the class until an update that knows that
//! it has left the switch again takes effect. An update may have to keep its distance from the one
//! before, and to wait behind one frame. A limit of `cost ceil(loop / f)` keeps the link busy,
//! f being the time of the frame on the wire; with grains g `g - gcd(cost, g)` more, since so much
//! of what is free is not told.

mod cells;
mod keys;
mod round;

pub(super) use cells::check as check_cells;
use round::Round;

use backwater_kernel::words::counted;
use backwater_kernel::{Channels, Duration};
use backwater_net::frames::lane_counts;
use backwater_net::frames::spec::{
    ClassCreditRule, ClassCreditSpec, CountersSpec, EthernetSpec, LaneSpec, Owner, Says, Shares,
    StatementSpec, UpdateSpec,
};

use super::controls::{Controls, Mask};
use super::way::{Told, in_per_cent};
use crate::given::frames::flow_control::{
    self as given, FlowControl, Headroom, Lanes, Share, Updates,
};
use crate::given::frames::switch::Nodes;
use crate::prelude::*;

/// Most credits that the sender of each kind can tell apart.
const LIMIT_MAX: u32 = (1 << 19) - 1;
const INFINIBAND_MAX: u32 = 1 << 11;
/// Bits of the counters in CF_Updates and CC_Updates, and in InfiniBand's packets.
const CF_BITS: u8 = 15;
const CC_BITS: u8 = 20;
const FC_BITS: u8 = 12;
/// Steps of `cf_max_spacing`, bytes, and how many there are.
const CF_STEP: u64 = 1 << 14;
const CF_STEPS: u64 = 64;
/// Bytes of an ordered set of 8 symbols.
const ORDERED_SET: u32 = 8;

/// What the kinds differ in, on one link.
struct Profile {
    cell: u32,
    overhead: i32,
    update: UpdateSpec,
    statement: Option<StatementSpec>,
    most: u32,
}

impl Profile {
    /// `back` is the time that so many bytes take on the way back.
    fn new(control: &FlowControl, back: impl Fn(u64) -> Duration) -> Option<Profile> {
        let update = |says, classes, spacing| UpdateSpec {
            says,
            bytes: ORDERED_SET,
            classes,
            spacing: back(spacing),
            at_least_every: None,
            waits_for_idle: false,
        };
        Some(match control {
            FlowControl::Cbfc {
                cell,
                overhead,
                cf_min_spacing,
                cf_max_spacing,
                cc_timer,
                updates,
                ..
            } => Profile {
                cell: *cell,
                overhead: *overhead,
                update: UpdateSpec {
                    at_least_every: Some(back(**cf_max_spacing)),
                    waits_for_idle: **updates == Updates::Idle,
                    ..update(Says::Freed { bits: CF_BITS }, 2, *cf_min_spacing)
                },
                statement: cc_timer.value.value().map(|every| StatementSpec {
                    waits_for_idle: **updates == Updates::Idle,
                    ..cc_update(every)
                }),
                most: LIMIT_MAX,
            },
            FlowControl::InfiniBand {
                fc_spacing,
                fc_timer,
                updates,
                ..
            } => Profile {
                cell: 64,
                overhead: 0,
                update: UpdateSpec {
                    at_least_every: fc_timer.value.value(),
                    waits_for_idle: **updates == Updates::Idle,
                    ..update(Says::Limit { bits: FC_BITS }, 1, *fc_spacing)
                },
                statement: fc_timer.value.value().map(|every| StatementSpec {
                    waits_for_idle: **updates == Updates::Idle,
                    ..fctbs(every)
                }),
                most: INFINIBAND_MAX,
            },
            FlowControl::Grains {
                cell,
                grain,
                update_bytes,
                ..
            } => Profile {
                cell: *cell,
                overhead: 0,
                update: UpdateSpec {
                    bytes: *update_bytes,
                    ..update(Says::Grains { units: **grain }, 8, 0)
                },
                statement: None,
                most: LIMIT_MAX,
            },
            _ => return None,
        })
    }

    fn credit(&self, owner: Owner, lane: LaneSpec) -> ClassCreditSpec {
        ClassCreditSpec {
            owner,
            unit_bytes: self.cell,
            overhead_bytes: self.overhead,
            rule: ClassCreditRule::Counters(lane),
        }
    }

    /// Credits that may be free without being told, of frames of this cost.
    fn untold(&self, cost: u32) -> u32 {
        match self.update.says {
            Says::Freed { .. } | Says::Limit { .. } => 0,
            Says::Grains { units } => units - gcd(units, cost),
        }
    }
}

/// CC_Updates.
fn cc_update(every: Duration) -> StatementSpec {
    StatementSpec {
        every,
        bits: CC_BITS,
        bytes: 64,
        classes: 16,
        waits_for_idle: false,
    }
}

/// The units sent, as flow control packets state them.
fn fctbs(every: Duration) -> StatementSpec {
    StatementSpec {
        every,
        bits: FC_BITS,
        bytes: ORDERED_SET,
        classes: 1,
        waits_for_idle: false,
    }
}

/// Gives a link into a switch the counters of its classes; `largest` is their largest frames.
pub(super) fn add<'a>(
    (controls, receiver): (&'a Controls<'_>, Option<&'a Nodes>),
    network: &mut EthernetSpec,
    id: u32,
    (largest, sent): (&[u32], Mask),
    told: &mut Told<'a>,
    mistakes: &mut Diagnostics,
) {
    let (control, credited) = (controls.of(id), controls.credited(id));
    let rate = network.links.channel(id ^ 1).rate;
    let profile = Profile::new(control.rules, |bytes| rate.serialization(bytes));
    let Some((mut profile, lanes)) = profile.zip(control.rules.lanes()) else {
        return;
    };
    if let Some(own) = receiver.filter(|_| cells::are_chosen(control.rules)) {
        profile.cell = own.credit_cell.unwrap_or(profile.cell);
    }
    let port = Port {
        lanes,
        profile,
        control: control.rules,
        at: control.at,
        name: controls.net.channel_name(id),
        classes: credited.count_ones(),
    };
    if !told.keys_at.contains(&port.at) {
        told.keys_at.push(port.at);
        port.check_keys(mistakes);
    }
    let ambiguous = port.ambiguous(network, id);
    mistakes.extend(ambiguous.and_then(|found| told.first(found)));
    let all = largest.iter().max().copied().unwrap_or(0);
    let classes = network.links.channel(id).queues.len();
    let mut credits = Vec::new();
    let mut floor = 0;
    for (class, largest) in (0..classes).zip(largest) {
        if credited & 1 << class == 0 {
            credits.push(None);
            continue;
        }
        let round = Round::new(network, id, (*largest, all), &port.profile);
        let lane = port.lane(&round);
        floor = port.lanes.floor.saturating_mul(round.cost).max(floor);
        let is_sent = sent & 1 << class != 0;
        let found = is_sent.then(|| port.check(&round, &lane, class)).flatten();
        mistakes.extend(found.and_then(|found| told.first(found)));
        credits.push(Some(
            port.profile
                .credit(lanes.lanes.over(*lanes.hash_lanes), lane),
        ));
    }
    let channel = network.links.channel_mut(id);
    channel.credits = credits;
    channel.counters = Some(CountersSpec {
        update: port.profile.update,
        statement: port.profile.statement,
        floor_units: floor,
        port_units: *lanes.port_limit,
    });
}

/// A link into a switch.
struct Port<'a> {
    lanes: &'a Lanes,
    profile: Profile,
    control: &'a FlowControl,
    at: &'a At,
    name: String,
    classes: u32,
}

impl Port<'_> {
    fn lane(&self, round: &Round) -> LaneSpec {
        let lanes = self.lanes;
        let Some(port) = *lanes.port_limit else {
            let usual = round.full(&self.profile).min(self.profile.most);
            return LaneSpec {
                limit_units: lanes.limit.unwrap_or(usual),
                reserve_units: 0,
                shares: Shares::Nothing,
            };
        };
        LaneSpec {
            limit_units: port,
            reserve_units: lanes.reserve.unwrap_or(match *lanes.lanes {
                given::Owner::Class => port / self.classes.max(1),
                given::Owner::Flow | given::Owner::Hash | given::Owner::Destination => 0,
            }),
            shares: match lanes.share.unwrap_or(Share::Static) {
                Share::None => Shares::Nothing,
                Share::Static => Shares::Units(*lanes.share_limit),
                Share::Dynamic => Shares::OfFree(lanes.share_power.unwrap_or(0) as i8),
            },
        }
    }

    /// Most credits that a class may use while the others use none.
    fn alone(&self, lane: &LaneSpec) -> u32 {
        let Some(port) = *self.lanes.port_limit else {
            return lane.limit_units;
        };
        let shared = port.saturating_sub(lane.reserve_units.saturating_mul(self.classes));
        lane.reserve_units.saturating_add(match lane.shares {
            Shares::Nothing => 0,
            Shares::Units(most) => most.map_or(shared, |most| most.min(shared)),
            Shares::OfFree(power) => {
                let part = 2_f64.powi(power.into());
                (f64::from(shared) * part / (1.0 + part)) as u32
            }
        })
    }

    /// Between two CF_Updates that arrive no more may be freed than their bits tell.
    fn ambiguous(&self, network: &EthernetSpec, id: u32) -> Option<Diagnostic> {
        let FlowControl::Cbfc { cf_max_spacing, .. } = self.control else {
            return None;
        };
        let cells = **cf_max_spacing / u64::from(self.profile.cell);
        let back = network.links.channel(id ^ 1);
        let may_lose = back.errors.control_loss > 0.0
            || network
                .outages
                .iter()
                .any(|outage| outage.channel == (id ^ 1));
        let updates = if may_lose { 2 } else { 1 };
        if updates * cells < 1 << CF_BITS {
            return None;
        }
        let most = ((1 << CF_BITS) / updates - 1) * u64::from(self.profile.cell);
        let most = most / CF_STEP * CF_STEP;
        let because = match may_lose {
            true => " (one of them may be lost here)",
            false => "",
        };
        let found = Diagnostic::error(
            "too-large",
            "more can be freed between two updates than 15 bits count",
        )
        .at(
            &cf_max_spacing.at,
            format!("{} of {} B", counted(cells, "cell"), self.profile.cell),
        )
        .note(format!(
            "a CF_Update tells {} apart{because} (link `{}`)",
            counted(1_u64 << CF_BITS, "cell"),
            self.name
        ))
        .help(format!(
            "write `cf_max_spacing = \"{} KiB\"` or less, or larger cells",
            most / 1024
        ));
        Some(found)
    }

    /// What of a class can't work, or works badly.
    fn check(&self, round: &Round, lane: &LaneSpec, class: usize) -> Option<Diagnostic> {
        let place = format!("link `{}`, class {class}", self.name);
        let (key, given) = match self.lanes.port_limit.value {
            Some(_) => ("port_limit", &self.lanes.port_limit),
            None => ("limit", &self.lanes.limit),
        };
        let at = given.place().unwrap_or(self.at);
        let alone = self.alone(lane);
        let least = round.cost.saturating_mul(self.lanes.floor.max(1));
        if alone < least {
            let message = "the credit would never do for a full frame";
            let found = Diagnostic::error("zone-too-small", message)
                .at(at, format!("a class has {alone} credits at most"))
                .note(format!(
                    "a frame costs up to {} credits ({place})",
                    round.cost
                ))
                .note_if(
                    (self.lanes.floor > 1).then(|| {
                        format!("`floor` asks for {} of them to be free", self.lanes.floor)
                    }),
                )
                .help(match self.lanes.port_limit.value {
                    Some(_) => format!("write `reserve = {least}` or more, and a larger `{key}`"),
                    None => format!("write `limit = {least}` or more, or leave it out"),
                });
            return Some(found);
        }
        let stops = round.cost + self.profile.untold(round.cost);
        if alone < stops {
            return Some(self.never_told(at, (alone, stops), &place));
        }
        self.slow(round, (at, alone), &place)
    }

    /// What is free makes no whole grain, and what is left is less than a frame.
    fn never_told(&self, at: &At, (has, needs): (u32, u32), place: &str) -> Diagnostic {
        let meant = *self.lanes.headroom == Headroom::Unchecked;
        let message = "the class may stop for ever: what is freed makes no whole grain".into();
        Diagnostic::error_unless(meant, "zone-too-small", message)
            .at(at, format!("{has} credits"))
            .note(format!("the rest of a grain is never given back ({place})"))
            .help(format!("write `limit = {needs}` or more, or leave it out"))
    }

    fn slow(&self, round: &Round, (at, has): (&At, u32), place: &str) -> Option<Diagnostic> {
        let share = round.share(has, &self.profile);
        // Of several lanes one alone need not fill the link.
        if share > 0.9 || *self.lanes.lanes != given::Owner::Class {
            return None;
        }
        let full = round.full(&self.profile);
        let slow = Diagnostic::warning("slow", "the credit is spent before more of it comes back")
            .at(at, format!("{has} credits of {} B", self.profile.cell))
            .note(format!(
                "at most {} % of the link ({place})",
                in_per_cent(share)
            ));
        Some(match full > self.profile.most {
            true => slow.help(format!(
                "no limit keeps it busy: {} credits are the most that are told apart; shorten the \
                 link",
                self.profile.most
            )),
            false => slow.help(match self.lanes.port_limit.value {
                None => format!("write `limit = {full}`: it keeps the link busy"),
                Some(_) => format!("a class alone needs {full}: raise `port_limit` or `share`"),
            }),
        })
    }
}

/// So many of these reserve more than their port has.
fn too_much_reserved(lanes: &Lanes, count: u32, of: &str) -> Option<Diagnostic> {
    let (port, reserve) = ((*lanes.port_limit)?, (*lanes.reserve)?);
    let all = u64::from(reserve) * u64::from(count);
    let message = format!("{of} reserve more than the port has");
    (all > u64::from(port)).then(|| {
        Diagnostic::error("too-large", message)
            .at(
                &lanes.reserve.at,
                format!("{count} times {reserve} = {all}"),
            )
            .at(&lanes.port_limit.at, format!("{port} credits in all"))
            .help(format!("write `reserve = {}` at most", port / count.max(1)))
    })
}

/// Lanes of flows or hosts, however many cross a link, that reserve more than its port has.
pub(super) fn reserves(
    controls: &Controls<'_>,
    network: &EthernetSpec,
    mistakes: &mut Diagnostics,
) {
    let counts = lane_counts(network).unwrap_or_default();
    let classes = network.links.channel(0).queues.len();
    for (id, counts) in (0..).zip(counts.chunks(classes)) {
        let control = controls.of(id);
        let Some(lanes) = control.rules.lanes().filter(|_| controls.credited(id) != 0) else {
            continue;
        };
        if let Some(found) = too_much_reserved(lanes, counts.iter().sum(), "lanes") {
            let name = controls.net.channel_name(id);
            mistakes.push(found.note(format!("so many cross `{name}`")));
            return;
        }
    }
}

/// Greatest common divisor.
pub(crate) fn gcd(one: u32, other: u32) -> u32 {
    match other {
        0 => one,
        _ => gcd(other, one % other),
    }
}
