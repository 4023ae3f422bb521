import type { ByteRange } from '@overtone/object-store';
import type { RouteRequest } from '@overtone/service-kit';

export type Exchange = Pick<RouteRequest<never>, 'req' | 'res' | 'signal'>;
/** Sends an object whole or in part, with these headers. */
export type SendObject = (exchange: Exchange, key: string, headers: Record<string, string>) => Promise<void>;

/** `whole`: no range, or one that is ignored (several ranges, another unit). */
export type RequestedRange =
  { kind: 'whole' } | { kind: 'range'; range: Required<ByteRange> } | { kind: 'unsatisfiable' };

/** Parses the `Range` header (RFC 9110, 14.2): a malformed one is ignored, one beyond the end is unsatisfiable. */
export function parseRange(header: string | undefined, size: number): RequestedRange {
  const match = /^bytes=[ \t]{0,8}(\d{0,20})-(\d{0,20})[ \t]{0,8}$/i.exec(header ?? '');
  const [, first = '', last = ''] = match ?? [];
  if (!match || (first === '' && last === '')) return { kind: 'whole' };
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? { kind: 'unsatisfiable' } : range(size - length, size - 1);
  }
  const [start, end] = [Number(first), last === '' ? size - 1 : Math.min(Number(last), size - 1)];
  if (last !== '' && Number(last) < start) return { kind: 'whole' };
  return start >= size ? { kind: 'unsatisfiable' } : range(start, end);
}

function range(start: number, end: number): RequestedRange {
  return { kind: 'range', range: { start, end } };
}

/** Whether `If-Range` matches (RFC 9110, 13.1.5); dates and weak tags never match. */
export function rangeApplies(ifRange: string | undefined, etag: string): boolean {
  return ifRange === undefined || ifRange === etag;
}

/** Whether `If-None-Match` matches the etag (RFC 9110, 13.1.2). */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  return (
    ifNoneMatch?.trim() === '*' || (ifNoneMatch ?? '').split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
  );
}

/** A `Content-Disposition` header (RFC 6266) with the file name escaped. */
export function dispositionOf(kind: 'inline' | 'attachment', filename: string): string {
  const name = filename.replaceAll(/[\p{Cc}\p{Cf}/\\]/gu, '_').toWellFormed();
  const ascii = name.replaceAll(/[^\x20-\x7e]/g, '_').replaceAll(/["%]/g, '_');
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (match) => `%${match.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

/** Resamples peaks to `columns` values between 0 and 1; each is the maximum of its interval. */
export function resample(peaks: number[], columns: number, loudest: number): number[] {
  const count = Math.min(columns, peaks.length);
  return Array.from({ length: count }, (_, column) => {
    const from = Math.floor((column * peaks.length) / count);
    const until = Math.max(from + 1, Math.floor(((column + 1) * peaks.length) / count));
    let peak = 0;
    for (let i = from; i < until; i += 1) peak = Math.max(peak, peaks[i] ?? 0);
    return Math.round((Math.min(peak, loudest) / loudest) * 1000) / 1000;
  });
}
