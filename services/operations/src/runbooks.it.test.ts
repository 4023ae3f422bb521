import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { waitFor } from '@overtone/testkit';
import { stopAfterFile } from '@overtone/testkit/cleanup';
import { createWorld, startEdge } from '../test/world.ts';

const runbooks = join(import.meta.dirname, '../../../docs/runbooks');
const world = await stopAfterFile(createWorld());
const service = await stopAfterFile(world.start());
const edge = await stopAfterFile(startEdge(service.url));
for (const panel of ['backup', 'media-mirror']) {
  await service.ask('PUT', `/${panel}/settings`, { destination: join(world.folder, panel) });
  await service.run(panel);
}

/** The shell commands of a page, in their order. */
function commandsOf(page: string): string[] {
  const text = readFileSync(join(runbooks, `${page}.md`), 'utf8');
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map((match) => match[1]!);
}

describe.each(['BackupOverdue', 'BackupFailed', 'MediaMirrorOverdue', 'MediaMirrorFailed'])(
  'the runbook %s',
  (page) => {
    it('has commands that the service answers', async () => {
      const commands = commandsOf(page);
      expect(commands.length).toBeGreaterThanOrEqual(3);
      // One shell runs them all, so that the token of the first is known to the others.
      const env = { PATH: process.env['PATH'], OVERTONE: edge.url, ADMIN: 'ada@example.org', PASSWORD: 'a b&c' };
      const { stdout } = await promisify(execFile)('bash', ['-euc', commands.join('echo\n')], { env });
      const answers = stdout
        .replaceAll('}{', '}\n{')
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(answers.length).toBe(commands.flatMap((block) => block.match(/^curl/gm) ?? []).length);
      expect(answers.filter((answer) => 'code' in answer || 'type' in answer)).toEqual([]);
      expect(answers).toContainEqual(expect.objectContaining({ status: 'queued' }));
      for (const panel of ['backup', 'media-mirror'])
        await waitFor(async () => (await service.runs(panel)).every(({ status }) => status === 'success'));
    });
  },
);
