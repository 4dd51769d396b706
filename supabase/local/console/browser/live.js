import { find } from "./dom.js";
import { say } from "./words.js";

const loadedRecords = 1_000;

/**
 * Follows the simulator: loads what it keeps, then applies each event. Whenever the connection
 * opens anew, everything is loaded again, so a restarted stack is shown as it is.
 *
 * @param {Record<string, {add(record: object): void, clear(): void}>} views by kind of record
 * @param {{onFresh(kind: string, record: object): void, onFaults(): void}} listener of what is new
 */
export function followSimulator(views, listener) {
  const source = new EventSource("/simulator/events");
  /** Events that arrive while the kept records are being loaded. */
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
