import { z } from 'zod';

type Environment = Readonly<Record<string, string>>;

/** How services become processes: `grouped`, those that need no process of their own in one; or one each. */
export const processesEnv = { OT_PROCESSES: z.enum(['grouped', 'one-each']).default('one-each') };

/** The process of the services that share one. */
export const groupName = 'services';

/**
 * The services that share a process (ADR 22). Not the edge, which holds requests while they restart; not media, whose exports
 * delay everything in their process; not search and the worker, which compute for long and load native libraries.
 */
const sharing: ReadonlySet<string> = new Set([
  'directory-sync',
  'identity',
  'insights',
  'operations',
  'realtime-gateway',
  'transcription-dispatcher',
]);

/** Which of the services share a process; none with `one-each`. */
export function groupOf(services: readonly string[], caller: Readonly<Record<string, string | undefined>>): string[] {
  const mode = processesEnv.OT_PROCESSES.safeParse(caller['OT_PROCESSES'] || undefined).data;
  if (mode !== 'grouped') return [];
  const group = services.filter((name) => sharing.has(name));
  return group.length > 1 ? group : [];
}

const environmentsVariable = 'OT_HOSTED_ENVIRONMENTS';

/** One environment for a process of several services: what they have in common, and the rest of each in one variable. */
export function packEnvironments(environments: Readonly<Record<string, Environment>>): Record<string, string> {
  const all = Object.values(environments);
  const isCommon = ([name, value]: [string, string]) => all.every((environment) => environment[name] === value);
  const common = Object.entries(all[0] ?? {}).filter(isCommon);
  const names = new Set(common.map(([name]) => name));
  const rest = Object.entries(environments).map(([service, environment]) => [
    service,
    Object.fromEntries(Object.entries(environment).filter(([name]) => !names.has(name))),
  ]);
  return { ...Object.fromEntries(common), [environmentsVariable]: JSON.stringify(Object.fromEntries(rest)) };
}

/** The rest of each service; removes it from the environment, which child processes inherit. */
export function takeHostedEnvironments(environment: Record<string, string | undefined>): Record<string, Environment> {
  const text = environment[environmentsVariable];
  delete environment[environmentsVariable];
  return z.record(z.string(), z.record(z.string(), z.string())).parse(JSON.parse(text ?? '{}'));
}
