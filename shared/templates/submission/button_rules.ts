import type { Issue } from "../../model/errors.ts";
import { listPlaceholders } from "../../model/placeholders.ts";
import { readPaymentMeans } from "../payment_buttons.ts";
import { checkPlain } from "./text_rules.ts";
import { findButtons, findComponents, isAuthentication } from "./submitted_template.ts";
import type { Placed, SubmittedButton } from "./submitted_template.ts";
import { pages, type TemplateRule } from "./template_rule.ts";

const most = 10;

/** How many buttons of a type a template may have (page Template components, Buttons). */
const mostOfType: Readonly<Record<string, number>> = {
  QUICK_REPLY: 10,
  URL: 2,
  PHONE_NUMBER: 1,
  COPY_CODE: 1,
  VOICE_CALL: 1,
  FLOW: 1,
  CATALOG: 1,
  MPM: 1,
  SPM: 1,
  ORDER_DETAILS: 1,
  PAYMENT_REQUEST: 3,
  OTP: 1,
};

/** Types whose label the caller writes. The others have a fixed one. */
const labelled = new Set(["QUICK_REPLY", "URL", "PHONE_NUMBER", "VOICE_CALL", "FLOW"]);

/** Types beside which a template has no other buttons. */
const solitary = new Set(["CATALOG", "MPM", "SPM", "ORDER_DETAILS"]);

