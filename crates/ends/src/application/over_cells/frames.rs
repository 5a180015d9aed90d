//! Frames of one direction: cut into cells at one end, put together at the other.

use alloc::collections::VecDeque;

use crate::Segment;
use crate::spec::units::CellTcpSpec;

/// A segment in cells.
struct Frame {
    segment: Segment,
    cells: u32,
    /// Cells that have got a number.
    sent: u32,
    /// The number of the last of these.
    last: u32,
    /// Cells that came.
    came: u32,
}

/// Frames offered or under way, in order.
pub(super) struct Frames {
    payload_bytes: u32,
    overhead_bytes: u32,
    frames: VecDeque<Frame>,
    /// All cells of so many of them have their numbers.
    sent: usize,
    /// Frames of which some cells came, but not all.
    pub broken: u64,
}

impl Frames {
    pub fn new(spec: &CellTcpSpec) -> Frames {
        Frames {
            payload_bytes: spec.payload_bytes,
            overhead_bytes: spec.overhead_bytes,
            frames: VecDeque::new(),
            sent: 0,
            broken: 0,
        }
    }

    /// A segment is to be sent; its cells.
    pub fn offer(&mut self, segment: Segment) -> u32 {
        let bytes = u64::from(segment.bytes) + u64::from(self.overhead_bytes);
        let cells = bytes.div_ceil(u64::from(self.payload_bytes)).max(1) as u32;
        self.frames.push_back(Frame {
            segment,
            cells,
            sent: 0,
            last: 0,
            came: 0,
        });
        cells
    }

    /// The next cell gets this number.
    pub fn on_cell_sent(&mut self, number: u32) {
        let Some(frame) = self.frames.get_mut(self.sent) else {
            return;
        };
        frame.sent += 1;
        frame.last = number;
        self.sent += (frame.sent == frame.cells) as usize;
    }

    /// The cell with this number came; the segment, if it completes one.
    pub fn on_cell(&mut self, number: u32) -> Option<Segment> {
        while self.sent > 0 && is_after(number, self.frames.front()?.last) {
            // Its last cell is lost.
            let frame = self.take_first()?;
            self.broken += (frame.came > 0) as u64;
        }
        let frame = self.frames.front_mut()?;
        frame.came += 1;
        if self.sent == 0 || number != frame.last {
            return None;
        }
        let frame = self.take_first()?;
        if frame.came < frame.cells {
            self.broken += 1;
            return None;
        }
        Some(frame.segment)
    }

    fn take_first(&mut self) -> Option<Frame> {
        self.sent -= 1;
        self.frames.pop_front()
    }
}

/// Numbers go round; those compared are never far apart.
fn is_after(number: u32, other: u32) -> bool {
    (number.wrapping_sub(other) as i32) > 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TcpSpec;
    use crate::spec::units::CellApplication;
    use backwater_kernel::Time;

    fn frames() -> Frames {
        Frames::new(&CellTcpSpec {
            start: Time::ZERO,
            tcp: TcpSpec::bsd(),
            application: CellApplication::Bulk(None),
            overhead_bytes: 56,
            payload_bytes: 48,
        })
    }

    fn segment(seq: u64, bytes: u32) -> Segment {
        Segment {
            seq,
            bytes,
            ..Segment::default()
        }
    }

    /// Positions of segments that are complete when these cells come, in order.
    fn come(frames: &mut Frames, cells: impl IntoIterator<Item = u32>) -> [u64; 4] {
        let mut found = [0; 4];
        let complete = cells.into_iter().filter_map(|cell| frames.on_cell(cell));
        for (place, segment) in found.iter_mut().zip(complete) {
            *place = segment.seq;
        }
        found
    }

    #[test]
    fn a_segment_takes_whole_cells() {
        let mut frames = frames();
        // 56 bytes; 96; 97; 1024 + 56 = 22.5 x 48.
        for (bytes, cells) in [(0, 2), (40, 2), (41, 3), (1024, 23)] {
            assert_eq!(frames.offer(segment(0, bytes)), cells);
        }
    }

    /// Three frames of 3 cells, numbered from `first` on.
    fn three(first: u32) -> Frames {
        let mut frames = frames();
        for seq in [1, 2, 3] {
            assert_eq!(frames.offer(segment(seq, 50)), 3);
        }
        (0..9).for_each(|cell| frames.on_cell_sent(first.wrapping_add(cell)));
        frames
    }

    #[test]
    fn all_cells_make_all_frames() {
        for first in [0, u32::MAX - 4] {
            let mut frames = three(first);
            let cells = (0..9).map(|cell| first.wrapping_add(cell));
            assert_eq!(come(&mut frames, cells), [1, 2, 3, 0]);
            assert_eq!((frames.broken, frames.frames.len()), (0, 0));
        }
    }

    #[test]
    fn a_frame_with_a_cell_missing_is_dropped_and_no_other() {
        for missing in 0..9 {
            for first in [0, u32::MAX - 4] {
                let mut frames = three(first);
                let rest = (0..9).filter(|cell| *cell != missing);
                let whole = match missing / 3 {
                    0 => [2, 3, 0, 0],
                    1 => [1, 3, 0, 0],
                    _ => [1, 2, 0, 0],
                };
                let cells = rest.map(|cell| first.wrapping_add(cell));
                assert_eq!(come(&mut frames, cells), whole, "without {missing}");
                // Nothing behind the last frame says that its last cell is lost.
                assert_eq!(frames.broken, (missing != 8) as u64);
            }
        }
    }

    #[test]
    fn a_frame_that_is_lost_as_a_whole_did_not_come() {
        let mut frames = three(0);
        assert_eq!(come(&mut frames, [0, 1, 2, 6, 7, 8]), [1, 3, 0, 0]);
        assert_eq!(frames.broken, 0);
    }

    /// RM cells have numbers 1 and 3; the frame's cells come while others still wait.
    #[test]
    fn numbers_have_gaps_and_cells_come_before_the_last_is_sent() {
        let mut frames = frames();
        frames.offer(segment(1, 50));
        frames.offer(segment(2, 0));
        frames.on_cell_sent(0);
        assert_eq!(frames.on_cell(0), None);
        frames.on_cell_sent(2);
        assert_eq!(frames.on_cell(2), None);
        frames.on_cell_sent(4);
        frames.on_cell_sent(5);
        assert_eq!(come(&mut frames, [4, 5]), [1, 0, 0, 0]);
        frames.on_cell_sent(7);
        assert_eq!(come(&mut frames, [7]), [2, 0, 0, 0]);
        assert_eq!(frames.broken, 0);
    }
}
