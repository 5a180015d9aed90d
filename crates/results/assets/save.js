// Pictures of what a page shows, as files: SVG and PNG, as large as a slide or a paper needs them.
const Save = (() => {
  "use strict";
  const { all, color, make, root } = common;
  // Letters of a picture are 12 of its units high: 24 px on a slide, 8 pt on paper.
  const LETTER = 12;
  const FORMATS = {
    slide: { name: "Slide, 1280 × 720", width: 640, height: 360, wide: "1280", high: "720", px: 2560 },
    column: { name: "Paper, one column (85 mm)", width: 361, height: 250, wide: "85mm", px: 2008 },
    page: { name: "Paper, two columns (178 mm)", width: 757, height: 320, wide: "178mm", px: 4205 },
  };
  const FONT = "-apple-system, 'Segoe UI', Inter, Roboto, 'Noto Sans', 'Helvetica Neue', Arial, sans-serif";

  // Paper is white, whatever the screen is.
  const onPaper = (draw) => {
    const before = root.dataset.theme;
    root.dataset.theme = "light";
    try {
      return draw();
    } finally {
      if (before) root.dataset.theme = before;
      else delete root.dataset.theme;
    }
  };

  // Names with their colours in rows of a width; returns the height.
  const legend = (pen, entries, width) => {
    let [x, y] = [8, 0];
    pen.font = `${LETTER}px ${FONT}`;
    for (const { name, stroke, style, dash = [], hollow } of entries) {
      const wide = 30 + pen.measureText(name).width + 12;
      if (x > 8 && x + wide > width) [x, y] = [8, y + 18];
      Object.assign(pen, { strokeStyle: stroke, fillStyle: stroke, lineWidth: 1.75 });
      pen.beginPath();
      const isBar = style === "bars" || style === "spans";
      const isLine = !isBar && style !== "points";
      pen.setLineDash(isLine ? dash : []);
      if (isBar) pen.rect(x + 4, y + 4, 10, 10);
      else if (style === "points") pen.arc(x + 9, y + 9, 3.5);
      else {
        pen.moveTo(x, y + 9);
        pen.lineTo(x + 18, y + 9);
      }
      if (isLine || hollow) pen.stroke();
      else pen.fill();
      pen.fillStyle = color("--soft");
      pen.fillText(name, x + 24, y + 13);
      x += wide;
    }
    return entries.length ? y + 24 : 0;
  };

  // A scale of colours with words at both ends.
  const scale = (pen, mix, [low, high], x, y) => {
    pen.font = `${LETTER}px ${FONT}`;
    pen.fillStyle = color("--soft");
    pen.fillText(low, x, y + 11);
    const from = x + pen.measureText(low).width + 6;
    for (let step = 0; step < 40; step++) {
      pen.fillStyle = mix(step / 39);
      pen.fillRect(from + step * 2, y + 2, 2.2, 10);
    }
    pen.fillStyle = color("--soft");
    pen.fillText(high, from + 86, y + 11);
  };

  // A document of a format; what is higher than a slide is shown smaller there.
  const sheet = (inner, width, height, { wide, high }) =>
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${wide}"` +
    `${high ? ` height="${high}"` : ""}>\n<rect width="${width}" height="${height}" fill="#fff"/>\n` +
    `${inner}\n</svg>\n`;

  const png = (svg, width, height, { px, high }) =>
    new Promise((done, failed) => {
      const image = new Image();
      const canvas = document.createElement("canvas");
      const tall = high ? (px * 9) / 16 : Math.round((px * height) / width);
      image.onload = () => {
        Object.assign(canvas, { width: px, height: tall });
        const context = canvas.getContext("2d");
        context.fillStyle = "#fff";
        context.fillRect(0, 0, px, tall);
        const part = Math.min(px / width, tall / height);
        const [w, h] = [width * part, height * part];
        context.drawImage(image, (px - w) / 2, (tall - h) / 2, w, h);
        canvas.toBlob(done, "image/png");
      };
      image.onerror = () => failed(new Error("the picture can't be drawn"));
      // Without a size of its own, it is as sharp as what it is drawn on.
      const bare = svg.replace(/ width="[^"]*"( height="[^"]*")?>/, ` width="${width}" height="${height}">`);
      image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(bare)}`;
    });

  const hand = (name, blob) => {
    const link = make("a", { download: name, href: URL.createObjectURL(blob) });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  };

  // `draw` gives the inside of a picture and its size, for a width and a height.
  const save = async (name, kind, draw) => {
    const [type, size] = kind.split(" ");
    const format = FORMATS[size];
    const { inner, width, height } = onPaper(() => draw(format.width, format.height));
    const svg = sheet(inner, width, height, format);
    const blob =
      type === "svg"
        ? new Blob([svg], { type: "image/svg+xml" })
        : await png(svg, width, height, format);
    hand(`${name}-${size}.${type}`, blob);
  };

  // The menu of a figure.
  const menu = (where, name, draw) => {
    const select = make("select", { class: "tool save", "aria-label": `Save ${name} as a picture` });
    select.append(make("option", { value: "" }, "Picture…"));
    for (const [size, format] of Object.entries(FORMATS)) {
      const group = make("optgroup", { label: format.name });
      for (const type of ["svg", "png"])
        group.append(make("option", { value: `${type} ${size}` }, type.toUpperCase()));
      select.append(group);
    }
    select.addEventListener("change", async () => {
      const kind = select.value;
      select.value = "";
      if (kind) await save(name, kind, draw);
    });
    where.prepend(select);
  };

  // The shapes of an SVG on the page with the colours that its style sheet gives them.
  const STYLED = [
    "fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-linecap",
    "stroke-linejoin", "stroke-dasharray", "opacity", "font-size", "font-weight", "text-anchor",
    "paint-order", "display",
  ];
  const frozen = (svg) => {
    const copy = svg.cloneNode(true);
    const shapes = all("path, circle, rect, text", svg);
    all("path, circle, rect, text", copy).forEach((shape, i) => {
      const style = getComputedStyle(shapes[i]);
      for (const name of STYLED) shape.setAttribute(name, style.getPropertyValue(name));
      if (shape.tagName === "text") shape.setAttribute("font-family", FONT);
      shape.removeAttribute("style");
      shape.removeAttribute("class");
      if (style.display === "none") shape.remove();
    });
    for (const group of all("g", copy)) for (const name of ["tabindex", "class"]) group.removeAttribute(name);
    return new XMLSerializer().serializeToString(copy).replace(/^<svg[^>]*>|<\/svg>$/g, "");
  };

  return { FONT, LETTER, frozen, legend, menu, scale };
})();
