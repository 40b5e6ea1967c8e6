// The head of the page: verdict, facts and the findings to choose from.

function factsList(facts) {
  const isNew = ([label], place) => !place || facts[place - 1][0] !== label; // a label that is repeated is written once
  const rows = facts.map((each, place) => html("div", { class: "fact" }, html("dt", {}, isNew(each, place) ? each[0] : ""), longText("dd", each[1])));
  return html("dl", { class: "facts" }, ...rows);
}

// Kinds of races, such as CT->SW<-CT, with arrows that no line break divides.
function withRaceArrows(text) {
  return text.replace(/\b(CT|SW)->(?=CT|SW)/g, "$1→").replace(/\b(CT|SW)<-(?=CT|SW)/g, "$1←");
}

function resultHead(result, open) {
  const extra = [];
  if (!result.properties.every((name) => result.headline.includes(name))) extra.push(["properties", result.properties.join(", ")]);
  if (result.seconds) extra.push(["time", `${result.seconds.toFixed(result.seconds < 10 ? 2 : 0)} s`]);
  if (result.version) extra.push(["sdnloom", result.version]);
  const facts = [...result.facts, ...extra];
  // A headline begins with a word such as CONFIRMED or DIFFER, if that is not the verdict's own.
  const word = (/^[A-Z][A-Z ]*[A-Z](?=[ :]|$)/.exec(result.headline) || [""])[0];
  const verdict = word || result.verdict.toUpperCase();
  const said = result.headline.slice(word.length).replace(/^:? /, "");
  return [
    html("div", { class: "title" }, html("span", { class: `badge ${result.verdict}` }, verdict), html("h1", {}, result.name)),
    longText("p", withRaceArrows(said), { class: "headline" }),
    facts.length > 0 && html("details", { class: open ? "about all" : "about", open }, html("summary", {}, result.kind === "trace" ? "About this trace" : "What was searched, and what was not"), factsList(facts)),
  ].filter(Boolean);
}

const LONGEST_LISTED = 300; // characters of a message in the list
const MOST_FINDINGS = 100; // listed before and after the chosen one

function findingsList(result, chosen, onChoose) {
  const first = Math.max(0, chosen - MOST_FINDINGS);
  const shown = result.findings.slice(first, chosen + MOST_FINDINGS + 1);
  const items = shown.map((finding, index) => {
    const place = first + index;
    const choice = button("", { class: "finding", "aria-current": place === chosen ? "true" : null, title: shortened(`${finding.property}: ${finding.message}`, 1000) }, () => onChoose(place));
    choice.append(
      html("span", { class: "number" }, String(place + 1)),
      html("b", {}, shortened(finding.property, 120)),
      html("span", { class: "words" }, shortened(withRaceArrows(finding.message), LONGEST_LISTED)),
    );
    if (finding.known) choice.append(html("span", { class: "chip" }, "known"));
    return html("li", {}, choice);
  });
  const more = (count, words) => count > 0 && html("li", { class: "soft" }, `${counted(count, "finding")} ${words}`);
  const after = result.findings.length - first - shown.length;
  return html("ol", { class: "findings" }, more(first, "before these"), ...items, more(after, "after these"));
}

const MOST_IN_LINE = 4; // facts of a finding

// What is known of a finding. `said`: the headline or the list has its message.
function findingHead(finding, said) {
  const facts = finding.facts.filter(([, fact]) => !finding.message.includes(fact)); // what the message says already
  if (finding.length) facts.unshift(["path", finding.length]);
  if (finding.place) facts.push(["place", finding.place]);
  if (finding.traceFile) facts.push(["trace", finding.traceFile]);
  const ordering = finding.trace && finding.trace.orderings.find((each) => each.removes);
  const cure = ordering && ordering.text.split("; ").find((part) => / remove/.test(part));
  return html(
    "div",
    { class: "finding-head" },
    !said && html("h2", {}, html("span", {}, shortened(finding.property, 300)), longText("span", finding.message, { class: "finding-message" })),
    cure && longText("p", cure[0].toUpperCase() + cure.slice(1), { class: "cure" }),
    facts.length > MOST_IN_LINE && factsList(facts),
    facts.length > 0 && facts.length <= MOST_IN_LINE && html("div", { class: "fact-line" }, ...facts.map(([label, fact]) => html("span", {}, html("span", { class: "soft" }, label), longText("span", fact)))),
  );
}
