// The playground in a real browser: runs of the page are those of the program, text and sliders lead
// to results or to mistakes with their place. `make playground` builds the page. PICTURES=DIR keeps
// screenshots; ALL=1 runs the whole menu and tells how much longer the page takes.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

import { Browser } from "./driver.mjs";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const PROGRAM = join(ROOT, "target", "release", "backwater");
const PAGE = join(ROOT, "runs", "playground.html");
const folder = mkdtempSync(join(tmpdir(), "playground-"));
const pictures = process.env.PICTURES;
const axe = process.env.AXE && readFileSync(process.env.AXE, "utf8");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"];
// Each engine and family of schemes; one reads a file, one ends in a deadlock.
const SCENARIOS = [
  "kung1993/fig17-two-switches",
  "kung1993/sec45-lost-credit",
  "zhang1991/interleaving",
  "nouredine1999/fig04-merging",
  "kalyanaraman1998/fig06-five-sources",
  "abr/tcp-over-ubr",
  "schedulers/ats",
  "ethernet/incast",
  "ethernet/dctcp",
  "ethernet/delay-bounds",
  "ethernet/ring-deadlock",
  "flit/anynet",
  "flit/mesh-8x8",
  "flit/crossbar-karol",
];
const COMPARISON = "compare/parking-lot";

const skip = !existsSync(PAGE) && process.env.CI !== "true" && "there is no runs/playground.html";
let browser;

before(async () => {
  if (skip) return;
  browser = await Browser.start();
  await browser.open(pathToFileURL(PAGE).href);
});

