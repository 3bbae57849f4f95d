// The web app as people use it: the real binary, a real browser. Each test's name is a promise.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { PHONE, accessibilityFindings, signInByLink, startBrowser, startService, tell, weightOf } from "./harness.mjs";

const PASSWORD = "four unrelated words";
const FEVER = { age: 30, sex: "Female", place: "Lagos", story: "Fever and headache for three days, chills at night, no cough." };
let service;
let browser;

before(async () => {
  [service, browser] = await Promise.all([startService({ LAFIYA_WEBHOOK_ALLOW_INSECURE_TARGETS: "true" }), startBrowser()]);
});
after(async () => {
  await browser?.close();
  await service?.stop();
});

async function visitor(options = {}) {
  const context = await browser.newContext({ viewport: PHONE, ...options });
  context.setDefaultTimeout(20_000);
  return context.newPage();
}

async function member(role, tenant = "demo", ...more) {
  const email = `${role}-${Math.random().toString(36).slice(2)}@${tenant}.example`;
  const made = service.command("user", "create", email, "--tenant", tenant, "--role", role, ...more);
  const page = await visitor();
  await signInByLink(page, made.sign_in_link, PASSWORD);
  return { page, email };
}

/** Answers until the result is there; gives the number of questions. */
async function answerAll(page, answer) {
  for (let asked = 0; asked < 30; asked += 1) {
    if (page.url().includes("/cases/")) return asked;
    await page.getByText("Why we ask").waitFor();
    await page.getByRole("button", { name: answer, exact: true }).click();
    await page.waitForLoadState();
  }
  throw new Error("the questions never end");
}

test("from the first visit to an answer without signing in, at the machine", async () => {
  const page = await visitor();
  await tell(page, service.url, FEVER);
  await page.getByText("Lagos", { exact: false }).first().waitFor();
  assert.equal(await page.locator('input[name="choice.s_fever"][value="present"]').isChecked(), true);
  assert.equal(await page.locator('input[name="choice.s_cough"][value="absent"]').isChecked(), true);
  await page.getByRole("button", { name: "go on" }).click();
  const asked = await answerAll(page, "No");
  assert.ok(asked > 0, "at least one question is asked");
  await page.getByRole("heading", { name: "What it may be" }).waitFor();
  await page.getByText("Decision support for trained staff").first().waitFor();
  assert.ok((await page.locator("article.condition").count()) >= 3);
});

test("a consultation in Pidgin works without scripts", async () => {
  const page = await visitor({ javaScriptEnabled: false });
  await tell(page, service.url, { age: 3, sex: "Male", place: "Kano", story: "My pikin body dey hot since three days, e dey purge and vomit." });
  assert.ok((await page.locator(".heard li").count()) >= 3, "fever, diarrhoea and vomiting are understood");
  await page.getByLabel("Anything missing?").fill("no cough");
  await page.getByRole("button", { name: "Add it" }).click();
  assert.equal(await page.locator('input[name="choice.s_cough"][value="absent"]').isChecked(), true);
  await page.getByRole("button", { name: "go on" }).click();
  await answerAll(page, "Don’t know");
  await page.getByRole("heading", { name: "What it may be" }).waitFor();
});

test("an emergency interrupts at once, before anything is confirmed and before any question", async () => {
  const page = await visitor();
  await tell(page, service.url, { age: 58, sex: "Male", story: "Sudden crushing chest pain for one hour, sweating, pain goes into the left arm" });
  await page.getByRole("heading", { name: "This may be an emergency" }).waitFor();
  await page.getByRole("button", { name: "Get the answer now" }).click();
  await page.waitForURL("**/cases/*");
  await page.getByRole("heading", { name: "Emergency", exact: true }).waitFor();
  await page.getByRole("link", { name: "Referral letter" }).first().click();
  await page.getByRole("heading", { name: "Referral", exact: true }).waitFor();
});

test("a danger sign that nobody told of, or that was not understood, is ticked", async () => {
  const page = await visitor({ javaScriptEnabled: false });
  await tell(page, service.url, { age: 4, sex: "Female", place: "Kano", story: "Please look at my daughter, we do not know what it is." });
  await page.getByRole("heading", { name: "Nothing was recognised" }).waitFor();
  await page.getByRole("button", { name: "go on" }).click();
  await page.getByText("At least one symptom must be present").first().waitFor();
  await page.getByLabel(/Unable to drink/).check();
  await page.getByRole("button", { name: "go on" }).click();
  await page.waitForURL("**/cases/*");
  await page.getByRole("heading", { name: "Emergency", exact: true }).waitFor();
});

