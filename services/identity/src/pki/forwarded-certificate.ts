import { parseDer, parsePem, type Cert } from './certificates.ts';

/** RFC 8941 byte sequences, as RFC 9440 forwards certificates. */
const sequence = /^:([A-Za-z0-9+/]+={0,2}):$/;
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;
const maxCertificates = 8;

/**
 * Reads the certificate of the person and the intermediates: URL-encoded PEM (nginx), a byte sequence (RFC 9440) or plain
 * base64. @returns undefined for anything else.
 */
export function forwardedCertificates(
  value: string,
  chain: string | undefined,
): { person: Cert; intermediates: Cert[] } | undefined {
  try {
    const rest = (chain ?? '')
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean);
    const [person, ...intermediates] = [...certificates(value), ...rest.flatMap(certificates)];
    return person && intermediates.length < maxCertificates ? { person, intermediates } : undefined;
  } catch {
    return undefined;
  }
}

function certificates(value: string): Cert[] {
  const bytes = sequence.exec(value)?.[1] ?? (base64.test(value) ? value : undefined);
  if (bytes !== undefined) return [parseDer(Buffer.from(bytes, 'base64'))];
  const pem = decodeURIComponent(value).trim();
  return pem.startsWith('-----BEGIN') && pem.endsWith('-----') ? parsePem(pem) : [];
}
