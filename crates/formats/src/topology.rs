//! Nodes and links, whatever the file they came from.

/// Nodes, and the links between them.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Topology {
    /// By their numbers, if the file numbers them; else in its order.
    pub nodes: Vec<Node>,
    /// In the order of the file.
    pub links: Vec<Link>,
    /// What the file says and this does not, in words.
    pub left_out: Vec<String>,
}

/// A host or a switch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// Different from all others.
    pub name: String,
    /// Flows begin and end there.
    pub is_host: bool,
    /// The file says which of the two; else it was told by its links.
    pub is_said: bool,
    /// What a frame takes through it, picoseconds, if that is said.
    pub latency_ps: Option<u64>,
}

/// A link, the same both ways.
#[derive(Clone, PartialEq, Debug)]
pub struct Link {
    /// Places of its nodes.
    pub ends: [u32; 2],
    /// Bits a second, if that is said.
    pub rate_bps: Option<u64>,
    /// Propagation, picoseconds, if that is said.
    pub delay_ps: Option<u64>,
    /// Probability that a frame is lost.
    pub loss: f64,
    /// Where it stands.
    pub line: u32,
}

impl Topology {
    /// Makes a switch of each node of which the file does not say what it is, and gives each switch
    /// so many hosts: `H_Kiel_1`, `H_Kiel_2`, .. of a switch `Kiel`. With 0 nothing changes.
    pub fn give_hosts(&mut self, each: u32) {
        if each == 0 {
            return;
        }
        for node in &mut self.nodes {
            node.is_host &= node.is_said;
        }
        let switches = (0_u32..).zip(&self.nodes).filter(|(_, node)| !node.is_host);
        let switches: Vec<(u32, String)> =
            switches.map(|(at, own)| (at, own.name.clone())).collect();
        for (switch, name) in switches {
            for number in 1..=each {
                let host = self.nodes.len() as u32;
                self.nodes.push(Node {
                    name: format!("H_{name}_{number}"),
                    is_host: true,
                    is_said: true,
                    latency_ps: None,
                });
                self.links.push(Link {
                    ends: [host, switch],
                    rate_bps: None,
                    delay_ps: None,
                    loss: 0.0,
                    line: 0,
                });
            }
        }
    }

    /// How many of its nodes are hosts.
    pub fn hosts(&self) -> usize {
        self.nodes.iter().filter(|node| node.is_host).count()
    }
}

impl Node {
    /// `H` or `S`, and its number.
    pub(crate) fn numbered(number: usize, is_host: bool) -> Self {
        let letter = if is_host { 'H' } else { 'S' };
        Self {
            name: format!("{letter}{number}"),
            is_host,
            is_said: true,
            latency_ps: None,
        }
    }
}
