import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import type { SpokenSegment } from '../src/chunking/chunking.ts';
import type { Recording } from '../test/library.ts';

const meeting = z.object({
  meeting: z.string(),
  domain: z.string(),
  turns: z.array(z.object({ speaker: z.string(), text: z.string() })),
  questions: z.array(z.object({ question: z.string(), spans: z.array(z.tuple([z.int(), z.int()])) })),
});
/** A question whose answer is in one recording. `spans`: its times, in seconds. */
export type Question = { text: string; fileId: string; domain: string; spans: [number, number][] };
export type Meetings = { recordings: (Recording & { domain: string })[]; questions: Question[] };

const wordsPerSecond = 150 / 60;
const ownerId = '00000000-0000-4000-8000-000000000001';

/** A file of meetings, or a folder of such files. */
async function readLines(path: string): Promise<string[]> {
  const isFolder = (await stat(path)).isDirectory();
  const files = isFolder ? (await readdir(path)).filter((name) => name.endsWith('.jsonl.gz')).sort() : [''];
  const texts = files.map(async (name) => gunzipSync(await readFile(join(path, name))).toString('utf8'));
  return (await Promise.all(texts)).flatMap((text) => text.trim().split('\n'));
}

/** Reads meetings with questions (QMSum, one meeting per line, gzip), with times from the number of words. */
export async function readMeetings(path: string): Promise<Meetings> {
  const lines = await readLines(path);
  const meetings: Meetings = { recordings: [], questions: [] };
  for (const [i, line] of lines.entries()) {
    const { domain, turns, questions } = meeting.parse(JSON.parse(line));
    const fileId = `10000000-0000-4000-8000-${String(i).padStart(12, '0')}`;
    const segments = segmentsOf(turns);
    const recording = { domain, segments, file: fileOf(fileId, i, segments.at(-1)?.end ?? 0) };
    meetings.recordings.push(recording);
    for (const { question: text, spans } of questions)
      meetings.questions.push({
        text,
        fileId,
        domain,
        spans: spans.map(([from, to]) => [segments[from]?.start ?? 0, segments[to]?.end ?? 0]),
      });
  }
  return meetings;
}

function segmentsOf(turns: readonly { speaker: string; text: string }[]): SpokenSegment[] {
  let at = 0;
  return turns.map(({ speaker, text }) => {
    const start = at;
    at += text.split(/\s+/).length / wordsPerSecond;
    return { start, end: at, speaker, text, words: [] };
  });
}

/** A title that says nothing about the content. */
function fileOf(fileId: string, index: number, duration: number): Recording['file'] {
  return {
    fileId,
    ownerId,
    title: `Recording ${index + 1}`,
    filename: `recording-${index + 1}.wav`,
    contentType: 'audio/wav',
    duration,
    language: 'en',
    uploadTime: '2026-01-01T00:00:00.000Z',
    transcriptVersion: 1,
    tags: [],
  };
}
