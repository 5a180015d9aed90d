//! The state of the network while it runs.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use crate::border::Border;
use crate::lane::{InChannel, InLane, NONE, OutChannel, OutLane, Ring};
use crate::layout::{BLOCK, Layout};
use crate::lists::Lists;
use crate::packet::Pool;
use crate::routing::Routing;
use crate::spec::{Arbiter, FabricSpec, Injection, LaneChoice, Release, Size, Switch};
use crate::watch::Watch;

/// Lanes, channels and what is on its way between them.
#[derive(Debug)]
pub(crate) struct Fabric {
    pub layout: Layout,
    pub input: Vec<InLane>,
    pub output: Vec<OutLane>,
    pub out_channels: Vec<OutChannel>,
    pub in_channels: Vec<InChannel>,
    /// By seat channel: lanes with a flit to send in the low half, with room in the high half.
    /// A seat is where a lane's two bits are: at the output lane in a crossbar and at
    /// injection, at the input lane (after all output channels) in a multiplexed switch.
    pub words: Vec<u64>,
    /// By seat channel: seats that a packet holds. Then a bit for each channel with any, and a
    /// bit for each block of 64 channels with any.
    pub held: Vec<u8>,
    pub active: Vec<u64>,
    pub summary: Vec<u64>,
    /// The lanes of a channel share an input of the switch.
    pub multiplexed: bool,
    /// Freed places count in the same cycle.
    pub same_cycle: bool,
    /// By lane: urgency of its front packet; empty where no arbiter asks.
    pub key: Vec<u64>,
    /// By lane: the output lane after the one it got last; empty where lanes aren't given in turn.
    pub lane_after: Vec<u32>,
    /// By output lane: where round robin goes on among headers that may take this lane as the
    /// lowest; empty where headers don't go in turn.
    pub header_pointer: Vec<u32>,
    pub packets: Pool,
    /// At the end of a cycle: flits join these lanes.
    pub arrivals: Ring<Vec<u32>>,
    /// At the end of a cycle: the sender learns of a free place in these lanes.
    pub credits: Ring<Vec<u32>>,
    /// At the end of a cycle: headers join lanes.
    pub headers: Ring<Vec<(u32, u32)>>,
    /// At the end of a cycle: packets are complete at their terminals.
    pub deliveries: Ring<Vec<u32>>,
    /// At the end of a cycle: output lanes become free.
    pub releases: Ring<Vec<u32>>,
    /// In this cycle headers in these lanes begin to compete for lanes.
    pub ready: Ring<Vec<u32>>,
    /// In this cycle headers that got a lane before may use it: their lanes and those they got.
    pub granted: Ring<Vec<(u32, u32)>>,
    /// Channels to look at in the next allocation.
    pub noted: Vec<u32>,
    /// Headers that choose anew each cycle.
    pub adaptive: Vec<u32>,
    /// Channels they chose in this cycle.
    pub aimed: Vec<u32>,
    /// Flits sent through the switch and waiting for their channel, by output channel.
    pub queues: Option<OutputQueues>,
    /// Every packet is one flit.
    pub is_whole: bool,
    /// Places in a lane.
    pub depth: u16,
    pub release: Release,
    pub cut_through: bool,
    pub header_delay: u64,
    pub allocation_delay: u64,
    pub lane_choice: LaneChoice,
    pub credit_delay: u64,
    pub lane_arbiter: Arbiter,
    pub routing: Routing,
    /// Headers may choose again while they wait.
    pub adapts: bool,
    /// Random numbers come from this.
    pub seed: u64,
    /// The cycle that is being worked on.
    pub now: u64,
    /// Last cycle in which a flit moved.
    pub moved_at: u64,
    /// Flits that crossed a channel.
    pub flit_hops: u64,
    /// Flits of packets born, flits that left their sources, flits delivered.
    pub created: u64,
    pub injected: u64,
    pub delivered: u64,
    /// As [`OutChannel::flits`], by index of lane over all channels.
    pub lane_flits: [u64; 32],
    /// The counts of the window, once it has ended.
    pub counted: Option<Counts>,
    /// What had crossed, when it began, of packets whose tails had not.
    pub counted_before: Counts,
    /// By output channel: flits that had crossed when the window began.
    pub crossed_before: Vec<u64>,
    /// Source lanes whose packet has left.
    pub vacated: Vec<u32>,
    /// Flight of all channels, where it is the same.
    pub uniform_flight: Option<u64>,
    /// Output lanes whose next flit moves in this cycle.
    pub chosen: Vec<u32>,
    /// Input lanes whose next flit goes through a multiplexed switch in this pass.
    pub chosen_inputs: Vec<u32>,
    /// What moving flits leave behind.
    pub lists: Lists,
    /// Notes for a probe, if there is one.
    pub watch: Option<Box<Watch>>,
    /// Where other parts of the network begin, if this is one of several.
    pub border: Option<Box<Border>>,
}

