import { levelOf, sliceMs, type RecordingSource } from './recording.ts';

export type Recorder = {
  readonly start: () => void;
  readonly pause: () => void;
  readonly resume: () => void;
  /** Resolves after the last chunk was handed over. */
  readonly stop: () => Promise<void>;
  /** The loudness now, from 0 to 1. */
  readonly level: () => number;
  /** Seconds recorded, without pauses. */
  readonly seconds: () => number;
  /** A device was unplugged, or the person stopped sharing the tab. @returns a function that stops listening */
  readonly onEnded: (listener: () => void) => () => void;
};
export type SourceProblem = 'insecure' | 'unsupported' | 'denied' | 'no_device' | 'no_sound';

export class SourceError extends Error {
  readonly problem: SourceProblem;
  constructor(problem: SourceProblem, cause?: unknown) {
    super(problem, { cause });
    this.problem = problem;
  }
}

/** Whether the browser can record the sound of another tab. */
export function canRecordTabs(): boolean {
  return typeof navigator.mediaDevices?.getDisplayMedia === 'function';
}

/** Asks for the sources. @throws SourceError */
export async function openSources(source: RecordingSource): Promise<MediaStream[]> {
  if (!window.isSecureContext) throw new SourceError('insecure');
  if (!navigator.mediaDevices || typeof MediaRecorder === 'undefined') throw new SourceError('unsupported');
  const streams: MediaStream[] = [];
  try {
    // The tab first: browsers ask for it only directly after a click.
    if (source !== 'microphone') streams.push(await openTab());
    if (source !== 'tab') streams.push(await navigator.mediaDevices.getUserMedia({ audio: true }));
    return streams;
  } catch (error) {
    streams.forEach(closeStream);
    if (error instanceof SourceError) throw error;
    const { name } = error as DOMException;
    throw new SourceError(name === 'NotFoundError' || name === 'NotReadableError' ? 'no_device' : 'denied', error);
  }
}

async function openTab(): Promise<MediaStream> {
  // Browsers share a tab with its picture only; the picture is not recorded.
  const stream = await navigator.mediaDevices.getDisplayMedia({ video: true, audio: true });
  if (stream.getAudioTracks().length > 0) return stream;
  closeStream(stream);
  throw new SourceError('no_sound');
}

function closeStream(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}

type Options = { readonly type: string; readonly bitsPerSecond: number };

/** Records the mixed sound of the streams. */
export function createRecorder(
  streams: readonly MediaStream[],
  options: Options,
  onChunk: (blob: Blob) => void,
): Recorder {
  const context = new AudioContext();
  const mixed = context.createMediaStreamDestination();
  const analyser = context.createAnalyser();
  for (const stream of streams) {
    const input = context.createMediaStreamSource(new MediaStream(stream.getAudioTracks()));
    input.connect(mixed);
    input.connect(analyser);
  }
  const samples = new Float32Array(analyser.fftSize);
  const media = new MediaRecorder(mixed.stream, {
    mimeType: options.type,
    audioBitsPerSecond: options.bitsPerSecond,
  });
  let recordedMs = 0;
  let since: number | null = null;
  const runClock = (runs: boolean): void => {
    recordedMs += since === null ? 0 : performance.now() - since;
    since = runs ? performance.now() : null;
  };
  media.addEventListener('dataavailable', ({ data }) => onChunk(data));
  return {
    start: () => {
      void context.resume();
      media.start(sliceMs);
      runClock(true);
    },
    pause: () => {
      media.requestData();
      media.pause();
      runClock(false);
    },
    resume: () => {
      media.resume();
      runClock(true);
    },
    stop: async () => {
      runClock(false);
      const ended = new Promise((resolve) => media.addEventListener('stop', resolve, { once: true }));
      const isRecording = media.state !== 'inactive';
      if (isRecording) media.stop();
      // The microphone is closed at once, whatever the encoder still has to do.
      streams.forEach(closeStream);
      if (isRecording) await ended;
      await context.close().catch(() => undefined);
    },
    level: () => {
      analyser.getFloatTimeDomainData(samples);
      return levelOf(samples);
    },
    seconds: () => (recordedMs + (since === null ? 0 : performance.now() - since)) / 1000,
    onEnded: (listener) => {
      const abort = new AbortController();
      for (const track of streams.flatMap((stream) => stream.getTracks()))
        track.addEventListener('ended', listener, { signal: abort.signal });
      return () => abort.abort();
    },
  };
}
