/** The webhook of an Evolution API v2 instance (source, 2.3.7: webhook.controller.ts, webhook.schema.ts). */
import { readText, readValue } from "../../model/json_value.ts";
import type {
  ConnectionChangeOutcome,
  ConnectionFailure,
  ProviderWebhooks,
  WebhookReport,
} from "../connection.ts";
import type { HttpAnswer } from "../http/call.ts";
import type { EvolutionConfig } from "./config.ts";

type Ask = (method: "GET" | "POST", verb: string, body?: unknown) => Promise<
  HttpAnswer | ConnectionFailure
>;

/** What the service reads. QR codes are left out: no code is to be in a stored payload. */
const readEvents = [
  ...["MESSAGES_UPSERT", "MESSAGES_UPDATE", "MESSAGES_EDITED", "MESSAGES_DELETE"],
  ...["SEND_MESSAGE", "SEND_MESSAGE_UPDATE", "CONNECTION_UPDATE", "CONTACTS_UPDATE", "CALL"],
];

/** Asked for, but no fault where it is missing: it only prolongs a turn while the person types. */
const furtherEvents = ["PRESENCE_UPDATE"];

/** Opens the webhook of an instance by calls of its server. */
export function openEvolutionWebhooks(
  { webhookSecret }: EvolutionConfig,
  ask: Ask,
): ProviderWebhooks {
  return {
    addressOf: (webhookUrl) => `${webhookUrl}/${webhookSecret}`,
    async read(address): Promise<WebhookReport | ConnectionFailure> {
      const answer = await ask("GET", "find");
      // An instance without one is answered with null.
      if (answer.outcome === "failed") return answer;
      const url = readText(answer.json, "url") ?? null;
      const isOn = readValue(answer.json, "enabled") === true;
      const events = readValue(answer.json, "events");
      const isWhole = Array.isArray(events) && readEvents.every((event) => events.includes(event));
      return {
        outcome: "told",
        isOurs: isOn && isWhole && url === address,
        url: isOn && url !== address ? url : null,
      };
    },
    async set(address): Promise<ConnectionChangeOutcome> {
      const webhook = { enabled: true, url: address, byEvents: false, base64: false };
      const body = { webhook: { ...webhook, events: [...readEvents, ...furtherEvents] } };
      const answer = await ask("POST", "set", body);
      return answer.outcome === "failed" ? answer : { outcome: "done" };
    },
  };
}
