import { describe, expect, it } from '@jest/globals';
import type { SummaryContent } from '@overtone/contracts';
import { countTokens } from '../ports/model-tokens.ts';
import { notesOf } from './answers.ts';
import { groupNotes, joinContents, toNoteLines, withUnsent } from './combine.ts';

function content(at: number, statements = 2): SummaryContent {
  const segments = [{ uuid: `uuid-${at}`, start: at }];
  return {
    brief: Array.from({ length: statements }, (_, i) => ({
      text: `Section ${at} says ${i} about the plan.`,
      segments,
    })),
    key_decisions: [{ text: `Decision ${at}`, segments }],
    action_items: [{ text: `Task ${at}`, owner: 'Anna', due_date: null, segments }],
    topics: [{ title: `Topic ${at}`, start: at, end: at + 5, segments }],
    follow_ups: [],
  };
}

function tokensOf(group: readonly ReturnType<typeof notesOf>[]): number {
  return toNoteLines(group.flat()).lines.reduce((sum, { text }) => sum + countTokens(text) + 1, 0);
}

describe('notes on sections', () => {
  it('are grouped in order, at least two sections in a group, and none has more tokens than there is room', () => {
    const contents = Array.from({ length: 40 }, (_, at) => content(at));
    const groups = groupNotes(contents, 400, countTokens);
    expect(groups.length).toBeGreaterThan(2);
    expect(groups.slice(0, -1).every((group) => group.length > 1)).toBe(true);
    expect(Math.max(...groups.map(tokensOf))).toBeLessThanOrEqual(400);
    expect(groups.flat()).toEqual(contents.map(notesOf));
  });

  it('of a section that says too much are shortened, so that combining comes to an end', () => {
    const groups = groupNotes([content(0, 24), content(1, 24), content(2, 24)], 300, countTokens);
    expect(groups.length).toBeLessThan(3);
    expect(Math.max(...groups.map(tokensOf))).toBeLessThanOrEqual(300);
    for (const notes of groups.flat()) {
      const labels = new Set(notes.map(({ label }) => label));
      expect(labels).toEqual(new Set(['brief', 'decision', 'action', 'topic']));
    }
  });

  it('have numbers that stand for the passages of their statements', () => {
    const { lines, sourceOf } = toNoteLines(notesOf(content(7)));
    expect(lines[0]).toEqual({ number: 0, text: '[0] brief: Section 7 says 0 about the plan.' });
    const topic = lines.find(({ text }) => text.includes('Topic 7'))!;
    expect(sourceOf(topic.number)).toEqual({ segments: [{ uuid: 'uuid-7', start: 7 }], start: 7, end: 12 });
    expect(sourceOf(99)).toBeUndefined();
  });
});

describe('decisions and action items that do not fit into the request', () => {
  it('are added to the combined content, each once', () => {
    const full = (at: number): SummaryContent => {
      const { segments } = content(at).brief[0]!;
      const list = Array.from({ length: 60 }, (_, i) => ({ text: `Section ${at} item ${i}`, segments }));
      return {
        ...content(at, 0),
        key_decisions: list,
        action_items: list.map((one) => ({ ...one, owner: null, due_date: null })),
      };
    };
    const contents = [full(0), full(1)];
    const [group = []] = groupNotes(contents, 600, countTokens);
    const sentTexts = group.flat().map(({ text }) => text);
    expect(sentTexts.length).toBeLessThan(240);
    const combined = withUnsent(content(9, 0), contents, group);
    const added = combined.key_decisions.map(({ text }) => text).slice(1);
    const decisions = group.flat().filter(({ label }) => label === 'decision');
    expect(added.toSorted()).toEqual(
      contents
        .flatMap(({ key_decisions }) => key_decisions.map(({ text }) => text))
        .filter((text) => !decisions.some((note) => note.text === text))
        .toSorted(),
    );
    expect(combined.action_items.length - 1 + group.flat().filter(({ label }) => label === 'action').length).toBe(120);
  });
});

describe('sections that cannot be combined', () => {
  it('are one after the other, with every decision and action item', () => {
    const joined = joinContents(Array.from({ length: 30 }, (_, at) => content(at)));
    expect(joined.key_decisions).toHaveLength(30);
    expect(joined.action_items).toHaveLength(30);
    expect(joined.brief.map(({ text }) => text).slice(0, 2)).toEqual([
      'Section 0 says 0 about the plan.',
      'Section 1 says 0 about the plan.',
    ]);
  });
});