/// Flits by output channel and by index of lane.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    pub channels: Vec<u64>,
    pub lanes: [u64; 32],
}

/// The small buffers between a multiplexed switch and the channels.
#[derive(Debug)]
pub(crate) struct OutputQueues {
    /// Places of each.
    pub places: u16,
    /// By output channel: flits in it and the place of the first.
    pub filled: Vec<(u16, u16)>,
    /// By output channel and place.
    pub flits: Vec<Buffered>,
    /// Output channels with a flit.
    pub busy: backwater_kernel::BitSet,
}

impl OutputQueues {
    /// All flits in them.
    pub fn flits(&self) -> impl Iterator<Item = &Buffered> {
        (0..self.filled.len()).flat_map(|out| self.of(out))
    }

    /// Those that wait for an output channel, in order.
    pub fn of(&self, out: usize) -> impl Iterator<Item = &Buffered> {
        let places = usize::from(self.places);
        let (filled, first) = self.filled[out];
        let place = move |index: u16| (usize::from(first) + usize::from(index)) % places;
        (0..filled).map(move |index| &self.flits[out * places + place(index)])
    }
}

/// A flit between switch and channel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Buffered {
    /// Output lane.
    pub into: u32,
    /// Its packet if it is a header, else [`NONE`].
    pub header: u32,
    /// Its packet if it is a tail, else [`NONE`].
    pub tail: u32,
}

impl Fabric {
    pub fn new(spec: &FabricSpec, routing: Routing) -> Fabric {
        let mut fabric = Fabric::empty(spec, Layout::new(spec), routing);
        fabric.make_lanes(spec);
        fabric.fill_credits();
        fabric.join_ends();
        fabric.add_queues(spec);
        let real = |out: &u32| fabric.layout.spec_out[*out as usize] != NONE;
        let mut outs = (0..fabric.layout.outs).filter(real);
        let flight = |out: u32| u64::from(fabric.out_channels[out as usize].flight);
        let first = outs.next().map(flight);
        let uniform = outs.all(|out| Some(flight(out)) == first);
        fabric.uniform_flight = first.filter(|_| uniform);
        fabric
    }

    /// Without any lanes.
    fn empty(spec: &FabricSpec, layout: Layout, routing: Routing) -> Fabric {
        let flight = longest_flight(spec);
        let credit = u32::from(spec.router.credit_delay);
        Fabric {
            input: Vec::new(),
            output: Vec::new(),
            out_channels: out_channels(spec, &layout),
            in_channels: in_channels(spec, &layout),
            words: Vec::new(),
            held: Vec::new(),
            active: Vec::new(),
            summary: Vec::new(),
            multiplexed: matches!(spec.router.switch, Switch::Multiplexed { .. }),
            same_cycle: spec.router.credit_delay == 0,
            key: Vec::new(),
            lane_after: Vec::new(),
            header_pointer: Vec::new(),
            packets: Pool::default(),
            arrivals: Ring::new(flight),
            credits: Ring::new(credit),
            headers: Ring::new(flight),
            deliveries: Ring::new(flight),
            releases: Ring::new(flight.max(credit)),
            ready: Ring::new(u32::from(spec.router.header_delay) + 1),
            granted: Ring::new(u32::from(spec.router.allocation_delay)),
            noted: Vec::new(),
            adaptive: Vec::new(),
            aimed: Vec::new(),
            queues: None,
            is_whole: is_whole(spec),
            depth: spec.router.depth,
            release: spec.router.release,
            cut_through: spec.router.cut_through,
            header_delay: u64::from(spec.router.header_delay),
            allocation_delay: u64::from(spec.router.allocation_delay),
            lane_choice: spec.router.lane_choice,
            credit_delay: u64::from(spec.router.credit_delay),
            lane_arbiter: spec.router.lane_arbiter,
            adapts: routing.is_adaptive(),
            routing,
            seed: spec.seed,
            now: 0,
            moved_at: 0,
            flit_hops: 0,
            created: 0,
            injected: 0,
            delivered: 0,
            lane_flits: [0; 32],
            counted: None,
            counted_before: Counts::default(),
            crossed_before: Vec::new(),
            vacated: Vec::new(),
            uniform_flight: None,
            chosen: Vec::new(),
            chosen_inputs: Vec::new(),
            lists: Lists::default(),
            watch: None,
            border: None,
            layout,
        }
    }

