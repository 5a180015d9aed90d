//! The two stations of each flow, above the MAC: applications, TCP, queue pairs, datagrams. No
//! queues and no channels: frames go out through a list, come in through a call, and time is a
//! parameter.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use backwater_kernel::Time;

use crate::application::connection::{Arrival, Came, Connection};
use crate::application::datagrams::Datagrams;
use crate::application::messages::Messages;
pub use crate::application::tally::EndsSum;
pub use crate::application::transfers::{End, News};
use crate::application::{NEVER_PS, Outgoing, Payload};
use crate::control::Telemetry;
use crate::queue_pair::QueuePair;
use crate::spec::RoceSpec;
use crate::spec::bytes::{TrafficSpec, TransportSpec};
use crate::spec::messages::Waiters;
use crate::{Endpoint as TcpEndpoint, TcpSpec};
pub use repeated::{Reference, Round};

/// What concerns all stations of a network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Setup {
    /// Root of every random stream.
    pub seed: u64,
    /// Statistics start at once: there is no warm-up.
    pub is_measuring: bool,
    /// The network delivers frames of a flow in the order in which they were sent.
    pub keeps_order: bool,
}

/// The two stations of a flow and what they do.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FlowEnds<'a> {
    /// Station that sends (that opens the connection).
    pub source: u32,
    /// Station that receives; of several, the first.
    pub destination: u32,
    /// Stations that receive: over UDP there may be several.
    pub receivers: u32,
    /// What packets of a queue pair have on the wire beside their payload.
    pub around_bytes: u32,
    /// The protocol.
    pub transport: &'a TransportSpec,
    /// What the application sends.
    pub traffic: &'a TrafficSpec,
}

/// Where a flow is kept.
#[derive(Clone, Copy, Debug)]
enum Endpoint {
    Tcp(u32),
    Roce(u32),
    Udp(u32),
}

/// All stations, by the place of their flow: its number, unless it has none of its own.
pub struct Stations {
    places: Vec<Endpoint>,
    connections: Vec<Connection<TcpEndpoint>>,
    pairs: Vec<Connection<QueuePair>>,
    datagrams: Vec<Datagrams>,
    /// Each flavour once.
    tcp: Vec<TcpSpec>,
    /// Each flavour once.
    roce: Vec<RoceSpec>,
    /// Which message waits for what.
    dependences: Waiters,
    /// Flows with a message that may begin since something happened elsewhere at their host.
    woken: VecDeque<u32>,
    all: Setup,
    is_measuring: bool,
}

