import { mkdirSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { describeMissingConnections, specifiedConnections } from '@overtone/database/connections';
import { faultsIn } from '@overtone/service-kit/env';
import { busConfig, envLines, limitsFor, missing, unusable, type Values } from '../container/container.ts';
import { furtherVariables } from '../configuration/script-variables.ts';
import { loadServiceVariables, type ServiceVariables } from '../configuration/service-variables.ts';
import { configObjects, refusedValues } from '../container/kubernetes.ts';
import { readIfThere, replaceFile } from '../files.ts';
import { homeFolder, productVersion } from '../paths.ts';
import { Refusal } from '../refusal.ts';
import { inventPassword } from '../setup/secrets.ts';
import { poolLimits } from '../supervisor/environment.ts';
import { createTerminal } from '../terminal.ts';

const fileHeader =
  '# Settings and secrets of the container profile. What stands here stays; what is missing is added.\n';

/** Writes the files that compose.yaml reads: secrets, limits that fit this machine, and bus users. Existing values stay. */
export async function configContainer(options: { readonly out?: string }): Promise<void> {
  const folder = options.out === undefined ? homeFolder : resolve(options.out);
  mkdirSync(folder, { recursive: true });
  const limits = limitsFor({ processors: availableParallelism(), memoryBytes: totalmem() });
  const { file, values, added } = ensureValues(folder, await loadServiceVariables(), {
    limits,
    findFaults: missingConnections,
  });
  // It contains no secret, and the server in its container runs as another user.
  replaceFile(join(folder, 'nats.conf'), busConfig(), 0o644);
  const terminal = createTerminal();
  terminal.done(
    added.length === 0 ? `${file} is complete.` : `${file}: ${added.length} values were added; only you can read them.`,
  );
  terminal.done(`${join(folder, 'nats.conf')}: every service is a user of the bus with its own rights.`);
  terminal.line(
    `The first administrator is ${values['OT_ADMIN_EMAIL']}; the password is OT_ADMIN_PASSWORD in ${file}.`,
  );
}

/** Prints the same values as Kubernetes objects, for `kubectl apply -f -`. Every variable of `.env` is in them, or refused. */
export async function configKubernetes(options: { readonly out?: string }): Promise<void> {
  const folder = options.out === undefined ? homeFolder : resolve(options.out);
  mkdirSync(folder, { recursive: true });
  const variables = await loadServiceVariables();
  const { file, values } = ensureValues(folder, variables);
  const refused = refusedValues(values, variables);
  if (refused.length > 0)
    throw new Refusal(`${file} has values that have no effect in Kubernetes: ${refused.join('; ')}.`);
  const items = configObjects(values, variables);
  process.stdout.write(`${JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, undefined, 2)}\n`);
}

// Files that a variable names are those of a container.
function faultsOfContainers(values: Values, variables: ServiceVariables): string[] {
  const given = Object.fromEntries(Object.entries(values).filter(([name]) => !name.endsWith('_FILE')));
  const faults = [furtherVariables, ...variables.values()].flatMap((shape) => faultsIn(shape, given));
  return [...new Set(faults.map(({ fault }) => fault))];
}

/** Of the server of compose.yaml; in Kubernetes the migration asks the server that there is. */
function missingConnections(values: Values): string[] {
  const limits = { DB_POOL_SIZE: values['DB_POOL_SIZE'] || '20', DB_MAX_OVERFLOW: values['DB_MAX_OVERFLOW'] || '5' };
  return [
    describeMissingConnections(poolLimits(limits), Number(values['PG_MAX_CONNECTIONS'] || specifiedConnections)),
  ].filter((fault) => fault !== undefined);
}

function ensureValues(
  folder: string,
  variables: ServiceVariables,
  { limits = {}, findFaults = () => [] }: { limits?: Values; findFaults?: (values: Values) => string[] } = {},
): { file: string; values: Values; added: readonly string[] } {
  const file = join(folder, '.env');
  const before = readIfThere(file) ?? fileHeader;
  const values = parseEnv(before) as Record<string, string>;
  const refused = unusable(values);
  if (refused.length > 0) {
    throw new Refusal(
      `${refused.join(', ')} in ${file}: a password of a server is a letter and at least seven more letters, digits, "_" or "-".`,
    );
  }
  const found = faultsOfContainers(values, variables);
  const faults = found.length > 0 ? found : findFaults(values);
  if (faults.length > 0) throw new Refusal(`${file} has values that cannot be used. ${faults.join('. ')}`);
  const made = {
    ...missing(values, productVersion(), inventPassword),
    ...Object.fromEntries(Object.entries(limits).filter(([name]) => !values[name])),
  };
  // A name without a value is kept, because the later line takes precedence.
  if (Object.keys(made).length > 0) replaceFile(file, `${before.trimEnd()}\n${envLines(made)}`);
  return { file, values: { ...values, ...made }, added: Object.keys(made) };
}
