import type { Database } from "../../shared/database/database.ts";
import { answerJson } from "../../shared/http/answer.ts";
import {
  type ClientContext,
  readClientIdempotency,
  requireInstance,
} from "../../shared/http/client_token_guard.ts";
import type { ClientRoute } from "../../shared/http/client_routes.ts";
import { readPage } from "../../shared/http/page.ts";
import { answerRecorded } from "../../shared/http/recorded_answer.ts";
import { validate, validateBody } from "../../shared/http/validate.ts";
import { callRecorded } from "../../shared/idempotency/recorded_call.ts";
import { AppError } from "../../shared/model/errors.ts";
import { checkPeriod } from "../../shared/model/page.ts";
import type { ToldPaymentStatus } from "../../shared/model/payment_status.ts";
import { paymentReferenceSchema } from "../../shared/model/timing.ts";
import { readMessageTarget } from "./message_target.ts";
import {
  changePaymentResponseSchema,
  changePaymentSchema,
  checkChangePayment,
  listPaymentsSchema,
  paymentsResponseSchema,
} from "./payments_contract.ts";

interface PaymentServices {
  readonly database: Database;
}

/** The operations on payments. */
export const paymentRoutes: readonly ClientRoute<PaymentServices>[] = [
  { method: "GET", path: "/payments", query: listPaymentsSchema, handle: list },
  {
    method: "POST",
    path: "/messages/:id/payment",
    handle: (services, context) => change(services, context, readMessageTarget),
  },
  {
    method: "POST",
    path: "/payments/:reference",
    handle: (services, context) => change(services, context, readReference),
  },
];

/** What a person reads where `tell` is true. */
const words: { readonly [Status in ToldPaymentStatus]: string } = {
  paid: "Recebemos o seu pagamento. Obrigado!",
  pending: "O seu pagamento está pendente.",
  failed: "O seu pagamento não foi concluído.",
  canceled: "A cobrança foi cancelada.",
  refunded: "O seu pagamento foi estornado.",
};

async function change(
  { database }: PaymentServices,
  context: ClientContext,
  readNamed: (
    context: ClientContext,
  ) => { readonly messageId: string } | { readonly reference: string },
): Promise<Response> {
  const body = context.get("body");
  const { status, paidAt, tell } = validateBody(
    context,
    changePaymentSchema,
    body,
    checkChangePayment,
  );
  const { instanceId } = requireInstance(context);
  const told = tell === undefined ? null : { message: tell === true ? words[status] : tell };
  const request = { instanceId, status, paidAt, tell: told };
  const idempotency = await readClientIdempotency(context);
  return answerRecorded(
    context,
    changePaymentResponseSchema,
    await callRecorded(database, "change_payment", {
      ...request,
      ...readNamed(context),
      idempotency,
    }),
  );
}

async function list({ database }: PaymentServices, context: ClientContext): Promise<Response> {
  const query = validate(listPaymentsSchema, context.req.query(), checkPeriod);
  const { instanceId } = requireInstance(context);
  const page = await readPage(
    "payments",
    { ...query, instanceId },
    (request) => database.rpc("list_payments", request),
  );
  return answerJson(context, paymentsResponseSchema, { success: true, ...page });
}

/** No payment has a reference of another form. */
function readReference(context: ClientContext): { readonly reference: string } {
  const reference = paymentReferenceSchema.safeParse(context.req.param("reference"));
  if (!reference.success) throw new AppError("payment_not_found");
  return { reference: reference.data };
}
