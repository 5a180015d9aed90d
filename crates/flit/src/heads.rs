//! Headers: which way, which lane.
//!
//! Every header that is ready aims at one channel; then each channel that was aimed at, or got a
//! lane back, gives its free lanes away. All aims are taken before any lane is given, so no
//! channel is served before another.
//!
//! Headers that may take one lane of a channel may take the same lanes of it: those of a class of
//! routing and group of packets. Round robin goes around for each of these sets by itself. With
//! one pointer for all, lanes given in one set would pass over who waits for a lane in another.

use alloc::vec::Vec;

use crate::arbiter::{Choose, RoundRobin, cycle_key, draw};
use crate::fabric::Fabric;
use crate::lane::NONE;
use crate::route::{Choice, Choices};
use crate::spec::{Arbiter, LaneChoice};

/// Tells the draws of lane allocation from those of channels.
const LANE_DRAWS: u64 = 0x3c6e_f372_fe94_f82b;

impl Fabric {
    /// The allocation of one cycle.
    pub(crate) fn allocate(&mut self) {
        let arbiter = self.lane_arbiter;
        if self.allocation_delay > 0 {
            self.use_granted();
        }
        let mut ready = core::mem::take(self.ready.at(self.now));
        if self.adapts {
            self.adaptive.append(&mut ready);
            self.aim_all();
        } else {
            for &lane in &ready {
                self.aim(lane);
            }
            ready.clear();
        }
        *self.ready.at(self.now) = ready;
        let mut noted = core::mem::take(&mut self.noted);
        let key = match arbiter {
            Arbiter::Random => cycle_key(self.seed ^ LANE_DRAWS, self.now),
            _ => 0,
        };
        for &out in &noted {
            let channel = &mut self.out_channels[out as usize];
            channel.noted = false;
            let lane = channel.waiting;
            if lane == NONE {
                continue;
            }
            if self.input[lane as usize].wait_next == NONE && !self.cut_through {
                self.serve_one(out, lane);
            } else {
                self.serve(out, arbiter, key);
            }
        }
        if self.cut_through {
            self.keep_waiting(&mut noted);
        } else {
            noted.clear();
        }
        self.noted = noted;
        if self.adapts {
            self.forget_aims();
        }
    }

    /// The header in `lane` competes from cycle `at` on, which may be the next one.
    #[inline(always)]
    pub(crate) fn header_ready(&mut self, lane: u32, at: u64) {
        if at == self.now + 1 && !self.adapts {
            self.aim(lane);
        } else {
            self.ready.at(at).push(lane);
        }
    }

    /// A header with one way to go joins those that wait for its channel.
    #[inline(always)]
    fn aim(&mut self, lane: u32) {
        let channel = &self.in_channels[self.channel(lane) as usize];
        let packet = self.packets.get_mut(self.input[lane as usize].front);
        let choice = self.routing.only_way(channel.node, &mut packet.way);
        self.wait(
            lane,
            channel.first_out + u32::from(choice.port),
            choice.lanes,
        );
    }

    /// Puts a header on the list of a channel.
    #[inline(always)]
    pub(crate) fn wait(&mut self, lane: u32, out: u32, lanes: u32) {
        let channel = &mut self.out_channels[out as usize];
        let header = &mut self.input[lane as usize];
        header.wait_next = channel.waiting;
        header.wait_lanes = lanes;
        channel.waiting = lane;
        if !channel.noted {
            channel.noted = true;
            self.noted.push(out);
        }
    }

    /// Each adaptive header chooses by the lanes that are free now.
    fn aim_all(&mut self) {
        let waiting = core::mem::take(&mut self.adaptive);
        let mut choices = Choices::default();
        for &lane in &waiting {
            self.input[lane as usize].wait_lanes = u32::MAX;
            let channel = &self.in_channels[self.channel(lane) as usize];
            let packet = self.packets.get_mut(self.input[lane as usize].front);
            self.routing
                .route(channel.node, &mut packet.way, &mut choices);
            let first = channel.first_out;
            if let Some(choice) = self.best(lane, first, &choices) {
                let out = first + u32::from(choice.port);
                self.wait(lane, out, choice.lanes);
                self.aimed.push(out);
            }
        }
        self.adaptive = waiting;
    }

