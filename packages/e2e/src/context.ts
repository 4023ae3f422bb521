import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Collector } from './collector.ts';
import type { Instance } from './instance.ts';
import type { scriptedInstance } from './scripted.ts';
import type { createStores } from './stores.ts';
import { convert, cooking, film, meeting, realVoices, record, type Recording } from './recordings.ts';

/** Recordings with known content, created once for all suites. */
export type Recordings = {
  folder: string;
  meeting: Recording;
  cooking: Recording;
  /** Two turns, for jobs that are interrupted many times. */
  brief: Recording;
  real: Recording;
  /** The meeting as MP3 and as a video. */
  mp3: string;
  video: string;
  remove: () => Promise<void>;
};
type Shared = { recordings: Recordings; screenshots: string };
/** The context of suites on the first instance. */
export type Context = Shared & { instance: Instance; collector: Collector };
/** The context of suites on the instance with the scripted engine. */
export type ScriptedContext = Shared & { scripted: ReturnType<typeof scriptedInstance> };
/** The context of suites on the instance with an object store and a search server, as on Kubernetes. */
export type ServedContext = ScriptedContext & { stores: ReturnType<typeof createStores> };

export async function makeRecordings(): Promise<Recordings> {
  const folder = await mkdtemp(join(tmpdir(), 'overtone-e2e-recordings-'));
  const at = (name: string): string => join(folder, name);
  const made = await record(at('meeting.wav'), meeting);
  return {
    folder,
    meeting: made,
    cooking: await record(at('cooking.wav'), cooking),
    brief: await record(at('brief.wav'), cooking.slice(0, 2)),
    real: await record(at('real voices.wav'), realVoices),
    mp3: await convert(made.path, at('Quarterly meeting.mp3')),
    video: await film(made.path, at('Quarterly meeting.mp4')),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
