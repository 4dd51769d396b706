import {
  changeConnection,
  readConnection,
  readQrCode,
  requestPairingCode,
} from "../../shared/connections/connection.ts";
import type { ConnectionServices } from "../../shared/connections/open_connection.ts";
import { setWebhooks } from "../../shared/connections/webhooks.ts";
import { answerJson } from "../../shared/http/answer.ts";
import type { Route } from "../../shared/http/create_app.ts";
import { readJsonBody } from "../../shared/http/json_body.ts";
import { answerRecorded } from "../../shared/http/recorded_answer.ts";
import { validateBody } from "../../shared/http/validate.ts";
import { executeRepeatable } from "../../shared/idempotency/repeatable_call.ts";
import { type AdminContext, readAdminIdempotency } from "./http_exchange.ts";
import { requireInstanceId } from "./instance_reference.ts";
import {
  connectionChangeResponseSchema,
  connectionResponseSchema,
  pairingCodeResponseSchema,
  pairingCodeSchema,
  qrResponseSchema,
  webhooksResponseSchema,
} from "./resources/connection.ts";

const neverStored = { "Cache-Control": "no-store" } as const;

/** Routes of an instance's connection: its state, the codes that pair a phone, restart and logout. */
export function createConnectionRoutes(services: ConnectionServices): Route[] {
  const { database } = services;
  const path = "/instances/:id/connection";

  const getState = async (context: AdminContext): Promise<Response> =>
    answerJson(context, connectionResponseSchema, {
      success: true,
      ...await readConnection(services, await requireInstanceId(context, database)),
    });

  const postQr = async (context: AdminContext): Promise<Response> => {
    const code = await readQrCode(services, await requireInstanceId(context, database));
    return answerJson(context, qrResponseSchema, { success: true, ...code }, 200, neverStored);
  };

  const postCode = async (context: AdminContext): Promise<Response> => {
    const instanceId = await requireInstanceId(context, database);
    const { phone } = validateBody(context, pairingCodeSchema, await readJsonBody(context));
    const code = await requestPairingCode(services, instanceId, phone);
    const answer = { success: true, ...code } as const;
    return answerJson(context, pairingCodeResponseSchema, answer, 200, neverStored);
  };

  const change =
    (what: "restart" | "logout") => async (context: AdminContext): Promise<Response> => {
      const instanceId = await requireInstanceId(context, database);
      const changed = await executeRepeatable({
        database,
        idempotency: await readAdminIdempotency(context, {}),
        execute: async () => {
          await changeConnection(services, instanceId, what);
          return {};
        },
      });
      return answerRecorded(context, connectionChangeResponseSchema, changed);
    };

  const postWebhooks = async (context: AdminContext): Promise<Response> => {
    const instanceId = await requireInstanceId(context, database);
    const set = await executeRepeatable({
      database,
      idempotency: await readAdminIdempotency(context, {}),
      execute: () => setWebhooks(services, instanceId),
    });
    return answerRecorded(context, webhooksResponseSchema, set);
  };

  return [
    { method: "GET", path, handlers: [getState] },
    { method: "POST", path: `${path}/webhooks`, handlers: [postWebhooks] },
    { method: "POST", path: `${path}/qr`, handlers: [postQr] },
    { method: "POST", path: `${path}/code`, handlers: [postCode] },
    { method: "POST", path: `${path}/restart`, handlers: [change("restart")] },
    { method: "POST", path: `${path}/logout`, handlers: [change("logout")] },
  ];
}
