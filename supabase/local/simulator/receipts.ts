/** What people who have paid do: they show the receipt. No channel tells that money has moved. */
import * as z from "zod";
import { checkBrCode } from "../../../shared/model/br_code.ts";
import { readCents, writeReais } from "../../../shared/model/money.ts";
import { findSent } from "./actions.ts";
import type { SimulatorContext } from "./context.ts";
import { addressOf } from "./file_store.ts";
import { instanceFields } from "./phone_fields.ts";
import { replySchema, writeReply } from "./phones.ts";
import type { SimulatedMessage, SimulatedReply } from "./records.ts";

/** The message that asks for the payment, or that is its Pix code alone. */
export const receiptSchema = z.object({
  ...instanceFields,
  providerMessageId: z.string().min(1),
});

/** What the person writes. Whom the request was sent to may be a user id, which is no phone. */
const receiptReplySchema = replySchema.omit({ waId: true });

/**
 * The person who has got a payment request answers it with a receipt, a PDF as banks make it. Undefined where no
 * message of this id asks for a payment.
 */
export function showReceipt(
  simulator: SimulatorContext,
  target: z.infer<typeof receiptSchema>,
  request: Request,
): SimulatedReply | undefined {
  const sent = findSent(simulator, target);
  const paid = sent === undefined ? undefined : readPaid(sent);
  if (sent === undefined || paid === undefined) return undefined;
  const fileName = "comprovante.pdf";
  const bytes = writePdf(["Comprovante de pagamento", ...paid]);
  const file = simulator.files.add({ mimeType: "application/pdf", fileName, bytes });
  const { provider, instance, providerMessageId: replyTo } = target;
  const [mediaUrl, text] = [addressOf(file, request), "Paguei! Segue o comprovante."];
  const reply: z.input<typeof receiptReplySchema> = {
    ...{ provider, instance, replyTo },
    content: { messageType: "document", mediaUrl, fileName, text },
  };
  return writeReply(simulator, { ...receiptReplySchema.parse(reply), waId: sent.waId });
}

/** The amount and the reference, as the request or the code says them; undefined where the message is neither. */
function readPaid({ parts: { payment }, text }: SimulatedMessage): string[] | undefined {
  const { code } = checkBrCode(payment?.code ?? text ?? "");
  if (payment === undefined && code === undefined) return undefined;
  const cents = code?.cents ?? readCents(payment?.amount ?? "");
  const reference = payment?.reference ?? code?.txid;
  return [
    ...(cents === null ? [] : [writeReais(cents)]),
    ...(reference === undefined || reference === null ? [] : [reference]),
  ];
}

/** One page with these lines, of ASCII without brackets. */
function writePdf(lines: readonly string[]): Uint8Array<ArrayBuffer> {
  const shown = lines.map((line) => `(${line}) Tj 0 -24 Td`).join(" ");
  const stream = `BT /F1 16 Tf 60 760 Td ${shown} ET`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  let written = "%PDF-1.4\n";
  const places = objects.map((object, index) => {
    const place = written.length;
    written += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(place).padStart(10, "0")} 00000 n \n`;
  });
  const count = objects.length + 1;
  const table = `xref\n0 ${count}\n0000000000 65535 f \n${places.join("")}`;
  const end = `trailer << /Size ${count} /Root 1 0 R >>\nstartxref\n${written.length}\n%%EOF\n`;
  return new TextEncoder().encode(written + table + end);
}
