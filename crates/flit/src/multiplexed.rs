//! The switch in which the lanes of a channel share one input (Dally 1990, Figure 6B).
//!
//! Inputs and outputs are matched anew each cycle: separable allocation, input or output first,
//! and iSLIP (McKeown 1999). Every output keeps the best offer seen so far, so the number of
//! ports has no limit.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use crate::arbiter::{Choose, Earliest, Random, RoundRobin, cycle_key, draw};
use crate::fabric::Fabric;
use crate::lane::NONE;
use crate::layout::BLOCK;
use crate::spec::{Allocator, Arbiter, FabricSpec, Switch};

/// Tells the draws of inputs, outputs and acceptance from one another and from channels.
const INPUT_DRAWS: u64 = 0xbb67_ae85_84ca_a73b;
const OUTPUT_DRAWS: u64 = 0xa54f_f53a_5f1d_36f1;
const ACCEPT_DRAWS: u64 = 0x510e_527f_ade6_82d1;

/// What matching needs besides the network.
#[derive(Debug)]
pub(crate) struct Matching {
    allocator: Allocator,
    arbiter: Arbiter,
    passes: u8,
    /// By output channel: the best offer of this round.
    offers: Vec<Offer>,
    /// Output channels with an offer.
    offered: Vec<u32>,
    /// By input channel: the best acceptance of this round.
    accepts: Vec<Offer>,
    accepted: Vec<u32>,
    /// Inputs and outputs already matched in this pass (its number).
    matched_in: Vec<u64>,
    matched_out: Vec<u64>,
    pass: u64,
    /// Inputs with something to send in this pass.
    ready: Vec<u32>,
}

/// Who asks, and how urgently: the least score wins, among equals the least port.
#[derive(Clone, Copy, Debug)]
struct Offer {
    score: u64,
    /// Input lane (input first) or channel.
    who: u32,
}

const NO_OFFER: Offer = Offer {
    score: u64::MAX,
    who: NONE,
};

impl Matching {
    /// `None` for a crossbar.
    pub fn new(spec: &FabricSpec, fabric: &Fabric) -> Option<Matching> {
        let Switch::Multiplexed {
            allocator, speedup, ..
        } = spec.router.switch
        else {
            return None;
        };
        let (outs, ins) = (fabric.layout.outs as usize, fabric.layout.ins as usize);
        Some(Matching {
            allocator,
            arbiter: spec.router.channel_arbiter,
            passes: speedup.max(1),
            offers: vec![NO_OFFER; outs],
            offered: Vec::new(),
            accepts: vec![NO_OFFER; ins],
            accepted: Vec::new(),
            matched_in: vec![0; ins],
            matched_out: vec![0; outs],
            pass: 0,
            ready: Vec::new(),
        })
    }

    /// The switches of these input channels work. No router among them leads to another.
    pub fn work(&mut self, fabric: &mut Fabric, inputs: Range<u32>) {
        for round in 0..self.passes {
            self.pass += 1;
            self.find_ready(fabric, inputs.clone());
            match self.allocator {
                Allocator::SeparableInputFirst => self.input_first(fabric, round),
                Allocator::SeparableOutputFirst => self.output_first(fabric, 1, round),
                Allocator::Islip { iterations } => self.output_first(fabric, iterations, round),
            }
        }
    }

    fn find_ready(&mut self, fabric: &mut Fabric, inputs: Range<u32>) {
        self.ready.clear();
        let shift = (fabric.first_in_seat() >> fabric.layout.shift) / BLOCK;
        let end = inputs.end / BLOCK + shift;
        let mut block = inputs.start / BLOCK + shift;
        while let Some(next) = fabric.next_block(block, end) {
            block = next + 1;
            let mut ready = fabric.scan(next);
            while ready != 0 {
                self.ready
                    .push((next - shift) * BLOCK + ready.trailing_zeros());
                ready &= ready - 1;
            }
        }
    }

