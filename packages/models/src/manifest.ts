import { basename, isAbsolute, normalize } from 'node:path';
import type { EngineTuning } from '@overtone/contracts';
import { z } from 'zod';

/** Models of speech: faster-whisper runs those of its family, sherpa-onnx the others. */
export const speechKinds = ['asr', 'vad', 'segmentation', 'embedding'] as const;
/** Models of text: `sentences` turns texts into vectors, `names` finds the names of people. */
export const textKinds = ['sentences', 'names'] as const;
export const modelKinds = [...speechKinds, ...textKinds] as const;
export type ModelKind = (typeof modelKinds)[number];
export type TextKind = (typeof textKinds)[number];
/** Families whose models sherpa-onnx runs. */
export const sherpaFamilies = [
  'whisper',
  'nemo-transducer',
  'zipformer',
  'silero-vad',
  'pyannote',
  'speaker-embedding',
] as const;
export const textFamilies = ['sentence-transformer', 'token-classifier'] as const;
export const modelFamilies = ['faster-whisper', ...sherpaFamilies, ...textFamilies] as const;
export type ModelFamily = (typeof modelFamilies)[number];

/** A path that stays in the folder of its model. */
export const insidePath = z
  .string()
  .min(1)
  .refine((path) => !isAbsolute(path) && !normalize(path).startsWith('..'), 'leaves the folder');

/** `manifest.json` next to a model's files: their roles and hashes. */
export const manifestSchema = z.object({
  id: z.string().min(1),
  kind: z.enum(modelKinds),
  family: z.enum(modelFamilies),
  files: z.record(
    z.string(),
    z.object({
      path: insidePath,
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

/** Required files of each model family. */
export const rolesOf: Record<ModelFamily, readonly string[]> = {
  whisper: ['encoder', 'decoder', 'tokens'],
  'faster-whisper': ['model', 'config', 'tokenizer', 'vocabulary'],
  'nemo-transducer': ['encoder', 'decoder', 'joiner', 'tokens'],
  zipformer: ['encoder', 'decoder', 'joiner', 'tokens'],
  'silero-vad': ['model'],
  pyannote: ['model'],
  'speaker-embedding': ['model'],
  'sentence-transformer': ['model', 'tokenizer', 'config'],
  'token-classifier': ['model', 'tokenizer', 'config'],
};

export type Precision = EngineTuning['compute_type'];
type PickFile = (isWanted: (name: string) => boolean) => string | undefined;

/** Preferred precisions of a model's files; any available one is used. */
const preference: Record<Precision, readonly ((name: string) => boolean)[]> = {
  // Eight-bit files are smaller and faster with little loss of accuracy.
  int8: [isInt8, isFull],
  int8_float16: [isInt8, isHalf, isFull],
  float16: [isHalf, isFull],
  float32: [isFull, isHalf],
};

/** Recognises common archives without a manifest by the paths of their files (`listModelFiles`). */
export function manifestFromNames(
  kind: ModelKind,
  id: string,
  names: readonly string[],
  precision: Precision,
): Manifest | undefined {
  const pick = pickFrom(names, precision);
  const langs = /\.en\b|[-_]en([-_]|$)/.test(id) ? ['en'] : [];
  const base = { id, kind, langs, sampleRate: 16_000 };
  if (kind === 'asr') {
    const speech = fasterWhisperFiles(names) ?? speechFiles(id, pick);
    return speech && { ...base, ...speech };
  }
  if (kind === 'sentences' || kind === 'names') {
    const files = textFiles(names, pick);
    const family = kind === 'sentences' ? 'sentence-transformer' : 'token-classifier';
    return files && { ...base, family, files };
  }
  const files = found({ model: pick(onnxFile(kind === 'vad' ? 'silero' : '')) });
  const families = { vad: 'silero-vad', segmentation: 'pyannote', embedding: 'speaker-embedding' } as const;
  return files && { ...base, family: families[kind], files };
}

/** Whether a name is that of an ONNX file for one part of a model. */
export function onnxFile(part: string): (name: string) => boolean {
  return (name) => name.includes(part) && name.endsWith('.onnx');
}

function isInt8(name: string): boolean {
  return /\.int8\.|_(?:quantized|int8|uint8|q8)\./.test(name);
}

function isFull(name: string): boolean {
  return !isInt8(name) && !isHalf(name);
}

function isHalf(name: string): boolean {
  return /[._](?:fp16|float16)\./.test(name);
}

function pickFrom(names: readonly string[], precision: Precision): PickFile {
  return (isWanted) => {
    const fitting = names.filter((name) => isWanted(basename(name))).sort();
    for (const wanted of preference[precision]) {
      const name = fitting.find(wanted);
      if (name !== undefined) return name;
    }
    return fitting[0];
  };
}

/** Files of a text model that it may have: how texts become tokens, tokens a vector, and the prefixes of texts. */
const optionalTextFiles = {
  tokenizer_config: 'tokenizer_config.json',
  length: 'sentence_bert_config.json',
  modules: 'modules.json',
  pooling: '1_Pooling/config.json',
  prompts: 'config_sentence_transformers.json',
};

/** The folder of a text model, in the layout in which models are published for ONNX: `model*.onnx`, also in `onnx/`, and its configuration. */
function textFiles(names: readonly string[], pick: PickFile): Manifest['files'] | undefined {
  const has = (path: string) => (names.includes(path) ? path : undefined);
  const files = found({
    model: pick((name) => /^model.*\.onnx$/.test(name)),
    tokenizer: has('tokenizer.json'),
    config: has('config.json'),
  });
  if (!files) return undefined;
  for (const [role, path] of Object.entries(optionalTextFiles)) if (names.includes(path)) files[role] = { path };
  return files;
}

/** A Whisper model of CTranslate2: the names are those that its converter gives. */
function fasterWhisperFiles(names: readonly string[]): Pick<Manifest, 'family' | 'files'> | undefined {
  const has = (...paths: string[]) => paths.find((path) => names.includes(path));
  const files = found({
    model: has('model.bin'),
    config: has('config.json'),
    tokenizer: has('tokenizer.json'),
    vocabulary: has('vocabulary.txt', 'vocabulary.json'),
  });
  if (!files) return undefined;
  const preprocessor = has('preprocessor_config.json');
  return { family: 'faster-whisper', files: preprocessor ? { ...files, preprocessor: { path: preprocessor } } : files };
}

function speechFiles(id: string, pick: PickFile): { family: ModelFamily; files: Manifest['files'] } | undefined {
  const encoder = pick(onnxFile('encoder'));
  const decoder = pick(onnxFile('decoder'));
  const joiner = pick(onnxFile('joiner'));
  const tokens = pick((name) => name.endsWith('tokens.txt'));
  const transducer = found({ encoder, decoder, joiner, tokens });
  if (transducer) return { family: /nemo|parakeet/i.test(id) ? 'nemo-transducer' : 'zipformer', files: transducer };
  const whisper = found({ encoder, decoder, tokens });
  return whisper && { family: 'whisper', files: whisper };
}

function found(roles: Record<string, string | undefined>): Manifest['files'] | undefined {
  const files: Manifest['files'] = {};
  for (const [role, path] of Object.entries(roles)) {
    if (path === undefined) return undefined;
    files[role] = { path };
  }
  return files;
}
