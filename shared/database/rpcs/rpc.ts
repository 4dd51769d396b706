/** An SQL function's `request jsonb` and its result. */
export interface Rpc<Request, Result> {
  readonly request: Request;
  readonly result: Result;
}

/** The request of a function without parameters. */
export type EmptyRequest = Readonly<Record<string, never>>;
