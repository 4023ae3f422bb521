import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { AppError } from '@overtone/service-kit';
import { importErrors } from './import-errors.ts';
import type {
  ImportedSegment,
  ImportedTranscript,
  ImportOptions,
  ImportSource,
  TranscriptSummary,
} from './transcript-import.ts';

/** A segment with its words as the JSON text that is stored: objects would take several times the memory. */
export type ReadSegment = Omit<ImportedSegment, 'words'> & { words: string };
export type ReadTranscript = Omit<ImportedTranscript, 'segments'> & { segments: ReadSegment[] };
export type ReadRequest = { source: ImportSource; options: ImportOptions; summary: boolean };
export type ReadMessage =
  | { kind: 'summary'; summary: TranscriptSummary }
  | { kind: 'segments'; segments: ReadSegment[] }
  | { kind: 'done'; about: Omit<ImportedTranscript, 'segments'> }
  | { kind: 'refused'; refusal: Pick<AppError, 'kind' | 'code' | 'message' | 'extra'> };

const script = fileURLToPath(new URL('./read-transcript.child.ts', import.meta.url));

/** The largest file takes a few seconds. */
const timeoutMs = 300_000;
/** An import mostly follows its preview. */
const idleMs = 20_000;

/**
 * Reads transcript files in a process of its own: a hostile file costs at most that process. The process is used again for a
 * short time. One file at a time. @param heapMb the JSON export of the most words takes half of it.
 */
export function createTranscriptReader(heapMb = 512) {
  let child: ChildProcess | undefined;
  let idle: NodeJS.Timeout | undefined;

  const end = (): void => {
    clearTimeout(idle);
    child?.kill('SIGKILL');
    child = undefined;
  };
  const forget = (ended: ChildProcess) => (): void => {
    if (child === ended) child = undefined;
  };
  const open = (): ChildProcess => {
    clearTimeout(idle);
    child ??= fork(script, [], {
      env: {},
      execArgv: ['--no-warnings', `--max-old-space-size=${heapMb}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    }).on('error', () => undefined);
    child.once('exit', forget(child));
    child.ref();
    child.channel?.ref();
    return child;
  };
  const read = <T>(request: ReadRequest, onMessage: (message: ReadMessage) => T | undefined): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      const reader = open();
      const timer = setTimeout(end, timeoutMs);
      const settle = (finish: () => void): void => {
        clearTimeout(timer);
        reader.off('message', receive).off('exit', lost).off('error', lost);
        idle = setTimeout(end, idleMs).unref();
        reader.unref();
        reader.channel?.unref();
        finish();
      };
      const receive = (message: ReadMessage): void => {
        if (message.kind === 'refused') {
          const { kind, code, message: reason, extra } = message.refusal;
          return settle(() => reject(new AppError(kind, code, reason, { extra })));
        }
        const result = onMessage(message);
        if (result !== undefined) settle(() => resolve(result));
      };
      const lost = (error: unknown, signal?: string | null): void => {
        forget(reader)();
        // V8 aborts a process whose heap is full; the timeout kills it.
        const isTooLarge = signal === 'SIGABRT' || signal === 'SIGKILL' || signal === 'SIGTRAP';
        settle(() =>
          reject(isTooLarge ? importErrors.tooMuchMemory() : new Error('transcript reader failed', { cause: error })),
        );
      };
      reader.on('message', receive).once('exit', lost).once('error', lost);
      reader.send(request, (error) => error && lost(error));
    });

  return {
    /** @throws AppError with the line and the reason when the file is not valid, or when it takes too much memory or time. */
    read: (source: ImportSource, options: ImportOptions): Promise<ReadTranscript> => {
      const segments: ReadSegment[] = [];
      return read({ source, options, summary: false }, (message) => {
        if (message.kind === 'segments') segments.push(...message.segments);
        return message.kind === 'done' ? { ...message.about, segments } : undefined;
      });
    },
    readSummary: (source: ImportSource, options: ImportOptions): Promise<TranscriptSummary> =>
      read({ source, options, summary: true }, (message) => (message.kind === 'summary' ? message.summary : undefined)),
    close: end,
  };
}

export type TranscriptReader = ReturnType<typeof createTranscriptReader>;
