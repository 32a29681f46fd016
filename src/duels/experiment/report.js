"use strict";
// Shows the values of all curves at the pointer, or where the arrow keys have moved to.
for (const svg of document.querySelectorAll("svg.curves")) {
  const values = JSON.parse(svg.dataset.values);
  const [left, wide, top, high] = values.frame;
  const box = svg.viewBox.baseVal;
  const reading = document.createElement("div");
  reading.className = "reading";
  reading.hidden = true;
  svg.parentNode.append(reading);
  const line = document.createElementNS(svg.namespaceURI, "line");
  line.setAttribute("class", "pointer");
  line.setAttribute("visibility", "hidden");
  svg.append(line);
  let at = values.horizon;

  const show = (t) => {
    at = Math.min(values.horizon, Math.max(1, t));
    const x = left + (wide * at) / values.horizon;
    for (const [name, value] of [["x1", x], ["x2", x], ["y1", top], ["y2", top + high]])
      line.setAttribute(name, value);
    line.setAttribute("visibility", "visible");
    const rows = values.curves.map((curve) => {
      let k = curve.t.findIndex((each) => each >= at);
      if (k < 0) k = curve.t.length - 1;
      return { ...curve, now: curve.t[k], mean: curve.mean[k], error: curve.error[k] };
    });
    const head = document.createElement("b");
    head.textContent = `t = ${rows[0].now.toLocaleString("en")}`;
    const lines = rows.sort((a, b) => b.mean - a.mean).map((row) => {
      const text = document.createElement("span");
      text.style.color = row.colour;
      // two figures of the error, and as many decimals of the mean
      const decimals = row.error ? Math.min(6, Math.max(0, 1 - Math.floor(Math.log10(row.error)))) : 2;
      const error = row.error === null ? "" : ` ± ${row.error.toFixed(decimals)}`;
      text.textContent = `${row.policy}  ${row.mean.toFixed(decimals)}${error}`;
      return text;
    });
    reading.replaceChildren(head, ...lines);
    reading.hidden = false;
    const scale = svg.clientWidth / box.width;
    const beside = x * scale + 12;
    const room = svg.clientWidth - reading.offsetWidth;
    reading.style.left = `${beside < room ? beside : Math.max(0, x * scale - reading.offsetWidth - 12)}px`;
    reading.style.top = `${top * scale}px`;
  };
  const hide = () => {
    reading.hidden = true;
    line.setAttribute("visibility", "hidden");
  };
  svg.addEventListener("pointermove", (event) => {
    const place = svg.getBoundingClientRect();
    const x = ((event.clientX - place.left) * box.width) / place.width;
    if (x < left - 4 || x > left + wide + 4) hide();
    else show(Math.round(((x - left) / wide) * values.horizon));
  });
  svg.addEventListener("pointerleave", hide);
  svg.addEventListener("blur", hide);
  svg.tabIndex = 0;
  svg.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    show(at + step * Math.max(1, Math.round(values.horizon / 50)));
  });
}
