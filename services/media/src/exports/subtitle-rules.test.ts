import { describe, expect, it } from '@jest/globals';
import type { SubtitleCheck } from '@overtone/contracts';
import * as fc from 'fast-check';
import { passage, speaker, timed, written } from '../../test/exports.ts';
import type { Spoken } from './spoken.ts';
import type { Transcript } from './transcript.ts';

/** What the product itself finds. */
async function checked(passages: readonly Spoken[], options: Partial<Transcript['options']>): Promise<SubtitleCheck> {
  return JSON.parse(await written('subtitle_check', passages, { options })) as SubtitleCheck;
}

type Cue = { start: number; end: number; lines: string[] };

/** Reads SRT by its own rules, in milliseconds. */
function readSrt(text: string): Cue[] {
  if (text === '') return [];
  return text
    .trimEnd()
    .split('\n\n')
    .map((block) => {
      const [, times = '', ...lines] = block.split('\n');
      const [start = 0, end = 0] = times.split(' --> ').map((time) => {
        const [hours = 0, minutes = 0, seconds = 0, ms = 0] = time.split(/[:,]/).map(Number);
        return ((hours * 60 + minutes) * 60 + seconds) * 1000 + ms;
      });
      return { start, end, lines };
    });
}

const graphemes = new Intl.Segmenter();
function charactersOf(text: string): number {
  return [...graphemes.segment(text)].length;
}

/** The broken rules of subtitles, in words. Two at the same time are counted apart, by what was said together. */
function violationsOf(cues: readonly Cue[], mayOverlap: boolean): string[] {
  return cues.flatMap(({ start, end, lines }, i) => {
    const seconds = (end - start) / 1000;
    const showing = cues.slice(0, i).filter((other) => other.end > start);
    const justBefore = cues.slice(0, i).filter((other) => other.end <= start && start - other.end < 80);
    const at = `cue ${i + 1}: `;
    return [
      ...(lines.length > 2 ? [`${at}${lines.length} lines`] : []),
      ...lines.filter((line) => charactersOf(line) > 42).map((line) => `${at}line of ${charactersOf(line)}`),
      ...(charactersOf(lines.join(' ')) / seconds > 20.001 ? [`${at}too fast`] : []),
      ...(seconds < 0.833 || seconds > 7 ? [`${at}${seconds} s`] : []),
      ...(showing.length > (mayOverlap ? 1 : 0) ? [`${at}overlaps ${showing.length}`] : []),
      ...(justBefore.length > 0 && !mayOverlap ? [`${at}gap`] : []),
      ...(i > 0 && start < (cues[i - 1]?.start ?? 0) ? [`${at}out of order`] : []),
    ];
  });
}

function letters(text: string): string {
  return text.replaceAll(/\s/gu, '');
}

const ada = speaker('Ada Lovelace of London');
const ben = speaker('Ben', 'SPEAKER_02');
function many(count: number, text: string): string[] {
  return Array.from({ length: count }, () => text);
}

function spoken(texts: string[], start: number, step: number, by: Spoken['speaker'] = null): Spoken {
  const text = texts.join(' ');
  return passage(start, start + texts.length * step, text, by, timed(text, start, step));
}

