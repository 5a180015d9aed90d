// Ports over time in rows: when each was stopped and by which, how long its queue was.
const Strip = (() => {
  "use strict";
  const { bytes, color, cut, make, offer, places, ramp, rampKey, shown, steps, ticks } = common;
  // From row to row, and what of it is drawn.
  const ROW = 17;
  const BAR = 13;
  const FULL = 200;
  // Between two labels of the axis.
  const SPACE = 80;
  // Of a name beside a row.
  const LETTERS = 28;

  class Strip {
    constructor(data, kind, figure, clock) {
      this.data = data;
      this.kind = kind;
      this.figure = figure;
      this.clock = clock;
      this.rows = data[kind].rows;
      this.stopped = bytes(data.stopped);
      this.queued = bytes(data.queued);
      this.row = null;
      this.sheet = figure.querySelector(".strip-sheet");
      this.text = figure.querySelector(".map-text");
      this.build();
      this.listen();
      const link = figure.querySelector(".csv");
      offer(link, () => this.table());
      Save.menu(link.parentElement, link.download.replace(/\.csv$/, ""), (width) => this.picture(width));
      new ResizeObserver(() => this.paint()).observe(this.cells);
      clock.follow(() => this.show());
      this.repaint();
    }

    get isStops() {
      return this.kind === "stops";
    }
    get colours() {
      const hue = this.isStops ? "stop" : "load";
      return ["--link", `--${hue}-1`, `--${hue}-2`];
    }
    // What both ends of its colours mean.
    get ends() {
      const { most, unit } = this.data.queues;
      return this.isStops ? ["time stopped 0", "100 %"] : ["0", common.amount(most, unit)];
    }
    name(port) {
      const [from, to, number] = this.data.ports[port];
      return `${from} → ${to}${number > 1 ? ` (${number})` : ""}`;
    }
    of(values, port, bin) {
      return values[port * this.clock.count + bin];
    }

    build() {
      const names = make("div", { class: "strip-names" });
      this.names = this.rows.map((port) => {
        const row = make("div", { title: this.name(port) }, cut(this.name(port), LETTERS));
        if (this.data.ports[port][3]) row.className = "stuck";
        return row;
      });
      names.append(...this.names);
      this.cells = make("div", { class: "strip-cells" });
      this.cells.style.height = `${this.rows.length * ROW}px`;
      this.canvas = make("canvas");
      this.now = make("div", { class: "now" });
      this.cells.append(this.canvas, this.now);
      this.axis = make("div", { class: "strip-axis", "aria-hidden": "true" });
      this.sheet.replaceChildren(names, this.cells, make("div"), this.axis);
    }

    // ---- drawing ---------------------------------------------------------------------------
    repaint() {
      this.mix = ramp(this.colours);
      const [low, high] = this.ends;
      const key = make("span", {}, low);
      key.append(rampKey(this.colours), high);
      this.figure.querySelector(".map-key").replaceChildren(key);
      this.paint();
      this.show();
    }

    // As long as it was where a bin beside one of stops alone is stopped in part.
    part(port, bin) {
      const { clock } = this;
      const [from, to] = [clock.from(bin), clock.ends[bin]];
      if (!this.isStops) {
        const level = this.of(this.queued, port, bin) / this.data.queues.parts;
        return [from, to, level];
      }
      const share = this.of(this.stopped, port, bin);
      const isIn = (at) => this.data.exact && at >= 0 && at < clock.count;
      const isFull = (at) => isIn(at) && this.of(this.stopped, port, at) === FULL;
      const length = ((to - from) * share) / FULL;
      const [before, after] = [isFull(bin - 1), isFull(bin + 1)];
      if (share && after && !before) return [to - length, to, 1];
      if (share && before && !after) return [from, from + length, 1];
      return [from, to, share / FULL];
    }

    paint() {
      const { canvas, cells } = this;
      const width = cells.clientWidth;
      if (!width) return;
      const ratio = devicePixelRatio;
      const height = this.rows.length * ROW;
      Object.assign(canvas, { width: width * ratio, height: height * ratio });
      const context = canvas.getContext("2d");
      context.scale(ratio, ratio);
      this.paintOn(context, width, ratio);
      this.writeAxis(width);
    }

    paintOn(context, width, ratio) {
      const { clock } = this;
      // Whole pixels, so that no seams show.
      const last = clock.ends[clock.count - 1];
      const px = (time) => Math.round((time / last) * width * ratio) / ratio;
      this.rows.forEach((port, row) => {
        const y = row * ROW + (ROW - BAR) / 2;
        context.fillStyle = color("--raised");
        context.fillRect(0, y, width, BAR);
        for (let bin = 0; bin < clock.count; bin++) {
          const [from, to, level] = this.part(port, bin);
          if (!level) continue;
          context.fillStyle = this.mix(level);
          context.fillRect(px(from), y, Math.max(px(to) - px(from), 1 / ratio), BAR);
        }
      });
    }

    // Names on the left, a scale of colours above, times below.
    picture(width) {
      const pen = new Pen();
      const high = this.rows.length * ROW;
      pen.font = `${Save.LETTER}px ${Save.FONT}`;
      const wides = this.rows.map((port) => pen.measureText(this.name(port)).width);
      const left = Math.min(Math.ceil(Math.max(...wides)) + 10, width * 0.5);
      const mix = ramp(this.colours);
      Save.scale(pen, mix, this.ends, left, 4);
      pen.fillStyle = color("--ink");
      pen.textAlign = "right";
      this.rows.forEach((port, row) => pen.fillText(this.name(port), left - 6, 24 + row * ROW + 12));
      const [shownMix, inside] = [this.mix, width - left - 8];
      this.mix = mix;
      pen.save();
      pen.translate(left, 24);
      this.paintOn(pen, inside, 4);
      pen.restore();
      this.mix = shownMix;
      const { last, at, words } = this.axisPlaces(inside);
      at.forEach((time, i) => {
        const near = (1 - time / last) * inside < SPACE / 2;
        pen.textAlign = near ? "right" : i ? "center" : "left";
        pen.fillStyle = color("--soft");
        pen.fillText(words[i], left + (near ? inside : (time / last) * inside), 24 + high + 14);
      });
      return { inner: pen.inner, width, height: high + 46 };
    }

    axisPlaces(width) {
      const { clock } = this;
      const last = clock.ends[clock.count - 1] * clock.per;
      const step = steps(false).find((step) => (step / last) * width >= SPACE) ?? last;
      const at = places(false)(null, null, 0, last, step);
      const words = ticks(false)(null, at);
      words[words.length - 1] += ` ${clock.shownUnit}`;
      return { last, at, words };
    }

    writeAxis(width) {
      const { last, at, words } = this.axisPlaces(width);
      const marks = at.map((time, i) => {
        const mark = make("span", {}, words[i]);
        mark.style.left = `${((time / last) * 100).toFixed(2)}%`;
        // Near the right end a label ends at its place.
        if ((1 - time / last) * width < SPACE / 2) mark.className = "last";
        return mark;
      });
      this.axis.replaceChildren(...marks);
    }

    // ---- time and words --------------------------------------------------------------------
    show() {
      const { clock, now } = this;
      const last = clock.ends[clock.count - 1];
      const [from, to] = [clock.from(clock.bin), clock.ends[clock.bin]];
      now.style.left = `${((from / last) * 100).toFixed(3)}%`;
      now.style.width = `${(((to - from) / last) * 100).toFixed(3)}%`;
      if (this.unit !== clock.shownUnit) {
        this.unit = clock.shownUnit;
        this.writeAxis(this.cells.clientWidth || SPACE);
      }
      this.tell();
    }

    amount(port, bin) {
      const { most, parts, unit } = this.data.queues;
      const level = this.of(this.queued, port, bin);
      const size = (Math.min(level, parts) / parts) * most;
      return `${level > parts ? "more than " : ""}${common.amount(Number(size.toPrecision(3)), unit)}`;
    }

    // All bins without a gap in which the port was stopped, around this one.
    stretch(port, bin) {
      const { clock } = this;
      const isStopped = (at) => at >= 0 && at < clock.count && this.of(this.stopped, port, at) > 0;
      let [first, last, sum] = [bin, bin, 0];
      while (isStopped(first - 1)) first -= 1;
      while (isStopped(last + 1)) last += 1;
      for (let at = first; at <= last; at++)
        sum += ((clock.ends[at] - clock.from(at)) * this.of(this.stopped, port, at)) / FULL;
      return { from: this.part(port, first)[0], to: this.part(port, last)[1], sum };
    }

    // Why the far end stops: the longest queue it has itself.
    cause(port, bin) {
      const node = this.data.ports[port][1];
      const own = this.data.ports
        .map((other, at) => (other[0] === node ? at : -1))
        .filter((at) => at >= 0 && this.of(this.queued, at, bin) > 0)
        .sort((a, b) => this.of(this.queued, b, bin) - this.of(this.queued, a, bin));
      return own.length ? `, where ${this.name(own[0])} holds ${this.amount(own[0], bin)}` : "";
    }

    words(port, bin) {
      const { clock, data } = this;
      if (!this.isStops) return `: ${this.amount(port, bin)}`;
      const share = this.of(this.stopped, port, bin);
      if (!share) return ": not stopped";
      const { from, to, sum } = this.stretch(port, bin);
      return (
        `: ${data.by} ${data.ports[port][1]}${this.cause(port, bin)}; ` +
        `${shown(share / 2)} % of this bin, ${clock.say(sum)} in all ` +
        `from ${clock.say(from)} to ${clock.say(to)}`
      );
    }

    // About the port under the mouse, or the chosen one at the time of the page.
    tell(row = this.row, bin = this.clock.bin) {
      this.names.forEach((name, at) => name.classList.toggle("chosen", at === row));
      if (row === null) {
        this.text.textContent = common.isTouch()
          ? "Tap a row to read it."
          : "Point at a row, or move to it with the arrow keys, to read it.";
        return;
      }
      const port = this.rows[row];
      const stuck = this.data.ports[port][3];
      const at = `${this.name(port)} at ${this.clock.say(this.clock.ends[bin])}`;
      const words = `${this.words(port, bin)}${stuck ? `. At the end: ${stuck}` : ""}`;
      this.text.replaceChildren(make("strong", {}, at), words);
    }

    // ---- mouse and keys --------------------------------------------------------------------
    place(event) {
      const { left, top, width } = this.cells.getBoundingClientRect();
      const { clock } = this;
      const time = ((event.clientX - left) / width) * clock.ends[clock.count - 1];
      const found = clock.ends.findIndex((end) => end >= time);
      const row = Math.floor((event.clientY - top) / ROW);
      return [
        Math.max(0, Math.min(this.rows.length - 1, row)),
        found < 0 ? clock.count - 1 : found,
      ];
    }

    listen() {
      const { cells } = this;
      const take = (event) => {
        const [row, bin] = this.place(event);
        this.row = row;
        this.clock.move(bin);
      };
      cells.addEventListener("pointermove", (event) =>
        event.buttons === 1 ? take(event) : this.tell(...this.place(event)),
      );
      cells.addEventListener("pointerdown", take);
      cells.addEventListener("pointerleave", () => this.tell());
      this.sheet.addEventListener("keydown", (event) => this.key(event));
    }

    key(event) {
      const { clock, rows } = this;
      const down = (by) => {
        this.row = this.row === null ? 0 : (this.row + by + rows.length) % rows.length;
        this.tell();
      };
      const by = event.shiftKey ? 10 : 1;
      const actions = {
        ArrowLeft: () => clock.move(clock.bin - by),
        ArrowRight: () => clock.move(clock.bin + by),
        ArrowDown: () => down(1),
        ArrowUp: () => down(-1),
        Home: () => clock.move(0),
        End: () => clock.move(clock.count - 1),
      };
      if (!actions[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      actions[event.key]();
    }

    table() {
      const { clock, data } = this;
      const { most, parts, unit } = data.queues;
      const what = this.isStops ? "stopped [%]" : `queue [${unit}]`;
      const value = (port, bin) =>
        this.isStops
          ? this.of(this.stopped, port, bin) / 2
          : Number(((this.of(this.queued, port, bin) / parts) * most).toPrecision(6));
      const head = [`bin ends [${clock.unit}]`, ...this.rows.map((p) => `${this.name(p)} ${what}`)];
      const lines = clock.ends.map((end, bin) => [end, ...this.rows.map((p) => value(p, bin))]);
      return [head, ...lines];
    }
  }
  return Strip;
})();