/** Rules about buttons other than those of codes. */
export const buttonRules: readonly TemplateRule[] = [
  {
    id: "button_known",
    code: null,
    source: pages.components,
    find: eachButton(({ type }, path) =>
      mostOfType[type] === undefined
        ? [{ path: `${path}.type`, message: `must be ${Object.keys(mostOfType).join(", ")}` }]
        : []
    ),
  },
  {
    id: "button_count",
    code: null,
    source: pages.components,
    find: (template) => {
      const buttons = findButtons(template);
      const whole = buttons.length <= most ? [] : findComponents(template, "BUTTONS")
        .map(({ path }) => ({ path: `${path}.buttons`, message: `must be at most ${most}` }));
      return [...whole, ...findTooMany(buttons)];
    },
  },
  {
    id: "button_alone",
    code: null,
    source: pages.components,
    find: (template) => {
      const buttons = findButtons(template);
      return buttons.length < 2 ? [] : buttons.filter(({ part }) => solitary.has(part.type))
        .map(({ part, path }) => ({
          path: `${path}.type`,
          message: `${part.type} must be the only button`,
        }));
    },
  },
  {
    id: "button_groups",
    code: null,
    source: pages.components,
    find: (template) => findMixed(findButtons(template)),
  },
  {
    id: "button_label",
    code: 2_388_043,
    source: pages.components,
    find: eachButton(({ type, text }, path) =>
      labelled.has(type) && (text ?? "").trim() === ""
        ? [{ path: `${path}.text`, message: `is required for ${type}` }]
        : []
    ),
  },
  {
    id: "button_wording",
    code: null,
    source: pages.manager,
    find: eachButton(({ text = "" }, path) => [
      ...(/\{\{/.test(text) ? [{ path: `${path}.text`, message: "must not have variables" }] : []),
      ...checkPlain(text, `${path}.text`),
    ]),
  },
  {
    id: "button_labels_differ",
    code: null,
    source: pages.manager,
    find: (template) => findSameLabels(findButtons(template)),
  },
  {
    id: "url_form",
    code: null,
    source: pages.components,
    find: eachButton(({ type, url }, path) => type === "URL" ? checkUrl(url, `${path}.url`) : []),
  },
  {
    id: "url_variable_at_end",
    code: null,
    source: pages.components,
    find: eachButton(({ type, url }, path) =>
      type === "URL" ? checkUrlVariable(url ?? "", `${path}.url`) : []
    ),
  },
  {
    id: "phone_form",
    code: null,
    source: pages.components,
    find: eachButton(({ type, phone_number: phone }, path) =>
      type === "PHONE_NUMBER" && !/^\+?[0-9]{5,20}$/.test(phone ?? "")
        ? [{ path: `${path}.phone_number`, message: "must be digits with the country code" }]
        : []
    ),
  },
  {
    id: "payment_setting",
    code: null,
    source: "Meta: Payment request CTA templates",
    find: (template) => findPaymentSettings(findButtons(template)),
  },
  {
    id: "coupon_example",
    code: 2_388_043,
    source: `${pages.components}, Copy code buttons`,
    find: eachButton(({ type, example }, path) =>
      type === "COPY_CODE" && !isCoupon(Array.isArray(example) ? example[0] : example)
        ? [{ path: `${path}.example`, message: "must be a code of 1 to 15 letters and digits" }]
        : []
    ),
  },
];

function eachButton(
  check: (button: SubmittedButton, path: string) => readonly Issue[],
): TemplateRule["find"] {
  return (template) =>
    isAuthentication(template)
      ? []
      : findButtons(template).flatMap(({ part, path }) => check(part, path));
}

function findTooMany(buttons: readonly Placed<SubmittedButton>[]): Issue[] {
  const counts = new Map<string, number>();
  return buttons.flatMap(({ part: { type }, path }) => {
    const count = (counts.get(type) ?? 0) + 1;
    counts.set(type, count);
    const limit = mostOfType[type] ?? most;
    return count <= limit || limit === most
      ? []
      : [{ path: `${path}.type`, message: `must be at most ${limit} of ${type}` }];
  });
}

/** Quick replies stand together, before or after all others. */
function findMixed(buttons: readonly Placed<SubmittedButton>[]): Issue[] {
  const isReply = (one: Placed<SubmittedButton> | undefined): boolean =>
    one?.part.type === "QUICK_REPLY";
  const turns = buttons.filter((one, index) =>
    index > 0 && isReply(one) !== isReply(buttons[index - 1])
  );
  return turns.slice(1, 2).map(({ path }) => ({
    path,
    message: "quick replies must stand together, before or after all other buttons",
  }));
}

function findSameLabels(buttons: readonly Placed<SubmittedButton>[]): Issue[] {
  const labels = buttons.map(({ part }) => part.text?.trim().toLowerCase());
  return buttons.flatMap(({ path }, index) => {
    const label = labels[index];
    const isFirst = label === undefined || label === "" || labels.indexOf(label) === index;
    return isFirst ? [] : [{ path: `${path}.text`, message: "must differ from the other labels" }];
  });
}

function checkUrl(url: string | undefined, path: string): Issue[] {
  if (url === undefined || url === "") return [{ path, message: "is required for URL" }];
  const host = readHost(url.split("{{", 1)[0] ?? "");
  if (host === null) return [{ path, message: "must be a complete URL of http or https" }];
  return /(^|\.)(wa\.me|whatsapp\.com)$/.test(host)
    ? [{ path, message: "must not lead to WhatsApp itself" }]
    : [];
}

/** The host of a web address; null for any other. */
function readHost(url: string): string | null {
  try {
    const { protocol, hostname } = new URL(url);
    return ["http:", "https:"].includes(protocol) && hostname.includes(".") ? hostname : null;
  } catch {
    return null;
  }
}

function checkUrlVariable(url: string, path: string): Issue[] {
  const names = listPlaceholders(url);
  const hasBraces = /[{}]/.test(url);
  if (!hasBraces) return [];
  return names.length === 1 && /^[^{}]*\{\{1\}\}$/.test(url)
    ? []
    : [{ path, message: "must have one variable, {{1}}, at its very end" }];
}

/** Each payment button has a way to pay of its own. */
function findPaymentSettings(buttons: readonly Placed<SubmittedButton>[]): Issue[] {
  const asking = buttons.filter(({ part }) => part.type === "PAYMENT_REQUEST")
    .map(({ part: { type, text = "", payment_setting }, path }) => ({
      path: `${path}.payment_setting`,
      means: readPaymentMeans(type, text, payment_setting),
      isGiven: payment_setting !== undefined,
    }));
  return asking.flatMap(({ path, means, isGiven }, index) => {
    if (means === undefined || !isGiven) {
      return [{ path, message: "must be pix_dynamic_code, payment_link or boleto, with a sample" }];
    }
    const isFirst = asking.findIndex((other) => other.means === means) === index;
    return isFirst ? [] : [{ path, message: "must differ from the other payment buttons" }];
  });
}

function isCoupon(example: unknown): boolean {
  return typeof example === "string" && /^[\p{L}\p{N}]{1,15}$/u.test(example);
}
