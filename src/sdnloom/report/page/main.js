// Puts the page together, and keeps what is selected.

class App {
  constructor(results) {
    this.results = results;
    this.result = 0;
    this.finding = 0;
    this.position = 0;
    this.past = new Set();
    this.head = html("header", {});
    this.list = html("nav", { "aria-label": "Findings" });
    this.details = new Details({ onSelect: (position) => this.select(position) });
    this.toolbar = this.makeToolbar();
    const box = html("div", { class: "diagram" });
    this.diagram = new Diagram(box, { onSelect: (position) => this.select(position), onHide: (lane) => this.hideLane(lane) });
    const answersBox = html("div", { class: "answers-box", role: "region", "aria-label": "Answers of the agents", tabindex: "0" });
    this.answers = new Answers(answersBox, (position) => this.select(position));
    this.work = html("main", {}, html("div", { class: "left" }, this.toolbar, answersBox, box), this.details.pane);
    this.help = helpDialog();
    this.printed = html("div", { class: "printed" });
    this.page = html("div", { class: "page" }, this.head, this.list, this.printed, this.work, this.help);
    document.body.append(this.page);
    listenToKeys(this);
    addEventListener("hashchange", (event) => this.followAddress(new URL(event.newURL).hash));
    addEventListener("beforeprint", () => this.printSteps());
    addEventListener("afterprint", () => this.printed.replaceChildren());
    this.diagram.followSize(() => this.details.resize());
    if (!this.followAddress(location.hash)) this.open(0, this.firstFinding(0), null);
  }

  get trace() {
    const finding = this.results[this.result].findings[this.finding];
    return finding ? finding.trace : null;
  }

  // A finding that is news comes before those of a baseline.
  firstFinding(result) {
    return Math.max(0, this.results[result].findings.findIndex((finding) => !finding.known));
  }

