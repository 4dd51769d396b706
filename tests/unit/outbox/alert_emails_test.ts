/** What the e-mails to a workspace's alert address say. */

import { renderBatchPausedEmail } from "../../../shared/outbox/batch_paused_email.ts";
import { renderBudgetEmail } from "../../../shared/outbox/budget_email.ts";
import { renderInstanceHeldEmail } from "../../../shared/outbox/instance_held_email.ts";
import { assert, assertEquals } from "../../support/assert.ts";

for (const reason of ["provider_refused", "suspect", "database_promoted", "wrong_phone"]) {
  Deno.test(`the e-mail of a hold explains ${reason}, and names it as the documentation does`, () => {
    const { text } = renderInstanceHeldEmail({
      ...{ instanceName: "Loja", heldBy: "operator_hold", holdReason: reason },
      ...{ holdCode: null, heldUntil: null, waiting: 3 },
    });
    assert(text.includes(`(${reason}). `), text);
    assert(text.includes("Mensagens que aguardam: 3."), text);
  });
}

Deno.test("the e-mail of a paused batch has the provider's code and words", () => {
  const { text } = renderBatchPausedEmail({
    ...{ instanceName: "Loja", batchId: "b", batchName: "Natal", reason: "template_refused" },
    ...{ error: { code: "132001", message: "Template\nrefused" }, waiting: 6 },
  });
  assert(text.includes("132001: Template refused"), text);
  assert(text.includes("aguardam: 6."), text);
});

Deno.test("the e-mail of a reached budget says what waits, where something does", () => {
  const render = (...stops: readonly string[]): boolean =>
    renderBudgetEmail({
      ...{ instanceName: "Loja", month: "2026-11", monthlyAmount: "10", spent: "10" },
      ...{ underWay: "0", currency: "USD", warnAtPercent: 80, reached: true, stops },
    }).text.includes("Aguardam o fim do mês");
  assertEquals([render("batches"), render()], [true, false]);
});
