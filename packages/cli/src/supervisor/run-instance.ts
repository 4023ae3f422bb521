import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { tryLock } from '../lock.ts';
import { productFolder, type DataFolder } from '../paths.ts';
import { Refusal } from '../refusal.ts';
import { readInstance, type Instance } from '../setup/instance.ts';
import { secretsIn } from '../setup/secrets.ts';
import type { EnvironmentSource } from './environment.ts';
import { gpuScaleOf } from './gpu-scale.ts';
import { migrate } from './migrate.ts';
import { planInstance } from './plan.ts';
import { runSpeechSetup } from './speech-setup.ts';
import { createSupervisor, type Supervisor } from './supervisor.ts';

/** The lock of a running instance, and the lock of its setup. */
export function instanceLock(folder: DataFolder) {
  return `instance:${folder.root}`;
}

export function setupLock(folder: DataFolder) {
  return `setup:${folder.root}`;
}

/** The secret with the first administrator's password; it exists until the password was shown. */
export const adminPassword = 'first_admin_password';

/** Makes this process the only supervisor of an instance that was set up. */
export async function superviseInstance(
  folder: DataFolder,
  say: { progress: (line: string) => void; log: (line: string) => void },
  options: {
    readonly gpuScale: boolean;
    readonly resume?: boolean;
    readonly servicesOutlive?: boolean;
    /** Fetches the speech model in the background. */
    readonly setsUpSpeech?: boolean;
  },
): Promise<Supervisor> {
  if ((await tryLock(instanceLock(folder))) === undefined) throw new Refusal('Overtone is running already.');
  const instance = readInstance(folder);
  if (instance === undefined) throw new Refusal(`${folder.root} was not set up; start with: ./overtone up`);
  const source = sourceOf(folder, instance);
  return createSupervisor({
    ...say,
    resume: options.resume === true,
    servicesOutlive: options.servicesOutlive === true,
    folder,
    ...(options.setsUpSpeech === true ? { afterStart: () => runSpeechSetup(folder, say.log) } : {}),
    plan: planInstance(source, undefined, options.gpuScale ? gpuScaleOf(process.env) : undefined),
    migrate: async () => await migrate(source),
  });
}

/** The inputs for the environment of an instance's services. */
export function sourceOf(folder: DataFolder, instance: Instance): EnvironmentSource {
  const secrets = secretsIn(folder.secrets);
  const passwordFile = secrets.file(adminPassword);
  return {
    folder,
    instance,
    secrets,
    uiFolder: join(productFolder, 'packages', 'web-ui', 'dist'),
    caller: process.env,
    ...(existsSync(passwordFile) ? { adminPasswordFile: passwordFile } : {}),
  };
}
