import { serveTasks, type TaskContext } from '../children/serve-tasks.ts';
import { loadEncoder, type Encoder } from './encoder.ts';
import { findNames } from './find-names.ts';
import { textTask, type ModelFiles } from './protocol.ts';
import { embedTexts } from './sentences.ts';

// Loading takes up to seconds: the encoder of the last model is kept.
let loaded: { key: string; encoder: Promise<Encoder> } | undefined;

function encoderOf(model: ModelFiles): Promise<Encoder> {
  const key = JSON.stringify(model);
  if (loaded?.key !== key) loaded = { key, encoder: loadEncoder(model) };
  return loaded.encoder;
}

async function perform(input: unknown, { signal }: TaskContext): Promise<unknown> {
  const task = textTask.parse(input);
  const encoder = await encoderOf(task.model);
  return task.task === 'embed'
    ? embedTexts(encoder, { texts: task.texts, kind: task.kind, signal })
    : findNames(encoder, task.texts, signal);
}

serveTasks(perform);
