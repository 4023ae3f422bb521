import { identityEvents, type AnswerOf, type BodyOf, type issuerRoutes, type Role } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { conflict, invalid, notFound, unavailable } from '@overtone/service-kit';
import { toAuditRow, writeAudit } from '../audit/audit.ts';
import { isUniqueViolation, type Db, type Tx } from '../database.ts';
import { methodOff } from '../provisioning/provisioning.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { withLockedAccount, type RequestContext } from '../users/users.ts';
import { newFlow, type Flow } from './flow.ts';
import { proofMinutes, proofShape, testFaultOf, type IssuerFault, type Proof } from './issuer-move.ts';
import { issuerMoveStore as store, type LinkedAccount, type Move } from './issuer-move.store.ts';
import { admissionFaultOf, issuerOf, personOf } from './oidc.ts';
import { beginAtProvider, takeFlow, type Browser, type CallbackQuery, type OidcDeps } from './oidc.service.ts';
import type { VerifiedClaims } from './provider.ts';
import { createSealer } from './sealed.ts';

export type IssuerMoveDeps = Pick<OidcDeps, 'db' | 'settings' | 'provider' | 'flows'> & {
  outbox: Outbox;
  sessions: Pick<Sessions, 'endAll' | 'endAllOf'>;
  proofSecret: string;
};
type Tested = AnswerOf<typeof issuerRoutes.finishIssuerTest>;
type MoveRequest = BodyOf<typeof issuerRoutes.moveIssuer>;
type Moved = AnswerOf<typeof issuerRoutes.moveIssuer>;

const accountsPerTransaction = 500;
const reason = 'issuer_moved';

/**
 * Moves the accounts of an OIDC issuer to the provider's new address, after one of their owners has signed in there as a test.
 * The test opens no session.
 */
