// Source of the functions that a step ran, with the lines that ran.

const MOST_CODE_LINES = 400;

// How many blanks all lines begin with.
function commonIndent(lines) {
  const indents = lines.filter((line) => line.trim()).map((line) => line.length - line.trimStart().length);
  return indents.length ? Math.min(...indents) : 0;
}

function codeBlock(code) {
  const indent = commonIndent(code.lines.slice(0, MOST_CODE_LINES));
  const lines = code.lines.slice(0, MOST_CODE_LINES).map((line, place) => {
    const number = code.first + place;
    const ran = code.ran.has(number);
    return html(
      "div",
      { class: ran ? "code-line ran" : "code-line" },
      html("span", { class: "line-number" }, String(number)),
      html("code", {}, shortened(line.slice(indent), 1000) || " "),
      ran && html("span", { class: "unseen" }, " (ran)"),
    );
  });
  const more = code.lines.length - lines.length;
  return html(
    "figure",
    { class: "code" },
    html("figcaption", {}, html("b", {}, code.name), ` ${code.file}:${code.first}`),
    html("div", { class: "code-lines", tabindex: "0", role: "region", "aria-label": `source of ${shortened(code.name, 100)}` }, ...lines),
    more > 0 && html("p", { class: "soft" }, `and ${counted(more, "line")} more`),
  );
}
