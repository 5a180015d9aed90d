//! Pages with their figures.

use super::{DirectoryError, RunDirectory};
use crate::drawn::strip::drawings;
use crate::model::{Plot, Report};
use crate::number::Slugs;
use crate::{html, svg};

impl RunDirectory {
    /// Writes a report as another page, `name.html`, with its figures beside those of the others.
    ///
    /// # Errors
    /// If a file can't be written.
    pub fn write_page(&mut self, name: &str, report: &Report) -> Result<(), DirectoryError> {
        let mut plots: Vec<&Plot> = Vec::new();
        html::each_plot(&report.blocks, &mut |plot| plots.push(plot));
        for (name, drawing) in html::over_time_of(&report.blocks).map_or(Vec::new(), drawings) {
            self.write(&format!("figures/{name}.svg"), drawing.as_bytes())?;
        }
        let mut slugs = Slugs::default();
        for plot in plots {
            let name = format!("figures/{}.svg", slugs.unique_path(&plot.id));
            self.write(&name, svg::svg(plot).as_bytes())?;
        }
        self.write(&format!("{name}.html"), html::page(report).as_bytes())
    }
}
