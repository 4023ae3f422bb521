import { describe, expect, it } from '@jest/globals';
import type { ConversationObject } from '@overtone/contracts';
import { toMarkdown } from './markdown.ts';
import { answerText, visibleMessage, type Message, type ReadableFiles } from './visible.ts';

const stored: Message = {
  id: 'm',
  question: 'Where to?',
  status: 'answered',
  madeBy: 'model',
  provider: 'openai',
  model: 'x',
  sentences: [
    { text: 'To Lisbon.', citations: [1], supported: true },
    { text: 'It costs twelve thousand.', citations: [2], supported: true },
    { text: 'Both agree.', citations: [1, 2], supported: true },
    { text: 'All is well.', citations: [], supported: false },
  ],
  citations: [
    { number: 1, fileId: 'a', start: 3_725.4, end: 3_730, speaker: 'Anna', quote: 'We move to Lisbon.' },
    { number: 2, fileId: 'b', start: 5, end: 9, speaker: null, quote: 'Twelve thousand.' },
  ],
  fileIds: ['a', 'b'],
  masks: { a: ['name'], b: null },
  searchPartial: false,
  errorCode: null,
  askedAt: new Date(0),
  answeredAt: new Date(1),
};
const both = new Map([
  ['a', { title: 'Planning', masks: ['name'] }],
  ['b', { title: 'Costs', masks: ['name'] }],
]);
const planningOnly = new Map([['a', { title: 'Planning', masks: [] }]]);

describe('a message', () => {
  it('is complete for a reader of all its recordings', () => {
    const message = visibleMessage(stored, both);
    expect(answerText(message)).toBe('To Lisbon. It costs twelve thousand. Both agree. All is well.');
    expect(message.citations.map(({ file_title: title }) => title)).toEqual(['Planning', 'Costs']);
  });

  it('withholds title, time, speaker and quote of a recording that the reader may not read', () => {
    const { citations } = visibleMessage(stored, planningOnly);
    expect(citations[1]).toEqual({
      number: 2,
      withheld: true,
      edited: false,
      file_uuid: null,
      file_title: null,
      start: null,
      end: null,
      speaker: null,
      quote: null,
    });
  });

  it('withholds a recording of which more is masked than when the answer was made', () => {
    const masked = (masks: string[]) => visibleMessage(stored, new Map([...both, ['a', { title: 'Planning', masks }]]));
    expect(masked([]).citations.map(({ withheld }) => withheld)).toEqual([false, false]);
    expect(masked(['name', 'phone']).citations.map(({ withheld }) => withheld)).toEqual([true, false]);
    expect(answerText(masked(['name', 'phone']))).toBe('It costs twelve thousand.');
  });

  it('withholds each sentence that may rest on such a recording', () => {
    const message = visibleMessage(stored, planningOnly);
    expect(message.sentences.map(({ withheld }) => withheld)).toEqual([false, true, true, true]);
    expect(answerText(message)).toBe('To Lisbon.');
  });

  it('withholds everything from a reader of none of its recordings', () => {
    expect(JSON.stringify(visibleMessage(stored, new Map()))).not.toMatch(/Lisbon|twelve|Planning|Anna/i);
  });
});

describe('a conversation as Markdown', () => {
  const conversation = (readable: ReadableFiles, message = stored): ConversationObject => ({
    uuid: 'c',
    title: 'The <b>move</b>',
    scope: 'library',
    scope_uuid: null,
    scope_title: null,
    is_owner: true,
    owner_name: null,
    messages_total: 1,
    created_at: '',
    updated_at: '',
    messages: [visibleMessage(message, readable)],
  });

  it('has the answer with its numbered sources and their times', () => {
    const text = toMarkdown(conversation(both));
    expect(text).toContain(String.raw`To Lisbon. \[1\]`);
    expect(text).toContain('1. Planning, 01:02:05: Anna: “We move to Lisbon.”');
  });

  it('contains nothing that the reader may not read', () => {
    expect(toMarkdown(conversation(new Map()))).not.toMatch(/Lisbon|twelve|Planning|Anna/i);
  });

  it('escapes what could be markup', () => {
    const hostile = '<script>alert(1)</script> ![x](http://example.org/y) # title';
    const sentences = [{ text: `${hostile}\n# heading`, citations: [1], supported: true }];
    const text = toMarkdown(conversation(both, { ...stored, sentences }));
    expect(text).not.toMatch(/(?<!\\)<script|(?<!\\)!\[|(?<!\\)\]\(/);
    expect(text.match(/^# /gm)).toHaveLength(1);
  });
});
