import type {
  IDataObject,
  IExecuteFunctions,
  IHookFunctions,
  IHttpRequestMethods,
  IHttpRequestOptions,
  ILoadOptionsFunctions,
  IN8nHttpFullResponse,
} from "n8n-workflow";

const credentialName = "messagingIntegrationApi";

/** A call that the node's code makes, beside those that its operations declare. */
export interface ServiceCall {
  readonly method?: IHttpRequestMethods;
  /** Below `/functions/v1`. */
  readonly path: string;
  readonly query?: IDataObject;
  /** Gets the instance's id, which is otherwise in the query. */
  readonly body?: IDataObject;
  readonly headers?: IDataObject;
}

/** Calls the service for the instance of the credentials. @returns the answer, also of a refusal. */
export async function callService(
  context: IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions,
  { method = "GET", path, query, body, headers }: ServiceCall,
): Promise<IN8nHttpFullResponse> {
  const { baseUrl, instanceId } = await context.getCredentials(credentialName);
  const options: IHttpRequestOptions = {
    method,
    url: `${String(baseUrl).replace(/(?<!\/)\/+$/, "")}/functions/v1${path}`,
    headers: { Accept: "application/json", ...headers },
    ...(body === undefined ? { qs: { ...query, instanceId } } : { body: { ...body, instanceId } }),
    json: true,
    ignoreHttpStatusErrors: true,
    returnFullResponse: true,
  };
  return await context.helpers.httpRequestWithAuthentication.call(
    context,
    credentialName,
    options,
  ) as IN8nHttpFullResponse;
}
