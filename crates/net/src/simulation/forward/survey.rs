//! All that a run of frames keeps. What is added to any of these is to be surveyed, too: nothing is
//! left out by `..`, so that it does not compile without.

use alloc::vec::Vec;

use backwater_ends::stations::{End, Round};
use backwater_kernel::{Event, EventQueue, Stream, Survey, Time};

use crate::classes::routes::Routes;
use crate::classes::run::ByClass;
use crate::classes::shape::ANYTHING;
use crate::classes::{Classes, FrameFlow, Losses, Node};
use crate::hop::timer::Timer;
use crate::network::Network;
use crate::probe::Probe;
use crate::simulation::Simulation;

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// The run. In a leap it goes on from so much later.
    pub(super) fn survey_run(&mut self, survey: &mut Survey, rounds: &[Round]) {
        let Simulation {
            now,
            events,
            network,
            probe: _,
            due: _,
            freed,
            tickets,
            hash: _,
            seed: _,
            stop_at: _,
            warm_up: _,
            is_warm,
            events_handled: _,
            unit_hops,
            last_start,
            mark: _,
            rates: _,
            by_class,
            violations,
            asked: _,
            border,
            record: _,
        } = self;
        survey.flag(*is_warm);
        survey.flag(freed.is_empty() && tickets.is_empty());
        survey.fixed(violations.total());
        survey.flag(border.is_some());
        survey.adds(unit_hops);
        survey.noted(last_start);
        by_class.survey_by_class(survey);
        network.survey_network(survey, rounds);
        let mut waiting = Vec::new();
        events.look(&mut |event| waiting.push(event));
        waiting.sort_unstable();
        survey_events(survey, &waiting);
        let Some((_, by)) = survey.leaps() else {
            return;
        };
        *now += by;
        by_class.reached = *now;
        *events = Q::default();
        for event in waiting {
            match what(event) {
                What::Station => {}
                What::Look => {
                    let every = by_class.stall_after.ps().max(1);
                    let late = now.since(event.time()).ps().div_ceil(every);
                    let at = Time(event.time().ps() + late * every);
                    let at = if at <= *now {
                        Time(at.ps() + every)
                    } else {
                        at
                    };
                    events.push(Timer::Standstill.at(at, 0));
                }
                What::Other => events.push(event.postponed(by)),
            }
        }
        self.arm_all();
    }

    /// Each end of each flow has the event for its next timer.
    fn arm_all(&mut self) {
        for flow in 0..self.network.classes.flows.len() as u32 {
            self.network.classes.flows[flow as usize].armed = [Time::MAX; 2];
            self.arm::<ANYTHING>((flow, flow), End::Opener);
            self.arm::<ANYTHING>((flow, flow), End::Answerer);
        }
    }
}

/// Whose events they are.
enum What {
    /// An end of a flow: that it is called follows from when it wants to be.
    Station,
    /// A standstill is looked for, at even distances.
    Look,
    /// Anything else.
    Other,
}

fn what(event: Event) -> What {
    let is_timer = |timer: Timer| {
        let of = timer.at(event.time(), event.entity());
        of.order() == event.order()
    };
    match () {
        () if is_timer(Timer::Station) => What::Station,
        () if is_timer(Timer::Standstill) => What::Look,
        () => What::Other,
    }
}

fn survey_events(survey: &mut Survey, waiting: &[Event]) {
    for event in waiting
        .iter()
        .filter(|event| matches!(what(**event), What::Other))
    {
        let (mut at, order) = (event.time(), event.order());
        survey.instant(&mut at);
        survey.fixed(order);
    }
}

const AT_RANDOM: &str = "flows that arrive at random or from a list";

impl ByClass {
    fn survey_by_class(&mut self, survey: &mut Survey) {
        let ByClass {
            form: _,
            reached: _,
            outgoing,
            path: _,
            opened,
            pulled,
            crowd,
            arrivals,
            selection,
            stall_after: _,
            data_hops_before,
            standstill,
            is_drained,
            lively: _,
            control_hops,
            controls_made,
            stopped_before: _,
            control_before: _,
            underway_before: _,
        } = self;
        survey.flag(outgoing.is_empty() && opened.is_empty());
        survey.flag(pulled.is_empty() && crowd.is_empty() && arrivals.is_empty());
        survey_streams(survey, selection);
        survey.flag(*is_drained || standstill.is_some());
        survey.adds(data_hops_before);
        survey.adds(control_hops);
        survey.adds(controls_made);
    }
}

