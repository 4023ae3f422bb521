import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  downloadJobs,
  importRpc,
  transcriptArtefact,
  transcriptionLive,
  turnsArtefact,
  waveformArtefact,
  wordsArtefact,
  type RequestOf,
  type RunOptions,
  workerRpc,
} from '@overtone/contracts';
import { putJob } from '@overtone/jobs';
import { importModel } from '@overtone/models';
import { writeTextModel } from '@overtone/models/test-models';
import { waitFor } from '@overtone/testkit';
import { createFolder } from '@overtone/testkit/cleanup';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { slow } from '../test/engine-contract.ts';
import { recordLong, record } from '@overtone/testkit/recordings';
import { sendRecording, startMediaServer } from '../test/media-server.ts';
import { meeting } from '../test/utterances.ts';
import { startWorld, type World } from '../test/world.ts';

const options: RunOptions = { language: null, minSpeakers: null, maxSpeakers: null, diarize: true };

function place() {
  return { runId: randomUUID(), fileId: randomUUID(), ownerId: randomUUID(), earlier: {} };
}
const folder = await createFolder();

describe('transcription-worker', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  }, slow);
  afterAll(() => world.stop());

  it(
    'takes a conversation through its four stages',
    async () => {
      const wav = join(folder, 'meeting.wav');
      await record(wav, meeting);
      const at = place();
      const progress: number[] = [];
      world.nc.subscribe(transcriptionLive.taskProgress.subject, {
        callback: (_, message) => progress.push(message.json<{ fraction: number }>().fraction),
      });
      await world.nc.flush();
      const objectKey = await world.upload(wav);
      const prepared = await world.run('prepare', { ...at, objectKey, contentType: 'audio/wav' });
      expect(prepared).toMatchObject({ truncated: false, thumbnail: null, media: { audio_codec: 'pcm_s16le' } });
      const { peaks } = waveformArtefact.parse(await world.readJson(prepared.waveform));
      expect(Math.abs(peaks.length / 10 - prepared.duration)).toBeLessThan(0.2);

      const { audio, duration } = prepared;
      const transcribed = await world.run('transcribe', { ...at, audio, duration, options });
      expect(transcribed.engine.provider).toBe('scripted');
      const { words } = wordsArtefact.parse(await world.readJson(transcribed.artefact));
      expect(words.length).toBe(transcribed.words);

      const diarized = await world.run('diarize', { ...at, audio, duration, options });
      expect(diarized).toMatchObject({ provider: 'acoustic', speakers: 2, degraded: null });
      expect(turnsArtefact.parse(await world.readJson(diarized.artefact)).turns.length).toBeGreaterThanOrEqual(
        meeting.length,
      );

      const earlier = { prepare: prepared.artefact, transcribe: transcribed.artefact, diarize: diarized.artefact };
      const assembled = await world.run('assemble', { ...at, earlier, duration });
      const transcript = transcriptArtefact.parse(await world.readJson(assembled.artefact));
      expect(transcript.speakers).toEqual(['SPEAKER_01', 'SPEAKER_02']);
      expect(transcript.segments.flatMap((segment) => segment.words)).toHaveLength(words.length);
      expect(assembled.artefact).toBe(`derived/${at.fileId}/${at.runId}/assemble-7.json`);
      expect(progress.length).toBeGreaterThan(3);
      expect(await world.leftovers()).toEqual([]);
      expect(await world.metrics()).toMatch(
        /transcription_stage_duration_seconds_count\{stage="assemble",outcome="done"\} 1/,
      );
    },
    slow,
  );

  it(
    'gives each channel its own speaker when a recording asks for it',
    async () => {
      const wav = join(folder, 'call.wav');
      const [one, other] = [join(folder, 'one.wav'), join(folder, 'other.wav')];
      await record(one, meeting.slice(0, 1));
      await record(other, meeting.slice(1, 2));
      await promisify(execFile)('sox', ['-M', one, other, wav]);
      const at = place();
      const separate = { ...options, speakersBy: 'track' as const };
      const objectKey = await world.upload(wav);
      const prepare = { ...at, objectKey, contentType: 'audio/wav', options: separate };
      const { audio, duration, speakerParts, tracks } = await world.run('prepare', prepare);
      expect(tracks).toMatchObject([{ channels: 2, used: true }]);
      const sound = { ...at, audio, duration, speakerParts, options: separate };
      const transcribed = await world.run('transcribe', sound);
      const diarized = await world.run('diarize', sound);
      expect(diarized).toMatchObject({ provider: 'sound tracks', speakers: 2 });
      const earlier = { transcribe: transcribed.artefact, diarize: diarized.artefact };
      const assembled = await world.run('assemble', { ...at, earlier, duration });
      const { speakers, segments } = transcriptArtefact.parse(await world.readJson(assembled.artefact));
      expect(speakers).toEqual(['SPEAKER_01', 'SPEAKER_02']);
      // People speak at the same time: each one's words are whole.
      expect(segments.filter(({ start }) => start < 1).map(({ speaker }) => speaker)).toEqual([0, 1]);
    },
    slow,
  );

  it('assigns all words to one speaker when there are no turns, and records why', async () => {
    const key = `derived/${randomUUID()}/${randomUUID()}/transcribe-1.json`;
    const word = { word: 'alone', start: 0, end: 1, confidence: null };
    const engine = { provider: 'scripted', model: 'scripted', timing: 'engine' };
    await world.store.put(key, JSON.stringify({ language: 'en', engine, words: [word] }));
    const input = {
      ...place(),
      earlier: { transcribe: key },
      duration: 2,
      degraded: 'The speakers could not be separated',
    };
    const { artefact } = await world.run('assemble', input);
    const transcript = transcriptArtefact.parse(await world.readJson(artefact));
    expect(transcript.speakers).toEqual(['SPEAKER_01']);
    expect(transcript.diarization.degraded).toBe('The speakers could not be separated');
  });

  it.each([
    ['text', 'not media at all '.repeat(100), 'media_unreadable'],
    ['nothing', '', 'media_no_audio'],
  ])('fails %s permanently with a message for its owner', async (_, content, code) => {
    const path = join(folder, 'bad.mp3');
    await writeFile(path, content);
    const objectKey = await world.upload(path);
    const failure = await world.failed(
      await world.order('prepare', { ...place(), objectKey, contentType: 'audio/mpeg' }),
    );
    expect(failure).toMatchObject({ code, retryable: false, message: expect.stringMatching(/^[A-Z].*\.$/) });
    expect(failure?.message).not.toContain(folder);
    expect(await world.leftovers()).toEqual([]);
  });

  it('does not retry a missing input', async () => {
    const failure = await world.failed(
      await world.order('prepare', { ...place(), objectKey: `media/${randomUUID()}/gone`, contentType: 'audio/wav' }),
    );
    expect(failure).toMatchObject({ code: 'artefact_missing', retryable: false });
  });

  it(
    'stops a task that is cancelled and leaves nothing in its work folder',
    async () => {
      const wav = join(folder, 'long.wav');
      await recordLong(wav, meeting, 600);
      const audio = await world.upload(wav);
      const taskId = await world.order('diarize', { ...place(), audio, duration: 600, options });
      await waitFor(async () => (await world.leftovers()).length > 0);
      world.nc.publish(transcriptionLive.taskCancelled.subject, JSON.stringify({ taskId }));
      expect(await world.failed(taskId)).toMatchObject({ code: 'job_cancelled' });
      await waitFor(async () => (await world.leftovers()).length === 0);
    },
    slow,
  );

  it('downloads an import that media has queued, with the rights that both have on the bus', async () => {
    const server = await startMediaServer();
    const url = server.on('/talk.wav', sendRecording({ bytes: 50_000 }));
    const fileId = randomUUID();
    const objectKey = `files/${fileId}/import-1`;
    const mediaService = await world.connectAs('media');
    const completed: RequestOf<typeof importRpc.completeImport>[] = [];
    mediaService.serve(importRpc.claimImport, async () => ({
      outcome: 'claimed' as const,
      token: 1,
      url,
      objectKey,
      maxBytes: 1e6,
    }));
    mediaService.serve(importRpc.importProgress, async () => ({ outcome: 'continue' as const }));
    mediaService.serve(importRpc.completeImport, async (report) => {
      completed.push(report);
      return { outcome: 'accepted' as const };
    });
    await mediaService.nc().flush();
    await putJob(mediaService, downloadJobs.download, randomUUID(), { fileId });
    await waitFor(() => completed.length > 0);
    expect(completed[0]).toMatchObject({ fileId, token: 1, bytes: 50_000, contentType: 'audio/wav' });
    expect((await world.store.head(objectKey)).bytes).toBe(50_000);
    await server.close();
  });

  it('serves vectors for search over the bus', async () => {
    const { dim, vectors } = await world.embed(['the deadline', 'unknowable']);
    expect(dim).toBe(100);
    const [first, second] = vectors.map(
      (encoded) => new Float32Array(Uint8Array.from(Buffer.from(encoded, 'base64')).buffer),
    );
    expect(Math.hypot(...(first ?? []))).toBeCloseTo(1, 4);
    expect(Math.hypot(...(second ?? []))).toBe(0);
  });

  it('finds names for media over the bus, with the installed names model', async () => {
    const from = join(folder, 'tiny-names');
    const words = { mary: [0, 5], monday: [5, 0] };
    await writeTextModel(from, { words, output: 'logits', config: { id2label: { 0: 'O', 1: 'B-PER' } } });
    const mediaService = await world.connectAs('media');
    expect(await mediaService.request(workerRpc.namesModel, {})).toEqual({ model: null });
    await importModel({ cacheDir: world.modelFolder, from });
    const model = await waitFor(async () => (await mediaService.request(workerRpc.namesModel, {})).model);
    const request = { model: model ?? '', texts: ['on Monday', 'with Mary.'] };
    expect(await mediaService.request(workerRpc.findNames, request)).toEqual({ names: [[], [[5, 9]]] });
  });
});

