import type { CallFunction } from "./session.ts";

/** Calls functions of this deployment over HTTP, so that a tool does what a client's call does. */
export function createFunctionCaller(functionsUrl: string): CallFunction {
  return (path, init) => fetch(`${functionsUrl}/${path}`, { ...init, redirect: "error" });
}
