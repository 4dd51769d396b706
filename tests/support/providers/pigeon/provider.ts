import { readId } from "../../../../shared/model/json_value.ts";
import { toFailureReceipt, toSuccessReceipt } from "../../../../shared/providers/classification.ts";
import { joinUrl } from "../../../../shared/providers/config_fields.ts";
import {
  checkGatewayContent,
  fitGatewayContent,
} from "../../../../shared/providers/gateway_content.ts";
import { postJson } from "../../../../shared/providers/http/call.ts";
import type { Provider } from "../../../../shared/providers/provider.ts";
import type { PigeonConfig } from "./config.ts";

export function createPigeonProvider(config: PigeonConfig, instanceId: string): Provider {
  return {
    templates: null,
    files: null,
    checkContent: checkGatewayContent,
    typing: "before_sending",
    act: () => Promise.resolve({ outcome: "not_supported" }),
    fitContent: fitGatewayContent,
    locateFile: () => Promise.resolve({ outcome: "found", locations: [] }),
    limitTypingMs: () => 0,
    send: async ({ to, content }, options) => {
      const result = await postJson({
        url: joinUrl(config.baseUrl, `/lofts/${config.loft}/flights`),
        headers: { "x-loft-password": config.password },
        body: { to, content },
        ...options,
        instanceId,
      });
      return result.outcome === "answered"
        ? toSuccessReceipt(readId(result.json, "ring"), undefined)
        : toFailureReceipt(result);
    },
  };
}