    fn best(&self, lane: u32, first: u32, choices: &Choices) -> Option<Choice> {
        let length = self.length_at(lane);
        let free = |choice: &Choice| {
            let out = first + u32::from(choice.port);
            (self.usable(out, length) & choice.lanes).count_ones()
        };
        let (equal, rest) = choices.as_slice().split_at(choices.equal as usize);
        let mut best: Option<(u32, Choice)> = None;
        for choice in equal {
            let lanes = free(choice);
            if lanes > 0 && best.is_none_or(|(most, _)| lanes > most) {
                best = Some((lanes, *choice));
            }
        }
        let fallback = || rest.iter().find(|choice| free(choice) > 0).copied();
        best.map(|(_, choice)| choice).or_else(fallback)
    }

    /// Adaptive headers without a lane choose again in the next cycle.
    fn forget_aims(&mut self) {
        while let Some(out) = self.aimed.pop() {
            self.out_channels[out as usize].waiting = NONE;
        }
        let (input, nobody) = (&self.input, self.layout.no_out());
        self.adaptive.retain(|lane| {
            let lane = &input[*lane as usize];
            lane.link == nobody && lane.wait_lanes != 0
        });
    }

    fn length_at(&self, lane: u32) -> u16 {
        self.packets.get(self.input[lane as usize].front).length
    }

    /// Free lanes of a channel that a packet of so many flits may take.
    fn usable(&self, out: u32, length: u16) -> u32 {
        let free = self.out_channels[out as usize].free;
        if !self.cut_through || self.ejects(out) {
            return free;
        }
        let mut roomy = 0;
        for lane in 0..self.layout.stride() {
            let credits = self.output[((out << self.layout.shift) + lane) as usize].credits;
            roomy |= u32::from(credits >= length) << lane;
        }
        free & roomy
    }

    /// Gives a free lane of a channel to the only header that waits for it.
    #[inline(always)]
    fn serve_one(&mut self, out: u32, lane: u32) {
        let channel = &mut self.out_channels[out as usize];
        let lanes = channel.free & self.input[lane as usize].wait_lanes;
        if lanes != 0 {
            channel.waiting = NONE;
            self.point_past(out, lane);
            self.give_lane(lane, out, lanes);
        }
    }

    /// Gives the free lanes of a channel to the headers that wait for it.
    fn serve(&mut self, out: u32, arbiter: Arbiter, key: u64) {
        let mut round = 0;
        while let Some((before, lane, lanes)) = self.winner(out, arbiter, key, round) {
            let next = self.input[lane as usize].wait_next;
            match before {
                NONE => self.out_channels[out as usize].waiting = next,
                before => self.input[before as usize].wait_next = next,
            }
            self.give_lane(lane, out, lanes);
            round += 1;
        }
    }

    /// The header to serve next, the one before it in the list, and the lanes it may take.
    fn winner(
        &mut self,
        out: u32,
        arbiter: Arbiter,
        key: u64,
        round: u32,
    ) -> Option<(u32, u32, u32)> {
        let channel = self.out_channels[out as usize];
        if channel.free == 0 || channel.waiting == NONE {
            return None;
        }
        let mut best: Option<(u64, u32, u32, u32)> = None;
        let (mut before, mut lane) = (NONE, channel.waiting);
        while lane != NONE {
            let usable = self.usable(out, self.length_at_if_needed(lane));
            let lanes = usable & self.input[lane as usize].wait_lanes;
            if lanes != 0 {
                let score = self.score(lane, arbiter, key, round, out);
                let first = |(least, other, ..): (u64, u32, u32, u32)| {
                    score < least || score == least && lane < other
                };
                if best.is_none_or(first) {
                    best = Some((score, lane, before, lanes));
                }
            }
            before = lane;
            lane = self.input[lane as usize].wait_next;
        }
        let (_, lane, before, lanes) = best?;
        self.point_past(out, lane);
        Some((before, lane, lanes))
    }

