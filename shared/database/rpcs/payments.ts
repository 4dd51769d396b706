import type { RecordedError } from "../../model/message_error.ts";
import type { PaymentRecord } from "../../model/payment.ts";
import type { PaymentStatus, ToldPaymentStatus } from "../../model/payment_status.ts";
import type { Once, RecordedResult } from "./idempotency.ts";
import type { MessageTarget } from "./messages.ts";
import type { Page, PageRequest } from "./page.ts";
import type { Rpc } from "./rpc.ts";

export interface PaymentsRpcs {
  change_payment: Rpc<Once<ChangePaymentRequest>, RecordedResult<ChangedPayment>>;
  fall_back_payment: Rpc<
    MessageTarget & {
      readonly claimToken: string;
      readonly leaseSeconds: number;
      readonly refusal: RecordedError;
    },
    { readonly outcome: "send" | "stands" | "lost" }
  >;
  list_payments: Rpc<
    PageRequest<{
      readonly instanceId: string;
      readonly status?: PaymentStatus | undefined;
      readonly reference?: string | undefined;
      readonly contactId?: string | undefined;
      readonly since?: string | undefined;
      readonly until?: string | undefined;
    }>,
    Page<PaymentRecord>
  >;
  run_payments: Rpc<
    { readonly maxPayments: number },
    { readonly expired: number; readonly isComplete: boolean }
  >;
}

/** What a caller knows of a payment, which it names by its message or by its reference. */
export type ChangePaymentRequest =
  & {
    readonly instanceId: string;
    readonly status: ToldPaymentStatus;
    /** Undefined for now. */
    readonly paidAt?: string | undefined;
    /** The words for the person; null where nobody is told. */
    readonly tell: { readonly message: string } | null;
  }
  & (
    | { readonly messageId: string; readonly reference?: undefined }
    | { readonly reference: string; readonly messageId?: undefined }
  );

/** `told`: the message that tells the person, or why there is none; null where nobody was to be told. */
export type ChangedPayment = PaymentRecord & {
  readonly told: { readonly messageId: string | null; readonly reason: string | null } | null;
};
