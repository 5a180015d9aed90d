//! What crosses which channel.

use std::collections::BTreeMap;

use super::bundles::Bundles;
use super::cycle::cycle;
use crate::frames::headroom::Sizes;
use crate::frames::net::Net;

/// What crosses a channel in a class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Load {
    /// Sizes of frames.
    pub sizes: Sizes,
    /// Most bytes of all flows that windows let be in flight at once; `u64::MAX` is without end.
    pub most: u64,
    /// The same in frames.
    pub most_frames: u64,
    /// Hosts they go to.
    pub destinations: u32,
    /// The host that was counted last.
    pub(super) last: u32,
}

impl Load {
    pub(super) fn add(&mut self, other: &Load) {
        self.sizes.add(other.sizes);
        self.most = self.most.saturating_add(other.most);
        self.most_frames = self.most_frames.saturating_add(other.most_frames);
        if self.last != other.last {
            self.destinations += 1;
            self.last = other.last;
        }
    }
}

impl Load {
    /// So many like this one.
    pub(super) fn times(&self, count: u32) -> Load {
        Load {
            most: self.most.saturating_mul(count.into()),
            most_frames: self.most_frames.saturating_mul(count.into()),
            ..*self
        }
    }
}

/// Loads, with what each of them belongs to.
pub(super) type Loads<K> = Vec<(K, Load)>;

/// In ascending order of what they belong to, one of each; loads are added in the order they came.
pub(super) fn merge<K: Ord + Copy>(all: &mut Loads<K>) {
    all.sort_by_key(|(place, _)| *place);
    all.dedup_by(|(next, load), (first, sum)| {
        let is_same = next == first;
        if is_same {
            sum.add(load);
        }
        is_same
    });
}

/// Adds a load where they are in ascending order; where that was looked for first, and tells where
/// the next one in order would be.
fn add<K: Ord>(all: &mut Loads<K>, first: usize, place: K, load: &Load) -> usize {
    if let Some((known, sum)) = all.get_mut(first)
        && *known == place
    {
        sum.add(load);
        return first + 1;
    }
    match all.binary_search_by(|(known, _)| known.cmp(&place)) {
        Ok(index) => {
            all[index].1.add(load);
            index + 1
        }
        Err(index) => {
            all.insert(index, (place, *load));
            index + 1
        }
    }
}

/// What crosses what, both in ascending order.
pub(crate) struct Crossings {
    pub(super) bundles: Bundles,
    /// By bundle: the classes that cross each of its channels.
    on: Vec<Loads<u8>>,
    /// By bundle: class and the bundle they came by.
    through: Vec<Loads<(u8, u32)>>,
    /// There were too many paths to follow all.
    pub is_partial: bool,
}

impl Crossings {
    pub(super) fn new(bundles: Bundles) -> Self {
        Self {
            on: vec![Vec::new(); bundles.len()],
            through: vec![Vec::new(); bundles.len()],
            bundles,
            is_partial: false,
        }
    }

    pub(super) fn put_on(&mut self, bundle: u32, class: u8, load: &Load) {
        add(&mut self.on[bundle as usize], 0, class, load);
    }

    /// Goes on to a bundle, from each of some others in ascending order.
    pub(super) fn pass_on<'a>(
        &mut self,
        bundle: u32,
        class: u8,
        inputs: impl Iterator<Item = (u32, &'a Load)>,
    ) {
        let all = &mut self.through[bundle as usize];
        let mut at = 0;
        for (input, load) in inputs {
            at = add(all, at, (class, input), load);
        }
    }

    /// What crosses a channel in a class.
    pub(crate) fn on(&self, channel: u32, class: u8) -> Option<&Load> {
        let mut all = self.on[self.bundles.of(channel) as usize].iter();
        all.find(|(known, _)| *known == class).map(|(_, load)| load)
    }

    /// Channels that are crossed, with the classes.
    pub(crate) fn crossed(&self) -> impl Iterator<Item = (u32, u8)> {
        self.bundles.channels().flat_map(|(channel, bundle)| {
            let all = self.on[bundle as usize].iter();
            all.map(move |(class, _)| (channel, *class))
        })
    }

    /// What goes on to a channel in a class from another one.
    fn passed(&self, input: u32, out: u32, class: u8) -> Option<&Load> {
        let all = &self.through[self.bundles.of(out) as usize];
        let place = (class, self.bundles.of(input));
        let at = all.binary_search_by(|(known, _)| known.cmp(&place)).ok()?;
        Some(&all[at].1)
    }

    /// What crosses a channel in a class, by the channel it came over.
    pub(crate) fn inputs<'a>(
        &'a self,
        net: &'a Net<'_>,
        channel: u32,
        class: u8,
    ) -> impl Iterator<Item = (u32, &'a Load)> {
        let around = net.neighbours[net.ends(channel).0 as usize].iter();
        around.filter_map(move |(_, out)| {
            let input = out ^ 1;
            Some((input, self.passed(input, channel, class)?))
        })
    }

    /// The channels to which frames of a class go on that come over one.
    pub(crate) fn onward<'a>(
        &'a self,
        net: &'a Net<'_>,
        channel: u32,
        class: u8,
    ) -> impl Iterator<Item = u32> + 'a {
        let around = net.neighbours[net.ends(channel).1 as usize].iter();
        let outs = around.map(|(_, out)| *out);
        outs.filter(move |out| self.passed(channel, *out, class).is_some())
    }

    /// Might a frame between switches wait for one that waits in turn, and so on to the first
    /// again, if each waited for those that go on as frames of its channel do? As long as this is
    /// not so by bundles, it is not so by channels.
    pub(crate) fn may_close(&self) -> bool {
        let is_inner = |bundle: u32| {
            let (from, to) = self.bundles.ends(bundle);
            !self.bundles.is_host(from) && !self.bundles.is_host(to)
        };
        let mut after: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (out, all) in (0..).zip(&self.through) {
            for ((_, input), _) in all.iter().filter(|_| is_inner(out)) {
                if is_inner(*input) {
                    after.entry(*input).or_default().push(out);
                }
            }
        }
        cycle(&after).is_some()
    }
}