impl Stations {
    /// Stations that have done nothing, for flows in the order of their numbers. The flows were
    /// checked: what a protocol can't carry (files over UDP, a constant rate over TCP) never
    /// starts.
    pub fn new<'a>(all: Setup, flows: impl Iterator<Item = FlowEnds<'a>>) -> Stations {
        let mut stations = Stations {
            places: Vec::new(),
            connections: Vec::new(),
            pairs: Vec::new(),
            datagrams: Vec::new(),
            tcp: Vec::new(),
            roce: Vec::new(),
            dependences: Waiters::default(),
            woken: VecDeque::new(),
            all,
            is_measuring: all.is_measuring,
        };
        let flows: Vec<FlowEnds> = flows.collect();
        for (flow, ends) in (0_u32..).zip(&flows) {
            stations.open_flow((flow, flow), ends, flows.len());
        }
        let lists = (0_u32..).zip(&flows);
        let lists = lists.filter_map(|(flow, ends)| Some((flow, ends.traffic.messages()?)));
        stations.dependences = Waiters::among(&lists.collect::<Vec<_>>());
        stations
    }

    /// When [`Stations::on_timer`] wants to be called for an end of a flow: the earliest of its
    /// application and of TCP there. What an application does without any time to think or to
    /// serve it does as the frame comes in.
    #[inline]
    pub fn next_timer(&self, flow: u32, end: End) -> Option<Time> {
        let ps = match self.places[flow as usize] {
            Endpoint::Tcp(at) => self.connections[at as usize].next_timer_ps(end),
            Endpoint::Roce(at) => self.pairs[at as usize].next_timer_ps(end),
            Endpoint::Udp(at) if end == End::Opener => self.datagrams[at as usize].next_timer_ps(),
            Endpoint::Udp(_) => NEVER_PS,
        };
        (ps != NEVER_PS).then_some(Time(ps))
    }

    /// Has a flow of datagrams more to send at this instant?
    #[inline]
    pub fn is_due(&self, flow: u32, now: Time) -> bool {
        match self.places[flow as usize] {
            Endpoint::Tcp(_) | Endpoint::Roce(_) => false,
            Endpoint::Udp(at) => self.datagrams[at as usize].next_timer_ps() <= now.ps(),
        }
    }

    /// Does the flow do anything more by itself, with no frame of it on its way?
    #[inline]
    pub fn has_more(&self, flow: u32) -> bool {
        let ends = [End::Opener, End::Answerer];
        let waits = |end| self.next_timer(flow, end).is_some();
        ends.into_iter().any(waits) || self.is_pulled(flow)
    }

    /// Only some ends of a flow are simulated here: the others do nothing by themselves.
    pub fn keep(&mut self, flow: u32, opener: bool) {
        match self.places[flow as usize] {
            Endpoint::Tcp(at) => self.connections[at as usize].keep(opener),
            Endpoint::Roce(at) => self.pairs[at as usize].keep(opener),
            Endpoint::Udp(at) if !opener => self.datagrams[at as usize].silence(),
            Endpoint::Udp(_) => {}
        }
    }

    /// What an end of a flow did since this was asked last that the other one has to know, if it
    /// is simulated elsewhere: before a segment that was sent thereafter comes there.
    pub fn take_news(&mut self, flow: u32) -> Option<News> {
        match self.places[flow as usize] {
            Endpoint::Tcp(at) => self.connections[at as usize].take_news(),
            Endpoint::Roce(at) => self.pairs[at as usize].take_news(),
            Endpoint::Udp(at) => {
                let messages = self.datagrams[at as usize].carried_messages()?;
                messages.take_news().map(News::Asked)
            }
        }
    }

    /// Hears what the other end of a flow did.
    pub fn hear(&mut self, flow: u32, news: News) {
        match self.places[flow as usize] {
            Endpoint::Tcp(at) => self.connections[at as usize].hear(news),
            Endpoint::Roce(at) => self.pairs[at as usize].hear(news),
            Endpoint::Udp(at) => {
                let messages = self.datagrams[at as usize].carried_messages();
                if let (Some(messages), News::Asked(at)) = (messages, news) {
                    messages.hear(at);
                }
            }
        }
    }

    /// The instant that [`Stations::next_timer`] named has come; calls before it do nothing.
    /// Frames for the ports are appended to `out`.
    pub fn on_timer(&mut self, now: Time, flow: u32, end: End, out: &mut Vec<Outgoing>) {
        match self.places[flow as usize] {
            Endpoint::Tcp(at) => {
                let connection = &mut self.connections[at as usize];
                let tcp = &self.tcp[connection.flavour as usize];
                connection.on_timer(now, tcp, end, out);
            }
            Endpoint::Roce(at) => {
                let pair = &mut self.pairs[at as usize];
                let roce = &self.roce[pair.flavour as usize];
                pair.on_timer(now, roce, end, out);
            }
            Endpoint::Udp(at) => {
                self.datagrams[at as usize].on_timer(now, self.is_measuring, out);
            }
        }
        self.note(now, flow);
    }

    /// A frame of the flow, born (handed to its port) at `born`, reached its station. Returns the
    /// payload bytes the application got in order by it; over UDP each datagram is in order.
    #[inline(always)]
    pub fn on_frame(&mut self, now: Time, frame: &Delivery<'_>, out: &mut Vec<Outgoing>) -> u64 {
        let Delivery {
            flow,
            is_forward,
            is_marked,
            born,
            path,
            ..
        } = *frame;
        let arrival = Arrival {
            is_forward,
            is_measured: self.is_measuring,
            came: Came { is_marked, path },
        };
        let bytes = match (self.places[flow as usize], frame.payload) {
            (Endpoint::Tcp(at), Payload::Tcp(segment)) => {
                let connection = &mut self.connections[at as usize];
                if self.is_measuring {
                    connection.tally.count_frame(now, is_forward, born);
                }
                let tcp = &self.tcp[connection.flavour as usize];
                connection.take_packet(now, tcp, segment, arrival, out)
            }
            (Endpoint::Roce(at), Payload::Roce(packet)) => {
                let pair = &mut self.pairs[at as usize];
                if self.is_measuring {
                    // A header overtakes data, and takes no time that data would.
                    let is_whole = is_forward && !packet.is_trimmed;
                    pair.tally.count_frame(now, is_whole, born);
                }
                let roce = &self.roce[pair.flavour as usize];
                pair.take_packet(now, roce, packet, arrival, out)
            }
            (Endpoint::Udp(at), Payload::Udp { bytes, number }) => {
                let datagrams = &mut self.datagrams[at as usize];
                if self.is_measuring {
                    datagrams.tally.count_frame(now, is_forward, born);
                }
                datagrams.on_arrival(now, *bytes, *number, self.is_measuring)
            }
            _ => 0,
        };
        self.note(now, flow);
        bytes
    }

    /// A copy of a datagram, born at `born`, reached one of several stations. Returns its payload
    /// bytes.
    pub fn on_copy(
        &mut self,
        now: Time,
        (flow, receiver): (u32, u32),
        payload: &Payload,
        born: Time,
    ) -> u64 {
        match (self.places[flow as usize], payload) {
            (Endpoint::Udp(at), Payload::Udp { bytes, number }) => {
                let datagrams = &mut self.datagrams[at as usize];
                datagrams.on_copy(now, receiver, (*bytes, *number, born), self.is_measuring)
            }
            _ => 0,
        }
    }

    /// UDP without end: may the port ask for the next frame whenever it has nothing else of the
    /// flow? True for infinite traffic over UDP until all its bytes have gone.
    #[inline]
    pub fn is_pulled(&self, flow: u32) -> bool {
        match self.places[flow as usize] {
            Endpoint::Tcp(_) | Endpoint::Roce(_) => false,
            Endpoint::Udp(at) => self.datagrams[at as usize].is_pulled(),
        }
    }

    /// The port asks for the next frame of an end that is pulled: the one before has just started.
    /// Before its start it gets none. (The first one comes by itself, from
    /// [`Stations::on_timer`] at the start.)
    #[inline]
    pub fn pull(&mut self, now: Time, flow: u32, end: End, out: &mut Vec<Outgoing>) {
        match self.places[flow as usize] {
            Endpoint::Tcp(_) => {}
            Endpoint::Roce(at) => {
                let pair = &mut self.pairs[at as usize];
                let roce = &self.roce[pair.flavour as usize];
                pair.ends[end as usize].on_start(now, roce);
                pair.send(now, roce, end, out);
            }
            Endpoint::Udp(at) if end == End::Opener => self.datagrams[at as usize].pull(now, out),
            Endpoint::Udp(_) => {}
        }
        self.note(now, flow);
    }

    /// The same of a flow of datagrams, which nothing else depends on: payload bytes and number of
    /// the next one.
    #[inline(always)]
    pub fn pull_datagram(&mut self, flow: u32) -> Option<(u32, u64)> {
        match self.places[flow as usize] {
            Endpoint::Udp(at) => self.datagrams[at as usize].pull_one(),
            Endpoint::Tcp(_) | Endpoint::Roce(_) => None,
        }
    }

    /// Is it a flow of datagrams with messages that wait for others?
    pub fn has_messages_in_datagrams(&self, flow: u32) -> bool {
        match self.places[flow as usize] {
            Endpoint::Udp(at) => self.datagrams[at as usize].has_messages(),
            Endpoint::Tcp(_) | Endpoint::Roce(_) => false,
        }
    }

    /// Is there any flow over TCP, and any queue pair?
    pub fn protocols(&self) -> (bool, bool) {
        let has = |is: fn(&Endpoint) -> bool| self.places.iter().any(is);
        (
            has(|place| matches!(place, Endpoint::Tcp(_))),
            has(|place| matches!(place, Endpoint::Roce(_))),
        )
    }

    /// Has any flow a list of messages, whether or not one waits for another?
    #[inline(always)]
    pub fn has_messages(&self) -> bool {
        !self.dependences.is_empty()
    }

    /// The flow is one of datagrams.
    #[inline(always)]
    pub fn has_datagrams(&self, flow: u32) -> bool {
        matches!(self.places[flow as usize], Endpoint::Udp(_))
    }

    /// [`Stations::on_frame`] for a datagram, of so many bytes and with this number, that reached
    /// its one station.
    #[inline(always)]
    pub fn on_datagram(&mut self, now: Time, flow: u32, (bytes, number): (u32, u64), born: Time) {
        if let Endpoint::Udp(at) = self.places[flow as usize] {
            let datagrams = &mut self.datagrams[at as usize];
            if self.is_measuring {
                datagrams.tally.count_frame(now, true, born);
            }
            datagrams.on_arrival(now, bytes, number, self.is_measuring);
        }
        self.note(now, flow);
    }

    /// Has anything happened that a message of another flow waits for?
    #[inline]
    pub fn has_woken(&self) -> bool {
        !self.woken.is_empty()
    }

    /// A flow whose source's timer is to be asked for anew, and called if it is due: something that
    /// a message of it waits for happened as another flow of its host was served.
    #[inline]
    pub fn take_woken(&mut self) -> Option<u32> {
        self.woken.pop_front()
    }

    /// What a flow did is told to the messages that wait for it.
    #[inline]
    fn note(&mut self, now: Time, flow: u32) {
        if self.has_messages() {
            self.tell_waiting(now, flow);
        }
    }

    #[cold]
    fn tell_waiting(&mut self, now: Time, flow: u32) {
        let happened = match self.places[flow as usize] {
            Endpoint::Tcp(at) => core::mem::take(&mut self.connections[at as usize].happened),
            Endpoint::Roce(at) => core::mem::take(&mut self.pairs[at as usize].happened),
            Endpoint::Udp(at) => self.datagrams[at as usize].take_happened(),
        };
        let waiting = happened.iter();
        let waiting = waiting.flat_map(|what| self.dependences.waiting_for(*what));
        for (flow, waiter) in waiting.collect::<Vec<_>>() {
            if let Some(messages) = self.messages(flow) {
                messages.on_happened(now, waiter);
                self.woken.push_back(flow);
            }
            if let Endpoint::Udp(at) = self.places[flow as usize] {
                self.datagrams[at as usize].set_timer();
            }
        }
    }

    fn messages(&mut self, flow: u32) -> Option<&mut Messages> {
        match self.places[flow as usize] {
            Endpoint::Tcp(at) => self.connections[at as usize].messages.as_deref_mut(),
            Endpoint::Roce(at) => self.pairs[at as usize].messages.as_deref_mut(),
            Endpoint::Udp(at) => self.datagrams[at as usize].carried_messages(),
        }
    }

    /// The warm-up ends: statistics start. (Without a warm-up they have from the beginning.)
    pub fn start_measuring(&mut self, _now: Time) {
        self.is_measuring = true;
        for connection in &mut self.connections {
            connection.start_measuring();
        }
        for pair in &mut self.pairs {
            pair.start_measuring();
        }
    }

    /// The network stops the class of an end at its port, or lets it go on: control whose timers
    /// stand still meanwhile has to know.
    pub fn on_stop(&mut self, now: Time, flow: u32, end: End, is_stopped: bool) {
        match self.places[flow as usize] {
            Endpoint::Roce(at) => {
                self.pairs[at as usize].ends[end as usize].on_stop(now, is_stopped);
            }
            Endpoint::Tcp(_) | Endpoint::Udp(_) => {}
        }
    }
}

/// A frame that has come to its station.
#[derive(Clone, Copy, Debug)]
pub struct Delivery<'a> {
    /// Of this flow,
    pub flow: u32,
    /// from its source to its destination, or back.
    pub is_forward: bool,
    /// What it carries.
    pub payload: &'a Payload,
    /// A switch marked it.
    pub is_marked: bool,
    /// When it was handed to its port.
    pub born: Time,
    /// What switches wrote on it, or on the packet that it acknowledges.
    pub path: &'a [Telemetry],
}

mod opened;
mod readings;
mod repeated;
#[cfg(test)]
mod tests;
