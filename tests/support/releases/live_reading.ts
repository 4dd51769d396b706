/** Reads a filled service through the API, before and after an upgrade. */

import { assert, assertEquals } from "../assert.ts";
import { writeInstantsInUtc } from "../instants_in_utc.ts";
import { secretKey } from "../stack/function_process.ts";
import type { ServiceCalls } from "../stack/service_process.ts";
import { callWithKey, customer, idOf, type LiveData } from "./live_service.ts";

/** Repeats every call with its key. Each must get its first answer, and do nothing. */
export async function repeatCalls(service: ServiceCalls, { calls }: LiveData): Promise<void> {
  for (const { instance, path, key, body, answer } of calls) {
    const again = await callWithKey(service, instance, path, key, body);
    // 1.0.0 wrote instants with the offset of the instance's zone, and before 1.2.0 errors had no `docs`.
    const [replayed, first] = [again.body, answer].map(({ docs: _, ...rest }) =>
      writeInstantsInUtc(rest)
    );
    assertEquals([again.isReplay, replayed], [true, first], `${path} ${key}`);
  }
}

/** What callers read of the past: histories, settled messages, templates and people. */
export async function readPast(
  service: ServiceCalls,
  data: LiveData,
): Promise<Readonly<Record<string, unknown>>> {
  const past: Record<string, unknown> = {};
  const read = async (path: string, headers: Record<string, string>): Promise<void> => {
    const { status, body } = await service.call(path, { headers });
    assertEquals(status, 200, `${path}: ${JSON.stringify(body)}`);
    past[path] = writeInstantsInUtc(body);
  };
  for (const { instanceId, token } of data.instances) {
    for (const format of ["raw", "conversation"]) {
      const query = `phone=${customer}&instanceId=${instanceId}&format=${format}`;
      await read(`messages-context?${query}&${daysAround()}`, { "x-client-token": token });
    }
  }
  for (const { instance, answer } of data.calls) {
    const isSettled = ["sent", "unconfirmed"].includes(answer.status);
    if (!isSettled) continue;
    await read(`messages-api/messages/${idOf(answer)}`, { "x-client-token": instance.token });
  }
  for (
    const path of [`operators?workspaceId=${data.workspaceId}`, `templates/${data.templateId}`]
  ) {
    await read(`admin-api/${path}`, { apikey: secretKey });
  }
  return past;
}

function daysAround(): string {
  const day = (offset: number): string =>
    new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
  return `start=${day(-2)}&end=${day(2)}`;
}

/** Asserts that all of `part` is in `whole`, which may have further members and, in lists, elements. */
export function assertContains(whole: unknown, part: unknown, path: string): void {
  if (Array.isArray(part)) {
    assert(Array.isArray(whole), path);
    part.forEach((element, index) => assertContains(whole[index], element, `${path}/${index}`));
  } else if (typeof part === "object" && part !== null) {
    assert(typeof whole === "object" && whole !== null, path);
    for (const [name, value] of Object.entries(part)) {
      if (name === "totalMessages") continue;
      assertContains((whole as Record<string, unknown>)[name], value, `${path}/${name}`);
    }
  } else assertEquals(whole, part, path);
}