    /// Each input proposes a lane, each output takes an input.
    fn input_first(&mut self, fabric: &mut Fabric, round: u8) {
        let key = round_key(fabric, OUTPUT_DRAWS, round, 0);
        for index in 0..self.ready.len() {
            let input = self.ready[index];
            let set = ready_lanes(fabric, input);
            if set == 0 {
                continue;
            }
            let lane = self.choose_lane(fabric, input, set, round);
            let from = (input << fabric.layout.shift) + lane;
            let out = fabric.input[from as usize].link >> fabric.layout.shift;
            let score = self.output_score(fabric, input, out, from, key);
            let offer = &mut self.offers[out as usize];
            if offer.who == NONE {
                self.offered.push(out);
            }
            if offer.who == NONE || score < offer.score {
                *offer = Offer { score, who: from };
            }
        }
        let mut offered = core::mem::take(&mut self.offered);
        for &out in &offered {
            let from = core::mem::replace(&mut self.offers[out as usize], NO_OFFER).who;
            let input = from >> fabric.layout.shift;
            point_past(fabric, input, out, from);
            fabric.chosen_inputs.push(from);
        }
        offered.clear();
        self.offered = offered;
        fabric.switch_chosen();
    }

    /// Each output offers itself to an input, each input accepts one; again for the rest.
    fn output_first(&mut self, fabric: &mut Fabric, iterations: u8, round: u8) {
        for iteration in 0..iterations.max(1) {
            self.collect_offers(fabric, round, iteration);
            if self.offered.is_empty() {
                break;
            }
            self.collect_accepts(fabric, round, iteration);
            let mut accepted = core::mem::take(&mut self.accepted);
            for &input in &accepted {
                let out = core::mem::replace(&mut self.accepts[input as usize], NO_OFFER).who;
                let set = lanes_for(fabric, input, out);
                let lane = self.choose_lane(fabric, input, set, round);
                let from = (input << fabric.layout.shift) + lane;
                self.matched_in[input as usize] = self.pass;
                self.matched_out[out as usize] = self.pass;
                if iteration == 0 {
                    point_past(fabric, input, out, from);
                }
                fabric.chosen_inputs.push(from);
            }
            accepted.clear();
            self.accepted = accepted;
            fabric.switch_chosen();
        }
    }

    fn collect_offers(&mut self, fabric: &Fabric, round: u8, iteration: u8) {
        let key = round_key(fabric, OUTPUT_DRAWS, round, iteration);
        self.offered.clear();
        for index in 0..self.ready.len() {
            let input = self.ready[index];
            if self.matched_in[input as usize] == self.pass {
                continue;
            }
            let mut rest = ready_lanes(fabric, input);
            while rest != 0 {
                let from = (input << fabric.layout.shift) + rest.trailing_zeros();
                rest &= rest - 1;
                let out = fabric.input[from as usize].link >> fabric.layout.shift;
                if self.matched_out[out as usize] == self.pass {
                    continue;
                }
                let score = self.output_score(fabric, input, out, from, key);
                let offer = &mut self.offers[out as usize];
                if offer.who == NONE {
                    self.offered.push(out);
                }
                if offer.who == NONE || score < offer.score {
                    *offer = Offer { score, who: input };
                }
            }
        }
    }

    fn collect_accepts(&mut self, fabric: &Fabric, round: u8, iteration: u8) {
        let key = round_key(fabric, ACCEPT_DRAWS, round, iteration);
        self.accepted.clear();
        // In the order of outputs, so that among equals the lowest port wins.
        self.offered.sort_unstable();
        for &out in &self.offered {
            let input = core::mem::replace(&mut self.offers[out as usize], NO_OFFER).who;
            let port = out_port(fabric, input, out);
            let pointer = u32::from(fabric.in_channels[input as usize].accept_pointer);
            let score = match self.arbiter {
                Arbiter::RoundRobin => u64::from(port.wrapping_sub(pointer)),
                Arbiter::Random => draw(draw(key, input), out),
                Arbiter::Earliest => least_key(fabric, input, lanes_for(fabric, input, out)),
            };
            let accept = &mut self.accepts[input as usize];
            if accept.who == NONE {
                self.accepted.push(input);
            }
            if accept.who == NONE || score < accept.score {
                *accept = Offer { score, who: out };
            }
        }
    }

