import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { cleanUpAfterTest } from '@overtone/testkit/cleanup';

const run = promisify(execFile);
const client = resolve(import.meta.dirname, '..');

it('the packed client works in another project, without TypeScript or another package', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'overtone-client-'));
  cleanUpAfterTest(() => rm(folder, { recursive: true, force: true }));
  await run('pnpm', ['pack', '--pack-destination', folder], { cwd: client });
  const [archive = ''] = await readdir(folder);
  const installed = join(folder, 'node_modules', '@overtone', 'client');
  await run('mkdir', ['-p', installed]);
  await run('tar', ['-xzf', join(folder, archive), '-C', installed, '--strip-components=1']);
  const program = `import { ApiError, signIn } from '@overtone/client';
    await signIn('http://127.0.0.1:1', 'ada', 'p').catch((error) => console.log(error instanceof ApiError, error.code));`;
  await writeFile(join(folder, 'program.mjs'), program);
  const { stdout } = await run(process.execPath, ['program.mjs'], { cwd: folder });
  expect(stdout).toBe('true unreachable\n');
  expect(await readdir(join(installed, 'dist'))).toEqual(
    expect.arrayContaining(['index.js', 'index.d.ts', 'api.d.ts']),
  );
});
