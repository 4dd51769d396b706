import { randomBytes } from "node:crypto";
import {
  type IDataObject,
  type IExecuteSingleFunctions,
  type IHttpRequestOptions,
  type IN8nHttpFullResponse,
  type INodeExecutionData,
  NodeOperationError,
} from "n8n-workflow";
import { describeRefusal } from "./answer";

/** Puts the file of a binary field into the body, as a form. */
export async function attachFile(
  this: IExecuteSingleFunctions,
  request: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
  const field = this.getNodeParameter("binaryPropertyName") as string;
  const form = await writeForm(this, field, request.body as IDataObject);
  return { ...request, body: form.body, headers: { ...request.headers, ...form.headers } };
}

/** Uploads the file of a binary field, and names it in the message. The call's key is the upload's too. */
export async function uploadFileOfMessage(
  this: IExecuteSingleFunctions,
  request: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
  const body = request.body as IDataObject;
  const field = this.getNodeParameter("binaryPropertyName") as string;
  const form = await writeForm(this, field, { instanceId: body.instanceId });
  const key = String(request.headers?.["Idempotency-Key"] ?? "");
  const answer = await this.helpers.httpRequestWithAuthentication.call(
    this,
    "messagingIntegrationApi",
    {
      baseURL: request.baseURL,
      url: "/media-api/media",
      method: "POST",
      body: form.body,
      headers: {
        ...form.headers,
        Accept: "application/json",
        "Idempotency-Key": `${key.slice(0, 250)}_file`,
      },
      ignoreHttpStatusErrors: true,
      returnFullResponse: true,
    },
  ) as IN8nHttpFullResponse;
  if (answer.statusCode >= 400) {
    throw describeRefusal(this.getNode(), answer.statusCode, answer.body, this.getItemIndex());
  }
  return { ...request, body: { ...body, mediaId: (answer.body as IDataObject).mediaId } };
}

/** Fetches the file from where the service redirects to, without the token, which is for the service alone. */
export async function readFile(
  this: IExecuteSingleFunctions,
  items: INodeExecutionData[],
  response: IN8nHttpFullResponse,
): Promise<INodeExecutionData[]> {
  const { location } = response.headers;
  if (typeof location !== "string") {
    throw new NodeOperationError(this.getNode(), "The service named no place of the file", {
      itemIndex: this.getItemIndex(),
    });
  }
  const file = await fetchFile(this, await resolveUrl(this, location));
  const type = file.headers["content-type"];
  const data = await this.helpers.prepareBinaryData(
    Buffer.from(file.body as unknown as ArrayBuffer),
    readFileName(file.headers["content-disposition"]),
    typeof type === "string" ? type.split(";")[0] : undefined,
  );
  const field = this.getNodeParameter("binaryPropertyName", "data") as string;
  const mediaId = this.getNodeParameter("mediaId") as string;
  return items.map((item) => ({ ...item, json: { mediaId }, binary: { [field]: data } }));
}

async function resolveUrl(context: IExecuteSingleFunctions, location: string): Promise<string> {
  const { baseUrl } = await context.getCredentials("messagingIntegrationApi");
  return new URL(location, String(baseUrl)).href;
}

async function fetchFile(
  { helpers }: IExecuteSingleFunctions,
  url: string,
): Promise<IN8nHttpFullResponse> {
  return await helpers.httpRequest({
    url,
    encoding: "arraybuffer",
    returnFullResponse: true,
  }) as IN8nHttpFullResponse;
}

function readFileName(disposition: unknown): string | undefined {
  const [, name] = /filename="?([^";]+)"?/.exec(String(disposition ?? "")) ?? [];
  return name;
}

/** A form with a file, as bytes: n8n's client takes the form objects of one library alone. */
async function writeForm(
  context: IExecuteSingleFunctions,
  field: string,
  fields: IDataObject,
): Promise<{ body: Buffer; headers: IDataObject }> {
  const { fileName = "file", mimeType } = context.helpers.assertBinaryData(field);
  const bytes = await context.helpers.getBinaryDataBuffer(field);
  const boundary = `n8n-${randomBytes(16).toString("hex")}`;
  const name = fileName.replace(/[\r\n"\\]/g, "_");
  const texts = Object.entries(fields).map(([key, value]) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${key}"\r\n\r\n${String(value)}\r\n`
  );
  const head =
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: ${mimeType}\r\n\r\n`;
  return {
    body: Buffer.concat([
      Buffer.from(texts.join("") + head),
      bytes,
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]),
    headers: { "Content-Type": `multipart/form-data; boundary=${boundary}` },
  };
}
