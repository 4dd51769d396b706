const pageSize = 1_000;
/** Batches that have ended since the page was opened, and are still shown. */
const shownEnds = 3;

/** A draft is estimated whenever it is read, recipient by recipient: so it is read less often. */
const draftsMs = 30_000;
let drafts = { instanceId: "", readAt: 0, items: [] };

/** Colors of batches; 0 is that of single messages. Later batches take the colors in turn. */
const colorCount = 5;
const colors = new Map();

/** @param {string | null} batchId null for single messages */
export function colorOf(batchId) {
  if (batchId === null) return 0;
  if (!colors.has(batchId)) colors.set(batchId, colors.size % colorCount + 1);
  return colors.get(batchId);
}

/** @param {{name: string | null, batchId: string}} batch */
export function nameOf({ name, batchId }) {
  return name ?? batchId.slice(0, 8);
}

/** Reads the drafts anew at the next turn: one of them was started. */
export function forgetDrafts() {
  drafts.readAt = 0;
}

async function readDrafts(api) {
  const { instanceId } = api;
  const isFresh = drafts.instanceId === instanceId && Date.now() - drafts.readAt < draftsMs;
  if (!isFresh) {
    const { items } = await api.read("batches-api/batches", { status: "draft", limit: 10 });
    drafts = { instanceId, readAt: Date.now(), items };
  }
  return drafts.items;
}

/**
 * Reads the batches of the form's instance that run, pause or wait for their start, and those that ended a
 * moment ago.
 *
 * @param {import("./client.js").Api} api
 * @param {object[]} former what it returned before
 * @returns {Promise<object[]>}
 */
export async function readBatches(api, former) {
  const { instanceId } = api;
  const [waiting, running, paused] = await Promise.all([
    readDrafts(api),
    ...["running", "paused"].map((status) =>
      api.read("batches-api/batches", { status, limit: 10 })
    ),
  ]);
  const begun = [...running.items, ...paused.items];
  const begunIds = new Set(begun.map(({ batchId }) => batchId));
  const open = [
    ...begun,
    ...waiting.filter(({ batchId }) => !begunIds.has(batchId)),
  ];
  const openIds = new Set(open.map(({ batchId }) => batchId));
  const ended = await Promise.all(
    former.filter((batch) => batch.instanceId === instanceId && !openIds.has(batch.batchId))
      .slice(0, shownEnds)
      .map(({ batchId }) => api.read(`batches-api/batches/${batchId}`)),
  );
  return [...open, ...ended].map((batch) => ({ ...batch, instanceId }));
}

/**
 * The slots of what waits: those in the queue, and those that are forecast for the recipients of
 * running batches. `isCut` where there are more than a page of them.
 *
 * @param {import("./client.js").Api} api
 * @param {object[]} batches
 * @returns {Promise<{slots: {at: string, batchId: string | null}[], isCut: boolean}>}
 */
export async function readSlots(api, batches) {
  const running = batches.filter(({ status }) => status === "running");
  const queue = await api.read("messages-api/queue", { limit: pageSize });
  const pages = (await Promise.all(running.map((batch) => readWaiting(api, batch)))).flat();
  const recipients = pages.flatMap(({ items }) => items);
  const batchIds = new Map(recipients.map(({ messageId, batchId }) => [messageId, batchId]));
  const slots = [
    ...queue.items.map(({ messageId, scheduledFor }) => ({
      at: scheduledFor,
      batchId: batchIds.get(messageId) ?? null,
    })),
    ...recipients.filter(({ status }) => status === "pending")
      .map(({ scheduledFor, batchId }) => ({ at: scheduledFor, batchId })),
  ];
  return {
    slots: slots.filter(({ at }) => at !== null && at !== undefined),
    isCut: [queue, ...pages].some(({ nextCursor }) => nextCursor !== null),
  };
}

/** The recipients of a batch that wait, in the queue or for their turn there: a page of each. */
function readWaiting(api, { batchId }) {
  const path = `batches-api/batches/${batchId}/recipients`;
  return Promise.all(["queued", "pending"].map(async (status) => {
    const page = await api.read(path, { status, limit: pageSize });
    return { ...page, items: page.items.map((item) => ({ ...item, batchId })) };
  }));
}

/**
 * When the form's instance sends.
 *
 * @param {import("./client.js").Api} api
 * @returns {Promise<{timeZone: string, sendWindow: object} | null>} null where no instance has
 * this id
 */
export async function readSchedule({ instanceId, signal }) {
  const query = new URLSearchParams({ instanceId });
  const response = await fetch(`/console/schedule?${query}`, { signal }).catch(() => null);
  signal.throwIfAborted();
  return response?.ok === true ? await response.json() : null;
}
