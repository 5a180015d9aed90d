//! Warnings about what flows reserve: too much, too little, nothing.

use backwater_net::spec::{FlowControlSpec, SourceControlSpec};

use super::{Port, Whole, more, reserve_at};
use crate::circuits::service;
use crate::circuits::traffic::{self, Line};
use crate::language::diagnostics::Diagnostic;
use backwater_kernel::words::counted;

impl Whole<'_> {
    pub(super) fn over_reserved(&self) -> Option<Diagnostic> {
        let rate = |channel: u32| self.graph.channel_spec(channel).rate.0;
        let over = || {
            self.used()
                .filter(|(channel, port)| port.bits_per_second > rate(*channel))
        };
        let excess = |(channel, port): &(u32, &Port)| {
            // Enough to choose the worst for a message.
            let times = u128::from(port.bits_per_second) << 32;
            times / u128::from(rate(*channel).max(1))
        };
        let (channel, port) = over().max_by_key(|pair| (excess(pair), !pair.0))?;
        let reserving = self.flows().filter(|(_, flow)| {
            let crosses = flow.legs.iter().any(|leg| leg.channel == channel);
            crosses && flow.reserve.is_some() && flow.session.is_none()
        });
        let (draft, _) = reserving.last()?;
        let [reserved, there] = rate_texts([port.bits_per_second, rate(channel)]);
        Diagnostic::warning(
            "over-reserved",
            format!(
                "{} {reserved} of {there} on `{}`; no delay bound exists",
                reserve(port.standing),
                self.graph.channel_name(channel)
            ),
        )
        .at(
            &reserve_at(draft),
            format!("`{}` is the last of them", draft.name),
        )
        .help(format!(
            "reserve {} less, raise the rate, or let flows ask: \
                 `session = {{ open = \"0 s\" }}`",
            rate_text(port.bits_per_second - rate(channel))
        ))
        .note_if(more(over().count() - 1, "channel"))
        .into()
    }

    pub(super) fn misbehaving(&self) -> Option<Diagnostic> {
        let flows = self.flows();
        let mut more_than_reserved = flows.filter_map(|(draft, flow)| {
            let reserved = flow.reserve?.rate.0;
            let first = flow.legs.first()?;
            let free = flow.envelope.is_none()
                && flow.policer.is_none()
                && flow.source_control == SourceControlSpec::None
                && first.flow_control == FlowControlSpec::None;
            let rate = self.graph.channel_spec(first.channel).rate;
            let line = Line::new(rate, &flow.sizes, flow.unit_bytes);
            let units = traffic::offered_per_second(&flow.traffic, line).filter(|_| free)?;
            let offered = units * 8.0 * line.mean_bytes();
            (offered > reserved as f64 * 1.000_001).then_some((draft, offered, reserved))
        });
        let (draft, offered, reserved) = more_than_reserved.next()?;
        let [offers, reserves] = rate_texts([offered.round() as u64, reserved]);
        Diagnostic::warning(
            "misbehaves",
            format!("`{}` offers {offers} and reserves {reserves}", draft.name),
        )
        .at(&draft.settings.traffic.at, "offered on average")
        .at(&reserve_at(draft), "and nothing holds it to this")
        .help(
            "hold it to what it reserves with `envelope` or `policer`, or leave it so on \
                 purpose",
        )
        .note_if(more(more_than_reserved.count(), "flow"))
        .into()
    }

    pub(super) fn nothing_reserved(&self) -> Option<Diagnostic> {
        if self.specs.iter().any(|flow| flow.reserve.is_some()) {
            return None;
        }
        let by_reservation = |channel| {
            let scheduler = self.scheduler(channel);
            scheduler.shapes() || service::serves_by_reservation(scheduler)
        };
        let (channel, _) = self.used().find(|(channel, _)| by_reservation(*channel))?;
        let message = match self.scheduler(channel).shapes() {
            true => "no flow reserves anything: none is shaped, units go as they come",
            false => "no flow reserves anything: all share equally",
        };
        Diagnostic::warning("nothing-reserved", message)
            .at(
                &self.scheduler_at(channel),
                "serves flows by what they reserve",
            )
            .help("give flows a rate: `reserve = { rate = \"20 kbps\" }`")
            .help("or use `kind = \"round-robin\"`, which needs none")
            .into()
    }
}

/// "3 flows reserve".
fn reserve(flows: u32) -> String {
    let verb = if flows == 1 { "reserves" } else { "reserve" };
    format!("{} {verb}", counted(flows, "flow"))
}

/// The unit in which it has one to three digits before the point, and how much that is.
fn unit_of(bits_per_second: u64) -> (f64, &'static str) {
    match bits_per_second {
        0..1_000 => (1.0, "bps"),
        1_000..1_000_000 => (1e3, "kbps"),
        1_000_000..1_000_000_000 => (1e6, "Mbps"),
        _ => (1e9, "Gbps"),
    }
}

/// Two rates with at least so many digits behind the point, and as many as it takes to tell one
/// from the other.
pub(crate) fn rates_apart(rates: [f64; 2], digits: usize) -> [String; 2] {
    let written = |digits: usize| {
        rates.map(|rate| {
            let (unit, name) = unit_of(rate.max(0.0) as u64);
            format!("{:.digits$} {name}", rate / unit)
        })
    };
    let apart = (digits..=9).map(written).find(|[one, other]| one != other);
    apart.unwrap_or_else(|| written(digits))
}

/// Two rates, as short as tells one from the other.
pub(crate) fn rate_texts(rates: [u64; 2]) -> [String; 2] {
    match rates.map(rate_text) {
        [one, other] if one == other => rates_apart(rates.map(|rate| rate as f64), 3),
        apart => apart,
    }
}

/// "64 kbps", "1.536 Mbps".
pub(crate) fn rate_text(bits_per_second: u64) -> String {
    let (unit, name) = unit_of(bits_per_second);
    let number = format!("{:.3}", bits_per_second as f64 / unit);
    let number = number.trim_end_matches('0').trim_end_matches('.');
    format!("{number} {name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_that_differ_are_written_apart() {
        let apart = |one, other| rates_apart([one, other], 2).join(" of ");
        assert_eq!(apart(12.186e9, 1e10), "12.19 Gbps of 10.00 Gbps");
        assert_eq!(apart(1.0015e9, 1e9), "1.002 Gbps of 1.000 Gbps");
        assert_eq!(apart(1.000_002e9, 1e9), "1.000002 Gbps of 1.000000 Gbps");
        assert_eq!(apart(64_001.0, 64_000.0), "64.001 kbps of 64.000 kbps");
        assert_eq!(apart(1e9, 1e9), "1.00 Gbps of 1.00 Gbps");
        assert_eq!(
            rate_texts([2_000_001_000, 2_000_000_000]),
            ["2.000001 Gbps", "2.000000 Gbps"]
        );
        assert_eq!(
            rate_texts([3_000_000_000, 2_000_000_000]),
            ["3 Gbps", "2 Gbps"]
        );
    }

    #[test]
    fn rates_are_written_short() {
        let expected = [
            (0, "0 bps"),
            (100, "100 bps"),
            (20_000, "20 kbps"),
            (1_536_000, "1.536 Mbps"),
            (2_500_000_000, "2.5 Gbps"),
        ];
        for (bits_per_second, text) in expected {
            assert_eq!(rate_text(bits_per_second), text);
        }
    }
}
