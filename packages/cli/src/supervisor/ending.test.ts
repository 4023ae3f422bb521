import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { countOomKills, exitOfShell, explainExit, formatDuration, nameExit } from './ending.ts';

describe('exit of a process', () => {
  it.each([
    [{ code: null, signal: 'SIGKILL' as const }, 'SIGKILL', /^killed from outside, or by the kernel/],
    [{ code: null, signal: 'SIGSEGV' as const }, 'SIGSEGV', /^crashed$/],
    [{ code: null, signal: 'SIGABRT' as const }, 'SIGABRT', /^crashed$/],
    [{ code: null, signal: 'SIGTERM' as const }, 'SIGTERM', /^stopped from outside$/],
    [{ code: 0, signal: null }, 'exit code 0', /^stopped as requested$/],
    [{ code: 1, signal: null }, 'exit code 1', /^failed$/],
    [{ code: 70, signal: null }, 'exit code 70', /^uncaught exception$/],
    [{ code: null, signal: null }, 'exit code unknown', /earlier supervisor/],
  ])('%j is named and explained', (exit, name, explanation) => {
    expect(nameExit(exit)).toBe(name);
    expect(explainExit(exit)).toMatch(explanation);
  });

  it.each([
    [1, 'killed, probably by the kernel for lack of memory (see dmesg)'],
    [0, 'killed from outside, not by the kernel for lack of memory'],
  ])('by SIGKILL, while the kernel killed %p processes for lack of memory, is explained', (oomKills, explanation) =>
    expect(explainExit({ code: null, signal: 'SIGKILL' }, oomKills)).toBe(explanation),
  );

  it.each([
    [137, 'SIGKILL'],
    [139, 'SIGSEGV'],
    [1, 'exit code 1'],
    [255, 'exit code 255'],
  ])('of a shell %p is %s', (code, name) => expect(nameExit(exitOfShell(code))).toBe(name));
});

describe('formatDuration', () => {
  it.each([
    [200, '0.2 s'],
    [12_400, '12 s'],
    [60_000, '1 min'],
    [3_723_000, '1 h 2 min'],
    [180_000_000, '2 d 2 h'],
  ])('%p ms is %s', (ms, text) => expect(formatDuration(ms)).toBe(text));
});

describe('countOomKills', () => {
  it('reads the counter of the kernel, if there is one', () => {
    const folder = mkdtempSync(join(tmpdir(), 'overtone-vmstat-'));
    const file = join(folder, 'vmstat');
    expect(countOomKills(file)).toBeUndefined();
    writeFileSync(file, 'pgfault 12\noom_kill 3\nnuma_hit 1\n');
    expect(countOomKills(file)).toBe(3);
    rmSync(folder, { recursive: true });
  });
});
