import { readVerification } from '@overtone/models';
import { ChildCrash } from '../children/protocol.ts';
import {
  knownLanguage,
  servedLanguages,
  spokenWords,
  joinParts,
  tidyWords,
  type EngineState,
  type Recognised,
  type SpeechEngine,
  type TranscribeRequest,
} from '../engines/engines.ts';
import { engineCrashed, engineMissing, languageUnsupported, outOfTime, translationUnsupported } from '../failures.ts';
import type { Model } from '../models/models.ts';
import { isOutOfMemory, onCpu, transcribeResult, type TranscribeTask } from './protocol.ts';
import type { WhisperRuntime } from './runtime.ts';

const name = 'faster-whisper';

/** Whisper models of CTranslate2 in MODEL_CACHE_DIR; `wanted` is the id of one, empty for the one installed last. */
export function createFasterWhisper(runtime: WhisperRuntime, wanted = ''): SpeechEngine {
  let serving: Model | undefined;

  const transcribe = async (request: TranscribeRequest): Promise<Recognised> => {
    if (!serving) throw engineMissing();
    const model = serving;
    const began = performance.now();
    const { seconds, signal, onProgress } = request;
    const run = (input: TranscribeTask) =>
      runtime.recognizers.run({ input, timeoutMs: 300_000 + seconds * 20_000, signal, onProgress });
    const task = taskOf(runtime, model, request);
    const done = await run(task)
      .catch((error: unknown) => {
        // Other programs need the memory of the GPU: this recording is slower, the next one tries the GPU again.
        if (task.model.device === 'cpu' || !isOutOfMemory(error)) throw error;
        runtime.onGpuFull?.(model.manifest.id);
        return run({ ...task, model: onCpu(task.model), batch: 1 });
      })
      .catch((error: unknown) => {
        signal?.throwIfAborted();
        throw failureOf(error);
      });
    const result = transcribeResult.parse(done);
    const segments = result.segments.map((segment) => ({ ...segment, words: joinParts(segment.words) }));
    onProgress?.(1);
    return {
      language: request.task === 'translate' ? 'en' : result.language,
      words: tidyWords(spokenWords(segments, result.speech), seconds),
      engine: { provider: name, model: model.manifest.id, timing: 'engine' },
      engineSeconds: (performance.now() - began) / 1000,
    };
  };

  return {
    id: name,
    remote: false,
    get info() {
      return { provider: name as 'faster-whisper', model: serving?.manifest.id ?? 'none', timing: 'engine' as const };
    },
    processors: runtime.processors,
    get tuning() {
      return serving ? runtime.processors.tuningOf(serving.manifest.id) : null;
    },
    get languages() {
      return serving ? servedLanguages(runtime.languagesOf(serving)) : [];
    },
    get translates() {
      return serving !== undefined && translates(runtime, serving);
    },
    check: async () => {
      if (!(await runtime.isInstalled())) {
        serving = undefined;
        return { ready: false, why: 'The Python environment of faster-whisper is not installed' };
      }
      await runtime.processors.look();
      const models = (await runtime.models.look()).filter(({ manifest }) => wanted === '' || manifest.id === wanted);
      serving = (await lastInstalledFirst(models.filter(({ state }) => state === 'canary-ok')))[0];
      return stateOf(models, wanted);
    },
    transcribe,
    close: runtime.close,
  };
}

function taskOf(runtime: WhisperRuntime, model: Model, request: TranscribeRequest): TranscribeTask {
  const { task = 'transcribe', language, wavPath, seconds, vocabulary = [] } = request;
  if (task === 'translate' && !translates(runtime, model)) throw translationUnsupported();
  const code = language === null ? null : knownLanguage(language, runtime.languagesOf(model));
  if (code === undefined) throw languageUnsupported(language ?? '', model.manifest.id);
  const settings = runtime.settings();
  return {
    task: 'transcribe',
    model: runtime.modelUse(model),
    wav: wavPath,
    seconds,
    language: code,
    speech_task: task,
    vocabulary,
    vad: {
      threshold: settings.vad_threshold,
      min_speech: settings.vad_min_speech_s,
      min_silence: settings.vad_min_silence_s,
    },
    batch: runtime.processors.tuningOf(model.manifest.id).batch_size,
  };
}

/** Specification, "Limits": the turbo size does not translate. Models for one language and distilled ones do not, either. */
function translates(runtime: WhisperRuntime, model: Model): boolean {
  return runtime.languagesOf(model).length > 1 && !/turbo|distil/i.test(model.manifest.id);
}

async function lastInstalledFirst(models: readonly Model[]): Promise<Model[]> {
  const dated = await Promise.all(
    models.map(async (model) => ({ model, at: (await readVerification(model.folder))?.verified_at ?? '' })),
  );
  return dated.sort((x, y) => (x.at < y.at ? 1 : -1)).map(({ model }) => model);
}

function stateOf(models: readonly Model[], wanted: string): EngineState {
  if (models.some(({ state }) => state === 'canary-ok')) return { ready: true };
  const [refused] = models;
  const missing = wanted === '' ? 'No Whisper model is installed' : `The speech model ${wanted} is not installed`;
  return {
    ready: false,
    why: refused ? `The speech model ${refused.manifest.id} is not used: ${refused.why}` : missing,
  };
}

/** A process that ended makes the task retryable; its last output goes to the log. */
function failureOf(error: unknown): Error {
  if (!(error instanceof ChildCrash)) return error as Error;
  const more = { cause: error, detail: error.stderrTail };
  return error.timedOut ? outOfTime('Recognising the speech', more) : engineCrashed(name, more);
}
