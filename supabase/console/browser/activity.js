import { build, find, oncePerFrame } from "./dom.js";
import { formatInstant, formatTime } from "./format.js";

const shownEntries = 50;

/**
 * A list of arrivals, newest first. Each entry expands to its whole content.
 *
 * @param {{list: string, count: string, note: string}} ids of the page's elements
 * @param {(record: object) => HTMLElement} buildEntry
 */
export function createActivity(ids, buildEntry) {
  let records = [];
  let total = 0;
  let drawnSeq = 0;

  const draw = oncePerFrame(() => {
    const list = find(ids.list);
    const fresh = records.filter((record) => record.seq > drawnSeq).reverse();
    list.prepend(...fresh.map(buildEntry));
    while (list.childElementCount > shownEntries) list.lastElementChild?.remove();
    drawnSeq = records.at(-1)?.seq ?? 0;
    find(ids.count).textContent = String(total);
    find(ids.note).hidden = total > 0;
  });

  return {
    add(record) {
      records.push(record);
      if (records.length > shownEntries) records.shift();
      total += 1;
      draw();
    },
    clear() {
      records = [];
      total = 0;
      // At once: records that are added before the next frame may have lower numbers.
      drawnSeq = 0;
      find(ids.list).replaceChildren();
      draw();
    },
  };
}

/** @param {{receivedAt: string}} record */
export function buildTime(record) {
  const instant = record.receivedAt;
  return build("time", { datetime: instant, title: formatInstant(instant) }, formatTime(instant));
}
