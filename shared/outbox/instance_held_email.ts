/** The e-mail that a workspace receives when nothing of an instance leaves any more. */
import { renderAlertEmail, writeLocalTime } from "./alert_email.ts";
import { type RenderedEmail, toSingleLine } from "./rendered_email.ts";

export interface InstanceHeldValues {
  readonly instanceName: string;
  /** As `heldBy` of its messages. */
  readonly heldBy: string;
  readonly holdReason: string | null;
  /** The provider's code; null where no refusal is the reason. */
  readonly holdCode: string | null;
  /** In the instance's time zone; null where the hold has no end. */
  readonly heldUntil: string | null;
  /** Messages that wait for the end of the hold. */
  readonly waiting: number;
}

/** Renders the e-mail in Brazilian Portuguese, as HTML and as plain text. */
export function renderInstanceHeldEmail(values: InstanceHeldValues): RenderedEmail {
  const instance = toSingleLine(values.instanceName);
  const code = toSingleLine(values.holdCode ?? "");
  const end = values.heldUntil === null
    ? "até ser liberada"
    : `até ${writeLocalTime(values.heldUntil)}`;
  return renderAlertEmail(`Instância retida: ${instance}`, [
    `A fila da instância ${instance} está retida ${end}.`,
    `Motivo: ${writeReason(values)}`,
    ...code === "" ? [] : [`Código informado pelo provedor: ${code}`],
    `Mensagens que aguardam: ${values.waiting}. Nenhuma se perde: a fila continua, no seu ritmo, ` +
    "quando a retenção terminar. Envios imediatos continuam sendo tentados.",
  ]);
}

/** The word of the API stands beside it, so that its documentation is found. */
function writeReason({ heldBy, holdReason }: InstanceHeldValues): string {
  const reason = toSingleLine(holdReason ?? heldBy);
  if (reason === "provider_refused") {
    return "o provedor recusa a instância inteira (provider_refused). Corrija a conta ou as credenciais.";
  }
  if (reason === "suspect") {
    return "o provedor aceita mensagens e não confirma mais nenhuma (suspect). Verifique o telefone e o provedor.";
  }
  if (reason === "database_promoted") {
    return "o banco de dados passou a outro servidor, que pode não ter as últimas gravações (database_promoted). Todas as instâncias estão retidas: verifique o que pode já ter saído antes de liberar as filas.";
  }
  if (reason === "wrong_phone") {
    return "o gateway está conectado a outro telefone que não o da instância (wrong_phone). Conecte o telefone certo ou corrija connectedPhone.";
  }
  return reason;
}
