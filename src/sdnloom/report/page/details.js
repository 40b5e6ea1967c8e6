// The pane beside the diagram: the network, the selected step, states and source.

const MOST_STATE_LINES = 300;
const MOST_LISTED = 60; // transfers, or links to steps

class Details {
  constructor({ onSelect, untaken = "not taken in this trace" }) {
    this.onSelect = onSelect;
    this.untaken = untaken;
    this.lane = null; // whose state is shown; null is "those that the step changed"
    this.networkBox = html("div", { class: "network-box" });
    this.topology = new Topology(this.networkBox, (lane) => this.chooseLane(lane));
    this.network = html("section", { class: "network", "aria-label": "Network" }, html("h2", {}, "Network"), this.networkBox);
    this.step = html("section", { class: "step", "aria-label": "Step" });
    this.spoken = html("p", { class: "unseen", "aria-live": "polite" }); // for screen readers
    this.state = html("section", { class: "state", "aria-label": "State" });
    this.code = html("section", { class: "source", "aria-label": "Source" });
    this.orderings = html("section", { class: "orderings", "aria-label": "Orderings" });
    this.pane = html("div", { class: "details" }, this.spoken, this.network, this.step, this.state, this.code, this.orderings);
  }

  show(trace) {
    this.trace = trace;
    this.states = new LaneStates(trace);
    this.lane = null;
    this.topology.show(trace);
    this.network.hidden = this.topology.empty;
    this.showOrderings();
  }

  resize() {
    if (this.trace && !this.topology.empty) {
      this.topology.place();
      this.topology.update(this.position);
    }
  }

  update(position) {
    this.position = position;
    this.topology.update(position);
    this.showStep();
    this.showState();
    this.showCode();
  }

  link(number) {
    const step = this.trace.byNumber.get(number);
    if (!step) return String(number);
    return button(String(number), { class: "step-link", title: shortened(step.text, 300) }, () => this.onSelect(step.index + 1));
  }

  links(numbers) {
    const links = numbers.slice(0, MOST_LISTED).flatMap((number, place) => (place ? [", ", this.link(number)] : [this.link(number)]));
    return numbers.length > MOST_LISTED ? [...links, ` and ${numbers.length - MOST_LISTED} more`] : links;
  }

  showStep() {
    const { trace, position } = this;
    if (!position) {
      this.step.replaceChildren(html("h2", {}, "Start"), html("p", {}, trace.steps.length ? `Before the first of ${counted(trace.steps.length, "step")}.` : "No step has been taken yet."));
      return;
    }
    const step = trace.steps[position - 1];
    const lane = trace.lanes[step.lane];
    this.spoken.textContent = `Step ${step.number}: ${shortened(step.text, 300)}`;
    const rows = [];
    const row = (label, ...content) => rows.push(html("dt", {}, label), html("dd", {}, ...content));
    if (step.takes) row("receives", longText("span", step.takes, { class: "message" }));
    if (step.incoming.length) row("sent in step", ...this.links([...new Set(step.incoming.map((each) => each.sent.number))]));
    for (const transfer of step.transfers.slice(0, MOST_LISTED)) row("sends", this.transfer(transfer));
    if (step.transfers.length > MOST_LISTED) row("sends", `and ${step.transfers.length - MOST_LISTED} more`);
    for (const effect of step.effects) row("effect", longText("span", effect, { class: BAD_EFFECT.test(effect) ? "effect" : "" }));
    if (step.causes.length) row("because of", ...this.links(step.causes));
    else row("because of", html("span", { class: "soft" }, "no other step"));
    if (step.clock.length) row("vector clock", this.clock(step));
    this.step.replaceChildren(
      html("h2", {}, `Step ${step.number}`, html("span", { class: `chip ${lane.kind}` }, lane.name), step.environment && html("span", { class: "chip environment" }, "environment")),
      longText("p", withArrows(step.text), { class: "step-text" }),
      step.long && step.long !== step.text && html("details", { class: "long" }, html("summary", {}, "In full"), longText("p", step.long, { class: "pre" })),
      html("dl", {}, ...rows),
    );
  }

  transfer(transfer) {
    const to = this.trace.lanes[transfer.to].name;
    const ports = [transfer.port && ` from port ${transfer.port}`, ` to ${to}`, transfer.toPort && ` port ${transfer.toPort}`].filter(Boolean).join("");
    const taken = transfer.taken ? (transfer.taken === transfer.sent ? ["taken at once"] : ["taken in step ", this.link(transfer.taken.number)]) : [this.untaken];
    const octets = transfer.data.replace(/(..)/g, "$1 ").trim();
    return html(
      "div",
      { class: "transfer" },
      longText("span", transfer.text, { class: "message" }),
      html("div", { class: "soft" }, `${transfer.kind}${ports}; `, ...taken),
      transfer.long && html("details", {}, html("summary", {}, "decoded"), longText("p", transfer.long, { class: "pre" })),
      octets && html("details", {}, html("summary", {}, counted(transfer.data.length / 2, "octet")), longText("p", octets, { class: "octets" })),
    );
  }

