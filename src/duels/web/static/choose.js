// The visitor's pages. Everything works without this script; with it the next question comes
// without a new page, by click, tap or key.
"use strict";

const PAUSE = 200; // milliseconds after a new question in which nothing counts: nobody reads faster
const PATIENCE = 60000; // milliseconds for an answer of the server
const said = document.getElementById("said");
const keysOn = document.getElementById("keys-on");
const question = () => document.getElementById("question");
const control = (key) => question().querySelector(`[data-key="${key}"]`);

function tell(text) {
  const old = question().querySelector(".notice");
  if (old) old.remove();
  const notice = document.createElement("p");
  notice.className = "notice problem";
  notice.setAttribute("role", "alert");
  notice.textContent = text;
  question().prepend(notice);
}

async function send(form, button) {
  const section = question();
  if (section.getAttribute("aria-busy") === "true") return;
  const data = new URLSearchParams(new FormData(form));
  if (button && button.name) data.append(button.name, button.value);
  const focused = section.contains(document.activeElement) && document.activeElement;
  section.setAttribute("aria-busy", "true");
  const card = button && button.closest(".arm");
  if (card) card.classList.add("chosen");
  try {
    const response = await fetch(form.getAttribute("action"), {
      method: "POST", body: data, headers: { "Duels-Fragment": "question" },
      signal: AbortSignal.timeout && AbortSignal.timeout(PATIENCE),
    });
    const elsewhere = response.headers.get("Duels-Go");
    if (elsewhere) return void location.assign(elsewhere);
    const text = await response.text();
    const page = new DOMParser().parseFromString(text, "text/html");
    const next = page.getElementById("question");
    if (next) return void show(next, focused);
    const problem = page.querySelector(".notice");
    tell(problem ? problem.textContent : "The server cannot answer at the moment. Try again.");
  } catch {
    tell("The server cannot be reached, so this may not be kept yet. Try again: nothing counts twice.");
  }
  if (card) card.classList.remove("chosen");
  section.setAttribute("aria-busy", "false");
}

function show(next, focused) {
  next.setAttribute("aria-busy", "true");
  question().replaceWith(next);
  if (location.search) history.replaceState(null, "", location.pathname);
  said.textContent = next.dataset.says;
  if (focused) {
    // Whoever goes by Tab keeps their place, if it is there again.
    const same = focused.dataset.key && control(focused.dataset.key);
    (same && !same.disabled ? same : document.getElementById("ask")).focus({ preventScroll: true });
  }
  if (next.querySelector(".notice")) next.scrollIntoView({ block: "nearest" });
  setTimeout(() => next.setAttribute("aria-busy", "false"), PAUSE);
}

document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-swap]")) return;
  event.preventDefault();
  if (!event.submitter || !event.submitter.hidden) send(event.target, event.submitter);
});

// The second half of a double click is meant for the question that was there before.
document.addEventListener("click", (event) => {
  if (event.detail > 1 && event.target.closest(".question button")) event.preventDefault();
}, true);

// Shift with a click means clearly.
document.addEventListener("click", (event) => {
  const button = event.target.closest(".choose");
  const box = button && control("clearly");
  if (box && event.shiftKey) box.checked = true;
}, true);

const KEYS = {
  ArrowLeft: "left", Digit1: "left", Numpad1: "left",
  ArrowRight: "right", Digit2: "right", Numpad2: "right",
};
const LETTERS = { "=": "tie", s: "skip", u: "undo", c: "clearly" };

document.addEventListener("keydown", (event) => {
  if (!question() || !keysOn.checked || event.repeat) return;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.matches("input:not([type=checkbox]), select, textarea")) return;
  const key = LETTERS[event.key.toLowerCase()] || KEYS[event.code];
  const found = key && control(key);
  if (!found || found.disabled) return;
  event.preventDefault();
  if (question().getAttribute("aria-busy") === "true") return;
  if (key === "clearly") found.checked = !found.checked;
  else {
    const box = control("clearly");
    if (box && event.shiftKey && (key === "left" || key === "right")) box.checked = true;
    found.form.requestSubmit(found);
  }
});

// A page that comes back from the browser's memory may show an old question.
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

if (keysOn) {
  document.documentElement.classList.add("with-keys");
  document.getElementById("keys").hidden = false;
}

// Pictures that may come next are fetched while the person looks at these.
const saving = navigator.connection && navigator.connection.saveData;
const wait = window.requestIdleCallback || ((work) => setTimeout(work, 500));
if (!saving) wait(() => {
  for (const link of document.querySelectorAll("#preload a")) new Image().src = link.href;
});

// The result page: copy the address to come back to.
for (const button of document.querySelectorAll("[data-copy]")) {
  const field = document.getElementById(button.dataset.copy);
  field.value = new URL(field.value, location.href).href;
  button.hidden = false;
  button.addEventListener("click", async () => {
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
    } catch {
      document.execCommand("copy"); // where there is no HTTPS
    }
    document.getElementById(button.dataset.said).textContent = "Copied.";
  });
}
