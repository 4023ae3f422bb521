import { describe, expect, it } from '@jest/globals';
import { strToU8, zipSync } from 'fflate';
import { readTranscript, type ImportOptions } from './transcript-import.ts';

function read(content: string | Uint8Array, filename: string, options: ImportOptions = {}) {
  return readTranscript({ filename, bytes: Buffer.from(content) }, options);
}

function turnsOf(content: string | Uint8Array, filename: string, options?: ImportOptions) {
  return read(content, filename, options).segments.map(({ start, end, speaker, text }) => [start, end, speaker, text]);
}

function srtOf(texts: readonly string[]): string {
  const times = (i: number) => `00:00:${String(i * 4 + 1).padStart(2, '0')},000`;
  return texts.map((text, i) => `${i + 1}\n${times(i)} --> ${times(i + 1)}\n${text}\n`).join('\n');
}

describe('rolling captions', () => {
  const lines = [
    ['00:00.080 --> 00:02.389', ' ', 'today<00:00:00.320><c> we</c><00:00:00.560><c> look</c>'],
    ['00:02.389 --> 00:02.399', 'today we look', ' '],
    ['00:02.399 --> 00:04.790', 'today we look', 'at<00:00:02.720><c> the</c><00:00:03.040><c> harbour</c>'],
    ['00:04.790 --> 00:04.800', 'at the harbour', ' '],
    ['00:04.800 --> 00:06.500', 'at the harbour', 'and<00:00:05.200><c> its</c><00:00:05.600><c> ferry</c>'],
  ];
  const rolling = `WEBVTT\n\n${lines.map((cue) => cue.join('\n')).join('\n\n')}\n`;

  it('are imported once, with the times inside the cues', () => {
    const { segments } = read(rolling, 'rolling.vtt');
    expect(segments.map(({ text }) => text)).toEqual(['today we look', 'at the harbour', 'and its ferry']);
    expect(segments[1]?.words.map(({ word, start, end }) => [word, start, end])).toEqual([
      ['at', 2.399, 2.72],
      ['the', 2.72, 3.04],
      ['harbour', 3.04, 4.79],
    ]);
  });

  it('are recognised without times inside the cues, too', () => {
    const plain = rolling.replaceAll(/<[^>]*>/g, '');
    expect(
      read(plain, 'rolling.vtt')
        .segments.map(({ text }) => text)
        .join(' '),
    ).toBe('today we look at the harbour and its ferry');
  });

  it('are not seen in a conversation where people repeat each other', () => {
    const texts = ['We sail on Monday.', 'On Monday?', 'On Monday.', 'Yes.', 'Yes.', 'Then we are done.'];
    expect(read(srtOf(texts), 'talk.srt').segments.map(({ text }) => text)).toEqual(texts);
  });
});

describe('character references', () => {
  it.each(['vtt', 'srt'])('are decoded in .%s', (extension) => {
    const cue =
      '00:00:01.000 --> 00:00:03.000\nWe don&#39;t need the caf&eacute; &amp; the &#x201C;bar&#x201D; &hellip; &lt;now&gt;\n';
    const text = extension === 'vtt' ? `WEBVTT\n\n${cue}` : `1\n${cue}`;
    expect(turnsOf(text, `talk.${extension}`)[0]?.[3]).toBe("We don't need the café & the “bar” … <now>");
  });
});

describe('text before a colon', () => {
  it('is no speaker when it is a part of a sentence', () => {
    const texts = [
      'So the question is: do we sail on Monday?',
      'I see two reasons: fuel and wind.',
      'Remember this: nobody leaves before noon.',
      'Note: bring the slides.',
      'That is all.',
    ];
    const { speakers, segments } = read(srtOf(texts), 'talk.srt');
    expect([speakers, segments.map(({ text }) => text)]).toEqual([[], texts]);
  });

  it('is a speaker when names are repeated, and later colons stay', () => {
    const texts = ['Good morning.', 'Anna: yes.', 'Ben: hello.', 'Anna: one thing remains: the ferry.', 'Ben: yes.'];
    expect(read(srtOf(texts), 'talk.srt')).toMatchObject({
      speakers: ['Anna', 'Ben'],
      segments: [{ speaker: null }, {}, {}, { speaker: 'Anna', text: 'one thing remains: the ferry.' }, {}],
    });
  });

  it.each(['SPEAKER_01: yes\nSPEAKER_02: no\n', 'Dr Ada van Dyke: yes\nBen: no\n', '田中: はい\n佐藤: いいえ\n'])(
    'is a speaker in %j',
    (text) => {
      expect(read(text, 'talk.txt').speakers).toHaveLength(2);
    },
  );
});

