import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { workerJobs, type Word } from '@overtone/contracts';
import { record } from '@overtone/testkit/recordings';
import { childrenOf } from '../../test/processes.ts';
import { pullWhisper, startWhisper } from '../../test/real-whisper.ts';
import { librivox } from '../../test/utterances.ts';
import { wavSeconds } from '../audio/wav.ts';
import type { Recognised, SpeechEngine } from '../engines/engines.ts';

// On a slow machine, loading a model or decoding a recording takes minutes.
jest.setTimeout(3_600_000);
let root = '';
let engine: SpeechEngine;
let wavPath = '';
let seconds = 0;
/** What an undisturbed run took and reported, by which the moments are chosen. */
let undisturbed: { words: Word[]; megabytes: number; processor: number };

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'overtone-killed-'));
  await pullWhisper(root, 'faster-whisper-tiny.en');
  wavPath = join(root, 'reading.wav');
  // More than 30 seconds, which Whisper decodes at once.
  await record(wavPath, [...librivox, ...librivox.slice(0, 1)]);
  seconds = await wavSeconds(wavPath);
  // Every transcription gets a process of its own, so that loading is a part of each.
  engine = startWhisper(root, { recycle_after_tasks: 1, threads: 1 });
  expect(await engine.check()).toEqual({ ready: true });
  let [megabytes, processor] = [0, 0];
  const watch = async (child: number): Promise<boolean> => {
    processor = Math.max(processor, await processorSecondsOf(child));
    if (!(await isReading(child))) megabytes = Math.max(megabytes, await megabytesOf(child));
    return false;
  };
  const { words } = await transcribe(watch);
  undisturbed = { words, megabytes, processor };
});
afterAll(async () => {
  engine.close();
  await rm(root, { recursive: true, force: true });
});

/** @param reported share of the recording */
type Moment = (child: number, reported: number) => Promise<boolean>;
/** While the model is loaded: its memory only grows. */
function loading(share: number): Moment {
  return async (child) => (await megabytesOf(child)) >= share * undisturbed.megabytes;
}

/** After the recording was opened; from then on the speech is looked for. */
function looking(processor: number): Moment {
  let opened: number | undefined;
  return async (child) => {
    if (opened === undefined && (await isReading(child))) opened = await processorSecondsOf(child);
    return opened !== undefined && (await processorSecondsOf(child)) >= opened + processor;
  };
}

/** After the progress reached this share of the recording. */
function decoding(share: number): Moment {
  return (_, reported) => Promise.resolve(reported >= share);
}

/** After this share of the processor time of the undisturbed run. */
function after(share: number): Moment {
  return async (child) => (await processorSecondsOf(child)) >= share * undisturbed.processor;
}

describe('the process of faster-whisper, killed', () => {
  let kills = 0;
  const early: readonly [string, Moment][] = [
    ...[0.02, 0.2, 0.4, 0.6, 0.8, 0.95].map((share): [string, Moment] => [`while it loads, ${share}`, loading(share)]),
    ...[0, 0.05, 0.2, 0.4].map((spent): [string, Moment] => [
      `${spent} s after it opened the recording`,
      looking(spent),
    ]),
  ];
  const late: readonly [string, Moment][] = [
    ...[0.01, 0.3, 0.6].map((share): [string, Moment] => [`after ${share} of the recording`, decoding(share)]),
    ...[0.4, 0.5, 0.6, 0.65, 0.7, 0.75, 0.8].map((share): [string, Moment] => [
      `after ${share} of its work`,
      after(share),
    ]),
  ];

  it.each(early.map(([name, moment], i) => [name, late[i]?.[0], [moment, late[i]?.[1]]] as const))(
    '%s, and again %s: the job has the text of an undisturbed run, nothing twice',
    async (_, _second, moments) => {
      const { attempts } = workerJobs.transcribe.policy;
      let result: Recognised | undefined;
      for (let attempt = 0; result === undefined && attempt < attempts; attempt++) {
        result = await transcribe(moments[attempt]).catch((error: unknown) => {
          expect(error).toMatchObject({ code: 'engine_crashed', permanent: false });
          kills += 1;
          return undefined;
        });
      }
      expect(result?.words).toEqual(undisturbed.words);
    },
  );

  // A run may need less of the processor than the undisturbed one, and be at its end before its moment.
  it('was killed at 18 of these 20 moments or more', () => expect(kills).toBeGreaterThanOrEqual(18));
});

/** Transcribes the recording, and kills the process as soon as `isDue`. */
async function transcribe(isDue?: Moment): Promise<Recognised> {
  const before = new Set(engineProcesses());
  let reported = 0;
  const running = engine.transcribe({
    wavPath,
    seconds,
    language: 'en',
    onProgress: (share) => {
      reported = share;
    },
  });
  let ended = false;
  running.then(
    () => (ended = true),
    () => (ended = true),
  );
  let child: number | undefined;
  while (isDue && !ended) {
    child ??= engineProcesses().find((pid) => !before.has(pid));
    if (child !== undefined && (await isDue(child, reported))) {
      process.kill(child, 'SIGKILL');
      break;
    }
    await sleep(5);
  }
  return running;
}

/** Without what this process forked and has not executed yet. */
function engineProcesses(): number[] {
  return childrenOf(process.pid).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('serve.py');
    } catch {
      return false;
    }
  });
}

async function megabytesOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
}

/** User and system time. */
async function processorSecondsOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / 100;
}

/** Whether the process has opened the recording. */
async function isReading(pid: number): Promise<boolean> {
  const folder = `/proc/${pid}/fd`;
  const links = (await readdir(folder).catch(() => [])).map((name) => readlink(join(folder, name)).catch(() => ''));
  return (await Promise.all(links)).includes(wavPath);
}