describe('without a speech engine', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld({ OT_SCRIPTED_ENGINE: undefined, ASR_ENGINE: 'sherpa-onnx' });
  }, slow);
  afterAll(() => world.stop());

  it('reports it, prepares recordings and does not pull transcription jobs', async () => {
    const [capability] = await world.capabilities();
    expect(capability).toMatchObject({
      engine: null,
      engineNote: 'No speech model is installed',
      pulls: [
        'cpu-media',
        'cpu-transcription',
        'download-media',
        'cpu-redaction',
        'download-transcription',
        'embedding-voices',
      ],
    });
    const taskId = await world.order('transcribe', { ...place(), audio: 'derived/x', duration: 1, options });
    const wav = join(folder, 'short.wav');
    await record(wav, meeting.slice(0, 1));
    const objectKey = await world.upload(wav);
    await world.run('prepare', { ...place(), objectKey, contentType: 'audio/wav' });
    expect(world.ended.failures.has(taskId) || world.ended.outputs.has(taskId)).toBe(false);
  });
});

describe('on a machine with GPUs', () => {
  const path = process.env['PATH'];
  const driver = `#!/bin/sh
case "$*" in
  *memory.used*) printf '500\\n5000\\n'; exec sleep 3600 ;;
  *) printf '0, GPU-aa, NVIDIA A10, 23028, 8.6, [N/A]\\n1, GPU-bb, Tesla T4, 15360, 7.5, [N/A]\\n' ;;
esac
`;
  let world: World;
  beforeAll(async () => {
    const bin = join(folder, 'bin');
    await mkdir(bin);
    await writeFile(join(bin, 'nvidia-smi'), driver, { mode: 0o755 });
    process.env['PATH'] = `${bin}:${path}`;
    world = await startWorld({ ENABLE_VRAM_PROFILING: true, GPU_WORKER_POOL: 'threads' });
    // On a very busy machine the driver may be too slow the first time.
    await waitFor(async () => (await world.capabilities())[0]?.gpu?.devices.length);
  }, slow);
  afterAll(async () => {
    process.env['PATH'] = path;
    await world.stop();
  });

  it('reports its GPUs and its tuning in the heartbeat', async () => {
    const [capability] = await world.capabilities();
    expect(capability?.gpu).toEqual({
      devices: [
        { index: 0, uuid: 'GPU-aa', name: 'NVIDIA A10', memory_mib: 23_028, capability: 8.6 },
        { index: 1, uuid: 'GPU-bb', name: 'Tesla T4', memory_mib: 15_360, capability: 7.5 },
      ],
      note: null,
      concurrency: 1,
      pool: 'threads',
      // The scripted engine has nothing to tune.
      tuning: null,
    });
  });

  it(
    'measures what a task needs of the memory of the first, and tells once it has ended well',
    async () => {
      const wav = join(folder, 'measured.wav');
      await record(wav, meeting.slice(0, 1));
      const audio = await world.upload(wav);
      const taskId = await world.order('transcribe', { ...place(), audio, duration: 3, options });
      await world.done('transcribe', taskId);
      await waitFor(() => world.ended.profiles.length > 0);
      const measured = {
        stage: 'transcribe',
        model: 'scripted',
        device: 'NVIDIA A10',
        baselineMib: 500,
        peakMib: 5_000,
      };
      expect(world.ended.profiles).toMatchObject([{ ...measured, taskId, token: 7, audioSeconds: 3 }]);
    },
    slow,
  );

  it('reports no profile for a failed task', async () => {
    const before = world.ended.profiles.length;
    await world.failed(await world.order('transcribe', { ...place(), audio: 'derived/gone', duration: 1, options }));
    expect(world.ended.profiles).toHaveLength(before);
  });
});
