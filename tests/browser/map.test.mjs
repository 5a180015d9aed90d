// The map of a report in a real browser: time, links, keys. MAP=file.html tests another page.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

import { Browser } from "./driver.mjs";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const folder = mkdtempSync(join(tmpdir(), "report-map-"));
let browser;

before(async () => {
  let page = process.env.MAP;
  if (!page) {
    const out = join(folder, "run");
    const scenario = "scenarios/ethernet/backwater.toml";
    const command = ["run", "-q", "-p", "backwater", "--", "run", scenario, "--out", out];
    execFileSync("cargo", command, { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"] });
    page = join(out, "report.html");
  }
  browser = await Browser.start();
  await browser.open(pathToFileURL(page).href);
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
      start: figure.map.data.start,
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
