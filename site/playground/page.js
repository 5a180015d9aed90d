// The playground: a scenario as text on the left, its report on the right. Workers run the program,
// one for what takes long, one that answers while it does.
"use strict";

const byId = (id) => document.getElementById(id);
const held = (id) => byId(id).textContent;

// Keys that get a slider without being asked for, in this order, and so many of them.
const FIRST = ["n3", "n2", "xoff", "xon", "vcs", "depth", "headroom", "per_input", "ecn", "load", "count"];
const MOST_SLIDERS = 4;
const PAUSE_MS = 250;
const NUMBER = /^(["']?)([+-]?\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?)(\s*[^"'\s]*)\1$/i;

const bytesOf = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
const through = async (bytes, stream) =>
  new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());

// A worker with at most one request: another one stops it.
class Asker {
  constructor(module) {
    this.module = module;
    this.source = URL.createObjectURL(new Blob([held("worker")], { type: "text/javascript" }));
    this.begin();
  }

  begin() {
    this.worker = new Worker(this.source);
    this.worker.postMessage({ module: this.module });
    this.pending = null;
  }

  stop() {
    if (!this.pending) return;
    this.worker.terminate();
    const { resolve } = this.pending;
    this.begin();
    resolve({ stopped: true });
  }

  // The last line of the answer; `told` hears of those before.
  ask(request, told = () => {}) {
    this.stop();
    return new Promise((resolve) => {
      this.pending = { resolve };
      let last = null;
      this.worker.onmessage = ({ data }) => {
        if (data.line !== undefined) {
          if (last) told(last);
          last = JSON.parse(data.line);
          return;
        }
        this.pending = null;
        const failed = { refused: `the program ended early: ${data.complaints || "without a word"}` };
        resolve(last && last.share === undefined ? last : failed);
      };
      this.worker.postMessage({ request });
    });
  }
}

// The text and what is known of it.
const text = byId("text");
const examples = JSON.parse(held("examples"));
let scenario = examples.scenarios[0];
let settings = [];
// Chosen once the settings of a scenario are known.
let sliders = null;
// What was run for the report that is shown.
let reported = null;
let checker;
let runner;
let waiting;

// What the text is called: that of an example has its name, any other one beside it.
const nameNow = () => {
  const shipped = examples.scenarios.find(({ name }) => name === scenario.name);
  return shipped && shipped.text !== text.value
    ? scenario.name.replace(/(\.toml)?$/, "-edited.toml")
    : scenario.name;
};
const request = (what) => ({ do: what, name: nameNow(), text: text.value, files: examples.files });

// Says whether the report is that of the text.
const tellStale = () => {
  const isStale = reported !== null && reported !== text.value;
  byId("reports").classList.toggle("stale", isStale);
  byId("stale").hidden = !isStale;
};

// ---- The editor.

const drawLines = (mistakes = []) => {
  const grave = new Map();
  for (const { severity, places } of mistakes) {
    const line = places[0]?.line;
    if (line && grave.get(line) !== "error") grave.set(line, severity);
  }
  const lines = byId("lines");
  lines.replaceChildren(
    ...text.value.split("\n").map((_, index) => {
      const line = document.createElement("div");
      line.textContent = index + 1;
      line.className = grave.get(index + 1) ?? "";
      return line;
    }),
  );
  lines.scrollTop = text.scrollTop;
};

// Where a line and column in characters, both from 1, are in the text.
const offset = (line, column) => {
  const lines = text.value.split("\n");
  const before = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  return before + [...(lines[line - 1] ?? "")].slice(0, column - 1).join("").length;
};

const select = (from, to) => {
  text.focus();
  text.setSelectionRange(from, to);
  const line = text.value.slice(0, from).split("\n").length;
  const height = text.scrollHeight / text.value.split("\n").length;
  text.scrollTop = Math.max(0, (line - 5) * height);
};

const drawMistakes = (mistakes) => {
  drawLines(mistakes);
  const item = ({ severity, code, message, places, notes, help }) => {
    const [place] = places;
    const button = document.createElement("button");
    button.className = severity;
    const title = document.createElement("b");
    title.textContent = severity;
    const labels = places.map((one) => one.label).filter(Boolean);
    const more = [...labels, ...notes, ...help.map((way) => `help: ${way}`)];
    const line = place ? `, line ${place.line}` : "";
    button.append(title, `${line}: ${message}`, ...more.map((one) => `\n  ${one}`));
    button.title = `${code}; click to go there`;
    button.onclick = () =>
      place && select(offset(place.line, place.column), offset(place.end_line, place.end_column));
    const entry = document.createElement("li");
    entry.append(button);
    return entry;
  };
  byId("mistakes").replaceChildren(...mistakes.map(item));
};

const refusal = (what) => ({
  severity: "error", code: "refused", message: what, places: [], notes: [], help: [],
});

const check = async () => {
  const found = await checker.ask(request("check"));
  if (found.stopped) return;
  drawMistakes(found.refused ? [refusal(found.refused)] : found.mistakes);
  if (found.settings) {
    settings = found.settings.filter(({ value }) => NUMBER.test(value));
    drawSliders();
  }
};

const checkSoon = () => {
  clearTimeout(waiting);
  waiting = setTimeout(check, PAUSE_MS);
};

const explain = async () => {
  const at = text.selectionStart;
  const [before] = text.value.slice(0, at).match(/[\w-]*$/);
  const [after] = text.value.slice(at).match(/^[\w-]*/);
  const word = before + after;
  const meaning = byId("meaning");
  meaning.hidden = false;
  if (!word) {
    meaning.textContent = "There is no word at the cursor.";
    return;
  }
  const found = await checker.ask({ do: "explain", word });
  if (!found.stopped) meaning.textContent = found.explained ?? found.refused;
};

// ---- Sliders.

// The least of 1, 2, 5, 10, 20, .. that is as large.
const round = (size) => {
  const ten = 10 ** Math.floor(Math.log10(size));
  return ten * [1, 2, 5, 10].find((times) => times * ten >= size * 0.999999);
};

const parted = (value) => {
  const [, quote, number, unit] = value.match(NUMBER);
  return { quote, unit, number: Number(number.replaceAll("_", "")), isWhole: /^[+-]?[\d_]+$/.test(number) };
};

const range = ({ number, isWhole, unit }) => {
  if (unit.trim() === "%") return { most: 100, step: 1 };
  const isShare = !isWhole && number > 0 && number <= 1;
  const most = isShare ? 1 : round(number > 0 ? 4 * number : 10);
  const step = isWhole && most <= 1000 ? 1 : round(most / 200);
  return { most, step };
};

const put = (path, number) => {
  const setting = settings.find((one) => one.path === path);
  if (!setting) return;
  const { quote, unit } = parted(setting.value);
  const value = `${quote}${Number(number.toPrecision(9))}${unit}${quote}`;
  const start = offset(setting.line, setting.column);
  if (!text.value.startsWith(setting.value, start)) return void check();
  text.setRangeText(value, start, start + setting.value.length);
  const longer = value.length - setting.value.length;
  for (const other of settings)
    if (other.line === setting.line && other.column > setting.column) other.column += longer;
  setting.value = value;
  drawLines();
  tellStale();
  run();
};

const slider = ({ path, most, step }) => {
  const setting = settings.find((one) => one.path === path);
  const row = document.createElement("div");
  row.className = "slider";
  const id = `slider-${path}`;
  const name = document.createElement("label");
  Object.assign(name, { htmlFor: id, textContent: path, title: path });
  const input = document.createElement("input");
  Object.assign(input, { type: "range", id, min: 0, max: most, step, value: parted(setting.value).number });
  const output = document.createElement("output");
  const show = () => {
    output.textContent = settings.find((one) => one.path === path)?.value.replaceAll(/["']/g, "");
    input.setAttribute("aria-valuetext", output.textContent);
  };
  input.oninput = () => {
    put(path, Number(input.value));
    show();
  };
  const away = document.createElement("button");
  Object.assign(away, { textContent: "×", title: "Remove this slider" });
  away.setAttribute("aria-label", `Remove the slider of ${path}`);
  away.onclick = () => {
    sliders = sliders.filter((one) => one.path !== path);
    drawSliders();
  };
  row.append(name, input, output, away);
  show();
  return row;
};

const add = (setting) => sliders.push({ path: setting.path, ...range(parted(setting.value)) });

const chooseSliders = () => {
  const last = ({ path }) => path.split(".").at(-1);
  const found = FIRST.flatMap((key) => settings.filter((one) => last(one) === key));
  sliders = [];
  found.slice(0, MOST_SLIDERS).forEach(add);
};

const drawSliders = () => {
  const box = byId("sliders");
  // Not while one is moved: it would be let go.
  if (box.contains(document.activeElement) && document.activeElement.type === "range") return;
  if (!sliders) chooseSliders();
  const has = (path) => settings.some((one) => one.path === path);
  const rows = sliders.filter(({ path }) => has(path)).map(slider);
  const free = settings.filter(({ path }) => !sliders.some((one) => one.path === path));
  const more = document.createElement("select");
  more.setAttribute("aria-label", "Add a slider");
  more.append(new Option("add a slider ..", ""), ...free.map(({ path }) => new Option(path, path)));
  more.onchange = () => {
    add(settings.find((one) => one.path === more.value));
    drawSliders();
  };
  box.replaceChildren(...rows, more);
};

// ---- Runs.

const drawStatus = ({ trace_hash, done, seconds, standstill }) => {
  const status = byId("status");
  const hash = document.createElement("code");
  hash.textContent = trace_hash;
  status.replaceChildren("trace hash ", hash, ` · ${done} in ${seconds.toFixed(2)} s`);
  if (standstill) {
    const line = document.createElement("div");
    Object.assign(line, { className: "bad", textContent: standstill });
    status.append(line);
  }
  status.dataset.hash = trace_hash;
};

// Runs inside a report, which is a page of its own: it may run its scripts and offer files, and reaches
// nothing of this one. What either has to know of the other are messages. A report has no address of
// its own: what links to its parts would open this page in its place.
const inside = () => {
  const say = (what) => parent.postMessage(what, "*");
  addEventListener("message", ({ data }) => {
    if (typeof data?.top === "number") scrollTo({ top: data.top, behavior: "instant" });
  });
  addEventListener("scroll", () => say({ top: scrollY }), { passive: true });
  addEventListener("keydown", ({ key, ctrlKey, metaKey }) => say({ key, ctrlKey, metaKey }));
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.('a[href^="#"]');
    if (!link) return;
    event.preventDefault();
    document.getElementById(decodeURIComponent(link.hash.slice(1)))?.scrollIntoView();
  });
};

// How far down the report is that is shown.
let reportTop = 0;

addEventListener("message", ({ source, data }) => {
  if (source !== byId("reports").querySelector("iframe:not(.next)")?.contentWindow) return;
  if (typeof data?.top === "number") reportTop = data.top;
  const { key, ctrlKey, metaKey } = data ?? {};
  if (key !== undefined) press(new KeyboardEvent("keydown", { key, ctrlKey, metaKey }));
});

// Shows a report in the place of the last one, as far down as that was.
const drawReport = (page, isNew) => {
  const box = byId("reports");
  box.querySelector("iframe.next")?.remove();
  const old = box.querySelector("iframe");
  const next = document.createElement("iframe");
  const srcdoc = `${page}<script>(${inside})();<\/script>`;
  Object.assign(next, { title: "Report", className: "next", srcdoc });
  next.sandbox = "allow-scripts allow-downloads";
  next.onload = () => {
    reportTop = isNew ? 0 : reportTop;
    next.contentWindow.postMessage({ top: reportTop }, "*");
    next.className = "";
    old?.remove();
  };
  box.append(next);
};

const running = (is) => {
  byId("stop").disabled = !is;
  byId("progress").hidden = !is;
  byId("progress").value = 0;
};

const run = async (isNew = false) => {
  running(true);
  const asked = request("run");
  const found = await runner.ask(asked, ({ share, words }) => {
    byId("progress").value = share;
    byId("status").textContent = words;
  });
  if (found.stopped) return;
  running(false);
  if (!found.report) {
    byId("status").textContent = found.refused ? "it does not run" : "it has mistakes";
    delete byId("status").dataset.hash;
    drawMistakes(found.refused ? [refusal(found.refused)] : found.mistakes);
    return;
  }
  drawMistakes(found.mistakes);
  drawStatus(found);
  drawReport(found.report, isNew);
  reported = asked.text;
  tellStale();
};

const stop = () => {
  runner.stop();
  running(false);
  byId("status").textContent = "stopped";
};

// ---- Where scenarios come from and go to.

const load = async (next, { runs = true } = {}) => {
  scenario = next;
  text.value = next.text;
  text.scrollTop = 0;
  settings = [];
  sliders = null;
  drawLines();
  byId("meaning").hidden = true;
  byId("example").value = next.name;
  tellStale();
  if (runs) run(true);
  await check();
};

const linkOf = async () => {
  const bytes = new TextEncoder().encode(JSON.stringify({ name: scenario.name, text: text.value }));
  const packed = await through(bytes, new CompressionStream("deflate-raw"));
  const letters = btoa(Array.from(packed, (byte) => String.fromCharCode(byte)).join(""));
  return letters.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
};

const linked = async () => {
  const letters = location.hash.slice(1).replaceAll("-", "+").replaceAll("_", "/");
  try {
    const bytes = await through(bytesOf(letters), new DecompressionStream("deflate-raw"));
    const { name, text } = JSON.parse(new TextDecoder().decode(bytes));
    return { name: String(name), text: String(text) };
  } catch {
    return null;
  }
};

// What the address holds; a link that is damaged must not pass for another scenario's.
const loadLinked = async () => {
  const next = await linked();
  if (next) return load(next);
  byId("status").textContent = "the link in the address is damaged: it holds no scenario";
};

const copyLink = async () => {
  history.replaceState(null, "", `#${await linkOf()}`);
  try {
    await navigator.clipboard.writeText(location.href);
    byId("status").textContent = "the link was copied; the address of this page is the same";
  } catch {
    byId("status").textContent = "the address of this page is the link";
  }
};

const save = () => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text.value], { type: "text/plain" }));
  link.download = nameNow().split("/").at(-1);
  link.click();
  URL.revokeObjectURL(link.href);
};

