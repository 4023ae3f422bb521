import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { keepDiskReserve, type DiskReserve } from './disk-reserve.ts';

const sizes = { reserve: 1000, released: 100, made: 5000 };

describe('disk reserve', () => {
  let folder: string;
  let reserve: DiskReserve | undefined;
  let free: number;
  let spaceReported: number;
  const file = () => join(folder, 'reserve');
  const until = async (condition: () => boolean) => {
    while (!condition()) await sleep(10);
  };
  const keep = () => {
    reserve = keepDiskReserve({
      folder,
      file: file(),
      log: () => undefined,
      onSpace: () => (spaceReported += 1),
      sizes,
      freeBytes: () => free,
    });
    return reserve;
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'overtone-reserve-'));
    spaceReported = 0;
  });
  afterEach(() => {
    reserve?.stop();
    rmSync(folder, { recursive: true });
  });

  it('allocates the file while there is room', async () => {
    free = 10_000;
    keep();
    await until(() => existsSync(file()) && statSync(file()).blocks > 0);
    expect(statSync(file()).size).toBe(sizes.reserve);
  });

  it('is not made on a disk that has little room', () => {
    free = 4000;
    keep();
    expect(existsSync(file())).toBe(false);
  });

  it('is released on a full disk, and space is reported once when there is some again', async () => {
    free = 10_000;
    const kept = keep();
    await until(() => existsSync(file()));
    free = 0;
    await until(() => kept.isFull());
    expect(existsSync(file())).toBe(false);
    free = 1000;
    await until(() => !kept.isFull());
    expect(spaceReported).toBe(1);
  });
});
