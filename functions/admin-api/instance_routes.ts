import { instanceRecord } from "../../shared/model/instance_record.ts";
import { answerJson } from "../../shared/http/answer.ts";
import type { Route } from "../../shared/http/create_app.ts";
import { readJsonBody } from "../../shared/http/json_body.ts";
import { answerRecorded } from "../../shared/http/recorded_answer.ts";
import { validateBody } from "../../shared/http/validate.ts";
import { type AdminContext, readAdminIdempotency } from "./http_exchange.ts";
import { readInstance, requireInstanceId } from "./instance_reference.ts";
import { checkByProvider, checkNewInstance, createInstanceSchemas } from "./instance_contract.ts";
import { createInstance, type InstanceServices, updateInstance } from "./instances.ts";
import { recordAnswer } from "./resources/answers.ts";
import { instances } from "./resources/instances.ts";

const instanceResponseSchema = recordAnswer(instanceRecord);

/** The routes of instances, which differ from other records in their credentials. */
export function createInstanceRoutes(services: InstanceServices): Route[] {
  const { database, registry } = services;
  const schemas = createInstanceSchemas(registry);

  const createOne = async (context: AdminContext): Promise<Response> => {
    const body = await readJsonBody(context);
    const request = validateBody(
      context,
      schemas.create(body["provider"]),
      body,
      checkNewInstance(registry),
    );
    const idempotency = await readAdminIdempotency(context, body);
    const created = await createInstance(services, request, idempotency);
    context.set("instanceId", created.outcome.instanceId);
    return answerRecorded(context, instanceResponseSchema, created, 201);
  };

  const getOne = async (context: AdminContext): Promise<Response> =>
    answerJson(context, instanceResponseSchema, {
      success: true,
      ...await readInstance(database, await requireInstanceId(context, database)),
    });

  const updateOne = async (context: AdminContext): Promise<Response> => {
    const instanceId = await requireInstanceId(context, database);
    const body = await readJsonBody(context);
    // Needs no lock, because an instance never changes its provider.
    const provider = registry.get((await readInstance(database, instanceId)).provider);
    const request = validateBody(
      context,
      schemas.update(provider),
      body,
      checkByProvider(provider),
    );
    const record = await updateInstance(services, { instanceId, provider }, request);
    return answerJson(context, instanceResponseSchema, { success: true, ...record });
  };

  return [
    { method: "POST", path: "/instances", handlers: [createOne] },
    ...instances.createRoutes(database),
    { method: "GET", path: "/instances/:id", handlers: [getOne] },
    { method: "PATCH", path: "/instances/:id", handlers: [updateOne] },
  ];
}
