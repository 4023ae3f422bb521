import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { segmentPageSize, segmentsQuery, type Segment } from '../api/queries.ts';
import { transcriptVersions } from '../live/transcript-versions.ts';
import type { Indexed } from './transcript.ts';

export type Transcript = {
  /** By index; undefined where the page has not arrived. */
  readonly segments: readonly (Segment | undefined)[];
  readonly loaded: readonly Indexed[];
  readonly total: number;
  readonly pending: boolean;
  readonly complete: boolean;
  readonly error: unknown;
  readonly retry: () => void;
  /** Brings the pages of these rows before all others. */
  readonly want: (from: number, to: number) => void;
};

const ahead = 3;

/**
 * The transcript in pages: the first at once, then what is looked at, then the rest in the background, so that ten
 * hours open as fast as ten minutes and can still be searched as a whole.
 */
export const useTranscript = (uuid: string, expected: number, version: number): Transcript => {
  const [wanted, setWanted] = useState<{ readonly from: number; readonly to: number }>({ from: 0, to: 0 });
  const [prefix, setPrefix] = useState(0);
  const [known, setKnown] = useState(0);
  const pageCount = Math.max(1, Math.ceil(Math.max(expected, known) / segmentPageSize));
  const results = useQueries({
    queries: Array.from({ length: pageCount }, (_, page) => ({
      ...segmentsQuery(uuid, page),
      enabled: page <= prefix + ahead - 1 || (page >= wanted.from && page <= wanted.to),
    })),
  });
  const begun = results[0]?.data !== undefined;
  useNewerVersion(uuid, version, begun);
  const pages = useStable(results.map((r) => r.data));
  const arrived = pages.findIndex((p) => p === undefined);
  const nextPrefix = arrived === -1 ? pages.length : arrived;
  const nextKnown = pages.find((p) => p !== undefined)?.total_segments ?? 0;
  if (nextPrefix !== prefix) setPrefix(nextPrefix);
  if (nextKnown !== known) setKnown(nextKnown);
  const total = nextKnown > 0 || pages[0] ? nextKnown : expected;
  const segments = useMemo(() => {
    const all: (Segment | undefined)[] = Array.from({ length: total });
    pages.forEach((page, p) => page?.transcript_segments.forEach((s, i) => (all[p * segmentPageSize + i] = s)));
    return all.slice(0, total);
  }, [total, pages]);
  const loaded = useMemo(() => segments.flatMap((segment, index) => (segment ? [{ index, segment }] : [])), [segments]);
  const want = useCallback((from: number, to: number) => {
    const next = { from: Math.floor(from / segmentPageSize), to: Math.floor(to / segmentPageSize) };
    setWanted((old) => (old.from === next.from && old.to === next.to ? old : next));
  }, []);
  return {
    segments,
    loaded,
    total,
    pending: results[0]?.isPending ?? true,
    complete: pages.every((p) => p !== undefined),
    error: results.find((r) => r.isError)?.error ?? null,
    retry: () => results.forEach((r) => r.isError && void r.refetch()),
    want,
  };
};

/** The file tells a version that the pages do not have: the push channel was away, or another tab was quicker. */
const useNewerVersion = (uuid: string, version: number, begun: boolean): void => {
  const client = useQueryClient();
  useEffect(() => {
    if (begun && transcriptVersions.isNews(uuid, version))
      void client.invalidateQueries({ queryKey: ['segments', uuid] });
  }, [client, uuid, version, begun]);
};

/** The list of the last render when its members are the same. */
const useStable = <T>(list: readonly T[]): readonly T[] => {
  const last = useRef(list);
  const same = last.current.length === list.length && list.every((item, i) => Object.is(item, last.current[i]));
  if (!same) last.current = list;
  return last.current;
};
