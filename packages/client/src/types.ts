import type { operations, webhooks } from "./api.ts";

/** Where the service is, and what opens it: a token, a secret key, or a fetch of yours that adds one. */
export type ClientOptions = Settings & (Needs<"token"> | Needs<"secretKey"> | Needs<"fetch">);

type Needs<Name extends keyof Settings> = Required<Pick<Settings, Name>>;

interface Settings {
  /** Where the service is: `https://<ref>.supabase.co`, or the address of a local stack. */
  readonly baseUrl: string;
  /** The instance's token. It opens exactly one instance. */
  readonly token?: string;
  /** A secret key of the project, for `client.admin`. Keep it out of browsers. */
  readonly secretKey?: string;
  /** Another fetch, for example one that uses a proxy. */
  readonly fetch?: typeof fetch;
  /** Longest wait for one attempt. Default: 30000. */
  readonly timeoutMs?: number;
  /** Repetitions after the first attempt. Default: 2. */
  readonly maxRetries?: number;
}

export interface CallOptions {
  /** Names what is asked for, such as `order-4711`. Default: a random one for each call of the method. */
  readonly idempotencyKey?: string;
  /** Ends the call, its repetitions and their waits. */
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
  readonly maxRetries?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

type Json<Content> = Content extends { "application/json": infer Body } ? Body : never;

/** The body of an operation. */
export type Body<Name extends keyof operations> = operations[Name] extends
  { requestBody?: { content: infer Content } } ? Json<Content> : never;

/** The query of an operation. */
export type Query<Name extends keyof operations> = NonNullable<
  operations[Name]["parameters"]["query"]
>;

/** What a successful call answers. */
export type Answer<Name extends keyof operations> = operations[Name] extends
  { responses: { 200: { content: infer Content } } } ? Json<Content> : never;

/** One of the `items` of a list. */
export type Item<Name extends keyof operations> = Answer<Name> extends { items: (infer One)[] }
  ? One
  : never;

/** A list. Awaited it is its first page; `for await` goes through the items of all pages. */
export interface Page<Name extends keyof operations>
  extends PromiseLike<Answer<Name>>, AsyncIterable<Item<Name>> {}

/** An event, told apart by its `type`. */
export type WebhookEvent = {
  [Type in keyof webhooks]: Json<webhooks[Type]["post"]["requestBody"]["content"]> & { type: Type };
}[keyof webhooks];

export type EventType = WebhookEvent["type"];

export interface FollowOptions {
  /** Where to go on: a `cursor` that was kept, or `oldest`. Default: now. */
  readonly cursor?: string;
  readonly types?: readonly EventType[];
  /** Events a request, up to 1000. Default: 100. */
  readonly limit?: number;
  /** How long the service holds an empty answer, up to 20. Default: 20. */
  readonly waitSeconds?: number;
  /** Ends the feed, without an error. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Where to go on when the cursor is older than the feed: events between were missed. Without it the
   * feed ends with the error `cursor_expired`.
   */
  readonly onExpired?: (oldestCursor: string) => string | Promise<string>;
}

/** The events of an instance, one after the other, without an end. */
export interface EventFeed extends AsyncIterable<WebhookEvent> {
  /** Going on from here skips nothing: keep it after what was done with an event. */
  readonly cursor: string | undefined;
}
