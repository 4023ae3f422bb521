import { basename, isAbsolute, normalize } from 'node:path';
import { z } from 'zod';

export const modelKinds = ['asr', 'vad', 'segmentation', 'embedding'] as const;
export type ModelKind = (typeof modelKinds)[number];
export const modelFamilies = [
  'whisper',
  'nemo-transducer',
  'zipformer',
  'silero-vad',
  'pyannote',
  'speaker-embedding',
] as const;
export type ModelFamily = (typeof modelFamilies)[number];

const inside = z.string().refine((path) => !isAbsolute(path) && !normalize(path).startsWith('..'), 'leaves the folder');

/** `manifest.json` beside a model's files: what they are and which bytes they must have. */
export const manifestSchema = z.object({
  id: z.string().min(1),
  kind: z.enum(modelKinds),
  family: z.enum(modelFamilies),
  files: z.record(
    z.string(),
    z.object({
      path: inside,
      sha256: z
        .string()
        .regex(/^[0-9a-f]{64}$/i)
        .optional(),
      bytes: z.int().optional(),
    }),
  ),
  langs: z.array(z.string()).default([]),
  license: z.string().optional(),
  dim: z.int().optional(),
  sampleRate: z.int().default(16_000),
});
export type Manifest = z.infer<typeof manifestSchema>;

/** What each family cannot do without. */
export const rolesOf: Record<ModelFamily, readonly string[]> = {
  whisper: ['encoder', 'decoder', 'tokens'],
  'nemo-transducer': ['encoder', 'decoder', 'joiner', 'tokens'],
  zipformer: ['encoder', 'decoder', 'joiner', 'tokens'],
  'silero-vad': ['model'],
  pyannote: ['model'],
  'speaker-embedding': ['model'],
};

/** Smaller and faster with hardly a loss: eight-bit files are preferred where both are there. */
const pick = (names: readonly string[], pattern: RegExp): string | undefined => {
  const fitting = names.filter((name) => pattern.test(basename(name))).sort();
  return fitting.find((name) => name.includes('.int8.')) ?? fitting[0];
};

const found = (roles: Record<string, string | undefined>): Manifest['files'] | undefined => {
  const files: Manifest['files'] = {};
  for (const [role, path] of Object.entries(roles)) {
    if (path === undefined) return undefined;
    files[role] = { path };
  }
  return files;
};

const speechFiles = (id: string, names: readonly string[]): Pick<Manifest, 'family' | 'files'> | undefined => {
  const encoder = pick(names, /encoder.*\.onnx$/);
  const decoder = pick(names, /decoder.*\.onnx$/);
  const joiner = pick(names, /joiner.*\.onnx$/);
  const tokens = pick(names, /tokens\.txt$/);
  const transducer = found({ encoder, decoder, joiner, tokens });
  if (transducer) return { family: /nemo|parakeet/i.test(id) ? 'nemo-transducer' : 'zipformer', files: transducer };
  const whisper = found({ encoder, decoder, tokens });
  return whisper && { family: 'whisper', files: whisper };
};

/** Recognises the usual archives by the names of their files, where nobody wrote a manifest. */
export const manifestFromNames = (kind: ModelKind, id: string, names: readonly string[]): Manifest | undefined => {
  const langs = /\.en\b|[-_]en([-_]|$)/.test(id) ? ['en'] : [];
  const base = { id, kind, langs, sampleRate: 16_000 };
  if (kind === 'asr') {
    const speech = speechFiles(id, names);
    return speech && { ...base, ...speech };
  }
  const pattern = kind === 'vad' ? /silero.*\.onnx$/ : /\.onnx$/;
  const files = found({ model: pick(names, pattern) });
  const families = { vad: 'silero-vad', segmentation: 'pyannote', embedding: 'speaker-embedding' } as const;
  return files && { ...base, family: families[kind], files };
};
