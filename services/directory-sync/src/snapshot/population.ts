import type { Surveyed } from '@overtone/directory';
import { unavailable } from '@overtone/service-kit';
import type { Person, Population } from '../plan/plan.ts';
import { createTexts } from './texts.ts';

/** Everything of a person but what tells them from others: most of a directory has one of a few of these. */
type Standing = Omit<Person, 'id' | 'login'>;

/** Two entries with one login name nobody: whoever has no immutable id cannot be told apart by it. */
const ambiguous: Standing = {
  disabled: 'unknown',
  admitted: 'unknown',
  admin: 'unknown',
  claims: { known: false, reason: 'two entries have this login' },
  evidence: {},
};
const folded = (login: string): string => login.toLowerCase();

/** Numbers with numbers; grows as it is written. */
const createNumbers = () => {
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
};

/** The standings there are, each with a number. Whatever has evidence of its own is not shared. */
const createStandings = () => {
  const all: Standing[] = [];
  const shared = new Map<Person['claims'], Map<string, number>>();
  const keep = ({ id: _, login: __, ...standing }: Surveyed): number => all.push(standing) - 1;
  return {
    at: (n: number): Standing => all[n] ?? ambiguous,
    numberOf: (person: Surveyed): number => {
      for (const _ in person.evidence) return keep(person);
      let alike = shared.get(person.claims);
      if (!alike) shared.set(person.claims, (alike = new Map()));
      const key = `${person.disabled} ${person.admitted} ${person.admin}`;
      const known = alike.get(key) ?? keep(person);
      alike.set(key, known);
      return known;
    },
  };
};

/**
 * Everybody a directory holds, by immutable id and by login, in some eighty bytes each.
 * @throws AppError directory_unavailable for two entries with one immutable id.
 */
export const createPopulation = () => {
  const standings = createStandings();
  const ids = createTexts();
  const logins = createTexts();
  /** Of the person of an id: their standing, and their login plus one. Of the person of a login: the same, and the id. */
  const standingOfId = createNumbers();
  const loginOfId = createNumbers();
  const standingOfLogin = createNumbers();
  const idOfLogin = createNumbers();
  const twice = new Set<number>();
  /** As they are written where that is not how they are compared. */
  const written = new Map<number, string>();
  const loginAt = (n: number): string => written.get(n) ?? logins.at(n);

  const addLogin = (login: string, id: number, standing: number): number => {
    const before = logins.size();
    const key = folded(login);
    const n = logins.add(key);
    if (n < before) twice.add(n);
    if (key !== login) written.set(n, login);
    standingOfLogin.set(n, standing);
    idOfLogin.set(n, id + 1);
    return n;
  };

  const people: Population = {
    byId: (id) => {
      const n = ids.find(id);
      if (n < 0) return undefined;
      const login = loginOfId.get(n);
      return { id, login: login === 0 ? '' : loginAt(login - 1), ...standings.at(standingOfId.get(n)) };
    },
    byLogin: (login) => {
      const n = logins.find(folded(login));
      if (n < 0) return undefined;
      if (twice.has(n)) return { id: null, login, ...ambiguous };
      const id = idOfLogin.get(n);
      return { id: id === 0 ? null : ids.at(id - 1), login: loginAt(n), ...standings.at(standingOfLogin.get(n)) };
    },
  };
  return {
    people,
    add: (person: Surveyed): void => {
      const standing = standings.numberOf(person);
      const before = ids.size();
      const id = person.id === null ? -1 : ids.add(person.id);
      if (person.id !== null && id < before)
        throw unavailable('directory_unavailable', 'Two entries have the same immutable id');
      const login = person.login === '' ? -1 : addLogin(person.login, id, standing);
      if (id < 0) return;
      standingOfId.set(id, standing);
      loginOfId.set(id, login + 1);
    },
  };
};
