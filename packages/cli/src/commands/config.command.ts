import { dataFolder, productFolder, productVersion } from '../paths.ts';
import { baseUrl, readInstance } from '../setup/instance.ts';

// Names that look like this are settings; whatever they hold may be a secret and is not shown.
const SETTING =
  /^(OT|LDAP|OIDC|KEYCLOAK|PROXY|PKI|JWT|SESSION|DB|PG|LOG|OTEL|S3|ELASTICSEARCH|SEARCH|TRANSCRIPTION|WS|MODEL|MAX|UPLOAD|ALLOW|RATE_LIMIT|ASR|EMBEDDINGS|GPU|CPU|TRUSTED|WORK|LOCAL|REQUIRE|ACCOUNT|CONCURRENT|PASSWORD|ENCRYPTION|SIGN)_/;
const SECRET = /KEY|PASSWORD|SECRET|TOKEN/;

/** Prints where everything is and which settings are in force. */
export function config(options: { readonly data?: string }): void {
  const folder = dataFolder(options.data);
  const instance = readInstance(folder);
  const rows: [string, string][] = [
    ['version', productVersion()],
    ['product', productFolder],
    ['data', folder.root],
    ['logs', folder.logs],
    ['secrets', `${folder.secrets} (generated at the first start, one file each)`],
    ['models', process.env['MODEL_CACHE_DIR'] ?? folder.models],
    ['address', instance === undefined ? 'not started yet' : baseUrl(instance)],
    ...Object.entries(instance?.ports ?? {}).map(([name, port]): [string, string] => [`port ${name}`, String(port)]),
    ...settingsOf(process.env),
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  for (const [name, value] of rows) process.stdout.write(`${name.padEnd(width)}  ${value}\n`);
}

/** The variables of the caller that the services will read, secrets covered. */
export function settingsOf(environment: Readonly<Record<string, string | undefined>>): [string, string][] {
  return Object.entries(environment)
    .filter(([name]) => SETTING.test(name))
    .map(([name, value]): [string, string] => [name, SECRET.test(name) && !name.endsWith('_FILE') ? '(set)' : value!])
    .sort(([a], [b]) => a.localeCompare(b));
}
