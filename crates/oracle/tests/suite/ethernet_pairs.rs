//! Queue pairs: the fast engine starts their packets when the slow one does, whatever marks, loses,
//! stops or holds back by credit.

use backwater_net::frames::spec::*;
use backwater_oracle::ethernet::{Mix, Report, SCHEMES, Scheme};

use crate::ethernet_agreement::{bites, plain, seen, under};

fn pairs(mix: &mut Mix) {
    (mix.has_tcp, mix.has_pairs) = (true, true);
}

#[test]
fn they_agree_on_queue_pairs() {
    under(&SCHEMES, 11_000, pairs);
    under(&[Scheme::Off, Scheme::Class], 17_000, |mix| {
        pairs(mix);
        mix.is_finite = true;
    });
    let reach = under(&[Scheme::Off, Scheme::Class, Scheme::Port], 20_000, |mix| {
        pairs(mix);
        (mix.has_losses, mix.has_quanta) = (true, true);
    });
    assert!(reach.lost > 500, "{reach:?}");
    let reach = under(&[Scheme::Off, Scheme::Off], 25_000, |mix| {
        pairs(mix);
        (mix.has_credits, mix.has_counters) = (true, true);
    });
    assert!(reach.credits > 500, "{reach:?}");
    under(&[Scheme::Class], 28_000, |mix| {
        pairs(mix);
        (mix.has_inputs, mix.has_spread) = (true, true);
    });
}

/// The comparison sees packets of a byte less, and marks where there were none.
#[test]
fn pairs_that_are_a_little_wrong_are_seen() {
    let mut mix = plain(Scheme::Off);
    pairs(&mut mix);
    let has_pairs = |spec: &EthernetSpec, report: &Report| {
        let pairs = |flow: &FlowSpec| matches!(flow.transport, TransportSpec::Roce(_));
        spec.flows.iter().filter(|flow| pairs(flow)).count() > 2 && report.starts.len() > 500
    };
    bites(seen(11_000, mix, has_pairs, |spec| {
        for flow in &mut spec.flows {
            if let TransportSpec::Roce(roce) = &mut flow.transport {
                roce.mtu_bytes -= 1;
            }
        }
    }));
    let answers_marks = |spec: &EthernetSpec| {
        let mut pairs = spec.flows.iter();
        pairs.any(|flow| match &flow.transport {
            TransportSpec::Roce(roce) => roce.control.notify().is_some() && roce.notify.is_some(),
            _ => false,
        })
    };
    let marks = |spec: &EthernetSpec, report: &Report| {
        let marked = report.channels.iter().flat_map(|channel| &channel.marked);
        answers_marks(spec) && marked.sum::<u64>() > 20
    };
    bites(seen(11_000, mix, marks, |spec| {
        let channels = spec.links.iter_mut().flat_map(|link| &mut link.channels);
        for ecn in channels
            .flat_map(|it| &mut it.queues)
            .filter_map(|it| it.ecn.as_mut())
        {
            ecn.low_bytes = 0;
            ecn.high_bytes = 1;
        }
    }));
}