    fn output_score(&self, fabric: &Fabric, input: u32, out: u32, from: u32, key: u64) -> u64 {
        match self.arbiter {
            Arbiter::RoundRobin => {
                let pointer = fabric.out_channels[out as usize].pointer;
                u64::from(input.wrapping_sub(pointer))
            }
            Arbiter::Random => draw(draw(key, out), input),
            Arbiter::Earliest => fabric.key[from as usize],
        }
    }

    /// One of the lanes `set` of an input.
    fn choose_lane(&self, fabric: &Fabric, input: u32, set: u32, round: u8) -> u32 {
        let pointer = u32::from(fabric.in_channels[input as usize].pointer);
        let first = input << fabric.layout.shift;
        let urgency = |lane: u32| fabric.key[(first + lane) as usize];
        match self.arbiter {
            Arbiter::RoundRobin => RoundRobin.choose(set, input, pointer, urgency),
            Arbiter::Earliest => Earliest.choose(set, input, pointer, urgency),
            Arbiter::Random => {
                let key = round_key(fabric, INPUT_DRAWS, round, 0);
                Random { key }.choose(set, input, pointer, urgency)
            }
        }
    }
}

fn round_key(fabric: &Fabric, purpose: u64, round: u8, iteration: u8) -> u64 {
    let which = u64::from(round) << 8 | u64::from(iteration);
    cycle_key(fabric.seed ^ purpose ^ which << 40, fabric.now)
}

/// Round robin goes on after this match.
fn point_past(fabric: &mut Fabric, input: u32, out: u32, from: u32) {
    let lane = from & (fabric.layout.stride() - 1);
    let output_port = out_port(fabric, input, out);
    fabric.out_channels[out as usize].pointer = input + 1;
    let channel = &mut fabric.in_channels[input as usize];
    channel.pointer = lane as u8 + 1;
    channel.accept_pointer = output_port as u16 + 1;
}

fn out_port(fabric: &Fabric, input: u32, out: u32) -> u32 {
    out - fabric.in_channels[input as usize].first_out
}

/// Lanes of an input with a flit, room behind their output and in its buffer.
fn ready_lanes(fabric: &Fabric, input: u32) -> u32 {
    let seats = fabric.first_in_seat() >> fabric.layout.shift;
    let word = fabric.words[(seats + input) as usize];
    let mut set = word as u32 & (word >> 32) as u32;
    if let Some(queues) = &fabric.queues {
        let mut rest = set;
        while rest != 0 {
            let lane = rest.trailing_zeros();
            rest &= rest - 1;
            let from = (input << fabric.layout.shift) + lane;
            let out = fabric.input[from as usize].link >> fabric.layout.shift;
            if queues.filled[out as usize].0 >= queues.places {
                set &= !(1 << lane);
            }
        }
    }
    set
}

fn lanes_for(fabric: &Fabric, input: u32, out: u32) -> u32 {
    let set = ready_lanes(fabric, input);
    let first = input << fabric.layout.shift;
    let is_for = |lane: &u32| {
        let link = fabric.input[(first + lane) as usize].link;
        set >> lane & 1 == 1 && link >> fabric.layout.shift == out
    };
    (0..32_u32).filter(is_for).map(|lane| 1 << lane).sum()
}

fn least_key(fabric: &Fabric, input: u32, set: u32) -> u64 {
    let first = input << fabric.layout.shift;
    let lanes = (0..32_u32).filter(|lane| set >> lane & 1 == 1);
    let keys = lanes.map(|lane| fabric.key[(first + lane) as usize]);
    keys.min().unwrap_or(u64::MAX)
}
