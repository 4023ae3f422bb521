import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { call } from '../api/client.ts';
import { segmentPageSize, segmentsQuery, type FileDetail, type Segment } from '../api/queries.ts';
import { isInProgress } from '../library/status.ts';
import { transcriptVersions } from '../live/transcript-versions.ts';
import type { IndexedSegment } from './transcript.ts';

export type Transcript = {
  /** By index; undefined where the page is not loaded yet. */
  readonly segments: readonly (Segment | undefined)[];
  readonly loaded: readonly IndexedSegment[];
  readonly total: number;
  readonly pending: boolean;
  readonly complete: boolean;
  /** Whether all loaded pages are of one version: passages of two could be there twice, or not at all. */
  readonly consistent: boolean;
  readonly error: unknown;
  readonly retry: () => void;
  /** Loads the pages of these rows before all others. */
  readonly prioritize: (from: number, to: number) => void;
};

const parallelPages = 3;

/**
 * Loads the transcript in pages: first the first one, then the visible ones, then the rest in the background. Ten hours
 * open as fast as ten minutes and can still be searched as a whole.
 */
export function useTranscript(uuid: string, expected: number, version: number): Transcript {
  const [prioritized, setPrioritized] = useState<{ readonly from: number; readonly to: number }>({ from: 0, to: 0 });
  const [loadedPrefix, setLoadedPrefix] = useState(0);
  const [knownTotal, setKnownTotal] = useState(0);
  const pageCount = Math.max(1, Math.ceil(Math.max(expected, knownTotal) / segmentPageSize));
  const results = useQueries({
    queries: Array.from({ length: pageCount }, (_, page) => ({
      ...segmentsQuery(uuid, page),
      enabled: page <= loadedPrefix + parallelPages - 1 || (page >= prioritized.from && page <= prioritized.to),
    })),
  });
  const isLoaded = results[0]?.data !== undefined;
  useReloadNewerVersion(uuid, version, isLoaded);
  const pages = useStable(results.map(({ data }) => data));
  const versions = new Set(pages.flatMap((page) => page?.transcript_version ?? []));
  useReloadMixedVersions(uuid, versions.size > 1 && results.every(({ isFetching }) => !isFetching));
  const missing = pages.findIndex((page) => page === undefined);
  const nextPrefix = missing === -1 ? pages.length : missing;
  const nextTotal = pages.find((page) => page !== undefined)?.total_segments ?? 0;
  if (nextPrefix !== loadedPrefix) setLoadedPrefix(nextPrefix);
  if (nextTotal !== knownTotal) setKnownTotal(nextTotal);
  const total = nextTotal > 0 || pages[0] ? nextTotal : expected;
  const segments = useMemo(() => {
    const all: (Segment | undefined)[] = Array.from({ length: total });
    pages.forEach((page, pageIndex) =>
      page?.transcript_segments.forEach((segment, i) => (all[pageIndex * segmentPageSize + i] = segment)),
    );
    return all.slice(0, total);
  }, [total, pages]);
  const loaded = useMemo(() => segments.flatMap((segment, index) => (segment ? [{ index, segment }] : [])), [segments]);
  const prioritize = useCallback((from: number, to: number) => {
    const next = { from: Math.floor(from / segmentPageSize), to: Math.floor(to / segmentPageSize) };
    setPrioritized((current) => (current.from === next.from && current.to === next.to ? current : next));
  }, []);
  return {
    segments,
    loaded,
    total,
    pending: results[0]?.isPending ?? true,
    complete: pages.every((page) => page !== undefined),
    consistent: versions.size <= 1,
    error: results.find(({ isError }) => isError)?.error ?? null,
    retry: () => results.forEach(({ isError, refetch }) => isError && void refetch()),
    prioritize,
  };
}

/** Whether there is a document to show: passages, or none any more because all were deleted. */
export function useHasDocument(file: FileDetail, { total, pending, error }: Transcript): boolean {
  const [hadPassages, setHadPassages] = useState(false);
  if (total > 0 && !hadPassages) setHadPassages(true);
  const isEmpty = total === 0 && !pending && error === null && !isInProgress(file);
  const history = useQuery({
    queryKey: ['file', file.uuid, 'corrections'],
    queryFn: ({ signal }) =>
      call('GET /api/files/{uuid}/transcript/operations', {
        params: { uuid: file.uuid },
        query: { limit: 1 },
        signal,
      }),
    enabled: isEmpty && file.transcript_version > 0,
  });
  if (total > 0 || error !== null) return true;
  return isEmpty && (hadPassages || (history.data?.revision ?? 0) > 0);
}

/** Reloads the pages when the file has a newer version: the push channel was disconnected, or another tab edited it. */
function useReloadNewerVersion(uuid: string, version: number, isLoaded: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (isLoaded && transcriptVersions.isUnknown(uuid, version))
      void client.invalidateQueries({ queryKey: ['segments', uuid] });
  }, [client, uuid, version, isLoaded]);
}

/** Reloads the pages when some were loaded before a change, and others after it. */
function useReloadMixedVersions(uuid: string, isMixed: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (isMixed) void client.invalidateQueries({ queryKey: ['segments', uuid] });
  }, [client, uuid, isMixed]);
}

/** Returns the list of the last render while its items are the same. */
function useStable<T>(list: readonly T[]): readonly T[] {
  const last = useRef(list);
  const isSame = last.current.length === list.length && list.every((item, i) => Object.is(item, last.current[i]));
  if (!isSame) last.current = list;
  return last.current;
}
