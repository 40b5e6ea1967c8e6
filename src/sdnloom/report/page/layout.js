// Where the nodes of a drawing are: distances as in the graph (stress majorisation), the long axis level.
// The same graph has the same drawing: nothing is random.

const FAR_APART = 1.6; // distance of parts that are not connected, beyond the longest one

// Distances between all nodes; `edges` are [node, node, length].
function graphDistances(count, edges) {
  const near = Array.from({ length: count }, () => []);
  for (const [one, other, length] of edges) {
    near[one].push([other, length]);
    near[other].push([one, length]);
  }
  const all = [];
  let longest = 1;
  for (let start = 0; start < count; start++) {
    const distance = new Array(count).fill(Infinity);
    distance[start] = 0;
    let open = [start];
    while (open.length) {
      const next = [];
      for (const node of open) {
        for (const [other, length] of near[node]) {
          if (distance[node] + length < distance[other] - 1e-9) {
            distance[other] = distance[node] + length;
            next.push(other);
          }
        }
      }
      open = next;
    }
    for (const value of distance) if (value < Infinity) longest = Math.max(longest, value);
    all.push(distance);
  }
  return all.map((row) => row.map((value) => (value === Infinity ? longest + FAR_APART : value)));
}

// Where to begin: the two directions in which the distances vary most (classical scaling).
function scaledPositions(distances) {
  const count = distances.length;
  const squares = distances.map((row) => row.map((value) => value * value));
  const means = squares.map((row) => row.reduce((sum, value) => sum + value, 0) / count);
  const mean = means.reduce((sum, value) => sum + value, 0) / count;
  const matrix = squares.map((row, one) => row.map((value, other) => -0.5 * (value - means[one] - means[other] + mean)));
  const axes = [];
  for (const seed of [1.7, 2.9]) {
    let axis = distances.map((_, node) => Math.sin(1 + node * seed) + 0.01 * node);
    let size = 0;
    for (let round = 0; round < (count > 300 ? 15 : 60); round++) {
      let next = matrix.map((row) => row.reduce((sum, value, node) => sum + value * axis[node], 0));
      for (const [other] of axes) {
        const along = next.reduce((sum, value, node) => sum + value * other[node], 0);
        next = next.map((value, node) => value - along * other[node]);
      }
      size = Math.hypot(...next);
      if (size < 1e-9) break;
      axis = next.map((value) => value / size);
    }
    axes.push([axis, size < 1e-6 ? 0 : Math.sqrt(size)]);
  }
  return distances.map((_, node) => axes.map(([axis, size]) => axis[node] * size));
}

// Positions whose distances are as close as possible to those given.
function stressPositions(distances) {
  const count = distances.length;
  let places = scaledPositions(distances);
  const rounds = Math.max(5, Math.min(400, Math.round(4e6 / (count * count))));
  for (let round = 0; round < rounds; round++) {
    let moved = 0;
    const next = places.map(([x, y], node) => {
      let sumX = 0;
      let sumY = 0;
      let weights = 0;
      for (let other = 0; other < count; other++) {
        if (other === node) continue;
        const wanted = distances[node][other];
        const weight = 1 / (wanted * wanted);
        const [otherX, otherY] = places[other];
        const length = Math.hypot(x - otherX, y - otherY) || 1e-6;
        sumX += weight * (otherX + (wanted * (x - otherX)) / length);
        sumY += weight * (otherY + (wanted * (y - otherY)) / length);
        weights += weight;
      }
      const place = weights ? [sumX / weights, sumY / weights] : [x, y];
      moved = Math.max(moved, Math.abs(place[0] - x) + Math.abs(place[1] - y));
      return place;
    });
    places = next;
    if (moved < 1e-4) break;
  }
  return places;
}

// Turned so that the long axis is level, and nodes go from left to right and from above to below rather than back.
function levelled(places) {
  const count = places.length;
  const middle = [0, 1].map((axis) => places.reduce((sum, place) => sum + place[axis], 0) / count);
  const centred = places.map(([x, y]) => [x - middle[0], y - middle[1]]);
  const sums = [0, 0, 0];
  for (const [x, y] of centred) {
    sums[0] += x * x;
    sums[1] += x * y;
    sums[2] += y * y;
  }
  const angle = 0.5 * Math.atan2(2 * sums[1], sums[0] - sums[2]);
  let turned = centred.map(([x, y]) => [
    x * Math.cos(angle) + y * Math.sin(angle),
    y * Math.cos(angle) - x * Math.sin(angle),
  ]);
  const back = [0, 1].map((axis) => turned.reduce((sum, place, node) => sum + place[axis] * node, 0) < -1e-6);
  turned = turned.map(([x, y]) => [back[0] ? -x : x, back[1] ? -y : y]);
  return turned;
}

// Positions within a box of this width and of a height up to this one, with the height; `low` nodes are below if possible.
function layout(count, edges, width, most, low) {
  if (count === 0) return { places: [], height: 0 };
  if (count === 1) return { places: [[width / 2, 0]], height: 0 };
  let places = levelled(stressPositions(graphDistances(count, edges)));
  if (low.reduce((sum, node) => sum + places[node][1], 0) < -1e-6) places = places.map(([x, y]) => [x, -y]);
  const range = [0, 1].map((axis) => {
    const values = places.map((place) => place[axis]);
    return [Math.min(...values), Math.max(...values)];
  });
  const size = range.map(([least, largest]) => Math.max(largest - least, 1e-9));
  const height = size[1] < size[0] * 0.02 ? 0 : Math.min(most, Math.max(width * (size[1] / size[0]) * 0.8, 50));
  const scale = [Math.min(width / size[0], (height ? height / size[1] : Infinity) * 2.5), height / size[1]];
  return {
    height,
    places: places.map(([x, y]) => [width / 2 + (x - (range[0][0] + range[0][1]) / 2) * scale[0], (y - range[1][0]) * scale[1]]),
  };
}
