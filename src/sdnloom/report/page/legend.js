// What the signs of the diagram mean.
function legend() {
  const sign = (...shapes) => svg("svg", { class: "picture-sign", width: 48, height: 18, "aria-hidden": "true" }, ...shapes);
  const arrow = (kind) => svg("g", { class: `arrow ${kind}` }, svg("path", { d: "M2 9H38" }), svg("path", { class: "head", d: "M46 9L38 5L38 13Z" }));
  const circle = { class: "shape", cx: 24, cy: 9, r: 6 };
  const node = (kind, ...shapes) => svg("g", { class: `node ${kind}` }, ...shapes);
  const signs = [
    [sign(node("switch", svg("circle", circle))), "a step"],
    [sign(node("host", svg("path", { class: "shape", d: "M24 2l7 7l-7 7l-7 -7Z" }))), "a step that nobody has to take: a host sends, a link fails"],
    [sign(node("switch marked", svg("circle", { class: "ring", cx: 24, cy: 9, r: 8 }), svg("circle", { ...circle, r: 4 }))), "a step that the finding is about"],
    [sign(arrow("packet")), "a packet, from the step that sends it to the step that receives it"],
    [sign(arrow("openflow")), "an OpenFlow message"],
    [sign(arrow("message")), "another message"],
    [sign(svg("g", { class: "arrow lost" }, svg("line", { x1: 2, y1: 9, x2: 38, y2: 9 }), svg("circle", { cx: 42, cy: 9, r: 3.5 }))), "sent, and not received in this trace"],
    [sign(svg("g", { class: "dot packet" }, svg("path", { d: "M-5 -5L6 0L-5 5Z", transform: "translate(24 9)" }))), "in the drawing: under way"],
    [sign(svg("g", { class: "arrival packet" }, svg("path", { d: "M-5 -5L6 0L-5 5Z", transform: "translate(24 9)" }))), "in the drawing: arrived with this step; red if it is lost"],
    [sign(svg("g", { class: "bracket" }, svg("path", { d: "M34 3H18Q14 3 14 7V11Q14 15 18 15H34" }))), "two steps whose order matters; green if enforcing the other order removes the trace"],
  ];
  return html("div", { class: "legend" }, ...signs.flatMap(([picture, words]) => [picture, html("span", {}, words)]));
}
