// The map of a report in a real browser: time, links, keys. MAP=file.html tests another page.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

import { Browser, reportOf } from "./driver.mjs";

const folder = mkdtempSync(join(tmpdir(), "report-map-"));
let browser;

before(async () => {
  const page = process.env.MAP
    ? pathToFileURL(process.env.MAP).href
    : reportOf("ethernet/backwater.toml", join(folder, "run"));
  browser = await Browser.start();
  await browser.open(page);
});

after(async () => {
  await browser?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const state = () =>
  browser.run(() => {
    const figure = document.querySelector("figure.map");
    return {
      bin: figure.map.bin,
      start: figure.map.clock.start,
      bins: figure.map.bins,
      time: figure.querySelector("output").textContent,
      text: figure.querySelector(".map-text").textContent,
      colours: [...figure.querySelectorAll(".wire")].map((wire) => wire.getAttribute("stroke")),
      bars: [...figure.querySelectorAll(".fill")].map((bar) => bar.getAttribute("d")),
    };
  });

const slide = (bin) =>
  browser.run((to) => {
    const slider = document.querySelector("figure.map input");
    slider.value = to;
    slider.dispatchEvent(new Event("input"));
  }, bin);

test("it opens at the largest backlog and says nothing to the console", async () => {
  const { bin, start, bars, colours, time } = await state();
  assert.equal(bin, start);
  assert.ok(bars.length > 0 && new Set(colours).size > 1);
  assert.match(time, /^[\d.,]+ (us|ms|s|cells|cycles)$/);
  assert.deepEqual(await browser.log("browser"), []);
});

test("names keep clear of bars", async () => {
  const { names, covered } = await browser.run(() => {
    const sheet = document.querySelector("figure.map svg");
    const box = (element) => element.getBoundingClientRect();
    const visible = (label) => label.style.display !== "none" && label.getAttribute("class") !== "inside";
    const names = [...sheet.querySelectorAll("text")].filter(visible);
    const bars = [...sheet.querySelectorAll(".track")].map(box);
    const meets = (a) => (b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    const covered = names.filter((name) => bars.some(meets(box(name))));
    return { names: names.length, covered: covered.map((name) => name.textContent) };
  });
  assert.equal(names, 4);
  assert.deepEqual(covered, []);
});

test("the slider moves the map", async () => {
  await slide(0);
  const first = await state();
  await slide(first.bins - 1);
  const last = await state();
  assert.notEqual(first.time, last.time);
  assert.notDeepEqual(first.bars, last.bars);
});

test("play runs to the end by itself and stops there", async () => {
  await slide(0);
  await browser.run(() => document.querySelector("figure.map .play").click());
  await new Promise((resolve) => setTimeout(resolve, 600));
  const { bin } = await state();
  assert.ok(bin > 0, "it moves");
  await browser.run(() => document.querySelector("figure.map .play").click());
  const stopped = (await state()).bin;
  await new Promise((resolve) => setTimeout(resolve, 200));
  assert.equal((await state()).bin, stopped, "it pauses");
});

test("a link tells its ends, load, stop and queue; keys move on", async () => {
  await browser.run(() => document.querySelector("figure.map .arc").focus());
  const { text, bin } = await state();
  assert.match(text, / → .*: load .* %, stopped .* %, .*(kB|cells|flits)/);
  const key = (name) =>
    browser.run((pressed) => {
      const options = { key: pressed, bubbles: true, cancelable: true };
      document.activeElement.dispatchEvent(new KeyboardEvent("keydown", options));
    }, name);
  await key("ArrowDown");
  assert.notEqual((await state()).text, text);
  await key("ArrowLeft");
  assert.equal((await state()).bin, bin - 1);
});

test("links show load when asked", async () => {
  const before = await state();
  await browser.run(() => document.querySelector("figure.map [data-by=load]").click());
  assert.notDeepEqual((await state()).colours, before.colours);
  await browser.run(() => document.querySelector("figure.map [data-by=stopped]").click());
  assert.deepEqual((await state()).colours, before.colours);
});

test("the whole run shows means, until the time is moved", async () => {
  const click = () => browser.run(() => document.querySelector("figure.map .whole").click());
  await click();
  const whole = await state();
  assert.equal(whole.time, "whole run");
  const mean = await browser.run(() => {
    const { map } = document.querySelector("figure.map");
    const { clock } = map;
    const arcs = map.data.arcs.map((_, arc) => arc);
    const of = (arc) => {
      let [sum, from] = [0, 0];
      map.row("load", arc).forEach((share, bin) => {
        sum += share * (clock.ends[bin] - from);
        from = clock.ends[bin];
      });
      return sum / from;
    };
    return arcs.map((arc) => Math.abs(of(arc) - map.value("load", arc)) < 1e-9);
  });
  assert.ok(mean.every(Boolean));
  await slide(3);
  assert.notEqual((await state()).time, "whole run");
  await click();
  await click();
  assert.equal((await state()).bin, 3);
});

test("it fits wide and narrow pages, light and dark", async () => {
  for (const scheme of ["light", "dark"])
    for (const width of [1400, 400]) {
      await browser.scheme(scheme);
      await browser.width(width);
      const fits = await browser.run(() => {
        const sheet = document.querySelector(".map-sheet").getBoundingClientRect();
        const { scrollWidth, clientWidth } = document.documentElement;
        return sheet.right <= clientWidth && scrollWidth <= clientWidth;
      });
      assert.ok(fits, `${width} ${scheme}`);
    }
});

const DEADLOCKS = [
  ["ethernet/ring-deadlock.toml", /class \d: \d+ frames?, [\d.,]+ kB, can't move/],
  ["flit/ring-deadlock.toml", /VC \d: the packet from terminal \d+ to \d+ (holds|waits for) it/],
];

for (const [scenario, held] of DEADLOCKS)
  test(`the circle of ${scenario} is drawn, with what it holds`, async () => {
    await browser.width(1400);
    await browser.open(reportOf(scenario, join(folder, "deadlock")));
    assert.deepEqual(await browser.log("browser"), []);
    const { bin, bins, text } = await state();
    assert.equal(bin, bins - 1, "it opens at the end");
    const circle = await browser.run(() => {
      const { map } = document.querySelector("figure.map");
      const named = getComputedStyle(document.documentElement).getPropertyValue("--circle").trim();
      const ends = map.data.arcs.map(([from, to, , , , stuck]) => [from, to, stuck]);
      const drawn = map.parts.map(({ wire }) => wire.getAttribute("stroke") === named);
      return { ends, drawn };
    });
    const stuck = circle.ends.filter(([, , words]) => words);
    assert.ok(stuck.length > 1);
    assert.deepEqual(
      circle.drawn,
      circle.ends.map(([, , words]) => words !== ""),
    );
    for (const [from, to, words] of stuck) {
      assert.match(words, held);
      assert.ok(
        stuck.some(([next]) => next === to) && stuck.some(([, end]) => end === from),
        "each link of it leads to the next",
      );
    }
    const shown = await browser.run(() => {
      document.querySelector("figure.map .arc.stuck").dispatchEvent(new Event("pointerenter"));
      const [key, words] = [".map-key", ".map-text"].map((part) =>
        document.querySelector(`figure.map ${part}`),
      );
      return [key.textContent, words.textContent];
    });
    assert.match(shown[0], /can't move any more/);
    assert.match(shown[1], held);
    assert.notEqual(shown[1], text);
    await slide(0);
    const before = await state();
    assert.ok(new Set(before.colours).size > 0 && before.bin === 0, "before it, colours are loads");
  });
