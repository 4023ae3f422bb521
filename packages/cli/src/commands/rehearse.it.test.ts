import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createFolder } from '@overtone/testkit/cleanup';
import { productFolder } from '../paths.ts';
import { run, type RunResult } from '../setup/run.ts';
import { instanceProcesses } from '../supervisor/instance-processes.ts';

// The oldest release is the longest upgrade; every release is upgraded in packages/database, without services.
const release = 'v0.4.0';

describe('./overtone rehearse', () => {
  let data: string;
  beforeAll(async () => {
    data = join(await createFolder(), 'data');
    mkdirSync(join(data, 'secrets'), { recursive: true });
    writeFileSync(join(data, 'secrets', 'encryption_key'), `${Buffer.alloc(32, 7).toString('base64')}\n`);
  });
  const rehearse = async (args: readonly string[] = []): Promise<RunResult> =>
    await run(join(productFolder, 'overtone'), ['rehearse', '--data', data, ...args], { cwd: data });
  const isRemoved = (): boolean =>
    !existsSync(join(data, 'rehearsal')) && instanceProcesses(join(data, 'rehearsal')).length === 0;

  it('restores a release, migrates it, starts the services, uses them, and removes everything', async () => {
    const { code, output } = await rehearse(['--from', release]);
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(output).toMatch(/migrated from v361 to v\d+ in .* rows in \d+ tables are unchanged/);
    expect(output).toMatch(/every service is ready/);
    expect(output).toMatch(/signed in as .*; read the transcript of .*; found .* by search; uploaded a recording/);
    expect(output).toMatch(/everything worked and was removed again, in/);
    expect(isRemoved()).toBe(true);
  }, 400_000);

  // A terminal sends Ctrl-C to every process of the command.
  it.each([
    ['the database is loaded', ['postgres']],
    ['the services are started', ['postgres', 'nats', 'identity']],
  ])(
    'leaves nothing when it is interrupted while %s',
    async (_moment, names) => {
      const command = spawn(join(productFolder, 'overtone'), ['rehearse', '--data', data, '--from', release], {
        cwd: data,
        detached: true,
        stdio: 'ignore',
      });
      const ended = once(command, 'exit');
      const running = (): string[] => instanceProcesses(join(data, 'rehearsal')).map(({ name }) => name);
      while (!names.every((name) => running().includes(name))) {
        expect(command.exitCode).toBeNull();
        await sleep(20);
      }
      process.kill(-command.pid!, 'SIGINT');
      await sleep(50);
      process.kill(-command.pid!, 'SIGINT');
      expect(await ended).not.toEqual([0, null]);
      expect([running(), isRemoved()]).toEqual([[], true]);
    },
    400_000,
  );

  it.each([
    ['an unknown release', ['--from', 'v9.9.9'], /There is no database of v9\.9\.9; there are: v0\.4\.0/],
    ['no backup', [], /There is no backup in .*backups\. Make one with \.\/overtone backup/],
    ['a missing file', ['--from', '/nowhere/x.dump'], /backup_missing/],
  ])('refuses %s with exit code 1 and leaves nothing', async (_case, args, sentence) => {
    const { code, output } = await rehearse(args);
    expect({ code, output }).toEqual({ code: 1, output: expect.stringMatching(sentence) });
    expect(isRemoved()).toBe(true);
  });

  it('refuses a folder without an instance', async () => {
    const empty = await createFolder();
    const { code, output } = await run(join(productFolder, 'overtone'), ['rehearse', '--data', empty], { cwd: empty });
    expect({ code, output }).toEqual({ code: 1, output: expect.stringMatching(/was not set up/) });
  });

  it('refuses a backup whose dump is damaged', async () => {
    const folder = await createFolder();
    writeFileSync(join(folder, 'x.dump'), 'not a dump');
    writeFileSync(join(folder, 'x.manifest.json'), '{"format": 1}');
    const { code, output } = await rehearse(['--from', join(folder, 'x.dump')]);
    expect({ code, output }).toEqual({ code: 1, output: expect.stringMatching(/manifest_invalid/) });
    expect(isRemoved()).toBe(true);
  });
});
