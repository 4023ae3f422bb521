import { randomUUID } from 'node:crypto';
import { access } from 'node:fs/promises';
import { voiceSettings, voiceVersions } from '@overtone/contracts';
import { matchProfiles, scoringOf, type Scoring } from '@overtone/search-indexer/voices';
import {
  recordReaders,
  recordVoices,
  type FoundSpeaker,
  type RecordedReader,
  type RecordedVoices,
} from '@overtone/transcription-worker/voices-bench';
import type { Bench, Row } from './bench.ts';
import { needTools } from './tools.ts';

type Model = { key: string; title: string; scoring: Scoring };
type Counted = { right: number; wrong: number; known: number; others: number };

const goal = { right: 0.9, wrong: 0.02 };
const { default: threshold } = voiceSettings.fields.suggestion_threshold;

/**
 * Each voice is named in one recording; which of the other recordings' speakers are suggested rightly, and which wrongly?
 * The version that needs a model is measured when OT_BENCH_SPEAKER_MODEL is the path of that model.
 */
export const voicesBench: Bench = {
  name: 'voices',
  about: 'speakers of other recordings that are suggested rightly and wrongly after each voice was named once',
  run: async function* ({ folder, size }) {
    needTools(['flite', 'espeak-ng', 'sox']);
    const neuralModel = process.env['OT_BENCH_SPEAKER_MODEL'] ?? null;
    if (neuralModel !== null) await access(neuralModel);
    const models: Model[] = voiceVersions
      .filter(({ needs }) => needs === null || neuralModel !== null)
      .map(({ name, model }) => ({ key: name, title: `${name} ${model}`, scoring: scoringOf(name) }));
    for await (const recorded of recordVoices(folder, { size, neuralModel }))
      for (const { key, title, scoring } of models) yield rowOf(recorded, title, countMatches(recorded, key, scoring));
    const recorded = await recordReaders(folder, { size, neuralModel });
    for (const model of models) yield* rowsOfReaders(recorded, model);
  },
};

/** All sets of three readers together, then each set that misses the goal. */
function* rowsOfReaders(readers: readonly RecordedReader[], { key, title, scoring }: Model): Generator<Row> {
  const sets = setsOf(readers).map((set) => ({ set, counted: countMatches(set, key, scoring) }));
  const sum = (part: keyof Counted): number => sets.reduce((total, { counted }) => total + counted[part], 0);
  const all = { right: sum('right'), wrong: sum('wrong'), known: sum('known'), others: sum('others') };
  yield rowOf({ name: `${sets.length} sets of three readers`, isJudged: true }, title, all);
  for (const { set, counted } of sets) if (!isGood(counted)) yield rowOf(set, title, counted);
}

/** Every three readers; every third recording is one of a stranger, in turn of each of the others. */
function setsOf(readers: readonly RecordedReader[]): RecordedVoices[] {
  const sets = readers.flatMap((first, i) =>
    readers
      .slice(i + 1)
      .flatMap((second) => readers.slice(readers.indexOf(second) + 1).map((third) => [first, second, third])),
  );
  return sets.map((named) => {
    const strangers = readers.filter((reader) => !named.includes(reader));
    const speakersIn = (at: number): FoundSpeaker[] => {
      const stranger = at % 3 === 2 ? strangers[at % strangers.length] : undefined;
      return [...named, ...(stranger ? [stranger] : [])].flatMap((reader) => reader.recordings[at] ?? []);
    };
    const names = named.map(({ name }) => name);
    const recordings = (named[0]?.recordings ?? []).map((_, at) => speakersIn(at));
    return { name: names.join(', '), named: names, recordings, isJudged: true };
  });
}

function isGood({ right, wrong, known, others }: Counted): boolean {
  return right / known >= goal.right && wrong / others < goal.wrong;
}

function rowOf({ name, isJudged }: Pick<RecordedVoices, 'name' | 'isJudged'>, model: string, counted: Counted): Row {
  const { right, wrong, known, others } = counted;
  const row = {
    name: `voices: ${name}, ${model}`,
    ours: `right ${percent(right / known)} of ${known}, wrong ${percent(wrong / others)} of ${others}`,
  };
  if (!isJudged) return row;
  return {
    ...row,
    goal: `right >= ${percent(goal.right)}, wrong < ${percent(goal.wrong)}`,
    met: isGood(counted),
  };
}

/** `known`: speakers with a named voice, without those that were named; `others`: these and the strangers. */
function countMatches({ named, recordings }: RecordedVoices, model: string, scoring: Scoring): Counted {
  const speakers = recordings.flat().map((speaker) => ({ ...speaker, speakerId: randomUUID() }));
  const rowOfSpeaker = ({ speakerId, vectors }: FoundSpeaker & { speakerId: string }) => ({
    speakerId,
    vector: vectors[model] ?? new Float32Array(0),
  });
  const profiles = named.flatMap((voice) => {
    const first = speakers.find((speaker) => speaker.voice === voice);
    return first ? [{ profileId: voice, rows: [rowOfSpeaker(first)], speakerId: first.speakerId }] : [];
  });
  const isNamed = new Set(profiles.map(({ speakerId }) => speakerId));
  const rest = speakers.filter(({ speakerId }) => !isNamed.has(speakerId));
  const matches = matchProfiles(scoring, rest.map(rowOfSpeaker), profiles, []);
  const suggestion = new Map<string, string>();
  for (const match of matches)
    if (match.confidence >= threshold && !suggestion.has(match.speakerId))
      suggestion.set(match.speakerId, match.profileId);
  const isSuggested = ({ speakerId }: { speakerId: string }) => suggestion.has(speakerId);
  const isRight = ({ speakerId, voice }: { speakerId: string; voice: string }) => suggestion.get(speakerId) === voice;
  return {
    right: rest.filter(isRight).length,
    wrong: rest.filter((speaker) => isSuggested(speaker) && !isRight(speaker)).length,
    // A recording in which the diarizer does not find a voice counts as one that is not suggested.
    known:
      recordings.flatMap((found) => named.map((voice) => Math.max(1, countOf(found, voice)))).reduce(add, 0) -
      profiles.length,
    others: rest.length,
  };
}

function countOf(found: readonly FoundSpeaker[], voice: string): number {
  return found.filter((speaker) => speaker.voice === voice).length;
}

function add(sum: number, value: number): number {
  return sum + value;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
