// Pictures of the main pages for the documents: node pictures.mjs FOLDER
// Phone and desktop, light and dark; run after a change that people see (`cargo xtask pictures`).

import { DESKTOP, PHONE, signInByLink, startBrowser, startService, tell } from "./harness.mjs";

const folder = process.argv[2];
/** With `all` as well: every other page, to be looked at and not kept. */
const all = process.argv[3] === "all";
const FEVER = { age: 30, sex: "Female", place: "Lagos", story: "Fever and headache for three days, chills at night, no cough. She feels weak and has no appetite." };
const HEART = { age: 58, sex: "Male", place: "Lagos", story: "Sudden crushing chest pain for one hour, sweating, pain goes into the left arm, short of breath." };

const service = await startService({ LAFIYA_RATE_LIMIT_PER_MINUTE: "100", LAFIYA_WEBHOOK_ALLOW_INSECURE_TARGETS: "true" });
const browser = await startBrowser();
for (const [size, viewport] of [["desktop", DESKTOP], ["phone", PHONE]]) {
  for (const colorScheme of ["light", "dark"]) {
    const context = await browser.newContext({ viewport, colorScheme, deviceScaleFactor: 1 });
    const page = await context.newPage();
    page.on("dialog", (dialog) => dialog.accept());
    const take = (name) => page.screenshot({ path: `${folder}/${name}-${size}-${colorScheme}.png` });
    const look = async (name, path) => {
      if (!all) return;
      if (path) await page.goto(`${service.url}${path}`);
      await page.screenshot({ path: `${folder}/all-${name}-${size}-${colorScheme}.png`, fullPage: true });
    };
    await page.goto(`${service.url}/?example=0`);
    await take("consult");
    await tell(page, service.url, FEVER);
    await look("heard");
    await page.getByRole("button", { name: "go on" }).click();
    await page.getByText("Why we ask").waitFor();
    await take("question");
    await page.getByRole("link", { name: "See the answer so far" }).click();
    await page.waitForURL("**/cases/*");
    await take("answer");
    await look("answer");
    await look("letter", new URL(`${page.url()}/letter`).pathname);
    await tell(page, service.url, HEART);
    await look("alarm");
    await page.getByRole("button", { name: "Get the answer now" }).click();
    await page.waitForURL("**/cases/*");
    await take("emergency");
    await page.goto(`${service.url}/knowledge`);
    await take("knowledge");
    await look("docs", "/docs");
    await page.goto(`${service.url}/docs/start/examples`);
    await page.locator("#example-0").getByRole("button", { name: "Run in the sandbox" }).click();
    await page.locator("#example-0 .answered").waitFor();
    await take("examples");
    await look("examples");
    for (const path of ["/sign-in", "/nowhere", "/knowledge/changes", "/docs/errors", "/docs/privacy"]) await look(path.slice(1).replaceAll("/", "-"), path);
    const email = `${size}-${colorScheme}@clinic.example`;
    const made = service.command("user", "create", email, "--tenant", "demo", "--role", "owner", "--operator");
    await signInByLink(page, made.sign_in_link);
    await look("account");
    if (all) {
      await page.goto(`${service.url}/dashboard/webhooks`);
      await page.getByLabel("Address").fill(`http://127.0.0.1:9/${size}-${colorScheme}`);
      await page.getByRole("button", { name: "Register" }).click();
      await look("secret");
      await page.getByRole("button", { name: new RegExp(`Send a test to .*${size}-${colorScheme}`) }).click();
      await page.waitForURL("**/dashboard/webhooks/*");
      await look("webhook");
      await page.getByRole("link", { name: "webhook.test" }).first().click();
      await page.getByRole("heading", { name: "Payload" }).waitFor();
      await look("delivery");
      for (const place of ["assessments", "members", "audit"]) await look(place, `/dashboard/${place}`);
      await page.goto(`${service.url}/dashboard/assessments`);
      await page.locator("td a").first().click();
      await look("assessment");
    }
    await page.goto(`${service.url}/dashboard/keys`);
    await take("keys");
    await page.goto(`${service.url}/dashboard/operator`);
    await look("operator");
    await page.goto(`${service.url}/dashboard/usage`);
    await take("dashboard");
    await context.close();
  }
}
await browser.close();
await service.stop();
