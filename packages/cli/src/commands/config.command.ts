import { readFileSync } from 'node:fs';
import { dataFolder, productFolder, productVersion, type DataFolder } from '../paths.ts';
import { baseUrl, readInstance } from '../setup/instance.ts';
import { ownSecrets } from '../setup/preflight.ts';
import { hasSigningSecret } from '../supervisor/environment.ts';
import { readLiveRuntime } from '../supervisor/runtime.ts';

// Names of this form are secret settings; their values are not shown.
const settingPattern =
  /^(OT|LDAP|OIDC|KEYCLOAK|PROXY|PKI|JWT|SESSION|DB|PG|LOG|OTEL|S3|ELASTICSEARCH|SEARCH|TRANSCRIPTION|WS|MODEL|MAX|UPLOAD|ALLOW|RATE_LIMIT|ASR|EMBEDDINGS|GPU|CPU|TRUSTED|WORK|LOCAL|REQUIRE|ACCOUNT|CONCURRENT|PASSWORD|ENCRYPTION|SIGN)_/;
const secretPattern = /KEY|PASSWORD|SECRET|TOKEN/;

/** Prints the paths and the environment variables of the running instance. */
export function config(options: { readonly data?: string }): void {
  const folder = dataFolder(options.data);
  const instance = readInstance(folder);
  const environment = runningEnvironment(folder);
  const rows: [string, string][] = [
    ['version', productVersion()],
    ['product', productFolder],
    ['data', folder.root],
    ['logs', folder.logs],
    ['secrets', `${folder.secrets} (generated at the first start, one file each)`],
    ['models', environment?.['MODEL_CACHE_DIR'] ?? `${folder.models} (default)`],
    ['address', instance === undefined ? 'not started yet' : baseUrl(instance)],
    ...Object.entries(instance?.ports ?? {}).map(([name, port]): [string, string] => [
      `port ${name}`,
      `${port} (stored in the data folder)`,
    ]),
    ['running', environment === undefined ? 'no instance is running: no effective variables to show' : 'yes'],
    ...(instance === undefined ? [] : secretSources(environment ?? process.env)),
    ...settingsOf(environment ?? {}).map(([name, value]): [string, string] => [name, `${value} (environment)`]),
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  for (const [name, value] of rows) process.stdout.write(`${name.padEnd(width)}  ${value}\n`);
}

/** Where each secret of the product comes from. The environment takes precedence over the data folder, or is refused. */
export function secretSources(environment: Readonly<Record<string, string | undefined>>): [string, string][] {
  const signing = hasSigningSecret(environment)
    ? 'environment (takes precedence over secrets/jwt_secret_key of the data folder)'
    : 'secrets/jwt_secret_key of the data folder (the environment would take precedence)';
  const others = ownSecrets.map(([name, file]): [string, string] => [
    `secret ${name}`,
    `secrets/${file} of the data folder (another value in the environment is refused at the start)`,
  ]);
  return [['secret JWT_SECRET_KEY', signing], ...others];
}

/** The environment that the supervisor of the running instance was started with; `undefined` when none is running. */
export function runningEnvironment(folder: DataFolder): Record<string, string> | undefined {
  const runtime = readLiveRuntime(folder);
  if (runtime === undefined) return undefined;
  const lines = readFileSync(`/proc/${runtime.supervisor.pid}/environ`, 'utf8').split('\0');
  return Object.fromEntries(
    lines
      .filter((line) => line.includes('='))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}

/** The variables that the services read, secrets masked. */
export function settingsOf(environment: Readonly<Record<string, string | undefined>>): [string, string][] {
  return Object.entries(environment)
    .filter(([name]) => settingPattern.test(name))
    .map(([name, value]): [string, string] => [
      name,
      secretPattern.test(name) && !name.endsWith('_FILE') ? '(set)' : value!,
    ])
    .sort(([left], [right]) => left.localeCompare(right));
}
