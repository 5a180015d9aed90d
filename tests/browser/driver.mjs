// A browser over the W3C WebDriver protocol: Node and chromedriver, nothing else.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

// Runs a scenario and says where its report is. One that ends in a deadlock has a report too.
export const reportOf = (scenario, out, how = "run") => {
  const command = ["run", "-q", "-p", "backwater", "--", how, `scenarios/${scenario}`];
  const options = { cwd: ROOT, stdio: ["ignore", "ignore", "pipe"], encoding: "utf8" };
  const { stderr } = spawnSync("cargo", [...command, "--out", out], options);
  const page = join(out, "report.html");
  if (!existsSync(page)) throw new Error(`${scenario}: ${stderr}`);
  return pathToFileURL(page).href;
};

const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--force-device-scale-factor=1",
  "--window-size=1400,1000",
];

export class Browser {
  // Starts chromedriver on a port of its own choice, and a browser with a profile of its own.
  static async start() {
    const browser = new Browser();
    browser.profile = mkdtempSync(join(tmpdir(), "report-test-"));
    browser.driver = spawn(process.env.CHROMEDRIVER ?? "chromedriver", ["--port=0"], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    try {
      const port = await new Promise((resolve, reject) => {
        let said = "";
        browser.driver.stdout.on("data", (text) => {
          said += text;
          const found = said.match(/successfully on port (\d+)/);
          if (found) resolve(found[1]);
        });
        browser.driver.on("error", reject);
        browser.driver.on("exit", () => reject(new Error(`chromedriver ended: ${said}`)));
      });
      browser.base = `http://127.0.0.1:${port}`;
      const { sessionId } = await browser.call("POST", "/session", {
        capabilities: {
          alwaysMatch: {
            browserName: "chrome",
            // A page that hangs fails its test instead of hanging it.
            timeouts: { pageLoad: 30_000, script: 15_000 },
            "goog:chromeOptions": {
              args: [...FLAGS, `--user-data-dir=${browser.profile}`],
              binary: process.env.CHROMIUM ?? "/usr/bin/chromium",
            },
            "goog:loggingPrefs": { browser: "ALL", performance: "ALL" },
          },
        },
      });
      browser.session = `/session/${sessionId}`;
      // What the browser's own first page did is nobody's concern.
      await browser.open("about:blank");
      for (const type of ["performance", "browser"]) await browser.log(type);
      return browser;
    } catch (error) {
      await browser.stop();
      throw error;
    }
  }

  async call(method, path, body) {
    const response = await fetch(this.base + path, {
      method,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const { value } = await response.json();
    if (!response.ok) throw new Error(`${path}: ${value?.message ?? response.status}`);
    return value;
  }

  post(path, body = {}) {
    return this.call("POST", this.session + path, body);
  }
  open(url) {
    return this.post("/url", { url });
  }
  devtools(cmd, params = {}) {
    return this.post("/goog/cdp/execute", { cmd, params });
  }
  log(type) {
    return this.post("/se/log", { type });
  }

  // Runs a function in the page; its arguments and its answer travel as JSON.
  run(page, ...args) {
    return this.post("/execute/sync", { script: `return (${page}).apply(null, arguments)`, args });
  }

  // The same in the page that a frame shows, which this one can't reach where it is sandboxed; null
  // where there is no such frame.
  async inside(frame, page, ...args) {
    const found = await this.post("/elements", { using: "css selector", value: frame });
    if (found.length === 0) return null;
    await this.post("/frame", { id: found[0] });
    try {
      return await this.run(page, ...args);
    } finally {
      await this.post("/frame", { id: null });
    }
  }

  // Moves of one mouse: ["move", x, y], ["down"], ["up"], ["wait", ms].
  async mouse(...moves) {
    const actions = moves.map(
      ([what, x, y]) =>
        ({
          move: {
            type: "pointerMove",
            duration: 40,
            x: Math.round(x),
            y: Math.round(y),
            origin: "viewport",
          },
          down: { type: "pointerDown", button: 0 },
          up: { type: "pointerUp", button: 0 },
          wait: { type: "pause", duration: x },
        })[what],
    );
    const source = { type: "pointer", id: "mouse", parameters: { pointerType: "mouse" }, actions };
    await this.post("/actions", { actions: [source] });
    await this.frames();
  }

  // A page hears of a move or of scrolling with its next frame, and draws with the one after.
  frames() {
    return this.run(
      () =>
        new Promise((resolve) =>
          requestAnimationFrame(() => requestAnimationFrame(() => resolve(true))),
        ),
    );
  }

  // Brings the nth element of a kind into view and says where it then is.
  async into(selector, nth = 0) {
    const find = (then) => this.run(then, selector, nth);
    await find((wanted, at) =>
      document.querySelectorAll(wanted)[at].scrollIntoView({ block: "center", behavior: "instant" }),
    );
    // Until a chart has heard that the page moved, it takes the mouse to be where it no longer is.
    await this.frames();
    return find((wanted, at) => {
      const { left, top, width, height } =
        document.querySelectorAll(wanted)[at].getBoundingClientRect();
      return { left, top, width, height };
    });
  }

  // The addresses of what was asked for since the last call.
  async requests() {
    const log = await this.log("performance");
    const events = log.map(({ message }) => JSON.parse(message).message);
    const sent = events.filter(({ method }) => method === "Network.requestWillBeSent");
    return sent.map(({ params }) => params.request.url);
  }

  async keys(...keys) {
    const actions = keys.flatMap((value) => [
      { type: "keyDown", value },
      { type: "keyUp", value },
    ]);
    await this.post("/actions", { actions: [{ type: "key", id: "keys", actions }] });
  }

  width(width, height = 900) {
    return this.devtools("Emulation.setDeviceMetricsOverride", {
      width,
      height,
      deviceScaleFactor: 1,
      mobile: false,
    });
  }

  scheme(value) {
    return this.devtools("Emulation.setEmulatedMedia", {
      features: [{ name: "prefers-color-scheme", value }],
    });
  }

  // The whole page, top to bottom, as a PNG.
  async picture(file) {
    const { data } = await this.devtools("Page.captureScreenshot", { captureBeyondViewport: true });
    writeFileSync(file, Buffer.from(data, "base64"));
  }

  async stop() {
    if (this.session) await this.call("DELETE", this.session).catch(() => {});
    if (this.driver && this.driver.exitCode === null) {
      const ended = new Promise((resolve) => this.driver.once("exit", resolve));
      if (this.driver.kill()) await ended;
    }
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}