describe('subtitle rules', () => {
  const texts: Record<string, Spoken[]> = {
    'single words one after the other': many(20, 'yes').map((text, i) => spoken([text], i * 0.5, 0.4)),
    'single words of two speakers in turn': many(20, 'no').map((text, i) =>
      spoken([text], i * 0.5, 0.4, i % 2 ? ada : ben),
    ),
    'a last word alone': [spoken([...many(16, 'words'), 'end.'], 0, 0.3)],
    'a word longer than a line': [spoken(['x'.repeat(130), 'y'], 0, 3)],
    'text without spaces': [spoken(['這是一段沒有空格的很長的文字'.repeat(20)], 0, 40)],
    'hardly any time': [spoken(many(40, 'quick'), 0, 0.01)],
    'text that is not made of its words': [passage(0, 30, many(60, 'edited').join(' '), ada, timed('other', 0))],
    'characters of several code points': [spoken(many(30, '👩‍👩‍👧‍👦👩‍👩‍👧‍👦'), 0, 0.5)],
    'a word that takes a minute': [spoken(['slow', 'word'], 0, 60)],
    'a speaker with a long name': [spoken(many(20, 'word'), 0, 0.3, speaker('N'.repeat(200)))],
    'right-to-left text': [spoken('مرحبا بكم في اجتماع اليوم حول ميزانية السنة القادمة'.split(' '), 0, 0.4, ada)],
  };
  it.each(Object.entries(texts))('hold for %s', async (_, passages) => {
    const cues = readSrt(await written('srt', passages, { options: { names: 'none' } }));
    expect(letters(cues.flatMap(({ lines }) => lines).join(''))).toBe(
      letters(passages.map(({ text }) => text).join('')),
    );
    expect(violationsOf(cues, false)).toEqual([]);
    expect(violationsOf(readSrt(await written('srt', passages, { options: { names: 'each' } })), false)).toEqual([]);
  });

  it('are broken by passages as they are, so that the check proves something', async () => {
    const passages = [...(texts['hardly any time'] ?? []), ...(texts['text without spaces'] ?? [])];
    const cues = readSrt(await written('srt', passages, { options: { cues: 'passages' } }));
    expect(violationsOf(cues, false).join()).toMatch(/lines.*too fast/);
  });

  it('join a cue of one short word with a neighbouring cue', async () => {
    expect(readSrt(await written('srt', texts['single words one after the other'] ?? [])).length).toBeLessThanOrEqual(
      3,
    );
    const cues = readSrt(await written('srt', texts['a last word alone'] ?? []));
    expect(cues.every(({ lines }) => lines.join(' ').includes(' '))).toBe(true);
  });

  it('start at their words, and wait where the one before needs time to be read', async () => {
    const text = Array.from({ length: 60 }, (_, i) => `word${i}`).join(' ');
    const cues = readSrt(await written('srt', [passage(10, 40, text, null, timed(text, 10))]));
    expect(cues[0]?.start).toBe(10_000);
    for (const { start, lines } of cues) {
      const word = Number(/\d+/.exec(lines.join(' '))?.[0]);
      expect(start).toBe(10_000 + word * 500);
    }
  });

  it('use the time of a passage whose words do not match its text', async () => {
    const cues = readSrt(await written('srt', [passage(1, 2, 'the edited text', null, timed('other words', 1))]));
    expect(cues).toEqual([{ start: 1000, end: 2000, lines: ['the edited text'] }]);
  });

  it('skip empty passages and never have a duration of zero', async () => {
    const cues = readSrt(await written('srt', [passage(1, 2, '  \n '), passage(3, 3, 'x')]));
    expect(cues).toEqual([{ start: 3000, end: 3833, lines: ['x'] }]);
  });

  it('let a speaker stand while another one interjects', async () => {
    const anna = speaker('Anna');
    const passages = [
      passage(1, 8, 'The harbour board has decided that the ferry will leave at noon every day.', anna),
      passage(2, 2.6, 'Yes.', ben),
      passage(8.1, 10, 'Any questions?', anna),
    ];
    for (const format of ['srt', 'webvtt', 'ttml'] as const) {
      const text = await written(format, passages, { about: { speakers: [] } });
      const times = [...text.matchAll(/00:00:(\d\d)[.,](\d\d\d)/g)].map(
        ([, second, ms]) => Number(second) + Number(ms) / 1000,
      );
      expect(times.slice(0, 4)).toEqual([1, 8, 2, 2.833]);
    }
  });

  it('never show more than two at a time, nor one person twice', async () => {
    const voices = [ada, ben, speaker('Cem', 'SPEAKER_03'), speaker('Dora', 'SPEAKER_04')];
    const passages = voices.map((voice, i) => passage(i * 0.1, 6, 'all of us speak at the same time', voice));
    const cues = readSrt(await written('srt', passages));
    expect(violationsOf(cues, true)).toEqual([]);
    expect(cues).toHaveLength(4);
    const alone = passages.map((one) => ({ ...one, speaker: ada }));
    expect(violationsOf(readSrt(await written('srt', alone)), false)).toEqual([]);
  });

  it('split a line of Chinese or Japanese between words, without punctuation at its beginning', async () => {
    const text =
      '今日の会議では来年度の予算について話し合います。その後、質問をお受けします。よろしくお願いいたします。';
    const cues = readSrt(await written('srt', [passage(0, 20, text)]));
    const lines = cues.flatMap((cue) => cue.lines);
    expect(lines.join('')).toBe(text);
    for (const line of lines) {
      expect(line).not.toMatch(/^[。、]/);
      expect(line.length).toBeLessThanOrEqual(21);
    }
  });

  const word = fc.oneof(
    { weight: 8, arbitrary: fc.stringMatching(/^[a-z]{1,12}[.,?]?$/) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('会议记录', 'どうもありがとうございます', 'السلام', 'ประชุมวันนี้', '회의에서는', '👩‍👩‍👧'),
    },
    { weight: 1, arbitrary: fc.stringMatching(/^[a-z]{40,60}$/) },
  );
  const transcript = fc
    .array(
      fc.record({
        words: fc.array(word, { minLength: 1, maxLength: 40 }),
        step: fc.constantFrom(0.01, 0.1, 0.25, 0.4, 1, 9),
        pause: fc.constantFrom(-3, -0.5, 0, 0.05, 0.5, 4),
        voice: fc.integer({ min: 0, max: 2 }),
      }),
      { minLength: 1, maxLength: 25 },
    )
    .map((turns) => {
      let at = 0;
      return turns
        .map(({ words, step, pause, voice }) => {
          const start = Math.max(0, at + pause);
          const one = spoken(words, start, step, [ada, ben, null][voice] ?? null);
          at = one.end_time;
          return one;
        })
        .toSorted((left, right) => left.start_time - right.start_time);
    });

  it('hold for 200 generated transcripts of several speakers, without a lost word', async () => {
    await fc.assert(
      fc.asyncProperty(transcript, fc.constantFrom('none', 'each'), async (passages, names) => {
        const cues = readSrt(await written('srt', passages, { options: { names } }));
        expect(violationsOf(cues, true)).toEqual([]);
        expect(await checked(passages, { names })).toEqual({
          is_valid: true,
          cues: cues.length,
          total_issues: 0,
          issues: [],
        });
        if (names === 'each') return;
        const sorted = (text: string) => Array.from(letters(text)).sort().join('');
        const shown = cues.flatMap(({ lines }) => lines).join('');
        expect(sorted(shown)).toBe(sorted(passages.map(({ text }) => text).join('')));
      }),
      { numRuns: 200, seed: 29 },
    );
  });

  it('hold for one speaker without any overlap', async () => {
    await fc.assert(
      fc.asyncProperty(transcript, async (passages) => {
        const alone = passages.map((one) => ({ ...one, speaker: ada }));
        const cues = readSrt(await written('srt', alone, { options: { names: 'change' } }));
        expect(violationsOf(cues, false)).toEqual([]);
      }),
      { numRuns: 200, seed: 29 },
    );
  });
});

