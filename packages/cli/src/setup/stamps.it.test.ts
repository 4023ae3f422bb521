import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { hashOf, isStamped, putStamp } from './stamps.ts';

describe('stamps', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'overtone-stamps-'));
    file = join(folder, 'a.txt');
    writeFileSync(file, 'one');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('hold as long as the inputs stay', () => {
    const stamp = join(folder, 'dist', 'stamp');
    putStamp(stamp, hashOf([folder]));
    expect(isStamped(stamp, hashOf([folder]))).toBe(true);
  });

  it.each([
    ['a changed content', () => writeFileSync(file, 'two')],
    ['a new name', () => renameSync(file, join(folder, 'b.txt'))],
    ['one more file', () => writeFileSync(join(folder, 'c.txt'), '')],
  ])('are broken by %s', (_change, change) => {
    const before = hashOf([folder]);
    change();
    expect(hashOf([folder])).not.toBe(before);
  });

  it('do not depend on what is made from the inputs', () => {
    const before = hashOf([folder]);
    mkdirSync(join(folder, 'dist'));
    writeFileSync(join(folder, 'dist', 'made.js'), '1');
    expect(hashOf([folder])).toBe(before);
  });
});
