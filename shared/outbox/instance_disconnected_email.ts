/** The e-mail that a workspace receives when an instance has lost its connection to the channel. */
import { renderAlertEmail, writeLocalTime } from "./alert_email.ts";
import { type RenderedEmail, toSingleLine } from "./rendered_email.ts";

export interface InstanceDisconnectedValues {
  readonly instanceName: string;
  /** The provider's words. */
  readonly reason: string | null;
  /** When the channel's restriction ends, in the instance's time zone; null where it tells no end. */
  readonly heldUntil: string | null;
  /** Messages that wait for the connection. */
  readonly waiting: number;
}

/** Renders the e-mail in Brazilian Portuguese, as HTML and as plain text. */
export function renderInstanceDisconnectedEmail(values: InstanceDisconnectedValues): RenderedEmail {
  const instance = toSingleLine(values.instanceName);
  const reason = toSingleLine(values.reason ?? "");
  return renderAlertEmail(`Instância desconectada: ${instance}`, [
    `A instância ${instance} perdeu a conexão com o canal.`,
    ...reason === "" ? [] : [`Motivo informado pelo provedor: ${reason}`],
    ...values.heldUntil === null
      ? []
      : [`A restrição termina em ${writeLocalTime(values.heldUntil)}.`],
    `Mensagens que aguardam a conexão: ${values.waiting}. Nenhuma se perde: a fila continua, no seu ritmo, ` +
    "quando a conexão voltar. Envios imediatos continuam sendo tentados.",
  ]);
}
