import type { BodyOf, userRoutes } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { canonicalDn, parseDnList } from '@overtone/directory';
import { conflict, forbidden, invalid } from '@overtone/service-kit';
import { isUniqueViolation, type Db, type Tx } from '../database.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { withLockedAccount, publishUserUpdated, type LockedAccounts } from './account-changes.service.ts';
import type { RequestContext } from './rules.ts';
import { usersStore } from './users.store.ts';

type Deps = { db: Db; outbox: Outbox; sessions: Sessions };
type Names = BodyOf<typeof userRoutes.linkCertificate>;

/** Both names are in one index entry. */
const maxNameBytes = 1_200;

/** Links accounts to the certificates of their owners, and removes such links. */
export function createCertificateLinks({ db, outbox, sessions }: Deps) {
  /** A link without an issuer accepts any certificate of the subject, so no other account may have the subject. */
  const checkFree = async (tx: Tx, id: string, subject: string, issuer: string | null): Promise<void> => {
    const others = await tx.user.count({
      where: {
        id: { not: id },
        pkiSubjectDn: subject,
        ...(issuer === null ? {} : { OR: [{ pkiIssuerDn: issuer }, { pkiIssuerDn: null }] }),
      },
    });
    if (others > 0) throw inUse();
  };

  return {
    link: async (id: string, names: Names, context: RequestContext): Promise<void> => {
      const subject = nameOf('subject', names.subject);
      const issuer = names.issuer === null ? null : nameOf('issuer', names.issuer);
      await withLockedAccount(db, { context, targetId: id, needed: 'admin' }, async (tx, accounts) => {
        checkMayLink(accounts);
        await checkFree(tx, id, subject, issuer);
        const user = await usersStore.update(tx, id, { pkiSubjectDn: subject, pkiIssuerDn: issuer });
        await publishUserUpdated(outbox, tx, user);
        await accounts.recordEvent('auth.account.linked', { method: 'pki', subject, issuer: issuer ?? '' });
      }).catch((error: unknown) => {
        throw isUniqueViolation(error) ? inUse() : error;
      });
    },

    unlink: (id: string, context: RequestContext): Promise<void> =>
      withLockedAccount(db, { context, targetId: id, needed: 'admin' }, async (tx, accounts) => {
        checkMayLink(accounts);
        const user = await usersStore.update(tx, id, { pkiSubjectDn: null, pkiIssuerDn: null });
        const ended = await sessions.endAll(tx, id, 'ended_by_administrator');
        await publishUserUpdated(outbox, tx, user);
        await accounts.recordEvent('auth.account.unlinked', { method: 'pki', sessions_revoked: ended });
      }),
  };
}

function inUse() {
  return conflict('certificate_linked', 'Another account is linked to this certificate');
}

function nameOf(path: 'subject' | 'issuer', text: string): string {
  const [dn, ...more] = parseDnList(text).dns;
  const name = dn === undefined || more.length > 0 ? '' : canonicalDn(dn);
  if (name !== '' && Buffer.byteLength(name) <= maxNameBytes) return name;
  const message = 'It must be a distinguished name of at most 1,200 bytes, such as CN=Alice,O=Example.';
  throw invalid('certificate_name_invalid', message, { errors: [{ path, message }] });
}

/** A certificate gives the rights of the account: only a super_admin links one to an administrator. */
function checkMayLink({ actor, target }: LockedAccounts): void {
  if (target.role !== 'user' && actor.role !== 'super_admin')
    throw forbidden('role_required', 'This needs the role super_admin');
}

export type CertificateLinks = ReturnType<typeof createCertificateLinks>;
