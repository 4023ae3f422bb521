import { msg } from '@lingui/core/macro';
import type { EngineSettingKey } from '@overtone/contracts';
import { translateOnRead } from '../../lib/language.ts';
import type { SettingLabel } from '../settings/setting-field.tsx';

/** Texts of the engine settings; a setting without one does not compile. */
export const engineLabels: Readonly<Record<EngineSettingKey, SettingLabel>> = translateOnRead({
  batch_size: {
    label: msg`Batch size`,
    description: msg`Parts of a recording that are recognised at the same time. Leave blank to choose by the memory of the GPU.`,
  },
  compute_type: {
    label: msg`Compute type`,
    description: msg`Precision of the speech model. A smaller one is faster and needs less memory.`,
    choices: { auto: msg`Automatic` },
  },
  hybrid_mode: {
    label: msg`Hybrid mode`,
    description: msg`Transcription on the CPU and speaker separation on the GPU, for a GPU that is too small for both.`,
    choices: { auto: msg`Automatic`, true: msg`Always`, false: msg`Never` },
  },
  gpu_concurrency: {
    label: msg`Concurrent recordings`,
    description: msg`How many recordings a worker transcribes at the same time.`,
  },
  express_slots: {
    label: msg`Express slots`,
    description: msg`Additional slots of a worker that only take short recordings.`,
  },
  remote_concurrency: {
    label: msg`Recordings at servers`,
    description: msg`How many recordings a worker has at OpenAI-compatible servers at the same time. They do not count as concurrent recordings.`,
  },
  threads: {
    label: msg`Threads`,
    description: msg`Decoders that work on one recording at the same time.`,
  },
  recycle_after_tasks: {
    label: msg`Replace processes after`,
    description: msg`A process that holds a model ends after this many tasks, and a new one starts.`,
  },
  vad_threshold: {
    label: msg`Speech threshold`,
    description: msg`From 0.05 to 0.95: a higher value ignores more noise. Needs a voice activity model.`,
  },
  vad_min_silence_s: {
    label: msg`Shortest silence`,
    description: msg`A shorter pause does not end a stretch of speech.`,
  },
  vad_min_speech_s: {
    label: msg`Shortest speech`,
    description: msg`Shorter sounds are ignored.`,
  },
  min_speakers: {
    label: msg`Minimum speakers`,
    description: msg`For recordings without a number of their own. Blank: found in each recording.`,
  },
  max_speakers: {
    label: msg`Maximum speakers`,
    description: msg`For recordings without a number of their own. Blank: found in each recording.`,
  },
});

type Group = { readonly title: string; readonly keys: readonly EngineSettingKey[] };
/** The order of the form; a test checks that no setting is missing. */
export const engineGroups: readonly Group[] = translateOnRead([
  {
    title: msg`Performance`,
    keys: [
      'batch_size',
      'compute_type',
      'hybrid_mode',
      'gpu_concurrency',
      'express_slots',
      'remote_concurrency',
      'threads',
      'recycle_after_tasks',
    ],
  },
  { title: msg`Voice activity`, keys: ['vad_threshold', 'vad_min_silence_s', 'vad_min_speech_s'] },
  { title: msg`Speakers`, keys: ['min_speakers', 'max_speakers'] },
]);