    fn length_at_if_needed(&self, lane: u32) -> u16 {
        if self.cut_through {
            self.length_at(lane)
        } else {
            0
        }
    }

    /// The smallest wins.
    fn score(&self, lane: u32, arbiter: Arbiter, key: u64, round: u32, out: u32) -> u64 {
        match arbiter {
            Arbiter::Earliest => self.key[lane as usize],
            Arbiter::RoundRobin => {
                let pointer = self.header_pointer[self.turn(out, lane)];
                u64::from(lane.wrapping_sub(pointer))
            }
            Arbiter::Random => draw(draw(key, out).wrapping_add(u64::from(round)), lane),
        }
    }

    /// Round robin among headers goes on after this one. Input lanes of a router are numbered one
    /// after another, so its numbers are turns.
    #[inline(always)]
    fn point_past(&mut self, out: u32, lane: u32) {
        if self.lane_arbiter == Arbiter::RoundRobin {
            let turn = self.turn(out, lane);
            self.header_pointer[turn] = lane + 1;
        }
    }

    /// Where the pointer of those that wait for the same lanes of a channel is kept: at the lowest
    /// of these.
    #[inline]
    fn turn(&self, out: u32, lane: u32) -> usize {
        let lowest = self.input[lane as usize].wait_lanes.trailing_zeros();
        ((out << self.layout.shift) + lowest) as usize
    }

    /// The front packet of `lane` gets one of the free lanes `lanes` of the channel.
    #[inline(always)]
    fn give_lane(&mut self, lane: u32, out: u32, lanes: u32) {
        let channel = &mut self.out_channels[out as usize];
        let index = match self.lane_choice {
            LaneChoice::Lowest => lanes.trailing_zeros(),
            LaneChoice::RoundRobin => {
                let after = &mut self.lane_after[lane as usize];
                let here = *after >> self.layout.shift == out;
                let pointer = if here {
                    *after & (self.layout.stride() - 1)
                } else {
                    0
                };
                let index = RoundRobin.choose(lanes, out, pointer, |_| 0);
                *after = (out << self.layout.shift) + index + 1;
                index
            }
        };
        channel.free &= !(1 << index);
        let output = (out << self.layout.shift) + index;
        if self.allocation_delay == 0 || self.is_source(lane) {
            self.connect(lane, output);
        } else {
            self.input[lane as usize].wait_lanes = 0;
            let at = self.now + self.allocation_delay;
            self.granted.at(at).push((lane, output));
        }
    }

    /// Headers whose allocation is over may use their lanes.
    fn use_granted(&mut self) {
        let mut granted = core::mem::take(self.granted.at(self.now));
        for &(lane, output) in &granted {
            self.connect(lane, output);
        }
        granted.clear();
        *self.granted.at(self.now) = granted;
    }

    /// The front packet of `lane` may be sent into the lane `output`.
    #[inline(always)]
    fn connect(&mut self, lane: u32, output: u32) {
        self.output[output as usize].link = lane;
        self.input[lane as usize].link = output;
        let seat = self.seat(lane, output);
        let bit = seat & (self.layout.stride() - 1);
        let channel = self.channel(seat);
        let word = &mut self.words[channel as usize];
        *word |= 1 << bit;
        if self.multiplexed {
            let room = u64::from(self.output[output as usize].credits > 0);
            *word = *word & !(1 << (32 + bit)) | room << (32 + bit);
        }
        self.take_seat(channel);
    }

    /// With cut-through, room for a packet may come without a lane's being freed.
    fn keep_waiting(&mut self, noted: &mut Vec<u32>) {
        noted.retain(|out| self.out_channels[*out as usize].waiting != NONE);
        for &out in noted.iter() {
            self.out_channels[out as usize].noted = true;
        }
    }
}
