// What readers look for first: a mesh as a heat map, maps on a phone, bars with names.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { Browser, reportOf } from "./driver.mjs";

const folder = mkdtempSync(join(tmpdir(), "report-seen-"));
let browser;
const pages = {};

before(async () => {
  pages.mesh = reportOf("flit/mesh-8x8.toml", join(folder, "mesh"));
  pages.leaves = reportOf("bench/incast-pfc.toml", join(folder, "leaves"));
  pages.compared = reportOf("compare/speed-mismatch.toml", join(folder, "compared"), "compare");
  browser = await Browser.start();
});

after(async () => {
  await browser?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const open = async (page, width, scheme) => {
  await browser.scheme(scheme);
  await browser.width(width);
  await browser.open(page);
  await browser.frames();
};

for (const scheme of ["light", "dark"])
  test(`a mesh is a heat map of its routers, ${scheme}`, async () => {
    await open(pages.mesh, 1400, scheme);
    const map = () =>
      browser.run(() => {
        const sheet = document.querySelector("figure.map svg");
        const shown = (part) => getComputedStyle(part).display !== "none";
        return {
          by: document.querySelector("figure.map [aria-pressed=true][data-by]").dataset.by,
          fills: [...sheet.querySelectorAll(".switch")].map((box) => getComputedStyle(box).fill),
          bars: [...sheet.querySelectorAll(".track, .fill")].filter(shown).length,
          names: [...sheet.querySelectorAll("text.inside")].map((name) => name.textContent),
          wide: [...sheet.querySelectorAll("text.inside")].filter((name) => name.getBBox().width > 31).length,
        };
      });
    const heat = await map();
    assert.equal(heat.by, "load");
    assert.ok(new Set(heat.fills).size > 20, "routers differ");
    assert.equal(heat.bars, 0);
    assert.ok(heat.names.length === 64 && heat.names.includes("3,4"), heat.names.join(" "));
    assert.equal(heat.wide, 0);
    await browser.run(() => document.querySelector("figure.map [data-by=stopped]").click());
    const stopped = await map();
    assert.equal(new Set(stopped.fills).size, 1);
    assert.ok(stopped.bars > 100);
  });

test("a wide map on a phone is high enough to read, and scrolls by itself", async () => {
  await open(pages.leaves, 400, "light");
  const { height, inner, outer, page } = await browser.run(() => {
    const box = document.querySelector(".map-sheet");
    const { width, height } = box.querySelector("svg").getBoundingClientRect();
    return { height, inner: width, outer: box.clientWidth, page: document.documentElement.scrollWidth };
  });
  assert.ok(height >= 239, `${height} px high`);
  assert.ok(inner > outer && page <= 400, `${inner} px in ${outer}, the page ${page}`);
});

test("a finger is told to tap", async () => {
  const hint = () => browser.run(() => document.querySelector(".map-text").textContent);
  assert.match(await hint(), /^Point at a link/);
  await browser.devtools("Emulation.setTouchEmulationEnabled", { enabled: true });
  await browser.open(pages.leaves);
  assert.match(await hint(), /^Tap a link .* scrolls sideways/);
  await browser.devtools("Emulation.setTouchEmulationEnabled", { enabled: false });
});

for (const width of [1400, 400])
  test(`bars of a comparison have names and hardly a legend, ${width} px`, async () => {
    await open(pages.compared, width, "light");
    const charts = await browser.run(() =>
      [...document.querySelectorAll("[id^=plot-bars]")].map((figure) => ({
        legend: figure.querySelectorAll(".legend button").length,
        names: figure.querySelector(".chart").chart.plot.x.names.length,
        title: figure.querySelector(".title").textContent,
      })),
    );
    assert.ok(charts.length > 3);
    for (const { legend, names, title } of charts) {
      assert.ok(legend <= 2 && names > 2, `${title}: ${legend} entries, ${names} names`);
      assert.match(title, /^[A-Z]/);
    }
    assert.deepEqual(await browser.log("browser"), []);
  });
