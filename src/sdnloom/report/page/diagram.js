// The sequence diagram: a row for each step, a lane for each component. Only rows in sight are in the document.

const ROW = 40;
const HEAD = 34;
const ROOMY = 150; // a lane of this width has room for labels
const LONGEST_LABEL = 340;
const OVERSCAN = 6; // rows drawn above and below those in sight
const BAD_EFFECT = /\b(drop\w*|lost|loses?|rais\w*|exception|error|refus\w*|fail\w*|crash\w*|here before|expire[sd]?)\b/i;
const MOST_STUBS = 4; // transfers of a step that are not taken, on one side
const MOST_PASSING = 300; // arrows that only pass the rows in sight

class Diagram {
  constructor(box, { onSelect, onHide }) {
    this.box = box;
    this.onSelect = onSelect;
    this.onHide = onHide;
    this.heads = html("div", { class: "heads" });
    this.rows = html("div", { class: "rows", role: "listbox", tabindex: "0", "aria-label": "Steps" });
    box.replaceChildren(this.heads, this.rows);
    box.addEventListener("scroll", () => this.drawSoon(), { passive: true });
    this.rows.addEventListener("click", (event) => {
      const row = event.target.closest(".row");
      if (row) this.onSelect(Number(row.dataset.position));
    });
    this.trace = null;
    this.entries = [];
    this.rowOf = new Map(); // position -> row
    this.hidden = new Set(); // by the user
    this.idle = new Set();
    this.filter = "";
    this.listOnly = false;
    this.onlyPast = false;
    this.position = 0;
    this.past = new Set();
  }

  show(trace, finding) {
    this.trace = trace;
    this.finding = finding;
    this.position = 0;
    this.past = new Set();
    this.hidden = new Set();
    this.idle = new Set();
    this.filter = "";
    this.slots = trace.orderings.some((each) => each.matters) ? this.allotSlots() : 0;
    this.box.scrollTo(0, 0);
    this.arrange();
    if (this.laneWidth < ROOMY && this.columns.length > 2) this.hideIdle();
  }

  // Lanes in which nothing happens give room to the others.
  hideIdle() {
    const { lanes, steps, transfers } = this.trace;
    const busy = new Set([...steps.map((step) => step.lane), ...transfers.map((each) => each.to)]);
    this.idle = new Set(lanes.map((lane) => lane.index).filter((lane) => !busy.has(lane)));
    if (this.idle.size) this.arrange();
  }

  // Gives orderings that overlap different slots; returns how many slots there are.
  allotSlots() {
    const ends = [];
    for (const each of this.trace.orderings.filter((one) => one.matters).sort((one, other) => one.first - other.first)) {
      let slot = ends.findIndex((end) => end < each.first);
      if (slot < 0) slot = ends.length < 6 ? ends.length : 5;
      ends[slot] = Math.max(each.first, each.second);
      each.slot = slot;
    }
    return ends.length;
  }

  // Finds the rows and the widths anew: after a change of trace, filter, lanes or size.
  arrange() {
    if (!this.trace) return;
    const { lanes, steps } = this.trace;
    const wanted = this.filter.toLowerCase();
    const matches = (step) =>
      !wanted || `${step.number} ${lanes[step.lane].name} ${step.action} ${step.text}`.toLowerCase().includes(wanted);
    this.shown = steps.filter((step) => !this.hidden.has(step.lane) && matches(step));
    this.plain = !wanted && this.hidden.size === 0;
    this.entries = this.plain ? [null, ...this.shown, ...(this.finding ? ["end"] : [])] : this.shown; // null is the start
    this.rowOf = new Map();
    this.entries.forEach((entry, row) => {
      if (entry !== "end") this.rowOf.set(entry ? entry.index + 1 : 0, row);
    });
    const width = this.box.clientWidth;
    this.narrow = width < 620;
    this.textWidth = this.listOnly ? width : this.narrow ? 34 : Math.round(Math.min(380, width * 0.36));
    this.slotWidth = this.narrow ? 5 : 9;
    this.gutter = this.slots ? (this.narrow ? 4 : 12) + this.slotWidth * this.slots : 0;
    this.columns = this.listOnly ? [] : lanes.filter((lane) => !this.hidden.has(lane.index) && !this.idle.has(lane.index));
    const room = width - this.textWidth - this.gutter - 16;
    this.laneWidth = Math.max(this.narrow ? 84 : 94, Math.min(260, Math.floor(room / Math.max(1, this.columns.length))));
    this.laneX = new Map();
    this.columns.forEach((lane, place) => {
      this.laneX.set(lane.index, this.textWidth + this.gutter + 8 + (place + 0.5) * this.laneWidth);
    });
    const lanesWidth = this.columns.length ? this.gutter + 16 + this.columns.length * this.laneWidth : 0;
    this.width = Math.max(width, this.textWidth + lanesWidth);
    this.box.classList.toggle("narrow", this.narrow && !this.listOnly);
    this.box.classList.toggle("list", this.listOnly);
    this.drawHeads();
    this.rows.style.height = `${this.entries.length * ROW}px`;
    this.rows.style.width = this.heads.style.width = `${this.width}px`;
    this.draw();
  }

