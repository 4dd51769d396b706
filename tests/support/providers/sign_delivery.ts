/** Signs the documented examples of webhooks as their provider does. */
import { providerKinds } from "../../../shared/model/provider_kind.ts";
import { registeredDocs } from "../../../shared/providers/registered_docs.ts";
import { factsOf } from "./registered_facts.ts";

/**
 * The headers with which a provider calls the operation that receives its events; none for another
 * operation. The instance has the credentials of the provider's facts.
 */
export async function signDelivery(
  operationId: string,
  body: unknown,
): Promise<Readonly<Record<string, string>>> {
  const kind = providerKinds.find((each) =>
    operationId === `receive${registeredDocs[each].operationName}Events`
  );
  return kind === undefined ? {} : (await factsOf[kind].toRequest("", body)).headers;
}
