// Consultations over a poor connection: what is typed stays in this browser tab, forms can be sent
// again, and the browser's Back, Forward and Reload keep the place. Every page works without this
// file. Nothing kept here is sent anywhere but in the form it was typed into. `lafiya.js` removes it
// at sign-out and after a day.
import { forget, keep, kept } from "./kept.js";

const REVIEW = "/review";
const CONFIRM = "/consult/confirm";
const ANSWER_WITHIN_MS = 100_000;

const page = () => location.pathname + location.search;
const formHere = () => document.querySelector("form[data-keep]");
const fieldsOf = (form) => [...new FormData(form)].filter(([name]) => name !== "form_token");
/** How the browser came here: "navigate", "reload" or "back_forward". */
const arrival = performance.getEntriesByType("navigation")[0]?.type ?? "navigate";

function keepForm(form) {
  const key = form.getAttribute("action") === CONFIRM ? REVIEW : page();
  keep(key, fieldsOf(form));
}

function fill(form, fields) {
  for (const field of form.elements) {
    if (!field.name || ["hidden", "submit", "button"].includes(field.type) || field.tagName === "BUTTON") continue;
    const values = fields.filter(([name]) => name === field.name).map(([, value]) => value);
    if (field.type === "radio" || field.type === "checkbox") field.checked = values.includes(field.value);
    else if (values.length > 0) field.value = values[0];
  }
}

/** Says that sending failed, and offers to send the same again. */
function notSent(place, words, retry) {
  const note = place.querySelector("[data-connection]");
  if (!note) return;
  const [title, rest] = words;
  note.querySelector("p").replaceChildren(Object.assign(document.createElement("b"), { textContent: title }), ` ${rest}`);
  note.hidden = false;
  note.querySelector("[data-retry]").onclick = () => {
    note.hidden = true;
    retry();
  };
  note.scrollIntoView({ block: "nearest" });
}

const NO_CONNECTION = ["No connection.", "Nothing is lost: what you typed is still here."];
const SIGNED_OUT = ["You are no longer signed in.", "Sign in again in another tab, then try again here. What you typed is still here."];

/** Posts fields as a form does. Gives the next address, or the page that answers; throws without a connection. */
async function post(path, fields) {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), ANSWER_WITHIN_MS);
  try {
    const headers = { accept: "text/html", "x-lafiya-form": "fetch" };
    const answer = await fetch(path, { method: "POST", body: new URLSearchParams(fields), headers, signal: late.signal });
    const next = answer.headers.get("x-lafiya-next");
    const text = next ? "" : await answer.text();
    return { next, status: answer.status, page: new DOMParser().parseFromString(text, "text/html") };
  } finally {
    clearTimeout(timer);
  }
}

/** A token for the session as it is now: it changes when somebody signs in again. */
async function freshToken() {
  const answer = await fetch(REVIEW, { headers: { accept: "text/html" } });
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  return fresh.querySelector('[name="form_token"]')?.value ?? "";
}

/** Shows the page of an answer in place of this one. */
function swap(answer) {
  document.querySelector("main").replaceWith(document.adoptNode(answer.querySelector("main")));
  document.title = answer.title;
  const form = formHere();
  if (form) {
    if (form.getAttribute("action") === CONFIRM && location.pathname !== REVIEW) history.pushState(null, "", REVIEW);
    keepForm(form);
  }
  const first = document.querySelector('main [aria-invalid="true"]') ?? document.querySelector("main h1");
  if (first.tagName === "H1") first.tabIndex = -1;
  first.focus({ preventScroll: first.tagName === "H1" });
  if (first.tagName === "H1") scrollTo(0, 0);
}

async function send(form, submitter) {
  const button = submitter ?? null;
  const fields = [...new FormData(form)];
  if (button?.name) fields.push([button.name, button.value]);
  keepForm(form);
  form.dataset.sent = "yes";
  button?.setAttribute("aria-busy", "true");
  const ready = () => {
    delete form.dataset.sent;
    button?.removeAttribute("aria-busy");
  };
  const again = () => (form.isConnected ? send(form, submitter) : undefined);
  let answer;
  try {
    answer = await post(form.getAttribute("action"), fields);
  } catch {
    ready();
    notSent(form, NO_CONNECTION, again);
    return;
  }
  if (answer.next?.startsWith("/sign-in") || answer.status === 403) {
    ready();
    notSent(form, SIGNED_OUT, async () => {
      try {
        const token = await freshToken();
        if (token) form.querySelector('[name="form_token"]').value = token;
      } catch {
        // The attempt below says that there is no connection.
      }
      again();
    });
    return;
  }
  if (answer.next) {
    if (form.getAttribute("action") !== CONFIRM) forget(page());
    location.assign(answer.next);
    return;
  }
  if (answer.page.querySelector("form[data-keep]")) {
    swap(answer.page);
    return;
  }
  ready();
  const text = (name) => answer.page.querySelector(`main ${name}`)?.textContent ?? "";
  notSent(form, [`${text("h1") || "That did not work"}.`, `${text(".lead")} What you typed is still here.`], again);
}

