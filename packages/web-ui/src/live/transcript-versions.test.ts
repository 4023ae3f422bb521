import { expect, it } from '@jest/globals';
import { createTranscriptVersions } from './transcript-versions.ts';

const at = (version: number) => {
  const versions = createTranscriptVersions();
  versions.seen('f', version);
  return versions;
};

it('does not take an own edit for news, whether its message comes after the answer', () => {
  const versions = at(4);
  versions.end('f', versions.begin('f'), true);
  expect(versions.isNews('f', 5)).toBe(false);
});
it('or before it', () => {
  const versions = at(4);
  const edit = versions.begin('f');
  expect(versions.isNews('f', 5)).toBe(false);
  expect(versions.end('f', edit, true)).toBe(false);
  expect(versions.isNews('f', 6)).toBe(true);
});
it('knows several edits that are on their way', () => {
  const versions = at(4);
  versions.begin('f');
  versions.begin('f');
  expect([versions.isNews('f', 5), versions.isNews('f', 6), versions.isNews('f', 7)]).toEqual([false, false, true]);
});
it('takes an edit of somebody else for news', () => {
  const versions = at(4);
  versions.end('f', versions.begin('f'), true);
  expect(versions.isNews('f', 6)).toBe(true);
});
it('says when a message was not the echo of an edit that failed', () => {
  const versions = at(4);
  const edit = versions.begin('f');
  versions.isNews('f', 5);
  expect(versions.end('f', edit, false)).toBe(true);
  expect(versions.isNews('f', 5)).toBe(true);
});
it('expects nothing of an edit that changed nothing', () => {
  const versions = at(4);
  versions.end('f', versions.begin('f'), false);
  expect(versions.isNews('f', 5)).toBe(true);
});
it('takes everything for news of a transcript it has never seen', () =>
  expect(createTranscriptVersions().isNews('f', 0)).toBe(true));
it('forgets all at sign-out', () => {
  const versions = at(4);
  versions.clear();
  expect(versions.isNews('f', 1)).toBe(true);
});
