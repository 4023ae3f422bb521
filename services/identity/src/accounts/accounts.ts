import type { UserObject } from '@overtone/contracts';
import type { User } from '../generated/client.ts';

/** An account as a client sees it. */
export function toUserObject(user: User): UserObject {
  return {
    uuid: user.id,
    email: user.email,
    full_name: user.fullName,
    role: user.role as UserObject['role'],
    auth_type: user.authType as UserObject['auth_type'],
    is_active: user.isActive,
    approval_status: user.approvalStatus as UserObject['approval_status'],
    allow_local_fallback: user.allowLocalFallback,
    must_change_password: user.mustChangePassword,
    password_changed_at: user.passwordChangedAt?.toISOString() ?? null,
    account_expires_at: user.accountExpiresAt?.toISOString() ?? null,
    approved_at: user.approvedAt?.toISOString() ?? null,
    ldap_uid: user.ldapUid,
    oidc_subject: user.oidcSubject,
    pki_subject_dn: user.pkiSubjectDn,
    last_login_at: user.lastLoginAt?.toISOString() ?? null,
    created_at: user.createdAt.toISOString(),
    updated_at: user.updatedAt.toISOString(),
  };
}
