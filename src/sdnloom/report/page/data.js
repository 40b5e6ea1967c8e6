// The results of the data block as objects (see page_data.py).

// Characters that are invisible or turn the order of text round, as escapes that can be seen.
const INVISIBLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|\p{Surrogate}/gu;

const LONGEST_NAME = 200;

function printable(text) {
  return text.replace(INVISIBLE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function readData(block) {
  return readResults(JSON.parse(block.textContent));
}

function readResults(data) {
  const texts = data.texts.map(printable);
  const text = (place) => (place === undefined || place === null ? "" : texts[place]);
  const tables = {
    text,
    lines: data.lines.map(([part, line]) => ({ part: text(part), text: text(line) })),
    codes: data.codes.map(([file, name, first, lines]) => ({
      file: text(file),
      name: text(name),
      first,
      lines: lines.map(text),
    })),
  };
  return data.results.map((result) => readResult(result, tables));
}

function readResult(result, tables) {
  const facts = (pairs) => pairs.map(([label, fact]) => [printable(label), printable(fact)]);
  return {
    ...result,
    name: printable(result.name),
    headline: printable(result.headline),
    properties: result.properties.map(printable),
    facts: facts(result.facts),
    findings: result.findings.map((finding) => {
      let trace; // read when it is looked at
      return {
        property: printable(finding.property),
        message: printable(finding.message),
        facts: facts(finding.facts),
        place: finding.file ? printable(finding.file) + (finding.line ? `:${finding.line}` : "") : "",
        traceFile: printable(finding.traceFile),
        known: finding.known,
        length: finding.trace ? printable(finding.trace.length) : "",
        get trace() {
          if (trace === undefined) trace = finding.trace && readTrace(finding.trace, tables);
          return trace;
        },
      };
    }),
  };
}

function readTrace(trace, tables) {
  const { text } = tables;
  const lanes = trace.lanes.map(([name, kind], index) => ({ name: shortened(text(name), LONGEST_NAME), kind, index }));
  const wires = (rows) =>
    rows.map(([one, onePort, other, otherPort, control, up]) => ({
      one,
      onePort: text(onePort),
      other,
      otherPort: text(otherPort),
      control,
      up,
    }));
  const steps = trace.steps.map((step, index) => ({
    index,
    number: step.number,
    lane: step.lane,
    action: text(step.action),
    text: text(step.text),
    long: text(step.long),
    takes: text(step.takes),
    effects: (step.effects || []).map(text),
    causes: step.causes || [],
    clock: step.clock || [],
    code: (step.code || []).map(([code, ran]) => ({ ...tables.codes[code], ran: new Set(ran) })),
    changes: step.changes || [],
    wires: step.wires && wires(step.wires),
    environment: Boolean(step.environment),
    transfers: [],
    incoming: [], // the transfers that it takes
  }));
  const byNumber = new Map(steps.map((step) => [step.number, step]));
  const transfers = [];
  trace.steps.forEach((raw, index) => {
    for (const each of raw.transfers || []) {
      const transfer = {
        from: raw.lane,
        to: each.to,
        sent: steps[index],
        taken: byNumber.get(each.taken) || null,
        text: text(each.text),
        kind: each.kind,
        long: text(each.long),
        packet: text(each.packet),
        port: text(each.port),
        toPort: text(each.toPort),
        data: text(each.data),
      };
      steps[index].transfers.push(transfer);
      if (transfer.taken && transfer.taken !== transfer.sent) transfer.taken.incoming.push(transfer);
      transfers.push(transfer);
    }
  });
  const known = (number) => byNumber.has(number);
  return {
    lanes,
    steps,
    transfers,
    byNumber,
    wires: wires(trace.wires),
    initial: new Map(Object.entries(trace.initial).map(([lane, lines]) => [Number(lane), lines])),
    lines: tables.lines,
    marked: new Set(trace.marked),
    orderings: trace.orderings
      .filter(([first, second]) => known(first) && known(second))
      .map(([first, second, words, matters, removes]) => ({ first, second, text: text(words), matters, removes })),
    length: printable(trace.length),
  };
}

// The numbers of all steps that a step depends on, directly or not.
function causalPast(trace, step) {
  const past = new Set();
  const open = [...step.causes];
  while (open.length) {
    const number = open.pop();
    const cause = trace.byNumber.get(number);
    if (!cause || past.has(number)) continue;
    past.add(number);
    open.push(...cause.causes);
  }
  return past;
}
