import type { SimulatorContext } from "../context.ts";
import type { ConversationWindows } from "./conversation_windows.ts";
import type { TemplateLibrary } from "./template_library.ts";

/** What the official channel works with besides. */
export interface CloudContext extends SimulatorContext {
  /** Which customers the channel accepts free text for. */
  readonly windows: ConversationWindows;
  /** What the channel knows of templates. */
  readonly templates: TemplateLibrary;
}
