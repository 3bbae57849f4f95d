// The real binary on a free port with a folder of its own, and a real browser in front of it.

import { spawn, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, readFileSync, existsSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const BINARY = process.env.LAFIYA_BLACKBOX_BINARY ?? "target/debug/lafiya";
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const READY_WITHIN_MS = 60_000;

function findChromium() {
  const named = process.env.LAFIYA_CHROMIUM;
  const known = [named, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
  const found = known.find((path) => path && existsSync(path));
  if (!found) throw new Error("no Chromium found; install Debian's package chromium");
  return found;
}

/** Starts the service; gives its address, the keys and the link of the first start. */
export async function startService(settings = {}) {
  const folder = mkdtempSync(join(tmpdir(), "lafiya-browser-"));
  const env = {
    ...process.env,
    LAFIYA_LISTEN: "127.0.0.1:0",
    LAFIYA_DATA_DIR: join(folder, "data"),
    LAFIYA_LOG_LEVEL: "warn",
    LAFIYA_ANONYMOUS_RATE_LIMIT_PER_MINUTE: "1000000",
    LAFIYA_RATE_LIMIT_PER_MINUTE: "1000000",
    ...settings,
  };
  const child = spawn(BINARY, [], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  child.stderr.on("data", (text) => (printed += text));
  await new Promise((ready, failed) => {
    const late = setTimeout(() => failed(new Error(`the service did not start:\n${printed}`)), READY_WITHIN_MS);
    child.on("exit", (code) => failed(new Error(`the service ended with ${code}:\n${printed}`)));
    child.stdout.on("data", (text) => {
      printed += text;
      if (/\n\n$/.test(printed)) { clearTimeout(late); ready(); }
    });
  });
  const url = printed.match(/Web app +(\S+?)\/?\n/)[1];
  // Standard output is not a terminal, so the secrets of the first start are in a file.
  const file = printed.match(/sign-in link are in (\S+)/)?.[1];
  const secrets = file ? readFileSync(join(folder, file.replace(`${folder}/`, "")), "utf8") : printed;
  const word = (pattern) => secrets.match(pattern)?.[0];
  for (let tries = 0; tries < 200; tries += 1) {
    try { if ((await fetch(`${url}/v1/health`)).ok) break; } catch { /* not yet listening */ }
    await new Promise((again) => setTimeout(again, 50));
  }
  return {
    url,
    link: word(/http\S+\/sign-in\/link\/\S+/),
    sandboxKey: word(/sk_test_\w+/),
    liveKey: word(/sk_live_\w+/),
    /** Runs an admin command; gives what it answered as JSON. */
    command(...words) {
      return JSON.parse(execFileSync(BINARY, [...words, "--json"], { cwd: folder, env: { ...env, LAFIYA_PUBLIC_URL: url }, encoding: "utf8" }));
    },
    async stop() {
      child.removeAllListeners("exit");
      const ended = new Promise((done) => child.on("exit", done));
      child.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function startBrowser() {
  return chromium.launch({ executablePath: findChromium(), args: ["--no-sandbox", "--disable-dev-shm-usage", "--force-color-profile=srgb"] });
}

export const PHONE = { width: 390, height: 844 };
export const DESKTOP = { width: 1280, height: 900 };

/** Signs in with a one-time link and sets a password. */
export async function signInByLink(page, link, password) {
  await page.goto(link);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.waitForURL("**/dashboard/account");
  if (password) {
    await page.getByLabel("New password").fill(password);
    await page.getByRole("button", { name: "Save password" }).click();
    await page.getByRole("heading", { name: "Change the password" }).waitFor();
  }
}

/** Tells a case up to the page of what was understood. */
export async function tell(page, url, { age, unit = "years", sex, place = "", story }) {
  await page.goto(url);
  await page.getByLabel("The complaint").fill(story);
  await page.getByLabel("Age", { exact: true }).fill(String(age));
  await page.getByLabel("Unit of the age").selectOption(unit);
  await page.getByLabel(sex, { exact: true }).check({ force: true });
  await page.getByLabel("Place").fill(place);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText("What we understood").waitFor();
}

/** Serious and critical findings of axe-core on the page as it stands. */
export async function accessibilityFindings(page) {
  // The page's policy forbids foreign scripts; the driver evaluates axe outside of it.
  await page.evaluate(AXE);
  const report = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  const grave = report.violations.filter((it) => ["serious", "critical"].includes(it.impact));
  return grave.map((it) => `${it.id}: ${it.help} (${it.nodes.map((node) => node.target.join(" ")).slice(0, 3).join(", ")})`);
}

/** Bytes over the network that loading a page from nothing takes. */
export async function weightOf(browser, address) {
  const context = await browser.newContext({ viewport: PHONE });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  let bytes = 0;
  await session.send("Network.enable");
  session.on("Network.loadingFinished", (event) => (bytes += event.encodedDataLength));
  await page.goto(address, { waitUntil: "networkidle" });
  await context.close();
  return bytes;
}
