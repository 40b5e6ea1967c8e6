// The state of a lane at a step, and what differs between two states.

const CHECKPOINT = 32; // changes between two states that are kept

// States of all lanes of a trace. Step 0 is the start.
class LaneStates {
  constructor(trace) {
    this.changes = trace.lanes.map(() => []);
    this.initial = trace.lanes.map((lane) => trace.initial.get(lane.index) || []);
    this.kept = trace.lanes.map((lane) => [this.initial[lane.index]]);
    for (const step of trace.steps) {
      for (const [lane, before, after, between] of step.changes) {
        this.changes[lane].push({ at: step.index + 1, before, after, between });
      }
    }
  }

  hasState(lane) {
    return this.initial[lane].length > 0 || this.changes[lane].length > 0;
  }

  // Whether the step at this position (from 1) has changed the lane.
  changedAt(lane, at) {
    const count = this.count(lane, at);
    return count > 0 && this.changes[lane][count - 1].at === at;
  }

  // How many changes of the lane there are up to a position.
  count(lane, at) {
    const changes = this.changes[lane];
    let low = 0;
    for (let high = changes.length; low < high; ) {
      const middle = (low + high) >> 1;
      if (changes[middle].at <= at) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // The places of the lines of a lane's state after a position.
  at(lane, at) {
    return this.after(lane, this.count(lane, at));
  }

  after(lane, count) {
    const kept = this.kept[lane];
    const start = Math.min(Math.floor(count / CHECKPOINT), kept.length - 1);
    let state = kept[start];
    for (let done = start * CHECKPOINT; done < count; done++) {
      const { before, after, between } = this.changes[lane][done];
      state = [...state.slice(0, before), ...between, ...state.slice(state.length - after)];
      if ((done + 1) % CHECKPOINT === 0) kept[(done + 1) / CHECKPOINT] = state;
    }
    return state;
  }
}

// Parts with their lines, each "added", "removed" or "kept", in the order of the new state; removed lines come first.
function stateDifference(lines, old, now) {
  const left = new Map();
  for (const place of old) left.set(place, (left.get(place) || 0) + 1);
  const marks = now.map((place) => {
    const count = left.get(place) || 0;
    if (count) left.set(place, count - 1);
    return [place, count ? "kept" : "added"];
  });
  const removed = old.filter((place) => {
    const count = left.get(place) || 0;
    if (count) left.set(place, count - 1);
    return count > 0;
  });
  const parts = new Map(now.map((place) => [lines[place].part, []]));
  for (const [place, mark] of [...removed.map((place) => [place, "removed"]), ...marks]) {
    const { part, text } = lines[place];
    if (!parts.has(part)) parts.set(part, []);
    parts.get(part).push({ text, mark });
  }
  return parts;
}