    /// All lanes and channels, joined to nothing.
    fn make_lanes(&mut self, spec: &FabricSpec) {
        let (nobody_in, nobody_out) = (self.layout.no_in(), self.layout.no_out());
        let (outs, ins) = (self.layout.outs as usize + 1, self.layout.ins as usize + 1);
        let stride = self.layout.stride() as usize;
        let seats = outs + usize::from(self.multiplexed) * (BLOCK as usize + ins);
        let input = InLane {
            count: [0; 2],
            left: 0,
            behind: 0,
            link: nobody_out,
            before: nobody_out,
            front: NONE,
            last: NONE,
            wait_next: NONE,
            wait_lanes: 0,
        };
        let output = OutLane {
            link: nobody_in,
            credits: 0,
        };
        self.input = vec![input; ins * stride];
        self.output = vec![output; outs * stride];
        self.words = vec![0; seats];
        self.held = vec![0; seats];
        self.active = vec![0; seats.div_ceil(BLOCK as usize)];
        self.summary = vec![0; seats.div_ceil(64 * 64)];
        self.crossed_before = vec![0; outs];
        let router = &spec.router;
        if router.lane_choice == LaneChoice::RoundRobin {
            self.lane_after = vec![0; ins * stride];
        }
        if router.lane_arbiter == Arbiter::RoundRobin {
            self.header_pointer = vec![0; outs * stride];
        }
        if [router.channel_arbiter, router.lane_arbiter].contains(&Arbiter::Earliest) {
            self.key = vec![0; ins * stride];
        }
    }

    /// Every lane is free and empty.
    fn fill_credits(&mut self) {
        for out in 0..self.layout.outs {
            if self.layout.spec_out[out as usize] == NONE {
                continue;
            }
            self.out_channels[out as usize].free = self.layout.all_lanes;
            let first = (out << self.layout.shift) as usize;
            for lane in &mut self.output[first..first + self.layout.stride() as usize] {
                lane.credits = self.depth;
            }
            if !self.multiplexed || out >= self.layout.inject {
                self.words[out as usize] = u64::from(self.layout.all_lanes) << 32;
            }
        }
    }

    /// Every lane learns which output lane leads to it.
    fn join_ends(&mut self) {
        for (channel, &target) in self.layout.target.iter().enumerate() {
            if target == NONE {
                continue;
            }
            let out = self.layout.out_of[channel];
            for index in 0..self.layout.stride() {
                let lane = (target << self.layout.shift) + index;
                self.input[lane as usize].before = (out << self.layout.shift) + index;
            }
        }
    }

    fn add_queues(&mut self, spec: &FabricSpec) {
        if let Switch::Multiplexed { output_buffer, .. } = spec.router.switch
            && output_buffer > 0
        {
            let outs = self.layout.outs as usize;
            let empty = Buffered {
                into: 0,
                header: NONE,
                tail: NONE,
            };
            self.queues = Some(OutputQueues {
                places: output_buffer,
                filled: vec![(0, 0); outs],
                flits: vec![empty; outs * output_buffer as usize],
                busy: backwater_kernel::BitSet::new(outs),
            });
        }
    }

    /// Channel of a lane, on either side.
    #[inline(always)]
    pub fn channel(&self, lane: u32) -> u32 {
        lane >> self.layout.shift
    }

    /// Is it a source lane?
    #[inline(always)]
    pub fn is_source(&self, lane: u32) -> bool {
        lane >= self.layout.sources << self.layout.shift
    }

    /// Does it lead to a terminal?
    #[inline(always)]
    pub fn ejects(&self, out: u32) -> bool {
        self.out_channels[out as usize].spend == 0
    }

    /// Where the two bits of an allocated pair of lanes are.
    #[inline(always)]
    pub fn seat(&self, input: u32, output: u32) -> u32 {
        if self.multiplexed && output < self.layout.inject << self.layout.shift {
            self.first_in_seat() + input
        } else {
            output
        }
    }

