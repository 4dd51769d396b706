import {
  type IDataObject,
  type IExecuteSingleFunctions,
  type IN8nHttpFullResponse,
  type INode,
  type INodeExecutionData,
  type JsonObject,
  NodeApiError,
} from "n8n-workflow";

/** The error that a refusal is for the user: the service's words, its code, the fields that it names, and where the code is explained. */
export function describeRefusal(
  node: INode,
  statusCode: number,
  body: unknown,
  itemIndex?: number,
): NodeApiError {
  const { error, message, docs, issues, requestId } = readObject(body);
  const fields = Array.isArray(issues)
    ? issues.map((issue) => `${issue.path}: ${issue.message}`).join("; ")
    : undefined;
  const code = typeof error === "string" ? error : "unknown";
  return new NodeApiError(node, readObject(body) as JsonObject, {
    message: typeof message === "string" ? message : `The service answered ${statusCode}`,
    description: [code, fields, requestId, docs].filter((part) => part !== undefined).join(" · "),
    httpCode: String(statusCode),
    ...(itemIndex === undefined ? {} : { itemIndex }),
  });
}

/** Reads JSON that may have come as bytes or text. @returns no field of what is no JSON object. */
export function readObject(body: unknown): IDataObject {
  if (body === null || body === undefined) return {};
  if (typeof body === "object" && !(body instanceof ArrayBuffer) && !ArrayBuffer.isView(body)) {
    return body as IDataObject;
  }
  try {
    const parsed: unknown = JSON.parse(
      typeof body === "string" ? body : Buffer.from(body as ArrayBuffer).toString("utf8"),
    );
    return typeof parsed === "object" && parsed !== null ? parsed as IDataObject : {};
  } catch {
    return {};
  }
}

/** Throws refusals, and links each answer to the item that it is of. */
export async function readAnswer(
  this: IExecuteSingleFunctions,
  items: INodeExecutionData[],
  response: IN8nHttpFullResponse,
): Promise<INodeExecutionData[]> {
  const itemIndex = this.getItemIndex();
  if (response.statusCode >= 400) {
    throw describeRefusal(this.getNode(), response.statusCode, response.body, itemIndex);
  }
  return items.map((item) => ({ ...item, pairedItem: { item: itemIndex } }));
}
