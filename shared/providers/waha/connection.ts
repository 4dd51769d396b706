/** The session of WAHA with its phone (page Sessions). Codes exist in SCAN_QR_CODE; elsewhere they are 422. */
import { readText } from "../../model/json_value.ts";
import { isSuccess } from "../classification.ts";
import type {
  ConnectionChangeOutcome,
  ConnectionFailure,
  ConnectionOptions,
  ConnectionReport,
  PairingOutcome,
  ProviderConnection,
} from "../connection.ts";
import {
  absentSession,
  maxConnectionAnswerBytes,
  qrLifetimeSeconds,
  readConnectionAnswer,
  unusableAnswer,
} from "../connection_calls.ts";
import { joinUrl } from "../config_fields.ts";
import { getJson, type HttpAnswer, type HttpResult, postJson } from "../http/call.ts";
import { createRedactor } from "../http/redaction.ts";
import { listSecrets } from "../stored_config.ts";
import { readSessionPhone } from "../webhooks/addresses.ts";
import { readErrorText } from "./answer.ts";
import { type WahaConfig, wahaSecretFields } from "./config.ts";
import { needsPasskey, readWahaConnection } from "./session_status.ts";
import { openWahaWebhooks } from "./webhooks.ts";

/** A code to type (ABCD-ABCD) is over with its attempt, whose first code to scan alone lasts a minute. */
const codeLifetimeSeconds = 60;

/** An answer in a state of the session that has no such call, beside one that did what was asked for. */
type Asked = HttpAnswer | ConnectionFailure | {
  readonly outcome: "wrong_state";
  readonly status: string;
};

interface Session {
  /** A call below `/api/sessions/{session}`. */
  ofSession(method: "GET" | "POST", verb?: string): Promise<Asked>;
  /** A call below `/api/{session}/auth`. */
  ofCode(method: "GET" | "POST", verb: string, body?: unknown): Promise<Asked>;
}

/** Opens the connection of a WAHA session. */
export function openWahaConnection(
  config: WahaConfig,
  options: ConnectionOptions,
): ProviderConnection {
  const redact = createRedactor(listSecrets(config, wahaSecretFields), null);
  const name = encodeURIComponent(config.session);
  const call = async (
    method: "GET" | "POST" | "PUT",
    path: string,
    body?: unknown,
  ): Promise<Asked> => {
    const url = joinUrl(config.baseUrl, path);
    const request = { url, headers: { "x-api-key": config.apiKey }, ...options };
    const result = method === "GET"
      ? await getJson({ ...request, maxAnswerBytes: maxConnectionAnswerBytes })
      : await postJson({ ...request, method, body });
    return readSpecialCase(result) ?? readConnectionAnswer(result, readRefusal, redact);
  };
  const session: Session = {
    ofSession: (method, verb = "") =>
      call(method, `/api/sessions/${name}${verb === "" ? "" : `/${verb}`}`),
    ofCode: (method, verb, body) => call(method, `/api/${name}/auth/${verb}`, body),
  };
  return {
    webhooks: openWahaWebhooks(config, async (method, body) => {
      const answer = await call(method, `/api/sessions/${name}`, body);
      return answer.outcome === "wrong_state" ? unusableAnswer : answer;
    }),
    read: async () => readState(await session.ofSession("GET")),
    pairing: {
      methods: ["qr", "code"],
      readQr: async () =>
        await readCode(session, await session.ofCode("GET", "qr?format=raw"), "value"),
      requestCode: async (phone) =>
        await readCode(
          session,
          await session.ofCode("POST", "request-code", { phoneNumber: phone }),
          "code",
        ),
      restart: () => change(session, "restart"),
      // A session that runs is started again, and shows a code.
      logout: () => change(session, "logout"),
    },
  };
}

/** A session that this server does not have, or one in another state, which the answer names. */
function readSpecialCase(result: HttpResult): Asked | undefined {
  if (result.outcome !== "answered") return undefined;
  const { status, json } = result;
  if (status === 404 && /session/i.test(readErrorText(json))) return absentSession;
  const state = status === 422 ? readText(json, "status") : undefined;
  return state === undefined ? undefined : { outcome: "wrong_state", status: state };
}

function readRefusal(answer: HttpAnswer): string | undefined {
  return isSuccess(answer) ? undefined : readErrorText(answer.json);
}

function readState(answer: Asked): ConnectionReport | ConnectionFailure {
  if (answer.outcome === "failed") return answer;
  if (answer.outcome === "wrong_state") return unusableAnswer;
  const state = readWahaConnection(readText(answer.json, "status"));
  if (state === undefined) return unusableAnswer;
  return state === "connected"
    ? { outcome: "told", state, phone: readSessionPhone(readText(answer.json, "me", "id")) }
    : { outcome: "told", state };
}

/**
 * The code of an answer. A session that was stopped, or gave up after six codes that nobody scanned, is started,
 * and has one a moment later.
 */
async function readCode(
  session: Session,
  answer: Asked,
  member: "value" | "code",
): Promise<PairingOutcome> {
  if (answer.outcome === "failed") return answer;
  if (answer.outcome === "wrong_state") return await explainState(session, answer.status);
  const text = readText(answer.json, member);
  if (text === undefined || text === "") return { outcome: "not_ready" };
  const lifetimeSeconds = member === "code" ? codeLifetimeSeconds : qrLifetimeSeconds;
  return { outcome: "code", text, lifetimeSeconds };
}

async function explainState(session: Session, status: string): Promise<PairingOutcome> {
  if (needsPasskey(status)) return { outcome: "passkey_required" };
  switch (readWahaConnection(status)) {
    case "connected":
      return { outcome: "already_connected" };
    case "disconnected": {
      const begun = await change(session, "restart");
      return begun.outcome === "failed" ? begun : { outcome: "not_ready" };
    }
    default:
      return { outcome: "not_ready" };
  }
}

async function change(
  session: Session,
  verb: "restart" | "logout",
): Promise<ConnectionChangeOutcome> {
  const answer = await session.ofSession("POST", verb);
  if (answer.outcome === "wrong_state") return unusableAnswer;
  return answer.outcome === "failed" ? answer : { outcome: "done" };
}
