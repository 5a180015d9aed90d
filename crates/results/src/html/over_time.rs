//! What is drawn over time as HTML: the map of the network, stops and queues of its ports.

use std::fmt::Write as _;

use super::blocks::Rendered;
use crate::drawn::page::{self, Ids};
use crate::drawn::{Map, OverTime, Units, strip};
use crate::escape;

impl Rendered {
    pub(super) fn over_time(&mut self, drawn: &OverTime) {
        let map = drawn.map.as_ref().map(|map| {
            self.heading(2, "Map");
            self.map(map, drawn)
        });
        if !drawn.map_left_out.is_empty() {
            let why = escape::html(&drawn.map_left_out);
            let _ = writeln!(self.html, "<p class=\"small\">{why}</p>");
        }
        let ports = &drawn.ports;
        if !(ports.stops.is_empty() && ports.queues.is_empty()) {
            self.heading(2, "Time");
        }
        let stops = strip::stops(drawn).map(|strip| self.strip("stops", &strip));
        let queues = strip::queues(drawn).map(|strip| self.strip("queues", &strip));
        let ids = Ids { map, stops, queues };
        self.over_time = Some(page::data(drawn, &ids));
        self.offer_units(drawn.units.time, drawn.units.other_time.as_ref(), true);
    }

    fn map(&mut self, map: &Map, drawn: &OverTime) -> String {
        let id = self.slugs.unique("network-map");
        let Units { stop, buffer, .. } = drawn.units;
        let _ = write!(
            self.html,
            "<figure class=\"map\" id=\"{id}\">\n<div class=\"map-bar\"><button \
             type=\"button\" class=\"tool play\" aria-pressed=\"false\">Play</button><input \
             type=\"range\" min=\"0\" max=\"{last}\" value=\"{start}\" \
             aria-label=\"Time\"><output></output><button type=\"button\" class=\"tool whole\" \
             aria-pressed=\"false\">Whole run</button>\
             <span class=\"segmented\" role=\"group\" aria-label=\"Links show\"><button \
             type=\"button\" data-by=\"stopped\">stopped</button><button type=\"button\" \
             data-by=\"load\">load</button></span><span class=\"tools\"><a class=\"tool csv\" \
             href=\"#{id}\" download=\"map.csv\">CSV</a></span></div>\n\
             <div class=\"map-sheet\"></div>\n<div class=\"map-key\"></div>\n\
             <div class=\"map-text\" role=\"status\"></div>\n\
             <noscript><p>The map needs JavaScript; the run directory has the moment of the \
             largest backlog as figures/map.svg.</p></noscript>\n<div class=\"caption\">\
             <p>Each link is drawn as two lines, one for each direction (traffic keeps to the \
             right). <em>load</em> colours links by the share of time that they sent data, and \
             switches by the mean of the links that leave them. <em>stopped</em> colours links by \
             the share of time that they were stopped ({stop}); the bar at the start is the \
             {buffer}. The map opens with stops where there are some to see, at the largest \
             backlog, or at the end of a run that can't go on. {folded}</p><p>Keys: space plays, \
             left and right move time, up and down change the link. <em>Whole run</em> shows \
             means over the run and the largest queues.</p></div></figure>\n",
            last = drawn.ends.len().saturating_sub(1),
            start = drawn.start,
            stop = escape::html(stop),
            buffer = escape::html(buffer),
            folded = escape::html(&map.folded),
        );
        id
    }

    fn strip(&mut self, name: &str, strip: &strip::Strip<'_>) -> String {
        let id = self.slugs.unique(&format!("time-{name}"));
        let _ = write!(
            self.html,
            "<figure class=\"strip\" id=\"{id}\">\n<figcaption><span class=\"title\">{title}\
             </span><span class=\"tools\"><a class=\"tool csv\" href=\"#{id}\" \
             download=\"{file}.csv\">CSV</a></span></figcaption>\n<div class=\"strip-sheet\" \
             tabindex=\"0\" role=\"application\" aria-roledescription=\"chart\" \
             aria-label=\"{title}\"></div>\n<div class=\"map-key\"></div>\n\
             <div class=\"map-text\" role=\"status\"></div>\n<noscript><p>This needs JavaScript; \
             the run directory has it as figures/{file}.svg.</p></noscript>\n\
             <div class=\"caption\"><p>{note}</p></div></figure>\n",
            title = escape::html(strip.title),
            file = strip.file,
            note = escape::html(&strip.note),
        );
        id
    }
}
