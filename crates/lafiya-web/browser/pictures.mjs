// Pictures of the main pages for the documents: node pictures.mjs FOLDER
// Phone and desktop, light and dark; run after a change that people see (`cargo xtask pictures`).

import { DESKTOP, PHONE, signInByLink, startBrowser, startService, tell } from "./harness.mjs";

const folder = process.argv[2];
const FEVER = { age: 30, sex: "Female", place: "Lagos", story: "Fever and headache for three days, chills at night, no cough. She feels weak and has no appetite." };
const HEART = { age: 58, sex: "Male", place: "Lagos", story: "Sudden crushing chest pain for one hour, sweating, pain goes into the left arm, short of breath." };

const service = await startService({ LAFIYA_RATE_LIMIT_PER_MINUTE: "100" });
const browser = await startBrowser();
for (const [size, viewport] of [["desktop", DESKTOP], ["phone", PHONE]]) {
  for (const colorScheme of ["light", "dark"]) {
    const context = await browser.newContext({ viewport, colorScheme, deviceScaleFactor: 1 });
    const page = await context.newPage();
    const take = (name) => page.screenshot({ path: `${folder}/${name}-${size}-${colorScheme}.png` });
    await page.goto(`${service.url}/?example=0`);
    await take("consult");
    await tell(page, service.url, FEVER);
    await page.getByRole("button", { name: "go on" }).click();
    await page.getByText("Why we ask").waitFor();
    await take("question");
    await page.getByRole("link", { name: "See the answer so far" }).click();
    await page.waitForURL("**/cases/*");
    await take("answer");
    await tell(page, service.url, HEART);
    await page.getByRole("button", { name: "Get the answer now" }).click();
    await page.waitForURL("**/cases/*");
    await take("emergency");
    await page.goto(`${service.url}/knowledge`);
    await take("knowledge");
    const email = `${size}-${colorScheme}@clinic.example`;
    const made = service.command("user", "create", email, "--tenant", "demo", "--role", "owner", "--operator");
    await signInByLink(page, made.sign_in_link);
    await page.goto(`${service.url}/dashboard/keys`);
    await take("dashboard");
    await context.close();
  }
}
await browser.close();
await service.stop();
