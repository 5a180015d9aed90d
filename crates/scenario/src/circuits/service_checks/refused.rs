//! What the engine refuses of sessions and endless sources: told here, with the place.

use backwater_net::spec::{LinkSpec, SchedulerSpec, SourceControlSpec, TrafficSpec};

use super::Whole;
use crate::language::diagnostics::{Diagnostic, Diagnostics};

impl Whole<'_> {
    /// Messages of sessions are not sent again: no link on the way may lose them.
    pub(super) fn sessions_cross(&self, mistakes: &mut Diagnostics) {
        let cut: std::collections::BTreeSet<u32> =
            self.outages.iter().map(|cut| cut.channel / 2).collect();
        for (draft, flow) in self.flows() {
            if flow.session.is_none() {
                continue;
            }
            let mut links = flow.legs.iter().map(|leg| leg.channel);
            let found = links.find_map(|channel| {
                let link = &self.graph.links[channel as usize / 2];
                if loses_control(link) {
                    return Some((channel, "loses or damages control units"));
                }
                let is_cut = cut.contains(&(channel / 2));
                is_cut.then_some((channel, "is cut for a while"))
            });
            let Some((channel, why)) = found else {
                continue;
            };
            let name = self.graph.channel_name(channel);
            Diagnostic::error(
                "bad-session",
                format!("the session of `{}` can't cross `{name}`", draft.name),
            )
            .at(
                &draft.settings.session.at,
                format!("its path crosses `{name}`, whose link {why}"),
            )
            .note("messages of sessions are not sent again: one lost would hang the session")
            .help("leave `session` out")
            .help("or leave out `control_loss`, `control_corruption` and `outages` there")
            .tell(mistakes);
        }
    }

    /// A source that sends again what was lost can't fall silent at once.
    pub(super) fn windows_that_close(&self, mistakes: &mut Diagnostics) {
        for (draft, flow) in self.flows() {
            let repeats = matches!(flow.source_control, SourceControlSpec::Aimd { .. });
            let closes = flow.session.as_ref().is_some_and(|s| s.close.is_some());
            if !repeats || !closes {
                continue;
            }
            let session = &draft.settings.session;
            let close = session.as_ref().map_or(&session.at, |own| &own.close.at);
            Diagnostic::error(
                "bad-session",
                format!(
                    "`{}` can't close: its window sends again what was lost",
                    draft.name
                ),
            )
            .at(close, "closes here")
            .at(&draft.settings.source_control.at, "may still have to send")
            .help("leave `close` or `source_control` out")
            .tell(mistakes);
        }
    }

    /// What TCP and ABR can't go with, in the flow and in the one that carries answers back.
    pub(super) fn closed_loops(&self, mistakes: &mut Diagnostics) {
        for (draft, flow) in self.flows() {
            let is_tcp = matches!(flow.traffic, TrafficSpec::Tcp(_) | TrafficSpec::TcpBack);
            let is_abr = matches!(flow.source_control, SourceControlSpec::Abr(_));
            let what = match (is_tcp, is_abr) {
                (true, _) => "TCP",
                (false, true) => "ABR",
                (false, false) => continue,
            };
            let own = draft.settings;
            let given = [
                ("envelope", &own.envelope.at, flow.envelope.is_some()),
                ("policer", &own.policer.at, flow.policer.is_some() && is_abr),
                ("session", &own.session.at, flow.session.is_some()),
                ("sizes", &own.sizes.at, !flow.sizes.is_empty() && is_tcp),
            ];
            for (key, at, _) in given.into_iter().filter(|(.., is_given)| *is_given) {
                Diagnostic::error("closed-loop", format!("{what} can't go with `{key}`"))
                    .at(at, format!("`{}` is a flow of {what}", draft.name))
                    .note("its own control decides when cells leave; all have one size")
                    .help(format!("leave `{key}` out, or use other traffic"))
                    .tell(mistakes);
            }
        }
    }

    /// A source without end would hand over units without time passing where a port refuses them.
    pub(super) fn greedy_before_ats(&self, mistakes: &mut Diagnostics) {
        for (draft, flow) in self.flows() {
            let is_pulled = matches!(flow.traffic, TrafficSpec::Greedy { .. })
                && flow.source_control == SourceControlSpec::None;
            let mut roots = flow.legs.iter().filter(|leg| leg.parent.is_none());
            let refusing = roots.find(|leg| {
                let scheduler = self.scheduler(leg.channel);
                matches!(
                    scheduler,
                    SchedulerSpec::Ats {
                        max_residence: Some(_)
                    }
                )
            });
            let Some(leg) = refusing.filter(|_| is_pulled) else {
                continue;
            };
            let name = self.graph.channel_name(leg.channel);
            Diagnostic::error(
                "greedy-refused",
                format!(
                    "`{}` is greedy, and `{name}` refuses what waits too long",
                    draft.name
                ),
            )
            .at(
                &draft.settings.traffic.at,
                "offers a unit whenever there is none",
            )
            .at(&self.scheduler_at(leg.channel), "has a `max_residence`")
            .note("it would offer unit after unit at one instant, and time would stand still")
            .help("give the flow a rate: `traffic = { kind = \"constant\", .. }`")
            .help("or leave `max_residence` out at its first port")
            .tell(mistakes);
        }
    }
}

fn loses_control(link: &LinkSpec) -> bool {
    let sides = [&link.channels[0].errors, &link.channels[1].errors];
    let mut sides = sides.iter();
    sides.any(|errors| errors.control_loss > 0.0 || errors.control_corruption > 0.0)
}
