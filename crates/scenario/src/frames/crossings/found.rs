//! What crosses which channel.

use crate::frames::headroom::Sizes;

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
    /// By channel: the classes that cross it.
    on: Vec<Loads<u8>>,
    /// By channel: class and the channel they came over.
    through: Vec<Loads<(u8, u32)>>,
    /// There were too many paths to follow all.
    pub is_partial: bool,
}

impl Crossings {
    pub(super) fn new(channels: usize) -> Self {
        Self {
            on: vec![Vec::new(); channels],
            through: vec![Vec::new(); channels],
            is_partial: false,
        }
    }

    pub(super) fn put_on(&mut self, channel: u32, class: u8, load: &Load) {
        add(&mut self.on[channel as usize], 0, class, load);
    }

    /// Goes on to a channel, from each of some inputs in ascending order.
    pub(super) fn pass_on<'a>(
        &mut self,
        channel: u32,
        class: u8,
        inputs: impl Iterator<Item = (u32, &'a Load)>,
    ) {
        let all = &mut self.through[channel as usize];
        let mut at = 0;
        for (input, load) in inputs {
            at = add(all, at, (class, input), load);
        }
    }

    /// What crosses a channel in a class.
    pub(crate) fn on(&self, channel: u32, class: u8) -> Option<&Load> {
        let mut all = self.on[channel as usize].iter();
        all.find(|(known, _)| *known == class).map(|(_, load)| load)
    }

    /// Channels that are crossed, with the classes.
    pub(crate) fn crossed(&self) -> impl Iterator<Item = (u32, u8)> {
        let channels = (0..).zip(&self.on);
        channels.flat_map(|(channel, all)| all.iter().map(move |(class, _)| (channel, *class)))
    }

    /// What crosses a channel in a class, by the channel it came over.
    pub(crate) fn inputs(&self, channel: u32, class: u8) -> impl Iterator<Item = (u32, &Load)> {
        let all = self.through[channel as usize].iter();
        let all = all.filter(move |((known, _), _)| *known == class);
        all.map(|((_, input), load)| (*input, load))
    }

    /// What goes on: to a channel, in a class, from the channel it came over.
    pub(crate) fn passed_on(&self) -> impl Iterator<Item = (u32, u8, u32)> {
        let through = (0..).zip(&self.through);
        through.flat_map(|(out, all)| {
            let places = all.iter().map(|(place, _)| *place);
            places.map(move |(class, input)| (out, class, input))
        })
    }
}
