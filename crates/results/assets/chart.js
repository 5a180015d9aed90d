// Charts: uPlot with a legend, a keyboard, intervals and marks around it.
const Chart = (() => {
  "use strict";
  const {
    areWhole, color, cut, fade, hue, isAgain, make, offer, places, rounded, shown, steps, ticks, title,
  } = common;
  const dashOf = (curve, i) => (isAgain(i) ? [2, 3] : curve.dashed ? [6, 4] : undefined);

  // One table of all positions; a position a curve has several times (a step up and down at one
  // instant) keeps its place as often as the curve that has it most.
  const align = (plot, scale) => {
    const counts = new Map();
    for (const { x } of plot.curves) {
      const own = new Map();
      for (const at of plot.xs[x]) own.set(at, (own.get(at) ?? 0) + 1);
      for (const [at, count] of own) counts.set(at, Math.max(count, counts.get(at) ?? 0));
    }
    const positions = [];
    const start = new Map();
    for (const at of [...counts.keys()].sort((a, b) => a - b)) {
      start.set(at, positions.length);
      for (let i = counts.get(at); i > 0; i--) positions.push(at);
    }
    const spread = (x, values, style) => {
      const row = new Array(positions.length);
      // Bars are as wide as the gaps between values allow: a curve of one bar has to know the rest.
      if (style === "bars") row.fill(null);
      let last = null;
      let nth = 0;
      plot.xs[x].forEach((at, i) => {
        nth = at === last ? nth + 1 : 0;
        last = at;
        row[start.get(at) + nth] = values[i];
      });
      return row;
    };
    return {
      data: [positions.map((at) => at * scale), ...plot.curves.map((c) => spread(c.x, c.y, c.style))],
      low: plot.curves.map((c) => c.low && spread(c.x, c.low)),
      high: plot.curves.map((c) => c.high && spread(c.x, c.high)),
      until: plot.curves.map((c) => c.until && spread(c.x, c.until)),
    };
  };

  // The point of a curve that counts at a position: a step's value holds from the left, others
  // take their nearest point.
  const pointAt = (values, xs, index, at, step) => {
    let left = index;
    while (left >= 0 && (values[left] == null || xs[left] > at)) left--;
    if (step) return left >= 0 ? left : null;
    let right = index;
    while (right < values.length && (values[right] == null || xs[right] < at)) right++;
    if (left < 0) return right < values.length ? right : null;
    if (right >= values.length) return left;
    return at - xs[left] <= xs[right] - at ? left : right;
  };

  // Between two arrows at the edge of a band, px.
  const BETWEEN_ARROWS = 40;
  // Letters that are shown of a long name that is slanted.
  const LETTERS = 20;
  // Of names that have room for so many letters, none is slanted.
  const LEVEL = 22;

  class Chart {
    constructor(plot, figure, clock) {
      this.plot = plot;
      // Of the run, where this is a chart over time.
      this.clock = plot.x.steps ? clock : null;
      this.now = make("div", { class: "now" });
      this.clock?.follow(() => this.showNow());
      this.box = figure.querySelector(".chart");
      this.legend = figure.querySelector(".legend");
      this.resetButton = figure.querySelector(".reset");
      this.hidden = new Set();
      this.other = false;
      this.build();
      this.resetButton.addEventListener("click", () => this.reset());
      this.box.addEventListener("keydown", (event) => this.key(event));
      const link = figure.querySelector(".csv");
      offer(link, () => this.rows());
      Save.menu(link.parentElement, link.download.replace(/\.csv$/, ""), (w, h) => this.picture(w, h));
      new ResizeObserver(() => this.resize()).observe(this.box);
    }

    get scale() {
      return this.other && this.plot.x.other ? this.plot.x.other.per : 1;
    }
    get unit() {
      return this.other && this.plot.x.other ? this.plot.x.other.unit : this.plot.x.unit;
    }
    size() {
      const width = Math.max(200, Math.floor(this.box.clientWidth));
      return { width, height: Math.round(Math.min(340, Math.max(260, width * 0.42))) };
    }

    // What stands at a place of an axis of names.
    nameAt(at) {
      return this.plot.x.names?.[Math.round(at) - 1];
    }
    // Names that have no room side by side are slanted, cut, and as many as there is room for.
    slanted() {
      const { names } = this.plot.x;
      const whole = names.reduce((most, name) => Math.max(most, name.length), 0);
      const longest = Math.min(LETTERS, whole);
      const isSeen = (u, at) => at >= u.scales.x.min && at <= u.scales.x.max;
      const room = (u) => {
        const seen = this.plot.x.at.filter((at) => isSeen(u, at)).length;
        return (u.width - 80) / Math.max(1, seen);
      };
      const angle = (u) => (Math.min(whole, LEVEL) * 7 + 10 > room(u) ? 45 : 0);
      const every = (u) => (angle(u) ? Math.ceil(18 / room(u)) : 1);
      const fitting = (u, name) => cut(name, angle(u) ? LETTERS : Math.floor((room(u) - 10) / 7));
      return {
        rotate: angle,
        size: (u) => (angle(u) ? 16 + longest * 5.2 : 28),
        filter: (u, places) =>
          places.map((at, i) => (i % every(u) || !isSeen(u, at) ? null : at)),
        values: (u, places) => places.map((at) => (at == null ? "" : fitting(u, this.nameAt(at) ?? ""))),
      };
    }

    build() {
      this.u?.destroy();
      this.table = align(this.plot, this.scale);
      this.u = new uPlot(this.options(), this.table.data, this.box);
      this.writeLegend();
      if (this.clock) this.followClock();
    }

    options() {
      const { x, y, curves } = this.plot;
      const font = `12px ${getComputedStyle(document.body).fontFamily}`;
      const axis = (of, unit, rows) => ({
        stroke: color("--soft"),
        font,
        labelFont: font,
        labelSize: 20,
        labelGap: 0,
        gap: 5,
        label: title(of.label, unit),
        values: ticks(of.log || of.at),
        splits: of.at ? () => of.at : places(of.log),
        ...(of.log ? {} : { incrs: steps(areWhole(rows)) }),
        grid: { stroke: color("--grid"), width: 1 },
        // uPlot would leave out all but decades.
        filter: (u, values) => values,
        ticks: { show: false },
      });
      const distribution = (of) => (of.log ? { distr: 3, log: 10 } : {});
      return {
        ...this.size(),
        legend: { show: false },
        padding: [10, 16, 0, 0],
        cursor: {
          y: false,
          drag: { x: true, y: false },
          points: { size: 8, width: 2, fill: () => color("--paper") },
          dataIdx: (u, s, index) => {
            if (s === 0) return index;
            const at = u.posToVal(u.cursor.left, "x");
            return pointAt(u.data[s], u.data[0], index, at, curves[s - 1].style === "step");
          },
        },
        scales: {
          x: { time: false, ...distribution(x), range: (u, low, high) => this.rangeX(low, high) },
          y: { ...distribution(y), range: (u, low, high) => this.rangeY(low, high) },
        },
        axes: [
          {
            ...axis(x, this.unit, this.table.data.slice(0, 1)),
            grid: { show: false },
            ticks: { stroke: color("--faint"), width: 1, size: 5 },
            border: { show: true, stroke: color("--faint"), width: 1 },
            size: 28,
            space: 70,
            ...(x.names ? this.slanted() : {}),
          },
          {
            ...axis(y, y.unit, this.table.data.slice(1)),
            space: 36,
            size: (u, values) => 14 + 7.2 * Math.max(4, ...(values ?? []).map((v) => v.length)),
          },
        ],
        series: [{}, ...curves.map((curve, i) => this.series(curve, i))],
        hooks: {
          drawClear: [(u) => this.drawIntervals(u, false)],
          draw: [
            (u) => {
              this.drawSpans(u);
              this.drawIntervals(u, true);
              this.drawMarks(u);
              if (this.u === u && this.clock) this.showNow();
            },
          ],
          setCursor: [() => this.read()],
          setScale: [
            (u, key) => {
              if (key === "x") this.resetButton.hidden = !this.zoomed();
            },
          ],
        },
      };
    }

    // The chart as it stands, drawn anew for a picture: the same zoom, the curves that are shown.
    picture(width, height) {
      const pen = new Pen();
      const { curves } = this.plot;
      const entries = curves.flatMap((curve, i) =>
        this.hidden.has(i) || curves.length < 2
          ? []
          : [{ name: curve.name, stroke: hue(i), style: curve.style, dash: dashOf(curve, i), hollow: isAgain(i) }],
      );
      const top = Save.legend(pen, entries, width);
      const own = Math.max(140, height - top);
      const drawn = this.drawnWith({ ...this.options(), width, height: own });
      const ratio = 1 / devicePixelRatio;
      const inner = `${pen.inner}<g transform="translate(0 ${top}) scale(${ratio})">${drawn}</g>`;
      return { inner, width, height: own + top };
    }
    drawnWith(options) {
      const pen = new Pen();
      const { min, max } = this.u.scales.x;
      const [canvas, path] = [HTMLCanvasElement.prototype, window.Path2D];
      const { getContext } = canvas;
      const away = make("div");
      try {
        // uPlot draws with what the page gives it.
        canvas.getContext = () => pen;
        window.Path2D = Pen.Path;
        const u = new uPlot(options, this.table.data, away);
        u.batch(() => u.setScale("x", { min, max }));
        const { inner } = pen;
        u.destroy();
        return inner;
      } finally {
        canvas.getContext = getContext;
        window.Path2D = path;
      }
    }

    // A click moves the time of the page; what was dragged is a zoom.
    followClock() {
      const { over } = this.u;
      over.append(this.now);
      let down = null;
      over.addEventListener("mousedown", (event) => {
        down = event.clientX;
      });
      over.addEventListener("click", (event) => {
        if (down !== null && Math.abs(event.clientX - down) < 4) this.setClock();
      });
      this.showNow();
    }
    setClock() {
      const { left } = this.u.cursor;
      if (!this.clock || left == null || left < 0) return;
      const at = this.u.posToVal(left, "x") / this.scale;
      this.clock.move(this.clock.binAt(at * this.plot.x.steps));
    }
    showNow() {
      const { u } = this;
      const own = (steps) => (steps / this.plot.x.steps) * this.scale;
      const [[from, end], { min, max }] = [this.clock.steps.map(own), u.scales.x];
      // A bin that the chart shows in part is at its edge.
      this.now.hidden = !(end >= min && from <= max);
      this.now.style.left = `${u.valToPos(Math.min(end, max), "x").toFixed(1)}px`;
    }

    series(curve, i) {
      const stroke = hue(i);
      const bars = curve.style === "bars";
      // Spans are drawn as intervals are.
      const spans = curve.style === "spans";
      const points = curve.style === "points" || spans;
      const again = isAgain(i);
      const dots = {
        stroke,
        fill: again ? color("--paper") : stroke,
        width: again ? 1.5 : points ? 0 : undefined,
      };
      return {
        label: curve.name,
        show: !this.hidden.has(i),
        stroke: points ? undefined : stroke,
        width: points || (bars && !again) ? 0 : 1.75,
        dash: bars ? undefined : dashOf(curve, i),
        fill: bars ? fade(stroke, again ? 0.2 : 0.85) : undefined,
        spanGaps: true,
        paths: points
          ? () => null
          : bars
            ? uPlot.paths.bars({ size: [0.7, 60] })
            : curve.style === "step"
              ? uPlot.paths.stepped({ align: 1 })
              : uPlot.paths.linear(),
        points: points
          ? { show: !spans, size: 7, ...dots }
          : {
              show:
                !bars &&
                (curve.y.length < 2 ||
                  (curve.style === "line" && !curve.dashed && curve.y.length < 40)),
              size: 5,
              ...dots,
            },
      };
    }

    extent() {
      const xs = this.table.data[0];
      const { min, max, log } = this.plot.x;
      let low = min != null ? min * this.scale : (xs[0] ?? 0);
      let high = max != null ? max * this.scale : (xs[xs.length - 1] ?? 1);
      if (max == null)
        for (const { until = [] } of this.plot.curves)
          for (const end of until) high = Math.max(high, end * this.scale);
      for (const mark of this.plot.marks)
        if (mark.vertical) {
          const at = mark.at * this.scale;
          if (min == null) low = Math.min(low, at);
          if (max == null) high = Math.max(high, at);
        }
      const stands = ["bars", "points", "spans"];
      const loose = this.plot.curves.some((c) => stands.includes(c.style));
      if (log && !(low > 0)) return [1, 10];
      if (log) return loose || high <= low ? [low / 1.15, high * 1.15] : [low, high];
      if (loose) {
        const bars = this.plot.curves.some((c) => c.style === "bars");
        const gap = xs.reduce(
          (least, v, i) => (i && v > xs[i - 1] ? Math.min(least, v - xs[i - 1]) : least),
          Infinity,
        );
        const room = bars && Number.isFinite(gap) ? gap / 2 : (high - low) * 0.03;
        if (min == null) low -= room;
        if (max == null) high += room;
      }
      // What lies on one spot gets room on both sides.
      const least = Math.max(Math.abs(low), Math.abs(high)) * 1e-9;
      const side = Math.abs(low) * 0.1 || 0.5;
      return high - low > least ? [low, high] : [low - side, high + side];
    }

    rangeX(low, high) {
      const data = this.table.data[0];
      const whole = this.extent();
      // uPlot asks with the ends of the data when it means everything, and with ends of its own
      // when all data lies on one spot.
      const [first, last] = [data[0], data[data.length - 1]];
      if (low == null || !(high > low) || (low === first && high === last)) return whole;
      if (!(last - first > Math.abs(last) * 1e-9)) return whole;
      return [low, high];
    }

    rangeY(low, high) {
      const { min, max, log } = this.plot.y;
      if (low == null || !Number.isFinite(low)) [low, high] = [log ? 1 : 0, log ? 10 : 1];
      // Intervals do not count: one that few runs give may be many times the values.
      for (const mark of this.plot.marks)
        if (!mark.vertical && (!log || mark.at > 0)) {
          low = Math.min(low, mark.at);
          high = Math.max(high, mark.at);
        }
      if (log) {
        // A bar needs something to stand on.
        if (this.plot.curves.some((c) => c.style === "bars")) low /= 2;
        low = min > 0 ? min : rounded(low, [5, 2, 1], (lead, own) => lead <= own * (1 + 1e-9));
        high =
          max > 0 ? max : rounded(high, [1, 2, 5, 10], (lead, own) => lead >= own * (1 - 1e-9));
        return [low, high > low ? high : low * 10];
      }
      if (this.plot.curves.some((c) => c.style === "bars"))
        [low, high] = [Math.min(0, low), Math.max(0, high)];
      if (low > 0 && low < 0.6 * high) low = 0;
      if (min != null) low = Math.min(low, min);
      const room = (high - low) * 0.06 || Math.abs(high) * 0.1 || 1;
      const floor = low === 0 ? 0 : low - room;
      return [min ?? floor, Math.max(max ?? high + room, (min ?? floor) + 1e-12)];
    }

    zoomed() {
      const { min, max } = this.u?.scales.x ?? {};
      const [low, high] = this.extent();
      const slack = (high - low) * 1e-9;
      return min != null && (Math.abs(min - low) > slack || Math.abs(max - high) > slack);
    }

    reset() {
      const [min, max] = this.extent();
      this.u.setScale("x", { min, max });
    }

    // As high as there is room for between one whole value and the next.
    drawSpans(u) {
      const { ctx } = u;
      const room = Math.abs(u.valToPos(0, "y", true) - u.valToPos(1, "y", true));
      const height = Math.min(16 * devicePixelRatio, Math.max(1, room * 0.7));
      ctx.save();
      ctx.beginPath();
      ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
      ctx.clip();
      this.plot.curves.forEach((curve, c) => {
        if (!curve.until || this.hidden.has(c)) return;
        ctx.fillStyle = hue(c);
        this.table.until[c].forEach((until, i) => {
          const y = u.data[c + 1][i];
          if (until == null || y == null) return;
          const from = u.valToPos(u.data[0][i], "x", true);
          const wide = u.valToPos(until * this.scale, "x", true) - from;
          ctx.fillRect(from, u.valToPos(y, "y", true) - height / 2, Math.max(wide, 1), height);
        });
      });
      ctx.restore();
    }

    drawIntervals(u, whiskers) {
      const { ctx } = u;
      const ratio = devicePixelRatio;
      const { min, max } = u.scales.y;
      const inside = (value) => Math.min(max, Math.max(min, value));
      ctx.save();
      ctx.beginPath();
      ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
      ctx.clip();
      this.plot.curves.forEach((curve, c) => {
        const stands = curve.style === "bars" || curve.style === "points";
        if (!curve.low || this.hidden.has(c) || stands !== whiskers) return;
        const ends = [];
        this.table.low[c].forEach((low, i) => {
          const high = this.table.high[c][i];
          if (low == null || high == null) return;
          ends.push([
            u.valToPos(u.data[0][i], "x", true),
            u.valToPos(inside(low), "y", true),
            u.valToPos(inside(high), "y", true),
            // What goes on beyond the axis has no end here.
            [low < min, high > max],
          ]);
        });
        ctx.beginPath();
        if (!whiskers) {
          ends.forEach(([x, low], i) => (i ? ctx.lineTo(x, low) : ctx.moveTo(x, low)));
          for (const [x, , high] of [...ends].reverse()) ctx.lineTo(x, high);
          ctx.fillStyle = fade(hue(c), 0.16);
          ctx.fill();
          ctx.beginPath();
        }
        ctx.strokeStyle = hue(c);
        ctx.lineWidth = 1.25 * ratio;
        let last = -Infinity;
        for (const [x, low, high, cut] of ends) {
          if (whiskers) {
            ctx.moveTo(x, low);
            ctx.lineTo(x, high);
          } else if (!cut.includes(true) || x - last < BETWEEN_ARROWS * ratio) continue;
          last = x;
          [low, high].forEach((y, end) => {
            const rise = cut[end] ? (end ? -7 : 7) * ratio : 0;
            if (!whiskers && !cut[end]) return;
            ctx.moveTo(x - 4 * ratio, y - rise);
            ctx.lineTo(x, y);
            ctx.lineTo(x + 4 * ratio, y - rise);
          });
        }
        ctx.stroke();
      });
      ctx.restore();
    }

    // Where curves are, a point every few pixels along them.
    inked(u) {
      const step = 6 * devicePixelRatio;
      const points = [];
      this.plot.curves.forEach((curve, c) => {
        if (this.hidden.has(c)) return;
        let last = null;
        u.data[c + 1].forEach((value, i) => {
          if (value == null) return;
          const next = [u.valToPos(u.data[0][i], "x", true), u.valToPos(value, "y", true)];
          const [dx, dy] = last ? [next[0] - last[0], next[1] - last[1]] : [0, 0];
          const isJoined = last && (curve.style === "line" || curve.style === "step");
          const count = isJoined ? Math.min(400, Math.ceil(Math.max(Math.abs(dx), Math.abs(dy)) / step)) : 1;
          for (let k = 1; k <= count; k++)
            points.push([next[0] - dx * (1 - k / count), next[1] - dy * (1 - k / count)]);
          last = next;
        });
      });
      return points;
    }

    drawMarks(u) {
      const { ctx, bbox } = u;
      const ratio = devicePixelRatio;
      ctx.save();
      ctx.strokeStyle = color("--faint");
      ctx.fillStyle = color("--soft");
      ctx.font = `${12 * ratio}px ${getComputedStyle(document.body).fontFamily}`;
      ctx.lineWidth = ratio;
      // Of several places the first where nothing is written yet.
      const taken = [];
      const inked = this.plot.marks.length ? this.inked(u) : [];
      const write = (label, places, end) => {
        ctx.textAlign = end ? "right" : "left";
        const width = ctx.measureText(label).width;
        const rects = places.map(([x, y]) => ({
          l: x - (end ? width : 0),
          r: x + (end ? 0 : width),
          y,
        }));
        const row = 14 * ratio;
        const isFree = ({ l, r, y }) =>
          !taken.some((one) => l < one.r && r > one.l && Math.abs(y - one.y) < row);
        // Of those the one with the least of curves in it.
        const ink = ({ l, r, y }) =>
          inked.reduce((sum, [px, py]) => sum + (px > l && px < r && py > y - row && py < y + 4 * ratio), 0);
        const least = rects
          .map((rect, i) => [isFree(rect) ? ink(rect) : Infinity, i])
          .sort(([a, i], [b, j]) => a - b || i - j)[0];
        const at = Number.isFinite(least[0]) ? least[1] : 0;
        taken.push(rects[at]);
        const [x, y] = places[at];
        // A rim of paper keeps the words legible on top of curves.
        ctx.setLineDash([]);
        ctx.save();
        ctx.strokeStyle = color("--paper");
        ctx.lineWidth = 4 * ratio;
        ctx.lineJoin = "round";
        ctx.strokeText(label, x, y);
        ctx.restore();
        ctx.fillText(label, x, y);
      };
      for (const { vertical, at, label } of this.plot.marks) {
        const value = vertical ? at * this.scale : at;
        const scale = u.scales[vertical ? "x" : "y"];
        if (value < scale.min || value > scale.max) continue;
        const position = u.valToPos(value, vertical ? "x" : "y", true);
        const right = bbox.left + bbox.width;
        ctx.setLineDash([2 * ratio, 3 * ratio]);
        ctx.beginPath();
        ctx.moveTo(vertical ? position : bbox.left, vertical ? bbox.top : position);
        ctx.lineTo(vertical ? position : right, vertical ? bbox.top + bbox.height : position);
        ctx.stroke();
        if (vertical) {
          const before = position + ctx.measureText(label).width + 6 * ratio > right;
          const x = position + (before ? -5 : 5) * ratio;
          const row = (_, i) => [x, bbox.top + (12 + 15 * i) * ratio];
          write(label, Array.from({ length: 12 }, row), before);
        } else {
          const along = [0, 1, 2, 3].map((part) => bbox.left + 6 * ratio + (part * bbox.width) / 4);
          const sides = [position - 5 * ratio, position + 14 * ratio];
          write(label, along.flatMap((x) => sides.map((y) => [x, y])), false);
        }
      }
      ctx.restore();
    }

    writeLegend() {
      const position = make("span");
      position.append(make("span", {}, this.plot.x.label || "x"));
      this.position = make("output");
      position.append(this.position);
      this.values = [];
      const entries = this.plot.curves.map((curve, i) => {
        const button = make("button", {
          type: "button",
          "aria-pressed": String(!this.hidden.has(i)),
        });
        const more = isAgain(i) ? " again" : curve.dashed ? " dashed" : "";
        const kind = `swatch ${curve.style}${more}`;
        button.append(
          make("span", { class: kind, style: `color: var(--c${i % 8})` }),
          make("span", {}, curve.name),
        );
        const value = make("output");
        this.values.push(value);
        button.append(value);
        button.addEventListener("click", () => {
          if (!this.hidden.delete(i)) this.hidden.add(i);
          button.setAttribute("aria-pressed", String(!this.hidden.has(i)));
          this.u.setSeries(i + 1, { show: !this.hidden.has(i) });
        });
        return button;
      });
      this.legend.replaceChildren(...entries, position);
    }

    // The legend shows what is under the cursor.
    read() {
      const { idxs, left } = this.u.cursor;
      const away = left == null || left < 0;
      const at = away ? null : this.u.posToVal(left, "x");
      const place = away ? "" : (this.nameAt(at) ?? `${shown(at)} ${this.unit}`.trim());
      this.position.textContent = place;
      this.values.forEach((output, c) => {
        const i = away || this.hidden.has(c) ? null : idxs[c + 1];
        output.textContent = i == null ? "" : shown(this.u.data[c + 1][i]);
      });
    }

    key(event) {
      const { u } = this;
      const { min, max } = u.scales.x;
      const width = u.over.clientWidth;
      const now = u.cursor.left >= 0 ? u.cursor.left : width / 2;
      const zoom = (factor) => {
        const middle = u.posToVal(now, "x");
        const [low, high] = this.extent();
        u.setScale("x", {
          min: Math.max(low, middle - (middle - min) * factor),
          max: Math.min(high, middle + (max - middle) * factor),
        });
      };
      const move = (by) =>
        u.setCursor({ left: Math.min(width - 1, Math.max(0, now + by)), top: 10 });
      const step = event.shiftKey ? 25 : 4;
      const actions = {
        ArrowLeft: () => move(-step),
        ArrowRight: () => move(step),
        "+": () => zoom(0.5),
        "=": () => zoom(0.5),
        "-": () => zoom(2),
        Escape: () => this.reset(),
        ...(this.clock ? { Enter: () => this.setClock() } : {}),
      };
      if (!actions[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      actions[event.key]();
    }

    resize() {
      const { width, height } = this.size();
      if (width !== this.u.width || height !== this.u.height) this.u.setSize({ width, height });
    }

    rows() {
      const { x, y, curves } = this.plot;
      const { data, low, high, until } = this.table;
      const head = [x.unit ? `${x.label} [${this.unit}]` : x.label];
      curves.forEach((curve, c) => {
        head.push(y.unit ? `${curve.name} [${y.unit}]` : curve.name);
        if (low[c]) head.push(`${curve.name} low`, `${curve.name} high`);
        if (until[c]) head.push(`${curve.name} until`);
      });
      const lines = data[0].map((at, i) => [
        this.nameAt(at) ?? at,
        ...curves.flatMap((_, c) =>
          [data[c + 1], low[c], high[c], until[c]].filter(Boolean).map((column) => column[i]),
        ),
      ]);
      return [head, ...lines];
    }

    // An axis that knows the unit neither as its own nor as its other one stays as it is.
    switchUnit(unit) {
      const { x } = this.plot;
      const isOther = x.other?.unit === unit;
      if (isOther !== this.other && (isOther || x.unit === unit)) this.rebuild(isOther);
    }

    rebuild(other = this.other) {
      const { min, max } = this.u.scales.x;
      const zoomed = this.zoomed();
      const before = this.scale;
      this.other = other;
      const factor = this.scale / before;
      this.build();
      if (zoomed) this.u.setScale("x", { min: min * factor, max: max * factor });
    }
  }

  return Chart;
})();
