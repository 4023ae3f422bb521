import { expect, it } from '@jest/globals';
import { createTranscriptVersions } from './transcript-versions.ts';

function versionsShowing(version: number) {
  const versions = createTranscriptVersions();
  versions.recordShown('f', version);
  return versions;
}

it('ignores the push message of an own edit that arrives after the response', () => {
  const versions = versionsShowing(4);
  versions.endEdit('f', versions.beginEdit('f'), true);
  expect(versions.isUnknown('f', 5)).toBe(false);
});
it('ignores the push message of an own edit that arrives before the response', () => {
  const versions = versionsShowing(4);
  const edit = versions.beginEdit('f');
  expect(versions.isUnknown('f', 5)).toBe(false);
  expect(versions.endEdit('f', edit, true)).toBe(false);
  expect(versions.isUnknown('f', 6)).toBe(true);
});
it('ignores the push messages of several pending edits', () => {
  const versions = versionsShowing(4);
  versions.beginEdit('f');
  versions.beginEdit('f');
  expect([versions.isUnknown('f', 5), versions.isUnknown('f', 6), versions.isUnknown('f', 7)]).toEqual([
    false,
    false,
    true,
  ]);
});
it('reports the edit of another person as unknown', () => {
  const versions = versionsShowing(4);
  versions.endEdit('f', versions.beginEdit('f'), true);
  expect(versions.isUnknown('f', 6)).toBe(true);
});
it('reports that a message was wrongly ignored for an edit that failed', () => {
  const versions = versionsShowing(4);
  const edit = versions.beginEdit('f');
  versions.isUnknown('f', 5);
  expect(versions.endEdit('f', edit, false)).toBe(true);
  expect(versions.isUnknown('f', 5)).toBe(true);
});
it('expects no message of an edit that changed nothing', () => {
  const versions = versionsShowing(4);
  versions.endEdit('f', versions.beginEdit('f'), false);
  expect(versions.isUnknown('f', 5)).toBe(true);
});
it('reports every version of a transcript that is not loaded as unknown', () =>
  expect(createTranscriptVersions().isUnknown('f', 0)).toBe(true));
it('forgets all versions at sign-out', () => {
  const versions = versionsShowing(4);
  versions.clear();
  expect(versions.isUnknown('f', 1)).toBe(true);
});