after(async () => {
  await browser?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const REPORT = "#reports iframe:not(.next)";
const titleOf = () => browser.inside(REPORT, () => document.querySelector("h1")?.textContent ?? null);

const state = async () => {
  // A report that another one has replaced meanwhile is asked for again.
  const title = await titleOf().catch(() => titleOf());
  const found = await browser.run(() => {
    const status = document.getElementById("status");
    return {
      hash: status.dataset.hash,
      status: status.textContent,
      mistakes: [...document.querySelectorAll("#mistakes button")].map((one) => one.textContent),
      sliders: [...document.querySelectorAll(".slider label")].map((one) => one.textContent),
      lines: document.querySelectorAll("#lines .error").length,
      meaning: document.getElementById("meaning").textContent,
      isIdle: document.getElementById("stop").disabled,
    };
  });
  return { ...found, title };
};

const until = async (holds, what) => {
  for (let tries = 0; tries < 1600; tries++) {
    const now = await state();
    if (holds(now)) return now;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  assert.fail(`${what} did not come: ${JSON.stringify(await state())}`);
};

const forget = () => browser.run(() => delete document.getElementById("status").dataset.hash);
const hash = () => until(({ hash, isIdle }) => hash && isIdle, "a result");

const choose = async (name) => {
  await forget();
  await browser.run((path) => {
    const menu = document.getElementById("example");
    menu.value = path;
    menu.dispatchEvent(new Event("change"));
  }, `scenarios/${name}.toml`);
};

const type = (text) =>
  browser.run((all) => {
    const box = document.getElementById("text");
    box.value = all;
    box.dispatchEvent(new Event("input"));
  }, text);

// What the program finds of the same.
const native = (file, ...changes) => found("run", file, ...changes);
const found = (command, file, ...changes) => {
  const out = join(folder, "run");
  const sets = changes.flatMap((change) => ["--set", change]);
  try {
    execFileSync(PROGRAM, [command, file, ...sets, "--out", out], { cwd: ROOT, stdio: "ignore" });
  } catch {
    // A deadlock is a result too.
  }
  return manifest().trace_hash;
};
const manifest = () => JSON.parse(readFileSync(join(folder, "run", "manifest.json"), "utf8"));

test("the page is whole and needs nothing else", { skip }, async () => {
  // `make playground` refuses a page that is too large; one that lost its program is small.
  assert.ok(statSync(PAGE).size > 1_000_000, `${statSync(PAGE).size} bytes`);
  const { title } = await until(({ title, hash }) => title && hash, "the first report");
  assert.equal(title, "The backwater of one slow port");
});

// Names in the menu, as `SCENARIOS` has them.
const menu = () =>
  browser.run(() =>
    [...document.querySelectorAll("#example option")].map(({ value }) => value.slice(10, -5)),
  );

test("trace hashes are those of the program", { skip }, async (t) => {
  const times = [];
  for (const name of process.env.ALL ? await menu() : SCENARIOS) {
    const command = name.startsWith("compare/") ? "compare" : "run";
    await choose(name);
    const own = await hash();
    assert.equal(own.hash, found(command, `scenarios/${name}.toml`), name);
    const seconds = manifest().wall_seconds;
    // Of shorter ones the clock of the page says too little.
    if (command === "run" && seconds > 0.2)
      times.push(Number(own.status.match(/in ([\d.]+) s/)[1]) / seconds);
  }
  times.sort((a, b) => a - b);
  const told = times.map((time) => time.toFixed(2)).join(" ");
  t.diagnostic(`times as long as the program, of runs of more than 0.2 s: ${told}`);
});

test("a comparison runs every scheme", { skip }, async () => {
  await choose(COMPARISON);
  const isDone = ({ hash, isIdle, title }) => hash && isIdle && /Parking/.test(title);
  const { hash } = await until(isDone, "a comparison");
  assert.equal(hash, found("compare", `scenarios/${COMPARISON}.toml`));
});

test("a slider changes the text and runs it", { skip }, async () => {
  await choose("kung1993/fig17-two-switches");
  await hash();
  const { sliders } = await until(({ sliders }) => sliders.length > 0, "sliders");
  assert.deepEqual(sliders, ["flow_control.n3", "flow_control.n2"]);
  await forget();
  const text = await browser.run(() => {
    const slider = document.getElementById("slider-flow_control.n3");
    for (const value of [20, 25, 30]) {
      slider.value = value;
      slider.dispatchEvent(new Event("input"));
    }
    return document.getElementById("text").value;
  });
  assert.match(text, /^n3 = 30$/m);
  const shipped = "scenarios/kung1993/fig17-two-switches.toml";
  const now = (await hash()).hash;
  assert.equal(now, native(shipped, "flow_control.n3=30"));
  assert.notEqual(now, native(shipped));
});

test("thresholds and virtual channels have sliders", { skip }, async () => {
  await choose("ethernet/backwater");
  let found = await until(({ sliders }) => sliders.length > 2, "sliders");
  assert.deepEqual(found.sliders, ["flow_control.xoff", "flow_control.xon", "buffer.per_input"]);
  await choose("flit/mesh-8x8");
  found = await until(({ sliders }) => sliders.includes("router.vcs"), "sliders");
  assert.ok(found.sliders.includes("router.depth"));
});

test("a mistake has its line, and is gone once it is mended", { skip }, async () => {
  await choose("ethernet/backwater");
  await hash();
  const text = await browser.run(() => document.getElementById("text").value);
  await type(text.replace('kind = "pfc"', 'kind = "pfcc"'));
  // The scenario itself has a warning: it sends more to a host than its link carries.
  const wrong = await until(({ mistakes }) => /pfcc/.test(mistakes[0]), "a mistake");
  assert.match(wrong.mistakes[0], /^error, line 43: .*pfcc/);
  assert.match(wrong.mistakes[0], /help: .*`pfc`/s);
  assert.equal(wrong.lines, 1);
  await browser.run(() => document.querySelector("#mistakes button").click());
  const [from, to] = await browser.run(() => {
    const box = document.getElementById("text");
    return [box.selectionStart, box.selectionEnd];
  });
  assert.equal(text.replace('kind = "pfc"', 'kind = "pfcc"').slice(from, to), '"pfcc"');
  await type(text);
  await until(({ mistakes, lines }) => !/^error/.test(mistakes[0]) && lines === 0, "no mistake");
});

test("F1 explains the word at the cursor", { skip }, async () => {
  await browser.run(() => {
    const box = document.getElementById("text");
    box.focus();
    box.setSelectionRange(box.value.indexOf("xoff") + 1, box.value.indexOf("xoff") + 1);
  });
  // W3C's key F1.
  await browser.keys("\uE031");
  const { meaning } = await until(({ meaning }) => /xoff/.test(meaning), "a meaning");
  assert.match(meaning, /neighbours are stopped/);
});

test("what takes long can be stopped, and another run begins", { skip }, async () => {
  await choose("ethernet/incast");
  await hash();
  await forget();
  const text = await browser.run(() => document.getElementById("text").value);
  await type(text.replace('"20 ms"', '"2000 s"'));
  await browser.run(() => document.getElementById("run").click());
  await until(({ status }) => /^\d|%|of/.test(status), "progress");
  await browser.run(() => document.getElementById("stop").click());
  assert.equal((await state()).status, "stopped");
  await type(text);
  await browser.run(() => document.getElementById("run").click());
  assert.equal((await hash()).hash, native("scenarios/ethernet/incast.toml"));
});

test("a link holds the scenario", { skip }, async () => {
  await choose("ethernet/backwater");
  await hash();
  const text = await browser.run(() => document.getElementById("text").value);
  await type(text.replace('"80 %"', '"75 %"'));
  await browser.run(() => document.getElementById("link").click());
  await until(({ status }) => /link/.test(status), "a link");
  const link = await browser.run(() => location.href);
  await browser.open("about:blank");
  await browser.open(link);
  const found = await hash();
  const shipped = "scenarios/ethernet/backwater.toml";
  assert.equal(found.hash, native(shipped, 'flow_control.xoff="75 %"'));
  assert.notEqual(found.hash, native(shipped));
});

test("links inside a report lead to its parts", { skip }, async () => {
  await choose("ethernet/backwater");
  await hash();
  const top = () => browser.inside(REPORT, () => scrollY);
  await until(({ title }) => /backwater/.test(title), "the report");
  assert.equal(await top(), 0);
  await browser.inside(REPORT, () => {
    document.documentElement.style.scrollBehavior = "auto";
    [...document.querySelectorAll(".contents a")].at(-1).click();
  });
  await new Promise((resolve) => setTimeout(resolve, 300));
  const { title } = await state();
  assert.match(title, /backwater of one/);
  assert.ok((await top()) > 1000, `at ${await top()} px`);
});

test("keys work inside a report", { skip }, async () => {
  await forget();
  await browser.inside(REPORT, () => {
    const init = { key: "Enter", ctrlKey: true, bubbles: true };
    document.body.dispatchEvent(new KeyboardEvent("keydown", init));
  });
  await hash();
});

test("a report reaches nothing of the page", { skip }, async () => {
  const words = await browser.run(
    (frame) => document.querySelector(frame).getAttribute("sandbox"),
    REPORT,
  );
  assert.deepEqual(words.split(" ").sort(), ["allow-downloads", "allow-scripts"]);
  const reached = await browser.inside(REPORT, () => {
    const tried = [() => parent.document.title, () => localStorage.length, () => document.cookie];
    return tried.map((reach) => {
      try {
        reach();
        return true;
      } catch {
        return false;
      }
    });
  });
  assert.deepEqual(reached, [false, false, false]);
});

const isStale = () => browser.run(() => !document.getElementById("stale").hidden);

test("a report says that it is of an earlier text", { skip }, async () => {
  assert.equal(await isStale(), false);
  const text = await browser.run(() => document.getElementById("text").value);
  const shown = () =>
    browser.inside(REPORT, () => document.querySelector(".shell code").textContent);
  assert.match(await shown(), /ethernet\/backwater\.toml/);
  await type(text.replace('"80 %"', '"75 %"'));
  assert.equal(await isStale(), true);
  await browser.run(() => document.getElementById("run").click());
  while (await isStale()) await new Promise((resolve) => setTimeout(resolve, 50));
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.match(await shown(), /ethernet\/backwater-edited\.toml/, "it has a name of its own");
});

test("the address holds what it says, or nothing", { skip }, async () => {
  await browser.run(() => document.getElementById("link").click());
  await until(({ status }) => /link/.test(status), "a link");
  const link = await browser.run(() => location.hash);
  await choose("kung1993/fig17-two-switches");
  await hash();
  assert.equal(await browser.run(() => location.hash), "");
  await browser.run((own) => {
    location.hash = own;
  }, link);
  await until(({ title }) => /backwater of one/.test(title), "the linked report");
  const text = await browser.run(() => document.getElementById("text").value);
  assert.match(text, /"75 %"/);
  const page = pathToFileURL(PAGE).href;
  await browser.open("about:blank");
  await browser.open(`${page}#damaged`);
  await until(({ sliders }) => sliders.length > 0, "the first scenario");
  const { status, title } = await state();
  assert.match(status, /damaged/);
  assert.equal(title, null);
  await browser.open("about:blank");
  await browser.open(page);
  await hash();
});

test("it says nothing to the console and asks for nothing", { skip }, async () => {
  assert.deepEqual(await browser.log("browser"), []);
  const asked = await browser.requests();
  assert.deepEqual(asked.filter((url) => !/^(file|blob|data|about):/.test(url)), []);
});

for (const [width, scheme] of [
  [1400, "light"],
  [400, "dark"],
])
  test(`it can be used at ${width} px, ${scheme}`, { skip }, async () => {
    await browser.width(width);
    await browser.scheme(scheme);
    await browser.open(pathToFileURL(PAGE).href);
    await until(({ title, hash }) => title && hash, "a report");
    const wide = await browser.run(() => document.documentElement.scrollWidth);
    assert.ok(wide <= width, `${wide} px wide`);
    const high = await browser.run(() => document.getElementById("reports").clientHeight);
    assert.ok(high > 400, `the report is ${high} px high`);
    if (pictures) {
      mkdirSync(pictures, { recursive: true });
      await browser.picture(join(pictures, `playground-${width}-${scheme}.png`));
    }
    if (!axe) return;
    await browser.post("/execute/sync", { script: axe, args: [] });
    const wrong = await browser.run(async (rules) => {
      const options = { runOnly: rules, resultTypes: ["violations"], iframes: false };
      const found = await window.axe.run(document, options);
      return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html)}`);
    }, RULES);
    assert.deepEqual(wrong, []);
  });
