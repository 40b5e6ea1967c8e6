// A drawing of the network: lanes, their wires, and what is under way at a step.

const MOST_NAMED = 4; // transfers under way that the caption names
const NODE_FONT = "600 12px system-ui, sans-serif";
const DENSE_FONT = "600 10px system-ui, sans-serif";
const DOT_FONT = "600 11px system-ui, sans-serif";

class Topology {
  constructor(box, onLane) {
    this.box = box;
    this.onLane = onLane;
    this.trace = null;
  }

  // Lanes that have a place in the network: not links, which are wires, nor the environment.
  show(trace) {
    this.trace = trace;
    const wires = [trace.wires, ...trace.steps.map((step) => step.wires || [])].flat();
    const drawn = (lane) => !["link", "environment"].includes(trace.lanes[lane].kind);
    const ends = new Map();
    const join = (one, other, control) => {
      if (one === other || !drawn(one) || !drawn(other)) return;
      const key = one < other ? `${one} ${other}` : `${other} ${one}`;
      if (!ends.has(key)) ends.set(key, [Math.min(one, other), Math.max(one, other), control]);
    };
    for (const wire of wires) join(wire.one, wire.other, wire.control);
    if (!wires.length) for (const each of trace.transfers) join(each.from, each.to, false);
    this.implied = !wires.length;
    this.edges = [...ends.values()];
    this.nodes = [...new Set(this.edges.flatMap(([one, other]) => [one, other]))].sort((one, other) => one - other);
    this.dense = this.nodes.length > 14; // smaller names, and only control wires that are in use
    this.small = this.nodes.length > 40; // no names
    this.place();
  }

  get empty() {
    return !this.trace || this.nodes.length === 0;
  }

  place() {
    this.width = Math.max(240, this.box.clientWidth || 400);
    const top = this.nodes.filter((lane) => this.isTop(lane));
    const rest = this.nodes.filter((lane) => !this.isTop(lane));
    const index = new Map(rest.map((lane, place) => [lane, place]));
    const isHost = (lane) => this.trace.lanes[lane].kind === "host";
    const edges = this.edges
      .filter(([one, other, control]) => !control && index.has(one) && index.has(other))
      .map(([one, other]) => [index.get(one), index.get(other), isHost(one) || isHost(other) ? 0.8 : 1]);
    const padX = this.small ? 18 : this.dense ? 30 : 44;
    const above = top.length ? 92 : 26;
    const low = rest.filter(isHost).map((lane) => index.get(lane));
    const { places, height } = layout(rest.length, edges, this.width - 2 * padX, Math.min(340, 170 + 6 * Math.max(0, rest.length - 8)), low);
    this.height = Math.round(above + height + 26);
    this.places = new Map(rest.map((lane, place) => [lane, [places[place][0] + padX, places[place][1] + above]]));
    top.forEach((lane, place) => this.places.set(lane, [(this.width * (place + 1)) / (top.length + 1), 20]));
    this.draw();
  }

  isTop(lane) {
    return this.trace.lanes[lane].kind === "controller";
  }

  draw() {
    this.wireLayer = svg("g");
    this.nodeLayer = svg("g");
    this.packetLayer = svg("g");
    this.shapes = new Map();
    for (const lane of this.nodes) this.nodeLayer.append(this.node(lane));
    this.caption = html("p", { class: "caption soft" });
    const picture = svg(
      "svg",
      { class: "topology", role: "img", "aria-label": `network of ${counted(this.nodes.length, "component")}`, width: this.width, height: this.height, viewBox: `0 0 ${this.width} ${this.height}` },
      this.wireLayer,
      this.nodeLayer,
      this.packetLayer,
    );
    this.box.replaceChildren(picture, this.caption);
    this.drawnWires = null;
  }

