/** The endpoints of the simulated providers, by kind: the compiler requires those of every one. */
import type { Hono } from "hono";
import type { SimulatorContext } from "./context.ts";
import { createEvolution } from "./evolution/routes.ts";
import type { ChannelKind } from "./records.ts";
import { Billing } from "./whatsapp_cloud/billing.ts";
import { createCloudControls } from "./whatsapp_cloud/controls.ts";
import { ConversationWindows } from "./whatsapp_cloud/conversation_windows.ts";
import { createWhatsappCloud } from "./whatsapp_cloud/routes.ts";
import { TemplateLibrary } from "./whatsapp_cloud/template_library.ts";
import { createZapi } from "./zapi/routes.ts";

export interface ChannelRoutes {
  /** Routes below `/simulator/<path>`: the provider's API for its customers. */
  readonly provider: Hono;
  /** Routes below `/simulator` for decisions that people make at the provider, if there are any. */
  readonly controls?: Hono;
}

const creators: Readonly<Record<ChannelKind, (context: SimulatorContext) => ChannelRoutes>> = {
  zapi: (context) => ({ provider: createZapi(context) }),
  evolution: (context) => ({ provider: createEvolution(context) }),
  whatsapp_cloud: (context) => {
    const templates = new TemplateLibrary(() => context.store.now().getTime());
    const windows = new ConversationWindows(context.store);
    const billing = new Billing(context.store);
    const cloud = { ...context, templates, windows, billing };
    return { provider: createWhatsappCloud(cloud), controls: createCloudControls(cloud) };
  },
};

/** Creates the endpoints of one provider. */
export function createChannelRoutes(kind: ChannelKind, context: SimulatorContext): ChannelRoutes {
  return creators[kind](context);
}
