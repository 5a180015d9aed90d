//! Switches and the links between their ports.

use std::collections::BTreeSet;

use backwater_scenario::{Diagnostic, Diagnostics};

use super::model::{Port, Switch};

/// All switches, and what joins them.
pub struct Fabric {
    pub switches: Vec<Switch>,
    pub links: Vec<Link>,
    /// What stands for what no file says, in words.
    pub assumed: Vec<String>,
}

/// A port of a switch: their places.
pub type PortId = (usize, usize);

/// A link of a port.
pub struct Link {
    pub near: PortId,
    pub far: Far,
}

/// What is at the other end.
pub enum Far {
    Port(PortId),
    /// A host of this name stands there.
    Host(String),
}

impl Fabric {
    /// Joins ports by what they say of their neighbours.
    pub fn new(switches: Vec<Switch>, mistakes: &mut Diagnostics) -> Self {
        let mut fabric = Fabric {
            switches,
            links: Vec::new(),
            assumed: Vec::new(),
        };
        let mut joined = BTreeSet::new();
        let (mut strangers, mut open, mut unused) = (BTreeSet::new(), Vec::new(), Vec::new());
        for switch in 0..fabric.switches.len() {
            for port in 0..fabric.switches[switch].ports.len() {
                let near = (switch, port);
                if joined.contains(&near) {
                    continue;
                }
                let port = fabric.port(near);
                let far = match &port.neighbour {
                    Some(neighbour) => fabric.beyond(near, mistakes).unwrap_or_else(|| {
                        strangers.insert(neighbour.value.0.clone());
                        Far::Host(neighbour.value.0.clone())
                    }),
                    None if port.metres.as_ref().is_some_and(|metres| metres.value == 0) => {
                        unused.push(port.name.clone());
                        continue;
                    }
                    None => {
                        let name = format!("{}-{}", fabric.switches[switch].name, port.name);
                        open.push(name.clone());
                        Far::Host(name)
                    }
                };
                if let Far::Port(far) = far {
                    joined.insert(far);
                }
                fabric.links.push(Link { near, far });
            }
        }
        let list = |names: Vec<String>| names.join(", ");
        let mut assume = |what: &str, names: Vec<String>| {
            if !names.is_empty() {
                fabric.assumed.push(format!("{what}: {}", list(names)));
            }
        };
        assume(
            "hosts stand for neighbours without a file",
            strangers.into_iter().collect(),
        );
        assume("hosts stand behind ports without a neighbour", open);
        assume(
            "ports with 0 m of cable and no neighbour are left out",
            unused,
        );
        fabric
    }

    /// The port that is the neighbour; `None` if none of the switches has that name, or it is not
    /// to be had, which is a mistake.
    fn beyond(&self, near: PortId, mistakes: &mut Diagnostics) -> Option<Far> {
        let neighbour = self.port(near).neighbour.as_ref()?;
        let (name, peer) = &neighbour.value;
        let switch_name = &self.switches[near.0].name;
        let switch = self
            .switches
            .iter()
            .position(|switch| switch.name == *name)?;
        let ports = &self.switches[switch].ports;
        let Some(port) = ports.iter().position(|port| port.name == *peer) else {
            Diagnostic::error(
                "switch-link",
                format!("`{name}` has no port `{peer}` that is up"),
            )
            .at(
                &neighbour.at,
                format!("the neighbour of `{}`", self.port(near).name),
            )
            .help("correct the port, or set its `admin_status` to `up`")
            .tell(mistakes);
            return None;
        };
        let back = ports[port].neighbour.as_ref();
        let is_me = back.is_some_and(|back| {
            back.value.0 == *switch_name && back.value.1 == self.port(near).name
        });
        if !is_me || (switch, port) == near {
            let mut mistake = Diagnostic::error(
                "switch-link",
                format!(
                    "`{switch_name}` `{}` has the neighbour `{name}` `{peer}`, which has another",
                    self.port(near).name
                ),
            )
            .at(&neighbour.at, "one end");
            mistake = match back {
                Some(back) => mistake.at(&back.at, "the other end"),
                None => mistake.at(&ports[port].at, "the other end, without a neighbour"),
            };
            mistake
                .help("write each end as the neighbour of the other in `DEVICE_NEIGHBOR`")
                .tell(mistakes);
            return None;
        }
        Some(Far::Port((switch, port)))
    }

    /// A port by its places.
    pub fn port(&self, (switch, port): PortId) -> &Port {
        &self.switches[switch].ports[port]
    }

    /// Metres of cable of a link: the longer, where its ends differ.
    pub fn metres(&self, link: &Link) -> Option<u64> {
        let length = |port: &Port| port.metres.as_ref().map(|metres| metres.value);
        let near = length(self.port(link.near));
        match link.far {
            Far::Port(far) => near.max(length(self.port(far))),
            Far::Host(_) => near,
        }
    }

    /// Mb/s of a link: the lower, where its ends differ.
    pub fn speed_mbps(&self, link: &Link) -> u64 {
        let near = self.port(link.near).speed_mbps.value;
        match link.far {
            Far::Port(far) => near.min(self.port(far).speed_mbps.value),
            Far::Host(_) => near,
        }
    }

    /// The link of a port.
    pub fn link_of(&self, port: PortId) -> Option<&Link> {
        let has =
            |link: &&Link| link.near == port || matches!(link.far, Far::Port(far) if far == port);
        self.links.iter().find(has)
    }

    /// Hosts by their names, each once, in the order of the links.
    pub fn hosts(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for link in &self.links {
            if let Far::Host(name) = &link.far
                && !names.contains(&name.as_str())
            {
                names.push(name);
            }
        }
        names
    }
}
