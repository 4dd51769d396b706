import type { SimulatorContext } from "../context.ts";
import type { Billing } from "./billing.ts";
import type { ConversationWindows } from "./conversation_windows.ts";
import type { Numbers } from "./numbers.ts";
import type { Orders } from "./orders.ts";
import type { TemplateLibrary } from "./template_library.ts";

/** The simulator's context with the official channel's additional state. */
export interface CloudContext extends SimulatorContext {
  /** The customers to whom the channel accepts free text. */
  readonly windows: ConversationWindows;
  /** The channel's templates. */
  readonly templates: TemplateLibrary;
  /** What it charges for its deliveries. */
  readonly billing: Billing;
  /** The orders that it has shown. */
  readonly orders: Orders;
  /** How much it lets numbers send. */
  readonly numbers: Numbers;
}
