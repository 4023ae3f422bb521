import { createHash } from 'node:crypto';
import { voiceLimits, type SpokenSpans } from '@overtone/contracts';

type Spoken = {
  speakerId: string;
  start: number;
  end: number;
  /** Another person speaks in it, too. */
  hasOverlap: boolean;
};

/** Seconds of a speaker alone; with fewer, parts with another voice are better than none. */
const enoughAlone = 20;

/** The longest parts of every speaker, in order of time, up to what an embedding needs. */
export function selectSpans(spoken: readonly Spoken[]): SpokenSpans[] {
  const bySpeaker = Map.groupBy(spoken, ({ speakerId }) => speakerId);
  return [...bySpeaker].map(([speakerId, parts]) => {
    let seconds = 0;
    const spans: [number, number][] = [];
    for (const { start, end } of partsAlone(parts).toSorted((x, y) => y.end - y.start - (x.end - x.start))) {
      if (seconds >= voiceLimits.secondsPerVoice || spans.length >= voiceLimits.spansPerVoice) break;
      const length = Math.min(end - start, voiceLimits.secondsPerVoice - seconds);
      spans.push([start, start + length]);
      seconds += length;
    }
    return { speakerId, spans: spans.toSorted(([one], [other]) => one - other) };
  });
}

function partsAlone(parts: readonly Spoken[]): readonly Spoken[] {
  const alone = parts.filter(({ hasOverlap }) => !hasOverlap);
  return alone.reduce((sum, { start, end }) => sum + end - start, 0) >= enoughAlone ? alone : parts;
}

/** Changes when other parts are spoken by a speaker, or the recording is another one. */
export function fingerprintOf(source: string, speakers: readonly SpokenSpans[]): string {
  return createHash('sha256')
    .update(JSON.stringify([source, speakers]))
    .digest('hex');
}

/** Whether a speaker is another person than that of a profile by now, or was given another name. */
export function isDecidedOtherwise(
  { profileId, displayName }: { profileId: string | null; displayName: string | null },
  profile: { id: string; name: string },
): boolean {
  return (profileId !== null && profileId !== profile.id) || (displayName !== null && displayName !== profile.name);
}

type Voice = { id: string; fileId: string };
type Pair = { first: string; second: string; confidence: number };

/**
 * Groups voices that are likely one person. Every pair of a group is likely: a chain of similar voices does not join two
 * people. Voices of one file, and those that a person has kept apart, are never joined.
 */
export function clusterSpeakers(
  voices: readonly Voice[],
  pairs: readonly Pair[],
  apart: ReadonlySet<string>,
): string[][] {
  const fileOf = new Map(voices.map(({ id, fileId }) => [id, fileId]));
  const likely = new Set(pairs.map(({ first, second }) => pairKey(first, second)));
  const fits = (one: string, other: string): boolean =>
    likely.has(pairKey(one, other)) && fileOf.get(one) !== fileOf.get(other) && !apart.has(pairKey(one, other));
  const groupOf = new Map(voices.map(({ id }) => [id, [id]]));
  for (const { first, second } of pairs.toSorted((x, y) => y.confidence - x.confidence)) {
    const [one, other] = [groupOf.get(first), groupOf.get(second)];
    if (!one || !other || one === other) continue;
    if (!one.every((id) => other.every((candidate) => fits(id, candidate)))) continue;
    const joined = [...one, ...other];
    for (const id of joined) groupOf.set(id, joined);
  }
  return [...new Set(groupOf.values())].toSorted((x, y) => y.length - x.length);
}

/** With which voices each voice was kept apart. */
export function keptApartOf(pairs: readonly { firstId: string; secondId: string }[]): Map<string, string[]> {
  const keptApart = new Map<string, string[]>();
  for (const { firstId, secondId } of pairs) {
    keptApart.set(firstId, [...(keptApart.get(firstId) ?? []), secondId]);
    keptApart.set(secondId, [...(keptApart.get(secondId) ?? []), firstId]);
  }
  return keptApart;
}

/** For the audit log, which takes no longer text. */
export function listOf(values: readonly string[], separator = ' '): string {
  const shown = values.slice(0, 10).join(separator);
  return values.length > 10 ? `${shown} and ${values.length - 10} more` : shown;
}

/**
 * The titles of voices' recordings for the audit log, of the actor's own ones only: a record is cleared when the actor is
 * erased, not when the owner of another recording is.
 */
export function titlesFor<K extends string>(
  key: K,
  voices: readonly { file: { userId: string; title: string } }[],
  { userId }: { userId: string },
): Partial<Record<K, string>> {
  const own = voices.flatMap(({ file }) => (file.userId === userId ? [file.title] : []));
  if (own.length === 0) return {};
  return { [key]: listOf([...new Set(own)], ', ') } as Record<K, string>;
}

/** The same for both orders. */
export function pairKey(one: string, other: string): string {
  return orderedPair(one, other).join(' ');
}

export function orderedPair(one: string, other: string): [string, string] {
  return one < other ? [one, other] : [other, one];
}
