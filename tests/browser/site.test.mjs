// The site as readers see it: no picture of any page is without a size, wide or narrow, light or dark.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { Browser } from "./driver.mjs";

const book = process.env.BOOK ?? "runs/site/book";
const skip = !existsSync(join(book, "index.html")) && "there is no site: `make site` makes it";

// Pages of the book; reports and the playground have tests of their own, and print.html has all again.
const pages = (folder, from = "") =>
  readdirSync(join(folder, from), { withFileTypes: true }).flatMap((entry) => {
    const path = join(from, entry.name);
    if (entry.isDirectory()) return entry.name === "live" ? [] : pages(folder, path);
    return /\.html$/.test(path) && !/^(print|404|toc)\.html$/.test(path) ? [path] : [];
  });

let browser;
before(async () => {
  browser = await Browser.start();
});
after(() => browser.stop());

// Sources of the pictures in `main` that take no room, or are not there, as they are now.
const sizeless = () =>
  browser.run(() =>
    [...document.querySelectorAll("main img")]
      .filter((image) => {
        // The book has each once more, hidden, to show it large.
        if (!image.checkVisibility()) return false;
        const { width, height } = image.getBoundingClientRect();
        return width < 40 || height < 20 || image.naturalWidth === 0;
      })
      .map((image) => image.getAttribute("src")),
  );
// Pictures further down come when somebody scrolls there, and on a busy machine after the page.
const areLoaded = () =>
  browser.run(() => {
    const pictures = [...document.querySelectorAll("main img")];
    for (const picture of pictures) picture.loading = "eager";
    return pictures.every((picture) => picture.complete);
  });
const ofPage = async (file) => {
  await browser.open(pathToFileURL(file).href);
  for (let tries = 0; tries < 300 && !(await areLoaded()); tries++) await sleep(100);
  const found = [];
  for (const scheme of ["light", "dark"])
    for (const width of [1400, 400]) {
      await browser.scheme(scheme);
      await browser.width(width);
      await browser.frames();
      found.push(...(await sizeless()).map((src) => `${src} at ${width} px, ${scheme}`));
    }
  return { found, pictures: await browser.run(() => document.querySelectorAll("main img").length) };
};

test("every picture of every page has a size", { skip, timeout: 600_000 }, async () => {
  const all = pages(book).filter((page) => readFileSync(join(book, page), "utf8").includes("<img"));
  let pictures = 0;
  for (const page of all) {
    const own = await ofPage(join(book, page));
    assert.deepEqual(own.found, [], page);
    pictures += own.pictures;
  }
  assert.ok(all.length > 8 && pictures > 30, `${pictures} pictures on ${all.length} pages`);
});

// A drawing without a size, inside a link that the book makes as wide as what it holds.
test("a picture without a size is seen", async () => {
  const folder = mkdtempSync(join(tmpdir(), "site-test-"));
  const drawing = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 4"><path d="M0 0h8"/></svg>';
  const page =
    '<!doctype html><style>a:has(img){display:inline-block}img{max-width:100%}</style>' +
    '<main><a href="#"><img src="p.svg" alt="p"></a></main>';
  writeFileSync(join(folder, "p.svg"), drawing);
  writeFileSync(join(folder, "a.html"), page);
  const { found } = await ofPage(join(folder, "a.html"));
  rmSync(folder, { recursive: true });
  assert.equal(found.length, 4, found.join());
});