test("an earlier answer can be changed", async () => {
  const page = await visitor();
  await tell(page, service.url, FEVER);
  await page.getByRole("button", { name: "go on" }).click();
  await page.getByText("Why we ask").waitFor();
  const first = await page.locator("h1").textContent();
  await page.getByRole("button", { name: "No", exact: true }).click();
  await page.getByRole("link", { name: "Back to the last question" }).click();
  assert.equal(await page.locator("h1").textContent(), first);
  await page.getByText("Answered before").waitFor();
  await page.getByRole("button", { name: "Don’t know" }).click();
  await page.waitForLoadState();
  assert.notEqual(await page.locator("h1").textContent(), first);
});

/** A page's own words, without what may be added to it later. */
function asFiled(html) {
  return html.replace(/<section[^>]*id="replaced".*?<\/section>/s, "").replace(/<p[^>]*id="next-step".*?<\/p>/s, "");
}

test("a filed case, its letter and its record stay as they were, and say what replaced them", async () => {
  const { page } = await member("owner");
  await tell(page, service.url, { ...FEVER, story: "Fever and headache for three days. Temperature 39.5." });
  await page.getByRole("button", { name: "go on" }).click();
  await page.getByText("Why we ask").waitFor();
  const question = page.url();
  await page.getByRole("link", { name: "See the answer so far" }).click();
  await page.waitForURL("**/cases/*");
  const first = new URL(page.url()).pathname;
  const id = first.split("/").pop();
  assert.match(await page.locator("#known + ul").textContent(), /Body temperature\s*39.5 °C/);
  const read = async (path) => (await page.context().request.get(`${service.url}${path}`)).text();
  const paths = [first, `${first}/letter`, `/dashboard/assessments/${id}`];
  const before = await Promise.all(paths.map(read));
  assert.ok(before[1].includes("Body temperature (39.5 °C)"), "the letter tells the value");
  await page.goto(question);
  for (const answer of ["Yes", "Yes", "No"]) {
    await page.getByRole("button", { name: answer, exact: true }).click();
    await page.waitForLoadState();
    if (page.url().includes("/cases/")) break;
  }
  const after = await Promise.all(paths.map(read));
  for (const [place, path] of paths.entries()) {
    assert.equal(asFiled(after[place]), asFiled(before[place]), path);
    assert.ok(!before[place].includes('id="replaced"') && after[place].includes('id="replaced"'), path);
  }
  await page.goto(`${service.url}${first}/letter`);
  await page.emulateMedia({ media: "print" });
  assert.equal(await page.getByText("A later answer replaced this one").isVisible(), true, "paper says so too");
  await page.emulateMedia({ media: "screen" });
  await page.goto(`${service.url}${first}`);
  await page.getByRole("link", { name: "open the answer that replaced it" }).click();
  await page.getByText("It replaces an earlier answer").waitFor();
  await page.getByRole("link", { name: "an earlier answer" }).click();
  assert.equal(new URL(page.url()).pathname, first);
  assert.deepEqual(await accessibilityFindings(page), []);
});

test("mistakes in the form are said beside the field, and nothing typed is lost", async () => {
  const page = await visitor({ javaScriptEnabled: false });
  await page.goto(service.url);
  await page.locator("form.card").evaluate((form) => (form.noValidate = true));
  await page.getByLabel("The complaint").fill("fever");
  await page.getByLabel("Age", { exact: true }).fill("200");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText("The age must be 0 to 120 years.").waitFor();
  await page.getByText("Choose one.").waitFor();
  assert.equal(await page.getByLabel("The complaint").inputValue(), "fever");
});

test("a lost connection in the middle of a consultation loses nothing", async () => {
  const page = await visitor();
  await page.goto(service.url);
  await page.getByLabel("The complaint").fill(FEVER.story);
  await page.getByLabel("Age", { exact: true }).fill("30");
  await page.getByLabel("Female", { exact: true }).check({ force: true });
  await page.context().setOffline(true);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText("Nothing is lost").waitFor();
  await page.context().setOffline(false);
  await page.getByRole("button", { name: /try again/i }).click();
  await page.getByText("What we understood").waitFor();
  await page.locator('input[name="measure.s_body_temperature"]').fill("39.5");
  await page.context().setOffline(true);
  await page.getByRole("button", { name: "go on" }).click();
  await page.getByText("Nothing is lost").waitFor();
  await page.context().setOffline(false);
  await page.getByRole("button", { name: /try again/i }).click();
  await page.getByText("Why we ask").waitFor();
  await page.getByText("39.5 °C").waitFor();
  const first = await page.locator("h1").textContent();
  await page.context().setOffline(true);
  await page.getByRole("button", { name: "No", exact: true }).click();
  await page.getByText("Nothing is lost").waitFor();
  await page.context().setOffline(false);
  await page.getByRole("button", { name: /try again/i }).click();
  await page.waitForFunction((before) => document.querySelector("h1").textContent !== before, first);
});

