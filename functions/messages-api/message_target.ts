import { type ClientContext, requireInstance } from "../../shared/http/client_token_guard.ts";
import { AppError } from "../../shared/model/errors.ts";
import { messageIdSchema } from "./contract.ts";

/**
 * The message of the path, which must belong to the token's instance.
 *
 * @throws {AppError} `message_not_found` for an id of another form: no message has one.
 */
export function readMessageTarget(
  context: ClientContext,
): { readonly instanceId: string; readonly messageId: string } {
  const { instanceId } = requireInstance(context);
  const messageId = messageIdSchema.safeParse(context.req.param("id"));
  if (!messageId.success) throw new AppError("message_not_found");
  return { instanceId, messageId: messageId.data };
}
