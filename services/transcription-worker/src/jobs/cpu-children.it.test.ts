import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { transcriptArtefact } from '@overtone/contracts';
import { waitFor } from '@overtone/testkit';
import { slow } from '../../test/engine-contract.ts';
import { record } from '@overtone/testkit/recordings';
import { meeting } from '../../test/utterances.ts';
import { childEnvironment } from '../env.ts';
import { childrenOf } from '../../test/processes.ts';
import { createCpuChildren, type CpuChildren } from './cpu-children.ts';

let folder = '';
let cpu: CpuChildren;
const signal = new AbortController().signal;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cpu-'));
});
afterEach(async () => {
  await cpu.part.stop();
  await rm(folder, { recursive: true });
});

function file(name: string): string {
  return join(folder, name);
}

function start(recycleAfter?: number): CpuChildren {
  return (cpu = createCpuChildren({
    env: childEnvironment(),
    maxSeconds: 3_600,
    ...(recycleAfter === undefined ? {} : { recycleAfter }),
  }));
}

function prepareOrder() {
  return { source: file('source'), wav: file('audio.wav'), picture: file('picture.jpg') };
}

describe('the processes of the queue cpu', () => {
  it(
    'prepare a recording and put a transcript together',
    async () => {
      await record(file('source.wav'), meeting.slice(0, 1));
      const shares: number[] = [];
      const onProgress = (share: number): void => void shares.push(share);
      const done = await start().prepare({ ...prepareOrder(), source: file('source.wav') }, { signal, onProgress });
      expect(done).toMatchObject({ truncated: false, hasPicture: false, media: { audio_codec: 'pcm_s16le' } });
      expect(shares.at(-1)).toBeGreaterThan(0.9);
      const engine = { provider: 'scripted', model: 'scripted', timing: 'engine' };
      const word = { word: 'alone', start: 0, end: 1, confidence: null };
      await writeFile(file('words'), JSON.stringify({ language: 'en', engine, words: [word] }));
      const order = { words: file('words'), turns: null, degraded: 'no diarization', seconds: 2, target: file('out') };
      expect(await cpu.assemble(order, { signal })).toEqual({ segments: 1, speakers: 1 });
      const transcript = transcriptArtefact.parse(JSON.parse(await readFile(file('out'), 'utf8')));
      expect(transcript.diarization.degraded).toBe('no diarization');
    },
    slow,
  );

  it('report a defective recording as a permanent failure with a readable reason', async () => {
    await writeFile(file('source'), 'not media at all '.repeat(100));
    const failure: unknown = await start()
      .prepare(prepareOrder(), { signal })
      .catch((err: unknown) => err);
    expect(failure).toMatchObject({ code: 'media_unreadable', kind: 'invalid', permanent: true });
  });

  it(
    'are replaced after their number of tasks',
    async () => {
      await writeFile(file('source'), '');
      const haveEnded = () => childrenOf(process.pid).length === 0;
      // A process of the test before may still be ending.
      await waitFor(haveEnded);
      start(2);
      const pids: number[] = [];
      for (let i = 0; i < 4; i++) {
        await expect(cpu.prepare(prepareOrder(), { signal })).rejects.toMatchObject({ code: 'media_no_audio' });
        pids.push(...childrenOf(process.pid).filter((pid) => !pids.includes(pid)));
      }
      // The first was killed after its second task, so it is never seen after that; the second likewise.
      expect(new Set(pids).size).toBe(2);
      await waitFor(haveEnded);
    },
    slow,
  );
});
