// Suggestions while something is added to a case: asks the server and offers names to pick.
const input = document.querySelector("[data-findings]");
const list = input && document.getElementById(input.getAttribute("list"));
let last = "";
let waiting;

async function suggest() {
  const words = input.value.trim();
  if (words.length < 2 || words === last) return;
  last = words;
  try {
    const answer = await fetch(`/consult/findings?q=${encodeURIComponent(words)}`, { headers: { accept: "application/json" } });
    if (!answer.ok) return;
    list.replaceChildren(...(await answer.json()).map((name) => new Option(name)));
  } catch {
    // Without a network there are no suggestions; the words can still be sent.
  }
}

input?.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(suggest, 180);
});