  drawHeads() {
    const corner = html("div", { class: "corner" }, this.narrow && !this.listOnly ? "#" : `${counted(this.shown.length, "step")}`);
    corner.style.width = `${this.textWidth}px`;
    const heads = this.columns.map((lane) => {
      const head = button(lane.name, { class: `lane-head ${lane.kind}`, "aria-label": `${lane.name}: hide this lane`, title: `${lane.kind} ${shortened(lane.name, 200)}: hide this lane` }, () =>
        this.onHide(lane.index),
      );
      head.style.left = `${this.laneX.get(lane.index) - this.laneWidth / 2 + 3}px`;
      head.style.width = `${this.laneWidth - 6}px`;
      return head;
    });
    this.heads.replaceChildren(corner, ...heads);
    this.heads.hidden = this.listOnly;
  }

  select(position, past) {
    this.position = position;
    this.past = past;
    this.reveal();
    this.draw();
  }

  // Draws again whenever the box has another size; `resized` is called first if it has another width.
  followSize(resized) {
    let width = 0;
    new ResizeObserver(() => {
      if (this.box.clientWidth !== width) {
        width = this.box.clientWidth;
        resized();
        this.arrange();
      } else {
        this.drawSoon();
      }
    }).observe(this.box);
  }

  // Dim what the step does not depend on, or show all alike; the button says which.
  togglePast(button) {
    this.onlyPast = !this.onlyPast;
    button.setAttribute("aria-pressed", String(this.onlyPast));
    this.draw();
  }

  // Show the steps as a list, or with the diagram; the button says which.
  toggleList(button) {
    this.listOnly = !this.listOnly;
    button.setAttribute("aria-pressed", String(this.listOnly));
    this.arrange();
    this.reveal();
  }

  // Scrolls so that the selected row is in sight, with a row above and below it, and its lane, too.
  reveal() {
    const row = this.rowOf.get(this.position);
    if (row === undefined) return;
    const { box } = this;
    const high = box.clientHeight - (this.listOnly ? 0 : HEAD);
    const top = row * ROW;
    const room = Math.min(ROW * 1.5, (high - ROW) / 2);
    if (top - room < box.scrollTop) box.scrollTop = Math.max(0, top - room);
    else if (top + ROW + room > box.scrollTop + high) box.scrollTop = top + ROW + room - high;
    const x = this.position ? this.laneX.get(this.trace.steps[this.position - 1].lane) : undefined;
    if (x === undefined) return;
    const left = box.scrollLeft + this.textWidth;
    if (x - this.laneWidth / 2 < left) box.scrollLeft = x - this.laneWidth / 2 - this.textWidth;
    else if (x + this.laneWidth / 2 > box.scrollLeft + box.clientWidth) box.scrollLeft = x + this.laneWidth / 2 - box.clientWidth;
  }