  node(lane) {
    const { name, kind } = this.trace.lanes[lane];
    const [x, y] = this.places.get(lane);
    const font = this.dense ? DENSE_FONT : NODE_FONT;
    const label = fitted(name, this.dense ? 60 : 96, font);
    const half = this.small ? 6 : this.dense ? textWidth(label, font) / 2 + 4 : Math.max(15, textWidth(label, font) / 2 + 8);
    const high = this.small ? 6 : this.dense ? 8 : 12;
    const round = kind === "host" || kind === "actor" ? high : 4;
    const group = svg("g", { class: this.dense ? `node dense ${kind}` : `node ${kind}`, transform: `translate(${x} ${y})`, onclick: () => this.onLane(lane) });
    group.append(
      svg("title", {}, `${kind} ${name}`),
      svg("rect", { x: -half, y: -high, width: 2 * half, height: 2 * high, rx: round }),
    );
    if (!this.small) group.append(svg("text", { "text-anchor": "middle", y: 4 }, label));
    this.shapes.set(lane, group);
    return group;
  }

  // Shows wires and transfers after the step at a position (from 1; 0 is the start).
  update(position) {
    if (this.empty) return;
    const { trace } = this;
    let wires = trace.wires;
    for (const step of trace.steps.slice(0, position)) if (step.wires) wires = step.wires;
    if (this.drawnWires !== wires) this.drawWires(wires);
    const current = position ? trace.steps[position - 1] : null;
    for (const [lane, shape] of this.shapes) shape.classList.toggle("current", Boolean(current) && current.lane === lane);
    const underWay = trace.transfers.filter(
      (each) => each.sent.index < position && each.taken !== each.sent && (!each.taken || each.taken.index >= position),
    );
    this.drawTransfers(underWay);
    const words = underWay.map((each) => `${this.nameOf(each)} ${trace.lanes[each.from].name} → ${trace.lanes[each.to].name}`);
    const more = words.length > MOST_NAMED ? ` and ${words.length - MOST_NAMED} more` : "";
    this.caption.textContent = words.length ? `under way: ${words.slice(0, MOST_NAMED).join(", ")}${more}` : "nothing is under way";
  }

  // The packet's name, or the first word of a message.
  nameOf(each) {
    return shortened(each.packet || /^[\w.]*/.exec(each.text)[0] || each.text, 60);
  }

  drawWires(wires) {
    this.drawnWires = wires;
    const lines = [];
    const seen = new Map();
    const drawn = this.implied ? this.edges.map(([one, other]) => ({ one, other, control: true, up: true, onePort: "", otherPort: "" })) : wires;
    for (const wire of drawn) {
      const ends = [this.places.get(wire.one), this.places.get(wire.other)];
      if (!ends[0] || !ends[1] || wire.one === wire.other) continue;
      const key = wire.one < wire.other ? `${wire.one} ${wire.other}` : `${wire.other} ${wire.one}`;
      const parallel = seen.get(key) || 0;
      seen.set(key, parallel + 1);
      const [[x1, y1], [x2, y2]] = this.shifted(ends, parallel);
      const kind = wire.control ? "wire control" : "wire";
      const words = `${this.trace.lanes[wire.one].name}${wire.onePort && `:${wire.onePort}`} – ${this.trace.lanes[wire.other].name}${wire.otherPort && `:${wire.otherPort}`}`;
      const used = wire.control && this.dense ? " unused" : "";
      const line = svg("g", { class: wire.up ? kind + used : `${kind} down` }, svg("title", {}, wire.up ? words : `${words} (down)`));
      if (wire.up) {
        line.append(svg("line", { x1, y1, x2, y2 }));
      } else {
        const at = (part) => [x1 + (x2 - x1) * part, y1 + (y2 - y1) * part];
        const [[ax, ay], [bx, by], [mx, my]] = [at(0.42), at(0.58), at(0.5)];
        line.append(
          svg("line", { x1, y1, x2: ax, y2: ay }),
          svg("line", { x1: bx, y1: by, x2, y2 }),
          svg("path", { class: "cut", d: `M${mx - 5} ${my - 5}l10 10m0 -10l-10 10` }),
        );
      }
      lines.push(line);
      if (!this.dense && !wire.control) {
        lines.push(...this.portLabel(wire.onePort, x1, y1, x2, y2), ...this.portLabel(wire.otherPort, x2, y2, x1, y1));
      }
    }
    this.wireLayer.replaceChildren(...lines);
  }

