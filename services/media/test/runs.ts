import { randomUUID } from 'node:crypto';
import {
  transcriptionEvents as events,
  type EngineInfo,
  type Stage,
  type TranscriptArtefact,
  type Word,
  type WordsArtefact,
} from '@overtone/contracts';
import { createObjectStore, type ObjectStore } from '@overtone/object-store';
import { newUser, waitFor, wav, type Media, type TestUser } from './start-media.ts';

export const engine: EngineInfo = { provider: 'scripted', model: 'test', timing: 'engine' };

export function wordsOf(text: string, start: number, step = 0.4): Word[] {
  return text
    .split(' ')
    .map((word, i) => ({ word, start: start + i * step, end: start + (i + 1) * step, confidence: 0.8 }));
}

const media = {
  format: 'wav',
  audio_codec: 'pcm_s16le',
  video_codec: null,
  width: null,
  height: null,
  channels: 1,
  sample_rate: 16_000,
};

export function twoVoices(speakers = ['SPEAKER_01', 'SPEAKER_02']): TranscriptArtefact {
  return {
    language: 'en',
    engine,
    diarization: { provider: 'acoustic', degraded: null },
    speakers,
    segments: ['good morning everybody', 'hello and welcome', 'let us begin'].map((text, i) => ({
      start: i * 2,
      end: i * 2 + 1.2,
      speaker: i % 2,
      text,
      confidence: 0.8,
      words: wordsOf(text, i * 2),
    })),
  };
}

/** A passage of a text every ten seconds; the speakers take turns. */
export function transcriptOf(texts: readonly string[], speakers = ['SPEAKER_01', 'SPEAKER_02']): TranscriptArtefact {
  return {
    language: 'en',
    engine,
    diarization: { provider: 'acoustic', degraded: null },
    speakers,
    segments: texts.map((text, i) => ({
      start: i * 10,
      end: i * 10 + 8,
      speaker: i % speakers.length,
      text,
      confidence: 0.8,
      words: wordsOf(text, i * 10),
    })),
  };
}

let seed = 1000;
/** An uploaded file and the events of its run, published step by step. */
export async function startRun(service: Media, owner: TestUser = newUser(), fileId?: string) {
  const file = fileId ?? (await service.upload(owner, wav(seed++))).body.uuid;
  const objects = createObjectStore({ OBJECT_STORE_DIR: service.folder, S3_REGION: 'x' });
  const ids = { runId: randomUUID(), fileId: file, ownerId: owner.userId };
  const put = async (stage: string, body: unknown): Promise<string> => {
    const key = `derived/${file}/${ids.runId}/${stage}-1.json`;
    await objects.put(key, JSON.stringify(body));
    return key;
  };
  const readFile = () =>
    service.json<Record<string, unknown>>(owner, 'GET', `/api/files/${file}`).then(({ body }) => body);
  return {
    ids,
    owner,
    fileId: file,
    objects,
    readFile,
    until: (wanted: (file: Record<string, unknown>) => boolean) =>
      waitFor(async () => {
        const current = await readFile();
        return wanted(current) ? current : undefined;
      }),
    open: (time?: Date) => service.emit(events.runOpened, ids, time),
    start: (stage: Stage, time?: Date) => service.emit(events.stageStarted, { ...ids, stage }, time),
    reset: (stage: Stage, time?: Date) => service.emit(events.stageReset, { ...ids, stage }, time),
    prepare: async (change: object = {}, time?: Date) => {
      const waveform = await put('waveform', { version: 1, interval_ms: 10, peaks: [0, 127, 64, 0] });
      const thumbnail = `derived/${file}/${ids.runId}/thumbnail.jpg`;
      await objects.put(thumbnail, Buffer.from([0xff, 0xd8, 0xff]));
      const output = {
        artefact: await put('prepare', {}),
        audio: `derived/${file}/audio.wav`,
        waveform,
        thumbnail,
        duration: 7.5,
        truncated: false,
        media,
        engine_seconds: 0,
        ...change,
      };
      await service.emit(events.stageCompleted, { ...ids, sequence: 1, stage: 'prepare', output }, time);
    },
    transcribe: async (words: Word[] = wordsOf('good morning everybody hello', 0), time?: Date) => {
      const artefact: WordsArtefact = { language: 'en', engine, words };
      const output = {
        artefact: await put('transcribe', artefact),
        engine,
        language: 'en',
        words: words.length,
        engine_seconds: 1,
      };
      await service.emit(events.stageCompleted, { ...ids, sequence: 2, stage: 'transcribe', output }, time);
    },
    assemble: async (transcript: TranscriptArtefact = twoVoices(), time?: Date, sequence = 4) => {
      const { segments, speakers } = transcript;
      const counts = { segments: segments.length, speakers: speakers.length, engine_seconds: 0 };
      const output = { artefact: await put('assemble', transcript), ...counts };
      await service.emit(events.stageCompleted, { ...ids, sequence, stage: 'assemble', output }, time);
    },
    wait: (reason: 'engine' | 'worker' | null) => service.emit(events.runWaiting, { ...ids, reason }),
    complete: (warnings: string[] = [], time?: Date, dropped: string[] = []) =>
      service.emit(events.runCompleted, { ...ids, warnings, dropped }, time),
    fail: (code: string, retryable = true, time?: Date) =>
      service.emit(events.runFailed, { ...ids, stage: 'transcribe', code, message: 'It went wrong.', retryable }, time),
    resume: (stage: Stage, time: Date, dropped: string[] = []) =>
      service.emit(events.runResumed, { ...ids, stage, dropped }, time),
    cancelled: (time?: Date) => service.emit(events.runCancelled, ids, time),
  };
}

export type Run = Awaited<ReturnType<typeof startRun>>;

/** A file with a complete transcript. */
export async function transcribed(service: Media, owner?: TestUser, transcript?: TranscriptArtefact): Promise<Run> {
  const run = await startRun(service, owner);
  await run.open();
  await run.prepare();
  await run.assemble(transcript);
  await run.until((file) => file['total_segments'] === (transcript ?? twoVoices()).segments.length);
  await run.complete();
  await run.until((file) => file['status'] === 'completed');
  return run;
}

export function isMissing(objects: ObjectStore, key: string): Promise<boolean> {
  return objects.head(key).then(
    () => false,
    (error: { code?: string }) => error.code === 'not_found',
  );
}
