import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readIfThere, replaceFile } from '../files.ts';
import { withLock } from '../lock.ts';
import { dataFolder, productFolder, type DataFolder } from '../paths.ts';
import { Refusal } from '../refusal.ts';
import { readInstance } from '../setup/instance.ts';
import { lastLines, run } from '../setup/run.ts';
import { inventSecret, secretsIn } from '../setup/secrets.ts';
import { databaseUrl, hasSigningSecret } from '../supervisor/environment.ts';
import { readLiveRuntime } from '../supervisor/runtime.ts';
import { createTerminal } from '../terminal.ts';
import { runningEnvironment } from './config.command.ts';
import { restart } from './restart.command.ts';

function resealMainOf(service: string): string {
  return join(productFolder, 'services', service, 'src', 'reseal.main.ts');
}

/** The services that store secrets: those that have a program to seal them again. */
function sealingServices(): string[] {
  return readdirSync(join(productFolder, 'services')).filter((service) => existsSync(resealMainOf(service)));
}

const resultSchema = z.object({ resealed: z.int(), unreadable: z.array(z.string()) });

/** The result of the re-encryption of the secrets in the settings. */
export type Resealed = z.infer<typeof resultSchema>;

/** Encrypts the secrets in the settings with a new key while the instance runs, and deletes the old key. */
export async function rotateKey(options: { readonly data?: string; readonly signing?: boolean }): Promise<void> {
  if (options.signing === true) return await rotateSigningKey(options);
  const folder = dataFolder(options.data);
  const instance = readInstance(folder);
  if (instance === undefined) throw new Refusal('There are no secrets to encrypt: Overtone has not been started yet.');
  const secrets = secretsIn(folder.secrets);
  const urlOf = (service: string) => databaseUrl({ instance, secrets }, service);
  const { resealed, unreadable } = await withLock(
    `${folder.root}: rotate key`,
    async () => await exchange(folder, urlOf),
  );
  const terminal = createTerminal();
  terminal.done(
    `The stored secrets (${resealed}) are encrypted with a new key, and the old key is deleted. No restart is needed.`,
  );
  terminal.warn('Plain backups made until now need the old key: make a new backup.');
  for (const key of unreadable) terminal.warn(`${key} could not be read with the old key: set it again.`);
}

/** Replaces the key that signs access tokens: every session ends. */
async function rotateSigningKey(options: { readonly data?: string }): Promise<void> {
  const folder = dataFolder(options.data);
  if (readInstance(folder) === undefined)
    throw new Refusal('There is no signing key yet: Overtone has not been started yet.');
  if (hasSigningSecret(runningEnvironment(folder) ?? process.env))
    throw new Refusal(
      'JWT_SECRET_KEY is set in the environment, which takes precedence: change it there, then ./overtone down and up.',
    );
  replaceFile(secretsIn(folder.secrets).file('jwt_secret_key'), `${inventSecret.signingKey()}\n`);
  if (readLiveRuntime(folder) !== undefined) await restart(['identity'], options);
  createTerminal().done('Access tokens are signed with a new key, and every session has ended.');
}

// While both keys are in the file every secret can be decrypted; an interrupted run is completed by the next one.
async function exchange(folder: DataFolder, urlOf: (service: string) => string): Promise<Resealed> {
  const file = secretsIn(folder.secrets).file('encryption_key');
  const old = readIfThere(file)?.trim();
  if (!old) throw new Refusal(`${file} is missing: without it no stored secret can be read. Bring it back first.`);
  // A run with the old key changes nothing and only verifies that the database responds.
  await resealAll(file, urlOf);
  const fresh = randomBytes(32).toString('base64');
  replaceFile(file, `${fresh},${old}\n`);
  const result = await resealAll(file, urlOf);
  replaceFile(file, `${fresh}\n`);
  return result;
}

async function resealAll(keyFile: string, urlOf: (service: string) => string): Promise<Resealed> {
  const all: Resealed = { resealed: 0, unreadable: [] };
  for (const service of sealingServices()) {
    const env = { DATABASE_URL: urlOf(service), ENCRYPTION_KEY_FILE: keyFile };
    const { resealed, unreadable } = await reseal(service, env);
    all.resealed += resealed;
    all.unreadable.push(...unreadable);
  }
  return all;
}

async function reseal(service: string, env: Record<string, string>): Promise<Resealed> {
  const { code, output } = await run(process.execPath, [resealMainOf(service)], { env });
  if (code === 0) return resultSchema.parse(JSON.parse(lastLines(output, 1)));
  const why = /ECONNREFUSED|P1001|reach/.test(output) ? 'The database does not answer; is Overtone running?' : output;
  throw new Refusal(`The secrets were not re-encrypted, and the old key is still in use. ${lastLines(why, 3)}`);
}
