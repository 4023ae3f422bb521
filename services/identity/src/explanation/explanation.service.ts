import {
  explain,
  reconcileAccount,
  type Answer,
  type Explained,
  type MappingIndex,
  type MappingRule,
  type Person,
} from '@overtone/directory';
import type { AuthSettings, Role } from '@overtone/contracts';
import type { Db } from '../database.ts';
import type { CurrentDirectory } from '../directory/directory.ts';
import type { User } from '../generated/client.ts';
import { firstStatus, linkFault } from '../provisioning/provisioning.ts';
import type { Settings } from '../live-settings.ts';
import { assertionOf } from '../sign-in/sign-in.ts';
import { evidenceOf, decideVerdict, refusalTextOf, type Explanation } from './explanation.ts';
import { explanationStore as store } from './explanation.store.ts';

const maxRefusals = 20;

type Deps = {
  db: Db;
  settings: Settings;
  directory: Pick<CurrentDirectory, 'config'>;
  /** The mappings of the directory: as stored, and compiled. */
  ldapMappings: () => Promise<{ rules: MappingRule[] }>;
  ldapIndex: () => Promise<MappingIndex>;
};

/** Explains why a person is admitted, with which role, or refused: from the directory and the audit trail. Writes nothing. */
export function createExplanations({ db, settings, directory, ldapMappings, ldapIndex }: Deps) {
  const queryDirectory = async (login: string): Promise<Answer<Explained> | null> => {
    if (!settings.current().ldap_enabled) return null;
    const { rules } = await ldapMappings();
    return explain(
      directory.config(),
      login,
      rules.map((rule) => rule.claimValue),
    );
  };

  const roleOf = async (account: User | null, person: Person | null): Promise<string> => {
    const role = (account?.role ?? 'user') as Role;
    if (!person) return role;
    const asserted = { claims: person.groups, legacyAdmin: person.adminSignal, by: 'sign_in' } as const;
    return reconcileAccount(await ldapIndex(), { role, authType: 'ldap' }, asserted).role;
  };

  const evidence = async (answer: Answer<Explained> | null, account: User | null): Promise<Record<string, string>> => ({
    ...(answer?.outcome === 'yes' ? evidenceOf(answer.value, directory.config()) : {}),
    ...(account && !account.isActive && account.disabledBy === 'directory'
      ? await store.findSyncReason(db, account.id)
      : {}),
  });

  return {
    explain: async (typed: string): Promise<Explanation> => {
      const login = typed.trim();
      const now = new Date();
      const answer = await queryDirectory(login);
      const person = answer?.outcome === 'yes' ? answer.value.person : null;
      const account = await store.account(db, login, person);
      const facts = {
        account,
        answer,
        conflict: account && person ? conflictOf(account, person, settings.current()) : null,
        role: await roleOf(account, person),
        requiresApproval: firstStatus(settings.current()) === 'pending',
        now,
      };
      return {
        login,
        as_of: now.toISOString(),
        ...decideVerdict(facts),
        account: account && toAccountObject(account),
        evidence: await evidence(answer, account),
        refusals: await refusalsOf(
          db,
          [login, account?.email, account?.ldapUid, person?.login, person?.email],
          account,
        ),
      };
    },
  };
}

function toAccountObject({ id, email, ldapUid, authType, role, isActive }: User): Explanation['account'] {
  return { uuid: id, email, ldap_uid: ldapUid, auth_type: authType, role: role as Role, is_active: isActive };
}

/** Why the account does not belong to this person; null: it does. */
function conflictOf(account: User, person: Person, settings: AuthSettings): string | null {
  if (account.directoryId !== null)
    return account.directoryId === person.immutableId ? null : refusalTextOf('IDENTITY_CONFLICT');
  if (account.ldapUid?.toLowerCase() === person.login.toLowerCase()) return null;
  const fault = linkFault(account, assertionOf(person, settings));
  return fault === null ? null : `${refusalTextOf('ACCOUNT_LINK_REFUSED')} It cannot be, because ${fault}.`;
}

async function refusalsOf(db: Db, names: readonly (string | null | undefined)[], account: User | null) {
  const known = names.flatMap((name) => (name ? [name.toLowerCase()] : []));
  const rows = await store.refusals(db, account?.id ?? null, [...new Set(known)], maxRefusals);
  return rows.map(({ at, code, method, detail, sourceIp }) => ({
    at: at.toISOString(),
    code: code ?? '',
    reason: refusalTextOf(code ?? ''),
    detail,
    method,
    source_ip: sourceIp,
  }));
}
