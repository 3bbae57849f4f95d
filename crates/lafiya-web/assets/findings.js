// Suggestions while something is added to a case: asks the server and offers names to pick.
let last = "";
let waiting;

async function suggest(input) {
  const words = input.value.trim();
  if (words.length < 2 || words === last) return;
  last = words;
  try {
    const answer = await fetch(`/consult/findings?q=${encodeURIComponent(words)}`, { headers: { accept: "application/json" } });
    if (!answer.ok) return;
    const list = document.getElementById(input.getAttribute("list"));
    list?.replaceChildren(...(await answer.json()).map((name) => new Option(name)));
  } catch {
    // Without a network there are no suggestions; the words can still be sent.
  }
}

// The page may be replaced by another, so the document listens and not the field.
document.addEventListener("input", (event) => {
  if (!event.target.matches?.("[data-findings]")) return;
  clearTimeout(waiting);
  waiting = setTimeout(() => suggest(event.target), 180);
});
