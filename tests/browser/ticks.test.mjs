// Ticks of axes, without a browser. `node --test tests/browser/ticks.test.mjs`
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const source = new URL("../../crates/results/assets/common.js", import.meta.url);
const common = new Function("document", `${readFileSync(source, "utf8")}; return common;`)({});

// The step that uPlot takes: the least that leaves room for a label.
const stepFor = (range, most, whole) =>
  common.steps(whole).find((step) => range / step <= most);
const labels = (low, high, most, whole = false) => {
  const at = common.places(false)(null, 0, low, high, stepFor(high - low, most, whole));
  return [at, common.ticks(false)(null, at)];
};

test("labels have the digits of the step", () => {
  for (const high of [0.003, 0.014, 0.26, 0.9, 3.3, 26, 26000]) {
    for (let most = 2; most < 15; most++) {
      const [at, shown] = labels(0, high, most);
      at.forEach((value, i) => {
        const read = Number(shown[i].replaceAll(",", ""));
        assert.ok(Math.abs(read - value) < 1e-9 * high, `${value} as ${shown[i]}`);
      });
    }
  }
  // Steps of 0.025, were there such.
  assert.deepEqual(common.ticks(false)(null, [0, 0.025, 0.05]), ["0.000", "0.025", "0.050"]);
  assert.deepEqual(common.ticks(false)(null, [0, 0.001]), ["0.000", "0.001"]);
});

test("a piece of a decade has ticks too", () => {
  const places = (low, high) => common.places(true)(null, 0, low, high, null);
  assert.deepEqual(places(1, 1000), [1, 10, 100, 1000]);
  assert.deepEqual(places(4, 60), [5, 10, 20, 50]);
  for (const [low, high] of [
    [560, 820],
    [2.1, 2.4],
    [0.0052, 0.0091],
  ]) {
    const at = places(low, high);
    assert.ok(at.length > 1 && at.length < 8, `${low} to ${high}: ${at}`);
    assert.ok(at.every((value) => value > low * 0.999 && value < high * 1.001));
    const shown = common.ticks(true)(null, at);
    shown.forEach((text, i) => assert.ok(Math.abs(Number(text) - at[i]) < 1e-3 * high, text));
  }
});

test("whole numbers have whole ticks", () => {
  assert.deepEqual(labels(2, 4, 10, true)[1], ["2", "3", "4"]);
  assert.ok(labels(2, 4, 10)[1].length > 3);
  assert.ok(common.areWhole([[2, 4, null]]));
  assert.ok(!common.areWhole([[2, 4.5]]) && !common.areWhole([[null]]));
});

test("small values keep their digits", () => {
  assert.deepEqual(common.ticks(true)(null, [0.001, 0.0001, 0.00001]), ["0.001", "0.0001", "0.00001"]);
  assert.equal(common.shown(0.00001234), "0.00001234");
});

test("names are cut in the middle, and one cell is no cells", () => {
  assert.equal(common.cut("the-first-switch-port-7", 11), "the-f…ort-7");
  assert.equal(common.cut("port-7", 6), "port-7");
  const port = "sender-in-the-north-1 → switch-in-the-middle-2";
  assert.equal(common.cut(port, 21), "send…th-1 → swit…le-2");
  assert.deepEqual([common.amount(1, "cells"), common.amount(2, "cells")], ["1 cell", "2 cells"]);
  assert.equal(common.amount(1, "us"), "1 us");
});