export function createIssuerMoves(deps: IssuerMoveDeps) {
  const { db, settings, provider, flows } = deps;
  const sealer = createSealer(deps.proofSecret, 'overtone oidc issuer test v1', proofShape);

  const enabledSettings = () => {
    const current = settings.current();
    if (!current.oidc_enabled) throw methodOff();
    return current;
  };

  /** The claims of a completed test sign-in, or why there are none. */
  const completeSignIn = async (
    query: CallbackQuery,
    browser: Browser,
    callerId: string,
  ): Promise<{ from: string; claims: VerifiedClaims } | { from: string; fault: IssuerFault }> => {
    const current = enabledSettings();
    const flow = await takeFlow({ db, flows }, current, query, browser);
    const failed = (why: string, from = '') => ({ from, fault: signInFailed(why) });
    if (typeof flow === 'string') return failed(flow);
    if (flow.test?.userId !== callerId) return failed('not_this_test');
    const { from } = flow.test;
    if (query.error !== undefined) return failed(query.error.replaceAll(/[^\w.-]/g, '?'), from);
    const { code, iss } = query;
    const identified = await provider.finish(current, flow, { code, iss, state: flow.state });
    return identified.ok ? { from, claims: identified.claims } : failed(identified.reason, from);
  };

  return {
    list: async (): Promise<AnswerOf<typeof issuerRoutes.oidcIssuers>> => {
      const current = issuerOf(settings.current());
      const issuers = await store.issuers(db);
      return {
        current,
        issuers: issuers.map(({ issuer, accounts, superAdmins }) => ({
          issuer,
          accounts,
          super_admins: superAdmins,
          is_current: withoutSlash(issuer) === withoutSlash(current),
        })),
      };
    },

    startTest: async (from: string, { cookies, secure }: Browser, { caller, client }: RequestContext) => {
      const current = enabledSettings();
      if (!(await store.hasAccounts(db, from))) throw notFound('No account is linked to this issuer');
      const flow: Flow = newFlow(current, { from, userId: caller.userId });
      const started = await beginAtProvider(provider, current, flow);
      if (!started.ok) {
        await recordTest(db, { caller, client }, { from, fault: signInFailed(started.reason) });
        throw unavailable('service_unavailable', `The identity provider cannot be used: ${started.reason}`);
      }
      return { url: started.url, cookies: [...flows.clearOld(cookies, secure), flows.seal(flow, secure)] };
    },

    /** @throws AppError conflict when the test does not prove that the issuers name the same people. */
    finishTest: async (query: CallbackQuery, browser: Browser, context: RequestContext): Promise<Tested> => {
      const callerId = context.caller.userId;
      const signedIn = await completeSignIn(query, browser, callerId);
      const refuse = async (fault: IssuerFault, to?: string): Promise<Error> => {
        await recordTest(db, context, { from: signedIn.from, to, fault });
        return conflict(fault.code, fault.message);
      };
      if ('fault' in signedIn) throw await refuse(signedIn.fault);
      const { from, claims } = signedIn;
      const current = settings.current();
      const person = personOf(claims, current, false);
      const { iss: to, sub: subject } = claims;
      const [account, taken] = [await store.findLinked(db, from, subject), await store.findLinked(db, to, subject)];
      const fault = testFaultOf({ from, to, person, account, taken, callerId });
      const notAdmitted = admissionFaultOf(person, current);
      if (fault) throw await refuse(fault, to);
      if (notAdmitted) throw await refuse(signInFailed(notAdmitted), to);
      const { id: testerId, email } = account as LinkedAccount;
      const configured = issuerOf(current);
      const proof: Proof = { from, to, subject, testerId, configured, testedAt: Date.now() };
      const move = moveOf(proof, callerId);
      const left = await store.left(db, move);
      await recordTest(db, context, { from, to, subject });
      return {
        proof: sealer.seal(callerId, proof),
        from,
        to,
        tester: { uuid: testerId, email },
        accounts: await store.countMovable(db, move),
        left: left.accounts.map(({ id: uuid, email: address, takenBy }) => ({
          uuid,
          email: address,
          reason: takenBy === null ? ('super_admin' as const) : ('subject_taken' as const),
          taken_by: takenBy,
        })),
        left_total: left.total,
      };
    },

    cookieToClear: ({ state }: CallbackQuery, { secure }: Browser): string[] =>
      state ? [flows.clear(state, secure)] : [],

    /**
     * In batches, the tester last: an interrupted move is completed by a repeated one.
     * @throws AppError conflict when test, settings or number of accounts are no longer those that were shown.
     */
    move: async (request: MoveRequest, context: RequestContext): Promise<Moved> => {
      const configured = issuerOf(enabledSettings());
      const proof = sealer.open(context.caller.userId, request.proof);
      const isValid = proof && proof.configured === configured && Date.now() - proof.testedAt < proofMinutes * 60_000;
      if (!isValid) throw conflict('issuer_test_expired', 'Repeat the test sign-in');
      if (request.confirm_issuer !== proof.to)
        throw invalid('confirmation_mismatch', 'The typed address is not the new address of the provider');
      if ((await store.countMovable(db, moveOf(proof, context.caller.userId))) !== request.accounts)
        throw accountsChanged();
      const moved: Moved = { accounts: 0, sessions_terminated: 0 };
      for (let isDone = false; !isDone;) {
        const batch = await moveBatch(deps, proof, context, moved).catch((error: unknown) => {
          // A first sign-in at the new address has created an account with the same subject in the meantime.
          throw isUniqueViolation(error) ? accountsChanged() : error;
        });
        moved.accounts += batch.accounts;
        moved.sessions_terminated += batch.sessions_terminated;
        isDone = batch.isLast;
      }
      return moved;
    },
  };
}

function signInFailed(why: string): IssuerFault {
  return { code: 'issuer_test_failed', message: `The test sign-in failed: ${why.slice(0, 60)}` };
}

function accountsChanged() {
  return conflict('issuer_accounts_changed', 'The accounts have changed since the test; repeat it');
}

