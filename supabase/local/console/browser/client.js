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

/** Whether the form names an instance and a token. */
export function hasAccess() {
  return readAccess().every((value) => value !== "");
}

/** The form's instance id and client token. */
export function readAccess() {
  return [find("instance-id").value.trim(), find("client-token").value.trim()];
}

/**
 * Calls a function of the product with the form's instance and token.
 *
 * @param {string} path below /functions/v1/
 * @param {{method?: string, query?: object, body?: object, signal?: AbortSignal}} [options]
 * @throws {ApiProblem} for any answer but 2xx; what `fetch` throws when `signal` aborts
 */
export async function callApi(path, { method = "GET", query = {}, body, signal } = {}) {
  const [instanceId, clientToken] = readAccess();
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
  if (response.ok) return answer;
  throw new ApiProblem(response.status, answer.message ?? answer.error ?? response.statusText);
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
 * Runs `ask` every two seconds while the page is visible and the form is filled in. Runs it at once
 * when the form is submitted. Waits for the form after a final refusal.
 *
 * @param {() => Promise<void>} ask
 * @param {(sentence: string) => void} showProblem
 * @returns {() => Promise<void>} asks now
 */
export function pollApi(ask, showProblem) {
  let timer = 0;
  let isAsking = false;
  let isRefused = false;

  async function askNow() {
    clearTimeout(timer);
    if (hasAccess() && !isAsking && !document.hidden) {
      isAsking = true;
      try {
        await ask();
        isRefused = false;
      } catch (problem) {
        isRefused = problem.isFinal === true;
        showProblem(problem instanceof ApiProblem ? problem.message : String(problem));
      } finally {
        isAsking = false;
      }
    }
    clearTimeout(timer);
    if (!isRefused) timer = setTimeout(askNow, pollMs);
  }

  find("queue-form").addEventListener("submit", (event) => {
    event.preventDefault();
    askNow();
  });
  document.addEventListener("visibilitychange", askNow);
  return askNow;
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
