import { parseDer, parsePem, type Cert } from './certificates.ts';

/** RFC 8941 byte sequences, as RFC 9440 forwards certificates. */
const sequence = /^:([A-Za-z0-9+/]+={0,2}):$/;
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;
const most = 8;

const certificates = (value: string): Cert[] => {
  const bytes = sequence.exec(value)?.[1] ?? (base64.test(value) ? value : undefined);
  if (bytes !== undefined) return [parseDer(Buffer.from(bytes, 'base64'))];
  const pem = decodeURIComponent(value).trim();
  return pem.startsWith('-----BEGIN') && pem.endsWith('-----') ? parsePem(pem) : [];
};

/**
 * The person's certificate and those sent along with it: URL-encoded PEM (nginx), a byte sequence (RFC 9440), or the
 * bare base64 of one. @returns nothing for what is none of these.
 */
export const forwardedCertificates = (
  value: string,
  chain: string | undefined,
): { person: Cert; between: Cert[] } | undefined => {
  try {
    const rest = (chain ?? '')
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean);
    const [person, ...between] = [...certificates(value), ...rest.flatMap(certificates)];
    return person && between.length < most ? { person, between } : undefined;
  } catch {
    return undefined;
  }
};
