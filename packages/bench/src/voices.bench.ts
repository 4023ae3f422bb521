import { randomUUID } from 'node:crypto';
import { access } from 'node:fs/promises';
import { voiceSettings, voiceVersions } from '@overtone/contracts';
import { matchProfiles } from '@overtone/search-indexer/voices';
import { recordVoices, type FoundSpeaker, type RecordedVoices } from '@overtone/transcription-worker/voices-bench';
import type { Bench, Row } from './bench.ts';
import { needTools } from './tools.ts';

type Calibration = { middle: number; slope: number };
type Counted = { right: number; wrong: number; known: number; others: number };

const goal = { right: 0.9, wrong: 0.02 };
/** Of a neural model, which no version of the speaker index uses yet: the similarity that its authors recommend. */
const neural: Calibration = { middle: 0.5, slope: 15 };
const { default: threshold } = voiceSettings.fields.suggestion_threshold;

/**
 * Each voice is named in one recording; which of the other recordings' speakers are suggested rightly, and which wrongly?
 * A neural model of speaker embeddings is measured when OT_BENCH_SPEAKER_MODEL is the path of one.
 */
export const voicesBench: Bench = {
  name: 'voices',
  about: 'speakers of other recordings that are suggested rightly and wrongly after each voice was named once',
  run: async function* ({ folder, size }) {
    needTools(['flite', 'espeak-ng', 'sox']);
    const neuralModel = process.env['OT_BENCH_SPEAKER_MODEL'] ?? null;
    if (neuralModel !== null) await access(neuralModel);
    const models = [
      ...voiceVersions.map(({ name, model, confidence }) => ({ key: name, title: `${name} ${model}`, confidence })),
      ...(neuralModel === null ? [] : [{ key: 'neural', title: 'neural model', confidence: neural }]),
    ];
    for await (const recorded of recordVoices(folder, { size, neuralModel }))
      for (const { key, title, confidence } of models)
        yield rowOf(recorded, title, countMatches(recorded, key, confidence));
  },
};

function rowOf({ name, isJudged }: RecordedVoices, model: string, { right, wrong, known, others }: Counted): Row {
  const row = {
    name: `voices: ${name}, ${model}`,
    ours: `right ${percent(right / known)} of ${known}, wrong ${percent(wrong / others)} of ${others}`,
  };
  if (!isJudged) return row;
  return {
    ...row,
    goal: `right >= ${percent(goal.right)}, wrong < ${percent(goal.wrong)}`,
    met: right / known >= goal.right && wrong / others < goal.wrong,
  };
}

/** `known`: speakers with a named voice, without those that were named; `others`: these and the strangers. */
function countMatches({ named, recordings }: RecordedVoices, model: string, confidence: Calibration): Counted {
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
  const matches = matchProfiles(confidence, rest.map(rowOfSpeaker), profiles, []);
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
    known: recordings.length * named.length - profiles.length,
    others: rest.length,
  };
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
