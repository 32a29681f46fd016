// The cards in a notebook: shows what the kernel says, and tells it what was clicked. What comes
// from a catalogue goes into the page as text, never as HTML.

const PATIENCE = 5000; // milliseconds until we say that the kernel is slow

function make(tag, name = "", text = "") {
  const element = document.createElement(tag);
  if (name) element.className = name;
  element.textContent = text;
  return element;
}

function button(label, key, press) {
  const element = make("button", "duels-button");
  element.type = "button";
  element.append(make("span", "", label));
  if (key) {
    const shown = make("kbd", "", key);
    shown.setAttribute("aria-hidden", "true");
    element.append(" ", shown);
  }
  element.addEventListener("click", press);
  return element;
}

function bar(share) {
  const outer = make("span", "duels-bar");
  const inner = make("span", "duels-fill");
  inner.style.width = `${100 * Math.max(0, Math.min(1, share))}%`;
  outer.setAttribute("aria-hidden", "true");
  outer.append(inner);
  return outer;
}

function picture(card) {
  const { address, problem } = card.picture;
  if (address) {
    const image = make("img", "duels-picture");
    image.alt = "";
    image.draggable = false;
    image.src = address;
    return image;
  }
  return problem ? make("p", "duels-picture duels-missing", problem) : null;
}

function details(card) {
  const list = make("dl", "duels-details");
  for (const { column, value, differs } of card.details) {
    const row = make("div", differs ? "duels-differs" : "duels-same");
    row.append(make("dt", "", column), make("dd", "", value));
    list.append(row);
  }
  return list;
}

class View {
  constructor(model, el) {
    this.model = model;
    this.id = crypto.getRandomValues(new Uint32Array(2)).join("-");
    this.sent = 0;
    this.waiting = null; // the id of the message that the kernel has not answered
    this.emphatic = false; // whether the next answer has the strongest word
    this.peeking = false; // whether the result so far is shown while questions go on
    this.build(el);
    this.onState = () => this.draw();
    this.onReply = (message) => this.hear(message);
    this.onKey = (event) => this.key(event);
    model.on("change:shown", this.onState);
    model.on("msg:custom", this.onReply);
    // before the notebook's own keys, for those that are ours
    window.addEventListener("keydown", this.onKey, true);
    this.draw();
    this.send({ do: "refresh" }); // what was answered in code meanwhile
  }

  remove() {
    clearTimeout(this.timer);
    this.model.off("change:shown", this.onState);
    this.model.off("msg:custom", this.onReply);
    window.removeEventListener("keydown", this.onKey, true);
  }

  get state() {
    return this.model.get("shown");
  }

  // Making the parts, once; later only what they say changes, so that the focus stays.

  build(el) {
    this.root = make("section", "duels");
    this.root.tabIndex = 0;
    this.root.setAttribute("aria-label", "Which one do you like better?");
    this.root.lang = "en";
    const saved = make("style"); // hides the result that is kept for readers without a kernel
    saved.textContent = `.${CSS.escape(this.state.saved)}{display:none}`;

    const head = make("div", "duels-head");
    this.title = make("div", "duels-title");
    this.title.setAttribute("role", "heading");
    this.title.setAttribute("aria-level", "3");
    this.title.tabIndex = -1;
    this.told = make("div", "duels-told");
    head.append(this.title, this.told);
    this.progress = make("div", "duels-progress");
    this.progress.setAttribute("role", "progressbar");
    this.progress.setAttribute("aria-label", "Questions answered");
    this.progress.setAttribute("aria-valuemin", "0");
    this.progress.setAttribute("aria-valuemax", "100");

    this.cards = make("div", "duels-cards");
    this.sides = { left: this.side("left", "←"), right: this.side("right", "→") };
    this.cards.append(this.sides.left.card, this.sides.right.card);
    this.found = make("div", "duels-found");

    this.word = button("", "⇧", () => this.emphasise(!this.emphatic));
    this.tie = button("About equal", "=", () => this.answer("tie"));
    this.skip = button("Can’t say", "S", () => this.answer("skip"));
    this.undo = button("Undo", "U", () => this.takeBack());
    this.peek = button("", "", () => this.look(!this.peeking));
    this.more = button("Keep asking", "", () => this.carryOn());
    this.tools = make("div", "duels-tools");
    this.tools.append(this.word, this.tie, this.skip, this.undo, this.peek, this.more);
    this.notice = make("p", "duels-notice");
    this.notice.setAttribute("role", "status");
    this.spoken = make("p", "duels-spoken");
    this.spoken.setAttribute("aria-live", "polite");
    this.root.append(
      head, this.progress, this.cards, this.found, this.tools, this.notice, this.spoken,
    );
    el.replaceChildren(saved, this.root);
  }

  side(side, key) {
    const card = make("article", "duels-card");
    const body = make("div", "duels-body");
    const choose = button("This one", key, (event) => {
      event.stopPropagation();
      this.answer(side, event.shiftKey);
    });
    choose.classList.add("duels-choose");
    card.append(body, choose);
    card.addEventListener("click", (event) => {
      if (event.detail > 1 || window.getSelection()?.toString()) return; // selecting text
      this.root.focus({ preventScroll: true });
      this.answer(side, event.shiftKey);
    });
    return { card, body, choose };
  }

  // Showing.

