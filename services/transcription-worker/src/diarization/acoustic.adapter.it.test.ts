import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Turn } from '@overtone/contracts';
import { describe, expect, it } from '@jest/globals';
import { createFolder } from '@overtone/testkit/cleanup';
import { slow } from '../../test/engine-contract.ts';
import { record, type SpokenTurn, type Utterance } from '@overtone/testkit/recordings';
import { createConversation } from '../../bench/conversations.ts';
import { conditions, degrade, type Condition } from '../../bench/rooms.ts';
import { alternate, cards, librivox, meeting } from '../../test/utterances.ts';
import { bytesPerSecond, readSamples, sampleRate, wavHeader, wavSeconds } from '../audio/wav.ts';
import { childEnvironment } from '../env.ts';
import { createAcousticDiarizer } from './acoustic.adapter.ts';

const diarizer = createAcousticDiarizer({ env: childEnvironment() });
const folder = await createFolder();

function of(voice: string): Utterance[] {
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

async function diarizeInRoom(
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

async function diarize(utterances: readonly Utterance[], bounds: { minSpeakers?: number; maxSpeakers?: number } = {}) {
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
async function diarizeOverlap(one: readonly Utterance[], other: readonly Utterance[], early: number) {
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

describe('acoustic diarization', () => {
  it.each([
    ['two synthetic voices', meeting, 2],
    ['two real people', alternate(librivox, cards), 2],
    ['a real and a synthetic voice', alternate(librivox, of('rms')), 2],
    ['three voices', alternate(librivox, of('rms'), of('slt')), 3],
    ['one real person', librivox, 1],
    ['one synthetic voice', of('slt'), 1],
  ])(
    'finds %s',
    async (_, utterances, speakers) => {
      const found = await diarize(utterances);
      expect(found).toMatchObject({ provider: 'acoustic', degraded: null, speakers });
      expect(found.right).toBeGreaterThan(0.97);
      expect(
        found.turns.every(
          (turn, i) =>
            turn.start >= (found.turns[i - 1]?.end ?? 0) && turn.end > turn.start && turn.end <= found.seconds,
        ),
      ).toBe(true);
    },
    slow,
  );

  it(
    'keeps to the number of speakers that its owner knows',
    async () => {
      expect((await diarize(meeting, { maxSpeakers: 1 })).speakers).toBe(1);
      expect((await diarize(of('rms'), { minSpeakers: 2 })).speakers).toBe(2);
    },
    slow,
  );

  it(
    'separates three voices in a telephone band with reverberation and noise',
    async () => {
      const found = await diarizeInRoom(3, 'band, room 0.5 s, white 15 dB');
      expect(found.speakers).toBe(3);
      expect(found.right).toBeGreaterThan(0.85);
    },
    slow,
  );

  it(
    'finds one voice in a telephone band with reverberation and noise',
    async () => {
      expect((await diarizeInRoom(1, 'band, room 0.7 s, white 10 dB')).speakers).toBe(1);
    },
    slow,
  );

  it(
    'keeps to the number of speakers of a noisy recording that its owner knows',
    async () => {
      const name = 'band, room 0.5 s, white 15 dB';
      expect((await diarizeInRoom(3, name, { maxSpeakers: 2 })).speakers).toBe(2);
      expect((await diarizeInRoom(1, name, { minSpeakers: 2 })).speakers).toBe(2);
    },
    slow,
  );

  it.each([
    ['two synthetic voices', of('slt'), of('rms'), 3],
    ['a real and a synthetic voice', librivox, of('rms'), 2],
  ])(
    'returns two turns where %s speak at once, and only there',
    async (_, one, other, early) => {
      const { both, overlaps } = await diarizeOverlap(one, other, early);
      expect(overlaps.length / 10).toBeGreaterThan(early / 2);
      expect(overlaps.every((time) => time > both.start - 0.5 && time < both.end + 0.5)).toBe(true);
    },
    slow,
  );

  it.each([
    ['two synthetic voices', of('slt'), of('rms')],
    ['two real people', librivox, cards],
    ['a real and a synthetic voice', librivox, of('rms')],
  ])(
    'returns no overlapping turns when %s speak one after the other',
    async (_, one, other) => {
      expect((await diarizeOverlap(one, other, 0)).overlaps).toEqual([]);
    },
    slow,
  );

  it(
    'says that there was no speech to tell speakers by',
    async () => {
      const wavPath = join(folder, 'silence.wav');
      await writeFile(wavPath, Buffer.concat([wavHeader(2 * bytesPerSecond), Buffer.alloc(2 * bytesPerSecond)]));
      const done = await diarizer.diarize({ wavPath, seconds: 2, minSpeakers: null, maxSpeakers: null });
      expect(done).toMatchObject({ turns: [], degraded: expect.stringContaining('No speech') });
    },
    slow,
  );

  it('fails with a reason without ending the worker', async () => {
    const broken = diarizer.diarize({
      wavPath: join(folder, 'gone.wav'),
      seconds: 2,
      minSpeakers: null,
      maxSpeakers: null,
    });
    await expect(broken).rejects.toMatchObject({ code: 'diarization_failed', permanent: false });
  });
});
