import { describeProvider } from "../descriptor.ts";
import { evolutionAdministration } from "./administration.ts";
import { evolutionSending } from "./sending.ts";
import { evolutionWebhook } from "./webhook.ts";

/** The gateway Evolution API v2 (self-hosted). */
export const evolution = describeProvider({
  ...evolutionSending,
  ...evolutionAdministration,
  webhook: evolutionWebhook,
});
