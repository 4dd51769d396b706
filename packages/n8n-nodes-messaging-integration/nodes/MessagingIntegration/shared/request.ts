import { createHash } from "node:crypto";
import type {
  IDataObject,
  IExecuteFunctions,
  IExecuteSingleFunctions,
  IHttpRequestOptions,
} from "n8n-workflow";

/**
 * The key under which the service does a call once: the user's, or one of this item in this run of this
 * node. n8n's "Retry On Fail" repeats the same run, so the repetition has the same key. An execution that
 * is retried by hand is another one.
 */
export function callKey(
  context: IExecuteFunctions | IExecuteSingleFunctions,
  { idempotencyKey }: IDataObject,
  itemIndex: number,
): string {
  if (typeof idempotencyKey === "string" && idempotencyKey !== "") return idempotencyKey;
  const run = [
    context.getInstanceId(),
    context.getWorkflow().id,
    context.getExecutionId(),
    context.getNode().id,
    context.evaluateExpression("{{ $runIndex }}", itemIndex),
    itemIndex,
  ];
  return `n8n_${createHash("sha256").update(JSON.stringify(run)).digest("hex")}`;
}

/** Names the instance of the credentials, and gives each POST its key. */
export async function prepareRequest(
  this: IExecuteSingleFunctions,
  request: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
  const { instanceId } = await this.getCredentials("messagingIntegrationApi");
  const body = { ...(request.body as IDataObject | undefined) };
  const fields = this.getNodeParameter("additionalFields", {}) as IDataObject;
  const key = callKey(this, fields, this.getItemIndex());
  const hasBody = request.method === "POST" || request.method === "PATCH";
  return {
    ...request,
    ...(hasBody ? { body: { ...body, instanceId } } : { qs: { ...request.qs, instanceId } }),
    headers: {
      ...request.headers,
      ...(request.method === "POST" ? { "Idempotency-Key": key } : {}),
    },
  };
}

/** Adds the members of the parameter "Other Fields (JSON)": what the API takes and this node does not name. */
export async function addOtherFields(
  this: IExecuteSingleFunctions,
  request: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
  const { otherFields } = this.getNodeParameter("additionalFields", {}) as IDataObject;
  const fields = typeof otherFields === "string" ? JSON.parse(otherFields) : otherFields;
  return { ...request, body: { ...(request.body as IDataObject), ...(fields as IDataObject) } };
}
