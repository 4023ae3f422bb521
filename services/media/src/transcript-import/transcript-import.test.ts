import { describe, expect, it } from '@jest/globals';
import { written } from '../../test/exports.ts';
import type { Spoken } from '../exports/spoken.ts';
import { isAppError } from '@overtone/service-kit';
import { testSeed } from '@overtone/testkit/seed';
import * as fc from 'fast-check';
import { interpolate, readTranscript, type ImportOptions } from './transcript-import.ts';

fc.configureGlobal({ seed: testSeed });

function read(text: string, filename = 'talk.txt', options: ImportOptions = {}) {
  return readTranscript({ filename, bytes: Buffer.from(text) }, options);
}

/** The rejection of a text: its code and line. */
function refusal(text: string | Uint8Array, filename = 'talk.txt'): [code: string, line: number | undefined] {
  try {
    readTranscript({ filename, bytes: Buffer.from(text) });
  } catch (error) {
    if (isAppError(error)) return [error.code, error.extra.line];
    throw error;
  }
  throw new Error('it was accepted');
}

function turnsOf(text: string, filename?: string, options?: ImportOptions) {
  return read(text, filename, options).segments.map(({ start, end, speaker, text: said }) => [
    start,
    end,
    speaker,
    said,
  ]);
}

function noteOf(text: string, note: string): number {
  return read(text, 'talk.srt').notes.find((found) => found.note === note)?.count ?? 0;
}

describe('an SRT file', () => {
  it('gives a segment for each cue, with the speaker before a colon', () => {
    const srt = '1\n00:00:01,000 --> 00:00:02,500\nAda: Good\nmorning.\n\n2\n00:00:03,000 --> 00:00:04,000\nHello.\n';
    expect(turnsOf(srt)).toEqual([
      [1, 2.5, 'Ada', 'Good morning.'],
      [3, 4, null, 'Hello.'],
    ]);
    expect(turnsOf(srt, 'talk.srt', { speaker_prefixes: false })[0]?.[3]).toBe('Ada: Good morning.');
  });

  it('accepts hours above 99, missing numbers, missing blank lines and Windows line ends', () => {
    expect(turnsOf('100:00:01.000 --> 100:00:02.000\r\none\r\n\r\n0:03 --> 0:04\r\nback\r\n')).toEqual([
      [3, 4, null, 'back'],
      [360_001, 360_002, null, 'one'],
    ]);
    const dense = '1\n00:00:01,000 --> 00:00:02,000\none\n2\n00:00:03,000 --> 00:00:04,000\ntwo\n';
    expect(turnsOf(dense)).toEqual([
      [1, 2, null, 'one'],
      [3, 4, null, 'two'],
    ]);
  });

  it('keeps text after a blank line with its cue', () => {
    expect(turnsOf('1\n00:00:01,000 --> 00:00:02,000\none\n\nmore\n')).toEqual([[1, 2, null, 'one more']]);
  });

  it('corrects order, negative times and missing lengths, and counts them', () => {
    const srt =
      '1\n00:00:05,000 --> 00:00:05,000\nlater\n\n2\n-00:00:01,000 --> 00:00:02,000\nfirst\n\n3\n00:00:01,500 --> 00:00:03,000\nmiddle\n';
    expect(turnsOf(srt)).toEqual([
      [0, 2, null, 'first'],
      [1.5, 3, null, 'middle'],
      [5, 5.5, null, 'later'],
    ]);
    expect(['sorted', 'overlapping', 'negative_time', 'no_length'].map((note) => noteOf(srt, note))).toEqual([
      1, 1, 1, 1,
    ]);
  });

  it('removes tags that format text and ASS overrides, and keeps other angle brackets as text', () => {
    const srt =
      '1\n00:00:01,000 --> 00:00:02,000\n{\\an8}<i>so</i> <font color="red">red</font> <script>alert(1)</script> a < b\n';
    expect(turnsOf(srt)[0]?.[3]).toBe('so red <script>alert(1)</script> a < b');
    expect(noteOf(srt, 'markup_removed')).toBe(1);
  });

  it.each([
    ['a time that cannot be read', '1\n00:00:0x,000 --> 00:00:02,000\none\n', 2],
    ['minutes above 59', '1\n00:61:01,000 --> 00:62:02,000\none\n', 2],
    ['a damaged later cue', '1\n00:00:01,000 --> 00:00:02,000\none\n\n2\n00:00:03,000 --> later\ntwo\n', 6],
    ['text before the first cue', 'Hello\n\n1\n00:00:01,000 --> 00:00:02,000\none\n', 1],
  ])('is rejected with its line for %s', (_, srt, line) => {
    expect(refusal(srt, 'talk.srt')).toEqual(['transcript_invalid', line]);
  });
});

