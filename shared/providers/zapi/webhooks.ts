/** The webhooks of a Z-API instance (pages Dados da instância, Atualizar todos webhooks). */
import { readText } from "../../model/json_value.ts";
import type {
  ConnectionChangeOutcome,
  ConnectionFailure,
  ProviderWebhooks,
  WebhookReport,
} from "../connection.ts";
import { unusableAnswer } from "../connection_calls.ts";
import type { HttpAnswer } from "../http/call.ts";
import type { ZapiConfig } from "./config.ts";

type Ask = (method: "GET" | "PUT", verb: string, body?: unknown) => Promise<
  HttpAnswer | ConnectionFailure
>;

/** The members of an instance that hold an address; received messages have either of two. */
const addresses = [
  ["receivedAndDeliveryCallbackUrl", "receivedCallbackUrl"],
  ["messageStatusCallbackUrl"],
  ["deliveryCallbackUrl"],
  ["connectedCallbackUrl"],
  ["disconnectedCallbackUrl"],
] as const;

/** Opens the webhooks of an instance by calls of its connection. */
export function openZapiWebhooks({ webhookSecret }: ZapiConfig, ask: Ask): ProviderWebhooks {
  return {
    addressOf: (webhookUrl) => `${webhookUrl}/${webhookSecret}`,
    async read(address): Promise<WebhookReport | ConnectionFailure> {
      const answer = await ask("GET", "me");
      if (answer.outcome === "failed") return answer;
      if (readText(answer.json, "id") === undefined) return unusableAnswer;
      const found = addresses.map((members) =>
        members.map((member) => readText(answer.json, member)).find((url) => url !== undefined)
      );
      const foreign = found.filter((url) => url !== address);
      return {
        outcome: "told",
        isOurs: foreign.length === 0,
        url: foreign.find((url) => url !== undefined) ?? null,
      };
    },
    // What is written on the phone is told too.
    async set(address): Promise<ConnectionChangeOutcome> {
      const body = { value: address, notifySentByMe: true };
      const answer = await ask("PUT", "update-every-webhooks", body);
      return answer.outcome === "failed" ? answer : { outcome: "done" };
    },
  };
}
