// Stops and queues over time, and the one time of all drawings, in a real browser.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { Browser, reportOf } from "./driver.mjs";

const folder = mkdtempSync(join(tmpdir(), "report-time-"));
const pictures = process.env.PICTURES;
let browser;
let url;

before(async () => {
  url = reportOf("ethernet/backwater.toml", join(folder, "run"));
  browser = await Browser.start();
  await browser.open(url);
});

after(async () => {
  await browser?.stop();
  rmSync(folder, { recursive: true, force: true });
});

// What each drawing shows of the time, as shares of the run.
const times = () =>
  browser.run(() => {
    const { clock } = document.querySelector("figure.map").map;
    const last = clock.ends[clock.count - 1];
    const charts = [...document.querySelectorAll(".chart")].filter((box) => box.chart.clock);
    return {
      bin: clock.bin,
      count: clock.count,
      end: clock.ends[clock.bin] / last,
      slider: Number(document.querySelector("figure.map input").value),
      strips: [...document.querySelectorAll(".strip-cells .now")].map((now) => {
        const { left, right } = now.getBoundingClientRect();
        const cells = now.parentElement.getBoundingClientRect();
        return [left - cells.left, right - cells.left].map((edge) => edge / cells.width);
      }),
      // Time before the first and after the last value of a chart is not on it.
      charts: charts.map(({ chart }) => {
        if (chart.now.hidden) return null;
        const at = chart.u.posToVal(parseFloat(chart.now.style.left), "x");
        return (at * chart.plot.x.steps * clock.scale) / chart.scale / last;
      }),
      texts: [...document.querySelectorAll(".strip .map-text")].map((text) => text.textContent),
    };
  });

const agree = async () => {
  const shown = await times();
  assert.equal(shown.slider, shown.bin);
  assert.equal(shown.strips.length, 2);
  assert.ok(shown.charts.length > 0, "there are charts over time");
  for (const [, right] of shown.strips)
    assert.ok(Math.abs(right - shown.end) < 0.005, `strip at ${right}, time ${shown.end}`);
  for (const at of shown.charts)
    assert.ok(at === null || Math.abs(at - shown.end) < 0.01, `chart at ${at}, time ${shown.end}`);
  return shown;
};

const click = async (selector, index, across, down) => {
  const { left, top, width, height } = await browser.into(selector, index);
  const at = [left + width * across, top + height * down];
  await browser.mouse(["move", ...at], ["down"], ["up"]);
};

test("stops and queues have rows, names and colours", async () => {
  const drawn = await browser.run(() =>
    [...document.querySelectorAll("figure.strip")].map((figure) => {
      const canvas = figure.querySelector("canvas");
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      let coloured = 0;
      for (let i = 0; i < data.length; i += 4)
        coloured += Math.max(...data.slice(i, i + 3)) - Math.min(...data.slice(i, i + 3)) > 40;
      const { strip } = figure;
      const names = [...figure.querySelectorAll(".strip-names div")].map((row) => row.textContent);
      return { coloured, names, rows: strip.rows.length, share: coloured / canvas.width / canvas.height };
    }),
  );
  assert.equal(drawn.length, 2);
  for (const { coloured, names, rows } of drawn) {
    assert.ok(coloured > 500, `${coloured} pixels`);
    assert.ok(names.length === rows && names.every((name) => / → /.test(name)));
  }
  // The backwater rises: who is nearer to the slow host is stopped before.
  const [stops] = drawn;
  const order = ["C → D", "B → C", "A → B", "sender → A"].map((name) => stops.names.indexOf(name));
  assert.ok(order.every((at, i) => at >= 0 && (i === 0 || at > order[i - 1])), `${stops.names}`);
});

test("a click in stops, queues or a chart moves the time of all", async () => {
  const seen = [];
  const chart = await browser.run(() =>
    [...document.querySelectorAll(".chart")].findIndex((box) => box.chart.clock),
  );
  for (const [selector, index, across] of [
    [".strip-cells", 0, 0.3],
    [".strip-cells", 1, 0.6],
    [".chart .u-over", chart, 0.8],
  ]) {
    await click(selector, index, across, 0.4);
    const { charts, end } = await agree();
    assert.ok(charts[0] !== null, "the chart shows it");
    assert.ok(Math.abs(end - across) < 0.03, `${selector}: ${end} for ${across}`);
    seen.push(end);
  }
  assert.equal(new Set(seen).size, 3);
});

test("the slider of the map moves all", async () => {
  for (const bin of [0, 20]) {
    await browser.run((to) => {
      const slider = document.querySelector("figure.map input");
      slider.value = to;
      slider.dispatchEvent(new Event("input"));
    }, bin);
    assert.equal((await agree()).bin, bin);
  }
});

test("a row under the mouse tells who was stopped, by whom and how long", async () => {
  const { left, top, width } = await browser.into(".strip-cells");
  await browser.mouse(["move", left + width * 0.9, top + 8]);
  const { texts, bin } = await times();
  assert.match(texts[0], / → .* at .* us: stopped by .*, where .* → .* holds [\d.,]+ kB/);
  assert.match(texts[0], /% of this bin, .* in all from .* to .*/);
  const second = await browser.into(".strip-cells", 1);
  await browser.mouse(["move", second.left + second.width * 0.9, second.top + 8]);
  const after = await times();
  assert.match(after.texts[1], / → .* at .* us: [\d.,]+ kB/);
  assert.equal(after.bin, bin, "pointing does not move the time");
});

