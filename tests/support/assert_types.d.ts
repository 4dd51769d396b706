/**
 * Types of the assertions used from the npm package `deno-std`, which ships plain JavaScript.
 * Signatures as @std/assert 1 documents them.
 */

// deno-lint-ignore no-explicit-any
type ErrorClass<E extends Error> = abstract new (...args: any[]) => E;

export function assert(expression: unknown, message?: string): asserts expression;
export function assertFalse(expression: unknown, message?: string): void;
export function assertExists<T>(
  actual: T,
  message?: string,
): asserts actual is NonNullable<T>;
export function assertEquals<T>(actual: T, expected: T, message?: string): void;
export function assertNotEquals<T>(actual: T, expected: T, message?: string): void;
export function assertStrictEquals<T>(
  actual: unknown,
  expected: T,
  message?: string,
): asserts actual is T;
export function assertNotStrictEquals<T>(actual: T, expected: T, message?: string): void;
export function assertAlmostEquals(
  actual: number,
  expected: number,
  tolerance?: number,
  message?: string,
): void;
export function assertGreater<T>(actual: T, expected: T, message?: string): void;
export function assertGreaterOrEqual<T>(actual: T, expected: T, message?: string): void;
export function assertLess<T>(actual: T, expected: T, message?: string): void;
export function assertLessOrEqual<T>(actual: T, expected: T, message?: string): void;
export function assertMatch(actual: string, expected: RegExp, message?: string): void;
export function assertNotMatch(actual: string, expected: RegExp, message?: string): void;
export function assertStringIncludes(actual: string, expected: string, message?: string): void;
export function assertArrayIncludes<T>(
  actual: ArrayLike<T>,
  expected: ArrayLike<T>,
  message?: string,
): void;
export function assertObjectMatch(
  actual: object,
  expected: Record<PropertyKey, unknown>,
  message?: string,
): void;
export function assertInstanceOf<T>(
  actual: unknown,
  // deno-lint-ignore no-explicit-any
  expectedType: abstract new (...args: any[]) => T,
  message?: string,
): asserts actual is T;
export function assertThrows(callback: () => unknown, message?: string): unknown;
export function assertThrows<E extends Error = Error>(
  callback: () => unknown,
  errorClass: ErrorClass<E>,
  messageIncludes?: string,
  message?: string,
): E;
export function assertRejects(
  callback: () => PromiseLike<unknown>,
  message?: string,
): Promise<unknown>;
export function assertRejects<E extends Error = Error>(
  callback: () => PromiseLike<unknown>,
  errorClass: ErrorClass<E>,
  messageIncludes?: string,
  message?: string,
): Promise<E>;
export function fail(message?: string): never;
