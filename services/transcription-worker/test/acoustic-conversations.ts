import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { Turn } from '@overtone/contracts';
import { createFolder } from '@overtone/testkit/cleanup';
import { record, type SpokenTurn, type Utterance } from '@overtone/testkit/recordings';
import { createConversation } from '../bench/conversations.ts';
import { conditions, degrade, type Condition } from '../bench/rooms.ts';
import { readSamples, sampleRate, wavSeconds } from '../src/audio/wav.ts';
import { createAcousticDiarizer } from '../src/diarization/acoustic.adapter.ts';
import { childEnvironment } from '../src/env.ts';
import { alternate, meeting } from './utterances.ts';

export const diarizer = createAcousticDiarizer({ env: childEnvironment() });
export const folder = await createFolder();

export function of(voice: string): Utterance[] {
  return meeting.filter((utterance) => utterance.voice === voice);
}

/** Share of the spoken time that is given to the right person, when labels are matched as well as they can be. */
function rightShare(spoken: readonly Omit<SpokenTurn, 'text'>[], found: readonly Turn[]): number {
  const counts = new Map<string, number>();
  let total = 0;
  for (const turn of spoken)
    for (let time = turn.start; time < turn.end; time += 0.05) {
      const hit = found.find((candidate) => candidate.start <= time && time < candidate.end);
      if (!hit) continue;
      total += 1;
      const key = `${turn.voice}|${hit.speaker}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  const used = new Set<string>();
  let right = 0;
  for (const [key, count] of [...counts].sort((x, y) => y[1] - x[1])) {
    const [who = '', label = ''] = key.split('|');
    if (used.has(`w${who}`) || used.has(`l${label}`)) continue;
    used.add(`w${who}`).add(`l${label}`);
    right += count;
  }
  return right / total;
}

function conditionOf(name: string): Condition {
  return conditions.find((condition) => condition.name === name)!;
}

export async function diarizeInRoom(
  speakers: number,
  name: string,
  bounds: { maxSpeakers?: number; minSpeakers?: number } = {},
) {
  const conversation = await createConversation({ set: 'development', index: speakers, speakers, overlap: 0, folder });
  const wavPath = join(folder, `${randomUUID()}.wav`);
  await writeFile(wavPath, degrade(conversation, conditionOf(name), 7, null));
  const { turns } = await diarizer.diarize({
    wavPath,
    seconds: await wavSeconds(wavPath),
    minSpeakers: bounds.minSpeakers ?? null,
    maxSpeakers: bounds.maxSpeakers ?? null,
  });
  const spoken = conversation.turns.map(({ speaker, ...turn }) => ({ voice: speaker, ...turn }));
  return { speakers: new Set(turns.map((turn) => turn.speaker)).size, right: rightShare(spoken, turns) };
}

export async function diarize(
  utterances: readonly Utterance[],
  bounds: { minSpeakers?: number; maxSpeakers?: number } = {},
) {
  const wavPath = join(folder, `${randomUUID()}.wav`);
  const { turns: spoken } = await record(wavPath, utterances);
  const seconds = await wavSeconds(wavPath);
  const done = await diarizer.diarize({
    wavPath,
    seconds,
    minSpeakers: bounds.minSpeakers ?? null,
    maxSpeakers: bounds.maxSpeakers ?? null,
  });
  return {
    ...done,
    seconds,
    speakers: new Set(done.turns.map((turn) => turn.speaker)).size,
    right: rightShare(spoken, done.turns),
  };
}

async function samplesOf(utterances: readonly Utterance[]): Promise<Float32Array> {
  const wavPath = join(folder, `${randomUUID()}.wav`);
  await record(wavPath, utterances, 0);
  return readSamples(wavPath, 0, await wavSeconds(wavPath));
}

/**
 * Two people speak in turns; the last turn of the second begins `early` seconds before the first has ended. @returns the
 * time when both speak, and the times when two turns of different speakers were found (in steps of 0.1 s).
 */
export async function diarizeOverlap(one: readonly Utterance[], other: readonly Utterance[], early: number) {
  const [conversation, last, reply] = [
    await samplesOf(alternate(one, other)),
    await samplesOf(one.slice(2, 4)),
    await samplesOf(other.slice(2)),
  ];
  const end = conversation.length + last.length;
  const start = end - early * sampleRate;
  const tracks = [new Float32Array(start + reply.length), new Float32Array(start + reply.length)] as const;
  tracks[0].set(conversation);
  tracks[0].set(last, conversation.length);
  tracks[1].set(reply, start);
  const wavPath = join(folder, `${randomUUID()}.wav`);
  await writeFile(wavPath, degrade({ tracks: [...tracks] }, conditionOf('clean'), 1, null));
  const seconds = await wavSeconds(wavPath);
  const { turns } = await diarizer.diarize({ wavPath, seconds, minSpeakers: null, maxSpeakers: null });
  const times = Array.from({ length: Math.floor(seconds * 10) }, (_, i) => i / 10);
  const speakersAt = (time: number) =>
    new Set(turns.filter((turn) => turn.start <= time && time < turn.end).map(({ speaker }) => speaker)).size;
  return {
    both: { start: start / sampleRate, end: end / sampleRate },
    overlaps: times.filter((time) => speakersAt(time) > 1),
  };
}

/** What must be found of people who speak one after the other. */
export function expectSpeakers(found: Awaited<ReturnType<typeof diarize>>, speakers: number): void {
  expect(found).toMatchObject({ provider: 'acoustic', degraded: null, speakers });
  expect(found.right).toBeGreaterThan(0.97);
  expect(
    found.turns.every(
      (turn, i) => turn.start >= (found.turns[i - 1]?.end ?? 0) && turn.end > turn.start && turn.end <= found.seconds,
    ),
  ).toBe(true);
}

/** Two turns at once where both speak for `early` seconds, and only there. */
export function expectOverlap({ both, overlaps }: Awaited<ReturnType<typeof diarizeOverlap>>, early: number): void {
  expect(overlaps.length / 10).toBeGreaterThan(early / 2);
  expect(overlaps.every((time) => time > both.start - 0.5 && time < both.end + 0.5)).toBe(true);
}