  clock(step) {
    const chips = [];
    for (let place = 0; place + 1 < step.clock.length; place += 2) {
      const lane = this.trace.lanes[step.clock[place]];
      chips.push(html("span", { class: lane.index === step.lane ? "count own" : "count" }, `${lane.name} ${step.clock[place + 1]}`));
    }
    return html("span", { class: "clock" }, ...chips);
  }

  chooseLane(lane) {
    if (!this.states.hasState(lane)) return;
    this.lane = this.lane === lane ? null : lane;
    this.showState();
  }

  showState() {
    const { trace, position, states } = this;
    const lanes = trace.lanes.filter((lane) => states.hasState(lane.index));
    this.state.hidden = lanes.length === 0;
    if (!lanes.length) return;
    const changed = lanes.filter((lane) => position && states.changedAt(lane.index, position));
    if (this.lane !== null && !states.hasState(this.lane)) this.lane = null;
    const shown = this.lane !== null ? [trace.lanes[this.lane]] : changed;
    const choice = (label, lane, mark) =>
      button(label, { class: mark ? "choice changed" : "choice", "aria-pressed": String(this.lane === lane), title: mark ? "changed by this step" : null }, () => {
        this.lane = lane;
        this.showState();
      });
    const choices = [choice("changes", null, false), ...lanes.map((lane) => choice(lane.name, lane.index, changed.includes(lane)))];
    const body = shown.map((lane) => this.laneState(lane, position, this.lane === null));
    if (!shown.length) body.push(html("p", { class: "soft" }, position ? "This step changes no state." : "Choose a component to see its state at the start."));
    this.state.replaceChildren(
      html("h2", {}, position ? `State after step ${trace.steps[position - 1].number}` : "State at the start"),
      html("div", { class: "choices", role: "group", "aria-label": "Whose state" }, ...choices),
      ...body,
    );
  }

  // The state of a lane with what the step has changed; `onlyChanged` leaves out the parts that it has not.
  laneState(lane, position, onlyChanged) {
    const now = this.states.at(lane.index, position);
    const old = position ? this.states.at(lane.index, position - 1) : now;
    const parts = stateDifference(this.trace.lines, old, now);
    const all = [];
    let left = 0;
    for (const [part, lines] of parts) {
      if (onlyChanged && lines.every(({ mark }) => mark === "kept")) {
        left += lines.length;
        continue;
      }
      if (part) all.push(html("h4", {}, part));
      for (const { text, mark } of lines) {
        const sign = { added: "+", removed: "−", kept: "·" }[mark];
        all.push(
          html("div", { class: `state-line ${mark}` }, html("span", { class: "sign" }, sign), mark !== "kept" && html("span", { class: "unseen" }, `${mark}: `), longText("span", withArrows(text))),
        );
      }
    }
    const box = html("div", { class: "lane-state" }, html("h3", {}, lane.name), ...all.slice(0, MOST_STATE_LINES));
    if (!all.length) box.append(html("p", { class: "soft" }, "nothing"));
    if (left) box.append(button(`and ${counted(left, "line")} as before`, { class: "link", title: `all of the state of ${shortened(lane.name, 60)}` }, () => this.chooseLane(lane.index)));
    if (all.length > MOST_STATE_LINES) {
      const more = button(`show ${counted(all.length - MOST_STATE_LINES, "more line")}`, { class: "link" }, () => more.replaceWith(...all.slice(MOST_STATE_LINES)));
      box.append(more);
    }
    return box;
  }

  showCode() {
    const code = this.position ? this.trace.steps[this.position - 1].code : [];
    this.code.hidden = code.length === 0;
    this.code.replaceChildren(html("h2", {}, "Source that ran"), ...code.map(codeBlock));
  }

  showOrderings() {
    const { orderings } = this.trace;
    this.orderings.hidden = orderings.length === 0;
    const [important, others] = [orderings.filter((each) => each.matters), orderings.filter((each) => !each.matters)];
    const words = others.length === 1 ? "1 order that does not matter" : `${counted(others.length, "order")} that do not matter`;
    this.orderings.replaceChildren(
      html("h2", {}, "Orderings"),
      this.orderingList(important),
      others.length ? html("details", {}, html("summary", {}, words), this.orderingList(others)) : "",
    );
  }

  orderingList(orderings) {
    const items = orderings.slice(0, MOST_LISTED).map((each) =>
      html(
        "li",
        { class: each.matters ? "matters" : "" },
        html("span", { class: "pair" }, "steps ", this.link(each.first), " and ", this.link(each.second)),
        each.removes === true && html("span", { class: "chip removes" }, "removes the trace"),
        longText("p", each.text),
      ),
    );
    return html("ul", {}, ...items);
  }
}
