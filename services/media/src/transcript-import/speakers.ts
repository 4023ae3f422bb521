type Spoken = { start: number; end: number; speaker: string | null };

/**
 * The speakers of an import onto an existing transcript. A file without names keeps the speakers: each segment gets
 * the one who spoke most of its time before.
 */
export function assignSpeakers<S extends Spoken>(segments: S[], replaced: readonly Spoken[]): S[] {
  if (segments.some(({ speaker }) => speaker !== null)) return segments;
  const spoken = replaced.filter(({ speaker }) => speaker !== null).toSorted((left, right) => left.start - right.start);
  const longest = spoken.reduce((seconds, { start, end }) => Math.max(seconds, end - start), 0);
  let first = 0;
  return segments.map((segment) => {
    // Both lists are in order of time: what began long before this segment cannot reach a later one.
    while (first < spoken.length && (spoken[first]?.start ?? 0) + longest < segment.start) first += 1;
    return { ...segment, speaker: mainSpeaker(segment, spoken, first) };
  });
}

function mainSpeaker({ start, end }: Spoken, spoken: readonly Spoken[], first: number): string | null {
  const seconds = new Map<string, number>();
  for (let i = first; i < spoken.length; i += 1) {
    const other = spoken[i];
    if (!other || other.start >= end) break;
    const shared = Math.min(end, other.end) - Math.max(start, other.start);
    if (shared > 0 && other.speaker !== null) seconds.set(other.speaker, (seconds.get(other.speaker) ?? 0) + shared);
  }
  return [...seconds].sort(([, x], [, y]) => y - x)[0]?.[0] ?? null;
}