test("Back, Forward and Reload keep the place and what was typed", async () => {
  const page = await visitor();
  await tell(page, service.url, FEVER);
  const temperature = page.locator('input[name="measure.s_body_temperature"]');
  await temperature.fill("39.5");
  await page.reload();
  await temperature.waitFor();
  assert.equal(await temperature.inputValue(), "39.5");
  await page.goBack();
  await page.getByLabel("The complaint").waitFor();
  assert.equal(await page.getByLabel("The complaint").inputValue(), FEVER.story);
  await page.goForward();
  await temperature.waitFor();
  assert.equal(await temperature.inputValue(), "39.5");
  await page.getByRole("button", { name: "go on" }).click();
  await page.getByText("Why we ask").waitFor();
  const first = await page.locator("h1").textContent();
  await page.getByRole("button", { name: "No", exact: true }).click();
  await page.waitForFunction((before) => document.querySelector("h1").textContent !== before, first);
  await page.goBack();
  await page.waitForFunction((before) => document.querySelector("h1").textContent === before, first);
  await page.getByText("Answered before").waitFor();
});

test("what is typed is removed at sign-out, in every tab, and with a new patient", async () => {
  const { page } = await member("clinician");
  const kept = (tab) => tab.evaluate(() => Object.keys(sessionStorage).filter((name) => name.startsWith("lafiya.")).length);
  const other = await page.context().newPage();
  for (const tab of [page, other]) {
    await tell(tab, service.url, FEVER);
    assert.ok((await kept(tab)) > 0);
  }
  await other.getByRole("link", { name: "Start again" }).click();
  await other.getByLabel("The complaint").waitFor();
  assert.equal(await other.getByLabel("The complaint").inputValue(), "");
  await other.getByLabel("The complaint").fill("cough");
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL("**/sign-in*");
  for (const tab of [page, other]) assert.equal(await kept(tab), 0);
});

test("a key is created, rotated and revoked, and the API reacts", async () => {
  const { page } = await member("developer");
  page.on("dialog", (dialog) => dialog.accept());
  const status = async (key) => (await fetch(`${service.url}/v1/symptoms`, { headers: { authorization: `Bearer ${key}` } })).status;
  await page.goto(`${service.url}/dashboard/keys`);
  await page.getByRole("button", { name: "Create key" }).click();
  await page.locator("#key").waitFor();
  assert.deepEqual(await accessibilityFindings(page), [], "the page that shows a key");
  const key = (await page.locator("#key").textContent()).trim();
  assert.match(key, /^sk_test_\w{43}$/);
  assert.equal(await status(key), 200);
  await page.goto(`${service.url}/dashboard/keys`);
  const line = page.getByRole("row").filter({ hasText: key.slice(0, 12) });
  await line.getByText("1 of 1,000,000").waitFor();
  const shown = `${key.slice(0, 12)}…`;
  await page.getByRole("button", { name: `Rotate ${shown}` }).click();
  await page.getByText("Your new sandbox key").waitFor();
  const next = (await page.locator("#key").textContent()).trim();
  assert.notEqual(next, key);
  assert.deepEqual([await status(key), await status(next)], [401, 200]);
  await page.getByRole("button", { name: `Revoke ${next.slice(0, 12)}…` }).click();
  await page.waitForURL("**/dashboard/keys");
  assert.equal(await status(next), 401);
  assert.equal(await page.getByText(next).count(), 0, "a key is shown once");
});

