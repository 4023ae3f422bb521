import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../files.ts';

/** The secrets of an instance: each is a file that only its owner can read. */
export type Secrets = {
  readonly file: (name: string) => string;
  readonly read: (name: string) => string;
};

/** The secrets in a folder. */
export function secretsIn(folder: string): Secrets {
  const file = (name: string) => join(folder, name);
  return { file, read: (name) => readFileSync(file(name), 'utf8').trim() };
}

/** How each kind of secret is generated. */
export const inventSecret = {
  signingKey: () => randomBytes(48).toString('base64url'),
  sealingKey: () => randomBytes(32).toString('base64'),
  password: () => randomBytes(24).toString('base64url'),
  /** The key pair of the assertions: the edge signs, the services verify; PEM. */
  assertionKeys: () =>
    generateKeyPairSync('ec', {
      namedCurve: 'P-256',
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    }),
};

/** Generates every missing secret; existing ones are kept. */
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

// The public key is written first, so that an existing private key means a complete pair.
function ensureAssertionKeys(secrets: Secrets, ensure: (name: string, invent: () => string) => void): void {
  if (existsSync(secrets.file('assertion_private_key'))) return;
  const pair = inventSecret.assertionKeys();
  replaceFile(secrets.file('assertion_public_key'), pair.publicKey);
  ensure('assertion_private_key', () => pair.privateKey.trimEnd());
}

/** A password that is easy to copy, with every kind of character that password rules require. */
export function inventPassword(): string {
  const part = () => randomBytes(4).toString('base64url').replaceAll(/[-_]/g, 'x');
  return `Ot-${part()}-${part()}-${randomBytes(1)[0]! % 10}`;
}
