import { isAppError } from '@overtone/service-kit/errors';
import { FormData, type Response } from 'undici';
import { cutAtSilences, frameLevels, type TimeSpan } from '../audio/speech-regions.ts';
import { readPcm, wavHeader } from '../audio/wav.ts';
import { engineUnreachable } from '../failures.ts';
import type { FetchEndpoint } from '../ports/endpoint-fetch.adapter.ts';
import { fetchWithRetries } from '../ports/retrying-fetch.adapter.ts';
import type { EngineState, Recognised, SpeechEngine, TranscribeRequest } from './engines.ts';
import { languageCode } from './languages.ts';
import { createPace, createPieceProgress, type Pace } from './piece-progress.ts';
import { verboseAnswer, wordsOfAnswer, type VerboseAnswer } from './openai.ts';
import { translatesWith } from './selection.ts';
import { mapLimit, tidyWords } from './words.ts';

export type OpenAiEngineOptions = {
  /** Up to and without `/audio/transcriptions`, e.g. `http://127.0.0.1:8000/v1`. */
  baseUrl: string;
  apiKey: string | undefined;
  model: string;
  fetchEndpoint: FetchEndpoint;
  parallel: () => number;
  attempts?: number;
  timeoutMs?: number;
};

const name = 'openai-compatible';
/** 19 MB of sound: usual servers take 25 MB. */
const longestPiece = 600;

const askAgainMs = 30_000;
/** How often the progress within a piece is estimated. */
const estimateMs = 1_000;

/** Any server that speaks the OpenAI transcription API. */
export function createOpenAiEngine(options: OpenAiEngineOptions): SpeechEngine {
  const server = { ...options, baseUrl: options.baseUrl.replace(/(?<!\/)\/+$/, '') };
  let known: { state: EngineState; until: number } | undefined;
  return {
    id: name,
    info: { provider: name, model: server.model, timing: 'engine' },
    languages: [],
    translates: translatesWith(server.model),
    remote: true,
    check: async () => {
      if (known && known.until > Date.now()) return known.state;
      const state = await ask(server);
      known = { state, until: Date.now() + (state.ready ? askAgainMs : 0) };
      return state;
    },
    transcribe: transcribeWith(server, createPace()),
    close: () => undefined,
  };
}

/** Any response means that the server is reachable; not every server lists its models. */
async function ask({ baseUrl, apiKey, fetchEndpoint }: OpenAiEngineOptions): Promise<EngineState> {
  try {
    const response = await fetchEndpoint(`${baseUrl}/models`, {
      headers: authorised(apiKey),
      signal: AbortSignal.timeout(5_000),
    });
    await response.body?.cancel();
    if (response.status === 401 || response.status === 403) {
      return { ready: false, why: 'The speech service does not accept our key' };
    }
    return response.status >= 500
      ? { ready: false, why: `The speech service answers ${response.status}` }
      : { ready: true };
  } catch (error) {
    return { ready: false, why: isAppError(error) ? error.message : 'The speech service does not answer' };
  }
}

function transcribeWith(options: OpenAiEngineOptions, pace: Pace) {
  return async (request: TranscribeRequest): Promise<Recognised> => {
    const began = performance.now();
    const pieces =
      request.seconds <= longestPiece
        ? [{ start: 0, end: request.seconds }]
        : cutAtSilences(await frameLevels(request.wavPath, request.seconds), request.seconds, longestPiece);
    const progress = createPieceProgress({ seconds: request.seconds, pace, now: () => performance.now() });
    const report = (): void => request.onProgress?.(progress.share());
    const estimates = setInterval(report, estimateMs);
    const answers = await mapLimit(
      pieces,
      { limit: options.parallel(), signal: request.signal },
      async (piece, _, signal) => {
        const onAnswered = progress.begin(piece.end - piece.start);
        const body = await formOf(options, request, piece);
        const response = await fetchWithRetries({
          fetchEndpoint: options.fetchEndpoint,
          name,
          url: `${options.baseUrl}/audio/${request.task === 'translate' ? 'translations' : 'transcriptions'}`,
          headers: authorised(options.apiKey),
          body,
          attempts: options.attempts ?? 6,
          timeoutMs: options.timeoutMs ?? 900_000,
          signal,
        });
        const answer = await answerOf(response);
        onAnswered();
        report();
        return { language: answer.language, ...wordsOfAnswer(answer, piece) };
      },
    ).finally(() => clearInterval(estimates));
    return {
      language:
        request.task === 'translate'
          ? 'en'
          : (languageCode(answers.find((answer) => answer.language)?.language) ?? request.language),
      words: tidyWords(
        answers.flatMap((answer) => answer.words),
        request.seconds,
      ),
      engine: {
        provider: name,
        model: options.model,
        timing: answers.every((answer) => answer.timing === 'engine') ? 'engine' : 'estimated',
      },
      engineSeconds: (performance.now() - began) / 1000,
    };
  };
}

function authorised(apiKey: string | undefined): Record<string, string> {
  return apiKey ? { authorization: `Bearer ${apiKey}` } : {};
}

async function formOf(
  { model }: OpenAiEngineOptions,
  request: TranscribeRequest,
  piece: TimeSpan,
): Promise<() => FormData> {
  const pcm = await readPcm(request.wavPath, piece.start, piece.end);
  const bytes = new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength);
  const sound = new Blob([Uint8Array.from(wavHeader(bytes.length)), bytes], { type: 'audio/wav' });
  return () => {
    const form = new FormData();
    form.set('file', sound, 'audio.wav');
    form.set('model', model);
    form.set('response_format', 'verbose_json');
    for (const granularity of ['word', 'segment']) form.append('timestamp_granularities[]', granularity);
    // The API of translations takes no language: it is always detected.
    if (request.language && request.task !== 'translate') form.set('language', request.language.slice(0, 2));
    if (request.vocabulary && request.vocabulary.length > 0) form.set('prompt', request.vocabulary.join(', '));
    return form;
  };
}

async function answerOf(response: Response): Promise<VerboseAnswer> {
  try {
    return verboseAnswer.parse(await response.json());
  } catch (cause) {
    throw engineUnreachable(name, { cause, detail: 'the answer is not a transcription' });
  }
}
