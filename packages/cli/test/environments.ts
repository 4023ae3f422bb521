import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ReadServiceEnv } from '@overtone/service-kit/env';
import { productFolder } from '../src/paths.ts';

type Variables = Readonly<Record<string, string>>;

/** How a service parses an environment: the variables it reads, and its errors for missing or invalid ones. */
export type Reading = {
  readonly asked: ReadonlySet<string>;
  readonly fault: string | undefined;
};

/** Parses `given` with the `env.ts` of a service. */
export async function readAs(service: string, given: Variables): Promise<Reading> {
  const folder = join(productFolder, 'services', service, 'src');
  const reader = Object.entries(await load(join(folder, 'env.ts'))).find(
    ([name, value]) => typeof value === 'function' && (name === 'env' || name === `${service.split('-').at(-1)}Env`),
  )?.[1] as ReadServiceEnv<unknown> | undefined;
  if (reader === undefined) throw new Error(`services/${service}/src/env.ts reads no environment`);
  const asked = new Set<string>();
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
  return { asked: new Set([...asked, ...Object.keys(reader.variables)]), fault };
}

/** The variables of an environment that the service does not read, with and without the suffix _FILE. */
export function unknownTo({ asked }: Reading, given: Variables): string[] {
  return Object.keys(given).filter((name) => !asked.has(name) && !asked.has(name.replace(/_FILE$/, '')));
}

// Its properties cannot be enumerated: a service must read each variable by name.
function listening(given: Variables, asked: Set<string>): NodeJS.ProcessEnv {
  return new Proxy<Record<string, string | undefined>>(
    {},
    {
      get: (_target, name) => {
        asked.add(String(name));
        return given[String(name)];
      },
    },
  );
}

async function load(file: string) {
  return (await import(pathToFileURL(file).href)) as Record<string, unknown>;
}
