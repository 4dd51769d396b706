import type * as z from "zod";

/** Values that middlewares pass along with a request. */
export interface AppVariables {
  requestId: string;
  /** The function's name. The rate limit counts requests by it. */
  functionName: string;
  errorCode?: string;
  /** The instance of the caller's token, whose turns the long work of the request takes: see `TimeSlices`. */
  owner?: string;
  /** The instance of the request, for the log line. */
  instanceId?: string;
  /** Fields of the body that its schema does not know. */
  ignoredFields?: readonly string[];
  /** What the body was read by: see `keepGiven`. */
  bodySchema?: z.ZodObject;
  /** Parameters of the query that the operation does not know. */
  ignoredParameters?: readonly string[];
}
