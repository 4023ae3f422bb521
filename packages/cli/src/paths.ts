import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The folder of the product. */
export const productFolder = resolve(import.meta.dirname, '../../..');

/** Compiled code of this version, which every process of every instance uses again. */
export const compileCache = join(productFolder, '.tools', 'compiled');

/** The clone that the user runs; the releases that `update` installs are in it. */
export const homeFolder = resolve(process.env['OVERTONE_HOME'] ?? productFolder);

/** The version of the product. */
export function productVersion(): string {
  return (JSON.parse(readFileSync(join(productFolder, 'package.json'), 'utf8')) as { version: string }).version;
}

/** The paths in a data folder. */
export type DataFolder = ReturnType<typeof dataFolder>;

/** The paths of the data folder `given` on the command line; the default is `data` in the clone. */
export function dataFolder(given: string | undefined) {
  const root = given === undefined ? join(homeFolder, 'data') : resolve(given);
  return {
    root,
    version: join(root, 'version'),
    settings: join(root, 'instance.json'),
    runtime: join(root, 'runtime.json'),
    reserve: join(root, 'disk-reserve'),
    secrets: join(root, 'secrets'),
    logs: join(root, 'logs'),
    postgres: join(root, 'postgres'),
    nats: join(root, 'nats'),
    redis: join(root, 'redis'),
    objects: join(root, 'objects'),
    search: join(root, 'search'),
    models: join(root, 'models'),
    work: join(root, 'work'),
    backups: join(root, 'backups'),
  };
}
