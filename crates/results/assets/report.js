// The page around the charts: theme, units, tables, copying, contents.
(() => {
  "use strict";
  const { all, offer, root } = common;

  const overTime = document.getElementById("over-time");
  const drawn = overTime ? JSON.parse(overTime.textContent) : {};
  const clock = drawn.clock ? new Clock(drawn.clock) : null;

  const charts = [];
  const plots = document.getElementById("plots");
  if (plots) {
    for (const plot of JSON.parse(plots.textContent)) {
      const chart = new Chart(plot, document.getElementById(plot.id), clock);
      charts.push(chart);
      chart.box.chart = chart;
    }
  }

  const pictures = [];
  if (drawn.map) {
    const figure = document.getElementById(drawn.map.id);
    figure.map = new NetworkMap(drawn.map, figure, clock);
    pictures.push(figure.map);
  }
  for (const kind of ["stops", "heat"]) {
    if (!drawn.ports?.[kind]) continue;
    const figure = document.getElementById(drawn.ports[kind].id);
    figure.strip = new Strip(drawn.ports, kind, figure, clock);
    pictures.push(figure.strip);
  }

  // ---- light, dark, units ----------------------------------------------------------------
  const repaint = () => {
    charts.forEach((chart) => chart.rebuild());
    pictures.forEach((picture) => picture.repaint());
  };
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const remembered = () => {
    try {
      return localStorage.getItem("backwater-theme");
    } catch {
      return null;
    }
  };
  if (remembered()) {
    root.dataset.theme = remembered();
    repaint();
  }
  dark.addEventListener("change", repaint);
  document.getElementById("theme").addEventListener("click", () => {
    const now = root.dataset.theme ?? (dark.matches ? "dark" : "light");
    root.dataset.theme = now === "dark" ? "light" : "dark";
    try {
      localStorage.setItem("backwater-theme", root.dataset.theme);
    } catch {
      /* not allowed: not kept */
    }
    repaint();
  });
  // Paper is white whatever the screen is.
  let screenTheme;
  addEventListener("beforeprint", () => {
    screenTheme = root.dataset.theme;
    root.dataset.theme = "light";
    repaint();
  });
  addEventListener("afterprint", () => {
    if (screenTheme) root.dataset.theme = screenTheme;
    else delete root.dataset.theme;
    repaint();
  });
  const units = all("#unit button");
  const switchUnit = (button) => {
    for (const one of units) one.setAttribute("aria-pressed", String(one === button));
    charts.forEach((chart) => chart.switchUnit(button.textContent));
    clock?.switchUnit(button.textContent);
  };
  for (const button of units) button.addEventListener("click", () => switchUnit(button));
  // What was declared in other units starts in those of the page.
  if (units.length) switchUnit(units[0]);

  // ---- tables ----------------------------------------------------------------------------
  // Files have other arrows than pages. A number that is shown whole has commas between its digits and no second text.
  const exact = (cell) => {
    const shown = cell?.textContent ?? "";
    const isWhole = cell?.classList.contains("n") && /^-?[\d,.]+$/.test(shown);
    return cell?.dataset.v ?? (isWhole ? shown.replaceAll(",", "") : shown.replaceAll(" → ", " -> "));
  };
  for (const figure of all("figure.table")) {
    const heads = all("thead th", figure);
    const body = figure.querySelector("tbody");
    heads.forEach((head, column) =>
      head.querySelector("button").addEventListener("click", () => {
        const numbers = head.classList.contains("n");
        const now = head.getAttribute("aria-sort");
        // Numbers are mostly sought from the top, words from the start.
        const down = now ? now === "ascending" : numbers;
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const keyed = [...body.rows].map((row) => [exact(row.cells[column]), row]);
        keyed.sort(([a], [b]) => {
          if (a === "" || b === "") return (a === "") - (b === "");
          const order = numbers
            ? Number(a) - Number(b)
            : a.localeCompare(b, "en", { numeric: true });
          return down ? -order : order;
        });
        body.append(...keyed.map(([, row]) => row));
      }),
    );
    offer(figure.querySelector(".csv"), () => [
      heads.map((head) => head.dataset.head),
      ...[...body.rows].map((row) => [...row.cells].map(exact)),
    ]);
  }

  // ---- copying, contents -----------------------------------------------------------------
  for (const button of all(".copy"))
    button.addEventListener("click", async () => {
      const code = button.parentElement.querySelector("code");
      try {
        await navigator.clipboard.writeText(code.textContent);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(code);
        button.textContent = "Selected";
      }
      setTimeout(() => {
        button.textContent = "Copy";
      }, 1500);
    });
  const contents = document.querySelector(".contents");
  if (contents) {
    const fold = contents.querySelector("details");
    const wide = matchMedia("(min-width: 75rem)");
    const adapt = () => {
      fold.open = wide.matches;
    };
    adapt();
    wide.addEventListener("change", adapt);
    const links = new Map(all("a", contents).map((link) => [link.hash.slice(1), link]));
    const headings = all("main :is(h2, h3)[id]").filter((heading) => links.has(heading.id));
    let waiting = false;
    const follow = () => {
      waiting = false;
      const passed = headings.filter((heading) => heading.getBoundingClientRect().top < 120);
      const current = (passed[passed.length - 1] ?? headings[0])?.id;
      for (const [id, link] of links)
        id === current
          ? link.setAttribute("aria-current", "true")
          : link.removeAttribute("aria-current");
    };
    addEventListener(
      "scroll",
      () => {
        if (!waiting) {
          waiting = true;
          requestAnimationFrame(follow);
        }
      },
      { passive: true },
    );
    follow();
  }
})();
