/**
 * The session of an Evolution API v2 instance (source, 2.3.7: instance.controller.ts). It answers several
 * errors with 200 and `{error: true, message}`, so the body is read before the status.
 */
import { readText, readValue } from "../../model/json_value.ts";
import type {
  ConnectionChangeOutcome,
  ConnectionFailure,
  ConnectionOptions,
  ConnectionReport,
  PairingOutcome,
  ProviderConnection,
} from "../connection.ts";
import {
  maxConnectionAnswerBytes,
  qrLifetimeSeconds,
  readConnectionAnswer,
  unusableAnswer,
} from "../connection_calls.ts";
import { joinUrl } from "../config_fields.ts";
import { callJson, getJson, type HttpAnswer, type HttpResult, postJson } from "../http/call.ts";
import { createRedactor } from "../http/redaction.ts";
import { listSecrets } from "../stored_config.ts";
import { readSessionPhone } from "../webhooks/addresses.ts";
import { openEvolutionWebhooks } from "./webhooks.ts";
import { type EvolutionConfig, evolutionSecretFields } from "./config.ts";

type Call = (method: "GET" | "POST" | "DELETE", verb: string, query?: string) => Promise<
  HttpAnswer | ConnectionFailure
>;

/** Opens the connection of an Evolution instance. */
export function openEvolutionConnection(
  config: EvolutionConfig,
  options: ConnectionOptions,
): ProviderConnection {
  const redact = createRedactor(listSecrets(config, evolutionSecretFields), null);
  const name = encodeURIComponent(config.instanceName);
  const call: Call = async (method, verb, query = "") => {
    const path = verb === "fetchInstances" ? "" : `/${name}`;
    const request = {
      url: joinUrl(config.baseUrl, `/instance/${verb}${path}${query}`),
      headers: { apikey: config.apiKey },
      ...options,
    };
    return readConnectionAnswer(await exchange(method, request), readRefusal, redact);
  };
  const askWebhook = async (
    method: "GET" | "POST",
    verb: string,
    body?: unknown,
  ): Promise<HttpAnswer | ConnectionFailure> => {
    const url = joinUrl(config.baseUrl, `/webhook/${verb}/${name}`);
    const request = { url, headers: { apikey: config.apiKey }, ...options, body };
    return readConnectionAnswer(await exchange(method, request), readRefusal, redact);
  };
  return {
    webhooks: openEvolutionWebhooks(config, askWebhook),
    read: () => read(call, config.instanceName),
    pairing: {
      methods: ["qr", "code"],
      readQr: async () => readCode(await call("GET", "connect"), "code"),
      requestCode: (phone) => requestCode(call, phone),
      restart: () => change(call, "POST", "restart"),
      logout: () => change(call, "DELETE", "logout"),
    },
  };
}

interface Request extends ConnectionOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

function exchange(
  method: "GET" | "POST" | "DELETE",
  { body, ...request }: Request,
): Promise<HttpResult> {
  const query = { ...request, maxAnswerBytes: maxConnectionAnswerBytes };
  if (method === "GET") return getJson(query);
  return method === "DELETE" ? callJson(method, query) : postJson({ ...request, body });
}

/**
 * The list of instances has the session's number, and its state after a logout, which `connectionState`
 * goes on to call `open`. While a code waits both say `connecting`.
 */
async function read(call: Call, name: string): Promise<ConnectionReport | ConnectionFailure> {
  const query = `?${new URLSearchParams({ instanceName: name })}`;
  const answer = await call("GET", "fetchInstances", query);
  if (answer.outcome === "failed") return answer;
  const found = [answer.json].flat().find((item) => readText(item, "name") === name);
  if (found === undefined) return unusableAnswer;
  switch (readText(found, "connectionStatus")) {
    case "open":
      return {
        outcome: "told",
        state: "connected",
        phone: readSessionPhone(readText(found, "ownerJid")),
      };
    case "connecting":
      return { outcome: "told", state: await readAttempt(call) };
    case "close":
      return { outcome: "told", state: "disconnected" };
    default:
      return unusableAnswer;
  }
}

/** A session that is connecting without a code is being built up again. */
async function readAttempt(call: Call): Promise<"waiting_for_scan" | "connecting"> {
  const answer = await call("GET", "connect");
  return readCode(answer, "code").outcome === "code" ? "waiting_for_scan" : "connecting";
}

/**
 * An attempt that was begun without a number gives no code to type, whatever number is named later
 * (Evolution API issue 2197): it is ended first.
 */
async function requestCode(call: Call, phone: string): Promise<PairingOutcome> {
  const query = `?${new URLSearchParams({ number: phone })}`;
  const first = readCode(await call("GET", "connect", query), "pairingCode");
  if (first.outcome !== "not_ready") return first;
  const ended = await call("DELETE", "logout");
  // Without an attempt there is nothing to end, and the code comes with the next answer.
  if (ended.outcome === "failed") return first;
  return readCode(await call("GET", "connect", query), "pairingCode");
}

/** A code to type is made anew with every QR code, so that it lasts no longer. */
function readCode(
  answer: HttpAnswer | ConnectionFailure,
  member: "code" | "pairingCode",
): PairingOutcome {
  if (answer.outcome === "failed") {
    return /passkey/i.test(answer.message) ? { outcome: "passkey_required" } : answer;
  }
  if (readText(answer.json, "instance", "state") === "open") {
    return { outcome: "already_connected" };
  }
  const text = readText(answer.json, member);
  return text === undefined
    ? { outcome: "not_ready" }
    : { outcome: "code", text, lifetimeSeconds: qrLifetimeSeconds };
}

async function change(
  call: Call,
  method: "POST" | "DELETE",
  verb: string,
): Promise<ConnectionChangeOutcome> {
  const answer = await call(method, verb);
  return answer.outcome === "failed" ? answer : { outcome: "done" };
}

/** The text of an error, which has no status of its own in several answers. */
function readRefusal({ json, status }: HttpAnswer): string | undefined {
  const isError = readValue(json, "error") === true;
  if (!isError && status < 400) return undefined;
  const messages = [readValue(json, "response", "message"), readValue(json, "message")].flat(2)
    .filter((text) => typeof text === "string" && text !== "");
  const error = readText(json, "error");
  return [...error === undefined ? [] : [error], ...messages].join(": ") || "error";
}
