import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { ScriptedContext } from './context.ts';
import { admin } from './instance.ts';
import { signInAsOther } from './people.ts';
import type { Check, Suite } from './suite.ts';

const run = promisify(execFile);
const page = readFileSync(new URL('../../../docs/api.md', import.meta.url), 'utf8');
const cache = resolve(import.meta.dirname, '../../client/.cache');
const program = 'program@example.org';

/** The examples of docs/api.md, as a reader copies them from top to bottom. */
export function apiExamples({ scripted, recordings }: ScriptedContext): Suite {
  let folder: string;
  let env: Record<string, string>;
  const exported = async (): Promise<string[]> =>
    (await readdir(folder)).map((name) => name.replace(/^.*(?=[.])/, '')).toSorted();
  return {
    name: 'The examples of docs/api.md',
    checks: [
      {
        rule: 'are at least ten, each for the shell and for TypeScript',
        run: async () => {
          const headings = page.match(/^## \d+\. /gm)?.length ?? 0;
          assert.ok(headings >= 10, String(headings));
          for (const language of ['sh', 'ts'] as const) assert.equal(blocks(language).length, headings, language);
        },
      },
      {
        rule: 'work in a shell',
        run: async () => {
          const { instance } = await scripted.get();
          await signInAsOther(instance, program);
          // Within the client's folder its name leads to the client.
          await mkdir(cache, { recursive: true });
          folder = await mkdtemp(join(cache, 'examples-'));
          env = {
            ...(process.env as Record<string, string>),
            OVERTONE: instance.baseUrl,
            OVERTONE_USER: program,
            OVERTONE_PASSWORD: admin.password,
            RECORDING: recordings.brief.path,
            COLLEAGUE: admin.email,
            FORCE_COLOR: '0',
          };
          const script = `set -euo pipefail\n${blocks('sh').join('\n')}`;
          const { stdout } = await run('bash', ['-c', script], { cwd: folder, env });
          assert.match(stdout, /signed in as Other User, user/);
          assert.match(stdout, /Ada Lovelace/);
          assert.match(stdout, /corrections so far: 1/);
          assert.match(stdout, /invalid_body: display_name/);
          assert.deepEqual(await exported(), ['.docx', '.srt']);
        },
      },
      {
        rule: 'work in TypeScript',
        run: async () => {
          await writeFile(join(folder, 'examples.ts'), blocks('ts').join('\n'));
          const ofAnother = { ...env, RECORDING: recordings.cooking.path };
          const { stdout } = await run(process.execPath, ['examples.ts'], { cwd: folder, env: ofAnother });
          assert.match(stdout, /signed in as Other User, user/);
          assert.match(stdout, /Corrected by a program/);
          assert.match(stdout, /404 not_found/);
          assert.deepEqual(await exported(), ['.docx', '.docx', '.srt', '.ts']);
        },
      },
    ] satisfies Check[],
    close: async () => rm(folder, { recursive: true, force: true }),
  };
}

function blocks(language: 'sh' | 'ts'): string[] {
  return [...page.matchAll(/```(sh|ts)\n([\s\S]*?)```/g)]
    .filter(([, of]) => of === language)
    .map(([, , code = '']) => code);
}