const offer = () => {
  const groups = Map.groupBy(examples.scenarios, ({ name }) => name.split("/")[1]);
  for (const [folder, members] of groups) {
    const group = document.createElement("optgroup");
    group.label = folder;
    group.append(...members.map(({ name, title }) => new Option(title, name)));
    byId("example").append(group);
  }
};

// Keys that mean the same on the page and inside a report.
const press = (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) run();
  else if (event.key === "F1") explain();
  else if (event.key === "Escape" && !byId("stop").disabled) stop();
  else return;
  event.preventDefault();
};

const choose = (name) => {
  // The address is that of another scenario now.
  if (location.hash) history.replaceState(null, "", location.href.split("#")[0]);
  return load(examples.scenarios.find((one) => one.name === name));
};

const listen = () => {
  text.oninput = () => {
    drawLines();
    tellStale();
    checkSoon();
  };
  text.onscroll = () => {
    byId("lines").scrollTop = text.scrollTop;
  };
  byId("example").onchange = ({ target }) => choose(target.value);
  byId("run").onclick = () => run();
  byId("stop").onclick = stop;
  byId("link").onclick = copyLink;
  byId("save").onclick = save;
  byId("explain").onclick = explain;
  addEventListener("keydown", press);
  addEventListener("hashchange", () => location.hash && loadLinked());
};

const begin = async () => {
  const bytes = await through(bytesOf(held("program")), new DecompressionStream("gzip"));
  const module = await WebAssembly.compile(bytes);
  [checker, runner] = [new Asker(module), new Asker(module)];
  offer();
  listen();
  if (!location.hash) return load(scenario);
  await load(scenario, { runs: false });
  await loadLinked();
};

begin().catch((error) => {
  byId("status").textContent = `this browser can't run it: ${error}`;
});