  makeToolbar() {
    this.where = html("span", { class: "where", role: "status" });
    this.goTo = html("input", { type: "text", inputmode: "numeric", class: "go-to", "aria-label": "Go to step", placeholder: "step", hidden: true });
    this.goTo.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.goToStep();
    });
    this.goTo.addEventListener("blur", () => {
      this.goTo.hidden = true;
    });
    this.filter = html("input", { type: "search", class: "filter", placeholder: "filter steps", "aria-label": "Filter steps by text or component" });
    this.filter.addEventListener("input", () => this.filterSteps());
    this.filter.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.filter.blur();
    });
    this.onlyPast = button("causes", { class: "toggle", "aria-pressed": "false", title: "Dim what the step does not depend on (c)" }, () => this.togglePast());
    this.listOnly = button("list", { class: "toggle", "aria-pressed": "false", title: "Steps as a list (l)" }, () => this.toggleList());
    this.hiddenLanes = html("span", { class: "hidden-lanes" });
    return html(
      "div",
      { class: "toolbar", role: "toolbar", "aria-label": "Steps" },
      html(
        "span",
        { class: "moves" },
        button("«", { "aria-label": "Start", title: "Start (Home)" }, () => this.moveTo(0)),
        button("‹", { "aria-label": "Previous step", title: "Previous step (k)" }, () => this.move(-1)),
        this.where,
        this.goTo,
        button("›", { "aria-label": "Next step", title: "Next step (j)" }, () => this.move(1)),
        button("»", { "aria-label": "Last step", title: "Last step (End)" }, () => this.moveTo(Infinity)),
      ),
      this.filter,
      this.onlyPast,
      this.listOnly,
      this.hiddenLanes,
    );
  }

  // Shows a finding of a result at a step's number; at null it shows the last step, where the violation is.
  open(result, finding, number) {
    this.result = result;
    this.finding = finding;
    const shown = this.results[result];
    const chosen = shown.findings[finding];
    const choice = this.results.length > 1 ? this.resultChoice() : null;
    this.head.replaceChildren(...[choice, ...resultHead(shown, !shown.findings.length), this.corner()].filter(Boolean));
    if (chosen) this.list.replaceChildren(findingsList(shown, finding, (place) => this.chooseFinding(place)), findingHead(chosen, this.isSaid(shown, chosen)));
    this.list.hidden = !chosen || (shown.findings.length === 1 && !this.list.querySelector(".finding-head").childNodes.length);
    const current = this.list.querySelector("[aria-current]");
    if (current) current.parentNode.parentNode.scrollTop = current.offsetTop - current.parentNode.parentNode.offsetTop - 40;
    this.work.hidden = !this.trace;
    this.filter.value = "";
    document.title = `${shown.verdict}: ${shortened(shown.name, 100)} - sdnloom`;
    if (this.trace) {
      this.details.show(this.trace);
      this.diagram.show(this.trace, chosen);
      this.showHiddenLanes();
      this.answers.box.hidden = !this.answers.show(this.trace);
      const step = this.trace.byNumber.get(number);
      this.select(number === null ? this.trace.steps.length : step ? step.index + 1 : 0);
    } else {
      this.writeAddress();
    }
  }

  // Whether the headline, or the list of several findings, has all of a finding's message.
  isSaid(result, finding) {
    return result.findings.length === 1 ? result.headline.includes(finding.message) : finding.message.length <= LONGEST_LISTED;
  }

  resultChoice() {
    const options = this.results.map((each, place) => html("option", { value: place, selected: place === this.result }, `${each.verdict.toUpperCase()}  ${shortened(each.name, 100)}`));
    const choice = html("select", { class: "results", "aria-label": "Result" }, ...options);
    choice.addEventListener("change", () => this.open(Number(choice.value), this.firstFinding(Number(choice.value)), null));
    return choice;
  }

  corner() {
    return html(
      "div",
      { class: "corner-buttons" },
      button("◐", { "aria-label": "Light or dark", title: "Light or dark (d)" }, switchTheme),
      button("?", { "aria-label": "Keys and signs", title: "Keys and signs (?)" }, () => this.help.showModal()),
    );
  }

  chooseFinding(place) {
    if (place !== this.finding && this.results[this.result].findings[place]) this.open(this.result, place, null);
  }

  select(position) {
    if (!this.trace) return;
    const { steps } = this.trace;
    this.position = Math.min(Math.max(0, position), steps.length);
    const step = this.position ? steps[this.position - 1] : null;
    this.past = step ? causalPast(this.trace, step) : new Set();
    this.where.textContent = `${step ? step.number : 0} of ${steps.length}`;
    this.diagram.select(this.position, this.past);
    this.answers.update(this.position);
    this.details.update(this.position);
    this.writeAddress();
  }

  // Moves by rows that are shown.
  move(by) {
    if (!this.trace) return;
    const positions = [...this.diagram.rowOf.keys()];
    const after = positions.filter((each) => (by > 0 ? each > this.position : each < this.position));
    if (after.length) this.select(by > 0 ? after[0] : after[after.length - 1]);
  }

  moveTo(position) {
    if (!this.trace) return;
    const positions = [...this.diagram.rowOf.keys()];
    if (positions.length) this.select(position ? positions[positions.length - 1] : positions[0]);
  }

  askForStep() {
    this.goTo.hidden = false;
    this.goTo.value = "";
    this.goTo.focus();
  }

  goToStep() {
    const step = this.trace && this.trace.byNumber.get(Number(this.goTo.value));
    this.goTo.blur();
    if (!step && this.goTo.value !== "0") return;
    if (this.diagram.rowOf.get(step ? step.index + 1 : 0) === undefined) this.clearFilter();
    this.select(step ? step.index + 1 : 0);
  }

  focusFilter() {
    this.filter.focus();
    this.filter.select();
  }

  filterSteps() {
    this.diagram.filter = this.filter.value.trim();
    this.diagram.arrange();
    this.diagram.reveal();
  }

  clearFilter() {
    this.filter.value = "";
    this.diagram.hidden.clear();
    this.showHiddenLanes();
    this.filterSteps();
  }

  escape() {
    if (document.activeElement === this.goTo) this.goTo.blur();
    else {
      this.filter.blur();
      this.clearFilter();
    }
  }

  hideLane(lane) {
    this.diagram.hidden.add(lane);
    this.showHiddenLanes();
    this.diagram.arrange();
  }

  showHiddenLanes() {
    const { idle } = this.diagram;
    const chips = [...this.diagram.hidden].map((lane) =>
      button(`show ${shortened(this.trace.lanes[lane].name, 30)}`, { class: "chip" }, () => {
        this.diagram.hidden.delete(lane);
        this.showHiddenLanes();
        this.diagram.arrange();
      }),
    );
    if (idle.size) {
      const all = idle.size === 1 ? `show ${shortened(this.trace.lanes[[...idle][0]].name, 30)}` : `show ${idle.size} idle lanes`;
      chips.push(
        button(all, { class: "chip" }, () => {
          idle.clear();
          this.showHiddenLanes();
          this.diagram.arrange();
        }),
      );
    }
    this.hiddenLanes.replaceChildren(...chips);
  }

  togglePast() {
    this.diagram.togglePast(this.onlyPast);
  }

  toggleList() {
    this.diagram.toggleList(this.listOnly);
  }

  // The address names result, finding and step: #f1s7, or #r2f1s7. Browsers refuse too many changes in a short time.
  writeAddress() {
    clearTimeout(this.writing);
    this.writing = setTimeout(() => {
      const step = this.trace ? `s${this.position ? this.trace.steps[this.position - 1].number : 0}` : "";
      const address = `#${this.result ? `r${this.result + 1}` : ""}f${this.finding + 1}${step}`;
      if (location.hash === address) return;
      try {
        history.replaceState(null, "", address);
      } catch {
        // A page inside of another one may not change its address.
      }
    }, 200);
  }

  followAddress(address) {
    const found = /^#(?:r(\d+))?f(\d+)(?:s(\d+))?$/.exec(address);
    if (!found) return false;
    const [result, finding] = [Number(found[1] || 1) - 1, Number(found[2]) - 1];
    const there = this.results[result] && finding < Math.max(1, this.results[result].findings.length);
    if (there) this.open(result, finding, found[3] === undefined ? null : Number(found[3]));
    return there;
  }

  // On paper there is nothing to scroll: all steps as a list.
  printSteps() {
    if (!this.trace) return;
    const rows = this.trace.steps.map((step) =>
      html("tr", {}, html("td", {}, String(step.number)), html("td", {}, this.trace.lanes[step.lane].name), html("td", {}, shortened(withArrows(step.text), 2000))),
    );
    const head = html("thead", {}, html("tr", {}, ...["step", "component", "what happens"].map((each) => html("th", {}, each))));
    this.printed.replaceChildren(html("table", {}, head, html("tbody", {}, ...rows)));
  }
}

const results = readData(document.getElementById("data"));
if (results.length) new App(results);
else document.body.append(html("p", { class: "none" }, "There are no results to show."));
