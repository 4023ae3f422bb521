import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createRestorable } from '../../test/restorable.ts';
import { productFolder } from '../paths.ts';
import { run } from '../setup/run.ts';

// Lost, damaged and interrupted databases, keys and buckets: restore.endurance.test.ts.
describe('./overtone backup and restore', () => {
  let instance: Awaited<ReturnType<typeof createRestorable>>;
  beforeAll(async () => {
    instance = await createRestorable();
  });
  afterAll(() => instance.remove());

  it('brings back the rows of the backup, and keeps those of the present in a dump that can be restored, too', async () => {
    await instance.sql(`update media_file set title = E'File 1\\x1b[2J'`);
    const file = await instance.backUp('first');
    await instance.sql(`update media_file set title = 'File 1'`);
    await instance.addFile();
    const { code, output } = await instance.restore(file);
    expect([code, output]).toEqual([0, expect.stringContaining('the backup is in use')]);
    expect(output).toContain('the recording "File 1 [2J" is missing in the object store');
    await instance.sql(`update media_file set title = 'File 1'`);
    expect(await instance.titles()).toEqual(['File 1']);
    const safety = readdirSync(join(instance.data(), 'backups')).find((name) =>
      /^before-restore-.*\.dump$/.test(name),
    )!;
    expect((await instance.restore(join(instance.data(), 'backups', safety), ['--no-safety-dump'])).code).toBe(0);
    expect(await instance.titles()).toEqual(['File 1', 'File 2']);
  });

  it('asks for a first start when the data folder was not set up', async () => {
    const args = ['restore', join(instance.root, 'nothing.dump'), '--yes', '--data', join(instance.root, 'no-data')];
    const { code, output } = await run(join(productFolder, 'overtone'), args);
    expect([code, output]).toEqual([1, expect.stringContaining('start once with: ./overtone up')]);
  });

  it('needs a confirmation', async () => {
    const file = await instance.backUp('confirm');
    const { code, output } = await instance.overtone(['restore', file]);
    expect([code, output]).toEqual([1, expect.stringContaining('Confirm with --yes')]);
  });
});