test("a webhook is registered, tested and seen delivered", async () => {
  const received = [];
  const receiver = createServer((request, response) => {
    received.push(request.headers);
    request.resume();
    response.writeHead(204).end();
  });
  await new Promise((ready) => receiver.listen(0, "127.0.0.1", ready));
  const address = `http://127.0.0.1:${receiver.address().port}/hook`;
  const { page } = await member("developer");
  await page.goto(`${service.url}/dashboard/webhooks`);
  await page.getByLabel("Address").fill(address);
  await page.getByRole("button", { name: "Register" }).click();
  assert.match(await page.locator("#secret").textContent(), /whsec_/);
  await page.getByRole("button", { name: `Send a test to ${address}` }).click();
  await page.waitForURL("**/dashboard/webhooks/*");
  await until(async () => {
    await page.reload();
    return (await page.getByText("delivered", { exact: true }).count()) > 0;
  });
  assert.ok(received[0]["webhook-signature"].startsWith("v1,"));
  await page.getByText("HTTP 204").first().waitFor();
  await page.getByRole("link", { name: "webhook.test" }).first().click();
  await page.getByRole("heading", { name: "Payload" }).waitFor();
  const payload = JSON.parse(await page.locator("#body").textContent());
  assert.deepEqual([payload.type, payload.id], ["webhook.test", received[0]["webhook-id"]]);
  await page.getByRole("button", { name: "Send again now" }).click();
  await page.getByRole("heading", { name: "Payload" }).waitFor();
  await until(async () => received.length === 2);
  assert.equal(received[1]["webhook-id"], received[0]["webhook-id"], "the same event, again");
  assert.deepEqual(await accessibilityFindings(page), []);
  receiver.close();
});

async function until(holds) {
  for (let tries = 0; tries < 100; tries += 1) {
    if (await holds()) return;
    await new Promise((again) => setTimeout(again, 100));
  }
  throw new Error("it never came true");
}

test("five wrong passwords lock the account, even for the right one", async () => {
  const { email } = await member("clinician");
  const page = await visitor();
  for (const password of [...Array(5).fill("wrong password"), PASSWORD]) {
    await page.goto(`${service.url}/sign-in`);
    await page.getByLabel("Email").fill(email);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").waitFor();
  }
  await page.getByText(/wrong, or there were more than \d+ tries/).waitFor();
});

test("a password signs in, and signing out ends the session", async () => {
  const { email } = await member("owner");
  const page = await visitor();
  await page.goto(`${service.url}/dashboard/members`);
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL("**/dashboard/members");
  const cookie = (await page.context().cookies()).find((it) => it.name.endsWith("lafiya-session"));
  assert.deepEqual([cookie.httpOnly, cookie.sameSite], [true, "Lax"]);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL("**/sign-in");
  await page.context().addCookies([cookie]);
  await page.goto(`${service.url}/dashboard`);
  assert.match(page.url(), /sign-in/, "the old cookie is worth nothing");
});

test("a form without its token, or from another site, is refused", async () => {
  const { page } = await member("developer");
  const send = (headers, body) => page.context().request.post(`${service.url}/dashboard/keys`, { headers, form: body });
  assert.equal((await send({}, { environment: "live" })).status(), 403);
  const token = await page.locator('input[name="form_token"]').first().inputValue();
  const good = { environment: "live", form_token: token };
  assert.equal((await send({ "sec-fetch-site": "cross-site" }, good)).status(), 403);
  assert.equal((await send({ origin: "https://evil.example" }, good)).status(), 403);
  const stranger = await visitor();
  const answer = await stranger.context().request.post(`${service.url}/dashboard/keys`, { form: good });
  assert.equal(answer.status(), 403);
  assert.equal((await send({}, good)).status(), 200);
});

test("members of one tenant cannot open another tenant's pages", async () => {
  service.command("tenant", "create", "other", "--tier", "pilot");
  const { page: ours } = await member("owner");
  await tell(ours, service.url, FEVER);
  await ours.getByRole("button", { name: "go on" }).click();
  await ours.waitForURL("**/consult/*");
  const question = ours.url();
  await ours.getByRole("link", { name: "See the answer so far" }).click();
  await ours.waitForURL("**/cases/*");
  const caseUrl = ours.url();
  const id = caseUrl.split("/").pop();
  const { page: theirs } = await member("owner", "other");
  await ours.goto(`${service.url}/dashboard/webhooks`);
  await ours.getByLabel("Address").fill("https://example.org/hook");
  await ours.getByRole("button", { name: "Register" }).click();
  await ours.locator("#secret").waitFor();
  const webhook = await ours.getByRole("link", { name: "https://example.org/hook" }).getAttribute("href");
  for (const address of [caseUrl, `${caseUrl}/letter`, question, `${service.url}/dashboard/assessments/${id}`, `${service.url}${webhook}`]) {
    assert.equal((await theirs.goto(address)).status(), 404, address);
  }
  const stranger = await visitor({ extraHTTPHeaders: { "x-forwarded-for": "192.0.2.1" } });
  await stranger.goto(caseUrl);
  assert.match(stranger.url(), /sign-in/, "a case's address leads strangers to the door");
  assert.equal((await ours.goto(caseUrl)).status(), 200);
});

