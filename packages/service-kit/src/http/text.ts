import { isUtf8 } from 'node:buffer';
import { isText, textRule } from '@overtone/contracts';

type Fault = { path: string; message: string };

/** Whether the octets of a URL or a form are UTF-8, escaped or not; a decoder would replace what is not by U+FFFD. */
export function isUtf8Encoded(latin1: string): boolean {
  const octets = latin1.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return isUtf8(Buffer.from(octets, 'latin1'));
}

/** A request target has no octets beyond ASCII (RFC 3986, 2): what else there is would be read as Latin-1. */
export function isTarget(target: string): boolean {
  return !/[^\u0021-\u007e]/.test(target) && isUtf8Encoded(target);
}

/**
 * The first string, key or value, that holds a NUL or half of a surrogate pair: databases refuse both, and encoders
 * replace the latter by U+FFFD.
 */
export function textFault(value: unknown): Fault | undefined {
  const pending: { path: string; at: unknown }[] = [{ path: '', at: value }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { path, at } = next;
    if (typeof at === 'string' && !isText(at)) return { path, message: textRule };
    if (typeof at !== 'object' || at === null) continue;
    for (const [key, member] of Object.entries(at)) {
      if (!isText(key)) return { path, message: `a name ${textRule}` };
      pending.push({ path: path === '' ? key : `${path}.${key}`, at: member });
    }
  }
  return undefined;
}
