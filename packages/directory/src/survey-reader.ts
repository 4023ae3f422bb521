import { accountState, stateAttributes } from './account-state.ts';
import { textOf } from './attributes.ts';
import type { Connection } from './connection.ts';
import type { Deadline } from './deadline.ts';
import { asFailure } from './failures.ts';
import { primarySid } from './groups.ts';
import { immutableIdOf } from './immutable-id.ts';
import type { Entry } from './messages.ts';
import type { Claims, DirectoryConfig, Tristate } from './model.ts';
import { createPeople } from './person.ts';
import { allValues } from './ranges.ts';
import type { Reach } from './reach.ts';

/** Somebody the directory holds, as the sweep needs them. */
export interface Surveyed {
  readonly id: string | null;
  readonly login: string;
  readonly disabled: Tristate;
  readonly admitted: Tristate;
  readonly admin: Tristate;
  /** Their groups, of those that were asked for. */
  readonly claims: Claims;
  /** What the answer rests on. */
  readonly evidence: Readonly<Record<string, string>>;
}

const plain: Surveyed['evidence'] = {};

interface Reading {
  readonly connection: Connection;
  readonly config: DirectoryConfig;
  readonly deadline: Deadline;
  readonly reach: Reach;
  /** Whether people list their groups. */
  readonly listed: boolean;
  readonly now: Date;
}

/** Reads people from their entries, one after the other. */
export function createReader({ connection, config, deadline, reach, listed, now }: Reading) {
  const people = createPeople(config);
  const sets = createSets(people);
  return async (entry: Entry): Promise<Surveyed> => {
    const login = textOf(entry, config.usernameAttr) ?? '';
    const sid = primarySid(entry)?.toString('hex');
    const direct = listed ? await allValues(connection, entry, { attribute: config.groupAttr, deadline }) : [];
    const groups = sets.of([
      ...direct.flatMap((value) => reach.fromGroup(value.toString('utf8'))),
      ...(listed ? [] : reach.fromMember(entry.dn, login)),
      ...(sid === undefined ? [] : reach.fromSid(sid)),
    ]);
    const { disabled, why } = stateOf(entry, now);
    return {
      id: immutableIdOf(entry),
      login,
      disabled,
      admitted: groups.admitted,
      admin: people.isAdmin(login) ? 'yes' : groups.admin,
      claims: groups.claims,
      evidence: why === null ? plain : { state: why, dn: entry.dn },
    };
  };
}

const stateNames = new Set(stateAttributes.map((name) => name.toLowerCase()));
const usable = { disabled: 'no', why: null } as const;

function saysItsState({ attributes }: Entry): boolean {
  for (const name of attributes.keys()) if (stateNames.has(name)) return true;
  return false;
}

/** What cannot be read is unknown for this person; only an account of ours makes that matter. */
function stateOf(entry: Entry, now: Date): { disabled: Tristate; why: string | null } {
  // Most entries of most directories say nothing about it.
  if (!saysItsState(entry)) return usable;
  try {
    const { disabled, reason } = accountState(entry, now);
    return { disabled: disabled ? 'yes' : 'no', why: disabled ? reason : null };
  } catch (error) {
    return { disabled: 'unknown', why: asFailure(error).message };
  }
}

/** The same lists come again with many people: each is kept and judged once. */
function createSets({ standing }: Pick<ReturnType<typeof createPeople>, 'standing'>) {
  const judged = (values: readonly string[]) => ({
    claims: { known: true as const, values },
    ...standing({ groups: values, missing: null }),
  });
  const known = new Map<string, ReturnType<typeof judged>>();
  return {
    of: (groups: readonly string[]) => {
      const values = [...new Set(groups)].sort();
      const key = values.join('\n');
      const found = known.get(key) ?? judged(values);
      known.set(key, found);
      return found;
    },
  };
}
