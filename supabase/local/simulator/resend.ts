/** Simulates Resend's `POST /emails` after its reference, idempotency keys included. */
import { type Context, Hono } from "hono";
import * as z from "zod";
import { type Fault, normalizeRecipient } from "./faults.ts";
import { listFlaws, readBearerToken, readJson } from "./json_request.ts";
import type { Answer } from "./records.ts";
import type { SimulatorContext } from "./context.ts";
import { answerSend, type ErrorFormat, retryAfterHeader } from "./spoiled_answer.ts";

const mailbox = /^(?:[^<>]*<)?[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+>?$/;
const address = z.string().regex(
  mailbox,
  "must follow the `email@example.com` or `Name <email@example.com>` format",
);
const addresses = z.union([address, z.array(address).min(1).max(50)]);
const emailSchema = z.object({
  from: address,
  to: addresses,
  subject: z.string(),
  html: z.string().optional(),
  text: z.string().optional(),
  reply_to: addresses.optional(),
});
type Email = z.infer<typeof emailSchema>;

interface KeyUse {
  readonly fingerprint: string;
  readonly emailId: string;
  readonly usedAtMs: number;
}
const keyLifetimeMs = 24 * 60 * 60 * 1000;
const keyCapacity = 1_000;

/** The routes below `/simulator/resend`. */
export function createResend(simulator: SimulatorContext): Hono {
  const keyUses = new Map<string, KeyUse>();
  const app = new Hono();
  app.post("/emails", (context) => receiveEmail(simulator, keyUses, context));
  app.all("/emails", () => refuse(405, "method_not_allowed", "Method is not allowed."));
  app.all("*", () => refuse(404, "not_found", "The requested endpoint does not exist."));
  return app;
}

async function receiveEmail(
  simulator: SimulatorContext,
  keyUses: Map<string, KeyUse>,
  context: Context,
): Promise<Response> {
  const request = context.req.raw;
  if (readBearerToken(request) === undefined) {
    return refuse(401, "missing_api_key", "Missing API key in the authorization header.");
  }
  const key = request.headers.get("Idempotency-Key");
  if (key !== null && (key.length < 1 || key.length > 256)) {
    return refuse(400, "invalid_idempotency_key", "The key must be between 1-256 chars.");
  }
  const body = await readJson(request);
  const parsed = emailSchema.safeParse(body);
  if (!parsed.success) return refuseFlaw(parsed.error, body);
  if (parsed.data.html === undefined && parsed.data.text === undefined) {
    return refuse(422, "missing_required_field", "Missing `html` or `text` field.");
  }
  const fingerprint = JSON.stringify(body);
  const earlier = key === null
    ? undefined
    : findKeyUse(keyUses, key, simulator.store.now().getTime());
  if (earlier !== undefined) return replay(earlier, fingerprint);

  const to = [parsed.data.to].flat();
  const target = { provider: "resend", to: to.map(readAddress) } as const;
  return answerSend(simulator, target, errorFormat, (answer) => {
    const emailId = crypto.randomUUID();
    if (key !== null) {
      rememberKeyUse(keyUses, key, {
        fingerprint,
        emailId,
        usedAtMs: simulator.store.now().getTime(),
      });
    }
    keepEmail(simulator, { email: parsed.data, to, emailId, idempotencyKey: key, answer, body });
    return Response.json({ id: emailId });
  });
}

function keepEmail(simulator: SimulatorContext, arrival: {
  readonly email: Email;
  readonly to: string[];
  readonly emailId: string;
  readonly idempotencyKey: string | null;
  readonly answer: Answer;
  readonly body: unknown;
}): void {
  const { email, ...kept } = arrival;
  const { from, subject, html = null, text = null } = email;
  simulator.store.addEmail({ from, subject, html, text, ...kept });
}

function findKeyUse(keyUses: Map<string, KeyUse>, key: string, nowMs: number): KeyUse | undefined {
  const use = keyUses.get(key);
  return use !== undefined && nowMs - use.usedAtMs < keyLifetimeMs ? use : undefined;
}

function rememberKeyUse(keyUses: Map<string, KeyUse>, key: string, use: KeyUse): void {
  keyUses.delete(key);
  keyUses.set(key, use);
  const oldest = keyUses.keys().next();
  if (keyUses.size > keyCapacity && !oldest.done) keyUses.delete(oldest.value);
}

function replay(earlier: KeyUse, fingerprint: string): Response {
  return earlier.fingerprint === fingerprint ? Response.json({ id: earlier.emailId }) : refuse(
    409,
    "invalid_idempotent_request",
    "This idempotency key was already used with a different request body.",
  );
}

/** Extracts the address: `Name <email@example.com>` and `email@example.com` give the same. */
function readAddress(recipient: string): string {
  return normalizeRecipient(/<([^<>]+)>$/.exec(recipient)?.[1] ?? recipient);
}

function refuseFlaw(error: z.ZodError, body: unknown): Response {
  if (typeof body !== "object" || body === null) {
    return refuse(400, "validation_error", "The request body must be valid JSON.");
  }
  const flaw = listFlaws(error, body)[0];
  const field = flaw?.path.split(".")[0] ?? "body";
  return flaw?.missing
    ? refuse(422, "missing_required_field", `Missing \`${field}\` field.`)
    : refuse(422, "validation_error", `Invalid \`${field}\` field.`);
}

const errorFormat: ErrorFormat = {
  reject: (fault: Fault) =>
    refuse(403, String(fault.code ?? "validation_error"), "The domain is not verified."),
  rateLimit: (fault: Fault) =>
    refuse(429, String(fault.code ?? "rate_limit_exceeded"), "Too many requests.", {
      "ratelimit-limit": "2",
      "ratelimit-remaining": "0",
      "ratelimit-reset": String(fault.retryAfterSeconds ?? 1),
      ...retryAfterHeader(fault),
    }),
  serverError: () => refuse(500, "internal_server_error", "An unexpected error occurred."),
};

function refuse(
  statusCode: number,
  name: string,
  message: string,
  headers: Record<string, string> = {},
): Response {
  return Response.json({ statusCode, name, message }, { status: statusCode, headers });
}
