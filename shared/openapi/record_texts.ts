/** Meanings of the fields of records that several functions answer with. */
import { questionReasonMeaning } from "../model/question_record.ts";

/** Meanings of fields, by their paths. */
export type FieldTexts = Readonly<Record<string, string>>;

/** The same texts for fields of a part of the answer, such as `items`. */
export function textsBelow(part: string, texts: FieldTexts): FieldTexts {
  return Object.fromEntries(
    Object.entries(texts).map(([path, text]) => [`${part}.${path}`, text]),
  );
}

/** Of a question. */
export const questionTexts = {
  messageId: "Id of the message that asks.",
  key: "Your own name for the question; null for none.",
  accept: "What counts as the answer.",
  status:
    "`waiting`: its message has not left. `open`: it has. `answered`, `expired` and `canceled` are final.",
  reason: `Why it was canceled; null otherwise. ${questionReasonMeaning}`,
  contact: "Who is asked.",
  openedAt: "When the message left; null before.",
  expiresAt: "Until when an answer counts; null before the message has left.",
  endedAt: "When it ended; null while it has not.",
  reminderStatus:
    "`waiting`: it is not due. `sent`: it was handed to the channel. `outside_window`: no window was open. `refused`: the contact is blocked, or the agent that asks is paused. Null where none was asked for.",
  reminderMessageId: "Id of the reminder; null for none.",
  invalidMessageId: "Id of the message with the words of `onInvalid`; null for none.",
  answerMessageId: "Id of the message that answers; null for none.",
  answer: "What the person answered; null for nothing.",
};

/** Of a payment. */
export const paymentTexts = {
  messageId: "Id of the message that asks for it.",
  reference: "Your own name for the payment.",
  amount: "What is to be paid: decimal text.",
  currency: "`BRL`.",
  codeMessageId:
    "Id of the message that is the Pix code alone, sent where the request went as text; null for none.",
  expiresAt: "Until when it can be paid; null for no end.",
  paidAt: "When it was paid, as you said; null where it is not.",
  changedAt: "When its status changed last; null where it never has.",
  contact: "Who is to pay.",
};
