import { tmpdir } from 'node:os';
import { authSettings, engineSettings } from '@overtone/contracts';
import { describeAllowed } from '@overtone/service-kit/env';
import type { z } from 'zod';
import { productFolder } from '../paths.ts';
import type { ServiceVariables } from './service-variables.ts';
import { furtherVariables, scriptVariables, systemVariables } from './script-variables.ts';
import { variableTexts } from './variable-texts.ts';

/** Variables of `.env` that compose.yaml itself reads, and their defaults. */
export type ComposeVariables = ReadonlyMap<string, string | undefined>;

/** Read by `config kubernetes` only. */
export const kubernetesVariables = ['POSTGRES_ADDRESS', 'POSTGRES_DATABASE', 'POSTGRES_PARAMETERS', 'POSTGRES_USER'];

const settingsByVariable = new Map(
  Object.entries(authSettings).flatMap(([key, def]) => {
    const name = key.toUpperCase();
    const names = name.startsWith('OIDC_') ? [name, name.replace(/^OIDC_/, 'KEYCLOAK_')] : [name];
    return names.map((variable) => [variable, def] as const);
  }),
);
const furtherFile = 'packages/cli/src/configuration/script-variables.ts';
const settingsSince050 = ['PKI_ISSUER_MAP', 'PROXY_NO_GROUPS_VALUE'];
const engineDefaults = new Map<string | null, unknown>(
  Object.values(engineSettings.fields).map(({ variable, ...field }) => [variable, field.default]),
);

/** Whether a variable is the initial value of a sign-in setting; those have a description in the contracts. */
export function isSignInSetting(name: string): boolean {
  return settingsByVariable.has(name);
}

/** docs/configuration.md. */
export function configurationPage(services: ServiceVariables, compose: ComposeVariables): string {
  const readers = readersOf(services);
  const ofServices = [...readers.keys()].filter((name) => !isSignInSetting(name)).sort();
  const seeds = [...readers.keys()].filter(isSignInSetting).sort();
  const ofCompose = [...compose.keys()].filter((name) => !readers.has(name)).sort();
  return `# Variables

This page is made by \`node packages/cli/src/configuration.main.ts\`; a test keeps it complete. Each variable \`NAME\` of a service can
also be read from a file with \`NAME_FILE\`. "All" are all ten services. Set variables before \`./overtone up\`, in \`.env\` for
compose.yaml and Kubernetes; which of \`.env\` reach a container, and how others are set: [deploy.md](deploy.md).

## Services

| name | service | type | default | meaning | since |
|---|---|---|---|---|---|
${ofServices.map((name) => row(name, readers.get(name)!, services.size)).join('\n')}

## Sign-in settings

Initial values for identity: they apply where the administration page has stored no value. \`KEYCLOAK_\` is the older name of
\`OIDC_\` and takes precedence. See [sign-in.md](sign-in.md).

| name | type | default | meaning | since |
|---|---|---|---|---|
${seeds.map((name) => settingRow(name, readers.get(name)!.schema)).join('\n')}

## compose.yaml

Variables of \`.env\` that containers or servers are made of; \`./overtone config container\` writes those without a default.

| name | type | default | meaning | since |
|---|---|---|---|---|
${ofCompose.map((name) => shortRow(name, compose.get(name))).join('\n')}

## Kubernetes

Variables of \`.env\` for \`./overtone config kubernetes\`, in addition to those of the services and of the tools.

| name | type | default | meaning | since |
|---|---|---|---|---|
${kubernetesVariables.map((name) => shortRow(name, undefined)).join('\n')}

## Management script

| name | type | default | meaning | since |
|---|---|---|---|---|
${shortRows(scriptVariables)}

## Operating system, Node and libraries

| name | type | default | meaning | since |
|---|---|---|---|---|
${shortRows(systemVariables)}
`;
}

function shortRows(variables: z.ZodRawShape): string {
  return Object.keys(variables)
    .map((name) => shortRow(name, undefined))
    .join('\n');
}

type Reader = { readonly schema: z.ZodType; readonly services: string[] };

function readersOf(services: ServiceVariables): Map<string, Reader> {
  const readers = new Map<string, Reader>();
  for (const [service, shape] of services)
    for (const [name, schema] of Object.entries(shape)) {
      const known = readers.get(name);
      if (known === undefined) readers.set(name, { schema: schema as z.ZodType, services: [service] });
      else known.services.push(service);
    }
  return readers;
}

function row(name: string, { schema, services }: Reader, count: number): string {
  const { meaning, since } = textOf(name);
  const readBy = services.length === count ? 'all' : services.join(', ');
  return cells(code(name), readBy, describeAllowed(schema), defaultOf(name, schema), meaning, since);
}

function settingRow(name: string, schema: z.ZodType): string {
  const { description, default: value } = settingsByVariable.get(name)!;
  const since = settingsSince050.includes(name) ? '0.5.0' : '0.4.0';
  return cells(code(name), describeAllowed(schema), code(String(value)), description, since);
}

function shortRow(name: string, value: string | undefined): string {
  const { meaning, since } = textOf(name);
  const schema = furtherVariables[name] as z.ZodType | undefined;
  if (schema === undefined) throw new Error(`${name} has no type in ${furtherFile}`);
  return cells(
    code(name),
    describeAllowed(schema),
    value === undefined ? defaultOf(name, schema) : code(value),
    meaning,
    since,
  );
}

function textOf(name: string) {
  const text = variableTexts[name];
  if (text === undefined) throw new Error(`${name} has no text in packages/cli/src/configuration/variable-texts.ts`);
  return text;
}

function defaultOf(name: string, schema: z.ZodType): string {
  const { success, data } = schema.safeParse(undefined);
  if (!success) return 'required';
  const value = engineDefaults.get(name) ?? data;
  if (value === tmpdir()) return 'the folder of the system';
  if (Array.isArray(value)) return code(value.join(','));
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? '');
  return code(text === '""' ? '' : text.replace(productFolder, '.'));
}

function code(text: string): string {
  return text === '' ? '' : `\`${text}\``;
}

function cells(...texts: readonly string[]): string {
  return `| ${texts.map((text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
}
