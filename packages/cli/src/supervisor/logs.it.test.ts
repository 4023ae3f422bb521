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
import { lastError, rotateLogs } from './logs.ts';

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