// The damaged end proves that the rest was not read: it would be reported instead.
describe('the reading of a hostile file stops at its first excess', () => {
  const damaged = '\n\n00:00:03,000 --> later\nend\n';
  const cue = '00:00:01.000 --> 00:00:02.000\n';
  it.each([
    ['one long line', 'talk.srt', `${cue}${'ab '.repeat(100_000)}`, 1],
    ['tags that are never closed', 'talk.vtt', `WEBVTT\n\n${cue}${'<v '.repeat(100_000)}`, 3],
    ['many short lines', 'talk.vtt', `WEBVTT\n\n${cue}${'<v\n'.repeat(150_000)}`, 3],
    ['more than 30,000 cues', 'talk.srt', `${cue}x\n\n`.repeat(30_001), 90_001],
    ['one long line of plain text', 'talk.txt', 'a: '.repeat(400_000), 1],
  ])('%s', (_, filename, text, line) => {
    expect(refusal(text + damaged, filename)).toEqual(['transcript_invalid', line]);
  });

  it('but a whole transcript in one line of plain text is divided', () => {
    expect(read('This is one sentence. '.repeat(30_000)).segments.length).toBeGreaterThan(300);
  });
});

describe('a WebVTT file', () => {
  it('gives a segment for each voice, without notes, styles and settings', () => {
    const vtt =
      'WEBVTT - a talk\nKind: captions\n\nNOTE nothing\nof this\n\nSTYLE\n::cue { color: red }\n\nfirst\n00:01.000 --> 00:03.000 align:start\n<v.loud Ada Lovelace>Good</v>\n<v Bob &amp; Co>night\n\n01:00:00.000 --> 01:00:01.000\n<00:00:19.000><c>a &lt;b&gt;</c>\n';
    expect(turnsOf(vtt)).toEqual([
      [1, 1.889, 'Ada Lovelace', 'Good'],
      [1.889, 3, 'Bob & Co', 'night'],
      [3600, 3601, null, 'a <b>'],
    ]);
  });

  it('is rejected without its first line', () => {
    expect(refusal('no\n\n00:01.000 --> 00:03.000\nx', 'talk.vtt')).toEqual(['transcript_invalid', 1]);
  });
});

