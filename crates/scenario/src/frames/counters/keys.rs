//! What the keys of credit in cells say by themselves, whatever the link.

use super::{CF_STEP, CF_STEPS, Port, too_much_reserved};
use crate::given::frames::flow_control::{self as given, FlowControl};
use crate::prelude::*;

impl Port<'_> {
    /// The keys of a link by themselves.
    pub(super) fn check_keys(&self, mistakes: &mut Diagnostics) {
        let lanes = self.lanes;
        match lanes.port_limit.place() {
            Some(at) => {
                if let Some(limit) = lanes.limit.place() {
                    Diagnostic::error("bad-scheme", "a limit is one of each class, or of the port")
                        .at(limit, "a limit of each class")
                        .at(at, "one for all of them")
                        .help("leave one of them out")
                        .tell(mistakes);
                }
            }
            None => self.without_port_limit(mistakes),
        }
        self.too_much_reserved(mistakes);
        self.too_wide(mistakes);
        self.between_steps(mistakes);
        self.waits_for_ever(mistakes);
    }

    /// Without a timer a busy link would never tell what is free.
    fn waits_for_ever(&self, mistakes: &mut Diagnostics) {
        let FlowControl::InfiniBand {
            fc_timer, updates, ..
        } = self.control
        else {
            return;
        };
        if fc_timer.value.value().is_some() || **updates == given::Updates::First {
            return;
        }
        Diagnostic::error(
            "bad-scheme",
            "a packet that waits for an idle link may wait for ever",
        )
        .at(&updates.at, "goes when nothing else does")
        .at(&fc_timer.at, "and no timer sends it in any case")
        .help("give `fc_timer` a time, or write `updates = \"first\"`")
        .tell(mistakes);
    }

    /// The standard counts the longest spacing in steps.
    fn between_steps(&self, mistakes: &mut Diagnostics) {
        let FlowControl::Cbfc { cf_max_spacing, .. } = self.control else {
            return;
        };
        let given = **cf_max_spacing;
        if given.is_multiple_of(CF_STEP) {
            return;
        }
        let below = (given / CF_STEP).max(1);
        Diagnostic::error("out-of-range", "`cf_max_spacing` is in steps of 16 KiB")
            .at(
                &cf_max_spacing.at,
                format!("{given} B are between two steps"),
            )
            .help(format!(
                "write `cf_max_spacing = \"{} KiB\"` or `\"{} KiB\"`",
                16 * below,
                16 * (below + 1).min(CF_STEPS)
            ))
            .tell(mistakes);
    }

    fn without_port_limit(&self, mistakes: &mut Diagnostics) {
        let lanes = self.lanes;
        let keys = [
            ("reserve", lanes.reserve.place()),
            ("share", lanes.share.place()),
            ("share_limit", lanes.share_limit.place()),
            ("share_power", lanes.share_power.place()),
        ];
        for (key, at) in keys {
            let Some(at) = at else { continue };
            Diagnostic::no_meaning(key, "without `port_limit`")
                .at(at, "of what the classes of a port share")
                .help("give `port_limit`, or leave it out")
                .tell(mistakes);
        }
    }

    fn too_much_reserved(&self, mistakes: &mut Diagnostics) {
        if *self.lanes.lanes == given::Owner::Class {
            mistakes.extend(too_much_reserved(self.lanes, self.classes, "classes"));
        }
    }

    /// More than the counters tell apart.
    fn too_wide(&self, mistakes: &mut Diagnostics) {
        let most = self.profile.most;
        let limits = [
            ("limit", &self.lanes.limit),
            ("port_limit", &self.lanes.port_limit),
        ];
        for (key, limit) in limits {
            if let Some(given) = limit.value.filter(|given| *given > most) {
                Diagnostic::error("too-large", "the counters can't tell so much apart")
                    .at(&limit.at, format!("{given} credits"))
                    .note(format!("half of what 12 bits count: {most}"))
                    .help(format!("write `{key} = {most}` at most"))
                    .tell(mistakes);
            }
        }
    }
}
