import { splitUnquoted } from '@overtone/directory/dn-text';

/** A list whose entries hold no commas: login names, roles, addresses. */
export const splitWords = (text: string): string[] =>
  text
    .split(/[,;\n\r]+/)
    .map((word) => word.trim())
    .filter((word) => word !== '');

/** Addresses and blocks of them: blanks separate, too. */
export const splitAddresses = (text: string): string[] => text.split(/[\s,;]+/).filter((entry) => entry !== '');

/** True when it looks like `type=value,type=value`. */
export const looksLikeDn = (text: string): boolean =>
  splitUnquoted(text, ',').every((part) => /^\s*(?:[a-z][a-z0-9-]*|\d+(?:\.\d+)+)\s*=\s*\S/i.test(part));
