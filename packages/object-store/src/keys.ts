import { invalidKey } from './errors.ts';

const maxKeyLength = 512;
const segment = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$/;

/** Refuses keys that could leave the store's root or that have a special meaning in a file system or in S3. */
export function checkKey(key: string): string {
  check(key, key.split('/'));
  return key;
}

/** A prefix names a folder: it ends in `/`, so that `files/1/` never matches `files/10/`. */
export function checkPrefix(prefix: string): string {
  if (!prefix.endsWith('/')) throw invalidKey();
  check(prefix, prefix.slice(0, -1).split('/'));
  return prefix;
}

function check(key: string, parts: string[]): void {
  if (key.length > maxKeyLength || parts.length === 0 || !parts.every((part) => segment.test(part))) {
    throw invalidKey();
  }
}
