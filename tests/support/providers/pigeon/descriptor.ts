import { equalInConstantTime } from "../../../../shared/crypto/constant_time.ts";
import { describeProvider } from "../../../../shared/providers/descriptor.ts";
import { pigeonConfigSchema } from "./config.ts";

/** A gateway that no file of the product knows: its own fields, address, credential and payloads. */
export const pigeon = describeProvider({
  kind: "pigeon",
  providerClass: "gateway",
  config: {
    schema: pigeonConfigSchema,
    idField: "loft",
    secretFields: ["password"],
    leastLengths: { password: 12 },
  },
  load: async () => (await import("./provider.ts")).createPigeonProvider,
  webhook: {
    path: "/arrivals",
    refusal: "invalid_webhook_signature",
    embedsFiles: false,
    checkHead: ({ password }, { header }) =>
      equalInConstantTime(header("x-loft-password") ?? "", password),
    knownFields: { read: ["arrival"], ignored: {}, list: () => ["arrival"] },
    loadEventReader: async () => (await import("./events.ts")).readPigeonEvents,
  },
});
