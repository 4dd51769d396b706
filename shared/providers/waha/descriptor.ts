import { describeProvider } from "../descriptor.ts";
import { wahaAdministration } from "./administration.ts";
import { wahaSending } from "./sending.ts";
import { wahaWebhook } from "./webhook.ts";

/** The gateway WAHA (self-hosted). */
export const waha = describeProvider({
  ...wahaSending,
  ...wahaAdministration,
  webhook: wahaWebhook,
});
