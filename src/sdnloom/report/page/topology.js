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
    const widths = rest.map((lane) => 2 * this.sizeOf(lane).half + 4);
    const padX = Math.min(Math.max(...widths, 12) / 2 + 1, this.width / 4);
    const above = top.length ? 100 : 26;
    const low = rest.filter(isHost).map((lane) => index.get(lane));
    const { places, height } = this.positions(rest.length, edges, low, this.width - 2 * padX, widths);
    const moves = this.trace.steps.some((step) => step.wires && step.wires.length); // room for wires that are gone
    this.height = Math.round(above + height + (moves ? 46 : 26));
    this.places = new Map(rest.map((lane, place) => [lane, [places[place][0] + padX, places[place][1] + above]]));
    top.forEach((lane, place) => this.places.set(lane, [(this.width * (place + 1)) / (top.length + 1), 20]));
    this.draw();
  }

  // Where the nodes are that have no place yet, and the height of all of them.
  positions(count, edges, hosts, width, widths) {
    const inRows = count > 8 && layered(count, edges, hosts, width, widths);
    if (inRows) return inRows;
    const { places, height } = layout(count, edges, width, count > 8 ? Math.min(340, 170 + 6 * (count - 8)) : 60 + 14 * count, hosts);
    return { places: separated(places, Math.max(...widths, 0), this.small ? 14 : this.dense ? 20 : 30, width, height), height };
  }

  // The name of a lane as it is drawn, and half of the size of its box.
  sizeOf(lane) {
    const font = this.dense ? DENSE_FONT : NODE_FONT;
    const label = fitted(this.trace.lanes[lane].name, this.dense ? 60 : 96, font);
    const half = this.small ? 6 : this.dense ? textWidth(label, font) / 2 + 4 : Math.max(15, textWidth(label, font) / 2 + 8);
    return { label, half, high: this.small ? 6 : this.dense ? 8 : 12 };
  }

  isTop(lane) {
    return this.trace.lanes[lane].kind === "controller";
  }

  draw() {
    this.wireLayer = svg("g");
    this.nodeLayer = svg("g");
    this.packetLayer = svg("g");
    this.boxes = []; // of nodes and labels: [left, top, right, bottom]
    this.shapes = new Map();
    for (const lane of this.nodes) this.nodeLayer.append(this.node(lane));
    this.caption = html("p", { class: "caption soft" });
    this.arrived = html("p", { class: "caption arrived" });
    const picture = svg(
      "svg",
      { class: "topology", role: "img", "aria-label": `network of ${counted(this.nodes.length, "component")}`, width: this.width, height: this.height, viewBox: `0 0 ${this.width} ${this.height}` },
      this.wireLayer,
      this.nodeLayer,
      this.packetLayer,
    );
    this.box.replaceChildren(picture, this.arrived, this.caption);
    this.drawnWires = null;
  }

  node(lane) {
    const { name, kind } = this.trace.lanes[lane];
    const [x, y] = this.places.get(lane);
    const { label, half, high } = this.sizeOf(lane);
    const round = kind === "host" || kind === "actor" ? high : 4;
    const group = svg("g", { class: this.dense ? `node dense ${kind}` : `node ${kind}`, transform: `translate(${x} ${y})`, onclick: () => this.onLane(lane) });
    group.append(
      svg("title", {}, `${kind} ${name}`),
      svg("rect", { x: -half, y: -high, width: 2 * half, height: 2 * high, rx: round }),
    );
    if (!this.small) group.append(svg("text", { "text-anchor": "middle", y: 4 }, label));
    this.boxes.push([x - half, y - high, x + half, y + high]);
    this.shapes.set(lane, group);
    return group;
  }

  // Shows wires and transfers after the step at a position (from 1; 0 is the start).
  update(position) {
    if (this.empty) return;
    const { trace } = this;
    const all = [trace.wires, ...trace.steps.slice(0, position).flatMap((step) => (step.wires ? [step.wires] : []))];
    if (this.drawnWires !== all[all.length - 1]) this.drawWires(all);
    const current = position ? trace.steps[position - 1] : null;
    for (const [lane, shape] of this.shapes) shape.classList.toggle("current", Boolean(current) && current.lane === lane);
    if (current && this.shapes.has(current.lane)) this.nodeLayer.append(this.shapes.get(current.lane)); // above the others
    const underWay = trace.transfers.filter(
      (each) => each.sent.index < position && each.taken !== each.sent && (!each.taken || each.taken.index >= position),
    );
    const arrived = current ? current.incoming : [];
    const lost = current ? current.effects.filter((effect) => BAD_EFFECT.test(effect)) : [];
    this.drawTransfers(underWay, arrived, lost.length > 0);
    const words = (each) => {
      const name = this.nameOf(each);
      return `${name}${name.includes(" ") ? ":" : ""} ${trace.lanes[each.from].name} → ${trace.lanes[each.to].name}`;
    };
    const named = (transfers) => {
      const more = transfers.length > MOST_NAMED ? ` and ${transfers.length - MOST_NAMED} more` : "";
      return transfers.slice(0, MOST_NAMED).map(words).join(", ") + more;
    };
    this.caption.textContent = underWay.length ? `under way: ${named(underWay)}` : "nothing is under way";
    this.arrived.replaceChildren(arrived.length ? `arrived: ${named(arrived)}` : "", lost.length ? html("b", {}, ` ✕ ${shortened(lost.join("; "), 200)}`) : "");
    this.arrived.hidden = !arrived.length;
  }

  // The packet's name, or the packet itself, or the first word of a message.
  nameOf(each) {
    const other = each.kind === "packet" ? withoutFrame(each.text) : /^[\w.]*/.exec(each.text)[0];
    return shortened(each.packet || other || each.text, 60);
  }

  // Draws the last ones of the lists, and those of a list before it that are not there any more: a host has moved.
  drawWires(all) {
    const wires = all[all.length - 1];
    this.drawnWires = wires;
    this.ways = new Map(); // an end of a wire -> where it is drawn, from this end to the other
    const drawn = this.implied ? this.edges.map(([one, other]) => ({ one, other, control: true, up: true, onePort: "", otherPort: "" })) : wires;
    const key = (wire) => `${wire.one} ${wire.onePort} ${wire.other} ${wire.otherPort}`;
    const present = new Set(drawn.map(key));
    const gone = new Map();
    for (const wire of all.slice(0, -1).flat()) if (!wire.control && !present.has(key(wire))) gone.set(key(wire), { ...wire, gone: true });
    const seen = new Map();
    const lines = [];
    for (const wire of [...drawn, ...gone.values()]) {
      const ends = [this.places.get(wire.one), this.places.get(wire.other)];
      if (!ends[0] || !ends[1] || wire.one === wire.other) continue;
      const pair = wire.one < wire.other ? `${wire.one} ${wire.other}` : `${wire.other} ${wire.one}`;
      const parallel = seen.get(pair) || 0;
      seen.set(pair, parallel + 1);
      const way = wire.gone ? this.abandoned(wire, ends) : this.shifted(ends, parallel);
      this.addWay(`${wire.one} ${wire.onePort} ${wire.other}`, way);
      this.addWay(`${wire.other} ${wire.otherPort} ${wire.one}`, [way[1], way[0]]);
      lines.push(...this.wire(wire, way));
    }
    this.wireLayer.replaceChildren(...lines);
  }

  // The first one stays: hosts have no port numbers, so what a host has left may have the same end.
  addWay(end, way) {
    if (!this.ways.has(end)) this.ways.set(end, way);
  }

  wire(wire, [[x1, y1], [x2, y2]]) {
    const { lanes } = this.trace;
    const kind = wire.control ? (this.dense ? "wire control unused" : "wire control") : "wire";
    const ends = `${lanes[wire.one].name}${wire.onePort && `:${wire.onePort}`} – ${lanes[wire.other].name}${wire.otherPort && `:${wire.otherPort}`}`;
    const mark = wire.gone ? "gone" : wire.up ? "" : "down";
    const line = svg("g", { class: mark ? `${kind} ${mark}` : kind }, svg("title", {}, mark ? `${ends} (${mark})` : ends));
    const at = (part) => [x1 + (x2 - x1) * part, y1 + (y2 - y1) * part];
    if (mark === "down") {
      const [[ax, ay], [bx, by], [mx, my]] = [at(0.42), at(0.58), at(0.5)];
      line.append(
        svg("line", { x1, y1, x2: ax, y2: ay }),
        svg("line", { x1: bx, y1: by, x2, y2 }),
        svg("path", { class: "cut", d: `M${mx - 5} ${my - 5}l10 10m0 -10l-10 10` }),
      );
    } else {
      line.append(svg("line", { x1, y1, x2, y2 }));
    }
    if (this.dense || wire.control) return [line];
    const away = wire.gone ? 26 : 0;
    return [line, ...this.portLabel(wire.onePort, x1, y1, x2, y2, away), ...this.portLabel(wire.otherPort, x2, y2, x1, y1, away)];
  }

  // Where a wire led that is gone: below the host that has moved away.
  abandoned(wire, [one, other]) {
    const isHost = (lane) => this.trace.lanes[lane].kind === "host";
    const below = ([x, y]) => [x, y + 34 < this.height ? y + 30 : y - 30];
    return [isHost(wire.one) ? below(one) : one, isHost(wire.other) ? below(other) : other];
  }

  // Parallel wires beside each other.
  shifted([[x1, y1], [x2, y2]], parallel) {
    if (!parallel) return [[x1, y1], [x2, y2]];
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const offset = (parallel % 2 ? 1 : -1) * 7 * Math.ceil(parallel / 2);
    const [dx, dy] = [(-(y2 - y1) / length) * offset, ((x2 - x1) / length) * offset];
    return [[x1 + dx, y1 + dy], [x2 + dx, y2 + dy]];
  }

  portLabel(port, x1, y1, x2, y2, away) {
    const length = Math.hypot(x2 - x1, y2 - y1);
    if (!port || port.length > 4 || length < 90) return [];
    const part = Math.min(0.4, (away + (Math.abs(x2 - x1) > Math.abs(y2 - y1) ? 32 : 22)) / length);
    const side = Math.abs(x2 - x1) > Math.abs(y2 - y1) ? [0, away ? 12 : -4] : [7, 4];
    return [
      svg("text", { class: "port", x: x1 + (x2 - x1) * part + side[0], y: y1 + (y2 - y1) * part + side[1], "text-anchor": "middle" }, port),
    ];
  }

  // From where to where a transfer goes: along the wire of its port, if that is known.
  way(each) {
    const found = this.ways.get(`${each.from} ${each.port} ${each.to}`);
    if (found) return found;
    const back = this.ways.get(`${each.to} ${each.toPort} ${each.from}`);
    return back ? [back[1], back[0]] : [this.places.get(each.from), this.places.get(each.to)];
  }

  // A dot for each transfer, on the way from the sender to the receiver; several on one way keep apart. Those that the
  // step has received are hollow, and close to the receiver.
  drawTransfers(underWay, arrived, lost) {
    const ways = new Map();
    for (const each of underWay) {
      if (!this.places.has(each.from) || !this.places.has(each.to)) continue;
      const key = `${each.from} ${each.port} ${each.to}`;
      if (!ways.has(key)) ways.set(key, []);
      ways.get(key).push(each);
    }
    const dots = [];
    const arriving = new Set();
    for (const each of arrived.slice(0, MOST_NAMED)) {
      if (!this.places.has(each.from) || !this.places.has(each.to)) continue;
      const [[x1, y1], [x2, y2]] = this.way(each);
      const part = Math.max(0.5, Math.min(0.78, 1 - 30 / (Math.hypot(x2 - x1, y2 - y1) || 1)));
      dots.push(this.dot(each, lost ? "arrival lost" : "arrival", part));
      arriving.add(`${each.from} ${each.port} ${each.to}`);
    }
    for (const [key, sent] of ways) {
      const [[x1, y1], [x2, y2]] = this.way(sent[0]);
      const shown = sent.slice(0, Math.hypot(x2 - x1, y2 - y1) < 90 ? 2 : 3);
      const range = arriving.has(key) ? [0.35, 0.22, 0.2] : [0.55, 0.34, 0.4]; // of one; of several: first, and as far as
      shown.forEach((each, place) => {
        const part = shown.length === 1 ? range[0] : range[1] + (range[2] * place) / (shown.length - 1);
        const more = place === shown.length - 1 && sent.length > shown.length ? ` +${sent.length - shown.length}` : "";
        dots.push(this.dot(each, "dot", part, more));
      });
    }
    // Labels come last, so that none covers a dot.
    const boxes = [...this.boxes, ...dots.map(({ x, y }) => [x - 6, y - 6, x + 6, y + 6])];
    if (!this.dense) for (const { x, y, label, along, shape } of dots) this.labelDot(shape, label, this.freePlace(x, y, textWidth(label, DOT_FONT), along, boxes));
    this.packetLayer.replaceChildren(...dots.map(({ shape }) => shape));
  }

  dot(each, kind, part, more = "") {
    const [[x1, y1], [x2, y2]] = this.way(each);
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const along = [(x2 - x1) / length, (y2 - y1) / length];
    // Both directions of a wire keep to their side of it.
    const [x, y] = [x1 + (x2 - x1) * part + 5 * along[1], y1 + (y2 - y1) * part - 5 * along[0]];
    const angle = (Math.atan2(along[1], along[0]) * 180) / Math.PI;
    const shape = svg(
      "g",
      { class: `${kind} ${each.kind}` },
      svg("title", {}, shortened(each.text, 200)),
      svg("path", { d: "M-5 -5L6 0L-5 5Z", transform: `translate(${x} ${y}) rotate(${angle})` }),
    );
    return { x, y, along, shape, label: fitted(this.nameOf(each), 84, DOT_FONT) + more };
  }

  labelDot(shape, label, place) {
    if (place) shape.append(svg("text", place, label));
  }

  // Where a label of a dot covers nothing: at first on the side of the wire that the dot keeps to. Null if there is no place.
  freePlace(x, y, wide, [dx, dy], boxes) {
    const right = { x: x + 9, y: y + 4, "text-anchor": "start" };
    const left = { x: x - 9, y: y + 4, "text-anchor": "end" };
    const middle = Math.min(Math.max(x, wide / 2 + 2), this.width - wide / 2 - 2);
    const above = { x: middle, y: y - 8, "text-anchor": "middle" };
    const below = { x: middle, y: y + 16, "text-anchor": "middle" };
    const places = Math.abs(dy) > 0.5 ? (dy > 0 ? [right, left, above, below] : [left, right, above, below]) : dx > 0 ? [above, below, right, left] : [below, above, left, right];
    for (const place of places) {
      const start = { start: place.x, end: place.x - wide, middle: place.x - wide / 2 }[place["text-anchor"]];
      const box = [start - 2, place.y - 10, start + wide + 2, place.y + 3];
      const inside = box[0] >= 0 && box[2] <= this.width && box[1] >= 0 && box[3] <= this.height;
      if (!inside || boxes.some((other) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3])) continue;
      boxes.push(box);
      return place;
    }
    return null;
  }
}
