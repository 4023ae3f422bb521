import { describe, expect, it } from '@jest/globals';
import { backupSummaryOf, destinationText, durationText, mirrorSummaryOf, newFolderText } from './labels.ts';

describe('durationText', () => {
  it.each([
    [null, ''],
    [0.42, '0.4 s'],
    [59.9, '59.9 s'],
    [125, '2 min'],
  ])('writes %p seconds as %p', (seconds, text) => expect(durationText(seconds)).toBe(text));
});

describe('backupSummaryOf', () => {
  it.each([
    ['the name of a backup', { name: 'overtone-1', error: null }, 'overtone-1'],
    ['the reason of a failure', { name: null, error: 'No space left.' }, 'No space left.'],
    [
      'the warning of a successful backup after its name',
      { name: 'overtone-1', error: 'Old backups stayed.' },
      'overtone-1 · Old backups stayed.',
    ],
    ['nothing before the end', { name: null, error: null }, ''],
  ])('contains %s', (_what, run, text) => expect(backupSummaryOf(run)).toBe(text));
});

describe('mirrorSummaryOf', () => {
  const run = {
    status: 'success' as const,
    error: null,
    copied: 0,
    bytes_copied: 0,
    already_there: 0,
    missing: 0,
    differing: 0,
    failed: 0,
  };
  it('counts what was copied, also when it was nothing', () => {
    expect(mirrorSummaryOf(run)).toBe('0 copied (0 B)');
  });
  it('names every other count that is not zero', () => {
    expect(
      mirrorSummaryOf({
        ...run,
        copied: 3,
        bytes_copied: 2048,
        already_there: 1200,
        missing: 2,
        differing: 1,
        failed: 4,
      }),
    ).toBe('3 copied (2 KB), 1,200 unchanged, 1 differed, 2 missing, 4 not copied');
  });
  it('names the reason of a failure first', () => {
    expect(mirrorSummaryOf({ ...run, status: 'failed', error: 'No space left.' })).toBe(
      'No space left. 0 copied (0 B)',
    );
  });
  it.each(['queued', 'running'] as const)('is empty while a run is %s', (status) => {
    expect(mirrorSummaryOf({ ...run, status })).toBe('');
  });
});

describe('destinationText', () => {
  const usable = {
    ok: true,
    destination: '/mnt/backup',
    error_code: null,
    error: null,
    free_bytes: 2 ** 30,
    creates_folder_on: null,
  };
  it('names the free space where it is known', () => {
    expect(destinationText(usable)).toBe('/mnt/backup can be written; 1 GB are free.');
    expect(destinationText({ ...usable, free_bytes: null })).toBe('/mnt/backup can be written.');
  });
  it('says that a folder would be created, and that this would be on the system disk', () => {
    expect(newFolderText(usable)).toBeNull();
    expect(newFolderText({ ...usable, creates_folder_on: 'other_disk' })).not.toContain('system disk');
    expect(newFolderText({ ...usable, creates_folder_on: 'system_disk' })).toContain('on the system disk');
  });
  it('names the reason of a failed test', () => {
    expect(destinationText({ ...usable, ok: false, error: 'Permission denied.' })).toBe('Permission denied.');
  });
});
