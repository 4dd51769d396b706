import type { Issue } from "../../model/errors.ts";
import {
  findButtons,
  findComponents,
  isAuthentication,
  type SubmittedTemplate,
} from "./submitted_template.ts";
import { pages, type TemplateRule } from "./template_rule.ts";

const buttonKinds = ["COPY_CODE", "ONE_TAP", "ZERO_TAP"];

/** The words of a template of codes are the channel's own: only these parts may be chosen. */
export const authenticationRules: readonly TemplateRule[] = [
  {
    id: "code_body",
    code: null,
    source: pages.authentication,
    find: forCodes((template) =>
      findComponents(template, "BODY").flatMap(({ part, path }) => [
        ...absent(part.text, `${path}.text`),
        ...(["undefined", "boolean"].includes(typeof part["add_security_recommendation"]) ? [] : [{
          path: `${path}.add_security_recommendation`,
          message: "must be true or false",
        }]),
      ])
    ),
  },
  {
    id: "code_footer",
    code: null,
    source: pages.authentication,
    find: forCodes((template) =>
      findComponents(template, "FOOTER").flatMap(({ part, path }) => [
        ...absent(part.text, `${path}.text`),
        ...(isMinutes(part["code_expiration_minutes"]) ? [] : [{
          path: `${path}.code_expiration_minutes`,
          message: "must be a whole number from 1 to 90",
        }]),
      ])
    ),
  },
  {
    id: "code_header",
    code: null,
    source: pages.authentication,
    find: forCodes((template) =>
      findComponents(template, "HEADER").map(({ path }) => ({
        path: `${path}.type`,
        message: "a template of the category AUTHENTICATION has no header",
      }))
    ),
  },
  {
    id: "code_button",
    code: null,
    source: pages.authentication,
    find: forCodes((template) => findButtonFaults(template)),
  },
  {
    id: "code_apps",
    code: null,
    source: pages.authentication,
    find: forCodes((template) =>
      findButtons(template).flatMap(({ part, path }) =>
        ["ONE_TAP", "ZERO_TAP"].includes(part.otp_type ?? "") && !areApps(part["supported_apps"])
          ? [{
            path: `${path}.supported_apps`,
            message: "must be 1 to 5 apps with package_name and an 11-character signature_hash",
          }]
          : []
      )
    ),
  },
  {
    id: "code_terms",
    code: null,
    source: pages.authentication,
    find: forCodes((template) =>
      findButtons(template).flatMap(({ part, path }) =>
        part.otp_type === "ZERO_TAP" && part["zero_tap_terms_accepted"] !== true
          ? [{ path: `${path}.zero_tap_terms_accepted`, message: "must be true for ZERO_TAP" }]
          : []
      )
    ),
  },
  {
    id: "code_button_elsewhere",
    code: null,
    source: pages.authentication,
    find: (template) =>
      isAuthentication(template)
        ? []
        : findButtons(template).filter(({ part }) => part.type === "OTP").map(({ path }) => ({
          path: `${path}.type`,
          message: "OTP needs the category AUTHENTICATION",
        })),
  },
];

function forCodes(find: (template: SubmittedTemplate) => readonly Issue[]): TemplateRule["find"] {
  return (template) => isAuthentication(template) ? find(template) : [];
}

function absent(text: string | undefined, path: string): Issue[] {
  if (text === undefined) return [];
  return [{ path, message: "must be absent: the channel writes the text of a code" }];
}

function isMinutes(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 90;
}

/** Exactly one button, which is for the code. */
function findButtonFaults(template: SubmittedTemplate): Issue[] {
  const buttons = findButtons(template);
  if (buttons.length !== 1) {
    const path = findComponents(template, "BUTTONS")[0]?.path;
    return [{
      path: path === undefined ? "components" : `${path}.buttons`,
      message: "must have exactly one button, of the type OTP",
    }];
  }
  return buttons.flatMap(({ part, path }) => {
    if (part.type !== "OTP") return [{ path: `${path}.type`, message: "must be OTP" }];
    return buttonKinds.includes(part.otp_type ?? "")
      ? []
      : [{ path: `${path}.otp_type`, message: `must be ${buttonKinds.join(", ")}` }];
  });
}

function areApps(value: unknown): boolean {
  return Array.isArray(value) && value.length >= 1 && value.length <= 5 && value.every((app) => {
    const { package_name: name, signature_hash: hash } = Object(app) as Record<string, unknown>;
    return typeof name === "string" && /^\w+(\.\w+)+$/.test(name) &&
      typeof hash === "string" && hash.length === 11;
  });
}