  // Parallel wires beside each other.
  shifted([[x1, y1], [x2, y2]], parallel) {
    if (!parallel) return [[x1, y1], [x2, y2]];
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const offset = (parallel % 2 ? 1 : -1) * 7 * Math.ceil(parallel / 2);
    const [dx, dy] = [(-(y2 - y1) / length) * offset, ((x2 - x1) / length) * offset];
    return [[x1 + dx, y1 + dy], [x2 + dx, y2 + dy]];
  }

  portLabel(port, x1, y1, x2, y2) {
    const length = Math.hypot(x2 - x1, y2 - y1);
    if (!port || port.length > 4 || length < 90) return [];
    const part = Math.min(0.4, (Math.abs(x2 - x1) > Math.abs(y2 - y1) ? 32 : 22) / length);
    const side = Math.abs(x2 - x1) > Math.abs(y2 - y1) ? [0, -4] : [7, 4];
    return [
      svg("text", { class: "port", x: x1 + (x2 - x1) * part + side[0], y: y1 + (y2 - y1) * part + side[1], "text-anchor": "middle" }, port),
    ];
  }

  // A dot for each transfer, on the way from the sender to the receiver; several on one way keep apart.
  drawTransfers(underWay) {
    const ways = new Map();
    for (const each of underWay) {
      if (!this.places.has(each.from) || !this.places.has(each.to)) continue;
      const key = `${each.from} ${each.to}`;
      if (!ways.has(key)) ways.set(key, []);
      ways.get(key).push(each);
    }
    const dots = [];
    for (const sent of ways.values()) {
      const [x1, y1] = this.places.get(sent[0].from);
      const [x2, y2] = this.places.get(sent[0].to);
      const shown = sent.slice(0, Math.hypot(x2 - x1, y2 - y1) < 90 ? 2 : 3);
      shown.forEach((each, place) => {
        const part = shown.length === 1 ? 0.55 : 0.34 + (0.4 * place) / (shown.length - 1);
        const length = Math.hypot(x2 - x1, y2 - y1) || 1;
        const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
        // Both directions of a wire keep to their side of it.
        const [x, y] = [x1 + (x2 - x1) * part + 5 * dy, y1 + (y2 - y1) * part - 5 * dx];
        const angle = (Math.atan2(dy, dx) * 180) / Math.PI;
        const more = place === shown.length - 1 && sent.length > shown.length ? ` +${sent.length - shown.length}` : "";
        const name = fitted(this.nameOf(each), 84, DOT_FONT) + more;
        dots.push(
          svg(
            "g",
            { class: `dot ${each.kind}` },
            svg("title", {}, shortened(each.text, 200)),
            svg("path", { d: "M-5 -5L6 0L-5 5Z", transform: `translate(${x} ${y}) rotate(${angle})` }),
            !this.dense && svg("text", this.dotLabel(x, y, name, dx, dy), name),
          ),
        );
      });
    }
    this.packetLayer.replaceChildren(...dots);
  }

  // On the side of the wire that the dot keeps to, and always inside of the drawing.
  dotLabel(x, y, name, dx, dy) {
    const half = textWidth(name, DOT_FONT) / 2;
    if (Math.abs(dy) > 0.5) {
      const right = dy > 0 ? x + 9 + 2 * half < this.width : x - 9 - 2 * half < 0;
      return { x: right ? x + 9 : x - 9, y: y + 4, "text-anchor": right ? "start" : "end" };
    }
    const inside = Math.min(Math.max(x, half + 2), this.width - half - 2);
    return { x: inside, y: dx > 0 ? y - 7 : y + 15, "text-anchor": "middle" };
  }
}
