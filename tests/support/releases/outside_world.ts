/** What a service calls while it is upgraded: its provider, the mail service and the model. */

import {
  acceptMessage,
  answerUnknown,
  type HttpDouble,
  startHttpDouble,
} from "../doubles/http_double.ts";
import { type MailService, startChatModel, startMailService } from "../doubles/outside_services.ts";
import { doubtfulText } from "./live_service.ts";

/** The doubles. Mail service and model refuse until they recover, so that the outbox has to wait. */
export interface OutsideWorld extends AsyncDisposable {
  readonly provider: HttpDouble;
  readonly mail: MailService;
  /** Variables that point a service at the doubles. */
  readonly environment: Readonly<Record<string, string>>;
  recover(): void;
}

/** Starts the doubles. The provider leaves the outcome of {@link doubtfulText} unknown. */
export function startOutsideWorld(): OutsideWorld {
  let isUp = false;
  const refuse = (): Promise<Response | undefined> =>
    Promise.resolve(isUp ? undefined : Response.json({ name: "down" }, { status: 500 }));
  const provider = startHttpDouble((request) =>
    request.json["message"] === doubtfulText ? answerUnknown() : acceptMessage(request)
  );
  const mail = startMailService(refuse);
  const model = startChatModel(refuse);
  return {
    provider,
    mail,
    environment: { RESEND_BASE_URL: mail.baseUrl, AI_BASE_URL: `${model.baseUrl}/v1` },
    recover: (): void => {
      isUp = true;
    },
    [Symbol.asyncDispose]: async (): Promise<void> => {
      for (const double of [provider, mail, model]) await double[Symbol.asyncDispose]();
    },
  };
}
