/** An SQL function's `request jsonb` and its result. */
export interface Rpc<Request, Result> {
  readonly request: Request;
  readonly result: Result;
}

/** The request of a function without parameters. */
export type EmptyRequest = Readonly<Record<string, never>>;

/**
 * A function that executes several calls of another one as one transaction. Its results are in the
 * order of the calls; null for a call that it did not execute, which is to be made by itself.
 */
export type Grouped<Call extends Rpc<unknown, unknown>> = Rpc<
  { readonly calls: readonly Call["request"][] },
  { readonly results: readonly (Call["result"] | null)[] }
>;
