import { readFile, writeFile } from 'node:fs/promises';
import { turnsArtefact, wordsArtefact } from '@overtone/contracts';
import type { z } from 'zod';
import { needsPlaybackCopy } from '../audio/playback.ts';
import { assemble, assembleSeparated } from '../assembly/assembly.ts';
import { serveTasks, type TaskContext } from '../children/serve-tasks.ts';
import { createFfmpeg } from '../ports/ffmpeg.adapter.ts';
import { cpuTask, type assembled, type CpuTask, type prepared } from './cpu-task.ts';

type Task<K extends CpuTask['task']> = Extract<CpuTask, { task: K }>;

async function prepare(task: Task<'prepare'>, { onProgress }: TaskContext): Promise<z.infer<typeof prepared>> {
  const { source, wav: target, picture, env, maxSeconds, wish, contentType = '' } = task;
  const transcoder = createFfmpeg({ env, maxSeconds });
  const probe = await transcoder.probe(source);
  const request = { source, target, probe, wish, onProgress };
  const { usedTracks, ...transcoded } = await transcoder.transcode(request);
  const media = {
    format: probe.container,
    audio_codec: probe.audioCodec ?? null,
    video_codec: probe.videoCodec ?? null,
    width: probe.width ?? null,
    height: probe.height ?? null,
    channels: probe.channels ?? null,
    sample_rate: probe.sampleRate ?? null,
  };
  return {
    ...transcoded,
    media,
    tracks: probe.tracks.map(({ codec, channels, layout, language: tagged, title }, i) => ({
      codec,
      channels,
      layout,
      language: tagged,
      title: title?.slice(0, 255) ?? null,
      used: usedTracks[i] === true,
    })),
    tags: probe.tags,
    needsPlaybackCopy: needsPlaybackCopy(probe, usedTracks, contentType),
    hasPicture: await transcoder.thumbnail(source, picture, probe),
  };
}

async function readJson<S extends z.ZodType>(path: string, schema: S): Promise<z.infer<S>> {
  return schema.parse(JSON.parse(await readFile(path, 'utf8')));
}

async function putTogether(task: Task<'assemble'>): Promise<z.infer<typeof assembled>> {
  const { language, engine, words, speakers: known } = await readJson(task.words, wordsArtefact);
  const { provider, turns, degraded } = task.turns
    ? await readJson(task.turns, turnsArtefact)
    : { provider: 'none', turns: [], degraded: task.degraded };
  const { speakers, segments } = known
    ? assembleSeparated(words, known, task.seconds)
    : assemble(words, turns, task.seconds);
  const transcript = { language, engine, diarization: { provider, degraded }, speakers, segments };
  await writeFile(task.target, JSON.stringify(transcript));
  return { segments: segments.length, speakers: speakers.length };
}

serveTasks((input, context) => {
  const task = cpuTask.parse(input);
  return task.task === 'prepare' ? prepare(task, context) : putTogether(task);
});
