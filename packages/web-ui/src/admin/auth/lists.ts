import { splitUnquoted } from '@overtone/contracts/dn-text';

/** Splits a list whose entries contain no commas: login names or roles. */
export function splitWords(text: string): string[] {
  return text
    .split(/[,;\n\r]+/)
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

/** Splits a list of addresses and address blocks; spaces separate, too. */
export function splitAddresses(text: string): string[] {
  return text.split(/[\s,;]+/).filter((entry) => entry !== '');
}

/** True for text of the form `type=value,type=value`. */
export function looksLikeDn(text: string): boolean {
  return splitUnquoted(text, ',').every((part) => /^\s*(?:[a-z][a-z0-9-]*|\d+(?:\.\d+)+)\s*=\s*\S/i.test(part));
}
