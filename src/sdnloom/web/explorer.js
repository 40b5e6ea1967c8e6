// Puts the explorer together. The server has the path; the page shows one position of it.

const EXPLORER_KEYS = [
  ["1 to 9", "take that step"],
  ["j, k", "look at the next, previous step of the path"],
  ["Home, End", "look at the start, the last step"],
  ["u", "undo: drop the step that is looked at, and those behind it"],
  ["r", "take a random step"],
  ["s", "take steps until it rests"],
  ["f, F", "find a counterexample from here, from the start"],
  ["c", "dim what the step does not depend on"],
  ["l", "steps as a list, or as a diagram"],
  ["d", "light or dark"],
  ["Esc", "cancel the search, close this"],
  ["?", "this help"],
];
const POLL = 300; // milliseconds

class Explorer {
  constructor(commands) {
    this.commands = commands;
    this.position = 0;
    this.serial = 0;
    this.searching = false;
    this.head = html("header", {});
    this.status = html("p", { class: "note", role: "status" });
    this.next = new NextSteps({ onTake: (number) => this.take(number, this.next.position) });
    this.properties = new PropertyList();
    this.details = new Details({ onSelect: (position) => this.look(position), untaken: "not taken yet" });
    this.details.pane.prepend(this.properties.panel);
    this.toolbar = this.makeToolbar();
    const box = html("div", { class: "diagram" });
    this.diagram = new Diagram(box, { onSelect: (position) => this.look(position), onHide: (lane) => this.hideLane(lane) });
    this.hidden = new Set(); // names of lanes
    const left = html("div", { class: "left" }, this.toolbar, box, this.next.panel);
    this.work = html("main", {}, left, this.details.pane);
    this.help = this.makeHelp();
    this.saving = this.makeSaving();
    document.body.append(html("div", { class: "page explorer" }, this.head, this.status, this.work, this.help, this.saving));
    this.listen();
    this.start();
  }

  makeToolbar() {
    this.where = html("span", { class: "where", role: "status" });
    this.onlyPast = button("causes", { class: "toggle", "aria-pressed": "false", title: "Dim what the step does not depend on (c)" }, () => this.togglePast());
    this.listOnly = button("list", { class: "toggle", "aria-pressed": "false", title: "Steps as a list (l)" }, () => this.toggleList());
    this.acting = [
      button("undo", { title: "Drop this step and those behind it (u)" }, () => this.act("back")),
      button("random", { title: "Take a random step (r)" }, () => this.act("random")),
      button("run to rest", { title: "Take the steps that must happen (s)" }, () => this.act("rest")),
      button("find from here", { class: "find", title: "Find a counterexample from this step on (f)" }, () => this.search(this.position)),
      button("find from start", { class: "find", title: "Find a counterexample from the start (F)" }, () => this.search(null)),
      button("save", { title: "Save the path as a trace" }, () => this.askForName()),
    ];
    this.hiddenLanes = html("span", { class: "hidden-lanes" });
    this.cancelling = button("cancel the search", { class: "cancel", hidden: true }, () => this.cancel());
    return html(
      "div",
      { class: "toolbar", role: "toolbar", "aria-label": "Steps" },
      html(
        "span",
        { class: "moves" },
        button("«", { "aria-label": "Start", title: "Start (Home)" }, () => this.look(0)),
        button("‹", { "aria-label": "Previous step", title: "Previous step (k)" }, () => this.look(this.position - 1)),
        this.where,
        button("›", { "aria-label": "Next step", title: "Next step (j)" }, () => this.look(this.position + 1)),
        button("»", { "aria-label": "Last step", title: "Last step (End)" }, () => this.look(Infinity)),
      ),
      ...this.acting,
      this.cancelling,
      button("copy link", { title: "Copy an address that leads to this path" }, () => this.copyLink()),
      this.onlyPast,
      this.listOnly,
      this.hiddenLanes,
    );
  }

  makeHelp() {
    const rows = EXPLORER_KEYS.map(([keys, words]) => html("tr", {}, html("th", { scope: "row" }, html("kbd", {}, keys)), html("td", {}, words)));
    const dialog = html("dialog", { class: "help", "aria-label": "Keys and signs" }, html("h2", {}, "Keys"), html("table", {}, html("tbody", {}, ...rows)));
    dialog.append(html("h2", {}, "Signs"), legend(), html("p", { class: "soft" }, "The address of the page names the path: whoever explores the same scenario can open it."), button("close", {}, () => dialog.close()));
    return dialog;
  }

