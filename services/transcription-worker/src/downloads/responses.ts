/** What the headers of a download say; no I/O. */
type Headers = Record<string, string | string[] | undefined>;
/** Identifies the version of a resource for `If-Range` (RFC 9110, 13.1.5). */
export type Validator = { value: string } | null;

/** A time of the last change is a strong validator when the answer is at least this much later (RFC 9110, 8.8.2.2). */
const settledMs = 60_000;

/** A strong ETag, else a time of the last change that identifies one version; null: the rest may be another version. */
export function validatorOf(headers: Headers): Validator {
  const etag = textOf(headers['etag']);
  if (etag && !etag.startsWith('W/')) return { value: etag };
  const modified = textOf(headers['last-modified']) ?? '';
  const settled = Date.parse(textOf(headers['date']) ?? '') - Date.parse(modified);
  return settled >= settledMs ? { value: modified } : null;
}

/** `bytes 100-199/1000`; the total may be unknown (`*`), and so may the range in a 416. */
export function parseContentRange(
  header: string | string[] | undefined,
): { start: number | null; total: number | null } | undefined {
  const match = /^bytes (?:(\d+)-\d+|\*)\/(\d+|\*)$/.exec(textOf(header) ?? '');
  if (!match) return undefined;
  const numberOf = (text: string | undefined) => (text === undefined || text === '*' ? null : Number(text));
  return { start: numberOf(match[1]), total: numberOf(match[2]) };
}

/** null: the server did not say. */
export function lengthOf(headers: Headers): number | null {
  const text = textOf(headers['content-length']) ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}

export function mediaTypeOf(headers: Headers): string {
  return (textOf(headers['content-type'])?.split(';')[0] ?? '').trim().toLowerCase();
}

export function isPage(headers: Headers): boolean {
  return /^\s*(text\/html|application\/xhtml\+xml)\b/i.test(textOf(headers['content-type']) ?? '');
}

/** The name that the server gives (RFC 6266), else the end of the path, else the host. The receiver checks it. */
export function filenameOf(headers: Headers, url: URL): string {
  const disposition = textOf(headers['content-disposition']) ?? '';
  const extended = /filename\*\s*=\s*utf-8''([^;]+)/i.exec(disposition)?.[1];
  const plain = /filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(disposition);
  const path = url.pathname.split('/').findLast((part) => part !== '');
  const name =
    (extended && decode(extended)) || plain?.[1]?.replaceAll(/\\(.)/g, '$1') || plain?.[2] || (path && decode(path));
  return (name || url.hostname).split(/[/\\]/).at(-1)?.slice(0, 1_000) || url.hostname;
}

/** @returns a function that takes the number of received bytes and throws when too few arrived within `everyMs`. */
export function rateFloor(floor: { bytes: number; everyMs: number }, failure: () => Error, now = Date.now) {
  let since = now();
  let received = 0;
  return (bytes: number): void => {
    received += bytes;
    if (now() - since < floor.everyMs) return;
    if (received < floor.bytes) throw failure();
    since = now();
    received = 0;
  };
}

function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
