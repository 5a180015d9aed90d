//! A file that grows while the run goes on.

use std::io::{self, Write};

/// A file that nothing is written to before it begins and after a failure, which the next flush
/// tells.
#[derive(Debug)]
pub struct Sink<W> {
    file: Option<W>,
    failure: Option<io::Error>,
}

impl<W: Write> Sink<W> {
    /// Of this file, or of none yet.
    pub fn new(file: Option<W>) -> Sink<W> {
        Sink {
            file,
            failure: None,
        }
    }

    /// Of lines of this file, below their header row.
    ///
    /// # Errors
    /// If the header can't be written.
    pub fn with_header(mut file: W, header: &str) -> io::Result<Sink<W>> {
        write!(file, "{header}\n")?;
        Ok(Sink::new(Some(file)))
    }

    /// Writes to it.
    pub fn write(&mut self, write: impl FnOnce(&mut W) -> io::Result<()>) {
        if let Some(file) = &mut self.file
            && let Err(error) = write(file)
        {
            self.failure = Some(error);
            self.file = None;
        }
    }

    /// Hands on what is still in memory.
    ///
    /// # Errors
    /// If it can't be written, or what came before could not.
    pub fn flush(&mut self) -> io::Result<()> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        self.file.as_mut().map_or(Ok(()), Write::flush)
    }
}
