/** The e-mail that a workspace receives when a batch has paused by itself. */
import type { PauseReason } from "../model/batch_states.ts";
import { renderAlertEmail } from "./alert_email.ts";
import { type RenderedEmail, toSingleLine } from "./rendered_email.ts";

export interface BatchPausedValues {
  readonly instanceName: string;
  readonly batchId: string;
  readonly batchName: string | null;
  readonly reason: PauseReason;
  /** The provider's code and words. */
  readonly error: { readonly code: string; readonly message: string };
  /** Recipients who have not been written to. */
  readonly waiting: number;
}

const reasons: Readonly<Record<PauseReason, string>> = {
  template_refused: "O canal recusa todas as mensagens deste modelo.",
  account_restricted:
    "O canal recusa todas as mensagens deste número até que a conta seja regularizada.",
  failures_in_row: "Cinco mensagens seguidas falharam com o mesmo erro.",
};

/** Renders the e-mail in Brazilian Portuguese, as HTML and as plain text. */
export function renderBatchPausedEmail(values: BatchPausedValues): RenderedEmail {
  const instance = toSingleLine(values.instanceName);
  const batch = toSingleLine(values.batchName ?? values.batchId);
  return renderAlertEmail(`Disparo pausado: ${batch}`, [
    `O disparo ${batch} da instância ${instance} foi pausado automaticamente.`,
    `Motivo: ${reasons[values.reason]}`,
    `Erro informado: ${toSingleLine(`${values.error.code}: ${values.error.message}`)}`,
    `Destinatários que ainda aguardam: ${values.waiting}. Depois de corrigir a causa, continue com POST ` +
    `batches-api/batches/${values.batchId}/resume; retry-failed tenta de novo quem falhou.`,
  ]);
}
