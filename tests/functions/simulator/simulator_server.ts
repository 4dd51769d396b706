import {
  createSimulator,
  type Simulator,
  type SimulatorOptions,
} from "../../../supabase/local/simulator/simulator.ts";
import { startTestServer } from "../../support/doubles/test_server.ts";

/** A simulator behind a real server on a free port of this machine, stopped when disposed of. */
export interface SimulatorServer extends AsyncDisposable {
  /** Ends with `/simulator`. */
  readonly url: string;
  readonly simulator: Simulator;
  /** POSTs JSON and reads the answer as JSON. */
  post(
    path: string,
    body: unknown,
    headers?: Record<string, string>,
  ): Promise<{ status: number; headers: Headers; json: unknown }>;
  /** A customer writes on the official channel, which opens the window for free text. */
  writeAsCustomer(customer: { readonly instance: string; readonly waId: string }): void;
  /** The parsed answer of a GET, or of a DELETE. */
  read(path: string, method?: "GET" | "DELETE"): Promise<Reading>;
}

/** An answer of the read API, with records loose enough for any log. */
export interface Reading {
  readonly items: Record<string, unknown>[];
  readonly total: number;
  readonly deleted: number;
}

export function startSimulator(options: SimulatorOptions = {}): SimulatorServer {
  const simulator = createSimulator(options);
  const server = startTestServer(simulator.fetch);
  const url = `${server.origin}/simulator`;
  return {
    url,
    simulator,
    post: async (path, body, headers = {}) => {
      const response = await fetch(`${url}${path}`, {
        method: "POST",
        headers: { "Content-Type": "application/json", ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
      });
      return { status: response.status, headers: response.headers, json: await response.json() };
    },
    writeAsCustomer: (customer) => {
      simulator.store.addReply({
        ...customer,
        provider: "whatsapp_cloud",
        providerMessageId: `wamid.${crypto.randomUUID()}`,
        writtenBy: "customer",
        customerName: "Maria Silva",
        replyTo: null,
        content: { messageType: "text", text: "Oi" },
      });
    },
    read: async (path, method = "GET") => {
      const response = await fetch(`${url}${path}`, { method });
      return await response.json();
    },
    [Symbol.asyncDispose]: async () => {
      simulator.close();
      // A call under way would count as the test's leak.
      await simulator.webhooks.finish();
      await server[Symbol.asyncDispose]();
    },
  };
}
