import { t } from '@lingui/core/macro';

const browsers = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
] as const;
const systems = [
  [/Windows/, 'Windows'],
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
] as const;

/** `Firefox on Linux`; any other program is shown by its own name. */
export function deviceOf(userAgent: string | null): string {
  if (userAgent === null || userAgent === '') return t`Unknown device`;
  const browser = browsers.find(([pattern]) => pattern.test(userAgent))?.[1];
  const system = systems.find(([pattern]) => pattern.test(userAgent))?.[1];
  if (browser === undefined) return userAgent.split(/[\s/]/)[0] ?? userAgent;
  return system === undefined ? browser : t`${browser} on ${system}`;
}
