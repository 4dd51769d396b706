import { find } from "./dom.js";
import { say } from "./words.js";

const loadedRecords = 1_000;

/**
 * Follows the simulator: loads its stored records, then applies each event. Reloads everything when
 * the connection reopens, so that the page matches a restarted stack.
 *
 * @param {Record<string, {add(record: object): void, clear(): void}>} views by kind of record
 * @param {{onFresh(kind: string, record: object): void, onFaults(): void}} listener of new records
 */
export function followSimulator(views, listener) {
  const source = new EventSource("/simulator/events");
  /** Events that arrive while the stored records are loading. */
  let waiting = null;
  let loadCount = 0;
  const newestSeq = {};

  source.addEventListener("open", async () => {
    const load = ++loadCount;
    waiting = [];
    try {
      const loaded = await Promise.all(Object.keys(views).map(readRecords));
      if (load !== loadCount) return;
      for (const [kind, records] of loaded) {
        views[kind].clear();
        newestSeq[kind] = 0;
        for (const record of records) add(kind, record);
      }
      for (const apply of waiting) apply();
      waiting = null;
      listener.onFaults();
      showState("live", say("Live"));
    } catch {
      if (load !== loadCount) return;
      waiting = null;
      showState("lost", say("Cannot read the simulator"));
    }
  });
  source.addEventListener("error", () => showState("lost", say("Connection lost, trying again…")));

  on("added", ({ kind, record }) => {
    if (add(kind, record)) listener.onFresh(kind, record);
  });
  on("cleared", ({ kind }) => views[kind]?.clear());
  on("faults_changed", () => listener.onFaults());

  function on(type, apply) {
    source.addEventListener(type, (event) => {
      const data = JSON.parse(event.data);
      if (waiting === null) apply(data);
      else waiting.push(() => apply(data));
    });
  }

  function add(kind, record) {
    if (views[kind] === undefined || record.seq <= newestSeq[kind]) return false;
    newestSeq[kind] = record.seq;
    views[kind].add(record);
    return true;
  }
}

async function readRecords(kind) {
  const response = await fetch(`/simulator/${kind}?limit=${loadedRecords}`);
  if (!response.ok) throw new Error(`The log ${kind} cannot be read.`);
  return [kind, (await response.json()).items];
}

function showState(state, words) {
  const live = find("live");
  live.dataset.state = state;
  live.textContent = words;
}
