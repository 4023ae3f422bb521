import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { productFolder } from '../src/paths.ts';

type Variables = Readonly<Record<string, string>>;

/** What a service makes of an environment: the variables it asks for, and what it says when some are missing or wrong. */
export interface Reading {
  readonly asked: ReadonlySet<string>;
  readonly fault: string | undefined;
}

/** Of those that read keys, only identity does it in its env.ts. */
const READ_IN_MAIN: Readonly<Record<string, readonly string[]>> = { 'directory-sync': ['ENCRYPTION_KEY'] };

/** Lets the `env.ts` of a service read `given`, as the service would at its start. */
export async function readAs(service: string, given: Variables): Promise<Reading> {
  const folder = join(productFolder, 'services', service, 'src');
  const reader = Object.entries(await load(join(folder, 'env.ts'))).find(
    ([name, value]) => typeof value === 'function' && (name === 'env' || name === `${service.split('-').at(-1)}Env`),
  )?.[1] as (() => unknown) | undefined;
  if (reader === undefined) throw new Error(`services/${service}/src/env.ts reads no environment`);
  const asked = new Set(READ_IN_MAIN[service] ?? []);
  const before = process.env;
  let fault: string | undefined;
  try {
    process.env = listening(given, asked);
    reader();
  } catch (error) {
    fault = (error as Error).message;
  } finally {
    process.env = before;
  }
  return { asked: new Set([...asked, ...(await seeds(folder))]), fault };
}

/** The variables that an environment names and the service does not know, whether given or by the file that holds them. */
export function unknownTo({ asked }: Reading, given: Variables): string[] {
  return Object.keys(given).filter((name) => !asked.has(name) && !asked.has(name.replace(/_FILE$/, '')));
}

// Its values cannot be listed: what a service wants it has to ask for by name.
const listening = (given: Variables, asked: Set<string>): NodeJS.ProcessEnv =>
  new Proxy<Record<string, string | undefined>>(
    {},
    {
      get: (_target, name) => {
        asked.add(String(name));
        return given[String(name)];
      },
    },
  );

async function seeds(folder: string): Promise<string[]> {
  const file = join(folder, 'settings', 'seeds.ts');
  return existsSync(file) ? Object.keys((await load(file))['seedVariables'] as object) : [];
}

const load = async (file: string) => (await import(pathToFileURL(file).href)) as Record<string, unknown>;
