import type { Context, Hono } from "hono";
import {
  readQrCode,
  readSession,
  requestPairingCode,
} from "../../shared/connections/connection.ts";
import type { ConnectionServices } from "../../shared/connections/open_connection.ts";
import type { EnteredLink } from "../../shared/database/rpcs/tenancy.ts";
import { answerJson } from "../../shared/http/answer.ts";
import { createApp } from "../../shared/http/create_app.ts";
import { readJsonBody } from "../../shared/http/json_body.ts";
import { validateBody } from "../../shared/http/validate.ts";
import { AppError } from "../../shared/model/errors.ts";
import { readText } from "../../shared/model/json_value.ts";
import type { OpenProvider } from "../../shared/providers/open_provider.ts";
import type { Log } from "../../shared/runtime/log.ts";
import {
  codeResponseSchema,
  codeSchema,
  lookSchema,
  openResponseSchema,
  openSchema,
  qrResponseSchema,
  stateResponseSchema,
  testResponseSchema,
} from "./contract.ts";
import { openLink, readLink } from "./links.ts";
import { renderConnectPage } from "./page.ts";
import { sendTestMessage } from "./test_message.ts";

export interface ConnectServices extends ConnectionServices {
  readonly openProvider: OpenProvider;
  readonly log: Log;
}

/** What a link opens is for the eyes before the page alone. */
const neverStored = { "Cache-Control": "no-store" } as const;

/**
 * /functions/v1/connect: the page on which the owner of a phone connects it to an instance, and what the page
 * asks. A link's token is the only credential; it comes in bodies, so that no address holds it.
 */
export async function createConnectApp(services: ConnectServices): Promise<Hono> {
  const page = await renderConnectPage(`${services.functionsUrl}/connect`);

  const getPage = (context: Context): Promise<Response> =>
    Promise.resolve(context.html(page.html, 200, {
      "Cache-Control": "public, no-cache",
      "Content-Security-Policy": page.contentSecurityPolicy,
      "Referrer-Policy": "no-referrer",
      "X-Content-Type-Options": "nosniff",
    }));

  const open = async (context: Context): Promise<Response> => {
    const { token } = validateBody(context, openSchema, await readJsonBody(context));
    const { link, page } = await openLink(services, token);
    noteInstance(context, link);
    const { instanceName: name, language, expiresAt } = link;
    const answer = { success: true, name, language, expiresAt, page } as const;
    return answerJson(context, openResponseSchema, answer, 200, neverStored);
  };

  const getState = async (context: Context): Promise<Response> => {
    const link = await readLink(
      services,
      validateBody(context, lookSchema, await readJsonBody(context)),
    );
    noteInstance(context, link);
    const { state, phone, isExpectedPhone, methods } = await readSession(
      services,
      link.instanceId,
    );
    // Another phone than the expected one leaves the link as it is: the right one is still to come.
    if (state === "connected" && isExpectedPhone !== false && !link.isUsed) {
      await services.database.rpc("use_connection_link", { linkId: link.linkId });
    }
    return answerJson(
      context,
      stateResponseSchema,
      {
        ...{ success: true, state, phone, isExpectedPhone, methods, expiresAt: link.expiresAt },
      },
      200,
      neverStored,
    );
  };

  const getQr = async (context: Context): Promise<Response> => {
    const link = await readLink(
      services,
      validateBody(context, lookSchema, await readJsonBody(context)),
    );
    noteInstance(context, link);
    const { image, expiresAt } = await readQrCode(services, link.instanceId);
    const answer = { success: true, image, expiresAt } as const;
    return answerJson(context, qrResponseSchema, answer, 200, neverStored);
  };

  const getCode = async (context: Context): Promise<Response> => {
    const request = validateBody(context, codeSchema, await readJsonBody(context));
    const link = await readLink(services, request);
    noteInstance(context, link);
    const code = await requestPairingCode(services, link.instanceId, request.phone);
    return answerJson(context, codeResponseSchema, { success: true, ...code }, 200, neverStored);
  };

  const sendTest = async (context: Context): Promise<Response> => {
    const request = validateBody(context, lookSchema, await readJsonBody(context));
    const link = await readLink(services, request, { sendsTest: true });
    noteInstance(context, link);
    await sendTestMessage(services, link);
    return answerJson(context, testResponseSchema, { success: true }, 200, neverStored);
  };

  return createApp({
    slug: "connect",
    log: services.log,
    database: services.database,
    routes: [
      // Chats and mail programs append parameters to links.
      { method: "GET", path: "/", ignoresParameters: true, handlers: [getPage] },
      { method: "POST", path: "/open", handlers: [open] },
      { method: "POST", path: "/state", handlers: [getState] },
      { method: "POST", path: "/qr", handlers: [hideWords(getQr)] },
      { method: "POST", path: "/code", handlers: [hideWords(getCode)] },
      { method: "POST", path: "/test", handlers: [hideWords(sendTest)] },
    ],
  });
}

type Handler = (context: Context) => Promise<Response>;

/**
 * Leaves a gateway's own words out of a refusal: they may name its server or the instance there, which the
 * holder of a link must not learn. The page gets the code alone. The administrator reads the words in the
 * `problem` of `GET connection`.
 */
function hideWords(handler: Handler): Handler {
  return async (context) => {
    try {
      return await handler(context);
    } catch (error) {
      const isTold = error instanceof AppError && error.code === "provider_connection_failed";
      if (!isTold) throw error;
      const details = { code: readText(error.extras.body, "details", "code") };
      throw new AppError(error.code, { body: { details } });
    }
  };
}

function noteInstance(context: Context, { instanceId }: EnteredLink): void {
  context.set("instanceId", instanceId);
}