describe('a TTML file', () => {
  const ttml = (body: string, head = '') =>
    `<?xml version="1.0"?>\n<tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttm="http://www.w3.org/ns/ttml#metadata" xmlns:ttp="http://www.w3.org/ns/ttml#parameter" xml:lang="de" ttp:frameRate="25">\n<head><metadata><ttm:title>A talk</ttm:title>${head}</metadata></head>\n<body>${body}</body></tt>`;

  it('gives paragraphs with times of every form, and the names of agents', () => {
    const agent = '<ttm:agent xml:id="a1" type="person"><ttm:name>Ada</ttm:name></ttm:agent>';
    const body =
      '<div begin="10s"><p begin="00:00:01.500" end="00:00:02:05" ttm:agent="a1">Good<br/><span tts:x="1">morning</span></p>\n<p begin="75f" dur="500ms">Bob: hi &amp; <![CDATA[<b>]]></p></div>';
    const { language, title } = read(ttml(body, agent));
    expect([language, title]).toEqual(['de', 'A talk']);
    expect(turnsOf(ttml(body, agent))).toEqual([
      [11.5, 12.2, 'Ada', 'Good morning'],
      [13, 13.5, 'Bob', 'hi & <b>'],
    ]);
  });

  it.each([
    ['a document type', '<!DOCTYPE tt [<!ENTITY x "y">]><tt><body/></tt>', 1],
    ['an unknown entity', '<tt>\n<body><p begin="1s">&x;</p></body></tt>', 2],
    ['an element that is not closed', '<tt>\n<body>\n<p begin="1s">x</body></tt>', 3],
    ['a time that cannot be read', '<tt>\n<body><p begin="soon">x</p></body></tt>', 2],
    ['a paragraph without a time', '<tt><body>\n\n<p>x</p></body></tt>', 3],
    ['deep nesting', `<tt>\n${'<div>'.repeat(200)}`, 2],
  ])('is rejected with its line for %s', (_, text, line) => {
    expect(refusal(text, 'talk.ttml')).toEqual(['transcript_invalid', line]);
  });

  it.each(['begin="0s" end="999999999999h"', 'begin="10001h"', 'begin="9000h" dur="2000h"', 'end="999999:00:00"'])(
    'with times that no recording has (%s) is rejected',
    (times) => {
      expect(refusal(ttml(`<p ${times}>Hello</p>`), 'talk.ttml')).toEqual(['transcript_invalid', 4]);
    },
  );
});

describe('a plain text', () => {
  it('gives turns, whose times are estimated', () => {
    const result = read('Ada: Good morning.\nHow are you?\n\nDr. Bob Y.: Fine, thanks: really.\n\nAnd you?\n');
    expect(result.segments.map(({ speaker, text }) => [speaker, text])).toEqual(
      [
        ['Ada', 'Good morning. How are you?'],
        [null, 'Dr. Bob Y.: Fine, thanks: really.'],
        [null, 'And you?'],
      ].map(([speaker, text], i) => (i === 0 ? [speaker, text] : ['Ada', text])),
    );
    expect(result).toMatchObject({ format: 'text', untimed: true, interpolated: true });
    expect(result.segments[0]?.words[0]).toMatchObject({ word: 'Good', start: 0, interpolated: true });
  });

  it('is spread over the length of a recording', () => {
    const { segments } = read('Ada: aaaa\nBob: bb\nAda: bb\n', 'x.txt', { duration: 80 });
    expect(segments.map(({ start, end }) => [start, end])).toEqual([
      [0, 40],
      [40, 60],
      [60, 80],
    ]);
  });

  it('takes the times in front of turns', () => {
    expect(
      turnsOf('[00:00:02] Ada: one\n\nBob [00:00:03]\ntwo three\n\n1:00:00 Ada: four\n').map((turn) =>
        turn.toSpliced(1, 1),
      ),
    ).toEqual([
      [2, 'Ada', 'one'],
      [3, 'Bob', 'two three'],
      [3600, 'Ada', 'four'],
    ]);
  });
});

