// Draws icon.png, which the marketplace wants, from icon.svg.
// node media/make-icon.mjs [path of a Chromium]
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const SIZE = 256;
const executablePath = process.argv[2] ?? "/usr/bin/chromium";
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: SIZE, height: SIZE } });
await page.setContent(`<body style="margin:0">${readFileSync("media/icon.svg", "utf8")}</body>`);
await page.screenshot({ path: "media/icon.png", omitBackground: true });
await browser.close();
