import type { Operation } from "../../shared/openapi/operation.ts";
import { endpointOperations } from "./endpoint_docs.ts";
import { feedOperations } from "./feed_docs.ts";

/** The operations of events-api. */
export const operations: readonly Operation[] = [...feedOperations, ...endpointOperations];
