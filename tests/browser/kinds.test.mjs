// Each kind of report, wide and narrow, light and dark: all drawn, nothing loaded, nothing said to
// the console, nothing that axe-core complains about. PICTURES=DIR keeps screenshots.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

import { Browser } from "./driver.mjs";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const folder = mkdtempSync(join(tmpdir(), "report-kinds-"));
const pictures = process.env.PICTURES;
// Fetched by run.sh; it is not ours to ship.
const axe = process.env.AXE && readFileSync(process.env.AXE, "utf8");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"];

const short = ["--set", 'run.measure="500 cycles"', "--set", 'run.warm_up="200 cycles"'];
const KINDS = {
  circuits: ["run", "scenarios/kung1993/fig17-two-switches.toml"],
  reserved: ["run", "scenarios/zhang1991/bound.toml"],
  abr: [
    "run",
    "scenarios/kalyanaraman1998/fig06-five-sources.toml",
    "--set",
    'run.duration="220 ms"',
  ],
  frames: ["run", "scenarios/ethernet/incast.toml"],
  deadlock: ["run", "scenarios/ethernet/ring-deadlock.toml"],
  flits: ["run", "scenarios/flit/mesh-8x8.toml"],
  sweep: ["sweep", "scenarios/sweeps/pfc-victim.toml"],
  saturate: ["saturate", "scenarios/flit/torus-8x8.toml", ...short],
  compare: ["compare", "scenarios/compare/speed-mismatch.toml"],
  reproduce: ["reproduce", "kung1993.fig18.backpressure-shares", "--quick"],
  plot: ["plot", join(folder, "circuits"), join(folder, "reserved")],
};

let browser;

before(async () => {
  browser = await Browser.start();
});

after(async () => {
  await browser?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const made = (kind) => {
  const out = join(folder, kind);
  const command = ["run", "-q", "-p", "backwater", "--", ...KINDS[kind], "--out", out];
  const options = { cwd: ROOT, stdio: ["ignore", "ignore", "pipe"], encoding: "utf8" };
  const { stderr } = spawnSync("cargo", command, options);
  const page = join(out, "report.html");
  assert.ok(existsSync(page), `${kind}: ${stderr}`);
  return pathToFileURL(page).href;
};

const settled = () => new Promise((resolve) => setTimeout(resolve, 250));

// What a page lacks: a drawing without ink, more than its width.
const lacks = () =>
  browser.run(() => {
    const isBlank = (canvas) => {
      const { width, height } = canvas;
      if (!canvas.checkVisibility() || width === 0) return false;
      const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
      return !data.some((value) => value > 0);
    };
    const named = (canvas) => canvas.closest("[id]")?.id;
    const looks = (swatch) => `${swatch.className} ${swatch.getAttribute("style")}`;
    const areAlike = (legend) => {
      const swatches = [...legend.querySelectorAll(".swatch")].map(looks);
      return new Set(swatches).size < swatches.length;
    };
    const { scrollWidth, clientWidth } = document.documentElement;
    return {
      blank: [...document.querySelectorAll("canvas")].filter(isBlank).map(named),
      alike: [...document.querySelectorAll(".legend")].filter(areAlike).length,
      wider: Math.max(0, scrollWidth - clientWidth),
    };
  });

const complaints = async () => {
  await browser.post("/execute/sync", { script: axe, args: [] });
  return browser.run(async (rules) => {
    const found = await window.axe.run(document, { runOnly: rules, resultTypes: ["violations"] });
    return found.violations.map(
      ({ id, help, nodes }) =>
        `${id}: ${help}: ${nodes.length} times, first ${nodes[0].html.slice(0, 160)} ` +
        `${nodes[0].any.map((check) => check.message).join("; ")}`,
    );
  }, RULES);
};

const looks = async (kind, width, scheme) => {
  await browser.width(width, 1000);
  await browser.scheme(scheme);
  await settled();
  const what = `${kind}, ${width} px, ${scheme}`;
  assert.deepEqual(await lacks(), { blank: [], alike: 0, wider: 0 }, what);
  // Each width and each scheme once: a look takes seconds where tables are long.
  const isOfAxe = axe && (width === 1400) === (scheme === "light");
  if (isOfAxe) assert.deepEqual(await complaints(), [], what);
  if (pictures) {
    mkdirSync(pictures, { recursive: true });
    await browser.picture(join(pictures, `${kind}-${width}-${scheme}.png`));
  }
};

for (const kind of Object.keys(KINDS))
  test(`a report of ${kind} is whole and can be read by all`, async () => {
    const url = made(kind);
    await browser.width(1400, 1000);
    await browser.open(url);
    await browser.requests();
    for (const width of [1400, 400])
      for (const scheme of ["light", "dark"]) await looks(kind, width, scheme);
    const outside = (await browser.requests()).filter(
      (address) => !/^(data|blob):/.test(address) && address !== url,
    );
    assert.deepEqual(outside, []);
    // That canvases are read often is our own doing.
    const said = (await browser.log("browser")).filter(({ source }) => source !== "rendering");
    assert.deepEqual(said, []);
  });

test("the checks can fail", async () => {
  const page = join(folder, "bad.html");
  const wide = "<div style='width:3000px'>x</div><canvas id='c' width='9' height='9'></canvas>";
  writeFileSync(page, `<!doctype html>${wide}<img src='data:,'><button></button>`);
  await browser.open(pathToFileURL(page).href);
  const found = await lacks();
  assert.deepEqual(found.blank, ["c"]);
  assert.ok(found.wider > 0);
  if (axe) {
    const said = (await complaints()).join("\n");
    for (const rule of ["button-name", "image-alt", "html-has-lang"])
      assert.match(said, new RegExp(`^${rule}:`, "m"));
  }
});
