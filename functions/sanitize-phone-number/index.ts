import { consoleLog } from "../../shared/log.ts";
import { createSanitizePhoneNumberApp } from "./app.ts";

const app = createSanitizePhoneNumberApp(consoleLog);

Deno.serve(app.fetch);