test("a role opens what it includes and nothing else", async () => {
  const { page } = await member("clinician");
  for (const [path, status] of [["assessments", 200], ["account", 200], ["keys", 403], ["members", 403], ["audit", 403], ["operator", 403]]) {
    assert.equal((await page.goto(`${service.url}/dashboard/${path}`)).status(), status, path);
  }
});

test("one-time codes are asked for once they are on", async () => {
  const { page, email } = await member("clinician");
  const secret = await page.locator('input[name="secret"]').inputValue();
  await page.getByLabel("Code the app shows").fill(await codeFor(secret));
  await page.getByRole("button", { name: "Turn codes on" }).click();
  await page.getByRole("button", { name: "Turn codes off" }).waitFor();
  const other = await visitor();
  await other.goto(`${service.url}/sign-in`);
  await other.getByLabel("Email").fill(email);
  await other.getByLabel("Password").fill(PASSWORD);
  await other.getByRole("button", { name: "Sign in" }).click();
  await other.getByText("with the code of your app").waitFor();
});

test("the documentation's examples run from the page without a key, and as they are in three languages", async () => {
  const page = await visitor({ javaScriptEnabled: false });
  const address = `${service.url}/docs/start/examples`;
  await page.goto(address);
  const count = await page.locator("form.run").count();
  assert.ok(count >= 5, `${count} examples`);
  for (let number = 0; number < count; number += 1) {
    await page.locator(`#example-${number}`).getByRole("button", { name: "Run in the sandbox" }).click();
    const form = page.locator(`#example-${number}`);
    await form.getByRole("status").waitFor();
    const status = Number((await form.locator(".level").textContent()).slice(0, 3));
    const answer = JSON.parse(await form.locator(".answered pre").textContent());
    const programs = [["sh", 0], ["python3", 1], ["node", 2]].slice(0, number < 2 ? 3 : 1);
    for (const [program, pane] of programs) {
      const code = await page.locator(`#code-${number}-${pane}`).textContent();
      const own = JSON.parse(runCode(program, code));
      assert.deepEqual(Object.keys(own), Object.keys(answer), `${program}, example ${number}, ${status}`);
    }
  }
  const html = await page.content();
  assert.ok(!/sk_(test|live)_\w{20}/.test(html), "no key is on the page");
});

test("an example of the documentation can be changed before it is run", async () => {
  const { page } = await member("clinician");
  await page.goto(`${service.url}/docs/start/examples`);
  const form = page.locator("#example-0");
  await form.getByText("Change the request").click();
  await form.getByLabel("Body of the request").fill('{"text": "cough for two days"}');
  await form.getByRole("button", { name: "Run in the sandbox" }).click();
  await page.locator("#example-0 .answered").getByText('"s_cough"').first().waitFor();
  assert.deepEqual(await accessibilityFindings(page), []);
});

/** Runs what a page shows, with the sandbox key in the environment; gives what it printed. */
function runCode(program, code) {
  const arguments_ = program === "node" ? ["--input-type=module", "-e", code] : ["-c", code];
  const env = { ...process.env, LAFIYA_KEY: service.sandboxKey };
  const ran = spawnSync(program, arguments_, { env, encoding: "utf8" });
  return ran.stdout;
}

test("the operator sells another tier and moves a tenant to another country", async () => {
  service.command("tenant", "create", "moved", "--tier", "pilot");
  const { page } = await member("owner", "demo", "--operator");
  await page.goto(`${service.url}/dashboard/operator`);
  await page.getByText("Facility registers").waitFor();
  const row = () => page.getByRole("row").filter({ hasText: "moved" });
  await row().getByText("Change", { exact: true }).click();
  await row().getByLabel("Tier of moved", { exact: true }).selectOption("professional");
  await row().getByRole("button", { name: "Set the tier of moved" }).click();
  await row().getByText("2,500").waitFor();
  await row().getByText("Change", { exact: true }).click();
  await row().getByLabel("Home country of moved", { exact: true }).fill("gh");
  await row().getByRole("button", { name: "Set the country of moved" }).click();
  await row().getByText("GH", { exact: true }).waitFor();
  const tenant = service.command("tenant", "list").find((it) => it.name === "moved");
  assert.deepEqual([tenant.tier, tenant.home_country], ["professional", "GH"]);
  const { page: owner } = await member("owner", "moved");
  await owner.goto(`${service.url}/dashboard/audit`);
  await owner.getByText("tenant.set_tier").waitFor();
  assert.equal((await owner.goto(`${service.url}/dashboard/operator`)).status(), 403);
});

