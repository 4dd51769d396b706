/** The e-mail that a workspace receives when a webhook endpoint was disabled. */
import type { DisabledReason } from "../model/endpoint_states.ts";
import { renderAlertEmail } from "./alert_email.ts";
import { type RenderedEmail, toSingleLine } from "./rendered_email.ts";

export interface EndpointDisabledValues {
  readonly instanceName: string;
  /** Only its origin is shown: the rest may hold a secret of the receiver. */
  readonly url: string;
  readonly description: string | null;
  readonly reason: DisabledReason;
}

const reasons = {
  gone: "O endereço respondeu 410 (Gone), que significa que ele não existe mais.",
  failing: "Nenhuma entrega teve sucesso nos últimos 5 dias.",
} as const;

const advice = "Os eventos continuam no feed. Depois de corrigir o endereço, reative-o com PATCH " +
  'events-api/endpoints/:id {"isActive": true} e peça os eventos que faltaram com POST ' +
  "events-api/endpoints/:id/replay.";

/** Renders the e-mail in Brazilian Portuguese, as HTML and as plain text. */
export function renderEndpointDisabledEmail(values: EndpointDisabledValues): RenderedEmail {
  const instance = toSingleLine(values.instanceName);
  const origin = toSingleLine(URL.parse(values.url)?.origin ?? "");
  const description = toSingleLine(values.description ?? "");
  const endpoint = description === "" ? origin : `${description} (${origin})`;
  const subject = `Webhook desativado: ${instance}`;
  const lines = [
    `Um endereço de webhook da instância ${instance} foi desativado.`,
    `Endereço: ${endpoint}`,
    `Motivo: ${reasons[values.reason]}`,
    advice,
  ];
  return renderAlertEmail(subject, lines);
}