describe('the check of subtitles', () => {
  const asTheyAre = (passages: readonly Spoken[]) => checked(passages, { cues: 'passages', names: 'none' });

  it('names each rule that a subtitle breaks, with its value and the limit', async () => {
    const rulesOf = async (...passages: Spoken[]) => (await asTheyAre(passages)).issues.map(({ rule }) => rule);
    expect(await rulesOf(passage(0, 7, many(20, 'words').join(' ')))).toEqual(['lines']);
    expect(await rulesOf(passage(0, 1, 'thirty letters are too many here'))).toEqual(['reading_speed']);
    expect(await rulesOf(passage(0, 0.4, 'yes'))).toEqual(['too_short']);
    expect(await rulesOf(passage(0, 8, 'a long time'))).toEqual(['too_long']);
    expect(await rulesOf(passage(0, 2, 'one', ada), passage(2.02, 4, 'two', ada))).toEqual(['gap']);
    expect(await rulesOf(passage(0, 2, 'one', ada), passage(1, 4, 'two', ada))).toEqual(['overlap']);
    expect(await rulesOf(passage(0, 2, 'one', ada), passage(1, 4, 'two', ben))).toEqual([]);
    const { issues } = await asTheyAre([passage(0, 2, 'fine'), passage(3, 3.5, 'yes')]);
    expect(issues).toEqual([{ cue: 2, start: 3, rule: 'too_short', value: 0.5, limit: 0.833 }]);
  });

  it('counts all of many issues and lists the first 200', async () => {
    const check = await asTheyAre(many(500, 'no').map((text, i) => passage(i, i + 0.5, text, i % 2 ? ada : ben)));
    expect(check).toMatchObject({ is_valid: false, cues: 500, total_issues: 500 });
    expect(check.issues).toHaveLength(200);
  });
});
