// Pictures that a report saves: charts, rows over time and the map, as SVG and PNG.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

import { Browser } from "./driver.mjs";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const PROGRAM = join(ROOT, "target", "release", "backwater");
const folder = mkdtempSync(join(tmpdir(), "saved-pictures-"));
const pictures = process.env.PICTURES;
let browser;

before(async () => {
  const shipped = join(ROOT, "scenarios/ethernet/backwater.toml");
  execFileSync(PROGRAM, ["run", shipped, "--out", folder], { stdio: "ignore" });
  browser = await Browser.start();
  await browser.open(pathToFileURL(join(folder, "report.html")).href);
  // Files are caught on their way instead of saved.
  await browser.run(() => {
    const create = URL.createObjectURL;
    URL.createObjectURL = (blob) => {
      window.saved.push(blob);
      return create(blob);
    };
    HTMLAnchorElement.prototype.click = function () {
      window.names.push(this.download);
    };
  });
});

after(async () => {
  await browser?.stop();
  rmSync(folder, { recursive: true, force: true });
});

// Chooses from the menu of a figure; the file's name and what is in it.
const save = async (figure, kind) => {
  const found = await browser.run(
    async (at, what) => {
      window.saved = [];
      window.names = [];
      const select = document.querySelector(at).querySelector("select.save");
      select.value = what;
      select.dispatchEvent(new Event("change"));
      for (let tries = 0; tries < 200 && !window.names.length; tries++)
        await new Promise((resolve) => setTimeout(resolve, 25));
      const [blob] = window.saved;
      const bytes = new Uint8Array(await blob.arrayBuffer());
      let letters = "";
      for (const byte of bytes) letters += String.fromCharCode(byte);
      return { name: window.names[0], type: blob.type, base64: btoa(letters) };
    },
    figure,
    kind,
  );
  const bytes = Buffer.from(found.base64, "base64");
  if (pictures) {
    mkdirSync(pictures, { recursive: true });
    writeFileSync(join(pictures, found.name), bytes);
  }
  return { ...found, bytes, text: bytes.toString("utf8") };
};

// What a parser finds in an SVG.
const read = (text) =>
  browser.run((source) => {
    const root = new DOMParser().parseFromString(source, "image/svg+xml").documentElement;
    const of = (tag) => [...root.querySelectorAll(tag)];
    return {
      broken: root.querySelector("parsererror") !== null,
      size: ["width", "height", "viewBox"].map((name) => root.getAttribute(name)),
      shapes: of("path, rect, circle").length,
      texts: of("text").map((one) => one.textContent),
      sizes: [...new Set(of("text").map((one) => Number.parseFloat(one.getAttribute("font-size"))))],
      odd: /NaN|undefined|Infinity|#[0-9a-f]{8}\b/i.test(source),
    };
  }, text);

const FIGURES = { chart: "figure.plot:has(.u-over)", map: "figure.map", strip: "figure.strip" };

for (const [kind, figure] of Object.entries(FIGURES)) {
  test(`an SVG of the ${kind} has the size and the letters of its use`, async () => {
    const drawn = {};
    for (const [size, width] of [["slide", "1280"], ["column", "85mm"], ["page", "178mm"]]) {
      const file = await save(figure, `svg ${size}`);
      assert.match(file.name, new RegExp(`^[a-z0-9-]+-${size}\\.svg$`));
      assert.equal(file.type, "image/svg+xml");
      const found = await read(file.text);
      assert.ok(!found.broken && !found.odd, file.text.slice(0, 2000));
      assert.equal(found.size[0], width);
      assert.ok(found.shapes > 3, `${found.shapes} shapes`);
      assert.ok(found.texts.filter((text) => text.trim()).length > 3, found.texts.join());
      drawn[size] = found;
    }
    assert.equal(drawn.slide.size[1], "720");
    if (kind !== "map") assert.deepEqual(drawn.column.sizes, [12]);
  });
}

test("a PNG has the dots of its use, and is not blank", async () => {
  for (const figure of Object.values(FIGURES)) {
    const slide = await save(figure, "png slide");
    assert.equal(slide.type, "image/png");
    assert.deepEqual([slide.bytes.readUInt32BE(16), slide.bytes.readUInt32BE(20)], [2560, 1440]);
    assert.ok(slide.bytes.length > 15_000, `${slide.name}: ${slide.bytes.length} bytes`);
    const column = await save(figure, "png column");
    assert.equal(column.bytes.readUInt32BE(16), 2008);
  }
});

test("a picture has the curves that are shown, and leaves the page as it was", async () => {
  const state = () =>
    browser.run(() => [
      document.documentElement.dataset.theme ?? null,
      document.querySelector(".chart").chart.u.width,
      document.querySelectorAll(".uplot").length,
      HTMLCanvasElement.prototype.getContext.toString().includes("native"),
    ]);
  const at = await browser.run(() => {
    const figures = [...document.querySelectorAll("figure.plot")];
    const figure = figures.find((one) => one.querySelectorAll(".legend button").length > 1);
    return `#${figure.id}`;
  });
  const before = await state();
  const all = await read((await save(at, "svg page")).text);
  const name = await browser.run((id) => {
    const button = document.querySelector(`${id} .legend button`);
    button.click();
    return button.querySelector("span:nth-child(2)").textContent;
  }, at);
  const less = await read((await save(at, "svg page")).text);
  const count = ({ texts }) => texts.filter((text) => text === name).length;
  assert.equal(count(less), count(all) - 1);
  assert.deepEqual(await state(), before);
});

test("the map as CSV has each direction in each bin", async () => {
  const text = await browser.run(async () => {
    window.saved = [];
    document.querySelector("figure.map .csv").dispatchEvent(new Event("click"));
    return window.saved[0].text();
  });
  const lines = text.trim().split("\n");
  assert.match(lines[0], /^bin ends \[\w+\],from,to,load \[%\],stopped \[%\],queue \[\w+\]$/);
  const [arcs, bins] = await browser.run(() => {
    const { map } = document.querySelector("figure.map");
    return [map.data.arcs.length, map.bins];
  });
  assert.equal(lines.length, arcs * bins + 1);
});

// A chart of one curve has no legend: a label beside a mark may be the first word that is measured.
test("words are measured while a pen stands in for the canvas", async () => {
  const width = await browser.run(() => {
    const { prototype } = HTMLCanvasElement;
    const { getContext } = prototype;
    const pen = new Pen();
    prototype.getContext = () => pen;
    try {
      return pen.measureText("saturated").width;
    } finally {
      prototype.getContext = getContext;
    }
  });
  assert.ok(width > 30 && width < 100, `${width}`);
});
