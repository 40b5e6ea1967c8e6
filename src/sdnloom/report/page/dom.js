// Making elements. Texts of the data become text nodes or values of `title` and `aria-label`, never markup.

const SVG = "http://www.w3.org/2000/svg";
const LONGEST_SHOWN = 4000;

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children) {
    if (child !== undefined && child !== null && child !== false) element.append(child);
  }
  return element;
}

function html(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function button(text, attributes, onclick) {
  return html("button", { type: "button", ...attributes, onclick }, text);
}

// Dark instead of light, or the other way round, whatever the browser prefers.
function switchTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
}

function shortened(text, most) {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

// The arrow of our texts as one character, which no line break divides.
function withArrows(text) {
  return text.replaceAll(" -> ", " → ");
}

// A text that a line may break behind its commas, as in a match of many fields.
function breakable(text) {
  return text.split(/(?<=,)(?=\S)/).flatMap((part, place) => (place ? [html("wbr"), part] : [part]));
}

// A text that may be very long: its beginning, and a button for the rest.
function longText(tag, text, attributes = {}) {
  if (text.length <= LONGEST_SHOWN) return html(tag, attributes, ...breakable(text));
  const shown = html(tag, attributes, ...breakable(text.slice(0, LONGEST_SHOWN)), "… ");
  shown.append(
    button(`show all ${text.length.toLocaleString("en")} characters`, { class: "link" }, () => {
      shown.textContent = text;
    }),
  );
  return shown;
}

const measure = document.createElement("canvas").getContext("2d");
const widths = new Map();

// The width of a text in pixels.
function textWidth(text, font) {
  const key = `${font}|${text}`;
  let width = widths.get(key);
  if (width === undefined) {
    if (widths.size > 20000) widths.clear();
    measure.font = font;
    width = measure.measureText(text).width;
    widths.set(key, width);
  }
  return width;
}

// As much of a text as fits, with an ellipsis if that is not all of it.
function fitted(text, room, font) {
  const cut = text.length > 200 ? text.slice(0, 200) : text;
  if (textWidth(cut, font) <= room) return cut;
  let fits = 0;
  for (let low = 0, high = cut.length; low < high; ) {
    const middle = (low + high + 1) >> 1;
    if (textWidth(`${cut.slice(0, middle)}…`, font) <= room) low = fits = middle;
    else high = middle - 1;
  }
  return fits > 1 ? `${cut.slice(0, fits).trimEnd()}…` : "";
}

function counted(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}