describe('the encoding', () => {
  const srt = '1\n00:00:01,000 --> 00:00:02,000\nGrüße aus Köln\n';
  const utf16 = Buffer.from(srt, 'utf16le');
  it.each([
    ['UTF-8', Buffer.from(srt), 'utf-8'],
    ['UTF-8 with a mark', Buffer.from(`\uFEFF${srt}`), 'utf-8'],
    ['UTF-16 with a mark', Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]), 'utf-16le'],
    ['UTF-16 without a mark', utf16, 'utf-16le'],
    ['big-endian UTF-16', Buffer.from(utf16).swap16(), 'utf-16be'],
    ['Windows-1252', Buffer.from(srt, 'latin1'), 'windows-1252'],
  ])('of %s is detected', (_, bytes, encoding) => {
    const found = readTranscript({ filename: 'a.srt', bytes });
    expect([found.encoding, found.segments[0]?.text]).toEqual([encoding, 'Grüße aus Köln']);
  });

  it('can be chosen', () => {
    const bytes = Buffer.concat([Buffer.from('1\n00:00:01,000 --> 00:00:02,000\n'), Buffer.from([0xcf, 0xf0, 0xe8])]);
    const { segments } = readTranscript({ filename: 'a.srt', bytes }, { encoding: 'windows-1251' });
    expect(segments[0]?.text).toBe('При');
  });

  it('that is damaged UTF-8 is rejected with its line', () => {
    const bytes = Buffer.concat([Buffer.from('Ä Ö Ü\nÄ '), Buffer.from([0xc3]), Buffer.from(' Ö')]);
    expect(refusal(bytes)).toEqual(['transcript_encoding_unknown', 2]);
  });

  it.each([
    ['a picture', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d])],
    ['an archive', Buffer.from('PK\x03\x04\x14\0\x06\0')],
  ])('of %s is unknown', (_, bytes) => {
    expect(refusal(bytes)[0]).toBe('transcript_encoding_unknown');
  });

  it('of an empty file does not matter: it has no text', () => {
    expect(refusal('')).toEqual(['transcript_empty', undefined]);
    expect(refusal('WEBVTT\n\n', 'a.vtt')).toEqual(['transcript_empty', undefined]);
    expect(refusal('<html><body>x</body></html>', 'a.html')).toEqual(['transcript_format_unknown', undefined]);
  });
});

describe('a JSON file', () => {
  it('is rejected with its line or the name of the field', () => {
    expect(refusal('{\n"segments": [\n}', 'a.json')).toEqual(['transcript_invalid', 3]);
    expect(() => read('{"segments":[{"start_time":"1"}]}', 'a.json')).toThrow(
      /^This JSON is not an exported transcript\. segments\.0\.start_time: /,
    );
  });

  it('gives words new times when they are not those of the text', () => {
    const segment = {
      start_time: 0,
      end_time: 2,
      text: 'one two',
      words: [{ word: 'one', start: 0, end: 1, confidence: 1 }],
    };
    expect(read(JSON.stringify({ segments: [segment] })).segments[0]?.words).toEqual(
      interpolate('one two', { start: 0, end: 2 }),
    );
  });
});

const speakers = [
  { uuid: '1', name: 'SPEAKER_01', display_name: 'Ada Lovelace' },
  { uuid: '2', name: 'SPEAKER_02', display_name: null },
];
const said = fc
  .array(fc.constantFrom('Good', 'morning,', 'Bob.', 'Größe', '42', 'a<b', '你好', 'yes?', 'naïve', 'end!'), {
    minLength: 1,
    maxLength: 30,
  })
  .map((words) => words.join(' '));
const transcript: fc.Arbitrary<Spoken[]> = fc
  .array(fc.record({ text: said, speaker: fc.constantFrom(0, 1), pause: fc.integer({ min: 0, max: 4 }) }), {
    minLength: 1,
    maxLength: 12,
  })
  .map((turns) => {
    let at = 0;
    return turns.map(({ text, speaker, pause }) => {
      const start = at + pause;
      const end = start + text.split(' ').length * 0.4;
      at = Math.ceil(end);
      const words = interpolate(text, { start, end }).map(({ interpolated: _, ...word }) => ({
        ...word,
        confidence: 0.9,
      }));
      return {
        start_time: start,
        end_time: end,
        text,
        speaker: speakers[speaker] ?? null,
        confidence: 0.9,
        edited: false,
        words,
        redactions: [],
      };
    });
  });

type Turn = { speaker: string | null; text: string; start: number };
/** Neighbouring passages of one speaker as one turn: an export may divide or join them. */
function joinTurns(segments: readonly Turn[]): Turn[] {
  const turns: Turn[] = [];
  for (const { speaker, text, start } of segments) {
    const last = turns.at(-1);
    if (last?.speaker === speaker) last.text += ` ${text}`;
    else turns.push({ speaker, text, start });
  }
  return turns;
}

