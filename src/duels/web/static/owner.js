// What makes the owner's pages quicker to use. Everything works without it too.
"use strict";

(() => {
  const EVERY = 4000; // milliseconds between looks at the counts

  function keepCounts(list) {
    const live = document.getElementById("live");
    async function look() {
      if (!document.hidden) {
        try {
          const answer = await fetch(list.dataset.address, { redirect: "error" });
          if (!answer.ok) throw new Error(answer.status);
          const counts = await answer.json();
          for (const place of list.querySelectorAll("[data-count]")) {
            const now = String(counts[place.dataset.count]);
            place.classList.toggle("changed", place.textContent !== now);
            place.textContent = now;
          }
          live.textContent = "These four numbers follow by themselves; reload the page for the rest.";
        } catch {
          live.textContent = "The server does not answer, or you are logged out. Reload the page.";
        }
      }
      setTimeout(look, EVERY);
    }
    look();
  }

  function busy(form) {
    form.addEventListener("submit", (event) => {
      const button = event.submitter;
      if (!button || !button.dataset.busy || event.defaultPrevented) return;
      // after the form's content was taken: a button that is disabled would not be sent
      setTimeout(() => { button.disabled = true; button.textContent = button.dataset.busy; });
    });
  }

  function checkSize(form) {
    const problem = document.getElementById("problem");
    form.addEventListener("submit", (event) => {
      const most = Number(form.dataset.most);
      let bytes = 0;
      for (const field of form.querySelectorAll("input[type=file]")) {
        for (const file of field.files) bytes += file.size;
      }
      if (bytes > most) {
        event.preventDefault();
        problem.textContent = `An upload may have at most ${most / 1e6} MB, and these files have `
          + `${Math.ceil(bytes / 1e6)}. Make the pictures smaller, or upload a part of the table.`;
        problem.hidden = false;
        problem.scrollIntoView({ block: "center" });
      }
    });
  }

  function lookAgain(form) {
    let turn = 0;
    form.addEventListener("change", async (event) => {
      if (!event.target.matches("[data-look]")) return;
      const mine = ++turn, focused = event.target.id, look = document.getElementById("look");
      const given = new FormData(form);
      given.set("do", "update");
      look.classList.add("busy");
      look.setAttribute("aria-busy", "true");
      try {
        const answer = await fetch(form.action, { method: "POST", body: given });
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const fresh = page.getElementById("look");
        if (mine !== turn) return;
        if (!fresh) throw new Error("no look");
        look.replaceWith(document.adoptNode(fresh));
        if (event.target.type === "file") event.target.value = "";
        const again = document.getElementById(focused);
        if (again) again.focus({ preventScroll: true });
      } catch {
        if (mine === turn) form.requestSubmit(form.querySelector("button[value=update]"));
      }
    });
  }

  const counts = document.getElementById("counts");
  if (counts) keepCounts(counts);
  const preview = document.getElementById("preview");
  if (preview) lookAgain(preview);
  const upload = document.getElementById("upload");
  if (upload) checkSize(upload);
  for (const form of document.forms) busy(form);
  for (const button of document.querySelectorAll("[data-copy]")) {
    button.hidden = !navigator.clipboard;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).value);
      button.textContent = "Copied";
    });
  }
})();
