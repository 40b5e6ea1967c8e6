// What two agents do with the same inputs, side by side.

const MOST_INPUTS = 300; // with more of them only the diagram is shown

class Answers {
  constructor(box, onSelect) {
    this.box = box;
    box.addEventListener("click", (event) => {
      const cell = event.target.closest("[data-position]");
      if (cell) onSelect(Number(cell.dataset.position));
    });
  }

  // Whether the trace has inputs that agents answer.
  show(trace) {
    const agents = trace.lanes.filter((lane) => lane.kind === "agent");
    const inputs = [];
    for (const step of trace.steps) {
      if (trace.lanes[step.lane].kind !== "agent") inputs.push({ step, answers: new Map() });
      else if (inputs.length) inputs[inputs.length - 1].answers.set(step.lane, step);
    }
    this.cells = new Map();
    this.box.replaceChildren();
    if (agents.length < 2 || !inputs.length || inputs.length > MOST_INPUTS) return false;
    const head = html("tr", {}, html("th", { scope: "col" }, "input"), ...agents.map((lane) => html("th", { scope: "col" }, lane.name)));
    const rows = inputs.map((input) => this.row(trace, input, agents));
    this.box.append(html("table", { class: "answers" }, html("thead", {}, head), html("tbody", {}, ...rows)));
    return true;
  }

  row(trace, { step, answers }, agents) {
    const words = (each) => {
      const prefix = `${trace.lanes[each.lane].name}: `;
      return each.text.startsWith(prefix) ? each.text.slice(prefix.length) : each.text;
    };
    const texts = agents.map((lane) => (answers.has(lane.index) ? words(answers.get(lane.index)) : ""));
    const differ = new Set(texts).size > 1 || [...answers.values()].some((each) => trace.marked.has(each.number));
    const full = step.transfers.length ? step.transfers[0].long : "";
    const cells = [this.cell("th", step, words(step)), ...agents.map((lane, place) => this.cell("td", answers.get(lane.index), texts[place]))];
    if (full) cells[0].append(longText("div", full, { class: "soft" }));
    if (differ) cells[0].append(html("span", { class: "unseen" }, "the answers differ"));
    return html("tr", { class: differ ? "differs" : "" }, ...cells);
  }

  cell(tag, step, text) {
    const parts = text.split("; ").map((part) => html("div", {}, shortened(part, 600)));
    const cell = html(tag, tag === "th" ? { scope: "row" } : {}, ...parts);
    if (step) {
      cell.dataset.position = step.index + 1;
      this.cells.set(step.index + 1, cell);
    }
    return cell;
  }

  update(position) {
    for (const cell of this.box.querySelectorAll(".selected")) cell.classList.remove("selected");
    const cell = this.cells.get(position);
    if (!cell) return;
    cell.classList.add("selected");
    cell.scrollIntoView({ block: "nearest" });
  }
}
