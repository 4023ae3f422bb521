import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ensureSpeechEnvironment } from './speech-environment.ts';

let root = '';
let folder = '';
let path = '';

/** A program of this name on the PATH, before the machine's. */
function putProgram(name: string, script: string): void {
  writeFileSync(join(root, 'bin', name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(root, 'bin', name), 0o755);
}

/** A Python that makes environments with itself, and records what pip is asked. */
function putPython({ pip = 0, version = '3.12' } = {}): void {
  putProgram(
    'python3',
    `case "$*" in
*ensurepip*) echo ${version} ;;
"-m venv "*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
*" install "*) echo "$*" >> ${root}/installs; exit ${pip} ;;
esac`,
  );
}
function installs(): string[] {
  const file = join(root, 'installs');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}
function ensure(): Promise<void> {
  return ensureSpeechEnvironment({ say: () => undefined, folder });
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'overtone-speech-'));
  mkdirSync(join(root, 'bin'));
  folder = join(root, 'speech');
  path = process.env['PATH'] ?? '';
  process.env['PATH'] = `${join(root, 'bin')}:${path}`;
});
afterEach(() => {
  process.env['PATH'] = path;
  rmSync(root, { recursive: true });
});

describe('the Python environment of faster-whisper', () => {
  it('has exactly the pinned packages, compared by their hashes', async () => {
    putPython();
    await ensure();
    const [command = ''] = installs();
    for (const part of ['--no-deps', '--require-hashes', '--only-binary=:all:', 'requirements.txt'])
      expect(command).toContain(part);
    expect(existsSync(join(folder, 'bin', 'python'))).toBe(true);
  });

  it('is made once', async () => {
    putPython();
    await ensure();
    await ensure();
    expect(installs()).toHaveLength(1);
  });

  it('is made again with the libraries of CUDA when the machine has a GPU', async () => {
    putPython();
    await ensure();
    putProgram('nvidia-smi', 'exit 0');
    await ensure();
    const [without, withGpu] = installs();
    expect(without).not.toContain('requirements-cuda.txt');
    expect(withGpu).toContain('requirements-cuda.txt');
  });

  it('is unchanged when the packages of a new one cannot be installed', async () => {
    putPython();
    await ensure();
    putProgram('nvidia-smi', 'exit 0');
    putPython({ pip: 1 });
    await expect(ensure()).rejects.toThrow('could not be made');
    expect(existsSync(join(folder, 'bin', 'python'))).toBe(true);
    putPython();
    await ensure();
    expect(installs()).toHaveLength(3);
  });
});
