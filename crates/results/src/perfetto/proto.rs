//! Protocol buffers on the wire, as much of them as a trace needs: numbers of variable length,
//! fixed ones, and fields with a length. Few and flat, so no crate is needed for them.

/// A message being made.
#[derive(Clone, Debug, Default)]
pub struct Message {
    bytes: Vec<u8>,
}

/// How a field's value is written.
mod wire {
    pub const VARINT: u64 = 0;
    pub const FIXED_64: u64 = 1;
    pub const LENGTH: u64 = 2;
}

impl Message {
    /// What there is of it.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Begins anew.
    pub fn clear(&mut self) {
        self.bytes.clear();
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    fn tag(&mut self, field: u64, kind: u64) {
        self.varint(field << 3 | kind);
    }

    /// An unsigned number.
    pub fn uint(&mut self, field: u64, value: u64) {
        self.tag(field, wire::VARINT);
        self.varint(value);
    }

    /// A signed number (`int64`).
    pub fn int(&mut self, field: u64, value: i64) {
        self.uint(field, value as u64);
    }

    /// A number of eight bytes.
    pub fn fixed(&mut self, field: u64, value: u64) {
        self.tag(field, wire::FIXED_64);
        self.bytes.extend(value.to_le_bytes());
    }

    /// Text.
    pub fn text(&mut self, field: u64, text: &str) {
        self.tag(field, wire::LENGTH);
        self.varint(text.len() as u64);
        self.bytes.extend(text.as_bytes());
    }

    /// A message in the message.
    pub fn nested(&mut self, field: u64, fill: impl FnOnce(&mut Message)) {
        self.tag(field, wire::LENGTH);
        let at = self.bytes.len();
        self.bytes.push(0);
        fill(self);
        let length = self.bytes.len() - at - 1;
        match length {
            0..0x80 => self.bytes[at] = length as u8,
            _ => {
                let mut head = Message::default();
                head.varint(length as u64);
                self.bytes.splice(at..=at, head.bytes);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the format's own description: field 1 is 150, field 2 is "testing",
    /// field 3 holds a message with the first.
    #[test]
    fn examples_of_the_description_come_out_as_there() {
        let mut message = Message::default();
        message.uint(1, 150);
        assert_eq!(message.bytes(), [0x08, 0x96, 0x01]);
        message.clear();
        message.text(2, "testing");
        assert_eq!(message.bytes()[..2], [0x12, 0x07]);
        assert_eq!(&message.bytes()[2..], b"testing");
        message.clear();
        message.nested(3, |inner| inner.uint(1, 150));
        assert_eq!(message.bytes(), [0x1a, 0x03, 0x08, 0x96, 0x01]);
    }

    #[test]
    fn long_messages_and_negative_numbers_have_long_heads() {
        let mut message = Message::default();
        message.int(1, -2);
        let mut minus_two = vec![0x08, 0xfe];
        minus_two.extend([0xff; 8]);
        minus_two.push(0x01);
        assert_eq!(message.bytes(), minus_two);
        message.clear();
        message.nested(1, |inner| inner.text(1, &"x".repeat(200)));
        assert_eq!(message.bytes()[..5], [0x0a, 0xcb, 0x01, 0x0a, 0xc8]);
        assert_eq!(message.bytes().len(), 3 + 203);
        message.clear();
        message.fixed(47, 1);
        assert_eq!(message.bytes(), [0xf9, 0x02, 1, 0, 0, 0, 0, 0, 0, 0]);
    }
}
