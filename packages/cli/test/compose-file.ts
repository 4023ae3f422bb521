import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { missing, type Values } from '../src/container/container.ts';
import { productFolder } from '../src/paths.ts';

/** The tested properties of a container of compose.yaml. */
export type Container = {
  readonly image: string;
  readonly build?: {
    readonly context: string;
    readonly dockerfile: string;
    readonly args: Readonly<Record<string, string>>;
  };
  readonly environment?: Readonly<Record<string, string>>;
  readonly networks?: readonly string[];
  readonly ports?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly read_only?: boolean;
  readonly restart?: string;
  readonly stop_grace_period?: string;
  readonly volumes?: readonly string[];
  readonly profiles?: readonly string[];
  readonly deploy?: { readonly resources: { readonly limits: Readonly<Record<string, string>> } };
};

/** compose.yaml. */
export type ComposeFile = {
  readonly services: Readonly<Record<string, Container>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>;
  readonly volumes: Readonly<Record<string, unknown>>;
};

/** The text of compose.yaml. */
export function composeText(): string {
  return readFileSync(join(productFolder, 'compose.yaml'), 'utf8');
}

/** The output of `./overtone config container` for an empty `.env`. */
export function freshValues(): Values {
  return missing({}, '1.2.3', () => 'Ot-first-password-1');
}

/** compose.yaml with its variables replaced, like `docker compose`. */
export function composeFile(values: Values = freshValues()): ComposeFile {
  return replaceIn(parse(composeText(), { merge: true }), values) as ComposeFile;
}

function replaceIn(node: unknown, values: Values): unknown {
  if (typeof node === 'string') return interpolate(node, values);
  if (Array.isArray(node)) return node.map((item: unknown) => replaceIn(item, values));
  if (node === null || typeof node !== 'object') return node;
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, replaceIn(value, values)]));
}

const variablePattern = /\$(?:(\$)|\{([A-Z0-9_]+)(?::([-?])([^}]*))?\})/g;

function interpolate(text: string, values: Values): string {
  return text.replaceAll(variablePattern, (...match: (string | undefined)[]) => {
    const [, dollar, name = '', mode, rest = ''] = match;
    if (dollar !== undefined) return '$';
    const value = values[name] ?? '';
    if (value !== '') return value;
    if (mode === '-') return rest;
    throw new Error(`required variable ${name} is missing a value: ${rest}`);
  });
}
