import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { childCpuSeconds, instanceCpuSeconds, timings } from './usage.ts';

describe('CPU time', () => {
  it('grows by that of a child process that has ended', () => {
    const before = childCpuSeconds();
    execFileSync(process.execPath, [
      '-e',
      'const end = process.cpuUsage().user + 2e5; while (process.cpuUsage().user < end);',
    ]);
    expect(childCpuSeconds() - before).toBeGreaterThanOrEqual(0.15);
  });

  it('of instances is read from the output of their tests', () => {
    expect(instanceCpuSeconds('ok\ninstances used 120 CPU seconds\n  x\ninstances used 3 CPU seconds\n')).toBe(123);
    expect(instanceCpuSeconds('no instance')).toBe(0);
  });
});

describe('timings', () => {
  it('list every group with its total, and the twenty slowest files', () => {
    const files = Array.from({ length: 25 }, (_, i) => ({ file: `file ${i}`, seconds: i }));
    const tallies = [
      { passed: 1, failed: 0, files },
      { passed: 1, failed: 0 },
    ];
    const lines = timings([
      { name: 'pure', seconds: 10, cpuSeconds: 20, tallies },
      { name: 'it', seconds: 5.5, cpuSeconds: 4, tallies: [] },
    ]).map((line) => line.trim().replaceAll(/ +/g, ' '));
    expect(lines.slice(0, 6)).toEqual([
      'Duration and CPU time:',
      '10.0 s 20 CPU s pure',
      '5.5 s 4 CPU s it',
      '15.5 s 24 CPU s total',
      'Slowest files and suites:',
      '24.0 s file 24',
    ]);
    expect(lines).toHaveLength(5 + 20);
  });
});
