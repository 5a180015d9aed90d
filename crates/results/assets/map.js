// The map: nodes, links by load or stops, bars of queues, and time.
const NetworkMap = (() => {
  "use strict";
  const { bytes, color, make, offer, ramp, shown } = common;
  const SCALE = 92;
  const MARGIN = 86;
  const ASIDE = 5;
  const RADIUS = 17;
  const BAR = 28;
  // Letters of names, as many as there is room for.
  const LENGTHS = [Infinity, 24, 16, 11];
  // Letters of a name that stands in the box of its switch.
  const INSIDE = 5;
  // A map is no lower than this, px: where it is wider than the page, it scrolls.
  const LOWEST = 240;
  // A run takes so long when it is played, and frames are no closer than this.
  const PLAY_MS = 9000;
  const FRAME_MS = 40;

  const svg = (tag, attributes = {}) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };

  // Letters that can be read on a colour such as rgb(1,2,3).
  const inkOn = (paint) => {
    const [r, g, b] = paint.match(/\d+/g).map(Number);
    return 0.299 * r + 0.587 * g + 0.114 * b > 140 ? "#1c2128" : "#fff";
  };

  const overlap = (a, b) => a.l < b.r && a.r > b.l && a.t < b.b && a.b > b.t;

  class NetworkMap {
    constructor(data, figure, clock) {
      this.data = data;
      this.figure = figure;
      this.clock = clock;
      this.bins = clock.count;
      for (const name of ["load", "stopped", "queued"]) this[name] = bytes(data[name]);
      this.slider = figure.querySelector("input");
      this.button = figure.querySelector(".play");
      this.wholeButton = figure.querySelector(".whole");
      this.output = figure.querySelector("output");
      this.text = figure.querySelector(".map-text");
      this.by = data.opens;
      this.chosen = null;
      this.timer = null;
      this.isWhole = false;
      this.draw();
      this.listen();
      const link = figure.querySelector(".csv");
      offer(link, () => this.table());
      Save.menu(link.parentElement, "map", (width) => this.picture(width));
      this.repaint();
      clock.follow(() => this.showWhole(false));
    }

    // What the colours of links mean.
    get what() {
      return this.by === "load" ? "load" : "time stopped";
    }
    get bin() {
      return this.clock.bin;
    }

    // ---- what does not change with time ----------------------------------------------------
    draw() {
      const { nodes, arcs } = this.data;
      const xs = nodes.map((node) => node[2]);
      const ys = nodes.map((node) => node[3]);
      const [left, top] = [Math.min(...xs), Math.min(...ys)];
      const inner = (Math.max(...xs) - left) * SCALE + 2 * MARGIN;
      const width = Math.max(inner, 520);
      const height = (Math.max(...ys) - top) * SCALE + 2 * MARGIN;
      const shift = (width - inner) / 2;
      this.size = [width, height];
      this.at = nodes.map(([, , x, y]) => [
        (x - left) * SCALE + MARGIN + shift,
        (y - top) * SCALE + MARGIN,
      ]);
      this.channels = nodes.map((_, node) =>
        arcs.flatMap(([from, , count], arc) => (from === node ? [[arc, count]] : [])),
      );
      const sheet = svg("svg", {
        viewBox: `0 0 ${Math.round(width)} ${Math.round(height)}`,
        role: "group",
        "aria-label": `Map of ${nodes.length} nodes`,
      });
      sheet.style.maxHeight = "min(44rem, 85vh)";
      this.parts = arcs.map((arc, index) => this.drawArc(sheet, arc, index));
      this.labels = nodes.map((node, index) => this.drawNode(sheet, node, index));
      const box = this.figure.querySelector(".map-sheet");
      box.replaceChildren(sheet);
      this.sheet = sheet;
      const fit = () => this.fit(box.clientWidth);
      fit();
      new ResizeObserver(fit).observe(box);
    }

    drawArc(sheet, [from, to, , , , stuck], index) {
      const [ax, ay] = this.at[from];
      const [bx, by] = this.at[to];
      const length = Math.hypot(bx - ax, by - ay) || 1;
      const [ux, uy] = [(bx - ax) / length, (by - ay) / length];
      const [sx, sy] = [-uy * ASIDE, ux * ASIDE];
      const point = (along, aside = 1) => [
        (ax + ux * along + sx * aside).toFixed(1),
        (ay + uy * along + sy * aside).toFixed(1),
      ];
      const end = length - RADIUS;
      const line = (a, b) => `M${point(a).join(" ")}L${point(b).join(" ")}`;
      const group = svg("g", { class: stuck ? "arc stuck" : "arc", tabindex: index ? -1 : 0 });
      group.setAttribute("role", "img");
      const [start, target] = [from, to].map((node) => this.data.nodes[node][0]);
      group.setAttribute("aria-label", `${start} → ${target}`);
      const wire = svg("path", { class: "wire", d: line(RADIUS, end - 7), "stroke-width": 4.5 });
      const tip = [point(end), point(end - 9, 2.1), point(end - 9, 0.2)];
      const head = svg("path", { class: "head", d: `M${tip.map((p) => p.join(" ")).join("L")}z` });
      group.append(svg("path", { class: "halo", d: line(RADIUS, end) }), wire, head);
      let [fill, track] = [null, null];
      const bar = Math.min(BAR, length / 2 - RADIUS);
      if (bar > 4 && this.row("queued", index).some((level) => level)) {
        track = svg("path", { class: "track", d: line(RADIUS + 2, RADIUS + 2 + bar) });
        group.append(track);
        fill = svg("path", { class: "fill" });
        group.append(fill);
      }
      group.append(svg("path", { class: "hit", d: line(RADIUS, end) }));
      group.addEventListener("pointerenter", () => this.choose(index));
      group.addEventListener("click", () => this.choose(index));
      group.addEventListener("focus", () => this.choose(index));
      sheet.append(group);
      return { group, wire, head, fill, track, level: (part) => line(RADIUS + 2, RADIUS + 2 + bar * part) };
    }

    drawNode(sheet, [name, isHost, , , side], index) {
      const [x, y] = this.at[index];
      const box = isHost
        ? svg("circle", { class: "host", cx: x, cy: y, r: 11 })
        : svg("rect", { class: "switch", x: x - 16, y: y - 16, width: 32, height: 32, rx: 7 });
      sheet.append(box);
      const isInside = !isHost && name.length <= INSIDE;
      const label = svg("text", { x, y: y + 5 });
      if (isInside) label.setAttribute("class", "inside");
      label.textContent = name;
      sheet.append(label);
      return { box, label, isInside, isHost, side, x, y, name };
    }

    // Letters keep their size on narrow and wide screens; names without room are left out there.
    fit(width) {
      if (!width) return;
      const [own, high] = this.size;
      const lowest = Math.min(LOWEST, high);
      const wide = (width * high) / own < lowest ? Math.min((lowest * own) / high, own) : 0;
      this.sheet.style.width = wide > width ? `${Math.round(wide)}px` : "";
      width = Math.max(wide, width);
      const shown = Math.min(width, (this.sheet.getBoundingClientRect().height * own) / high);
      const scale = shown > own ? own / shown : Math.max(1, own / width);
      const size = Math.min(13 * scale, 30);
      const reach = (isHost) => (isHost ? 11 : 16);
      const taken = this.labels.map(({ isHost, x, y }) => {
        const r = reach(isHost);
        return { l: x - r, r: x + r, t: y - r, b: y + r };
      });
      const order = [...this.labels].sort((a, b) => a.isHost - b.isHost);
      for (const one of order) {
        const own = one.isInside ? Math.min(size, 15, 50 / Math.max(3, one.name.length)) : size;
        one.label.style.fontSize = `${own}px`;
        // A name without room is cut, and left out where that does not help.
        if (!one.isInside) LENGTHS.some((letters) => this.put(one, common.cut(one.name, letters), own, taken));
      }
    }

    // Writes a name beside its node where nothing else is.
    put({ label, isHost, side, x, y }, name, own, taken) {
      const reach = isHost ? 11 : 16;
      const half = name.length * own * 0.31;
      const aside = reach + 5 + half;
      const places = {
        below: [x, y + reach + own],
        above: [x, y - reach - 4],
        left: [x - aside, y + own / 3],
        right: [x + aside, y + own / 3],
      };
      const fits = [side, "below", "above"].find((at) => {
        const [middle, base] = places[at];
        const room = { l: middle - half, r: middle + half, t: base - own + 1, b: base + 3 };
        const out = room.l < 0 || room.r > this.size[0];
        if (out || taken.some((other) => overlap(room, other))) return false;
        taken.push(room);
        return true;
      });
      label.style.display = fits ? "" : "none";
      const [middle, base] = places[fits ?? side];
      label.textContent = name;
      label.setAttribute("x", middle);
      label.setAttribute("y", base);
      return fits;
    }

    // ---- what does -------------------------------------------------------------------------
    row(name, arc) {
      return this[name].subarray(arc * this.bins, (arc + 1) * this.bins);
    }

    // As it stands, with letters as large as the picture needs them.
    picture(width) {
      const [own, high] = this.size;
      this.repaint();
      this.fit(width);
      const pen = new Pen();
      const part = Math.max(1, own / width);
      pen.translate(12 * part, high);
      pen.scale(part, part);
      Save.scale(pen, this.mix, [`${this.what} 0`, `100 %; ${this.output.textContent}`], 0, 0);
      const inner = Save.frozen(this.sheet) + pen.inner;
      // After the page has its own colours again.
      queueMicrotask(() => {
        this.repaint();
        this.fit(this.figure.querySelector(".map-sheet").clientWidth);
      });
      return { inner, width: Math.round(own), height: Math.round(high + 24 * part) };
    }

    // Each direction of a link in each bin.
    table() {
      const { clock, data } = this;
      const { most, parts, unit } = data.queues;
      const head = [`bin ends [${clock.unit}]`, "from", "to", "load [%]"];
      if (data.stops) head.push("stopped [%]");
      head.push(`queue [${unit}]`);
      const lines = data.arcs.flatMap(([from, to], arc) =>
        clock.ends.map((end, bin) => [
          end,
          data.nodes[from][0],
          data.nodes[to][0],
          this.row("load", arc)[bin] / 2,
          ...(data.stops ? [this.row("stopped", arc)[bin] / 2] : []),
          Number(((this.row("queued", arc)[bin] / parts) * most).toPrecision(6)),
        ]),
      );
      return [head, ...lines];
    }

    // Colours follow the theme.
    repaint() {
      const hue = this.by === "load" ? "load" : "stop";
      const names = ["--link", `--${hue}-1`, `--${hue}-2`];
      this.mix = ramp(names);
      for (const button of this.figure.querySelectorAll("[data-by]"))
        button.setAttribute("aria-pressed", String(button.dataset.by === this.by));
      const key = this.figure.querySelector(".map-key");
      const link = make("span", {}, `${this.what} 0`);
      link.append(common.rampKey(names), "100 %");
      const bar = make("span");
      if (this.by === "load") bar.textContent = "switches: mean load of the links that leave them";
      else bar.append(make("i", { class: "bar-key" }), `full: ${common.amount(this.data.queues.most, this.data.queues.unit)}`);
      key.replaceChildren(link, bar);
      if (this.data.arcs.some((arc) => arc[5])) {
        const circle = make("span");
        circle.append(make("i", { class: "circle-key" }), "can't move any more");
        key.append(circle);
      }
      this.show();
    }

    showWhole(on) {
      this.isWhole = on;
      this.wholeButton.setAttribute("aria-pressed", String(on));
      this.show();
    }

    // Of an arc at the time of the page; over the whole run the mean of shares, the largest queue.
    value(name, arc) {
      const row = this.row(name, arc);
      if (!this.isWhole) return row[this.bin];
      if (name === "queued") return Math.max(...row);
      const { clock } = this;
      const last = clock.ends[clock.count - 1];
      return row.reduce((sum, share, bin) => sum + share * (clock.ends[bin] - clock.from(bin)), 0) / last;
    }

    show() {
      const { clock, data, bin } = this;
      const last = this.isWhole || bin === this.bins - 1;
      this.slider.value = bin;
      this.output.textContent = this.isWhole ? "whole run" : clock.say(clock.ends[bin]);
      this.slider.setAttribute("aria-valuetext", this.output.textContent);
      const isLoad = this.by === "load";
      this.parts.forEach(({ wire, head, fill, track, level }, arc) => {
        const share = this.value(this.by, arc) / 200;
        const stroke = data.arcs[arc][5] && last ? color("--circle") : this.mix(share);
        wire.setAttribute("stroke", stroke);
        head.setAttribute("fill", stroke);
        for (const part of [fill, track]) if (part) part.style.display = isLoad ? "none" : "";
        fill?.setAttribute("d", level(Math.min(1, this.value("queued", arc) / data.queues.parts)));
      });
      this.labels.forEach(({ box, label, isHost, isInside }, node) => {
        if (isHost) return;
        const paint = isLoad ? this.mix(this.nodeLoad(node)) : "";
        box.style.fill = paint;
        if (isInside) label.style.fill = isLoad ? inkOn(paint) : "";
      });
      this.tell();
    }

    // The mean load of the channels that leave a node, from 0 to 1.
    nodeLoad(node) {
      const own = this.channels[node];
      const all = own.reduce((sum, [, count]) => sum + count, 0);
      const load = own.reduce((sum, [arc, count]) => sum + this.value("load", arc) * count, 0);
      return all ? load / all / 200 : 0;
    }

    tell() {
      const { data, chosen } = this;
      if (chosen === null) {
        const isWide = this.sheet.style.width !== "";
        const hint = common.isTouch()
          ? `Tap a link to read its numbers${isWide ? "; the map scrolls sideways" : ""}.`
          : "Point at a link, or move to it with the arrow keys, to read its numbers.";
        if (this.text.textContent !== hint) this.text.textContent = hint;
        return;
      }
      const [from, to, count, flows, all, stuck] = data.arcs[chosen];
      const level = this.value("queued", chosen);
      const share = (name) => shown(Number((this.value(name, chosen) / 2).toPrecision(4)));
      const { most, parts, unit } = data.queues;
      const queue = (Math.min(level, parts) / parts) * most;
      const folded = count > 1 ? ` (${count} channels)` : "";
      const name = make("strong", {}, `${data.nodes[from][0]} → ${data.nodes[to][0]}${folded}`);
      const words =
        `: load ${share("load")} %, stopped ${share("stopped")} %, ` +
        `${level > parts ? "more than " : ""}` +
        `${common.amount(Number(queue.toPrecision(3)), unit)}${stuck ? `. ${stuck}` : ""}`;
      const more = all > flows.length ? ` and ${all - flows.length} more` : "";
      const list = make("div", { class: "flows" }, all ? `Flows: ${flows.join(", ")}${more}` : "");
      this.text.replaceChildren(name, words, list);
      this.parts[chosen].group.setAttribute("aria-label", name.textContent + words);
    }

    choose(arc) {
      if (this.chosen !== null) {
        const { group } = this.parts[this.chosen];
        group.classList.remove("chosen");
        group.setAttribute("tabindex", -1);
      }
      this.chosen = arc;
      this.parts[arc].group.classList.add("chosen");
      this.parts[arc].group.setAttribute("tabindex", 0);
      this.tell();
    }

    // ---- playing ---------------------------------------------------------------------------
    play(on = this.timer === null) {
      clearInterval(this.timer);
      this.timer = null;
      if (on) {
        if (this.bin === this.bins - 1) this.clock.move(0);
        // Those who want less motion see it in twenty still pictures.
        const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
        const frames = still ? 20 : PLAY_MS / FRAME_MS;
        const start = this.bin;
        let frame = 0;
        this.timer = setInterval(() => {
          frame += 1;
          this.clock.move(start + Math.round((frame / frames) * this.bins));
          if (this.bin === this.bins - 1) this.play(false);
        }, Math.max(FRAME_MS, PLAY_MS / frames));
      }
      this.button.textContent = this.timer === null ? "Play" : "Pause";
      this.button.setAttribute("aria-pressed", String(this.timer !== null));
    }

    listen() {
      this.button.addEventListener("click", () => this.play());
      this.wholeButton.addEventListener("click", () => {
        this.play(false);
        this.showWhole(!this.isWhole);
      });
      this.slider.addEventListener("input", () => {
        this.play(false);
        this.clock.move(Number(this.slider.value));
      });
      for (const button of this.figure.querySelectorAll("[data-by]"))
        button.addEventListener("click", () => {
          this.by = button.dataset.by;
          this.repaint();
        });
      this.figure.addEventListener("keydown", (event) => this.key(event));
    }

    key(event) {
      const onArc = event.target.closest?.(".arc");
      const onSlider = event.target === this.slider;
      if (event.key === " " && (onArc || onSlider)) this.play();
      else if (onArc && event.key === "ArrowRight") this.clock.move(this.bin + 1);
      else if (onArc && event.key === "ArrowLeft") this.clock.move(this.bin - 1);
      else if (onArc && ["ArrowDown", "ArrowUp"].includes(event.key)) {
        const step = event.key === "ArrowDown" ? 1 : -1;
        const { length } = this.parts;
        this.parts[(this.chosen + step + length) % length].group.focus();
      } else return;
      event.preventDefault();
    }
  }
  return NetworkMap;
})();