  draw() {
    const { question, ended, answered, last, word, progress } = this.state;
    const place = `${question?.number} ${this.state.undone}`;
    if (place !== this.place) {
      this.emphatic = false;
      this.peeking = false;
    }
    const asking = question !== null && !this.peeking;
    const active = this.root.getRootNode().activeElement;
    const inside = this.root.contains(active);
    this.title.textContent = asking
      ? "Which one do you like better?"
      : question === null ? "Your favourite" : "Your favourite so far";
    this.told.textContent = progress.words && question !== null ? progress.words : "";
    this.bar(ended ? 1 : progress.share, progress.words);
    this.cards.hidden = !asking;
    this.found.hidden = asking;
    for (const each of [this.tie, this.skip]) each.hidden = !asking;
    this.word.hidden = !asking || !word;
    this.word.firstChild.textContent = word ?? "";
    this.word.setAttribute("aria-pressed", String(this.emphatic));
    this.undo.disabled = last === null;
    this.peek.hidden = question === null || (answered === 0 && !this.peeking);
    this.peek.firstChild.textContent = this.peeking ? "Back to the cards" : "Result so far";
    this.more.hidden = question !== null;
    if (asking && place !== this.place) {
      this.fill(this.sides.left, question.left);
      this.fill(this.sides.right, question.right);
      this.say(`Question ${question.number}: ${question.left.name}, or ${question.right.name}?`);
    }
    if (!asking) this.result();
    if (this.place !== undefined && place !== this.place && question === null) {
      if (inside) this.title.focus({ preventScroll: true });
      this.say(`Your favourite is ${this.state.result.favourite.name}.`);
    } else if (inside && (active.disabled || active.closest("[hidden]"))) {
      this.root.focus({ preventScroll: true });
    }
    this.place = place;
  }

  bar(share, words) {
    this.progress.hidden = share === null;
    if (share === null) return;
    this.progress.setAttribute("aria-valuenow", String(Math.round(100 * share)));
    this.progress.setAttribute("aria-valuetext", words);
    this.progress.replaceChildren(bar(share));
  }

  fill({ body, choose }, card) {
    const parts = [picture(card), make("div", "duels-name", card.name)];
    if (card.text) parts.push(make("p", "duels-text", card.text));
    if (card.details.length) parts.push(details(card));
    body.replaceChildren(...parts.filter(Boolean));
    choose.setAttribute("aria-label", `This one: ${card.name}`);
  }

  result() {
    const { favourite, words, ranking, cares } = this.state.result;
    const best = make("article", "duels-card duels-best");
    const about = make("div", "duels-body");
    about.append(make("div", "duels-name", favourite.name), make("p", "duels-text", words));
    if (favourite.text) about.append(make("p", "duels-text", favourite.text));
    if (favourite.details.length) about.append(details(favourite));
    best.append(...[picture(favourite), about].filter(Boolean));
    const beside = make("div", "duels-beside");
    for (const [title, rows] of [["Most likely the best", ranking], ["What mattered", cares]]) {
      if (!rows.length) continue;
      const list = make("ul", "duels-rows");
      for (const { name, share, words, mark } of rows) {
        const row = make("li", mark && `duels-${mark}`);
        row.append(make("span", "", name), bar(share), make("span", "", words));
        list.append(row);
      }
      beside.append(make("div", "duels-small", title), list);
    }
    this.found.replaceChildren(best, beside);
  }

  say(text) {
    this.spoken.textContent = text;
  }

  look(peeking) {
    this.peeking = peeking;
    this.draw();
  }

  emphasise(emphatic) {
    this.emphatic = emphatic;
    this.word.setAttribute("aria-pressed", String(emphatic));
  }

  // Telling the kernel.

  answer(said, shift = false) {
    const { question, word } = this.state;
    if (question === null || this.peeking) return;
    const strong = word !== null && (shift || this.emphatic);
    this.send({ do: "answer", number: question.number, said, word: strong ? word : "" });
  }

  takeBack() {
    if (this.state.last !== null) this.send({ do: "undo", number: this.state.last });
  }

  carryOn() {
    if (this.state.question === null) this.send({ do: "carry on" });
  }

  send(message) {
    if (this.waiting !== null && message.do !== "refresh") return; // one thing at a time
    this.sent += 1;
    this.waiting = this.sent;
    this.root.setAttribute("aria-busy", "true");
    this.notice.textContent = "";
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.notice.textContent =
        "The kernel has not answered: it is busy, or gone. Wait, or run the cell again.";
      this.waiting = null;
      this.root.removeAttribute("aria-busy");
    }, PATIENCE);
    this.model.send({ ...message, undone: this.state.undone, view: this.id, id: this.sent });
  }

  hear(message) {
    if (message?.view !== this.id || message.id !== this.sent) return;
    clearTimeout(this.timer);
    this.waiting = null;
    this.root.removeAttribute("aria-busy");
    this.notice.textContent = message.notice;
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (!event.composedPath().includes(this.root)) return;
    const press = {
      ArrowLeft: () => this.answer("left", event.shiftKey),
      ArrowRight: () => this.answer("right", event.shiftKey),
      Digit1: () => this.answer("left", event.shiftKey),
      Digit2: () => this.answer("right", event.shiftKey),
      Numpad1: () => this.answer("left", event.shiftKey),
      Numpad2: () => this.answer("right", event.shiftKey),
    }[event.code] ?? {
      "=": () => this.answer("tie"),
      s: () => this.answer("skip"),
      u: () => this.takeBack(),
    }[event.key.toLowerCase()];
    if (!press) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (!event.repeat) press();
  }
}

export default {
  render({ model, el }) {
    const view = new View(model, el);
    return () => view.remove();
  },
};
