import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createTerminal } from '../terminal.ts';
import { copyFromMirror } from './media-mirror.ts';

describe('recordings are not copied from a folder of the mirror', () => {
  let base: string;
  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'overtone-mirror-'));
  });
  afterEach(() => rmSync(base, { recursive: true }));
  const copyFrom = async (place: string): Promise<boolean> =>
    await copyFromMirror({
      databaseUrl: 'postgresql://127.0.0.1:1/none',
      objectStore: () => ({ OBJECT_STORE_DIR: join(base, 'objects'), S3_REGION: '' }),
      keys: '',
      place,
      terminal: createTerminal(),
    });

  it('that is missing', async () => {
    const mirror = join(base, 'mirror');
    await expect(copyFrom(mirror)).rejects.toThrow('is not there');
    expect(existsSync(mirror)).toBe(false);
  });

  it('that is empty, such as a disk that is not mounted', async () => {
    const mirror = join(base, 'mirror');
    mkdirSync(mirror);
    await expect(copyFrom(mirror)).rejects.toThrow('Is its disk mounted?');
    expect([readdirSync(mirror), readdirSync(base)]).toEqual([[], ['mirror']]);
  });
});
