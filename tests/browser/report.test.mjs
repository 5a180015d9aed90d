// The report page in a real browser. `node --test tests/browser`
//
// REPORT=file.html tests another page, PICTURES=DIR keeps screenshots.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

import { Browser } from "./driver.mjs";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const folder = mkdtempSync(join(tmpdir(), "report-page-"));
const pictures = process.env.PICTURES;
let browser;
let url;

before(async () => {
  let page = process.env.REPORT;
  if (!page) {
    const made = join(folder, "run");
    const command = [
      "run",
      "-q",
      "-p",
      "backwater-results",
      "--example",
      "sample_report",
      "--",
      made,
    ];
    execFileSync("cargo", command, { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"] });
    page = join(made, "report.html");
  }
  assert.ok(existsSync(page), `${page} is missing`);
  url = pathToFileURL(page).href;
  browser = await Browser.start();
  await browser.open(url);
});

after(async () => {
  await browser?.stop();
  rmSync(folder, { recursive: true, force: true });
});

// The first plot over time.
const SERIES = "#plot-series-1";

const area = () => browser.into(`${SERIES} .u-over`);

const range = () =>
  browser.run((series) => {
    const { min, max } = document.querySelector(`${series} .chart`).chart.u.scales.x;
    return [min, max];
  }, SERIES);

const legend = () =>
  browser.run(
    (series) =>
      [...document.querySelectorAll(`${series} .legend output`)].map((o) => o.textContent),
    SERIES,
  );

const requests = () => browser.requests();

test("the page loads nothing and says nothing to the console", async () => {
  assert.deepEqual(
    (await requests()).filter((address) => !address.startsWith("data:")),
    [url],
  );
  assert.deepEqual(await browser.log("browser"), []);
});

test("the two checks above can fail", async () => {
  const page = join(folder, "bad.html");
  writeFileSync(page, "<!doctype html><img src='other.png'><script>console.warn('w')</script>");
  await browser.open(pathToFileURL(page).href);
  assert.ok((await requests()).some((address) => address.endsWith("other.png")));
  assert.notDeepEqual(await browser.log("browser"), []);
  await browser.open(url);
  await requests();
});

test("every plot is drawn", async () => {
  const drawn = await browser.run(() =>
    [...document.querySelectorAll(".plot")].map((plot) => {
      const canvas = plot.querySelector("canvas");
      const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
      const colours = new Set();
      let inked = 0;
      for (let i = 0; i < pixels.length; i += 4)
        if (pixels[i + 3] > 0) {
          inked += 1;
          // Grey is grid and text; a curve has a hue.
          const [r, g, b] = pixels.slice(i, i + 3);
          if (Math.max(r, g, b) - Math.min(r, g, b) > 60)
            colours.add(`${r >> 5},${g >> 5},${b >> 5}`);
        }
      return {
        id: plot.id,
        inked,
        colours: colours.size,
        axes: plot.querySelectorAll(".u-axis").length,
      };
    }),
  );
  assert.ok(drawn.length > 0);
  for (const plot of drawn) {
    assert.ok(plot.inked > 1000, `${plot.id}: ${plot.inked} pixels drawn`);
    assert.ok(plot.colours > 0, `${plot.id}: no curve drawn`);
  }
});

test("the legend follows the cursor", async () => {
  const { left, top, width, height } = await area();
  await browser.mouse(["move", left + width * 0.3, top + height / 2]);
  const first = await legend();
  assert.ok(
    first.every((value) => value !== "" && value !== "–"),
    first.join(" | "),
  );
  await browser.mouse(["move", left + width * 0.8, top + height / 2]);
  const second = await legend();
  assert.notDeepEqual(second, first);
  await browser.mouse(["move", 2, 2]);
  assert.ok((await legend()).every((value) => value === ""));
});

test("intervals do not set the scale", async () => {
  // Of every chart with intervals: the y axis with those it has, and with others 1000 times as wide.
  const found = await browser.run(() => {
    const charts = [...document.querySelectorAll(".chart")].map((box) => box.chart);
    const wide = charts.filter((chart) => chart.table.high.some(Boolean));
    return wide.map((chart) => {
      const values = chart.table.data.slice(1).flat();
      const ends = [Math.min, Math.max].map((of) => of(...values.filter((v) => v != null)));
      const kept = chart.table;
      const axis = (factor) => {
        const times = (rows, by) => rows.map((row) => row?.map((v) => v * by));
        chart.table = { ...kept, low: times(kept.low, -factor), high: times(kept.high, factor) };
        return chart.rangeY(...ends);
      };
      const axes = [axis(1), axis(1000)];
      chart.table = kept;
      return axes;
    });
  });
  assert.ok(found.length > 1, "the sample has intervals");
  for (const [narrow, wide] of found) assert.deepEqual(wide, narrow);
});

test("a click in the legend hides a curve", async () => {
  const state = () =>
    browser.run(() => {
      const button = document.querySelector("#plot-series-1 .legend button");
      return [
        button.getAttribute("aria-pressed"),
        document.querySelector("#plot-series-1 .chart").chart.u.series[1].show,
      ];
    });
  await browser.run(() => document.querySelector("#plot-series-1 .legend button").click());
  assert.deepEqual(await state(), ["false", false]);
  await browser.run(() => document.querySelector("#plot-series-1 .legend button").click());
  assert.deepEqual(await state(), ["true", true]);
});

const drag = async ({ left, top, width, height }, from, to) => {
  const y = top + height / 2;
  await browser.mouse(
    ["move", left + width * from, y],
    ["down"],
    ["move", left + (width * (from + to)) / 2, y],
    ["move", left + width * to, y],
    ["up"],
  );
  await browser.frames();
};

test("a drag zooms and a double click resets", async () => {
  const box = await area();
  const whole = await range();
  await drag(box, 0.25, 0.5);
  const zoomed = await range();
  const share = (zoomed[1] - zoomed[0]) / (whole[1] - whole[0]);
  assert.ok(Math.abs(share - 0.25) < 0.02, `zoomed to ${share} of the range`);
  const x = box.left + box.width / 2;
  const y = box.top + box.height / 2;
  await browser.mouse(["move", x, y], ["down"], ["up"], ["down"], ["up"]);
  await browser.frames();
  assert.deepEqual(await range(), whole);
});

test("the reset button shows while zoomed", async () => {
  const shown = () => browser.run(() => !document.querySelector("#plot-series-1 .reset").hidden);
  const whole = await range();
  assert.equal(await shown(), false);
  await drag(await area(), 0.1, 0.3);
  assert.equal(await shown(), true);
  await browser.run(() => document.querySelector("#plot-series-1 .reset").click());
  await browser.frames();
  assert.deepEqual(await range(), whole);
  assert.equal(await shown(), false);
});

test("the keyboard reads values and zooms", async () => {
  await area();
  const whole = await range();
  await browser.run(() => document.querySelector("#plot-series-1 .chart").focus());
  await browser.keys("\uE014", "\uE014");
  await browser.frames();
  assert.ok((await legend()).every((value) => value !== ""));
  await browser.keys("+");
  await browser.frames();
  const zoomed = await range();
  assert.ok(zoomed[1] - zoomed[0] < (whole[1] - whole[0]) * 0.6);
  await browser.keys("\uE00C");
  await browser.frames();
  assert.deepEqual(await range(), whole);
});

test("the unit of time switches and keeps the zoom", async () => {
  const whole = await range();
  await drag(await area(), 0.25, 0.5);
  const zoomed = await range();
  const factor = await browser.run(() => {
    document.querySelectorAll("#unit button")[1].click();
    return document.querySelector("#plot-series-1 .chart").chart.plot.x.other.per;
  });
  await browser.frames();
  (await range()).forEach((end, i) => assert.ok(Math.abs(end / (zoomed[i] * factor) - 1) < 1e-6));
  await browser.run(() => {
    document.querySelectorAll("#unit button")[0].click();
    document.querySelector("#plot-series-1 .reset").click();
  });
  await browser.frames();
  assert.deepEqual(await range(), whole);
});

test("the theme switches", async () => {
  const paper = () => browser.run(() => getComputedStyle(document.body).backgroundColor);
  const light = await paper();
  await browser.run(() => document.getElementById("theme").click());
  const dark = await paper();
  assert.notEqual(dark, light);
  await browser.run(() => document.getElementById("theme").click());
  assert.equal(await paper(), light);
  await browser.run(() => {
    delete document.documentElement.dataset.theme;
    localStorage.clear();
  });
  await browser.scheme("dark");
  assert.equal(await paper(), dark);
  await browser.scheme("light");
});

test("tables sort by what a column holds", async () => {
  const column = (head) =>
    browser.run((name) => {
      const table = document.querySelector("#table-flows");
      const heads = [...table.querySelectorAll("thead th")];
      const index = heads.findIndex((h) => h.dataset.head.startsWith(name));
      heads[index].querySelector("button").click();
      const cells = [...table.querySelectorAll("tbody tr")].map((row) => row.cells[index]);
      return cells.map((cell) => cell.dataset.v ?? cell.textContent.replaceAll(",", ""));
    }, head);
  const down = (await column("offered")).map(Number);
  assert.deepEqual(
    down,
    down.toSorted((a, b) => b - a),
  );
  const up = (await column("offered")).map(Number);
  assert.deepEqual(
    up,
    up.toSorted((a, b) => a - b),
  );
  assert.notDeepEqual(up, down);
  const names = await column("flow");
  assert.deepEqual(
    names,
    names.toSorted((a, b) => a.localeCompare(b, "en", { numeric: true })),
  );
});

test("CSV links hold the data", async () => {
  // A click would save a file; the listener alone fills the link.
  const csv = (selector) =>
    browser.run(async (at) => {
      const link = document.querySelector(at);
      link.addEventListener("click", (event) => event.preventDefault(), { once: true });
      link.click();
      // The page's own policy keeps even scripts from fetching, so the blob is caught on its way.
      return { name: link.download, href: link.href, text: await window.lastBlob.text() };
    }, selector);
  await browser.run(() => {
    const create = URL.createObjectURL;
    URL.createObjectURL = (blob) => {
      window.lastBlob = blob;
      return create(blob);
    };
  });
  const table = await csv("#table-flows .csv");
  assert.equal(table.name, "flows.csv");
  assert.ok(table.href.startsWith("blob:"));
  assert.match(table.text, /^flow,path,throughput_mbps/);
  assert.match(table.text, /\n<\/script><b>,/);
  assert.match(table.text, /\n"bursty, first",/);
  const plot = await csv(`${SERIES} .csv`);
  assert.match(plot.text, /^Time \[cells\],"bursty, first \[fraction of the link\]"/);
  assert.ok(plot.text.split("\n").length > 100);
});

test("a hostile name stays text", async () => {
  const found = await browser.run(() => ({
    bold: document.querySelectorAll("#table-flows b, .legend b, main b").length,
    shown: document.querySelector("#table-flows").textContent.includes("</script><b>"),
    legend: document.querySelector("#plot-series-1 .legend").textContent.includes("</script><b>"),
  }));
  assert.deepEqual(found, { bold: 0, shown: true, legend: true });
});

test("a plot behind a fold takes its width when it shows", async () => {
  await browser.run(() => {
    for (const fold of document.querySelectorAll(".fold")) fold.open = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 200));
  const narrow = await browser.run(
    () =>
      [...document.querySelectorAll(".fold .chart")].filter(
        ({ chart, clientWidth }) => Math.abs(chart.u.width - clientWidth) > 1,
      ).length,
  );
  assert.equal(narrow, 0);
});

test("nothing scrolls sideways at 400 pixels", async () => {
  await browser.width(400, 800);
  await browser.frames();
  await new Promise((resolve) => setTimeout(resolve, 200));
  const { page, seen, wide } = await browser.run(() => ({
    page: document.documentElement.scrollWidth,
    seen: document.documentElement.clientWidth,
    wide: [...document.querySelectorAll(".chart")].filter((c) => c.scrollWidth > c.clientWidth + 1)
      .length,
  }));
  assert.ok(page <= seen, `the page is ${page} px wide in ${seen}`);
  assert.equal(wide, 0);
  await browser.width(1400, 1000);
});

test("headings, contents and names fit together", async () => {
  const lost = await browser.run(() => ({
    links: [...document.querySelectorAll("a[href^='#']")].filter(
      (a) => !document.getElementById(a.hash.slice(1)),
    ).length,
    twice: [...document.querySelectorAll("[id]")]
      .map((e) => e.id)
      .filter((id, i, ids) => ids.indexOf(id) !== i),
    mute: [...document.querySelectorAll("button, a")].filter(
      (e) => !(e.textContent.trim() || e.ariaLabel),
    ).length,
  }));
  assert.deepEqual(lost, { links: 0, twice: [], mute: 0 });
});

test("nothing was loaded or complained about all along", async () => {
  const outside = (await requests()).filter(
    (address) => !/^(data|blob):/.test(address) && address !== url,
  );
  assert.deepEqual(outside, []);
  assert.deepEqual(await browser.log("browser"), []);
});

test(
  "odd data makes odd plots, not errors",
  { skip: process.env.REPORT && "the sample alone has them" },
  async () => {
    await browser.open(new URL("odd.html", url).href);
    await browser.frames();
    const drawn = await browser.run(
      () => [...document.querySelectorAll(".chart")].filter((c) => c.chart?.u).length,
    );
    assert.equal(drawn, 64);
    const zoomed = await browser.run(
      () => [...document.querySelectorAll(".reset")].filter((b) => !b.hidden).length,
    );
    assert.equal(zoomed, 0, "nobody has zoomed yet");
    const { left, top } = await browser.into(".chart .u-over", 20);
    await browser.mouse(["move", left + 50, top + 50], ["move", left + 90, top + 60]);
    await browser.run(() => document.getElementById("theme").click());
    assert.deepEqual(await browser.log("browser"), []);
    await browser.run(() => localStorage.clear());
    await browser.open(url);
  },
);

test("pictures", { skip: !pictures && "set PICTURES=DIR to keep screenshots" }, async () => {
  mkdirSync(pictures, { recursive: true });
  for (const [name, scheme, width] of [
    ["light", "light", 1400],
    ["dark", "dark", 1400],
    ["narrow", "light", 400],
  ]) {
    await browser.scheme(scheme);
    await browser.width(width, 1000);
    await browser.run(() => scrollTo({ top: 0, behavior: "instant" }));
    await new Promise((resolve) => setTimeout(resolve, 300));
    await browser.picture(join(pictures, `${name}.png`));
  }
});
