// What is drawn on a canvas as an SVG document: as much of a canvas's context as charts and strips
// use, so that a picture that is saved is the one that is shown.
const Pen = (() => {
  "use strict";
  const round = (value) => Number(value.toFixed(2));
  const safe = (text) =>
    String(text).replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  // Not all programs that show SVG know colours with an opacity of their own.
  const paint = (name, value) => {
    const opacity = /^#[0-9a-f]{8}$/i.test(value) ? parseInt(value.slice(7), 16) / 255 : 1;
    const plain = opacity < 1 ? value.slice(0, 7) : value;
    return { [name]: plain, ...(opacity < 1 ? { [`${name}-opacity`]: round(opacity) } : {}) };
  };

  // Taken before a pen stands in for what canvases draw with.
  const ruler = document.createElement("canvas").getContext("2d");

  class Path {
    constructor() {
      this.d = "";
    }
    moveTo(x, y) {
      this.d += `M${round(x)} ${round(y)}`;
    }
    lineTo(x, y) {
      this.d += `${this.d ? "L" : "M"}${round(x)} ${round(y)}`;
    }
    rect(x, y, width, height) {
      this.d += `M${round(x)} ${round(y)}h${round(width)}v${round(height)}h${round(-width)}z`;
    }
    // Charts draw whole circles only.
    arc(x, y, radius) {
      const [r, across] = [round(radius), round(2 * radius)];
      this.d += `M${round(x + radius)} ${round(y)}a${r} ${r} 0 1 1 ${-across} 0`;
      this.d += `a${r} ${r} 0 1 1 ${across} 0`;
    }
    closePath() {
      this.d += "z";
    }
  }

  return class Pen {
    static Path = Path;

    constructor() {
      Object.assign(this, { parts: [], defs: [], path: new Path(), kept: [] });
      this.state = { moves: "", clips: [], dash: [] };
      Object.assign(this, { fillStyle: "#000", strokeStyle: "#000", lineWidth: 1, globalAlpha: 1 });
      Object.assign(this, { font: "12px sans-serif", textAlign: "left", textBaseline: "alphabetic" });
      Object.assign(this, { lineJoin: "miter", lineCap: "butt" });
    }

    // ---- state -----------------------------------------------------------------------------
    static SETTINGS = [
      "fillStyle", "strokeStyle", "lineWidth", "globalAlpha", "font", "textAlign", "textBaseline",
      "lineJoin", "lineCap",
    ];
    save() {
      const settings = Pen.SETTINGS.map((name) => [name, this[name]]);
      this.kept.push([settings, { ...this.state, clips: [...this.state.clips] }]);
    }
    restore() {
      const [settings, state] = this.kept.pop() ?? [[], this.state];
      for (const [name, value] of settings) this[name] = value;
      this.state = state;
    }
    setLineDash(dash) {
      this.state = { ...this.state, dash };
    }
    translate(x, y) {
      this.move(`translate(${round(x)} ${round(y)})`);
    }
    rotate(angle) {
      this.move(`rotate(${round((angle * 180) / Math.PI)})`);
    }
    scale(x, y) {
      this.move(`scale(${round(x)} ${round(y)})`);
    }
    move(step) {
      this.state = { ...this.state, moves: `${this.state.moves}${step}` };
    }
    clip(path = this.path) {
      const id = `clip-${this.defs.length}`;
      const moved = this.state.moves ? ` transform="${this.state.moves}"` : "";
      this.defs.push(`<clipPath id="${id}"><path d="${path.d ?? ""}"${moved}/></clipPath>`);
      this.state.clips.push(id);
    }

    // ---- drawing ---------------------------------------------------------------------------
    beginPath() {
      this.path = new Path();
    }
    moveTo(...at) {
      this.path.moveTo(...at);
    }
    lineTo(...at) {
      this.path.lineTo(...at);
    }
    rect(...at) {
      this.path.rect(...at);
    }
    arc(...at) {
      this.path.arc(...at);
    }
    closePath() {
      this.path.closePath();
    }
    put(tag, attributes, text) {
      if (this.state.moves) attributes.transform = this.state.moves;
      if (this.globalAlpha < 1) attributes.opacity = this.globalAlpha;
      const pairs = Object.entries(attributes).map(([name, value]) => ` ${name}="${safe(value)}"`);
      const inner = text === undefined ? "/>" : `>${safe(text)}</${tag}>`;
      const element = `<${tag}${pairs.join("")}${inner}`;
      this.parts.push(
        this.state.clips.reduceRight((all, id) => `<g clip-path="url(#${id})">${all}</g>`, element),
      );
    }
    stroked() {
      const { dash } = this.state;
      return {
        ...paint("stroke", this.strokeStyle),
        "stroke-width": round(this.lineWidth),
        "stroke-linejoin": this.lineJoin,
        ...(this.lineCap === "butt" ? {} : { "stroke-linecap": this.lineCap }),
        ...(dash.length ? { "stroke-dasharray": dash.map(round).join(" ") } : {}),
      };
    }
    stroke(path = this.path) {
      if (path.d && this.lineWidth > 0) this.put("path", { d: path.d, fill: "none", ...this.stroked() });
    }
    fill(path = this.path) {
      if (path.d) this.put("path", { d: path.d, ...paint("fill", this.fillStyle) });
    }
    fillRect(x, y, width, height) {
      const size = { x: round(x), y: round(y), width: round(width), height: round(height) };
      // No seams between neighbours.
      this.put("rect", { ...size, ...paint("fill", this.fillStyle), "shape-rendering": "crispEdges" });
    }
    // uPlot clears all before it draws all.
    clearRect() {
      this.parts = [];
    }

    // ---- words -----------------------------------------------------------------------------
    written(x, y) {
      const [, size, family] = /([\d.]+)px\s+(.*)$/.exec(this.font) ?? [0, 12, "sans-serif"];
      const [weight] = /^(bold|[1-9]00)\b/.exec(this.font) ?? [null];
      const down = { top: 0.85, hanging: 0.8, middle: 0.35, bottom: -0.2 }[this.textBaseline] ?? 0;
      const anchor = { center: "middle", right: "end", end: "end" }[this.textAlign] ?? "start";
      return {
        x: round(x), y: round(y + down * size), "font-size": round(Number(size)),
        "font-family": family, "text-anchor": anchor,
        ...(weight ? { "font-weight": weight } : {}),
      };
    }
    fillText(text, x, y) {
      this.put("text", { ...this.written(x, y), ...paint("fill", this.fillStyle) }, text);
    }
    strokeText(text, x, y) {
      this.put("text", { ...this.written(x, y), fill: "none", ...this.stroked() }, text);
    }
    measureText(text) {
      ruler.font = this.font;
      return ruler.measureText(text);
    }

    // All of it, for a picture that may hold more of them.
    get inner() {
      const defs = this.defs.length ? `<defs>${this.defs.join("")}</defs>` : "";
      return `${defs}${this.parts.join("\n")}`;
    }
  };
})();