test("keys choose ports and move the time", async () => {
  const LEFT = "\uE012";
  const UP = "\uE013";
  const DOWN = "\uE015";
  const focus = (selector, nth) =>
    browser.run((wanted, at) => document.querySelectorAll(wanted)[at].focus(), selector, nth);
  const { bin } = await times();
  await focus(".strip-sheet", 1);
  await browser.keys(DOWN);
  const [, first] = (await times()).texts;
  await browser.keys(DOWN);
  const [, next] = (await times()).texts;
  assert.notEqual(next, first);
  await browser.keys(UP, LEFT);
  const moved = await agree();
  assert.equal(moved.bin, bin - 1);
  assert.notEqual(moved.texts[1], first);
  // In a chart, Enter takes the place that was read.
  const chart = await browser.run(() => {
    const boxes = [...document.querySelectorAll(".chart")];
    return boxes.findIndex(({ chart }) => chart.clock);
  });
  await focus(".chart", chart);
  await browser.keys(LEFT, "\uE007");
  assert.notEqual((await agree()).bin, moved.bin);
});

test("what is drawn can be had as CSV", async () => {
  const tables = await browser.run(() =>
    [...document.querySelectorAll("figure.strip")].map(({ strip }) => strip.table()),
  );
  const { count } = await times();
  for (const table of tables) {
    assert.equal(table.length, count + 1);
    assert.ok(table.every((row) => row.length === table[0].length));
    assert.ok(table.slice(1).some((row) => row.slice(1).some((value) => value > 0)));
  }
});

test("axes show names, all of them where there is room", async () => {
  const named = () =>
    browser.run(() =>
      [...document.querySelectorAll(".chart")]
        .map((box) => box.chart)
        .filter((chart) => chart.plot.x.names)
        .map(({ plot, u }) => ({
          id: plot.id,
          names: plot.x.names,
          shown: u.axes[0]._values.filter((text) => text !== ""),
          angle: u.axes[0]._rotate,
        })),
    );
  const wide = await named();
  const stopped = wide.find(({ id }) => id === "plot-stopped");
  assert.ok(stopped, `${wide.map(({ id }) => id)}`);
  assert.ok(stopped.names.length > 2 && stopped.names.every((name) => / → /.test(name)));
  assert.equal(stopped.shown.length, stopped.names.length);
  stopped.shown.forEach((text, i) =>
    assert.ok(stopped.names[i].startsWith(text.replace("…", "")), text),
  );
  // Under the cursor the whole name.
  const { left, top, width, height } = await browser.into("#plot-stopped .u-over");
  await browser.mouse(["move", left + width * 0.02, top + height / 2]);
  const read = await browser.run(
    () => document.querySelector("#plot-stopped .chart").chart.position.textContent,
  );
  assert.equal(read, stopped.names[0]);
  await browser.mouse(["move", 2, 2]);
});

test("it fits wide and narrow pages, light and dark", async () => {
  const inks = new Set();
  for (const scheme of ["light", "dark"])
    for (const width of [1400, 400]) {
      await browser.scheme(scheme);
      await browser.width(width);
      await browser.open(url);
      const shown = await browser.run(() => {
        const { scrollWidth, clientWidth } = document.documentElement;
        const strips = [...document.querySelectorAll(".strip-sheet")];
        const canvas = document.querySelector(".strip canvas");
        const [x, y] = [canvas.width - 2, canvas.height / 2];
        const context = canvas.getContext("2d");
        return {
          fits: scrollWidth <= clientWidth,
          inside: strips.every((one) => one.getBoundingClientRect().right <= clientWidth),
          room: canvas.getBoundingClientRect().width,
          ink: [...context.getImageData(x, y, 1, 1).data].join(),
          axis: [...document.querySelectorAll(".strip-axis")].map((axis) => {
            const edges = [...axis.children].map((mark) => mark.getBoundingClientRect());
            return edges.every((mark, i) => !i || mark.left > edges[i - 1].right);
          }),
        };
      });
      assert.ok(shown.fits && shown.inside && shown.room > 180, `${width} ${scheme}`);
      assert.deepEqual(shown.axis, [true, true], "labels of the axis stay apart");
      inks.add(shown.ink);
      await agree();
      if (pictures) await browser.picture(join(pictures, `time-${width}-${scheme}.png`));
    }
  assert.ok(inks.size > 1, "colours follow the theme");
});

test("nothing was loaded or complained about", async () => {
  const asked = (await browser.requests()).filter((address) => !address.startsWith("data:"));
  assert.deepEqual([...new Set(asked)], [url]);
  assert.deepEqual(await browser.log("browser"), []);
});

test("the switch of units changes all that has time in it", async () => {
  const units = () =>
    browser.run(() => [
      document.querySelector("figure.map").map.clock.shownUnit,
      document.querySelector("figure.map output").textContent.split(" ").at(-1),
      ...[...document.querySelectorAll(".strip-axis")].map(
        (axis) => axis.lastElementChild.textContent.split(" ").at(-1),
      ),
      ...[...document.querySelectorAll(".chart")]
        .filter(({ chart }) => chart.plot.x.other)
        .map(({ chart }) => chart.unit),
    ]);
  const press = (index) =>
    browser.run((at) => {
      const button = document.querySelectorAll("#unit button")[at];
      button.click();
      return button.textContent;
    }, index);
  assert.deepEqual([...new Set(await units())], ["us"], "as it opens");
  for (const [index, unit] of [
    [1, "ms"],
    [0, "us"],
  ]) {
    assert.equal(await press(index), unit);
    const all = await units();
    assert.ok(all.length > 5, `${all}`);
    assert.deepEqual([...new Set(all)], [unit]);
  }
});
