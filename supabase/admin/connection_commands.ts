import type { Command } from "commander";
import { generate } from "lean-qr";
import { type AdminAnswer, type AdminApi, AdminApiError, unexpectedResponse } from "./admin_api.ts";

/** What the commands need of the program. */
export interface ConnectionCommandContext {
  readonly api: AdminApi;
  readonly print: (text: string) => void;
  readonly wantsJson: () => boolean;
  /** Prints an answer as a record, or as JSON where that is wanted. */
  readonly show: (answer: AdminAnswer) => void;
}

/** Adds `connection`: whether a number is connected, and the codes that connect a phone. */
export function addConnection(context: ConnectionCommandContext, program: Command): void {
  const { api, show } = context;
  const pathOf = (instanceId: string, part = ""): string =>
    `instances/${encodeURIComponent(instanceId)}/connection${part}`;
  const command = program.command("connection")
    .description("the connection of an instance to its phone (docs/connecting.md)")
    .addHelpText(
      "after",
      "\nExamples:\n  deno task admin connection qr <instanceId>\n" +
        "  deno task admin connection link <instanceId> --language pt",
    );

  command.command("get <instanceId>").description("ask the provider for the connection")
    .action(async (instanceId: string) => show(await api.call("GET", pathOf(instanceId))));

  command.command("qr <instanceId>")
    .description("show a QR code that connects the phone that scans it, for about 20 seconds")
    .action(async (instanceId: string) => {
      const answer = await api.call("POST", pathOf(instanceId, "/qr"), {});
      if (context.wantsJson()) return show(answer);
      const { qr, expiresAt } = answer;
      if (typeof qr !== "string") throw new AdminApiError(unexpectedResponse);
      context.print(`${drawQrCode(qr)}\nUntil ${expiresAt}\n`);
    });

  command.command("code <instanceId>").description("show a code to type on the phone")
    .requiredOption("--phone <digits>", "the number of the phone, with country code")
    .action(async (instanceId: string, { phone }: { readonly phone: string }) => {
      show(await api.call("POST", pathOf(instanceId, "/code"), { phone }));
    });

  command.command("link <instanceId>")
    .description("make a link by which the owner of the phone connects it; it is shown only once")
    .option("--minutes <number>", "5 to 1440; default: 60", Number)
    .option("--language <language>", "pt, en or es; default: the browser's")
    .action(async (
      instanceId: string,
      { minutes, language }: { readonly minutes?: number; readonly language?: string },
    ) => {
      const path = pathOf(instanceId, "-link");
      show(await api.call("POST", path, { expiresInMinutes: minutes, language }));
    });

  command.command("unlink <instanceId> <linkId>").description("revoke a link")
    .action(async (instanceId: string, linkId: string) => {
      const path = pathOf(instanceId, `-link/${encodeURIComponent(linkId)}`);
      show(await api.call("DELETE", path));
    });

  const changes = [
    ["restart", "let the gateway build the session up again; the phone stays connected"],
    ["logout", "end the session: the phone has to be connected again"],
    ["webhooks", "point the provider's webhooks to this service"],
  ] as const;
  for (const [name, description] of changes) {
    command.command(`${name} <instanceId>`).description(description)
      .action(async (instanceId: string) => {
        show(await api.call("POST", pathOf(instanceId, `/${name}`), {}));
      });
  }
}

/** Light modules are drawn, so that the code can be scanned from a dark terminal. */
function drawQrCode(text: string): string {
  return generate(text).toString({ on: "  ", off: "██" });
}
