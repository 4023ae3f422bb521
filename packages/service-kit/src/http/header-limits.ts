import { assertionHeader } from '../assertion.ts';
import { AppError } from '../errors.ts';
import { forwardedHeader } from '../forwarded.ts';

/** Bytes of a header field, with its name and with repeated lines of the same name. */
export const maxHeaderBytes = 1024;

/** Header fields that may be longer, within the limit of all header fields together. */
const longHeaders = new Set([
  'authorization',
  'cookie',
  'referer',
  // tus: the name of a file in Base64.
  'upload-metadata',
  // Added between the edge and a service.
  assertionHeader,
  forwardedHeader,
]);
/** Certificates, tokens and groups that reverse proxies add to each request. */
const longPrefixes = ['x-client-cert', 'x-forwarded-', 'x-ssl-', 'ssl-', 'x-auth-request-', 'x-remote-', 'remote-'];

/** Whether a header field may have more than {@link maxHeaderBytes}. @param name in lower case. */
export function mayBeLong(name: string): boolean {
  return longHeaders.has(name) || longPrefixes.some((prefix) => name.startsWith(prefix));
}

/**
 * Refuses header fields that are longer than they have a reason to be.
 * @param raw names and values in turn. @param isAllowed names in lower case that may be longer.
 * @throws AppError header_too_large
 */
export function checkHeaderSizes(raw: readonly string[], isAllowed: (name: string) => boolean = mayBeLong): void {
  const sizes = new Map<string, number>();
  for (let i = 0; i < raw.length; i += 2) {
    const name = (raw[i] as string).toLowerCase();
    const size = (sizes.get(name) ?? name.length) + (raw[i + 1] as string).length;
    if (size > maxHeaderBytes && !isAllowed(name)) throw headerTooLarge(name);
    sizes.set(name, size);
  }
}

function headerTooLarge(name: string): AppError {
  const shown = name.slice(0, 64);
  return new AppError('too_large', 'header_too_large', `The header ${shown} has more than ${maxHeaderBytes} bytes`);
}
