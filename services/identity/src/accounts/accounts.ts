import type { UserObject } from '@overtone/contracts';
import type { User } from '../generated/client.ts';

/** An account as a client sees it. */
export function toUserObject(u: User): UserObject {
  return {
    uuid: u.id,
    email: u.email,
    full_name: u.fullName,
    role: u.role as UserObject['role'],
    auth_type: u.authType as UserObject['auth_type'],
    is_active: u.isActive,
    approval_status: u.approvalStatus as UserObject['approval_status'],
    allow_local_fallback: u.allowLocalFallback,
    must_change_password: u.mustChangePassword,
    password_changed_at: u.passwordChangedAt?.toISOString() ?? null,
    account_expires_at: u.accountExpiresAt?.toISOString() ?? null,
    approved_at: u.approvedAt?.toISOString() ?? null,
    ldap_uid: u.ldapUid,
    oidc_subject: u.oidcSubject,
    pki_subject_dn: u.pkiSubjectDn,
    last_login_at: u.lastLoginAt?.toISOString() ?? null,
    created_at: u.createdAt.toISOString(),
    updated_at: u.updatedAt.toISOString(),
  };
}
