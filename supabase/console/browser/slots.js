const pageSize = 1_000;
/** Batches of each status that are listed: the newest. */
const listedBatches = 10;

/**
 * Drafts are estimated whenever they are read, recipient by recipient, and what has ended changes little: so
 * both are read less often than what runs.
 */
const restMs = 30_000;
let rest = { instanceId: "", readAt: 0, items: [] };

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

/** Reads drafts and what has ended anew at the next turn: one of them was started. */
export function forgetRest() {
  rest.readAt = 0;
}

async function readBatchesOf(api, status) {
  const query = { status, order: "desc", limit: listedBatches };
  return (await api.read("batches-api/batches", query)).items;
}

/** Drafts, then what has ended, the latest end first. */
async function readRest(api) {
  const [drafts, finished, canceled] = await Promise.all(
    ["draft", "finished", "canceled"].map((status) => readBatchesOf(api, status)),
  );
  const endOf = ({ finishedAt, createdAt }) => Date.parse(finishedAt ?? createdAt);
  return [...drafts, ...[...finished, ...canceled].sort((a, b) => endOf(b) - endOf(a))];
}

/**
 * Reads the batches of the form's instance: first those that run and pause, then drafts, then those that
 * have ended.
 *
 * @param {import("./client.js").Api} api
 * @param {object[]} former what it returned before
 * @returns {Promise<object[]>}
 */
export async function readBatches(api, former) {
  const { instanceId } = api;
  const begun = (await Promise.all(["running", "paused"].map((one) => readBatchesOf(api, one))))
    .flat();
  const begunIds = new Set(begun.map(({ batchId }) => batchId));
  const hasEnded = former.some(({ batchId, status }) =>
    ["running", "paused"].includes(status) && !begunIds.has(batchId)
  );
  const isFresh = rest.instanceId === instanceId && Date.now() - rest.readAt < restMs;
  if (!isFresh || hasEnded) rest = { instanceId, readAt: Date.now(), items: await readRest(api) };
  return [...begun, ...rest.items.filter(({ batchId }) => !begunIds.has(batchId))]
    .map((batch) => ({ ...batch, instanceId }));
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
