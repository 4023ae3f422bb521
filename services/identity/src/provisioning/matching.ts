import { identityEvents, type Role } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { Client } from '@overtone/service-kit';
import { writeAudit, type AuditErrorCode } from '../audit/audit.ts';
import type { Tx } from '../database.ts';
import type { Settings } from '../live-settings.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { firstStatus, identityOf, lacksIssuer, linkFault, signupMethods, type Account } from './account.ts';
import { emailOf, isNameable, nameOf, type Assertion } from './assertion.ts';
import { provisioningStore as store } from './provisioning.store.ts';

/** What an assertion has led to. */
export type AccountMatch =
  | { kind: 'found'; user: Account }
  | { kind: 'created'; user: Account; method: (typeof signupMethods)[Assertion['source']] }
  | { kind: 'refused'; errorCode: AuditErrorCode; user?: Account; reason: string };
/** A person whom a source has authenticated, in the transaction of the sign-in. */
export type AssertedSignIn = { tx: Tx; assertion: Assertion; client: Client };

type MatchingDeps = {
  outbox: Outbox;
  sessions: Pick<Sessions, 'endAll'>;
  settings: Settings<Parameters<typeof firstStatus>[0]>;
};

/** Finds the account of an assertion by identity, name or address, or creates one. */
export async function matchAccount(deps: MatchingDeps, asserted: AssertedSignIn): Promise<AccountMatch> {
  const { tx, assertion } = asserted;
  if (!isNameable(assertion))
    return { kind: 'refused', errorCode: 'INVALID_IDENTITY', reason: 'the name cannot be stored' };
  const email = emailOf(assertion);
  // Serializes first sign-ins with the same address: the second finds the account that the first has created.
  // This lock comes before any row lock, otherwise two sign-ins could deadlock.
  await store.lockName(tx, email ?? assertion.placeholderEmails?.[0] ?? assertion.login);
  const identified = assertion.subject.id ? await store.bySubject(tx, assertion) : null;
  if (identified && lacksIssuer(identified, assertion))
    return adoptIdentity(asserted, identified, identityOf(assertion));
  if (identified) return { kind: 'found', user: identified };
  const named = assertion.source === 'ldap' ? await store.byLdapUid(tx, assertion.login) : null;
  if (named) return matchByName(asserted, named);
  if (email) {
    const same = await store.byEmail(tx, email);
    return same ? linkByEmail(deps, asserted, same) : createAccount(deps, asserted, email);
  }
  for (const placeholder of assertion.placeholderEmails ?? [])
    if (!(await store.byEmail(tx, placeholder))) return createAccount(deps, asserted, placeholder);
  return {
    kind: 'refused',
    errorCode: 'INVALID_EMAIL',
    reason: `the source asserts no address: ${addressSettings[assertion.source]}`,
  };
}

/** The settings that say where a source names the address. */
const addressSettings: Readonly<Record<Assertion['source'], string>> = {
  ldap: 'see ldap_email_attr',
  oidc: 'see oidc_email_claim, and the scope email in oidc_scopes',
  pki: 'the certificate contains none',
  proxy: 'see proxy_email_header',
};

/** An account with this name: another identity under a known name is another person. */
async function matchByName(asserted: AssertedSignIn, user: Account): Promise<AccountMatch> {
  const { id } = asserted.assertion.subject;
  // The directory sync may have stored the identity since the search.
  if (id ? user.directoryId === id : user.directoryId === null) return { kind: 'found', user };
  if (user.directoryId === null) return adoptIdentity(asserted, user, { directoryId: id });
  const reason = id ? 'identity_conflict: another entry has this name now' : 'identity_unreadable';
  return { kind: 'refused', errorCode: 'IDENTITY_CONFLICT', user, reason };
}

/** Stores the identity of the owner in an account that lacks it. */
async function adoptIdentity(asserted: AssertedSignIn, user: Account, more: Partial<Account>): Promise<AccountMatch> {
  const adopted = await store.update(asserted.tx, user.id, more);
  await recordLink(asserted, adopted);
  return { kind: 'found', user: adopted };
}

/** Specification, "Authentication" 6. */
async function linkByEmail(
  { outbox, sessions }: MatchingDeps,
  asserted: AssertedSignIn,
  user: Account,
): Promise<AccountMatch> {
  const { tx, assertion } = asserted;
  const reason = linkFault(user, assertion);
  if (reason) return { kind: 'refused', errorCode: 'ACCOUNT_LINK_REFUSED', user, reason };
  const linked = await store.update(tx, user.id, {
    ...identityOf(assertion),
    authType: assertion.source,
    // The account may have been created by a person who does not own the address: password and sessions become invalid.
    passwordHash: null,
    allowLocalFallback: false,
  });
  await sessions.endAll(tx, user.id, 'account_linked');
  await recordLink(asserted, linked);
  const { id: userId, role, isActive: active } = user;
  await outbox.add(tx, identityEvents.userUpdated, { userId, role: role as Role, active });
  return { kind: 'found', user: linked };
}

async function createAccount(
  { outbox, settings }: MatchingDeps,
  { tx, assertion }: AssertedSignIn,
  email: string,
): Promise<AccountMatch> {
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
  return { kind: 'created', method, user };
}

function recordLink({ tx, assertion, client }: AssertedSignIn, { id: userId, email: username }: Account) {
  const { source: method, subject, login, auditDetails } = assertion;
  const details = { method, subject: subject.id || login, ...auditDetails };
  const by = { actor: 'idp_login', userId, username, client };
  return writeAudit(tx, { event: 'auth.account.linked', outcome: 'success', ...by, details });
}
