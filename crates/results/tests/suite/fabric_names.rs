//! What routers and channels of each shape are called.

use crate::sample;

use backwater_flit::spec::{ChannelSpec, Graph, Shape};
use backwater_results::FabricNames;
use sample::fabric::graph;

fn router(graph: &Graph, router: u32) -> String {
    FabricNames::new(graph).router(router)
}

fn channel(graph: &Graph, channel: u32) -> String {
    FabricNames::new(graph).channel(channel)
}

#[test]
fn a_fly_has_stages_and_ports() {
    // 2-ary 3-fly: 4 routers in each of 3 stages.
    let mut fly = graph(
        Shape::Fly { k: 2, n: 3 },
        12,
        &[(0, 4), (0, 6), (5, 9), (5, 8)],
    );
    fly.inject = vec![0, 0, 1, 1, 2, 2, 3, 3];
    fly.eject = vec![8, 8, 9, 9, 10, 10, 11, 11];
    assert_eq!(router(&fly, 0), "S0.0");
    assert_eq!(router(&fly, 11), "S2.3");
    assert_eq!(router(&fly, 12), "R12");
    assert_eq!(channel(&fly, 1), "S0.0 -> S1.2 (port 1)");
    assert_eq!(channel(&fly, 2), "S1.1 -> S2.1 (port 0)");
    assert_eq!(channel(&fly, 4 + 7), "terminal 7 -> S0.3");
    assert_eq!(channel(&fly, 4 + 8 + 2), "S2.1 -> terminal 2");
    assert_eq!(channel(&fly, 4 + 16), "channel 20");
}

#[test]
fn a_mesh_has_coordinates() {
    let sides = |sides: &[u32]| Shape::Mesh {
        sides: sides.into(),
        terminals: 1,
    };
    let square = graph(sides(&[5, 5]), 25, &[(23, 24), (23, 22), (23, 18)]);
    assert_eq!(channel(&square, 0), "(x=3,y=4) -> (x=4,y=4)");
    assert_eq!(channel(&square, 2), "(x=3,y=4) -> (x=3,y=3)");
    assert_eq!(router(&square, 25), "R25");
    assert_eq!(router(&graph(sides(&[8]), 8, &[]), 5), "(x=5)");
    let cube = graph(sides(&[2, 3, 4]), 24, &[]);
    assert_eq!(router(&cube, 23), "(x=1,y=2,z=3)");
    let four = graph(sides(&[2, 2, 2, 2]), 16, &[]);
    assert_eq!(router(&four, 9), "(1,0,0,1)");
}

#[test]
fn parallel_channels_are_told_apart_by_their_ports() {
    let shape = Shape::Torus {
        sides: vec![2, 3],
        terminals: 1,
    };
    let ring = graph(shape, 6, &[(0, 1), (0, 1), (0, 2), (0, 4), (1, 0), (1, 0)]);
    assert_eq!(channel(&ring, 0), "(x=0,y=0) -> (x=1,y=0) (port 0)");
    assert_eq!(channel(&ring, 1), "(x=0,y=0) -> (x=1,y=0) (port 1)");
    assert_eq!(channel(&ring, 3), "(x=0,y=0) -> (x=0,y=2)");
    assert_eq!(channel(&ring, 5), "(x=1,y=0) -> (x=0,y=0) (port 1)");
}

#[test]
fn other_shapes_have_levels_numbers_and_names() {
    let tree = graph(Shape::FatTree { k: 4, n: 3 }, 48, &[(5, 21), (21, 5)]);
    assert_eq!(channel(&tree, 0), "L0.5 -> L1.5");
    assert_eq!(router(&tree, 47), "L2.15");
    let full = Shape::Full {
        routers: 3,
        terminals: 1,
    };
    let full = graph(full, 3, &[(0, 1), (0, 2)]);
    assert_eq!(channel(&full, 1), "R0 -> R2");
    let one = graph(Shape::Crossbar, 1, &[]);
    assert_eq!(channel(&one, 0), "terminal 0 -> crossbar");
    let mut map = graph(Shape::Irregular, 3, &[(0, 1), (0, 1), (1, 2)]);
    assert_eq!(channel(&map, 2), "R1 -> R2");
    map.names = vec!["Oslo".into(), "Bergen".into(), String::new()];
    assert_eq!(channel(&map, 1), "Oslo -> Bergen (port 1)");
    assert_eq!(channel(&map, 2), "Bergen -> R2");
}

#[test]
fn shapes_that_fit_no_graph_still_have_names() {
    for shape in [
        Shape::Fly { k: 0, n: 0 },
        Shape::Fly { k: 0, n: 2 },
        Shape::FatTree { k: u32::MAX, n: 9 },
        Shape::Mesh {
            sides: vec![0],
            terminals: 0,
        },
    ] {
        let mut odd = graph(shape, 1, &[(7, 9)]);
        odd.channels.push(ChannelSpec {
            from: 3,
            to: u32::MAX,
            latency: 1,
        });
        odd.eject.clear();
        assert_eq!(router(&odd, 7), "R7");
        assert!(channel(&odd, 1).starts_with("R3 -> R4294967295"));
        assert_eq!(channel(&odd, u32::MAX), "channel 4294967295");
    }
}
