import type {
  DeclarativeRestApiSettings,
  IDataObject,
  IExecutePaginationFunctions,
  INodeExecutionData,
  INodeProperties,
  INodePropertyRouting,
} from "n8n-workflow";

/** The service's largest page. */
const pageSize = 1000;

/** Follows `nextCursor` to the end, or up to the limit. */
export async function readPages(
  this: IExecutePaginationFunctions,
  request: DeclarativeRestApiSettings.ResultOptions,
): Promise<INodeExecutionData[]> {
  const limit = this.getNodeParameter("returnAll", false) === true
    ? Infinity
    : this.getNodeParameter("limit", 50) as number;
  const found: INodeExecutionData[] = [];
  let cursor: string | null = null;
  do {
    const missing = Math.min(pageSize, limit - found.length);
    request.options.qs = {
      ...request.options.qs,
      limit: missing,
      ...(cursor === null ? {} : { cursor }),
    };
    const [page] = await this.makeRoutingRequest(request);
    const items = (page?.json.items ?? []) as IDataObject[];
    found.push(...items.map((json) => ({ json, pairedItem: { item: this.getItemIndex() } })));
    cursor = (page?.json.nextCursor ?? null) as string | null;
  } while (cursor !== null && found.length < limit);
  return found.slice(0, limit);
}

/** The routing of an operation that answers a list. */
export function listRouting(url: string): INodePropertyRouting {
  return {
    request: { method: "GET", url },
    send: { paginate: true },
    operations: { pagination: readPages },
  };
}

/** "Return All" and "Limit". */
export function listFields(resource: string, operations: string[]): INodeProperties[] {
  return [
    {
      displayName: "Return All",
      name: "returnAll",
      type: "boolean",
      default: false,
      displayOptions: { show: { resource: [resource], operation: operations } },
      description: "Whether to return all results or only up to a given limit",
    },
    {
      displayName: "Limit",
      name: "limit",
      type: "number",
      typeOptions: { minValue: 1 },
      default: 50,
      displayOptions: {
        show: { resource: [resource], operation: operations, returnAll: [false] },
      },
      description: "Max number of results to return",
    },
  ];
}
