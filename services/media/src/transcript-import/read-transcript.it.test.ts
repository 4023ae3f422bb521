import { afterEach, describe, expect, it } from '@jest/globals';
import { createTranscriptReader } from './read-transcript.adapter.ts';

const readers: ReturnType<typeof createTranscriptReader>[] = [];
function start(heapMb?: number) {
  const reader = createTranscriptReader(heapMb);
  readers.push(reader);
  return reader;
}
afterEach(() => readers.splice(0).forEach((reader) => reader.close()));

function srt(words: number) {
  return { filename: 'a.srt', bytes: Buffer.from(`1\n00:00:01,000 --> 00:00:02,000\n${'a '.repeat(words)}\n`) };
}
/** The JSON export of a transcript of one-letter words, which takes the most memory. */
function json(words: number) {
  const word = { word: 'a', start: 1, end: 1, confidence: 0.9 };
  const segment = {
    start_time: 1,
    end_time: 2,
    text: 'a '.repeat(100).trim(),
    words: Array.from({ length: 100 }, () => word),
  };
  return {
    filename: 'a.json',
    bytes: Buffer.from(JSON.stringify({ segments: Array.from({ length: words / 100 }, () => segment) })),
  };
}

describe('the process that reads transcripts', () => {
  it('reads them as they are stored', async () => {
    const { segments, format } = await start().read(srt(2), {});
    expect({ format, segments }).toEqual({
      format: 'srt',
      segments: [
        {
          start: 1,
          end: 2,
          speaker: null,
          text: 'a a',
          confidence: null,
          words: JSON.stringify([
            { word: 'a', start: 1, end: 1.5, confidence: null, interpolated: true },
            { word: 'a', start: 1.5, end: 2, confidence: null, interpolated: true },
          ]),
        },
      ],
    });
  });

  it('summarises them', async () => {
    const { segment_count, word_count, first, introduced } = await start().readSummary(
      { filename: 'a.txt', bytes: Buffer.from('My name is Linus Hopper.') },
      {},
    );
    expect({ segment_count, word_count, first: first.length }).toEqual({ segment_count: 1, word_count: 5, first: 1 });
    expect(introduced.join(' ').toLowerCase()).toContain('linus');
  });

  it('reports why a file is refused, and reads the next one', async () => {
    const reader = start();
    const damaged = { filename: 'a.srt', bytes: Buffer.from('1\nsoon --> later\nx\n') };
    await expect(reader.read(damaged, {})).rejects.toMatchObject({ code: 'transcript_invalid', extra: { line: 2 } });
    expect((await reader.read(srt(1), {})).segments).toHaveLength(1);
  });

  it('has memory for a file of the most words', async () => {
    const { segments } = await start().read(json(400_000), {});
    expect(segments).toHaveLength(4000);
  });

  it('ends alone when its memory is full, and the next file is read by another', async () => {
    const reader = start(32);
    await expect(reader.read(json(400_000), {})).rejects.toMatchObject({ code: 'transcript_too_large' });
    expect((await reader.read(srt(1), {})).segments).toHaveLength(1);
  });
});
