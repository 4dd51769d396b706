import { type IDataObject, type IHookFunctions, NodeOperationError } from "n8n-workflow";
import { describeRefusal } from "../MessagingIntegration/shared/answer";
import { callService } from "../MessagingIntegration/shared/service_call";
import { forgetDeliveries } from "./seen_deliveries";

const endpoints = "/events-api/endpoints";

/** What the trigger keeps of its endpoint. The secret is answered once, when the endpoint is created. */
interface KeptEndpoint {
  readonly endpointId?: string;
  readonly secret?: string;
}

/** Whether the service still has this trigger's endpoint, as the parameters want it. */
export async function hasEndpoint(context: IHookFunctions): Promise<boolean> {
  const { endpointId, secret } = context.getWorkflowStaticData("node") as KeptEndpoint;
  if (endpointId === undefined || secret === undefined) return false;
  const { statusCode, body } = await callService(context, { path: `${endpoints}/${endpointId}` });
  if (statusCode === 404) return false;
  if (statusCode >= 400) throw describeRefusal(context.getNode(), statusCode, body);
  const endpoint = body as IDataObject;
  const types = [...(endpoint.types as string[] | null ?? [])].sort();
  return endpoint.url === urlOf(context) && endpoint.isActive === true &&
    JSON.stringify(types) === JSON.stringify([...readTypes(context)].sort());
}

/** Creates the endpoint, in place of what earlier activations have left behind at this address. */
export async function createEndpoint(context: IHookFunctions): Promise<boolean> {
  const url = urlOf(context);
  await removeEndpointsAt(context, url);
  const types = readTypes(context);
  const { statusCode, body } = await callService(context, {
    method: "POST",
    path: endpoints,
    body: {
      url,
      ...(types.length === 0 ? {} : { types }),
      description: `n8n: ${context.getWorkflow().name ?? ""}`.slice(0, 200),
    },
  });
  if (statusCode >= 400) throw describeRefusal(context.getNode(), statusCode, body);
  const { endpointId, secret } = body as IDataObject;
  Object.assign(context.getWorkflowStaticData("node"), { endpointId, secret });
  return true;
}

/** Removes the endpoint. One that is gone already is removed. */
export async function removeEndpoint(context: IHookFunctions): Promise<boolean> {
  const kept = context.getWorkflowStaticData("node");
  if (typeof kept.endpointId === "string") {
    const { statusCode, body } = await callService(context, {
      method: "DELETE",
      path: `${endpoints}/${kept.endpointId}`,
    });
    if (statusCode >= 400 && statusCode !== 404) {
      throw describeRefusal(context.getNode(), statusCode, body);
    }
  }
  forgetDeliveries(String(kept.endpointId));
  delete kept.endpointId;
  delete kept.secret;
  return true;
}

async function removeEndpointsAt(context: IHookFunctions, url: string): Promise<void> {
  const query = { limit: 1000 };
  const { statusCode, body } = await callService(context, { path: endpoints, query });
  if (statusCode >= 400) throw describeRefusal(context.getNode(), statusCode, body);
  const items = (body as IDataObject).items as IDataObject[];
  for (const { endpointId } of items.filter((item) => item.url === url)) {
    const path = `${endpoints}/${String(endpointId)}`;
    await callService(context, { method: "DELETE", path });
  }
}

function urlOf(context: IHookFunctions): string {
  const url = context.getNodeWebhookUrl("default");
  if (url === undefined) {
    throw new NodeOperationError(context.getNode(), "n8n has no address for this webhook");
  }
  return url;
}

function readTypes(context: IHookFunctions): string[] {
  return context.getNodeParameter("events", []) as string[];
}
