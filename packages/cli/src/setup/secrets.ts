import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../files.ts';

/** The secrets of an instance: each a file that only its owner reads. */
export interface Secrets {
  readonly file: (name: string) => string;
  readonly read: (name: string) => string;
}

/** The secrets that stand in a folder. */
export function secretsIn(folder: string): Secrets {
  const file = (name: string) => join(folder, name);
  return { file, read: (name) => readFileSync(file(name), 'utf8').trim() };
}

/** How each kind of secret is made up. */
export const inventSecret = {
  signingKey: () => randomBytes(48).toString('base64url'),
  sealingKey: () => randomBytes(32).toString('base64'),
  password: () => randomBytes(24).toString('base64url'),
  /** The pair the edge signs with and the services verify with, as PEM. */
  assertionKeys: () =>
    generateKeyPairSync('ec', {
      namedCurve: 'P-256',
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    }),
};

/** Invents every secret that is not there yet; what is there stays. */
export function ensureSecrets(folder: string, passwords: readonly string[]): Secrets {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const secrets = secretsIn(folder);
  const ensure = (name: string, invent: () => string) => {
    if (!existsSync(secrets.file(name))) replaceFile(secrets.file(name), `${invent()}\n`);
  };
  ensure('jwt_secret_key', inventSecret.signingKey);
  ensure('encryption_key', inventSecret.sealingKey);
  for (const name of passwords) ensure(name, inventSecret.password);
  ensureAssertionKeys(secrets, ensure);
  return secrets;
}

// The public half is written first: with the private one there, the pair is complete.
function ensureAssertionKeys(secrets: Secrets, ensure: (name: string, invent: () => string) => void): void {
  if (existsSync(secrets.file('assertion_private_key'))) return;
  const pair = inventSecret.assertionKeys();
  replaceFile(secrets.file('assertion_public_key'), pair.publicKey);
  ensure('assertion_private_key', () => pair.privateKey.trimEnd());
}

/** A password that people can copy, with every kind of character that password rules ask for. */
export function inventPassword(): string {
  const part = () => randomBytes(4).toString('base64url').replaceAll(/[-_]/g, 'x');
  return `Ot-${part()}-${part()}-${randomBytes(1)[0]! % 10}`;
}
