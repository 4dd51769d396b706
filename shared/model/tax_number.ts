/** Brazilian tax numbers: CPF of a person, CNPJ of a company, by their check digits. */

/** The last digit of a sum weighted modulo 11, by the rule of both numbers: 10 and 11 are 0. */
function checkDigit(values: readonly number[], weights: readonly number[]): number {
  const sum = values.reduce((total, value, index) => total + value * (weights[index] ?? 0), 0);
  const rest = sum % 11;
  return rest < 2 ? 0 : 11 - rest;
}

function hasCheckDigits(text: string, longestWeight: number): boolean {
  // A letter of a CNPJ counts by its place after the digit 0 in ASCII (Receita Federal, from July 2026).
  const values = Array.from(text, (character) => character.charCodeAt(0) - 48);
  return [2, 1].every((left) => {
    const counted = values.slice(0, -left);
    const weights = counted.map((_, index) =>
      (counted.length - 1 - index) % (longestWeight - 1) + 2
    );
    return checkDigit(counted, weights) === values.at(-left);
  });
}

/** Whether these eleven digits are a CPF. A row of one digit passes the sum, and is none. */
export function isCpf(digits: string): boolean {
  return /^\d{11}$/.test(digits) && !/^(\d)\1+$/.test(digits) && hasCheckDigits(digits, 11);
}

/** Whether these fourteen characters, digits or upper-case letters before two digits, are a CNPJ. */
export function isCnpj(characters: string): boolean {
  return /^[0-9A-Z]{12}\d{2}$/.test(characters) && !/^(.)\1+$/.test(characters) &&
    hasCheckDigits(characters, 9);
}
