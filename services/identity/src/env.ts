import { databaseEnv } from '@overtone/database';
import { assertionEnv, busEnv, readEnv, serviceEnv } from '@overtone/service-kit';
import { z } from 'zod';

const flag = z.enum(['true', 'false']).transform((v) => v === 'true');

export const identityEnv = {
  ...serviceEnv,
  ...busEnv,
  ...databaseEnv,
  ...assertionEnv,
  /** Signs access tokens (HS256). */
  JWT_SECRET_KEY: z.string().min(32),
  JWT_ACCESS_TOKEN_EXPIRE_MINUTES: z.coerce.number().int().min(1).max(1440).default(15),
  /** A session that is not refreshed for so long is over. */
  JWT_REFRESH_TOKEN_EXPIRE_DAYS: z.coerce.number().int().min(1).max(365).default(7),
  /** However often it is refreshed, a session ends after this. */
  SESSION_ABSOLUTE_TIMEOUT_DAYS: z.coerce.number().int().min(1).max(3650).default(30),
  /** Lets cookies travel over plain HTTP to a host that is not a loopback. */
  ALLOW_INSECURE_COOKIES: flag.default(false),
  OT_ADMIN_EMAIL: z.string().max(320).optional(),
  OT_ADMIN_PASSWORD: z.string().max(1024).optional(),
};
export type IdentityEnv = z.infer<z.ZodObject<typeof identityEnv>>;

export const env = (): IdentityEnv => readEnv(identityEnv);
