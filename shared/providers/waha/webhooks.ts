/**
 * The webhooks of a WAHA session (pages Sessions, Webhooks): a list in its configuration. No call tells those of
 * the whole server (`WHATSAPP_HOOK_URL`).
 */
import { readList } from "../webhooks/fields.ts";
import { readText, readValue } from "../../model/json_value.ts";
import type {
  ConnectionChangeOutcome,
  ConnectionFailure,
  ProviderWebhooks,
  WebhookReport,
} from "../connection.ts";
import { unusableAnswer } from "../connection_calls.ts";
import type { HttpAnswer } from "../http/call.ts";
import type { WahaConfig } from "./config.ts";
import { wahaKnownFields } from "./known_fields.ts";

/** Asks for the session, or replaces its configuration, which restarts one that runs. */
type Ask = (method: "GET" | "PUT", body?: unknown) => Promise<HttpAnswer | ConnectionFailure>;

/** Asked for, but no fault where it is missing: it only prolongs a turn while the person types. */
const furtherEvent = "presence.update";

/** What the service reads. `message.any` includes what `message` brings, so asking for both brings it twice. */
const readEvents = wahaKnownFields.read.filter((name) =>
  name !== "message" && name !== furtherEvent
);

/** Every event, in WAHA's words. */
const everyEvent = "*";

/** Opens the webhooks of a session by calls of its server. */
export function openWahaWebhooks({ webhookKey }: WahaConfig, ask: Ask): ProviderWebhooks {
  const isWhole = (webhook: unknown, address: string): boolean => {
    const events = readList(webhook, "events");
    return readText(webhook, "url") === address &&
      // A hidden key counts as ours: otherwise every code to pair would set it again and restart the session.
      (readText(webhook, "hmac", "key") === webhookKey || hasHiddenKey(webhook)) &&
      (events.includes(everyEvent) || readEvents.every((event) => events.includes(event)));
  };
  return {
    addressOf: (webhookUrl) => webhookUrl,
    async read(address): Promise<WebhookReport | ConnectionFailure> {
      const answer = await ask("GET");
      if (answer.outcome === "failed") return answer;
      const webhooks = listWebhooks(answer);
      // Without its own the session may use those of the server, so nothing is known.
      if (webhooks.length === 0) return unusableAnswer;
      const urls = webhooks.map((webhook) => readText(webhook, "url"));
      return {
        outcome: "told",
        isOurs: webhooks.some((webhook) => isWhole(webhook, address)),
        url: urls.find((url) => url !== undefined && url !== address) ?? null,
      };
    },
    // PUT replaces the whole configuration, so it is read first.
    async set(address): Promise<ConnectionChangeOutcome> {
      const answer = await ask("GET");
      if (answer.outcome === "failed") return answer;
      const name = readText(answer.json, "name");
      if (name === undefined) return unusableAnswer;
      const config = readValue(answer.json, "config");
      const others = listWebhooks(answer).filter((webhook) => readText(webhook, "url") !== address);
      // They would be written back, and a hidden key would be lost.
      if (others.some(hasHiddenKey)) return unusableAnswer;
      const own = {
        url: address,
        events: [...readEvents, furtherEvent],
        hmac: { key: webhookKey },
        retries: { policy: "exponential", delaySeconds: 2, attempts: 10 },
      };
      const changed = await ask("PUT", {
        name,
        config: { ...(typeof config === "object" ? config : {}), webhooks: [...others, own] },
      });
      return changed.outcome === "failed" ? changed : { outcome: "done" };
    },
  };
}

/** Whether a server shows asterisks in place of the key that signs. */
function hasHiddenKey(webhook: unknown): boolean {
  return /^\*+$/.test(readText(webhook, "hmac", "key") ?? "");
}

function listWebhooks({ json }: HttpAnswer): readonly unknown[] {
  return readList(json, "config", "webhooks");
}
