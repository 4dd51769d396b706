/** A stand-in for an account's templates at Meta, which keeps what it is sent (page Template management). */

import { startTestServer } from "../../support/doubles/test_server.ts";

export interface AccountTemplate {
  readonly id: string;
  readonly name: string;
  readonly language: string;
  readonly status: string;
  readonly category: string;
  readonly parameter_format?: string;
  readonly components: readonly unknown[];
  readonly rejected_reason?: string;
  readonly quality_score?: { readonly score: string };
}

export interface AccountCall {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  readonly body: string;
}

export interface TemplateAccountDouble extends AsyncDisposable {
  readonly baseUrl: string;
  readonly calls: readonly AccountCall[];
  templates: readonly AccountTemplate[];
  /** Ids of those that Meta has made itself. */
  generated: readonly string[];
  limit: { used: number; total: number };
  /** The category that a created template gets; as asked for without one. */
  givenCategory?: string | undefined;
  /** What comes in place of the answer; after the call was carried out where `isDone`. */
  spoil?: ((call: AccountCall) => { isDone: boolean; answer: Response } | undefined) | undefined;
  /** Awaited before each call is carried out. */
  hold?: ((call: AccountCall) => Promise<void>) | undefined;
  /** Calls that may have changed something. */
  writes(): AccountCall[];
}

/** Starts the double. */
export function startTemplateAccount(): TemplateAccountDouble {
  const calls: AccountCall[] = [];
  let lastId = 5_000;
  const carryOut = (call: AccountCall): Response => {
    if (call.path.endsWith("/uploads")) return Response.json({ id: "upload:abc?sig=x" });
    if (call.path.includes("upload:")) return Response.json({ h: `handle-${call.body.length}` });
    if (call.path.endsWith("/message_templates")) {
      if (call.method === "GET") return list(call);
      return call.method === "POST" ? create(call) : remove(call);
    }
    return edit(call);
  };
  const list = ({ query }: AccountCall): Response => {
    const [name, source] = [query.get("name"), query.get("source")];
    const data = double.templates.filter((template) =>
      (name === null || template.name.includes(name)) &&
      (source === null || double.generated.includes(template.id))
    );
    const { used, total } = double.limit;
    return Response.json({
      data,
      paging: { cursors: { before: "a", after: "b" } },
      summary: { message_template_count: used, message_template_limit: total },
    });
  };
  const create = ({ body }: AccountCall): Response => {
    const template = JSON.parse(body);
    const isKnown = double.templates.some(({ name, language }) =>
      name === template.name && language === template.language
    );
    if (isKnown) return refuse(2388024, "Content in this language already exists");
    const id = String(++lastId);
    const category = double.givenCategory ?? template.category;
    const created = { ...template, id, status: "PENDING", category };
    double.templates = [...double.templates, created];
    double.limit = { ...double.limit, used: double.limit.used + 1 };
    return Response.json({ id, status: "PENDING", category });
  };
  const edit = ({ path, body }: AccountCall): Response => {
    const id = path.split("/").at(-1);
    const known = double.templates.find((template) => template.id === id);
    if (known === undefined) return refuse(33, "Unsupported post request");
    const status = known.status === "APPROVED" ? "APPROVED" : "PENDING";
    const edited = { ...known, ...JSON.parse(body), status };
    double.templates = double.templates.map((one) => one.id === id ? edited : one);
    return Response.json({ success: true, id, name: known.name, category: edited.category });
  };
  const remove = ({ query }: AccountCall): Response => {
    const [name, id] = [query.get("name"), query.get("hsm_id")];
    const left = double.templates.filter((one) =>
      one.name !== name || (id !== null && one.id !== id)
    );
    if (left.length === double.templates.length) return refuse(2593002, "Template was not found");
    double.templates = left;
    return Response.json({ success: true });
  };
  const server = startTestServer(async (request) => {
    const url = new URL(request.url);
    const call: AccountCall = {
      method: request.method,
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body: await request.text(),
    };
    calls.push(call);
    await double.hold?.(call);
    const spoilt = double.spoil?.(call);
    if (spoilt?.isDone === false) return spoilt.answer;
    const answer = carryOut(call);
    if (spoilt === undefined) return answer;
    await answer.body?.cancel();
    return spoilt.answer;
  });
  const double: TemplateAccountDouble = {
    baseUrl: server.origin,
    calls,
    templates: [],
    generated: [],
    limit: { used: 12, total: 250 },
    writes: () => calls.filter(({ method }) => method !== "GET"),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
  return double;
}

function refuse(subcode: number, message: string): Response {
  const error = {
    ...{ message: "Invalid parameter", type: "OAuthException", code: 100, error_subcode: subcode },
    ...{ error_user_title: "Message template", error_user_msg: message },
  };
  return Response.json({ error }, { status: 400 });
}

/** An answer that does not tell what became of the call. */
export function loseAnswer(): Response {
  return new Response("gone", { status: 504 });
}
