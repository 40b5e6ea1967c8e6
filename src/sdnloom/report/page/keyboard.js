// What keys do.

const KEYS = [
  ["j, ↓", "next step"],
  ["k, ↑", "previous step"],
  ["Home, End", "start, last step"],
  ["n, p", "next, previous finding"],
  ["g", "go to a step by its number"],
  ["/", "filter steps by text or component"],
  ["c", "dim what the step does not depend on"],
  ["l", "steps as a list, or as a diagram"],
  ["d", "light or dark"],
  ["Esc", "clear the filter, close this"],
  ["?", "this help"],
];

// What the signs of the diagram mean.
function legend() {
  const sign = (...shapes) => svg("svg", { class: "picture-sign", width: 48, height: 18, "aria-hidden": "true" }, ...shapes);
  const arrow = (kind) => svg("g", { class: `arrow ${kind}` }, svg("path", { d: "M2 9H38" }), svg("path", { class: "head", d: "M46 9L38 5L38 13Z" }));
  const circle = { class: "shape", cx: 24, cy: 9, r: 6 };
  const node = (kind, ...shapes) => svg("g", { class: `node ${kind}` }, ...shapes);
  const signs = [
    [sign(node("switch", svg("circle", circle))), "a step"],
    [sign(node("host", svg("path", { class: "shape", d: "M24 2l7 7l-7 7l-7 -7Z" }))), "a step that nobody has to take: a host sends, a link fails"],
    [sign(node("switch marked", svg("circle", { class: "ring", cx: 24, cy: 9, r: 8 }), svg("circle", { ...circle, r: 4 }))), "a step that the finding is about"],
    [sign(arrow("packet")), "a packet, from the step that sends it to the step that receives it"],
    [sign(arrow("openflow")), "an OpenFlow message"],
    [sign(arrow("message")), "another message"],
    [sign(svg("g", { class: "arrow lost" }, svg("line", { x1: 2, y1: 9, x2: 38, y2: 9 }), svg("circle", { cx: 42, cy: 9, r: 3.5 }))), "sent, and not received in this trace"],
    [sign(svg("g", { class: "bracket" }, svg("path", { d: "M34 3H18Q14 3 14 7V11Q14 15 18 15H34" }))), "two steps whose order matters; green if enforcing the other order removes the trace"],
  ];
  return html("div", { class: "legend" }, ...signs.flatMap(([picture, words]) => [picture, html("span", {}, words)]));
}

function helpDialog() {
  const rows = KEYS.map(([keys, words]) => html("tr", {}, html("th", { scope: "row" }, html("kbd", {}, keys)), html("td", {}, words)));
  const dialog = html("dialog", { class: "help", "aria-label": "Keys" }, html("h2", {}, "Keys"), html("table", {}, html("tbody", {}, ...rows)));
  dialog.append(
    html("h2", {}, "Signs"),
    legend(),
    html("p", { class: "soft" }, "Click a lane's name to hide it, a component of the drawing to see its state. The address names the step: copy it to link to it."),
    button("close", {}, () => dialog.close()),
  );
  return dialog;
}

function listenToKeys(app) {
  const actions = {
    j: () => app.move(1),
    ArrowDown: () => app.move(1),
    k: () => app.move(-1),
    ArrowUp: () => app.move(-1),
    Home: () => app.moveTo(0),
    End: () => app.moveTo(Infinity),
    n: () => app.chooseFinding(app.finding + 1),
    p: () => app.chooseFinding(app.finding - 1),
    g: () => app.askForStep(),
    "/": () => app.focusFilter(),
    c: () => app.togglePast(),
    l: () => app.toggleList(),
    d: () => app.toggleTheme(),
    "?": () => app.help.showModal(),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || app.help.open) return;
    const field = event.target.closest("input, select, textarea");
    if (event.key === "Escape") {
      app.escape();
    } else if (field || (event.target.closest(".code-lines, .answers-box") && /^(Arrow|Home|End)/.test(event.key))) {
      return; // they type, or scroll the box
    } else if (actions[event.key]) {
      event.preventDefault();
      actions[event.key]();
    }
  });
}
