import { databaseEnv } from '@overtone/database';
import {
  assertionEnv,
  busEnv,
  defineEnv,
  keyRingEnv,
  readEnv,
  readKeyRing,
  serviceEnv,
  type KeyRing,
} from '@overtone/service-kit';
import { z } from 'zod';
import { seedsOf, seedVariables } from './settings/seeds.ts';
import type { Values } from './settings/settings.ts';

const flag = z.enum(['true', 'false']).transform((value) => value === 'true');

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
  /** Minimum duration of a refused sign-in in ms: longer than a hash and a directory request usually take; 0: no minimum. */
  SIGN_IN_REFUSAL_MS: z.coerce.number().int().min(0).max(10_000).default(300),
  OT_ADMIN_EMAIL: z
    .string()
    .max(320)
    .regex(/^[^\s@]+@[^\s@]+$/)
    .describe('an e-mail address')
    .optional(),
  OT_ADMIN_PASSWORD: z.string().max(1024).optional(),
};
export type IdentityEnv = z.infer<z.ZodObject<typeof identityEnv>> & {
  /** Sign-in settings of the environment: they apply where nothing is stored. */
  seeds: Values;
  /** Read again at every call: a mounted key file may be replaced while the service runs. */
  keyRing: () => KeyRing;
};

/** @throws Error naming every variable that is missing or malformed. */
export const env = defineEnv({ ...identityEnv, ...seedVariables, ...keyRingEnv }, (source): IdentityEnv => {
  const keyRing = () => readKeyRing(source);
  keyRing();
  return Object.freeze({
    ...readEnv(identityEnv, source),
    // This file is trusted in addition to the setting `ldap_tls_ca`; it is not its initial value.
    seeds: seedsOf(readEnv(seedVariables, { ...source, LDAP_TLS_CA_FILE: undefined })),
    keyRing,
  });
});
