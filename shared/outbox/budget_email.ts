/** The e-mail that a workspace receives when an instance's budget is nearly spent, or reached. */
import { renderAlertEmail } from "./alert_email.ts";
import { type RenderedEmail, toSingleLine } from "./rendered_email.ts";

export interface BudgetValues {
  readonly instanceName: string;
  /** Such as `2026-11`. */
  readonly month: string;
  /** Decimal texts of the currency's unit. */
  readonly monthlyAmount: string;
  readonly spent: string;
  readonly underWay: string;
  readonly currency: string;
  readonly warnAtPercent: number;
  /** Whether it is about the end of the budget; else it is the warning. */
  readonly reached: boolean;
  readonly stops: readonly string[];
}

const stopped: Readonly<Record<string, string>> = {
  marketing: "mensagens de marketing",
  batches: "mensagens de disparos",
};

/** Renders the e-mail in Brazilian Portuguese, as HTML and as plain text. */
export function renderBudgetEmail(values: BudgetValues): RenderedEmail {
  const instance = toSingleLine(values.instanceName);
  const { currency, month } = values;
  const waiting = values.stops.map((stop) => stopped[stop] ?? stop).join(" e ");
  const subject = values.reached
    ? `Orçamento atingido: ${instance}`
    : `Orçamento em ${values.warnAtPercent} %: ${instance}`;
  return renderAlertEmail(subject, [
    values.reached
      ? `O orçamento da instância ${instance} para ${month} foi atingido.`
      : `${values.warnAtPercent} % do orçamento da instância ${instance} para ${month} foi usado.`,
    `Orçamento: ${values.monthlyAmount} ${currency}. Entregue: ${values.spent} ${currency}. ` +
    `A caminho: ${values.underWay} ${currency}. São estimativas pelas suas tarifas.`,
    ...values.reached && waiting !== ""
      ? [`Aguardam o fim do mês ou um orçamento maior: ${waiting}. O restante continua saindo.`]
      : [],
  ]);
}
