import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { Word } from '@overtone/contracts';
import { cutAtSilences, frameLevels, type TimeSpan } from '../audio/speech-regions.ts';
import { bytesPerSecond, pcmStream } from '../audio/wav.ts';
import { readAll, runProcess } from '../children/run-process.ts';
import { engineCrashed, outOfTime } from '../failures.ts';
import type { EngineState, Recognised, SpeechEngine, TranscribeRequest } from './engines.ts';
import { parseSphinxLine } from './pocketsphinx.ts';
import { mapLimit, tidyWords } from './words.ts';

export type PocketSphinxOptions = {
  env: Record<string, string>;
  /** Decoders at once; each takes a core and about 110 MB. */
  parallel: () => number;
};

// The program opens /dev/stdin by name, which fails on the socket that Node gives a child; `cat` makes it a pipe.
const command = 'sh';
const program = ['-c', 'cat | "$0" "$@"', 'pocketsphinx_continuous', '-infile', '/dev/stdin'];
/**
 * More before and less after speech than by default: 17 % instead of 21 % wrong words over read and synthetic speech. The
 * noise filters of ffmpeg (afftdn, anlmdn) are not used: wrong words in white noise 90 to 92 % instead of 90 %, in a room
 * 59 to 67 % instead of 59 %, in a band with pink noise 88 to 89 % instead of 90 %.
 */
const hearing = ['-vad_prespeech', '30', '-vad_postspeech', '30'];
const info = { provider: 'pocketsphinx', model: 'en-us 5prealpha', timing: 'engine' } as const;

/**
 * One decoder never gets more than this: without a silence (music, noise) its search would grow with the recording.
 * Loading the model again for each piece costs 0.4 s.
 */
const longestPiece = 600;
const shortestPiece = 30;

/** English with modest accuracy, from the distribution's packages: the fallback engine. */
export function createPocketSphinx(options: PocketSphinxOptions): SpeechEngine {
  let proven = false;
  return {
    id: 'pocketsphinx',
    info,
    languages: ['en'],
    translates: false,
    remote: false,
    check: async () => {
      if (proven) return { ready: true };
      const state = await probe(options.env);
      proven = state.ready;
      return state;
    },
    transcribe: transcribeWith(options),
    close: () => undefined,
  };
}

/** Loads the model and decodes a short silence, to verify program, model and dictionary. */
async function probe(env: Record<string, string>): Promise<EngineState> {
  try {
    const run = await runProcess({
      command,
      args: [...program, '-logfn', '/dev/null'],
      env,
      timeoutMs: 30_000,
      input: Readable.from([Buffer.alloc(bytesPerSecond / 5)]),
      consume: (stdout) => readAll(stdout, 1 << 16),
    });
    return run.exitCode === 0 ? { ready: true } : { ready: false, why: 'PocketSphinx does not find its English model' };
  } catch {
    return { ready: false, why: 'PocketSphinx is not installed' };
  }
}

function transcribeWith({ env, ...options }: PocketSphinxOptions) {
  return async (request: TranscribeRequest): Promise<Recognised> => {
    const began = performance.now();
    const parallel = options.parallel();
    const longest = pieceLength(request.seconds, parallel);
    const pieces =
      request.seconds <= longest
        ? [{ start: 0, end: request.seconds }]
        : cutAtSilences(await frameLevels(request.wavPath, request.seconds), request.seconds, longest);
    const secondsDone = pieces.map(() => 0);
    const found = await mapLimit(pieces, { limit: parallel, signal: request.signal }, (piece, index, signal) =>
      decodePiece({ ...request, signal }, piece, env, (seconds) => {
        secondsDone[index] = seconds;
        request.onProgress?.(Math.min(1, secondsDone.reduce((sum, seconds) => sum + seconds, 0) / request.seconds));
      }),
    );
    request.onProgress?.(1);
    return {
      language: 'en',
      words: tidyWords(found.flat(), request.seconds),
      engine: info,
      engineSeconds: (performance.now() - began) / 1000,
    };
  };
}

function pieceLength(seconds: number, parallel: number): number {
  return parallel === 1 ? longestPiece : Math.min(longestPiece, Math.max(shortestPiece, seconds / parallel / 2));
}

async function decodePiece(
  request: TranscribeRequest,
  piece: TimeSpan,
  env: Record<string, string>,
  onRecognisedUntil: (seconds: number) => void,
): Promise<Word[]> {
  const run = await runProcess({
    command,
    args: [...program, ...hearing, '-time', 'yes'],
    env,
    timeoutMs: 60_000 + (piece.end - piece.start) * 30_000,
    signal: request.signal,
    input: pcmStream(request.wavPath, piece.start, piece.end),
    consume: async (stdout) => {
      const words: Word[] = [];
      for await (const line of createInterface({ input: stdout, crlfDelay: Infinity })) {
        const parsed = parseSphinxLine(line, piece.start);
        if (parsed?.word) words.push(parsed.word);
        if (parsed) onRecognisedUntil(parsed.end - piece.start);
      }
      return words;
    },
  });
  if (run.timedOut) throw outOfTime('Recognising the speech', { detail: run.stderrTail });
  if (run.exitCode !== 0) throw engineCrashed('PocketSphinx', { detail: run.stderrTail });
  return run.value;
}