test("a printed answer shows everything and no navigation", async () => {
  const page = await visitor({ viewport: { width: 800, height: 1100 } });
  await tell(page, service.url, FEVER);
  await page.getByRole("button", { name: "go on" }).click();
  await page.getByRole("link", { name: "See the answer so far" }).click();
  await page.waitForURL("**/cases/*");
  await page.emulateMedia({ media: "print" });
  assert.equal(await page.locator("header.top").isVisible(), false);
  assert.equal(await page.getByRole("heading", { name: "What it may be" }).isVisible(), true);
  const pdf = await page.pdf({ format: "A4" });
  assert.ok(pdf.length > 10_000);
});

test("no page is wider than a phone", async () => {
  const { page } = await member("owner", "demo", "--operator");
  const paths = ["/", "/knowledge", "/knowledge/changes", "/docs", "/docs/start/examples", "/docs/errors", "/docs/privacy", "/sign-in", ...DASHBOARD.map((path) => `/dashboard/${path}`)];
  await page.setViewportSize({ width: 360, height: 740 });
  for (const path of paths) {
    await page.goto(`${service.url}${path}`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(wide <= 0, `${path} is ${wide} px too wide`);
  }
});

async function codeFor(secret) {
  const { createHmac } = await import("node:crypto");
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = [...secret].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, "0")).join("");
  const key = Buffer.from(bits.match(/.{8}/g).map((byte) => parseInt(byte, 2)));
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)));
  const hash = createHmac("sha1", key).update(step).digest();
  const at = hash[19] & 15;
  return String((hash.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}

test("every page is free of serious accessibility faults, in light and dark", async () => {
  const made = service.command("user", "create", "axe@demo.example", "--tenant", "demo", "--role", "owner", "--operator");
  for (const colorScheme of ["light", "dark"]) {
    const page = await visitor({ colorScheme });
    const check = async (name) => assert.deepEqual(await accessibilityFindings(page), [], `${name}, ${colorScheme}`);
    const open = async (path) => { await page.goto(`${service.url}${path}`); await check(path); };
    for (const path of ["/", "/sign-in", "/knowledge", "/knowledge/rules?q=neck", "/docs/start/examples", "/nowhere"]) await open(path);
    if (colorScheme === "light") for (const path of ["/knowledge/sources", "/knowledge/changes", "/docs", "/docs/errors", "/docs/privacy", "/docs/limits"]) await open(path);
    await page.goto(`${service.url}/knowledge/conditions`);
    await page.locator(".list a").first().click();
    await check("a condition");
    await tell(page, service.url, FEVER);
    await check("what was understood");
    await page.getByRole("button", { name: "go on" }).click();
    await page.getByText("Why we ask").waitFor();
    await check("a question");
    await page.getByRole("link", { name: "See the answer so far" }).click();
    await page.waitForURL("**/cases/*");
    await page.locator("details").evaluateAll((folds) => folds.forEach((fold) => (fold.open = true)));
    await check("the answer");
    await page.goto(`${page.url()}/letter`);
    await check("the letter");
    if (colorScheme === "light") await signInByLink(page, made.sign_in_link, PASSWORD);
    else {
      await page.goto(`${service.url}/sign-in`);
      await page.getByLabel("Email").fill("axe@demo.example");
      await page.getByLabel("Password").fill(PASSWORD);
      await page.getByRole("button", { name: "Sign in" }).click();
    }
    for (const path of DASHBOARD) await open(`/dashboard/${path}`);
  }
});

const DASHBOARD = ["usage", "keys", "webhooks", "assessments", "members", "audit", "account", "operator"];

test("a page costs little over a slow network", async () => {
  for (const [path, most] of [["/", 60_000], ["/sign-in", 60_000], ["/knowledge", 60_000], ["/docs", 60_000], ["/docs/start/examples", 60_000]]) {
    const bytes = await weightOf(browser, `${service.url}${path}`);
    assert.ok(bytes > 5_000 && bytes < most, `${path} takes ${bytes} bytes`);
  }
});
