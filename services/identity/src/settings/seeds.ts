import { authSettings, type AuthSettingDef, type AuthSettingKey } from '@overtone/contracts';
import { z } from 'zod';
import { settingKeys, type Values } from './settings.ts';

const yes = new Set(['true', '1', 'yes', 'on']);
const no = new Set(['false', '0', 'no', 'off']);

/** The environment variables that seed settings, under both spellings. */
export const seedVariables: Record<string, z.ZodType> = Object.fromEntries(
  settingKeys.flatMap((key) =>
    [variable(key), olderVariable(key)].flatMap((name) => (name ? [[name, seedOf(authSettings[key])]] : [])),
  ),
);

/** The settings that the environment gives; the older spelling wins. */
export function seedsOf(read: Record<string, unknown>): Values {
  return Object.fromEntries(
    settingKeys.flatMap((key) => {
      const older = olderVariable(key);
      const value = (older && read[older]) ?? read[variable(key)];
      return value === undefined ? [] : [[key, value]];
    }),
  );
}

function variable(key: AuthSettingKey): string {
  return key.toUpperCase();
}

/** The former name of a setting of the identity provider. */
function olderVariable(key: AuthSettingKey): string | undefined {
  return key.startsWith('oidc_') ? variable(key).replace(/^OIDC_/, 'KEYCLOAK_') : undefined;
}

function seedOf(def: AuthSettingDef) {
  if (def.type === 'integer') return z.coerce.number().int().min(def.min).max(def.max).optional();
  if (def.type === 'string') {
    const line = z.string().max(def.max);
    return (def.choices ? line.pipe(z.enum(def.choices)) : line).optional();
  }
  return z
    .string()
    .toLowerCase()
    .refine((value) => yes.has(value) || no.has(value), 'expected true or false')
    .transform((value) => yes.has(value))
    .optional();
}