impl Network {
    fn survey_network(&mut self, survey: &mut Survey, rounds: &[Round]) {
        let Network {
            legs,
            counts: _,
            credits: _,
            settings: _,
            starts: _,
            channels,
            flows: _,
            nodes: _,
            sinks: _,
            units,
            copies: _,
            children: _,
            leaves_below: _,
            pools: _,
            sessions: _,
            tcp: _,
            classes,
        } = self;
        if !legs.is_empty() {
            survey.rule_out("credit");
        }
        let ways = classes.stations.survey_stations(survey, rounds);
        classes.survey_classes(survey);
        survey.fixed(u64::from(units.live()));
        for channel in channels {
            channel.survey_channel(survey);
            let wire = channel.wire;
            units.survey_chain(survey, &wire, &ways);
        }
        for queue in &classes.queues {
            units.survey_chain(survey, &queue.chain, &ways);
        }
    }
}

impl Classes {
    fn survey_classes(&mut self, survey: &mut Survey) {
        let Classes {
            count: _,
            queues,
            counts,
            lanes,
            lane_queues: _,
            gates,
            asked,
            requests,
            accounts,
            account_times: _,
            credits,
            drains,
            nodes,
            rows: _,
            members,
            flows,
            losses,
            alone: _,
            messages_alone: _,
            received,
            routes,
            spreading: _,
            turns,
            stations: _,
            freezing: _,
            telemetry,
            marking,
            points,
            slots: _,
            control_sent,
            control_bytes,
            control_lost,
        } = self;
        let has_credit = !credits.lanes.is_empty() || !credits.counters.is_empty();
        let obstacles = [
            (!lanes.is_empty(), "queues by station or flow"),
            (has_credit, "credit"),
            (!drains.is_empty(), "stations with a pace of their own"),
            (!members.groups.is_empty(), AT_RANDOM),
            (!received.is_empty(), "several destinations of a flow"),
            (!telemetry.is_empty(), "what switches write on packets"),
            (!points.is_empty(), "RoCC"),
            (
                matches!(routes, Routes::Tables(_)) || turns.is_some(),
                "frames that are spread one by one",
            ),
        ];
        refuse_any(survey, &obstacles);
        queues.iter_mut().for_each(|own| own.survey_queue(survey));
        counts
            .iter_mut()
            .for_each(|own| own.survey_queue_counts(survey));
        gates.iter_mut().for_each(|own| own.survey_gates(survey));
        asked.iter_mut().for_each(|own| own.survey_asked(survey));
        requests.iter().for_each(|own| own.survey_requests(survey));
        accounts
            .iter_mut()
            .for_each(|own| own.survey_account(survey));
        nodes.iter_mut().for_each(|own| own.survey_node(survey));
        flows.iter_mut().for_each(|own| own.survey_flow(survey));
        losses.iter_mut().for_each(|own| own.survey_losses(survey));
        survey_streams(survey, marking);
        for all in [control_sent, control_bytes, control_lost] {
            all.iter_mut().for_each(|count| survey.adds(count));
        }
    }
}

fn survey_streams(survey: &mut Survey, streams: &[Option<Stream>]) {
    for stream in streams.iter().flatten() {
        stream.survey_stream(survey);
    }
}

/// Those of them that are there are in the way.
fn refuse_any(survey: &mut Survey, obstacles: &[(bool, &'static str)]) {
    for (_, why) in obstacles.iter().filter(|(is_there, _)| *is_there) {
        survey.rule_out(why);
    }
}

impl Node {
    fn survey_node(&mut self, survey: &mut Survey) {
        let Node {
            bytes,
            most_bytes: _,
            lossless: _,
            is_switch: _,
            counts_inputs: _,
            detects_inputs: _,
            has_time_out,
            shared,
            watchdog,
            storm,
            stops: _,
            leaving: _,
            time_outs,
            promised: _,
        } = self;
        if *has_time_out || watchdog.is_some() || storm.is_some() {
            survey.rule_out("a watchdog, a time-out of stops or a storm");
        }
        survey.fixed(*bytes);
        if let Some(shared) = shared {
            shared.survey_shared(survey);
        }
        survey.adds(time_outs);
    }
}

impl FrameFlow {
    fn survey_flow(&mut self, survey: &mut Survey) {
        let FrameFlow {
            source: _,
            destination: _,
            created,
            created_bytes,
            delivered,
            delivered_bytes,
            armed: _,
            in_port,
            class: _,
            message_class: _,
            bits: _,
        } = self;
        survey.fixed(u64::from(in_port[0]) << 16 | u64::from(in_port[1]));
        for count in [created, created_bytes, delivered, delivered_bytes] {
            survey.adds(count);
        }
    }
}

impl Losses {
    fn survey_losses(&mut self, survey: &mut Survey) {
        let Losses {
            dropped,
            dropped_bytes,
            dropped_before: _,
            marked,
            trimmed,
        } = self;
        for count in [dropped, dropped_bytes, marked, trimmed] {
            survey.adds(count);
        }
    }
}
