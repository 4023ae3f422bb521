import { word } from '@overtone/contracts';
import type { ModelKind } from '@overtone/models';
import { z } from 'zod';
import { ChildCrash } from '../children/protocol.ts';
import { engineCrashed, engineMissing, outOfTime, translationUnsupported } from '../failures.ts';
import {
  tidyWords,
  type EngineState,
  type Recognised,
  type SpeechEngine,
  type TranscribeRequest,
} from '../engines/engines.ts';
import { longestChunk, providerOf, recognizerConfig, vadConfig } from './config.ts';
import type { Model } from '../models/models.ts';
import type { SherpaRuntime } from './runtime.ts';

const answer = z.object({
  words: z.array(word),
  timing: z.enum(['engine', 'estimated']),
  language: z.string().nullable(),
});
/** The first model of a kind, or the one of this id, that loaded. */
export function servingModel(models: readonly Model[], kind: ModelKind, id = ''): Model | undefined {
  return models.find(
    (model) => model.manifest.kind === kind && model.state === 'canary-ok' && (id === '' || model.manifest.id === id),
  );
}

/** Converts the abort of a child, with its stderr, to a retryable error. */
export function crashOf(error: unknown): Error {
  if (!(error instanceof ChildCrash)) return error as Error;
  const more = { cause: error, detail: error.stderrTail };
  return error.timedOut ? outOfTime('Recognising the speech', more) : engineCrashed('sherpa-onnx', more);
}

function stateOf(models: readonly Model[], id: string): EngineState {
  if (servingModel(models, 'asr', id)) return { ready: true };
  const refused = models.find((model) => model.manifest.kind === 'asr' && (id === '' || model.manifest.id === id));
  const why = refused
    ? `The speech model ${refused.manifest.id} is not used: ${refused.why}`
    : id === ''
      ? 'No speech model is installed'
      : `The speech model ${id} is not installed`;
  return { ready: false, why };
}

/** Whisper translates, but not the turbo sizes and those for English only. */
function isMultilingual({ manifest: { langs } }: Model): boolean {
  return !(langs.length === 1 && langs[0] === 'en');
}

/** Neural speech models in MODEL_CACHE_DIR, run in a child process, because a corrupt model aborts its process. */
export function createSherpaEngine(runtime: SherpaRuntime, wanted = ''): SpeechEngine {
  let serving: { model: Model; vad: Model | undefined } | undefined;

  const transcribe = async (request: TranscribeRequest): Promise<Recognised> => {
    if (!serving) throw engineMissing();
    const { model, vad } = serving;
    const began = performance.now();
    const tuning = runtime.processors.tuningOf(model.manifest.id);
    if (request.task === 'translate' && !engine.translates) throw translationUnsupported();
    const { threads, vad: listening } = runtime.use();
    const use = { numThreads: threads, provider: providerOf(tuning.transcribe_on) };
    const input = {
      task: 'transcribe',
      config: recognizerConfig(model, { ...use, language: request.language, task: request.task ?? 'transcribe' }),
      vad: vad ? vadConfig(vad, listening) : null,
      gaps: { minSilence: listening.minSilence, minSpeech: listening.minSpeech },
      wavPath: request.wavPath,
      seconds: request.seconds,
      longest: longestChunk(model),
      batch: tuning.batch_size,
    };
    const { signal, onProgress, seconds } = request;
    const result = answer.parse(
      await runtime.recognizers
        .run({ input, timeoutMs: 300_000 + seconds * 20_000, signal, onProgress })
        .catch((error: unknown) => {
          signal?.throwIfAborted();
          throw crashOf(error);
        }),
    );
    return {
      language:
        request.task === 'translate' ? 'en' : (result.language ?? request.language ?? model.manifest.langs[0] ?? null),
      words: tidyWords(result.words, seconds),
      engine: { provider: 'sherpa-onnx', model: model.manifest.id, timing: result.timing },
      engineSeconds: (performance.now() - began) / 1000,
    };
  };

  const engine: SpeechEngine = {
    id: 'sherpa-onnx',
    remote: false,
    get info() {
      const timing = serving?.model.manifest.family === 'whisper' ? ('estimated' as const) : ('engine' as const);
      return { provider: 'sherpa-onnx' as const, model: serving?.model.manifest.id ?? 'none', timing };
    },
    get tuning() {
      return serving ? runtime.processors.tuningOf(serving.model.manifest.id) : null;
    },
    get languages() {
      return serving?.model.manifest.langs ?? [];
    },
    get translates() {
      return (
        serving?.model.manifest.family === 'whisper' &&
        isMultilingual(serving.model) &&
        !/turbo/i.test(serving.model.manifest.id)
      );
    },
    check: async () => {
      await runtime.processors.look();
      const models = await runtime.models.look();
      const model = servingModel(models, 'asr', wanted);
      serving = model && { model, vad: servingModel(models, 'vad') };
      return stateOf(models, wanted);
    },
    transcribe,
    close: runtime.close,
  };
  return engine;
}
