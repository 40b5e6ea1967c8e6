// Where the nodes of a tree of switches are: hosts below, and a row for each distance from them.

const ROUNDS = 8; // in which the nodes of each row are put below or above their neighbours
const STAGGER = 22;

// Distances from the nearest host; null if nodes of the same distance are joined, or if there are only hosts and their switches.
function levelsAbove(count, edges, hosts) {
  const level = new Array(count).fill(-1);
  for (const host of hosts) level[host] = 0;
  let open = [...hosts];
  while (open.length) {
    const next = [];
    for (const [one, other] of edges) {
      for (const [from, to] of [[one, other], [other, one]]) {
        if (level[from] >= 0 && level[to] < 0 && open.includes(from)) {
          level[to] = level[from] + 1;
          next.push(to);
        }
      }
    }
    open = next;
  }
  const fits = hosts.length > 0 && Math.max(...level) >= 2 && !level.includes(-1) && edges.every(([one, other]) => level[one] !== level[other]);
  return fits ? level : null;
}

// Positions within this width, and the height; `widths` is how much room each node takes. Null if the network has no such form.
function layered(count, edges, hosts, width, widths) {
  const level = levelsAbove(count, edges, hosts);
  if (!level) return null;
  const top = Math.max(...level);
  const rows = Array.from({ length: top + 1 }, (_, place) => level.flatMap((each, node) => (each === top - place ? [node] : [])));
  const x = new Array(count);
  const spread = (row) => row.forEach((node, place) => (x[node] = (place + 0.5) / row.length));
  rows.forEach(spread);
  const near = Array.from({ length: count }, () => []);
  for (const [one, other] of edges) {
    near[one].push(other);
    near[other].push(one);
  }
  for (let round = 0; round < ROUNDS; round++) {
    const down = round % 2 === 0;
    for (const row of down ? rows.slice(1) : rows.slice(0, -1).reverse()) {
      const beside = (node) => near[node].filter((other) => (down ? level[other] > level[node] : level[other] < level[node]));
      const middle = new Map(row.map((node) => [node, beside(node).reduce((sum, other) => sum + x[other], 0) / (beside(node).length || 1)]));
      row.sort((one, other) => middle.get(one) - middle.get(other) || one - other);
      spread(row);
    }
  }
  const places = new Array(count);
  let y = 0;
  for (const [place, row] of rows.entries()) {
    const wide = Math.max(...row.map((node) => widths[node]));
    const lines = Math.min(3, Math.ceil((row.length * wide) / width)); // a row that is too long is staggered
    row.forEach((node, index) => {
      places[node] = [x[node] * width, y + STAGGER * (index % lines)];
    });
    y += STAGGER * (lines - 1) + (place < rows.length - 1 ? 56 : 0);
  }
  return { places, height: y };
}

// The same places, pushed apart where nodes of this size cover each other.
function separated(places, wide, high, width, height) {
  if (places.length > 300) return places;
  const moved = places.map((place) => [...place]);
  for (let round = 0; round < 60; round++) {
    let covered = false;
    for (let one = 0; one < moved.length; one++) {
      for (let other = one + 1; other < moved.length; other++) {
        const [dx, dy] = [moved[other][0] - moved[one][0], moved[other][1] - moved[one][1]];
        const [overX, overY] = [wide - Math.abs(dx), high - Math.abs(dy)];
        if (overX <= 0.5 || overY <= 0.5) continue;
        covered = true;
        const axis = height > high && overY < overX ? 1 : 0;
        const push = (axis ? overY : overX) / 2;
        const side = (axis ? dy : dx) < 0 ? -1 : 1;
        moved[one][axis] -= push * side;
        moved[other][axis] += push * side;
      }
    }
    for (const place of moved) {
      place[0] = Math.min(Math.max(place[0], 0), width);
      place[1] = Math.min(Math.max(place[1], 0), height);
    }
    if (!covered) break;
  }
  return moved;
}