describe('a subtitle file of another kind', () => {
  const ass =
    '[Script Info]\nTitle: Harbour\n\n[V4+ Styles]\nFormat: Name, Fontname\nStyle: Default,Arial\n\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\nComment: 0,0:00:00.00,0:00:01.00,Default,,0,0,0,,no\nDialogue: 0,0:00:01.00,0:00:03.50,Default,Anna,0,0,0,,{\\i1}Good{\\i0} morning,\\Nto all.\nDialogue: 0,0:00:04.00,0:00:05.00,Default,,0,0,0,,{\\p1}m 0 0 l 9 9\n';
  it.each([
    ['Advanced SubStation Alpha', 'a.ass', ass, 'ass', [1, 3.5, 'Anna', 'Good morning, to all.']],
    [
      'SubViewer',
      'a.sbv',
      '0:00:01.000,0:00:03.500\nGood\nmorning.\n\n0:00:04.000,0:00:06.000\nBye.\n',
      'sbv',
      [1, 3.5, null, 'Good morning.'],
    ],
    [
      'SubViewer 2',
      'a.sub',
      '[INFORMATION]\n[TITLE]x\n[END INFORMATION]\n[SUBTITLE]\n00:00:01.00,00:00:03.50\nGood[br]morning.\n',
      'sbv',
      [1, 3.5, null, 'Good morning.'],
    ],
    ['MicroDVD', 'a.sub', '{1}{1}25.000\n{25}{75}{y:i}Good|morning.\n', 'microdvd', [1, 3, null, 'Good morning.']],
    ['MPL2', 'a.txt', '[10][35]Good|morning.\n', 'microdvd', [1, 3.5, null, 'Good morning.']],
  ])('of the kind %s is recognised by its content', (_, filename, text, format, turn) => {
    expect([read(text, filename).format, turnsOf(text, filename)[0]]).toEqual([format, turn]);
  });

  it.each([
    ['a.ass', `${ass}Dialogue: 0,soon,0:00:05.00,Default,,0,0,0,,x\n`, 13],
    ['a.sbv', 'Hello\n0:00:01.000,0:00:03.500\nx\n', 1],
    ['a.sub', '{1}{25}one\nlater\n', 2],
  ])('%s is rejected with its line where it is damaged', (filename, text, line) => {
    expect(() => read(text, filename)).toThrow(
      expect.objectContaining({ code: 'transcript_invalid', extra: { line } }),
    );
  });
});

describe('the text that a meeting service exports', () => {
  it('of Otter has turns with a name and a time', () => {
    const text = 'Anna Meier  0:03  \nGood morning.\n\nBen  1:02:05\nHello there.\n\nTranscribed by https://otter.ai\n';
    expect(turnsOf(text, 'talk.txt').map((turn) => turn.toSpliced(1, 1))).toEqual([
      [3, 'Anna Meier', 'Good morning.'],
      [3725, 'Ben', 'Hello there.'],
    ]);
  });

  const teams =
    '0:0:0.0 --> 0:0:1.960\nAnna Meier\nGood morning.\n\n0:0:2.0 --> 0:0:3.5\nBen\nHello.\n\n0:0:4.0 --> 0:0:5.0\nAnna Meier\nBye.\n\n0:0:6.0 --> 0:0:7.0\nBen\nBye.\n';
  const turns = [
    [0, 1.96, 'Anna Meier', 'Good morning.'],
    [2, 3.5, 'Ben', 'Hello.'],
  ];
  it('of Teams has a line with the name in each cue', () => {
    expect(turnsOf(teams, 'talk.txt').slice(0, 2)).toEqual(turns);
  });

  function docx(paragraphs: readonly string[]): Uint8Array {
    const body = paragraphs
      .map(
        (text) =>
          `<w:p><w:r>${text
            .split('\n')
            .map((line) => `<w:t>${line}</w:t>`)
            .join('<w:br/>')}</w:r></w:p>`,
      )
      .join('');
    return zipSync({ 'word/document.xml': strToU8(`<w:document xmlns:w="x"><w:body>${body}</w:body></w:document>`) });
  }
  it('of Teams may be a Word document', () => {
    const bytes = docx(teams.trim().split('\n\n'));
    expect(read(bytes, 'talk.docx').format).toBe('docx');
    expect(turnsOf(bytes, 'talk.docx').slice(0, 2)).toEqual(turns);
    expect(turnsOf(docx(['Anna Meier 0:03\nGood &amp; early.', 'Ben 0:05\nHello.']), 'talk.docx')[0]).toEqual([
      3,
      expect.any(Number),
      'Anna Meier',
      'Good & early.',
    ]);
  });

  it('is refused when it is another archive', () => {
    const bytes = zipSync({ 'a.txt': strToU8('x') });
    expect(() => read(bytes, 'talk.docx')).toThrow(expect.objectContaining({ code: 'transcript_encoding_unknown' }));
  });
});

