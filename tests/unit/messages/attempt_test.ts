import {
  attemptMessage,
  type AttemptResult,
  type AttemptServices,
  type ReadyMessage,
} from "../../../shared/messages/attempt.ts";
import { messageItself, type RungToSend } from "../../../shared/messages/rungs.ts";
import type { RungTaken } from "../../../shared/database/rpcs/messages.ts";
import type { OutboundMessage, Receipt } from "../../../shared/providers/provider.ts";
import { assertEquals } from "../../support/assert.ts";

const accepted: Receipt = { outcome: "accepted", providerMessageId: "wamid.1" };
const refused: Receipt = {
  outcome: "rejected",
  code: "131047",
  message: "over 24 hours",
  meaning: "outside_conversation_window",
  retryable: false,
  scope: "message",
};
const templateRung: RungToSend = {
  outcome: "send",
  sentAs: "template",
  shown: { sentAs: "template" },
  template: {
    messageType: "template",
    message: "Olá",
    content: { template: { name: "a", language: "pt_BR", components: [] } },
  },
  file: null,
};

interface Attempted {
  readonly result: AttemptResult;
  /** The type of each message that the provider got. */
  readonly sent: readonly string[];
  /** What each call of `take_rung` said of the rung before. */
  readonly asked: readonly unknown[];
}

/** Attempts a text, with the provider's answers and the database's rungs in their order. */
async function attempt(
  message: Partial<ReadyMessage>,
  receipts: readonly Receipt[],
  rungs: readonly (RungTaken | Error)[] = [],
  leaseMs = 60_000,
): Promise<Attempted> {
  const [answers, decisions] = [[...receipts], [...rungs]];
  const sent: string[] = [];
  const asked: unknown[] = [];
  const services = {
    database: {
      rpc: (name: string, { refusal }: { readonly refusal: unknown }): Promise<unknown> => {
        asked.push(name === "take_rung" ? refusal : name);
        const rung = decisions.shift();
        return rung instanceof Error ? Promise.reject(rung) : Promise.resolve(rung);
      },
    },
    log: { info: () => {}, error: () => {} },
    providerTimeoutMs: 20_000,
  } as unknown as AttemptServices;
  const provider = {
    files: null,
    send: ({ content }: OutboundMessage): Promise<Receipt | undefined> => {
      sent.push(content.messageType);
      return Promise.resolve(answers.shift());
    },
  };
  const ready = {
    claim: {
      ...{ instanceId: "i", messageId: "m", claimToken: "t" },
      leaseEndsAtMs: Date.now() + leaseMs,
    },
    outbound: { messageId: "m", to: "5511", content: { messageType: "text", message: "Oi" } },
    ...{ provider, file: null, hasWaited: false, hasLadder: false, firstRung: messageItself },
    ...message,
  } as unknown as ReadyMessage;
  const result = await attemptMessage(services, ready, { bypassLimit: false });
  return { result, sent, asked };
}

Deno.test("a message without a ladder is called once, and the database is not asked, whatever its refusal means", async () => {
  for (const receipt of [accepted, refused]) {
    const { result, sent, asked } = await attempt({}, [receipt]);
    assertEquals([result.receipt, sent, asked], [receipt, ["text"], []]);
  }
});

Deno.test("a refusal that another rung can help gives way to that rung, each called once", async () => {
  const { result, sent, asked } = await attempt({ hasLadder: true }, [refused, accepted], [
    templateRung,
  ]);
  const { code, message, meaning } = refused as Extract<Receipt, { outcome: "rejected" }>;
  assertEquals(sent, ["text", "template"]);
  assertEquals(asked, [{ code, message, meaning }]);
  assertEquals([result.receipt, result.shown], [accepted, { sentAs: "template" }]);
});

Deno.test("a ladder without a decided rung asks for one first; a temporary refusal or one without a meaning ends it", async () => {
  for (
    const receipt of [
      { ...refused, retryable: true },
      { ...refused, meaning: undefined },
      { outcome: "unknown", reason: "no answer" },
    ] as readonly Receipt[]
  ) {
    const ladder = { hasLadder: true, firstRung: null };
    const { result, sent, asked } = await attempt(ladder, [receipt], [templateRung]);
    assertEquals([result.receipt, sent, asked], [receipt, ["template"], [null]]);
  }
});

Deno.test("what the database decides in place of a rung ends the attempt", async () => {
  const ladder = { hasLadder: true, firstRung: null };
  const endings: readonly (readonly [RungTaken | Error, string | null, boolean | undefined])[] = [
    [{ outcome: "waits", shown: { sentAs: "invitation" } }, null, true],
    [{ outcome: "lost" }, null, undefined],
    [{ outcome: "stands" }, "already_left", undefined],
    [{ outcome: "refused", rungs: [] }, "outside_conversation_window", undefined],
    [new Error("away"), "rung_not_decided", undefined],
  ];
  for (const [rung, code, isWaiting] of endings) {
    const { result: { receipt, ...result }, sent } = await attempt(ladder, [], [rung]);
    const told = receipt?.outcome === "rejected" ? receipt.code : receipt;
    assertEquals([told, result.isWaiting, sent], [code, isWaiting, []]);
  }
});

Deno.test("a claim that could end before its call does is not called, and a receipt is passed on", async () => {
  const { result, sent } = await attempt({}, [accepted], [], 19_000);
  const { receipt } = result;
  assertEquals([receipt?.outcome === "rejected" && receipt.code, sent], ["claim_too_old", []]);
  assertEquals(
    await attemptMessage({} as AttemptServices, refused, { bypassLimit: true }),
    { receipt: refused },
  );
});
