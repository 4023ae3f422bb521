import { describe, expect, it } from '@jest/globals';
import { toJson, toTxt, toVtt } from './exports.ts';
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
const spoken = [
  { start_time: 0, end_time: 1, text: 'hello', speaker: null, words: [], confidence: null, edited: false },
];

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

  it('stands in front of a text, and in a note of WebVTT that no cue can be mistaken for', () => {
    expect(toTxt(spoken, true, summary)).toMatch(
      /^Summary:\n- It was agreed[\s\S]*Topics:[\s\S]*\n\n\[00:00:00\]\nhello\n$/,
    );
    const [head, note = '', cue = ''] = toVtt(spoken, true, summary).split('\n\n');
    expect(head).toBe('WEBVTT');
    expect(note).toMatch(/^NOTE\nSummary:/);
    expect(note).not.toContain('-->');
    expect(cue).toContain('-->');
  });

  it('is a field of JSON', () => {
    const about = {
      title: 'a',
      filename: 'a.wav',
      language: 'en',
      duration: 1,
      recorded_date: null,
      upload_time: '2026-01-01T00:00:00Z',
      engine: null,
      speakers: [],
    };
    expect(JSON.parse(toJson(about, spoken, true, summary))).toMatchObject({
      summary: { content: { topics: [{ title: 'Budget', segments: [{ start: 5 }] }] }, made_without_model: false },
    });
    expect(toJson(about, spoken, true, summary)).not.toContain('uuid');
    expect(JSON.parse(toJson(about, spoken, true))).not.toHaveProperty('summary');
  });
});
