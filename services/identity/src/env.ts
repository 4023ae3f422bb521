import { databaseEnv } from '@overtone/database';
import { assertionEnv, busEnv, readEnv, serviceEnv } from '@overtone/service-kit';
import { z } from 'zod';
import { parseKeyRing, type KeyRing } from './settings/sealing.ts';
import { seedsOf, seedVariables } from './settings/seeds.ts';
import type { Values } from './settings/settings.ts';

const flag = z.enum(['true', 'false']).transform((v) => v === 'true');

const identityEnv = {
  ...serviceEnv,
  ...busEnv,
  ...databaseEnv,
  ...assertionEnv,
  /** Signs access tokens (HS256). */
  JWT_SECRET_KEY: z.string().min(32),
  /** Lets cookies travel over plain HTTP to a host that is not a loopback. */
  ALLOW_INSECURE_COOKIES: flag.default(false),
  /** Certificates (PEM) trusted for directories besides the system's and those of the setting. */
  LDAP_TLS_CA_FILE: z.string().max(4096).optional(),
  OT_ADMIN_EMAIL: z.string().max(320).optional(),
  OT_ADMIN_PASSWORD: z.string().max(1024).optional(),
};
/** Seals secrets among the settings: 32 bytes in base64, or several keys as `id:base64,id:base64`; the first one seals. */
const sealingEnv = { ENCRYPTION_KEY: z.string().min(1) };

export type IdentityEnv = z.infer<z.ZodObject<typeof identityEnv>> & {
  /** Sign-in settings by their keys in upper case: what counts where nothing is stored. */
  seeds: Values;
  /** Read anew at every call: a mounted file of keys may be exchanged while we run. */
  keyRing: () => KeyRing;
};

/** @throws Error naming every variable that is missing or malformed. */
export const env = (source: Record<string, string | undefined> = process.env): IdentityEnv => {
  const keyRing = () => readKeyRing(source);
  keyRing();
  return Object.freeze({
    ...readEnv(identityEnv, source),
    // That file is trusted beside the setting and is no seed of it.
    seeds: seedsOf(readEnv(seedVariables, { ...source, LDAP_TLS_CA_FILE: undefined })),
    keyRing,
  });
};

const readKeyRing = (source: Record<string, string | undefined>): KeyRing => {
  try {
    return parseKeyRing(readEnv(sealingEnv, source).ENCRYPTION_KEY);
  } catch (cause) {
    throw new Error(`Environment: ENCRYPTION_KEY: ${(cause as Error).message}`, { cause });
  }
};