function withoutSlash(issuer: string): string {
  return issuer.endsWith('/') ? issuer.slice(0, -1) : issuer;
}

function moveOf({ from, to, testerId }: Proof, callerId: string): Move {
  return { from, to, ownId: testerId === callerId ? callerId : null };
}

type TestRecord = { from: string; to?: string | undefined; subject?: string; fault?: IssuerFault };

function recordTest(db: Db, { caller, client }: RequestContext, { fault, ...details }: TestRecord): Promise<void> {
  const { from, to, subject } = details;
  return writeAudit(db, {
    event: 'admin.issuer.test',
    outcome: fault ? 'failure' : 'success',
    actor: caller.userId,
    userId: caller.userId,
    client,
    details: {
      from,
      ...(to === undefined ? {} : { to }),
      ...(subject === undefined ? {} : { subject }),
      ...(fault ? { code: fault.code, reason: fault.message } : {}),
    },
  });
}

/** Moves the next accounts with their audit records and events; the last batch contains the tester. */
function moveBatch(
  { db, outbox, sessions }: IssuerMoveDeps,
  proof: Proof,
  context: RequestContext,
  before: Moved,
): Promise<Moved & { isLast: boolean }> {
  const { from, to, testerId } = proof;
  const { userId: callerId, sessionId } = context.caller;
  const move = moveOf(proof, callerId);
  return withLockedAccount(db, { context, targetId: testerId, needed: 'super_admin' }, async (tx, { target }) => {
    await store.lockMoves(tx);
    const tester = await store.findLinked(tx, from, proof.subject);
    const isProtected = target.role === 'super_admin' && testerId !== callerId;
    if (tester?.id !== testerId || isProtected) throw accountsChanged();
    const batch = await store.lockBatch(tx, move, testerId, accountsPerTransaction);
    const isLast = batch.length < accountsPerTransaction;
    const accounts = isLast ? [...batch, tester] : batch;
    await store.move(
      tx,
      move,
      accounts.map(({ id }) => id),
    );
    // Sessions of the old issuer end, as at every new link; their owners sign in again at the new address.
    const others = accounts.map(({ id }) => id).filter((id) => id !== callerId);
    const ended = new Map(await sessions.endAllOf(tx, others, reason));
    if (others.length < accounts.length) ended.set(callerId, await sessions.endAll(tx, callerId, reason, sessionId));
    await recordMoved({ tx, outbox }, proof, context, accounts, ended);
    const sessionsEnded = [...ended.values()].reduce((sum, count) => sum + count, 0);
    if (isLast)
      await writeAudit(tx, {
        event: 'admin.issuer.move',
        outcome: 'success',
        actor: callerId,
        userId: callerId,
        client: context.client,
        details: {
          from,
          to,
          accounts: before.accounts + accounts.length,
          sessions_revoked: before.sessions_terminated + sessionsEnded,
        },
      });
    return { accounts: accounts.length, sessions_terminated: sessionsEnded, isLast };
  });
}

async function recordMoved(
  { tx, outbox }: { tx: Tx; outbox: Outbox },
  { from, to }: Proof,
  { caller, client }: RequestContext,
  accounts: readonly LinkedAccount[],
  ended: ReadonlyMap<string, number>,
): Promise<void> {
  const by = { actor: caller.userId, client, outcome: 'success' } as const;
  await tx.auditLog.createMany({
    data: accounts.map(({ id: userId, email: username, subject }) => {
      const sessionsEnded = ended.get(userId) ?? 0;
      const details = { method: 'oidc', subject, issuer: to, earlier_issuer: from, sessions_revoked: sessionsEnded };
      return toAuditRow({ event: 'auth.account.linked', userId, username, details, ...by });
    }),
  });
  await outbox.addAll(
    tx,
    identityEvents.userUpdated,
    accounts.map(({ id: userId, role, isActive: active }) => ({ userId, role: role as Role, active })),
  );
}

export type IssuerMoves = ReturnType<typeof createIssuerMoves>;
