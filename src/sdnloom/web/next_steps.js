// The panels of the explorer: the steps that can be taken, and what the properties say.

class NextSteps {
  constructor({ onTake }) {
    this.onTake = onTake;
    this.title = html("h2", {});
    this.list = html("ol", { class: "next-list" });
    this.panel = html("section", { class: "next", "aria-label": "Steps that can be taken" }, this.title, this.list);
  }

  show(enabled, position, kinds) {
    this.count = enabled.length;
    this.position = position; // the list may be older than the selection
    this.title.textContent = enabled.length ? `What can happen ${position ? `after step ${position}` : "at the start"}` : "Nothing can happen any more";
    const items = enabled.map((step, number) =>
      html(
        "li",
        {},
        button("", { class: step.taken ? "next-step taken" : "next-step", title: step.taken ? "This is how the path goes on" : null }, () => this.onTake(number)),
      ),
    );
    items.forEach((item, number) => {
      const step = enabled[number];
      item.firstChild.append(
        html("kbd", {}, String(number + 1)),
        html("span", { class: `chip ${kinds.get(step.lane) || ""}` }, printable(step.lane)),
        html("span", { class: "words" }, ...breakable(shortened(withArrows(withoutLane(printable(step.text), step.lane)), 600))),
        ...[step.environment && html("span", { class: "tag" }, "may")].filter(Boolean),
      );
    });
    this.list.replaceChildren(...items);
  }
}

// A line without the component that it begins with: a chip has it.
function withoutLane(text, lane) {
  for (const start of [`${lane}: `, `${lane} `]) if (text.startsWith(start)) return text.slice(start.length);
  return text;
}

class PropertyList {
  constructor() {
    this.opened = new Set(); // names of properties whose memory is shown
    this.panel = html("section", { class: "properties", "aria-label": "Properties", "aria-live": "polite" });
  }

  show(properties) {
    const rows = properties.map((each) =>
      html(
        "li",
        { class: `property ${each.word.replace(" ", "-")}` },
        html("span", { class: "word" }, each.word),
        html("b", {}, printable(each.name)),
        each.message && longText("span", printable(each.message), { class: "property-message" }),
        each.when && each.word === "not yet" && html("span", { class: "soft" }, each.when),
        each.memory.length > 0 && html("details", { open: this.opened.has(each.name) }, html("summary", {}, "what it remembers"), ...each.memory.map((line) => longText("p", printable(line), { class: "pre" }))),
      ),
    );
    rows.forEach((row, place) => {
      const memory = row.querySelector("details");
      if (memory) memory.addEventListener("toggle", () => (memory.open ? this.opened.add(properties[place].name) : this.opened.delete(properties[place].name)));
    });
    this.panel.replaceChildren(html("h2", {}, "Properties here"), html("ul", {}, ...rows));
  }
}
