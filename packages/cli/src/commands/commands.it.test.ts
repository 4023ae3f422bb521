import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { productFolder, productVersion } from '../paths.ts';
import { run } from '../setup/run.ts';

describe('./overtone', () => {
  let folder: string;
  let data: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'overtone-cli-'));
    data = join(folder, 'data');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const overtone = async (...args: string[]) => await run(join(productFolder, 'overtone'), args, { cwd: folder });

  it('works from any folder and through a symbolic link', async () => {
    symlinkSync(join(productFolder, 'overtone'), join(folder, 'linked'));
    expect(await run(join(folder, 'linked'), ['version'], { cwd: folder })).toEqual({
      code: 0,
      output: `${productVersion()}\n`,
    });
  });

  it('shows its commands when it is asked for none', async () => {
    const { code, output } = await overtone();
    expect(code).toBe(0);
    for (const command of ['up', 'down', 'status', 'logs', 'test', 'doctor', 'bench', 'models', 'config', 'version']) {
      expect(output).toMatch(new RegExp(`^  ${command}\\b`, 'm'));
    }
  });

  it('refuses a command it does not know', async () => {
    expect((await overtone('fly')).code).toBe(1);
  });

  it('tells programs that nothing runs', async () => {
    const { code, output } = await overtone('status', '--data', data, '--json');
    expect(code).toBe(1);
    expect(JSON.parse(output)).toMatchObject({ base_url: null, profile: 'embedded', running: false, services: [] });
  });

  it('stops what does not run', async () => {
    expect(await overtone('down', '--data', data)).toEqual({ code: 0, output: '✓ Overtone is not running.\n' });
  });

  it('does not start on a data folder of a newer version', async () => {
    writeFileSync(join(folder, 'version'), '99.0.0\n');
    const { code, output } = await overtone('up', '--data', folder, '--detach');
    expect([code, output.split('\n')]).toEqual([
      1,
      [
        `✗ The data folder ${folder} was written by version 99.0.0, newer than this one (${productVersion()}); use the newer version.`,
        '',
      ],
    ]);
  });

  it('names the log it does not have', async () => {
    const { code, output } = await overtone('logs', '--data', data);
    expect([code, output]).toEqual([1, `✗ There are no logs in ${data}/logs.\n`]);
  });

  describe('with another program on its port', () => {
    let other: Server;
    beforeEach(async () => {
      other = createServer();
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    });
    afterEach(() => void other.close());

    it('says so in one sentence and starts nothing', async () => {
      const { port } = other.address() as AddressInfo;
      const { code, output } = await overtone('up', '--data', data, '--port', String(port), '--detach');
      expect(code).toBe(1);
      expect(output.trimEnd().split('\n').at(-1)).toBe(
        `✗ Port ${port} is in use by another program; choose another one with --port.`,
      );
    }, 120_000);
  });
});
