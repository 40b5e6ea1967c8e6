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

function helpDialog() {
  const rows = KEYS.map(([keys, words]) => html("tr", {}, html("th", { scope: "row" }, html("kbd", {}, keys)), html("td", {}, words)));
  const dialog = html("dialog", { class: "help", "aria-label": "Keys and signs" }, html("h2", {}, "Keys"), html("table", {}, html("tbody", {}, ...rows)));
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
    d: switchTheme,
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
