/**
 * Meta's own OpenAPI description of the Cloud API as a judge of request bodies. The description is
 * data of another repository and not kept in this one: the folder named by JUDGES_DIR, by default
 * `shared/judges` beside this checkout, may hold it as `whatsapp-cloud-api/openapi.yaml`. Without it
 * the tests that ask it are skipped.
 */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { parse } from "yaml";
import { correctMetaDescription } from "./meta_openapi_corrections.ts";

const file = findDescription();
/** Whether there is no description to judge by. */
export const isMissing = file === undefined;
/** What a skipped test says of itself in its name. */
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
    // Absent, or outside what this run may read: either way there is nothing to judge by.
    return undefined;
  }
}

let compiled: ValidateFunction | undefined;

/** Judges request bodies by the schema `Message`, as corrected; compiled once. */
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
      // Of kinds of message that are never sent.
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
