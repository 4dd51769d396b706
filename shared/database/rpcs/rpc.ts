/** What a SQL function takes as `request jsonb`, and what it returns. */
export interface Rpc<Request, Result> {
  readonly request: Request;
  readonly result: Result;
}

/** The request of a function that needs none. */
export type EmptyRequest = Readonly<Record<string, never>>;
