// What makes the pages nicer where scripts run. Every page works without this file.
import { forget, removeStale } from "./kept.js";

// What was typed in a consultation ends with the session, in every tab, and after a day.
const HOUR_MS = 60 * 60 * 1000;
const tabs = "BroadcastChannel" in window ? new BroadcastChannel("lafiya") : null;
if (tabs) tabs.onmessage = () => forget();
if (document.documentElement.dataset.owner) removeStale();
setInterval(removeStale, HOUR_MS);
document.querySelector('form[action="/sign-out"]')?.addEventListener("submit", () => {
  forget();
  tabs?.postMessage("signed out");
});

// Forms: one submission, and a sign that it is under way.
for (const form of document.querySelectorAll("form[method=post]")) {
  form.addEventListener("submit", (event) => {
    if (form.dataset.sent) { event.preventDefault(); return; }
    form.dataset.sent = "yes";
    const button = event.submitter;
    if (button) button.setAttribute("aria-busy", "true");
  });
}
// A page that comes back from the browser's memory can be used again.
addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form")) delete form.dataset.sent;
  for (const button of document.querySelectorAll("[aria-busy]")) button.removeAttribute("aria-busy");
});

for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const text = document.getElementById(button.dataset.copy)?.textContent ?? "";
    try {
      await navigator.clipboard.writeText(text.trim());
      button.textContent = "Copied";
    } catch {
      button.textContent = "Select and copy by hand";
    }
  });
}

for (const button of document.querySelectorAll("[data-print]")) {
  button.hidden = false;
  button.addEventListener("click", () => print());
}

for (const form of document.querySelectorAll("form[data-confirm]")) {
  form.addEventListener("submit", (event) => {
    if (!confirm(form.dataset.confirm)) {
      event.preventDefault();
      event.stopImmediatePropagation();
      delete form.dataset.sent;
    }
  }, { capture: true });
}

// Printing opens what is folded, so that nothing is missing on paper.
addEventListener("beforeprint", () => {
  for (const fold of document.querySelectorAll("details:not([open])")) {
    fold.open = true;
    fold.dataset.opened = "yes";
  }
});
addEventListener("afterprint", () => {
  for (const fold of document.querySelectorAll("details[data-opened]")) {
    fold.open = false;
    delete fold.dataset.opened;
  }
});
