import { identityEvents, type Role } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { writeAudit, type AuditErrorCode } from '../audit/audit.ts';
import type { Client } from '../client.ts';
import type { Tx } from '../database.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Settings } from '../settings/settings.ts';
import { identityOf, lacksIssuer, linkFault, type Known } from './identity-of.ts';
import { emailOf, isNameable, nameOf } from './profile.ts';
import type { Assertion } from './assertion.ts';
import { provisioningStore as store } from './provisioning.store.ts';
import { firstStatus, signupMethods } from './signups.ts';

type SignupMethod = (typeof signupMethods)[Assertion['source']];
export type Matched = { user: Known } & (
  { how: 'known' | 'adopted' | 'linked' } | { how: 'made'; method: SignupMethod }
);
type NoMatch = { refused: AuditErrorCode; user?: Known; reason: string };

type Deps = { outbox: Outbox; sessions: Pick<Sessions, 'endAll'>; settings: Settings };

/** Whose account an assertion means: the one with its identity, with its name, with its address, or a new one. */
export const createMatching = ({ outbox, sessions, settings }: Deps) => {
  /** The name is known, so the identity decides: another identity under an old name is another person. */
  const byName = async (tx: Tx, user: Known, a: Assertion, client: Client): Promise<Matched | NoMatch> => {
    // The sweep may have taken the identity over since it was looked for.
    if (a.subject.id && user.directoryId === a.subject.id) return { how: 'known', user };
    if (user.directoryId !== null)
      return {
        refused: 'IDENTITY_CONFLICT',
        user,
        reason: a.subject.id ? 'identity_conflict: another entry has this name now' : 'identity_unreadable',
      };
    if (!a.subject.id) return { how: 'known', user };
    return adopt(tx, user, { directoryId: a.subject.id }, a, client);
  };

  /** Completes what is kept of an owner's identity. */
  const adopt = async (tx: Tx, user: Known, more: Partial<Known>, a: Assertion, client: Client): Promise<Matched> => {
    const adopted = await store.update(tx, user.id, more);
    await told(tx, adopted, a, client);
    return { how: 'adopted', user: adopted };
  };

  const told = (tx: Tx, user: Known, a: Assertion, client: Client) =>
    writeAudit(tx, {
      event: 'auth.account.linked',
      outcome: 'success',
      actor: 'idp_login',
      userId: user.id,
      username: user.email,
      client,
      details: { method: a.source, subject: a.subject.id || a.login, ...a.auditDetails },
    });

  /** Specification, "Authentication" 6. */
  const byEmail = async (tx: Tx, user: Known, a: Assertion, client: Client): Promise<Matched | NoMatch> => {
    const reason = linkFault(user, a);
    if (reason) return { refused: 'ACCOUNT_LINK_REFUSED', user, reason };
    const linked = await store.update(tx, user.id, {
      ...identityOf(a),
      authType: a.source,
      // Whoever made the account before need not have been the owner of the address: nothing of theirs stays valid.
      passwordHash: null,
      allowLocalFallback: false,
    });
    await sessions.endAll(tx, user.id, 'account_linked');
    await told(tx, linked, a, client);
    await outbox.add(tx, identityEvents.userUpdated, {
      userId: user.id,
      role: user.role as Role,
      active: user.isActive,
    });
    return { how: 'linked', user: linked };
  };

  const make = async (tx: Tx, email: string, a: Assertion): Promise<Matched> => {
    const method = signupMethods[a.source];
    const user = await store.create(tx, {
      ...identityOf(a),
      email,
      fullName: nameOf(a, email),
      authType: a.source,
      assertedEmail: a.source === 'pki' ? emailOf(a) : null,
      approvalStatus: firstStatus(settings.current()),
      lastLoginAt: new Date(),
    });
    await outbox.add(tx, identityEvents.userCreated, { userId: user.id, role: 'user', method });
    return { how: 'made', method, user };
  };

  return async (tx: Tx, a: Assertion, client: Client): Promise<Matched | NoMatch> => {
    if (!isNameable(a)) return { refused: 'INVALID_IDENTITY', reason: 'the name cannot be kept' };
    // Newcomers with one address come one after the other, and the second finds what the first has made. Before any row is
    // held: whoever held one while waiting for their turn would stop the one whose turn it is.
    await store.inTurn(tx, emailOf(a) ?? a.placeholderEmails?.[0] ?? a.login);
    const known = a.subject.id ? await store.bySubject(tx, a) : null;
    if (known && lacksIssuer(known, a)) return adopt(tx, known, identityOf(a), a, client);
    if (known) return { how: 'known', user: known };
    const named = a.source === 'ldap' ? await store.byLdapUid(tx, a.login) : null;
    if (named) return byName(tx, named, a, client);
    const email = emailOf(a);
    if (email) {
      const same = await store.byEmail(tx, email);
      return same ? byEmail(tx, same, a, client) : make(tx, email, a);
    }
    for (const placeholder of a.placeholderEmails ?? [])
      if (!(await store.byEmail(tx, placeholder))) return make(tx, placeholder, a);
    return { refused: 'INVALID_EMAIL', reason: 'the source asserts no address' };
  };
};
