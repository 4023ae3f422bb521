import { randomUUID } from 'node:crypto';
import type { AnswerOf, dispatcherRoutes, mediaRoutes, SegmentObject } from '@overtone/contracts';
import { json, Refusal, type Context, type MockRoute } from './mock-kit.ts';
import { fileOf, files, socket } from './mock-library.ts';
import { sendTone } from './mock-media.ts';
import { mockStages } from './mock-operations.ts';
import type { SampleFile } from './sample.ts';

const stages = ['prepare', 'transcribe', 'diarize', 'assemble', 'index'] as const;

const changed = (file: SampleFile): void =>
  socket.push({ type: 'file_updated', seq: socket.nextSeq(), data: { file_id: file.uuid, status: file.status } });

const listFiles = ({ url }: Context): AnswerOf<typeof mediaRoutes.listFiles> => {
  const text = url.searchParams.get('search')?.toLowerCase() ?? '';
  const wanted = url.searchParams.getAll('status');
  const items = files.filter(
    (f) => f.title.toLowerCase().includes(text) && (wanted.length === 0 || wanted.includes(f.status)),
  );
  return { items, total: items.length, page: 1, page_size: 24 };
};
const segmentsOf = ({ url, parts }: Context): AnswerOf<typeof mediaRoutes.listSegments> => {
  const file = fileOf(parts[2]);
  const offset = Number(url.searchParams.get('segment_offset') ?? 0);
  const limit = Number(url.searchParams.get('segment_limit') ?? 500);
  return {
    transcript_segments: file.transcript_segments.slice(offset, offset + limit),
    total_segments: file.total_segments,
    transcript_version: file.transcript_version,
  };
};
const editSegment = (context: Context): SegmentObject => {
  const file = fileOf(context.parts[2]);
  const change = json<{ text?: string; speaker_uuid?: string; version?: number }>(context);
  const at = file.transcript_segments.findIndex((s) => s.uuid === context.parts[5]);
  const before = file.transcript_segments[at];
  if (!before) throw new Refusal(404, 'not_found', 'There is no such passage.');
  if (change.version !== undefined && change.version !== before.version)
    throw new Refusal(409, 'version_conflict', 'The passage has been changed since.');
  const speaker =
    change.speaker_uuid === undefined
      ? before.speaker
      : (file.speakers.find((s) => s.uuid === change.speaker_uuid) ?? null);
  const next = { ...before, text: change.text ?? before.text, speaker, edited: true, version: before.version + 1 };
  file.transcript_segments[at] = next;
  file.transcript_version += 1;
  socket.push({
    type: 'transcript_updated',
    seq: socket.nextSeq(),
    data: { file_id: file.uuid, transcript_version: file.transcript_version },
  });
  return next;
};
const timeline = ({ parts }: Context): AnswerOf<typeof dispatcherRoutes.fileTimeline> => {
  const file = fileOf(parts[3]);
  const at = file.stage === null ? stages.length : stages.indexOf(file.stage);
  return {
    run_id: randomUUID(),
    status: file.status === 'completed' ? 'completed' : file.status === 'error' ? 'failed' : 'running',
    waiting_for: file.waiting_for,
    audio_duration_s: file.duration,
    paused_reason: null,
    created_at: new Date(Date.now() - 402_000).toISOString(),
    completed_at: file.stage === null ? new Date(Date.now() - 25_000).toISOString() : null,
    stages: mockStages(at, stages),
  };
};

/** Recordings with transcripts and processing states. */
export const filesMock: readonly MockRoute[] = [
  ['GET', /^\/api\/files$/, listFiles],
  ['GET', /^\/api\/files\/[^/]+$/, (context) => ({ ...fileOf(context.parts[2]), transcript_segments: [] })],
  ['PUT', /^\/api\/files\/[^/]+$/, (context) => Object.assign(fileOf(context.parts[2]), json(context))],
  ['DELETE', /^\/api\/files\/[^/]+$/, (context) => void files.splice(files.indexOf(fileOf(context.parts[2])), 1)],
  ['GET', /\/segments$/, segmentsOf],
  ['PUT', /\/transcript\/segments\/[^/]+$/, editSegment],
  [
    'GET',
    /\/waveform$/,
    (context) => ({
      duration: fileOf(context.parts[2]).duration ?? 1,
      peaks: Array.from({ length: 1600 }, (_, i) => Math.abs(Math.sin(i / 9) * Math.sin(i / 41) * Math.sin(i * 1.7))),
    }),
  ],
  [
    'GET',
    /\/content$/,
    (context) => (sendTone(context.request, context.response, fileOf(context.parts[2]).duration ?? 10), null),
  ],
  [
    'GET',
    /\/subtitles$/,
    (context) => (
      context.response.end(
        fileOf(context.parts[2])
          .transcript_segments.map((s) => s.text)
          .join('\n'),
      ),
      null
    ),
  ],
  [
    'POST',
    /^\/api\/files\/[^/]+\/(reprocess|cancel)$/,
    (context) => {
      const file = fileOf(context.parts[2]);
      Object.assign(
        file,
        context.parts[3] === 'cancel'
          ? { status: 'cancelled', display_status: 'Stopped' }
          : { status: 'transcribing', stage: 'prepare', error: null },
      );
      changed(file);
      return file;
    },
  ],
  ['GET', /^\/api\/tasks\/files\//, timeline],
  [
    'PUT',
    /^\/api\/speakers\/[^/]+$/,
    (context) =>
      Object.assign(files.flatMap((f) => f.speakers).find((s) => s.uuid === context.parts[2]) ?? {}, json(context)),
  ],
];
