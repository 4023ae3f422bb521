import { describe, expect, it } from '@jest/globals';
import { passage, written } from '../../test/exports.ts';
import { summaryLines, type ExportedSummary } from './summary.ts';

const segments = [{ uuid: '00000000-0000-4000-8000-000000000000', start: 5 }];
const summary: ExportedSummary = {
  language: null,
  made_without_model: false,
  out_of_date: false,
  coverage: { segments: 3, covered_segments: 3, gaps: [] },
  summary: {
    brief: [{ text: 'It was\n\nagreed --> done.', segments }],
    key_decisions: [],
    action_items: [{ text: 'Call Ben', owner: 'Anna', due_date: 'Friday', segments }],
    topics: [{ title: 'Budget', start: 5, end: 3_725, segments }],
    follow_ups: [],
  },
};
const spoken = [passage(0, 1, 'hello')];

describe('a summary in an export', () => {
  it('has a heading for what it contains, and nothing else', () => {
    expect(summaryLines(summary)).toEqual([
      'Summary:',
      '- It was agreed --> done.',
      'Action items:',
      '- Call Ben Owner: Anna. Due: Friday.',
      'Topics:',
      '- Budget (00:00:05 to 01:02:05)',
    ]);
  });

  it('says how it was made, and what it does not cover', () => {
    const gaps = [{ start: 60, end: 120, segments: 2, reason: 'provider_answer_invalid' }];
    const coverage = { segments: 3, covered_segments: 1, gaps };
    const lines = summaryLines({ ...summary, made_without_model: true, out_of_date: true, coverage });
    expect(lines.slice(-4)).toEqual([
      'About this summary:',
      '- Made of sentences of the transcript, without a language model.',
      '- The transcript was edited since.',
      '- Parts that it does not cover: 00:01:00 to 00:02:00.',
    ]);
  });

  it('stands in front of a text, and in a note of WebVTT that no cue can be mistaken for', async () => {
    expect(await written('txt', spoken, { summary })).toMatch(
      /^Summary:\n- It was agreed[\s\S]*Topics:[\s\S]*\n\n\[00:00:00\]\nhello\n$/,
    );
    const [head, note = '', cue = ''] = (await written('webvtt', spoken, { summary })).split('\n\n');
    expect(head).toBe('WEBVTT');
    expect(note).toMatch(/^NOTE\nSummary:/);
    expect(note).not.toContain('-->');
    expect(cue).toContain('-->');
  });

  it('links its statements to the seconds that they rest on', async () => {
    const passages = [passage(0, 1, 'hello'), passage(5, 6, 'it was agreed')];
    const html = await written('html', passages, { summary });
    expect(html).toContain('It was agreed --&gt; done. (<a href="#t5000">00:00:05</a>)');
    expect(html).toContain('<a id="t5000"></a>it was agreed');
    const markdown = await written('markdown', passages, { summary });
    expect(markdown).toContain(
      '- Call Ben Owner: Anna. Due: Friday. ([00:00:05](https://overtone.example.org/files/1?t=5))',
    );
  });

  it('is a field of JSON', async () => {
    const json = await written('json', spoken, { summary });
    expect(JSON.parse(json)).toMatchObject({
      summary: { content: { topics: [{ title: 'Budget', segments: [{ start: 5 }] }] }, made_without_model: false },
    });
    expect(json).not.toContain('uuid');
    expect(JSON.parse(await written('json', spoken))).not.toHaveProperty('summary');
  });
});
