/** Sums of decimal texts, exact: floats would make 0.1 and 0.2 more than 0.3. */

/** @param texts as `-12.5`. @returns the sum without needless zeros. */
export function addDecimals(texts: readonly string[]): string {
  const scale = Math.max(0, ...texts.map((text) => text.split(".")[1]?.length ?? 0));
  const sum = texts.reduce((total, text) => {
    const [whole = "", fraction = ""] = text.split(".");
    return total + BigInt(whole + fraction.padEnd(scale, "0"));
  }, 0n);
  const digits = String(sum < 0n ? -sum : sum).padStart(scale + 1, "0");
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, "");
  const whole = digits.slice(0, digits.length - scale);
  return `${sum < 0n ? "-" : ""}${whole}${scale === 0 || fraction === "" ? "" : `.${fraction}`}`;
}

/** `12.5` as `-12.5`, and the other way round. */
export function negateDecimal(text: string): string {
  return text.startsWith("-") ? text.slice(1) : `-${text}`;
}
