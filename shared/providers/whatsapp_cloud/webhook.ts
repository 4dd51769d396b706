/** The webhook of the Cloud API (page Webhooks): a verified address and signed deliveries. */
import { equalInConstantTime } from "../../crypto/constant_time.ts";
import { isSignature, type SignatureForm, verifySignature } from "../webhooks/signature.ts";
import type { WebhookDefinition } from "../webhooks/webhook.ts";
import type { WhatsappCloudConfig } from "./config.ts";
import { whatsappCloudKnownFields } from "./known_fields.ts";
import { joinParts, splitByNumber } from "./routing.ts";

/** `X-Hub-Signature-256: sha256=<hex>`, with the app secret. */
export const metaSignature: SignatureForm = { hash: "SHA-256", prefix: "sha256=" };
const signatureHeader = "x-hub-signature-256";

export const whatsappCloudWebhook: WebhookDefinition<WhatsappCloudConfig> = {
  path: "",
  refusal: "invalid_webhook_signature",
  // Meta sends the ids of files, never their content.
  embedsFiles: false,
  checkHead: (_, { header }) =>
    Promise.resolve(isSignature(metaSignature, header(signatureHeader))),
  checkBody: ({ appSecret }, { body, header }) =>
    verifySignature(metaSignature, body, header(signatureHeader), appSecret),
  answerChallenge: async ({ verifyToken }, query) => {
    const isOurs = await equalInConstantTime(query["hub.verify_token"] ?? "", verifyToken);
    return isOurs && query["hub.mode"] === "subscribe" ? query["hub.challenge"] ?? "" : null;
  },
  routing: { split: splitByNumber, join: joinParts, accountIdOf: ({ wabaId }) => wabaId },
  knownFields: whatsappCloudKnownFields,
  loadEventReader: async () => (await import("./events.ts")).readWhatsappCloudEvents,
};