describe('an export that is imported again', () => {
  const about = { speakers: speakers.map((speaker) => ({ ...speaker, talk_time: 1 })) };
  const options = { names: 'each' } as const;
  // A subtitle waits until the one before it could be read.
  const exports = [
    ['srt', 'srt', 4],
    ['webvtt', 'vtt', 2],
    ['ttml', 'ttml', 2],
    ['txt', 'txt', 1],
    ['json', 'json', 0.001],
  ] as const;
  it.each(exports)('as %s (%s) has the same text and speakers, and times within %f s', (format, extension, tolerance) =>
    fc.assert(
      fc.asyncProperty(transcript, async (segments) => {
        const names = ['Ada Lovelace', 'Speaker 2'];
        const before = joinTurns(
          segments.map(({ speaker, text, start_time }) => ({
            speaker: names[speaker === speakers[0] ? 0 : 1] ?? null,
            text,
            start: start_time,
          })),
        );
        const after = joinTurns(read(await written(format, segments, { about, options }), `a.${extension}`).segments);
        expect(after.map(({ speaker, text }) => [speaker, text])).toEqual(
          before.map(({ speaker, text }) => [speaker, text]),
        );
        after.forEach(({ start }, i) =>
          expect(Math.abs(start - (before[i]?.start ?? 0))).toBeLessThanOrEqual(tolerance),
        );
      }),
      { numRuns: 60 },
    ),
  );

  it('as JSON keeps the times and confidences of its words', () =>
    fc.assert(
      fc.asyncProperty(transcript, async (segments) => {
        const again = read(await written('json', segments, { about }), 'a.json');
        expect(again.segments.map(({ words }) => words)).toEqual(segments.map(({ words }) => words));
        expect(again.interpolated).toBe(false);
      }),
      { numRuns: 50 },
    ));
});

describe('any input', () => {
  const line = fc.oneof(
    fc.string(),
    fc.constantFrom(
      'WEBVTT',
      '1',
      '',
      '00:00:01,000 --> 00:00:02,000',
      '00:00:01.000 --> -00:00:02.000 align:start',
      '-->',
      '<v Ada>x',
      '<tt><body><p begin="1s">x</p></body></tt>',
      '<tt>',
      '{"segments":[]}',
      '[00:01] Ada: x',
      'Ada: x',
      '{\\an8}',
    ),
  );
  it('is read with ordered, positive times and words, or rejected with a code', () => {
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 20 }),
        fc.constantFrom('a.srt', 'a.vtt', 'a.ttml', 'a.json', 'a.txt'),
        (lines, filename) => {
          try {
            const { segments } = read(lines.join('\n'), filename);
            segments.forEach(({ start, end, text, words }, i) => {
              expect(start).toBeGreaterThanOrEqual(segments[i - 1]?.start ?? 0);
              expect(end).toBeGreaterThan(start);
              expect(words.map(({ word }) => word).join(' ')).toBe(text);
            });
          } catch (error) {
            if (!isAppError(error) || !error.code.startsWith('transcript_')) throw error;
          }
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('of random bytes is read or rejected with a code', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        try {
          readTranscript({ filename: 'a.srt', bytes });
        } catch (error) {
          if (!isAppError(error) || !error.code.startsWith('transcript_')) throw error;
        }
      }),
      { numRuns: 2000 },
    );
  });

  const cue = '00:00:01,000 --> 00:00:02,000\n';
  it.each(['<', '{\\', '<v ', '<v.', '<c ', 'a: ', '[1:', '00:', ' ', '&a', 'x\n', '\n-->', '9'])(
    'of megabytes of "%s" is read in linear time',
    (filler) => {
      const before = process.cpuUsage();
      for (const text of [
        filler.repeat(100_000),
        cue + filler.repeat(100_000),
        `WEBVTT\n\n${cue}${filler.repeat(100_000)}`,
      ]) {
        try {
          read(text, 'a.txt');
        } catch (error) {
          if (!isAppError(error)) throw error;
        }
      }
      expect(process.cpuUsage(before).user).toBeLessThan(20_000_000);
    },
  );
});
