import type { SnapshotPerson } from '@overtone/directory';
import { unavailable } from '@overtone/service-kit';
import type { Person, Population } from '../plan/plan.ts';
import { createStringTable } from './string-table.ts';

/** A person's attributes without the identifiers. Most persons share one of a few combinations. */
type PersonState = Omit<Person, 'id' | 'login'>;

/** The state for a login that two entries share: it identifies neither of them. */
const ambiguous: PersonState = {
  disabled: 'unknown',
  admitted: 'unknown',
  admin: 'unknown',
  claims: { known: false, reason: 'two entries have this login' },
  evidence: {},
};

/**
 * All persons of a directory, by immutable id and by login, in about 80 bytes each.
 * @throws AppError directory_unavailable for two entries with one immutable id.
 */
export function createPopulation() {
  const states = createStateTable();
  const ids = createStringTable();
  const logins = createStringTable();
  /** By id number: the state and the login number plus one. By login number: the state and the id number plus one. */
  const stateOfId = createNumberArray();
  const loginOfId = createNumberArray();
  const stateOfLogin = createNumberArray();
  const idOfLogin = createNumberArray();
  const duplicateLogins = new Set<number>();
  /** Logins whose original spelling differs from the lower-case key. */
  const originalSpelling = new Map<number, string>();
  const loginAt = (number: number): string => originalSpelling.get(number) ?? logins.at(number);

  const addLogin = (login: string, id: number, state: number): number => {
    const before = logins.size();
    const key = folded(login);
    const number = logins.add(key);
    if (number < before) duplicateLogins.add(number);
    if (key !== login) originalSpelling.set(number, login);
    stateOfLogin.set(number, state);
    idOfLogin.set(number, id + 1);
    return number;
  };

  const people: Population = {
    byId: (id) => {
      const number = ids.find(id);
      if (number < 0) return undefined;
      const login = loginOfId.get(number);
      return { id, login: login === 0 ? '' : loginAt(login - 1), ...states.at(stateOfId.get(number)) };
    },
    byLogin: (login) => {
      const number = logins.find(folded(login));
      if (number < 0) return undefined;
      if (duplicateLogins.has(number)) return { id: null, login, ...ambiguous };
      const id = idOfLogin.get(number);
      return { id: id === 0 ? null : ids.at(id - 1), login: loginAt(number), ...states.at(stateOfLogin.get(number)) };
    },
  };
  return {
    people,
    add: (person: SnapshotPerson): void => {
      const state = states.numberOf(person);
      const before = ids.size();
      const id = person.id === null ? -1 : ids.add(person.id);
      if (person.id !== null && id < before)
        throw unavailable('directory_unavailable', 'Two entries have the same immutable id');
      const login = person.login === '' ? -1 : addLogin(person.login, id, state);
      if (id < 0) return;
      stateOfId.set(id, state);
      loginOfId.set(id, login + 1);
    },
  };
}

/** The distinct states, each with a number. States with individual evidence are not shared. */
function createStateTable() {
  const all: PersonState[] = [];
  const shared = new Map<Person['claims'], Map<string, number>>();
  const keep = ({ id: _, login: __, ...state }: SnapshotPerson): number => all.push(state) - 1;
  return {
    at: (number: number): PersonState => all[number] ?? ambiguous,
    numberOf: (person: SnapshotPerson): number => {
      for (const _ in person.evidence) return keep(person);
      let numbersByKey = shared.get(person.claims);
      if (!numbersByKey) shared.set(person.claims, (numbersByKey = new Map()));
      const key = `${person.disabled} ${person.admitted} ${person.admin}`;
      const known = numbersByKey.get(key) ?? keep(person);
      numbersByKey.set(key, known);
      return known;
    },
  };
}

/** An array of unsigned integers that grows on write. */
function createNumberArray() {
  let numbers = new Uint32Array(1 << 10);
  return {
    get: (at: number): number => numbers[at] ?? 0,
    set: (at: number, value: number): void => {
      if (at >= numbers.length) {
        const larger = new Uint32Array(2 * numbers.length);
        larger.set(numbers);
        numbers = larger;
      }
      numbers[at] = value;
    },
  };
}

function folded(login: string): string {
  return login.toLowerCase();
}
