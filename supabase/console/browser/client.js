import { find } from "./dom.js";
import { say } from "./words.js";

const pollMs = 2_000;

/** What the page says when the API answers with an error, or not at all. */
export class ApiProblem extends Error {
  /** @param {number} status 0 without an answer */
  constructor(status, message) {
    super(message);
    this.status = status;
    /** The same token and instance would be refused again. */
    this.isFinal = [401, 403, 404].includes(status);
  }
}

/** The instance and the token of the form as it was last submitted, not as somebody types. */
let access = { instanceId: "", clientToken: "" };
find("queue-form").addEventListener("submit", useForm);

/** Calls from now on are for the instance and the token that stand in the form. */
export function useForm() {
  access = {
    instanceId: find("instance-id").value.trim(),
    clientToken: find("client-token").value.trim(),
  };
}

/** Whether the form named an instance and a token. */
export function hasAccess() {
  return Object.values(access).every((value) => value !== "");
}

/**
 * Calls a function of the product for the form's instance.
 *
 * @param {string} path below /functions/v1/
 * @param {{method?: string, query?: object, body?: object, signal?: AbortSignal}} [options]
 * @throws {ApiProblem} for any answer but 2xx; what `fetch` throws when `signal` aborts
 */
export function callApi(path, options) {
  return callFunction(access, path, options);
}

async function callFunction(
  { instanceId, clientToken },
  path,
  { method = "GET", query = {}, body, signal } = {},
) {
  const parameters = new URLSearchParams({ instanceId, ...query });
  const headers = { "X-Client-Token": clientToken };
  const call = body === undefined
    ? { url: `${path}?${parameters}`, init: { method, headers, signal } }
    : { url: path, init: buildJsonInit(method, { instanceId, ...body }, headers) };
  const response = await fetch(`/functions/v1/${call.url}`, call.init).catch((error) => {
    if (signal?.aborted) throw error;
    throw new ApiProblem(0, say("The API cannot be reached."));
  });
  const answer = await response.json();
  showAccess(response.status, answer.error);
  if (response.ok) return answer;
  throw new ApiProblem(response.status, answer.message ?? answer.error ?? response.statusText);
}

/**
 * Says beside every panel that the form's token or instance is wrong, because each panel then stays
 * empty, and shows the form.
 */
function showAccess(status, error) {
  const problem = find("access-problem");
  const sentence = status === 401
    ? say(
      "The client token is wrong: unknown, expired or revoked. Enter another one under “Queue”.",
    )
    : error === "Instance not found"
    ? say("The client token does not open this instance. Correct one of them under “Queue”.")
    : "";
  if (sentence !== "" && problem.hidden) find("queue-settings").open = true;
  problem.hidden = sentence === "";
  setNote(problem, sentence);
}

/** @param {string} method */
export function buildJsonInit(method, body, headers = {}) {
  return {
    method,
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  };
}

/**
 * What a run of `pollApi` asks: all of it for one instance, whatever the form names meanwhile.
 *
 * @typedef {object} Api
 * @property {string} instanceId
 * @property {AbortSignal} signal aborts when the form is submitted
 * @property {(path: string, query?: object) => Promise<object>} read as `callApi`
 */

/** @returns {Api} */
function openApi(signal) {
  const opened = access;
  return {
    instanceId: opened.instanceId,
    signal,
    read: (path, query) => callFunction(opened, path, { query, signal }),
  };
}

/**
 * Runs `ask` every two seconds while the page is visible and the form is filled in. Runs it at once
 * when the form is submitted, in place of a run for what the form named before. Waits for the form
 * after a final refusal.
 *
 * @param {(api: Api) => Promise<void>} ask
 * @param {(sentence: string) => void} showProblem
 * @returns {() => Promise<void>} asks now
 */
export function pollApi(ask, showProblem) {
  let timer = 0;
  /** Aborts the run that goes on. */
  let running = null;
  let isRefused = false;

  async function askNow() {
    clearTimeout(timer);
    if (hasAccess() && running === null && !document.hidden) {
      const run = new AbortController();
      running = run;
      try {
        await ask(openApi(run.signal));
        isRefused = false;
      } catch (problem) {
        if (!run.signal.aborted) {
          isRefused = problem.isFinal === true;
          showProblem(problem instanceof ApiProblem ? problem.message : String(problem));
        }
      }
      // Another run goes on for what the form names now.
      if (run.signal.aborted) return;
      running = null;
    }
    clearTimeout(timer);
    if (!isRefused) timer = setTimeout(askNow, pollMs);
  }

  find("queue-form").addEventListener("submit", (event) => {
    event.preventDefault();
    running?.abort();
    running = null;
    askNow();
  });
  document.addEventListener("visibilitychange", askNow);
  return askNow;
}

/**
 * Runs `read` once at a time. Asked for meanwhile, it runs once more, so that what it shows last is
 * the newest answer.
 *
 * @param {() => Promise<void>} read
 * @returns {() => Promise<void>} resolves when nothing is asked for any more
 */
export function inTurn(read) {
  let isAsked = false;
  let reading = null;
  async function readWhileAsked() {
    try {
      while (isAsked) {
        isAsked = false;
        await read();
      }
    } finally {
      reading = null;
    }
  }
  return () => {
    isAsked = true;
    return reading ??= readWhileAsked();
  };
}

/**
 * Writes a status text. Writes only changes, because screen readers may announce a rewritten status
 * again.
 *
 * @param {HTMLElement} note
 */
export function setNote(note, sentence) {
  if (note.textContent !== sentence) note.textContent = sentence;
}
