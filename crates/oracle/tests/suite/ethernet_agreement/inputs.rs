//! Inputs with stops of their own, beside each other and beside credit.

use backwater_net::frames::spec::{BackPressureSpec, EthernetSpec, NodeKind, Select};
use backwater_oracle::ethernet::{Mix, Report, SCHEMES, Scheme};

use super::{bites, plain, seen, under};

/// PAUSE over one input, PFC of some classes over another, with quanta and bindings of their own;
/// nothing over a third, or credit.
#[test]
fn they_agree_on_inputs_with_stops_of_their_own() {
    under(&[Scheme::Off, Scheme::Port, Scheme::Class], 1_800, |mix| {
        (mix.has_inputs, mix.has_own_stops, mix.has_quanta) = (true, true, true);
    });
    let reach = under(&[Scheme::Off, Scheme::Class], 1_900, |mix| {
        (mix.has_inputs, mix.has_own_stops, mix.has_quanta) = (true, true, true);
        (mix.has_credits, mix.has_tcp, mix.has_losses) = (true, true, true);
    });
    assert!(reach.mixed > 3 && reach.refreshes > 100, "{reach:?}");
    under(&SCHEMES[..3], 2_700, |mix| {
        *mix = Mix {
            has_own_stops: true,
            has_credits: true,
            has_multicast: true,
            ..Mix::of(mix.scheme)
        };
    });
}

/// The comparison sees a whole port that is stopped where classes are to be.
#[test]
fn an_input_with_other_stops_is_seen() {
    let mix = Mix {
        has_inputs: true,
        has_own_stops: true,
        ..plain(Scheme::Off)
    };
    let of = |spec: &mut EthernetSpec, change: fn(&mut BackPressureSpec)| {
        for node in &mut spec.nodes {
            if let NodeKind::Switch(switch) = &mut node.kind {
                let own = switch.stops.own.iter_mut();
                own.filter_map(|own| own.rules.as_mut()).for_each(change);
            }
        }
    };
    let matters = |spec: &EthernetSpec, report: &Report| {
        let has_classes = spec.links[0].channels[0].queues.len() > 1;
        has_classes && report.channels.iter().any(|it| it.stops_sent > 4)
    };
    bites(seen(1_800, mix, matters, |spec| {
        of(spec, |rules| rules.select = Select::Port);
    }));
}
