import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { waitFor } from '@overtone/testkit';
import { cleanUpAfterTest } from '@overtone/testkit/cleanup';
import { productFolder } from './paths.ts';

it('says that it still installs while the package registry does not respond, and then that npm failed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'overtone-launcher-'));
  cleanUpAfterTest(async () => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['overtone', 'package.json', 'pnpm-lock.yaml'])
    copyFileSync(join(productFolder, name), join(folder, name));
  const given = join(folder, 'given-up');
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin/npm'), `#!/bin/sh\nwhile [ ! -e '${given}' ]; do sleep 0.1; done\nexit 1\n`, {
    mode: 0o755,
  });
  const child = spawn(join(folder, 'overtone'), ['help'], {
    env: { PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}` },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  // Also what holds its output open must have ended.
  const closed = once(child, 'close');
  await waitFor(() => said.includes('still installing'));
  writeFileSync(given, '');
  expect(await closed).toEqual([1, null]);
  expect(said).toContain('npm could not install');
});
