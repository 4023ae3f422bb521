import { expect, it } from '@jest/globals';
import { createTranscriptVersions } from './transcript-versions.ts';

it('does not take an own edit for news', () => {
  const versions = createTranscriptVersions();
  versions.seen('f', 4);
  versions.edited('f');
  expect(versions.isNews('f', 5)).toBe(false);
});
it('takes an edit of somebody else for news', () => {
  const versions = createTranscriptVersions();
  versions.seen('f', 4);
  versions.edited('f');
  expect(versions.isNews('f', 6)).toBe(true);
});
it('takes everything for news of a transcript it has never seen', () =>
  expect(createTranscriptVersions().isNews('f', 0)).toBe(true));
it('forgets all at sign-out', () => {
  const versions = createTranscriptVersions();
  versions.seen('f', 4);
  versions.clear();
  expect(versions.isNews('f', 1)).toBe(true);
});
