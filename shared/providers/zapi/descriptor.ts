import { describeProvider } from "../descriptor.ts";
import { zapiSending } from "./sending.ts";
import { zapiWebhook } from "./webhook.ts";

/** The gateway Z-API. */
export const zapi = describeProvider({
  ...zapiSending,
  webhook: zapiWebhook,
});
