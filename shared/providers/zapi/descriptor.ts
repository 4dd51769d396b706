import { describeProvider } from "../descriptor.ts";
import { zapiAdministration } from "./administration.ts";
import { zapiSending } from "./sending.ts";
import { zapiWebhook } from "./webhook.ts";

/** The gateway Z-API. */
export const zapi = describeProvider({
  ...zapiSending,
  ...zapiAdministration,
  webhook: zapiWebhook,
});
