import { createQuestionWait, followEvents, type QuestionWait } from "./long_poll.ts";
import { type Groups, routes } from "./methods.ts";
import { type Call, request } from "./request.ts";
import type { CallOptions, ClientOptions, EventFeed, FollowOptions } from "./types.ts";

type AnyPage = { readonly items: readonly unknown[]; readonly nextCursor: string | null };

// The methods are made from the routes: the class has what the interface says.
export interface Client extends Groups {
  readonly events: Groups["events"] & { follow(options?: FollowOptions): EventFeed };
  readonly questions: Groups["questions"] & { readonly wait: QuestionWait };
}

/** Calls the Messaging Integration API: `client.messages.send({ … })`. */
export class Client {
  constructor(options: ClientOptions) {
    for (const [group, paths] of Object.entries(routes)) {
      const made = Object.entries(paths).map(([name, route]) => [name, methodOf(options, route)]);
      Object.assign(this, { [group]: Object.fromEntries(made) });
    }
    const { events: { list }, questions: { get } } = this;
    Object.assign(this.events, { follow: (way?: FollowOptions) => followEvents(list, way) });
    Object.assign(this.questions, { wait: createQuestionWait(get) });
  }
}

/** The method of a route: the path's parameters, the body or query, and the options, in that order. */
function methodOf(client: ClientOptions, route: string): (...args: unknown[]) => unknown {
  const [flags = "", method = "", template = ""] = route.split(" ");
  return (...args) => {
    const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = args.shift();
      if (typeof value !== "string" || value === "") throw new TypeError(`${name} is missing`);
      return encodeURIComponent(value);
    });
    const query = flags.includes("q") ? args.shift() as Call["query"] : undefined;
    const body = flags.includes("b") ? args.shift() ?? {} : undefined;
    const call: Call = { method, path, query, body, isRaw: flags.includes("r") };
    const options = args.shift() as CallOptions | undefined;
    return flags.includes("p") ? openList(client, call, options) : request(client, call, options);
  };
}

/** A list asks when it is awaited or iterated, each time anew. */
function openList(client: ClientOptions, call: Call, options?: CallOptions): unknown {
  const read = async (cursor?: string | null): Promise<AnyPage> =>
    await request(client, { ...call, query: { ...call.query, cursor } }, options) as AnyPage;
  return {
    // A list is awaited as its first page.
    then: (...handlers: Parameters<Promise<AnyPage>["then"]>) => read().then(...handlers),
    async *[Symbol.asyncIterator](): AsyncGenerator<unknown> {
      let cursor: string | null | undefined;
      do {
        const page = await read(cursor);
        yield* page.items;
        cursor = page.nextCursor;
      } while (cursor !== null);
    },
  };
}
