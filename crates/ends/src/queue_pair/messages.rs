//! Where messages end: a packet carries bytes of one message, and is cut the same way when it goes
//! again.

use alloc::collections::VecDeque;

use backwater_kernel::Survey;

/// What was handed over and is not all acknowledged: first position and end of each, in order.
#[derive(Debug, Default)]
pub(super) struct Messages {
    handed: VecDeque<(u64, u64)>,
    end: u64,
}

impl Messages {
    /// So many bytes more.
    pub fn hand_over(&mut self, bytes: u64) {
        let start = self.end;
        self.end = start.saturating_add(bytes);
        self.handed.push_back((start, self.end));
    }

    /// What is not all acknowledged, for a run that repeats itself. Of one without end only where
    /// its packets are cut counts.
    pub fn survey_handed(&mut self, survey: &mut Survey, message_bytes: u64) {
        let Messages { handed, end } = self;
        survey.fixed(handed.len() as u64);
        let (base, _) = survey.frame_of_reference();
        let is_endless = *end > u64::MAX / 8;
        for (start, end) in handed {
            match is_endless {
                true => survey.fixed(base.wrapping_sub(*start) % message_bytes),
                false => {
                    survey.position(start);
                    survey.position(end);
                }
            }
        }
        if !is_endless {
            survey.position(end);
        }
    }

    /// The position after all that was handed over.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Everything below is acknowledged.
    pub fn forget_below(&mut self, una: u64) {
        while self.handed.front().is_some_and(|(_, end)| *end <= una) {
            self.handed.pop_front();
        }
    }

    /// The packet that begins at a position below the end: its bytes, and whether its message ends
    /// with it.
    pub fn packet(&self, at: u64, mtu_bytes: u32, message_bytes: u64) -> (u32, bool) {
        let (start, end) = match self.handed.front() {
            Some(first) if at < first.1 => *first,
            _ => {
                let place = self.handed.partition_point(|(_, end)| *end <= at);
                self.handed.get(place).copied().unwrap_or((at, at))
            }
        };
        let part = start + (at - start) / message_bytes * message_bytes;
        let end = end.min(part.saturating_add(message_bytes));
        let bytes = u64::from(mtu_bytes).min(end - at);
        (bytes as u32, at + bytes == end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_end_where_messages_do() {
        let mut messages = Messages::default();
        messages.hand_over(2_500);
        messages.hand_over(10);
        let cut = |messages: &Messages, at| messages.packet(at, 1_000, u64::MAX);
        assert_eq!(cut(&messages, 0), (1_000, false));
        assert_eq!(cut(&messages, 2_000), (500, true));
        assert_eq!(cut(&messages, 2_500), (10, true));
        messages.forget_below(2_499);
        assert_eq!(cut(&messages, 2_000), (500, true));
        messages.forget_below(2_500);
        assert_eq!((cut(&messages, 2_500), messages.end()), ((10, true), 2_510));
        // Cut into messages of 1,500 bytes.
        messages.hand_over(4_000);
        let short = |at: u64| messages.packet(2_510 + at, 1_000, 1_500);
        assert_eq!(
            [0, 1_000, 1_500, 2_500, 3_000].map(short),
            [
                (1_000, false),
                (500, true),
                (1_000, false),
                (500, true),
                (1_000, true)
            ]
        );
    }
}