  makeSaving() {
    this.fileName = html("input", { type: "text", "aria-label": "Name of the trace", size: 40 });
    const form = html(
      "form",
      { method: "dialog" },
      html("h2", {}, "Save the path as a trace"),
      html("label", {}, "Name of the file, in the folder in which the explorer was started ", this.fileName),
      html("p", { class: "dialog-buttons" }, html("button", { type: "submit", class: "primary" }, "save"), button("close", {}, () => this.saving.close())),
    );
    const dialog = html("dialog", { class: "help", "aria-label": "Save the path" }, form);
    form.addEventListener("submit", () => this.save());
    return dialog;
  }

  listen() {
    this.diagram.followSize(() => this.details.resize());
    addEventListener("hashchange", () => this.followAddress());
    const keys = {
      j: () => this.look(this.position + 1),
      ArrowDown: () => this.look(this.position + 1),
      k: () => this.look(this.position - 1),
      ArrowUp: () => this.look(this.position - 1),
      Home: () => this.look(0),
      End: () => this.look(Infinity),
      u: () => this.act("back"),
      Backspace: () => this.act("back"),
      r: () => this.act("random"),
      s: () => this.act("rest"),
      f: () => this.search(this.position),
      F: () => this.search(null),
      c: () => this.togglePast(),
      l: () => this.toggleList(),
      d: switchTheme,
      "?": () => this.help.showModal(),
    };
    for (let number = 1; number <= 9; number++) keys[number] = () => this.take(number - 1);
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || this.help.open || this.saving.open) return;
      if (event.key === "Escape") this.cancel();
      else if (event.target.closest("input, select, textarea")) return;
      else if (keys[event.key]) {
        event.preventDefault();
        keys[event.key]();
      }
    });
  }

  // Commands.

  async start() {
    const wanted = pathIn(location.hash);
    await this.command(wanted ? "open" : "show", wanted ? { address: wanted } : {});
    if (this.trace && this.next.count && !this.status.textContent) this.say("Click a step below, or press its number, to take it. Press ? for all keys.");
  }

  async followAddress() {
    const wanted = pathIn(location.hash);
    if (wanted !== null && wanted !== this.address) await this.commands.inOrder(() => this.command("open", { address: wanted }));
  }

  act(name) {
    return this.commands.inOrder(() => this.command(name, { position: this.position }));
  }

  // Takes a step of the list; a list that was clicked belongs to the position that it shows.
  take(number, position = null) {
    return this.commands.inOrder(() => {
      if (number < this.next.count) return this.command("take", { position: position ?? this.next.position, number });
      return this.say(`there is no step ${number + 1} here`);
    });
  }

  async command(name, given) {
    if (this.searching) return;
    try {
      const answer = await this.commands.post(name, { ...given, serial: this.serial });
      if (answer.data) this.showPath(answer);
      else if (answer.enabled && this.position === answer.position) this.showPosition(answer);
      this.say(answer.note || "");
    } catch (error) {
      this.say(error.message, true);
    }
  }

  // Looks at another position of the path. The path stays; only what can happen is asked for.
  look(position) {
    const wanted = Math.min(Math.max(0, position), this.trace.steps.length);
    if (wanted === this.position) return;
    this.select(wanted);
    this.commands.inOrder(() => (this.position === wanted ? this.command("look", { position: wanted }) : null));
  }

  async search(position) {
    if (this.searching) return;
    try {
      await this.commands.last;
      await this.commands.post("search", { position, serial: this.serial });
      this.setSearching(true);
      let state;
      do {
        await new Promise((done) => setTimeout(done, POLL));
        state = await this.commands.post("progress");
        if (state.searching) this.say(`searching: ${counted(state.states, "state")}, depth ${state.depth}, ${state.seconds} s`);
      } while (state.searching);
      this.setSearching(false);
      const answer = state.answer || (await this.commands.post("show"));
      if (answer.error) throw new Error(answer.error);
      this.showPath(answer);
      this.say(answer.note || "");
    } catch (error) {
      this.setSearching(false);
      this.say(error.message, true);
    }
  }

  async cancel() {
    if (!this.searching) return;
    try {
      await this.commands.post("cancel");
    } catch (error) {
      this.say(error.message, true);
    }
  }

  setSearching(searching) {
    this.searching = searching;
    for (const each of this.acting) each.disabled = searching;
    this.cancelling.hidden = !searching;
    this.next.panel.classList.toggle("waiting", searching);
  }

  askForName() {
    this.fileName.value = this.traceName;
    this.saving.showModal();
    this.fileName.select();
  }

  save() {
    const name = this.fileName.value.trim();
    return this.commands.inOrder(() => this.command("save", { name }));
  }

  async copyLink() {
    const link = `${location.origin}/#p=${this.address}`;
    try {
      await navigator.clipboard.writeText(link);
      this.say("the address of this path is in the clipboard");
    } catch {
      this.say(link);
    }
  }

  // Showing.

  say(text, bad = false) {
    this.status.textContent = printable(text);
    this.status.classList.toggle("bad", bad);
  }

  showPath(answer) {
    const [result] = readResults(answer.data);
    const [finding] = result.findings;
    this.trace = finding.trace;
    this.serial = answer.serial;
    this.address = answer.address;
    this.traceName = `${result.name.replace(/[^\w.-]+/g, "-")}.explored`;
    history.replaceState(null, "", this.address ? `#p=${this.address}` : "#");
    this.showHead(result, answer);
    const lane = this.details.lane;
    this.details.show(this.trace);
    this.details.lane = lane;
    this.showDiagram(answer.violated ? finding : null);
    this.kinds = new Map(this.trace.lanes.map((each) => [each.name, each.kind]));
    this.select(answer.position);
    this.showPosition(answer);
    document.title = `${this.trace.steps.length}: ${shortened(result.name, 100)} - sdnloom explore`;
  }

  // Lanes that were hidden stay so when the path changes. Before the first step all lanes are idle, and shown.
  showDiagram(finding) {
    this.diagram.show(this.trace, finding);
    for (const lane of this.trace.lanes) if (this.hidden.has(lane.name)) this.diagram.hidden.add(lane.index);
    if (!this.trace.steps.length) this.diagram.idle.clear();
    this.arrangeLanes();
  }

  hideLane(lane) {
    this.hidden.add(this.trace.lanes[lane].name);
    this.diagram.hidden.add(lane);
    this.arrangeLanes();
  }

  arrangeLanes() {
    const { hidden, idle } = this.diagram;
    const shown = (lanes) => () => {
      for (const lane of lanes) {
        hidden.delete(lane);
        idle.delete(lane);
        this.hidden.delete(this.trace.lanes[lane].name);
      }
      this.arrangeLanes();
    };
    const chips = [...hidden].map((lane) => button(`show ${shortened(this.trace.lanes[lane].name, 30)}`, { class: "chip" }, shown([lane])));
    if (idle.size) chips.push(button(`show ${counted(idle.size, "idle lane")}`, { class: "chip" }, shown([...idle])));
    this.hiddenLanes.replaceChildren(...chips);
    this.diagram.arrange();
    this.diagram.reveal();
  }

  showHead(result, answer) {
    const badge = answer.violated ? html("span", { class: "badge violated" }, "VIOLATED") : html("span", { class: "badge exploring" }, "EXPLORE");
    const corner = html(
      "div",
      { class: "corner-buttons" },
      button("◐", { "aria-label": "Light or dark", title: "Light or dark (d)" }, switchTheme),
      button("?", { "aria-label": "Keys and signs", title: "Keys and signs (?)" }, () => this.help.showModal()),
    );
    this.head.replaceChildren(html("div", { class: "title" }, badge, html("h1", {}, result.name), html("span", { class: "soft" }, answer.kind)), corner);
  }

  showPosition(answer) {
    this.next.show(answer.enabled, this.position, this.kinds);
    this.properties.show(answer.properties);
  }

  select(position) {
    const { steps } = this.trace;
    this.position = Math.min(Math.max(0, position), steps.length);
    const step = this.position ? steps[this.position - 1] : null;
    this.past = step ? causalPast(this.trace, step) : new Set();
    this.where.textContent = `${this.position} of ${steps.length}`;
    this.diagram.select(this.position, this.past);
    const { box, finding } = this.diagram;
    if (finding && this.position === steps.length) box.scrollTop = box.scrollHeight; // the violation is the row after it
    this.details.update(this.position);
  }

  togglePast() {
    this.diagram.togglePast(this.onlyPast);
  }

  toggleList() {
    this.diagram.toggleList(this.listOnly);
  }
}

// The path in the fragment of an address; null if it names none.
function pathIn(fragment) {
  const found = /^#p=([0-9a-v~]*)$/.exec(fragment);
  return found ? found[1] : null;
}

new Explorer(new Commands(document.querySelector('meta[name="token"]').content));
