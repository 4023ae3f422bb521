import { isAppError } from '@overtone/service-kit/errors';
import { FormData, type Response } from 'undici';
import { cutAtSilences, frameLevels, frameSeconds, speechRegions, type TimeSpan } from '../audio/speech-regions.ts';
import { readPcm, wavHeader } from '../audio/wav.ts';
import { engineUnreachable } from '../failures.ts';
import type { FetchEndpoint } from '../ports/endpoint-fetch.adapter.ts';
import { fetchWithRetries } from '../ports/retrying-fetch.adapter.ts';
import type { EngineState, Recognised, SpeechEngine, TranscribeRequest } from './engines.ts';
import { languageCode } from './languages.ts';
import { createPace, createPieceProgress, type Pace } from './piece-progress.ts';
import { hasTimes, verboseAnswer, wordsOfAnswer, type SentPiece, type VerboseAnswer } from './openai.ts';
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

/** Longest piece whose words may have no times of their own. */
const longestUntimed = 30;
/** In decibels below full scale; text for such sound would be invented. */
const silentLevel = -60;

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

/** What is asked for, the most first: some models give no times of words, and others only a text. */
const requestedDetails = [
  { response_format: 'verbose_json', granularities: ['word', 'segment'] },
  { response_format: 'verbose_json', granularities: ['segment'] },
  { response_format: 'json', granularities: [] },
] as const;
type Detail = (typeof requestedDetails)[number];

function transcribeWith(options: OpenAiEngineOptions, pace: Pace) {
  let accepted: readonly Detail[] = requestedDetails;
  return async (request: TranscribeRequest): Promise<Recognised> => {
    let refusal: unknown;
    let details = accepted;
    for (let [detail] = details; detail; [detail] = details) {
      const attempt = { detail, answered: 0 };
      try {
        const recognised = await recogniseWith(options, { request, pace, attempt });
        accepted = details;
        return recognised;
      } catch (error) {
        refusal ??= error;
        details = error instanceof WithoutTimes ? details.slice(-1) : details.slice(1);
        // A refusal after answers has another reason than the form of the request.
        const isForm = error instanceof WithoutTimes || (isRefusal(error) && attempt.answered === 0);
        if (!isForm) throw error;
      }
    }
    throw refusal;
  };
}

/** A server accepted a request for times, and answered with a long text only. */
class WithoutTimes extends Error {}

function isRefusal(error: unknown): boolean {
  return isAppError(error) && error.code === 'engine_refused';
}

type Attempt = { readonly detail: Detail; answered: number };

async function recogniseWith(
  options: OpenAiEngineOptions,
  { request, pace, attempt }: { request: TranscribeRequest; pace: Pace; attempt: Attempt },
): Promise<Recognised> {
  const began = performance.now();
  const pieces = await piecesOf(request, attempt.detail);
  const progress = createPieceProgress({ seconds: request.seconds, pace, now: () => performance.now() });
  const report = (): void => request.onProgress?.(progress.share());
  const estimates = setInterval(report, estimateMs);
  const answers = await mapLimit(
    pieces,
    { limit: options.parallel(), signal: request.signal },
    async (piece, _, signal) => {
      const onAnswered = progress.begin(piece.end - piece.start);
      const body = await formOf(options, request, { piece, detail: attempt.detail });
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
      if (piece.end - piece.start > longestUntimed && !hasTimes(answer)) throw new WithoutTimes();
      attempt.answered += 1;
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
}

/** Without times, the place of a word is known by its piece only: those are short, and silent ones are not sent. */
async function piecesOf({ wavPath, seconds }: TranscribeRequest, { response_format }: Detail): Promise<SentPiece[]> {
  const isTimed = response_format === 'verbose_json';
  if (isTimed && seconds <= longestPiece) return [{ start: 0, end: seconds }];
  const levels = await frameLevels(wavPath, seconds);
  const pieces = cutAtSilences(levels, seconds, isTimed ? longestPiece : longestUntimed);
  return isTimed ? pieces : pieces.flatMap((piece) => withSpeech(piece, levels));
}

function withSpeech(piece: TimeSpan, all: Float32Array): SentPiece[] {
  const levels = all.subarray(Math.floor(piece.start / frameSeconds), Math.ceil(piece.end / frameSeconds));
  if (levels.every((level) => level < silentLevel)) return [];
  const speech = speechRegions(levels, { minGap: 0.5, pad: 0 }).map(({ start, end }) => ({
    start: piece.start + start,
    end: Math.min(piece.end, piece.start + end),
  }));
  return [{ ...piece, speech: speech.length > 0 ? speech : [piece] }];
}

function authorised(apiKey: string | undefined): Record<string, string> {
  return apiKey ? { authorization: `Bearer ${apiKey}` } : {};
}

async function formOf(
  { model }: OpenAiEngineOptions,
  request: TranscribeRequest,
  { piece, detail }: { piece: TimeSpan; detail: Detail },
): Promise<() => FormData> {
  const pcm = await readPcm(request.wavPath, piece.start, piece.end);
  const bytes = new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength);
  const sound = new Blob([Uint8Array.from(wavHeader(bytes.length)), bytes], { type: 'audio/wav' });
  return () => {
    const form = new FormData();
    form.set('file', sound, 'audio.wav');
    form.set('model', model);
    form.set('response_format', detail.response_format);
    for (const granularity of detail.granularities) form.append('timestamp_granularities[]', granularity);
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