  drawSoon() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      if (this.trace && this.window !== this.windowKey()) this.draw();
    });
  }

  windowKey() {
    const first = Math.max(0, Math.floor(this.box.scrollTop / ROW) - OVERSCAN);
    const last = Math.min(this.entries.length - 1, Math.ceil((this.box.scrollTop + this.box.clientHeight) / ROW) + OVERSCAN);
    // In strides, so that a scroll of some pixels draws nothing.
    return `${Math.floor(first / 4) * 4} ${Math.min(this.entries.length - 1, Math.ceil(last / 4) * 4)}`;
  }

  draw() {
    if (!this.trace) return;
    this.window = this.windowKey();
    const [first, last] = this.window.split(" ").map(Number);
    const made = [];
    for (let row = first; row <= last; row++) made.push(this.row(row));
    if (!this.entries.length) made.push(html("p", { class: "none" }, "No step matches the filter."));
    if (!this.listOnly && this.columns.length) made.push(this.picture(first, last));
    this.rows.replaceChildren(...made);
    const selected = this.rowOf.get(this.position);
    if (selected >= first && selected <= last) this.rows.setAttribute("aria-activedescendant", `row-${this.position}`);
    else this.rows.removeAttribute("aria-activedescendant");
  }

  dimmed(position) {
    if (!this.onlyPast || position === this.position || !this.position) return false;
    return !this.past.has(this.numberAt(position));
  }

  numberAt(position) {
    return position ? this.trace.steps[position - 1].number : 0;
  }

  row(row) {
    const entry = this.entries[row];
    const text = html("span", { class: "what" });
    text.style.width = `${this.textWidth}px`;
    const made = html("div", { class: "row" }, text);
    made.style.top = `${row * ROW}px`;
    made.dataset.position = entry === "end" ? this.trace.steps.length : entry ? entry.index + 1 : 0;
    if (entry === "end") {
      made.classList.add("end");
      made.setAttribute("role", "presentation");
      text.append(html("span", { class: "number" }, "!"), html("span", { class: "words" }, shortened(`${this.finding.property}: ${withRaceArrows(this.finding.message)}`, 300)));
      text.title = shortened(`${this.finding.property}: ${this.finding.message}`, 1000);
      return made;
    }
    const position = entry ? entry.index + 1 : 0;
    const selected = position === this.position;
    fill(made, { role: "option", id: `row-${position}`, "aria-selected": String(selected), "aria-posinset": row + 1, "aria-setsize": this.entries.length }, []);
    if (selected) made.classList.add("selected");
    if (!entry) {
      made.classList.add("start");
      text.append(html("span", { class: "number" }, "0"), html("span", { class: "words" }, "start"));
      return made;
    }
    if (this.past.has(entry.number)) made.classList.add("past");
    if (this.dimmed(position)) made.classList.add("dim");
    if (this.trace.marked.has(entry.number)) made.classList.add("marked");
    text.append(html("span", { class: "number" }, String(entry.number)), html("span", { class: "words" }, ...breakable(shortened(withArrows(entry.text), 300))));
    text.title = shortened(entry.text, 1000);
    return made;
  }

  y(row) {
    return (row + 0.5) * ROW - this.top;
  }

  picture(first, last) {
    this.top = first * ROW;
    const height = (last - first + 1) * ROW;
    const made = svg("svg", { class: "picture", width: this.width, height, "aria-hidden": "true" });
    made.style.top = `${this.top}px`;
    const back = [];
    for (const lane of this.columns) {
      const x = this.laneX.get(lane.index);
      back.push(svg("line", { class: "lifeline", x1: x, x2: x, y1: this.plain && first === 0 ? ROW / 2 : 0, y2: height }));
    }
    const labels = [];
    const arrows = this.arrows(first, last, labels);
    const nodes = [];
    for (let row = first; row <= last; row++) {
      const entry = this.entries[row];
      if (entry && entry !== "end") nodes.push(...this.node(entry, row, labels));
    }
    made.append(...back, ...this.brackets(first, last), ...arrows, ...nodes, ...labels);
    return made;
  }

  arrows(first, last, labels) {
    const made = [];
    let passing = 0;
    for (const each of this.trace.transfers) {
      const from = this.rowOf.get(each.sent.index + 1);
      if (from === undefined || from > last) continue;
      const x1 = this.laneX.get(each.from);
      const x2 = this.laneX.get(each.to);
      if (x1 === undefined || x2 === undefined) continue;
      if (!each.taken) {
        if (from >= first - 1) made.push(...this.lost(each, x1, x2, this.y(from)));
        continue;
      }
      const to = this.rowOf.get(each.taken.index + 1);
      if (to === undefined || to < first) continue;
      if (from < first && to > last && ++passing > MOST_PASSING) continue;
      made.push(this.arrow(each, x1, x2, from, to, labels));
    }
    return made;
  }

  arrow(each, x1, x2, from, to, labels) {
    // A rendezvous of a step that receives something else, too, is drawn below that.
    const lower = each.taken === each.sent && each.sent.incoming.length > 0 ? 8 : 0;
    const [y1, y2] = [this.y(from) + lower, this.y(to) + lower];
    const emphasised = this.inPast(each);
    const kind = `arrow ${each.kind}${emphasised ? " past" : ""}${this.dimmed(each.taken.index + 1) ? " dim" : ""}`;
    const side = x1 === x2 ? 1 : Math.sign(x2 - x1);
    const line = svg("path", { d: this.course(each, x1, x2, y1, y2, side) });
    const head = svg("path", { class: "head", d: "M0 0L-8 -4L-8 4Z", transform: `translate(${x2 + (x1 === x2 ? 7 : -7 * side)} ${y2}) rotate(${x1 === x2 || side < 0 ? 180 : 0})` });
    const room = x1 === x2 ? this.laneWidth - 40 : Math.abs(x2 - x1) - (this.narrow ? 14 : 31); // beside what runs down from the sender
    const words = transferLabel(each, room);
    const beside = this.countBeside(each, side);
    const at = x1 === x2 ? { x: x2 + 32, y: y2 - 8, "text-anchor": "start" } : { x: x2 - 13 * side, y: y2 + (beside || lower ? 12 : -7), "text-anchor": side > 0 ? "end" : "start" };
    if (beside < 2) labels.push(svg("text", { class: `label${emphasised ? " past" : ""}${this.dimmed(each.taken.index + 1) ? " dim" : ""}`, ...at }, words));
    return svg("g", { class: kind }, svg("title", {}, shortened(each.text, 300)), line, head);
  }

  // From the sender down beside its lane, then level to the receiver, so that a label has room above it.
  course(each, x1, x2, y1, y2, side) {
    if (y1 === y2) return `M${x1 + 7 * side} ${y1}H${x2 - 12 * side}`;
    const bend = 5 + 3 * ((each.sent.index + each.sent.transfers.indexOf(each)) % 4);
    if (x1 === x2) return `M${x1 + 6} ${y1}C${x1 + 14 + bend} ${y1} ${x1 + 14 + bend} ${y2} ${x1 + 11} ${y2}`;
    const start = x1 + 5 * side;
    const turn = Math.min(16, y2 - y1 - 8);
    const x = x1 + bend * side;
    return `M${start} ${y1 + 4}Q${x} ${y1 + 10} ${x} ${y1 + 18}V${y2 - turn}Q${x} ${y2} ${x + turn * side} ${y2}H${x2 - 12 * side}`;
  }

  // How many of the transfers that the same step takes come from the same side and are labelled before this one.
  countBeside(each, side) {
    const { incoming } = each.taken;
    const x = this.laneX.get(each.to);
    const others = incoming.slice(0, Math.max(0, incoming.indexOf(each)));
    return others.filter((other) => Math.sign(x - this.laneX.get(other.from)) === side).length;
  }

  inPast(each) {
    const number = this.numberAt(this.position);
    const counts = (step) => step.number === number || this.past.has(step.number);
    return this.position > 0 && counts(each.sent) && Boolean(each.taken) && counts(each.taken);
  }

  // A transfer that no step takes is a stub towards the lane that it is for; several of a step fan out.
  lost(each, x1, x2, y) {
    const side = x1 <= x2 ? 1 : -1;
    const others = each.sent.transfers.filter((other) => !other.taken && (x1 <= this.laneX.get(other.to) ? 1 : -1) === side);
    const place = others.indexOf(each);
    if (place >= MOST_STUBS) return [];
    const [stop, end] = [x1 + (20 + 7 * place) * side, y + 15 - 4 * place];
    const stub = svg(
      "g",
      { class: `arrow lost ${each.kind}${this.dimmed(each.sent.index + 1) ? " dim" : ""}` },
      svg("title", {}, `not taken in this trace: ${shortened(each.text, 300)}`),
      svg("line", { x1: x1 + 5 * side, y1: y + 3, x2: stop - 3 * side, y2: end }),
      svg("circle", { cx: stop, cy: end, r: 2.5 }),
    );
    return [stub];
  }

  node(step, row, labels) {
    const x = this.laneX.get(step.lane);
    if (x === undefined) return [];
    const y = this.y(row);
    const position = step.index + 1;
    const classes = ["node", this.trace.lanes[step.lane].kind];
    if (position === this.position) classes.push("selected");
    if (this.past.has(step.number)) classes.push("past");
    if (this.dimmed(position)) classes.push("dim");
    if (this.trace.marked.has(step.number)) classes.push("marked");
    const shape = step.environment ? svg("path", { class: "shape", d: `M${x} ${y - 7}l7 7l-7 7l-7 -7Z` }) : svg("circle", { class: "shape", cx: x, cy: y, r: 6 });
    const made = svg("g", { class: classes.join(" ") });
    if (position === this.position || this.trace.marked.has(step.number)) made.append(svg("circle", { class: "ring", cx: x, cy: y, r: 11 }));
    made.append(shape);
    this.nodeLabel(step, x, y, labels);
    return [made];
  }

  // What came of a step, or what was done if nothing was received, where there is room for it.
  nodeLabel(step, x, y, labels) {
    const effect = step.effects.length > 0;
    if (!effect && (step.incoming.length || step.transfers.some((each) => each.taken === step))) return;
    const words = effect ? step.effects.join("; ") : this.doing(step);
    const bad = effect && BAD_EFFECT.test(words);
    const text = withArrows(bad ? `✕ ${words}` : words);
    const places = this.labelPlaces(step, x, y);
    const wanted = Math.min(textWidth(text, bad ? BOLD_FONT : LABEL_FONT), LONGEST_LABEL);
    const roomiest = places.reduce((one, other) => (other.room > one.room ? other : one));
    const place = places.find((each) => each.room >= wanted) || roomiest;
    labels.push(
      svg(
        "text",
        { class: `label ${bad ? "effect" : "action"}${this.dimmed(step.index + 1) ? " dim" : ""}`, x: place.x, y: place.y, "text-anchor": place.side > 0 ? "start" : "end" },
        fitted(text, Math.min(place.room, LONGEST_LABEL), bad ? BOLD_FONT : LABEL_FONT),
      ),
    );
  }

  // Where a label of a step can be, the best place first. A row has the arrows of its own step only: those that arrive
  // are level with it, and those that leave run down beside its lane.
  labelPlaces(step, x, y) {
    const sides = (lanes) => new Set(lanes.map((lane) => this.laneX.get(lane)).filter((each) => each !== undefined).map((each) => (each < x ? -1 : 1)));
    const arriving = sides([...step.incoming.map((each) => each.from), ...step.transfers.filter((each) => each.taken === step).map((each) => each.to)]);
    const leaving = sides(step.transfers.filter((each) => each.taken !== step).map((each) => each.to));
    const ringed = step.index + 1 === this.position || this.trace.marked.has(step.number);
    const place = (side) => {
      const below = arriving.has(side);
      const gap = below && leaving.has(side) ? 26 : ringed ? 16 : 13;
      const room = (side > 0 ? this.width - x : x - this.textWidth - this.gutter) - gap - 4;
      return { side, room, x: x + gap * side, y: y + (below ? 15 : leaving.has(side) ? -3 : 4) };
    };
    const cost = (side) => 2 * Number(arriving.has(side)) + Number(leaving.has(side));
    return [1, -1].sort((one, other) => cost(one) - cost(other)).map(place);
  }

  // What a step does, in the words of its text: without its lane and what it leads to.
  doing(step) {
    const prefix = `${this.trace.lanes[step.lane].name}: `;
    const words = step.text.startsWith(prefix) ? step.text.slice(prefix.length) : step.text;
    return words.split(" -> ")[0] || step.action;
  }

  // Orderings that matter, between the text and the lanes.
  brackets(first, last) {
    const made = [];
    for (const each of this.trace.orderings) {
      if (!each.matters) continue;
      const rows = [each.first, each.second].map((number) => this.rowOf.get(this.trace.byNumber.get(number).index + 1));
      if (rows.includes(undefined) || Math.min(...rows) > last || Math.max(...rows) < first) continue;
      const right = this.textWidth + this.gutter;
      const left = right - (this.narrow ? 4 : 8) - this.slotWidth * each.slot;
      const [y1, y2] = rows.map((row) => this.y(row));
      made.push(
        svg(
          "g",
          { class: each.removes ? "bracket removes" : "bracket" },
          svg("title", {}, shortened(each.text, 300)),
          svg("path", { d: `M${right} ${y1}H${left + 4}Q${left} ${y1} ${left} ${y1 + 4}V${y2 - 4}Q${left} ${y2} ${left + 4} ${y2}H${right}` }),
        ),
      );
    }
    return made;
  }
}