describe('the JSON of a speech engine', () => {
  const segment = {
    start: 0,
    end: 2.5,
    text: ' Good morning.',
    words: [
      { word: ' Good', start: 0, end: 1, probability: 0.9 },
      { word: ' morning.', start: 1.2, end: 2.5, probability: 0.7 },
    ],
  };
  const words = [
    { word: 'Good', start: 0, end: 1, confidence: 0.9 },
    { word: 'morning.', start: 1.2, end: 2.5, confidence: 0.7 },
  ];
  it('of Whisper keeps the times of its words', () => {
    const text = JSON.stringify({ text: ' Good morning.', language: 'en', segments: [{ id: 0, ...segment }] });
    expect(read(text, 'a.json')).toMatchObject({ language: 'en', interpolated: false, segments: [{ words }] });
  });

  it('of whisperX keeps its speakers, and gives words without times those of the words next to them', () => {
    const [first] = segment.words;
    const doc = {
      segments: [{ ...segment, speaker: 'SPEAKER_01', words: [first, { word: 'morning.' }] }],
      word_segments: [],
    };
    expect(read(JSON.stringify(doc), 'a.json')).toMatchObject({
      speakers: ['SPEAKER_01'],
      segments: [{ words: [{ word: 'Good' }, { word: 'morning.', start: 1, interpolated: true }] }],
    });
  });

  it('of whisper.cpp has milliseconds', () => {
    const doc = {
      result: { language: 'de' },
      transcription: [{ offsets: { from: 500, to: 2500 }, text: ' Guten Tag' }],
    };
    expect(turnsOf(JSON.stringify(doc), 'a.json')).toEqual([[0.5, 2.5, null, 'Guten Tag']]);
  });
});

describe('a TTML file', () => {
  it('has times one after the other in a sequence', () => {
    const body =
      '<div timeContainer="seq"><p dur="2s">one</p><p dur="3s">two</p><p begin="1s" dur="1s">three</p></div><p begin="1s" end="2s">other</p>';
    expect(turnsOf(`<tt xmlns="http://www.w3.org/ns/ttml"><body>${body}</body></tt>`, 'a.ttml')).toEqual([
      [0, 2, null, 'one'],
      [1, 2, null, 'other'],
      [2, 5, null, 'two'],
      [6, 7, null, 'three'],
    ]);
  });

  it('is read in the encoding that it declares', () => {
    const text =
      '<?xml version="1.0" encoding="windows-1251"?><tt xmlns="http://www.w3.org/ns/ttml"><body><p begin="0s" end="1s">';
    const bytes = Buffer.concat([Buffer.from(text), Buffer.from([0xcf, 0xf0, 0xe8]), Buffer.from('</p></body></tt>')]);
    expect([read(bytes, 'a.ttml').encoding, turnsOf(bytes, 'a.ttml')[0]?.[3]]).toEqual(['windows-1251', 'При']);
  });
});

describe('the choices of an import', () => {
  it('shift all times, those of words, too', () => {
    const vtt = 'WEBVTT\n\n10:00:01.000 --> 10:00:03.000\none<10:00:02.000> two\n';
    const { segments, duration } = read(vtt, 'a.vtt', { shift: -36_000 });
    expect([segments[0]?.start, segments[0]?.words[1]?.start, duration]).toEqual([1, 2, 3]);
  });

  it('take another format than the recognised one', () => {
    expect(read('[10][35]Good morning.\n', 'a.txt', { format: 'text' })).toMatchObject({
      format: 'text',
      segments: [{ text: '[10][35]Good morning.' }],
    });
  });
});
