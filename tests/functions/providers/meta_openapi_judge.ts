/**
 * Validates request bodies against Meta's own OpenAPI description of the Cloud API. The description
 * belongs to another repository and is not stored in this one. The folder named by JUDGES_DIR, by
 * default `shared/judges` beside this checkout, may hold it as `whatsapp-cloud-api/openapi.yaml`.
 * Without it the tests that need it are skipped.
 */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { parse } from "yaml";
import { correctMetaDescription } from "./meta_openapi_corrections.ts";

const file = findDescription();
/** Whether the description is missing. */
export const isMissing = file === undefined;
/** The part of a test's name that says why it is skipped. */
export const note = isMissing
  ? " (skipped: Meta's openapi.yaml is not there to read, set JUDGES_DIR)"
  : "";

function findDescription(): string | undefined {
  try {
    const folder = Deno.env.get("JUDGES_DIR") ??
      `${import.meta.dirname}/../../../../shared/judges`;
    const path = `${folder}/whatsapp-cloud-api/openapi.yaml`;
    return Deno.statSync(path).isFile ? path : undefined;
  } catch {
    // Absent, or not readable in this run. Both mean that there is no description.
    return undefined;
  }
}

let compiled: ValidateFunction | undefined;

/** Validates request bodies against the corrected schema `Message`, compiled once. */
export function loadJudge(): ValidateFunction {
  if (compiled !== undefined) return compiled;
  const description = parse(Deno.readTextFileSync(file ?? ""));
  correctMetaDescription(description);
  const { components } = description;
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    formats: {
      url: (value: string) => URL.canParse(value),
      // For message kinds that we never send.
      ...{ date: true, email: true, int32: true, uri: true },
    },
  });
  ajv.addKeyword({ keyword: "tenUniqueRows", validate: hasTenUniqueRows });
  ajv.addSchema({ $id: "meta", components });
  compiled = ajv.compile({ $ref: "meta#/components/schemas/Message" });
  return compiled;
}

function hasTenUniqueRows(
  _enabled: boolean,
  action: { sections?: { rows?: { id?: string }[] }[] },
): boolean {
  const ids = (action.sections ?? []).flatMap(({ rows }) => rows ?? []).map(({ id }) => id);
  return ids.length >= 1 && ids.length <= 10 && new Set(ids).size === ids.length;
}
