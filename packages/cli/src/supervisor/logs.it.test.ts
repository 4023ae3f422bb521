import {
  appendFileSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { lastError, rotateLogs, tailOf } from './logs.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'overtone-logs-'));
  file = join(folder, 'media.log');
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('rotateLogs', () => {
  it('rotates a large log while its writer continues', async () => {
    const writer = openSync(file, 'a');
    writeSync(writer, 'old line\n'.repeat(20));
    await rotateLogs(folder, 100);
    writeSync(writer, 'new line\n');
    expect(readFileSync(file, 'utf8')).toBe('new line\n');
    expect(statSync(`${file}.1`).size).toBe(180);
  });

  it('does not rotate a small log', async () => {
    writeFileSync(file, 'line\n');
    await rotateLogs(folder, 100);
    expect(readFileSync(file, 'utf8')).toBe('line\n');
  });
});

describe('tailOf', () => {
  it('reads the last lines of a large log, shortened', () => {
    writeFileSync(file, `${'old line\n'.repeat(10_000)}one\n\ntwo ${'x'.repeat(500)}\n`);
    const lines = tailOf(file, 3);
    expect(lines.map((line) => line.slice(0, 8))).toEqual(['old line', 'one', 'two xxxx']);
    expect(lines.at(-1)).toHaveLength(401);
  });

  it('returns no lines of a log that does not exist', () => expect(tailOf(file, 3)).toEqual([]));
});

describe('lastError', () => {
  it('finds the error message of a Node crash between stack and version', () => {
    writeFileSync(file, 'starting\n');
    appendFileSync(
      file,
      'node:internal/modules:1\n\nError: Environment: NATS_URL: Invalid URL\n    at x\n\nNode.js v24.21.0\n',
    );
    expect(lastError(file)).toBe('Error: Environment: NATS_URL: Invalid URL');
  });

  it('uses the last line when no line reports an error', () => {
    writeFileSync(file, 'one\ntwo\n');
    expect(lastError(file)).toBe('two');
  });
});