/** Shows the page of understood findings again, as it was left. */
async function restoreReview() {
  const shell = document.querySelector("[data-review]");
  const fields = kept(REVIEW);
  if (!shell || !fields) return;
  const empty = shell.querySelector("[data-review-empty]");
  empty.hidden = true;
  // What was typed and not yet added is filled in again, not added.
  const more = fields.find(([name]) => name === "more")?.[1] ?? "";
  const rest = fields.filter(([name]) => name !== "more" && name !== "action");
  const token = shell.querySelector('[name="form_token"]').value;
  try {
    const answer = await post(CONFIRM, [["form_token", token], ...rest, ["action", "add"]]);
    if (!answer.page.querySelector("form[data-keep]")) throw new Error("another page");
    swap(answer.page);
    const field = formHere().elements.namedItem("more");
    if (field) field.value = more;
  } catch {
    notSent(shell, NO_CONNECTION, restoreReview);
  }
}

/** Help while a value is typed; the server checks it in any case. */
function helpWith(input) {
  const box = input.closest(".value");
  const unit = box.querySelector("select")?.selectedOptions[0];
  const { low, high } = unit?.dataset.low ? unit.dataset : input.dataset;
  const number = Number(input.value.trim().replace(",", "."));
  const isPair = low === undefined;
  const wrong = input.value.trim() !== "" && (input.validity.patternMismatch || (!isPair && (number < Number(low) || number > Number(high))));
  box.querySelector(".note")?.remove();
  input.toggleAttribute("aria-invalid", false);
  if (!wrong || (unit && unit.value === "")) return;
  const note = Object.assign(document.createElement("p"), { className: "note bad small", id: `p-${input.id.slice(2)}` });
  note.textContent = isPair ? "Write both numbers, such as 120/80." : `Possible is ${low} to ${high} ${unit?.value ?? box.querySelector(".unit")?.textContent ?? ""}.`;
  box.append(note);
  input.setAttribute("aria-invalid", "true");
  input.setAttribute("aria-describedby", note.id);
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || !form.matches("form[data-keep]")) return;
  // An answer is a press of a button, so nothing typed can be lost: the browser sends it itself.
  const isTyped = !form.dataset.ask || form.querySelector("[data-value]");
  if (!isTyped && navigator.onLine) return;
  event.preventDefault();
  if (form.dataset.sent === "yes" && form.dataset.own === "yes") return;
  form.dataset.own = "yes";
  send(form, event.submitter).finally(() => delete form.dataset.own);
});
for (const kind of ["input", "change"]) {
  document.addEventListener(kind, (event) => {
    const form = event.target.closest?.("form[data-keep]");
    if (form) keepForm(form);
    const value = kind === "change" && event.target.closest(".value")?.querySelector("[data-value]");
    if (value) helpWith(value);
  });
}
// A link that begins with another patient.
document.addEventListener("click", (event) => {
  if (event.target.closest?.("a[data-new]")) forget();
});
addEventListener("popstate", () => location.reload());
addEventListener("online", () => {
  const button = document.querySelector("[data-connection]:not([hidden]) [data-retry]");
  if (button) button.textContent = "Connection is back: try again";
});

const form = formHere();
const asked = form?.dataset.ask;
if (asked && !location.search) history.replaceState(null, "", `${location.pathname}?ask=${encodeURIComponent(asked)}`);
if (location.pathname.startsWith("/cases/")) keep("done", []);
if (location.pathname === REVIEW) {
  restoreReview();
} else if (form) {
  const isNewCase = location.pathname === "/" && arrival === "navigate" && kept("done");
  if (isNewCase) forget();
  const fields = location.search.includes("example=") ? null : kept(page());
  if (fields && !form.querySelector('[aria-invalid="true"]')) fill(form, fields);
}
