import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Collector } from './collector.ts';
import type { Instance } from './instance.ts';
import type { scriptedInstance } from './scripted.ts';
import type { storesBeside } from './stores.ts';
import { convert, cooking, film, meeting, realVoices, record, type Recording } from './recordings.ts';

/** Recordings with known content, made once for all suites. */
export type Recordings = {
  folder: string;
  meeting: Recording;
  cooking: Recording;
  /** Two turns, for jobs that are disturbed again and again. */
  brief: Recording;
  real: Recording;
  /** The meeting as a person would have it: MP3 and a film. */
  mp3: string;
  video: string;
  remove: () => Promise<void>;
};
type Shared = { recordings: Recordings; screenshots: string };
/** What suites of the first instance get. */
export type Context = Shared & { instance: Instance; collector: Collector };
/** What suites of the other instance get, whose engine is scripted. */
export type ScriptedContext = Shared & { scripted: ReturnType<typeof scriptedInstance> };
/** What suites of an instance get that keeps objects and passages in servers, as on Kubernetes. */
export type ServedContext = ScriptedContext & { stores: ReturnType<typeof storesBeside> };

export const makeRecordings = async (): Promise<Recordings> => {
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
};