    /// Seat of input lane 0 in a multiplexed switch.
    #[inline(always)]
    pub fn first_in_seat(&self) -> u32 {
        (self.layout.outs + BLOCK) << self.layout.shift
    }

    /// A packet takes a seat of this channel.
    #[inline]
    pub fn take_seat(&mut self, channel: u32) {
        self.held[channel as usize] += 1;
        let block = channel / BLOCK;
        self.active[block as usize] |= 1 << (channel % BLOCK);
        self.summary[(block / 64) as usize] |= 1 << (block % 64);
    }

    /// A packet leaves its seat.
    #[inline]
    pub fn leave_seat(&mut self, channel: u32) {
        let held = &mut self.held[channel as usize];
        *held -= 1;
        let is_last = u64::from(*held == 0);
        self.active[(channel / BLOCK) as usize] &= !(is_last << (channel % BLOCK));
    }

    /// Urgency of a packet for [`Arbiter::Earliest`].
    pub fn note_key(&mut self, lane: u32, key: u64) {
        if let Some(place) = self.key.get_mut(lane as usize) {
            *place = key;
        }
    }

    /// Says that a channel has something to allocate.
    #[inline]
    pub fn note(&mut self, out: u32) {
        let channel = &mut self.out_channels[out as usize];
        if !channel.noted {
            channel.noted = true;
            self.noted.push(out);
        }
    }
}

/// Is every packet one flit?
fn is_whole(spec: &FabricSpec) -> bool {
    spec.classes.iter().all(|class| {
        class.size == Size::Fixed(1) && !matches!(class.injection, Injection::Trace(_))
    })
}

/// Longest time from leaving a buffer to being able to leave the next.
pub(crate) fn longest_flight(spec: &FabricSpec) -> u32 {
    let graph = &spec.graph;
    let between = graph.channels.iter().map(|channel| channel.latency);
    let terminals = 0..graph.inject.len();
    let inject = terminals.clone().map(|terminal| graph.injection(terminal));
    let eject = terminals.map(|terminal| graph.ejection(terminal));
    let longest = between.chain(eject).max().unwrap_or(1);
    let routed = u32::from(longest) + u32::from(spec.router.pipeline_delay);
    routed.max(u32::from(inject.max().unwrap_or(1)))
}

fn out_channels(spec: &FabricSpec, layout: &Layout) -> Vec<OutChannel> {
    let nobody = OutChannel {
        target: layout.no_in(),
        flits: 0,
        pointer: 0,
        free: 0,
        waiting: NONE,
        spend: 0,
        flight: 1,
        noted: false,
    };
    let mut channels = vec![nobody; layout.outs as usize + 1];
    let graph = &spec.graph;
    let (between, terminals) = (graph.channels.len(), graph.inject.len());
    for (index, &out) in layout.out_of.iter().enumerate() {
        let channel = &mut channels[out as usize];
        let pipeline = spec.router.pipeline_delay;
        channel.flight = match index {
            _ if index < between => graph.channels[index].latency + pipeline,
            _ if index < between + terminals => graph.injection(index - between),
            _ => graph.ejection(index - between - terminals) + pipeline,
        };
        if index < between + terminals {
            channel.spend = 1;
            channel.target = layout.target[index] << layout.shift;
        }
    }
    channels
}

fn in_channels(spec: &FabricSpec, layout: &Layout) -> Vec<InChannel> {
    let nobody = InChannel {
        node: NONE,
        first_out: NONE,
        spec: NONE,
        pointer: 0,
        accept_pointer: 0,
    };
    let mut channels = vec![nobody; layout.ins as usize + 1];
    let graph = &spec.graph;
    let between = graph.channels.len();
    for (index, &target) in layout.target.iter().enumerate() {
        if target == NONE {
            continue;
        }
        let node = match graph.channels.get(index) {
            Some(channel) => channel.to,
            None => graph.inject[index - between],
        };
        channels[target as usize] = InChannel {
            node,
            first_out: layout.router_out[node as usize],
            spec: index as u32,
            ..nobody
        };
    }
    for terminal in 0..graph.inject.len() as u32 {
        channels[(layout.sources + terminal) as usize] = InChannel {
            node: terminal,
            spec: between as u32 + terminal,
            ..nobody
        };
    }
    channels
}
