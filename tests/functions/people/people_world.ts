/** A workspace of several units, whose people are one person each at all of them. */

import { assertEquals } from "../../support/assert.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import { administer } from "../../support/stack/admin_calls.ts";
import { waitUntil } from "../../support/wait_until.ts";
import { type ErasureWorld, startErasureWorld } from "../contacts_api/erasure_world.ts";

type Json = Readonly<Record<string, unknown>>;
// deno-lint-ignore no-explicit-any -- tests assert on whatever the service answers
type Body = any;

export interface PeopleWorld extends ErasureWorld {
  /** Another unit of the workspace. */
  readonly other: Tenant;
  /** A call at the other unit. */
  callOther(method: string, path: string, body?: Json): Promise<{ status: number; body: Body }>;
  /** Changes the scope, without waiting for what follows. Returns the workspace. */
  setScope(scope: "instance" | "workspace", workspaceId?: string): Promise<Body>;
  /** Lets the dispatcher work until the change of scope is done. */
  finishChange(workspaceId?: string): Promise<void>;
}

/** Starts a workspace of two units. @param scope what its people scope is from the beginning. */
export async function startPeopleWorld(
  scope: "instance" | "workspace" = "workspace",
): Promise<PeopleWorld> {
  const world = await startErasureWorld();
  const { stack, tenant } = world;
  const { workspaceId } = tenant;
  const other = await stack.createTenant({ workspaceId, provider: "whatsapp_cloud" });
  const people: PeopleWorld = {
    ...world,
    other,
    callOther: (method, path, body) => world.call(method, path, body, { tenant: other }),
    setScope: async (peopleScope, id = workspaceId) => {
      const answer = await administer(stack, "PATCH", `/workspaces/${id}`, {
        body: { peopleScope },
      });
      assertEquals([answer.status, answer.body.peopleScope], [200, peopleScope]);
      return answer.body;
    },
    finishChange: async (id = workspaceId) => {
      await waitUntil(async () => {
        await stack.database.rpc("update_people", { maxPersons: 200, maxContacts: 2_000 });
        const { body } = await administer(stack, "GET", `/workspaces/${id}`);
        return body.peopleScopeChange === null;
      }, { what: "the end of the change of scope" });
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
  if (scope === "workspace") {
    await people.setScope(scope);
    await people.finishChange();
  }
  return people;
}

/** [marketing, source] of a contact. */
export async function readConsent(
  world: PeopleWorld,
  tenant: Tenant,
  contactId: string,
): Promise<unknown> {
  const path = `contacts-api/contacts/${contactId}`;
  const { status, body } = await world.call("GET", path, undefined, { tenant });
  assertEquals(status, 200, JSON.stringify(body));
  return [body.consent.marketing, body.consent.source];
}

/** What contact.consent_changed told at an instance, in order. */
export async function readTold(world: PeopleWorld, tenant: Tenant): Promise<unknown[]> {
  const path = "events-api/events?after=oldest&limit=1000";
  const { body } = await world.call("GET", path, undefined, { tenant });
  return body.items
    .filter(({ type }: { type: string }) => type === "contact.consent_changed")
    .map(({ data }: Body) => [data.contactId, data.consent.marketing]);
}

/** Makes a contact at an instance. Returns its id. */
export async function addContact(world: PeopleWorld, tenant: Tenant, named: Json): Promise<string> {
  const { status, body } = await world.call("POST", "contacts-api/create", named, { tenant });
  assertEquals([status, body.success], [200, true], JSON.stringify(body));
  return body.contactId;
}

/** States a consent at an instance. Returns the contact's id. */
export async function say(
  world: PeopleWorld,
  tenant: Tenant,
  named: Json,
  marketing: "granted" | "denied" | "unknown",
): Promise<string> {
  const { status, body } = await world.call(
    "POST",
    "contacts-api/consent",
    { ...named, marketing },
    { tenant },
  );
  assertEquals([status, body.success], [200, true], JSON.stringify(body));
  return body.contactId;
}

export const marketing = { messageType: "text", message: "oferta", purpose: "marketing" } as const;
