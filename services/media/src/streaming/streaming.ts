import type { ByteRange } from '@overtone/object-store';

/** `whole`: no range, or one that need not be honoured (several ranges, another unit). */
export type Asked = { kind: 'whole' } | { kind: 'range'; range: Required<ByteRange> } | { kind: 'unsatisfiable' };

/** The `Range` header against a size (RFC 9110, 14.2): a malformed one is ignored, one beyond the end is refused. */
export const askedFor = (header: string | undefined, size: number): Asked => {
  const match = /^bytes=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(header ?? '');
  const [, first = '', last = ''] = match ?? [];
  if (!match || (first === '' && last === '')) return { kind: 'whole' };
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? { kind: 'unsatisfiable' } : range(size - length, size - 1);
  }
  const [start, end] = [Number(first), last === '' ? size - 1 : Math.min(Number(last), size - 1)];
  if (last !== '' && Number(last) < start) return { kind: 'whole' };
  return start >= size ? { kind: 'unsatisfiable' } : range(start, end);
};

const range = (start: number, end: number): Asked => ({ kind: 'range', range: { start, end } });

/** A range only holds for the version the client has (RFC 9110, 13.1.5); dates and weak tags are not compared. */
export const rangeHolds = (ifRange: string | undefined, etag: string): boolean =>
  ifRange === undefined || ifRange === etag;

/** Whether the client has this version already (RFC 9110, 13.1.2). */
export const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch?.trim() === '*' || (ifNoneMatch ?? '').split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);

/** `Content-Disposition` (RFC 6266) that no file name can break out of. */
export const dispositionOf = (kind: 'inline' | 'attachment', filename: string): string => {
  const name = filename.replaceAll(/[\p{Cc}\p{Cf}/\\]/gu, '_').toWellFormed();
  const ascii = name.replaceAll(/[^\x20-\x7e]/g, '_').replaceAll(/["%]/g, '_');
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${encoded}`;
};

/** Peaks between 0 and 1 in as many columns as are drawn; a column shows the loudest of what it covers. */
export const resample = (peaks: number[], columns: number, loudest: number): number[] => {
  const count = Math.min(columns, peaks.length);
  return Array.from({ length: count }, (_, column) => {
    const from = Math.floor((column * peaks.length) / count);
    const until = Math.max(from + 1, Math.floor(((column + 1) * peaks.length) / count));
    let peak = 0;
    for (let i = from; i < until; i += 1) peak = Math.max(peak, peaks[i] ?? 0);
    return Math.round((Math.min(peak, loudest) / loudest) * 1000) / 1000;
  });
};
