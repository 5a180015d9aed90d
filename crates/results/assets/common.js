// What charts and page share: elements, colours, numbers, ticks, downloads. No network.
const common = (() => {
  "use strict";
  const root = document.documentElement;
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const make = (tag, attributes = {}, text = "") => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.textContent = text;
    return element;
  };
  const color = (name) => getComputedStyle(root).getPropertyValue(name).trim();
  // Curves have eight colours; those after them have the same, dotted and hollow.
  const COLOURS = 8;
  const hue = (i) => color(`--c${i % COLOURS}`);
  const isAgain = (i) => i >= COLOURS;
  const fade = (hex, opacity) =>
    hex +
    Math.round(opacity * 255)
      .toString(16)
      .padStart(2, "0");

  // Shares from 0 to 1 as colours between those of some names.
  const ramp = (names) => {
    const rgb = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
    const scale = names.map((name) => rgb(color(name)));
    return (share) => {
      const at = Math.max(0, Math.min(1, share)) * (scale.length - 1);
      const low = Math.min(Math.floor(at), scale.length - 2);
      const mixed = scale[low].map((v, i) => Math.round(v + (scale[low + 1][i] - v) * (at - low)));
      return `rgb(${mixed.join(",")})`;
    };
  };
  const rampKey = (names) => {
    const key = make("i");
    key.style.background = `linear-gradient(90deg, ${names.map((n) => `var(${n})`).join(",")})`;
    return key;
  };
  const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

  // A name of at most so many letters: those of one kind begin alike and are told apart by their ends.
  const cut = (name, letters) => {
    const all = [...name];
    if (all.length <= letters) return name;
    // A port is told by both its ends.
    for (const arrow of [" → ", " -> "]) {
      const [from, ...to] = name.split(arrow);
      if (!to.length) continue;
      // What one end does not need the other has.
      const room = letters - arrow.length;
      const end = to.join(arrow);
      const first = Math.min([...from].length, Math.max(Math.floor(room / 2), room - [...end].length));
      return `${cut(from, first)}${arrow}${cut(end, room - first)}`;
    }
    const last = Math.floor((letters - 1) / 2);
    return [...all.slice(0, letters - 1 - last), "…", ...all.slice(all.length - last)].join("");
  };

  // A finger points at nothing before it taps, and has no keys.
  const isTouch = () => matchMedia("(hover: none) and (pointer: coarse)").matches;

  // ---- numbers ---------------------------------------------------------------------------
  const shown = (value) => {
    if (value == null || !Number.isFinite(value)) return "–";
    const size = Math.abs(value);
    if (size !== 0 && (size < 1e-6 || size >= 1e12)) return value.toExponential(3);
    // What has a digit there is not rounded away.
    if (size < 1e-4) return value.toLocaleString("en-US", { maximumSignificantDigits: 4 });
    const digits = Number.isInteger(value)
      ? 0
      : size >= 1000
        ? 1
        : size >= 100
          ? 2
          : size >= 1
            ? 3
            : 5;
    return value.toLocaleString("en-US", { maximumFractionDigits: digits });
  };
  // Where an axis has its ticks. Counted, not stepped: no range can make this loop forever.
  const MOST_TICKS = 40;
  const places = (log) => (u, axis, min, max, step) => {
    if (log) {
      const [from, to] = [Math.floor(Math.log10(min) + 1e-9), Math.ceil(Math.log10(max) - 1e-9)];
      const leads = to - from > 2 ? [1] : [1, 2, 5];
      const every = Math.ceil((to - from) / 10) || 1;
      const decades = Array.from(
        { length: Math.min(MOST_TICKS, Math.floor((to - from) / every) + 1) },
        (_, i) => from + i * every,
      );
      const all = decades.flatMap((power) => leads.map((lead) => Number(`${lead}e${power}`)));
      const inside = all.filter((v) => v >= min * (1 - 1e-9) && v <= max * (1 + 1e-9));
      if (inside.length > 1) return inside;
      // A short piece of a decade is read like any other axis.
      step = rounded((max - min) / 5, [1, 2, 5, 10], (lead, own) => lead >= own * (1 - 1e-9));
    }
    const first = Math.ceil(min / step - 1e-9);
    const count = Math.min(MOST_TICKS, Math.floor(max / step + 1e-9) - first + 1);
    return Array.from({ length: Math.max(0, count) }, (_, i) => (first + i) * step || 0);
  };
  // Steps between ticks: 1, 2 and 5 times powers of ten; from 1 on where only whole numbers stand
  // on the axis.
  const steps = (whole) =>
    Array.from({ length: whole ? 31 : 61 }, (_, i) => i - (whole ? 0 : 30)).flatMap((power) =>
      [1, 2, 5].map((lead) => Number(`${lead}e${power}`)),
    );
  const areWhole = (rows) =>
    rows.every((row) => row.every((v) => v == null || Number.isInteger(v))) &&
    rows.some((row) => row.some((v) => v != null));
  // Decimals that tell ticks apart and hide nothing of them.
  const decimals = (step) => {
    for (let digits = 0; digits < 12; digits++) {
      const scaled = step * 10 ** digits;
      if (scaled > 0.5 && Math.abs(scaled - Math.round(scaled)) < 1e-6 * scaled) return digits;
    }
    return 12;
  };
  const ticks = (exact) => (u, values) => {
    if (exact) return values.map(shown);
    const step = values.length > 1 ? Math.abs(values[1] - values[0]) : 1;
    if (values.some((v) => Math.abs(v) >= 1e12) || step < 1e-6) return values.map(shown);
    const digits = decimals(step);
    const options = { minimumFractionDigits: digits, maximumFractionDigits: digits };
    return values.map((v) => v.toLocaleString("en-US", options));
  };
  // 1, 2 or 5 times a power of ten that fits beside the value.
  const rounded = (value, leads, fits) => {
    const power = 10 ** Math.floor(Math.log10(value) + 1e-12);
    return power * (leads.find((lead) => fits(lead, value / power)) ?? 1);
  };
  // A size with its unit, one of which is no longer several: 1 cell, 2 cells.
  const amount = (value, unit) =>
    `${shown(value)} ${value === 1 ? unit.replace(/^(cell|flit|cycle)s$/, "$1") : unit}`;
  const title = (label, unit) => (unit ? `${label} (${unit})` : label);

  // ---- downloads -------------------------------------------------------------------------
  const field = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const offer = (link, rows) => {
    // Built when asked for, so that a page with many figures stays light.
    link.addEventListener("click", () => {
      const text =
        rows()
          .map((row) => row.map((v) => field(String(v ?? ""))).join(","))
          .join("\n") + "\n";
      if (link.href.startsWith("blob:")) URL.revokeObjectURL(link.href);
      link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
    });
  };

  return {
    all, amount, areWhole, bytes, color, cut, fade, hue, isAgain, isTouch, make, offer, places, ramp, rampKey,
    root, rounded, shown, steps, ticks, title,
  };
})();
