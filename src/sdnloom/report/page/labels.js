// Texts of arrows that fit: all of it, or what tells messages apart.

const LABEL_FONT = "11px system-ui, sans-serif";
const BOLD_FONT = "600 11px system-ui, sans-serif";

// The first form of a transfer's text that fits the room.
function transferLabel(each, room) {
  const forms = [each.text, ...briefForms(each)];
  const fits = forms.find((form) => textWidth(shortened(form, 200), LABEL_FONT) <= room);
  return fits || fitted(forms[forms.length - 1], room, LABEL_FONT);
}

// Shorter forms, the longest first: `A:2 (A > B)`, `PacketIn A:2`, `install p1`.
function briefForms({ kind, text, packet }) {
  const word = /^[\w.]*/.exec(text)[0];
  if (kind === "openflow") {
    const carried = packet || withoutFrame((/^Packet\w+ [^:]*: (.+)$/.exec(text) || ["", ""])[1]);
    return carried ? [`${word} ${carried}`] : [];
  }
  const named = /^([^()]+ \([^() ]+ > [^() ]+) [^()]*\)$/.exec(text);
  if (named) return [`${named[1]})`];
  if (/^\w+\(/.test(text)) return packet ? [`${word} ${packet}`] : [];
  const brief = withoutFrame(text);
  return brief === text ? [] : [brief];
}

// A packet without the addresses of its frame, if it has others.
function withoutFrame(text) {
  return text.replace(/^\S+ > \S+ IP(v6)? /, "");
}
