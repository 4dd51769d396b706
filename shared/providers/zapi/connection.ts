/** The session of a Z-API instance (pages QR code, Telefone, Status, Dispositivo, Reiniciar, Desconectar). */
import { readId, readText, readValue } from "../../model/json_value.ts";
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
import { getJson, type HttpAnswer, postJson } from "../http/call.ts";
import { createRedactor } from "../http/redaction.ts";
import { listSecrets } from "../stored_config.ts";
import { readSessionPhone } from "../webhooks/addresses.ts";
import { type ZapiConfig, zapiSecretFields } from "./config.ts";
import { openZapiWebhooks } from "./webhooks.ts";
import { instancePath, zapiBaseUrl } from "./address.ts";

/** WhatsApp Web's own time for a code that is typed is three minutes. */
const codeLifetimeSeconds = 180;

/** Opens the connection of a Z-API instance. */
export function openZapiConnection(
  config: ZapiConfig,
  options: ConnectionOptions,
): ProviderConnection {
  const redact = createRedactor(listSecrets(config, zapiSecretFields), null);
  const ask = async (
    method: "GET" | "PUT",
    verb: string,
    body?: unknown,
  ): Promise<HttpAnswer | ConnectionFailure> => {
    const headers: Readonly<Record<string, string>> = config.clientToken === undefined
      ? {}
      : { "client-token": config.clientToken };
    const url = joinUrl(zapiBaseUrl(config), `${instancePath(config)}/${verb}`);
    const request = { url, headers, ...options };
    const result = method === "GET"
      ? await getJson({ ...request, maxAnswerBytes: maxConnectionAnswerBytes })
      : await postJson({ ...request, method, body });
    return readConnectionAnswer(result, readRefusal, redact);
  };
  const get: Get = (verb) => ask("GET", verb);
  const change = async (verb: string): Promise<ConnectionChangeOutcome> => {
    const answer = await get(verb);
    if (answer.outcome === "failed") return answer;
    return readValue(answer.json, "value") === false ? unusableAnswer : { outcome: "done" };
  };
  return {
    read: () => read(get),
    pairing: {
      methods: ["qr", "code"],
      readQr: async () => readQr(await get("qr-code")),
      requestCode: async (phone) =>
        readTypedCode(await get(`phone-code/${encodeURIComponent(phone)}`)),
      restart: () => change("restart"),
      // A GET that changes something: only this call makes it.
      logout: () => change("disconnect"),
    },
    webhooks: openZapiWebhooks(config, ask),
  };
}

type Get = (verb: string) => Promise<HttpAnswer | ConnectionFailure>;

/** `connected` decides: `error` of the status is a sentence that is there for a connected session too. */
async function read(get: Get): Promise<ConnectionReport | ConnectionFailure> {
  const status = await get("status");
  if (status.outcome === "failed") return status;
  const isConnected = readValue(status.json, "connected");
  if (typeof isConnected !== "boolean") return unusableAnswer;
  if (!isConnected) return { outcome: "told", state: "disconnected" };
  const device = await get("device");
  // The state is known all the same.
  const phone = device.outcome === "failed"
    ? undefined
    : readSessionPhone(readText(device.json, "phone"));
  return { outcome: "told", state: "connected", phone };
}

/** Connected instances have no code. The text comes alone, as a JSON text, or as `value`. */
function readQr(answer: HttpAnswer | ConnectionFailure): PairingOutcome {
  if (answer.outcome === "failed") return answer;
  const special = readSpecialCase(answer);
  if (special !== undefined) return special;
  const text = readText(answer.json, "value") ?? readText(answer.json, "qrcode") ??
    readText(answer.json) ?? (answer.json === undefined ? answer.text.trim() : "");
  // An address, a comma-separated list of keys: https://wa.me/settings/linked_devices#… or 2@….
  if (text === "" || text.startsWith("<") || text.startsWith("data:")) {
    return { outcome: "not_ready" };
  }
  return { outcome: "code", text, lifetimeSeconds: qrLifetimeSeconds };
}

function readTypedCode(answer: HttpAnswer | ConnectionFailure): PairingOutcome {
  if (answer.outcome === "failed") return answer;
  const special = readSpecialCase(answer);
  if (special !== undefined) return special;
  const text = readId(answer.json, "code") ?? readId(answer.json, "value") ?? readId(answer.json) ??
    (answer.json === undefined ? answer.text.trim() : "");
  return /^[A-Za-z0-9]{4}-?[A-Za-z0-9]{4}$/.test(text)
    ? { outcome: "code", text, lifetimeSeconds: codeLifetimeSeconds }
    : { outcome: "not_ready" };
}

/** `challenge`: the account wants its passkey, which Z-API takes in its own panel. */
function readSpecialCase({ json }: HttpAnswer): PairingOutcome | undefined {
  const challenge = readValue(json, "challenge");
  if (challenge !== undefined && challenge !== null) return { outcome: "passkey_required" };
  return readValue(json, "connected") === true ? { outcome: "already_connected" } : undefined;
}

/** `error` alone is a refusal; beside `connected` it is a word about the state. */
function readRefusal({ json }: HttpAnswer): string | undefined {
  if (readValue(json, "connected") !== undefined) return undefined;
  const error = readValue(json, "error");
  if (error === undefined || error === null || error === false) return undefined;
  return [readText(json, "error"), readText(json, "message")]
    .filter((text) => text !== undefined).join(": ") || "error";
}
