import { identityEvents, type Role } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { writeAudit, type AuditErrorCode } from '../audit/audit.ts';
import type { Client } from '../client.ts';
import type { Tx } from '../database.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Settings } from '../live-settings.ts';
import { identityOf, lacksIssuer, linkFault, type Account } from './identity-of.ts';
import { emailOf, isNameable, nameOf } from './profile.ts';
import type { Assertion } from './assertion.ts';
import { provisioningStore as store } from './provisioning.store.ts';
import { firstStatus, signupMethods } from './signups.ts';

type SignupMethod = (typeof signupMethods)[Assertion['source']];
export type AccountMatch = { user: Account } & (
  { how: 'known' | 'adopted' | 'linked' } | { how: 'created'; method: SignupMethod }
);
type NoMatch = { refused: AuditErrorCode; user?: Account; reason: string };

type Deps = { outbox: Outbox; sessions: Pick<Sessions, 'endAll'>; settings: Settings };

/** Finds the account of an assertion by identity, name or address, or creates one. */
export function createMatching({ outbox, sessions, settings }: Deps) {
  /** An account with this name: another identity under a known name is another person. */
  const byName = async (
    tx: Tx,
    user: Account,
    assertion: Assertion,
    client: Client,
  ): Promise<AccountMatch | NoMatch> => {
    // The sweep may have stored the identity since the search.
    if (assertion.subject.id && user.directoryId === assertion.subject.id) return { how: 'known', user };
    if (user.directoryId !== null)
      return {
        refused: 'IDENTITY_CONFLICT',
        user,
        reason: assertion.subject.id ? 'identity_conflict: another entry has this name now' : 'identity_unreadable',
      };
    if (!assertion.subject.id) return { how: 'known', user };
    return adopt(tx, user, { directoryId: assertion.subject.id }, assertion, client);
  };

  /** Stores the identity of the owner in an account that lacks it. */
  const adopt = async (
    tx: Tx,
    user: Account,
    more: Partial<Account>,
    assertion: Assertion,
    client: Client,
  ): Promise<AccountMatch> => {
    const adopted = await store.update(tx, user.id, more);
    await auditLink(tx, adopted, assertion, client);
    return { how: 'adopted', user: adopted };
  };

  const auditLink = (tx: Tx, user: Account, assertion: Assertion, client: Client) =>
    writeAudit(tx, {
      event: 'auth.account.linked',
      outcome: 'success',
      actor: 'idp_login',
      userId: user.id,
      username: user.email,
      client,
      details: {
        method: assertion.source,
        subject: assertion.subject.id || assertion.login,
        ...assertion.auditDetails,
      },
    });

  /** Specification, "Authentication" 6. */
  const byEmail = async (
    tx: Tx,
    user: Account,
    assertion: Assertion,
    client: Client,
  ): Promise<AccountMatch | NoMatch> => {
    const reason = linkFault(user, assertion);
    if (reason) return { refused: 'ACCOUNT_LINK_REFUSED', user, reason };
    const linked = await store.update(tx, user.id, {
      ...identityOf(assertion),
      authType: assertion.source,
      // The account may have been created by a person who does not own the address: password and sessions become invalid.
      passwordHash: null,
      allowLocalFallback: false,
    });
    await sessions.endAll(tx, user.id, 'account_linked');
    await auditLink(tx, linked, assertion, client);
    await outbox.add(tx, identityEvents.userUpdated, {
      userId: user.id,
      role: user.role as Role,
      active: user.isActive,
    });
    return { how: 'linked', user: linked };
  };

  const create = async (tx: Tx, email: string, assertion: Assertion): Promise<AccountMatch> => {
    const method = signupMethods[assertion.source];
    const user = await store.create(tx, {
      ...identityOf(assertion),
      email,
      fullName: nameOf(assertion, email),
      authType: assertion.source,
      assertedEmail: assertion.source === 'pki' ? emailOf(assertion) : null,
      approvalStatus: firstStatus(settings.current()),
      lastLoginAt: new Date(),
    });
    await outbox.add(tx, identityEvents.userCreated, { userId: user.id, role: 'user', method });
    return { how: 'created', method, user };
  };

  return async (tx: Tx, assertion: Assertion, client: Client): Promise<AccountMatch | NoMatch> => {
    if (!isNameable(assertion)) return { refused: 'INVALID_IDENTITY', reason: 'the name cannot be stored' };
    // Serializes first sign-ins with the same address: the second finds the account that the first has created.
    // This lock comes before any row lock, otherwise two sign-ins could deadlock.
    await store.lockName(tx, emailOf(assertion) ?? assertion.placeholderEmails?.[0] ?? assertion.login);
    const bySubject = assertion.subject.id ? await store.bySubject(tx, assertion) : null;
    if (bySubject && lacksIssuer(bySubject, assertion))
      return adopt(tx, bySubject, identityOf(assertion), assertion, client);
    if (bySubject) return { how: 'known', user: bySubject };
    const named = assertion.source === 'ldap' ? await store.byLdapUid(tx, assertion.login) : null;
    if (named) return byName(tx, named, assertion, client);
    const email = emailOf(assertion);
    if (email) {
      const same = await store.byEmail(tx, email);
      return same ? byEmail(tx, same, assertion, client) : create(tx, email, assertion);
    }
    for (const placeholder of assertion.placeholderEmails ?? [])
      if (!(await store.byEmail(tx, placeholder))) return create(tx, placeholder, assertion);
    return { refused: 'INVALID_EMAIL', reason: 'the source asserts no address' };
  };
}
