// Made from the contracts by packages/contracts/src/generate.main.ts.

export interface Routes {
  'POST /api/auth/token': {
    body: {
      username: string;
      password: string;
    };
    answer: Tokens;
  };
  'POST /api/auth/token/refresh': {
    body?:
      | {
          refresh_token?: string | undefined;
        }
      | undefined;
    answer: Tokens;
  };
  'POST /api/auth/logout': {
    body?:
      | {
          refresh_token?: string | undefined;
        }
      | undefined;
    answer: {
      message: string;
    };
  };
  'POST /api/auth/logout/all': {
    answer: {
      message: string;
      sessions_revoked: number;
    };
  };
  'GET /api/auth/sessions': {
    answer: {
      sessions: Session[];
      total: number;
    };
  };
  'DELETE /api/auth/sessions/{uuid}': {
    params: {
      uuid: string;
    };
  };
  'GET /api/auth/methods': {
    answer: {
      methods: ('local' | 'ldap' | 'oidc' | 'pki' | 'proxy')[];
      local_enabled: boolean;
      allow_registration: boolean;
      ldap_enabled: boolean;
      oidc_enabled: boolean;
      pki_enabled: boolean;
      proxy_enabled: boolean;
      oidc_display_name: string;
      keycloak_enabled: boolean;
    };
  };
  'GET /api/auth/oidc/login': {
    answer: {
      authorization_url: string;
    };
  };
  'GET /api/auth/oidc/callback': {
    query: {
      code?: string | undefined;
      state?: string | undefined;
      iss?: string | undefined;
      error?: string | undefined;
      error_description?: string | undefined;
      session_state?: string | undefined;
    };
    answer: Tokens;
  };
  'POST /api/auth/pki/authenticate': {
    answer: Tokens;
  };
  'POST /api/auth/proxy/authenticate': {
    answer: Tokens;
  };
  'GET /api/users/me': {
    answer: User;
  };
  'PUT /api/users/me': {
    body: {
      full_name?: string | undefined;
      current_password?: string | undefined;
      password?: string | undefined;
    };
    answer: User;
  };
  'GET /api/admin/auth-config': {
    answer: {
      local: AuthSetting[];
      ldap: AuthSetting[];
      oidc: AuthSetting[];
      pki: AuthSetting[];
      proxy: AuthSetting[];
      session: AuthSetting[];
      password_policy: AuthSetting[];
      lockout: AuthSetting[];
    };
  };
  'GET /api/admin/auth-config/status': {
    answer: {
      local_enabled: boolean;
      ldap_enabled: boolean;
      oidc_enabled: boolean;
      pki_enabled: boolean;
      proxy_enabled: boolean;
      password_policy_enabled: boolean;
      account_lockout_enabled: boolean;
      unreadable: string[];
    };
  };
  'GET /api/admin/auth-config/audit/{category}': {
    params: {
      category: 'local' | 'ldap' | 'oidc' | 'pki' | 'proxy' | 'session' | 'password_policy' | 'lockout';
    };
    query: {
      limit?: number | undefined;
      offset?: number | undefined;
    };
    answer: {
      uuid: string;
      config_key: string;
      old_value: boolean | number | string | null;
      new_value: boolean | number | string | null;
      change_type: 'create' | 'update' | 'delete';
      changed_by: string | null;
      ip_address: string | null;
      user_agent: string | null;
      created_at: string;
    }[];
  };
  'POST /api/admin/auth-config/migrate': {
    answer: {
      success: true;
      migrated_count: number;
      message: string;
    };
  };
  'GET /api/admin/auth-config/{category}': {
    params: {
      category: 'local' | 'ldap' | 'oidc' | 'pki' | 'proxy' | 'session' | 'password_policy' | 'lockout';
    };
    answer: {
      [k: string]: boolean | number | string | null;
    };
  };
  'PUT /api/admin/auth-config/{category}': {
    params: {
      category: 'local' | 'ldap' | 'oidc' | 'pki' | 'proxy' | 'session' | 'password_policy' | 'lockout';
    };
    body: {
      [k: string]: boolean | number | string | null;
    };
    answer: {
      success: true;
      message: string;
      updated_count: number;
      updated_keys: string[];
      warnings: string[];
      remaining_sessions: {
        accounts: number;
        sessions: number;
      } | null;
    };
  };
  'GET /api/admin/auth-config/{category}/sessions': {
    params: {
      category: 'ldap' | 'oidc' | 'pki' | 'proxy';
    };
    answer: {
      accounts: number;
      sessions: number;
      enabled: boolean;
    };
  };
  'DELETE /api/admin/auth-config/{category}/sessions': {
    params: {
      category: 'ldap' | 'oidc' | 'pki' | 'proxy';
    };
    answer: {
      success: true;
      accounts: number;
      sessions_terminated: number;
    };
  };
  'POST /api/admin/auth-config/{category}/test': {
    params: {
      category: 'ldap' | 'oidc' | 'pki';
    };
    body: {
      [k: string]: boolean | number | string | null;
    };
    answer: {
      success: boolean;
      message: string;
      steps: {
        code: string;
        title: string;
        ok: boolean;
        duration_ms: number;
        evidence: string;
        advice: string;
      }[];
      details: {
        [k: string]: unknown;
      };
    };
  };
  'GET /api/admin/auth-config/oidc/issuers': {
    answer: {
      current: string;
      issuers: {
        issuer: string;
        accounts: number;
        super_admins: number;
        is_current: boolean;
      }[];
    };
  };
  'POST /api/admin/auth-config/oidc/issuers/test': {
    body: {
      from: string;
    };
    answer: {
      authorization_url: string;
    };
  };
  'POST /api/admin/auth-config/oidc/issuers/test/callback': {
    body: {
      code?: string | undefined;
      state?: string | undefined;
      iss?: string | undefined;
      error?: string | undefined;
    };
    answer: {
      proof: string;
      from: string;
      to: string;
      tester: {
        uuid: string;
        email: string;
      };
      accounts: number;
      left: {
        uuid: string;
        email: string;
        reason: 'subject_taken' | 'super_admin';
        taken_by: string | null;
      }[];
      left_total: number;
    };
  };
  'POST /api/admin/auth-config/oidc/issuers/move': {
    body: {
      proof: string;
      confirm_issuer: string;
      accounts: number;
    };
    answer: {
      accounts: number;
      sessions_terminated: number;
    };
  };
  'GET /api/admin/users': {
    query: {
      page?: number | undefined;
      page_size?: number | undefined;
      q?: string | undefined;
      role?: ('user' | 'admin' | 'super_admin') | undefined;
      auth_type?: ('local' | 'ldap' | 'oidc' | 'pki' | 'proxy') | undefined;
      is_active?: ('true' | 'false') | undefined;
      approval_status?: ('approved' | 'pending' | 'rejected') | undefined;
      locked?: ('true' | 'false') | undefined;
      sort_by?: ('full_name' | 'email' | 'created_at' | 'last_login_at') | undefined;
      sort_order?: ('asc' | 'desc') | undefined;
    };
    answer: {
      items: Account[];
      total: number;
      page: number;
      page_size: number;
    };
  };
  'POST /api/admin/users': {
    body: {
      email: string;
      full_name?: string | undefined;
      password?: string | undefined;
      role?: ('user' | 'admin' | 'super_admin') | undefined;
      auth_type?: ('local' | 'ldap' | 'oidc' | 'pki' | 'proxy') | undefined;
      must_change_password?: boolean | undefined;
      invite?: boolean | undefined;
    };
    answer: {
      uuid: string;
      email: string;
      full_name: string;
      role: 'user' | 'admin' | 'super_admin';
      auth_type: 'local' | 'ldap' | 'oidc' | 'pki' | 'proxy';
      is_active: boolean;
      approval_status: 'approved' | 'pending' | 'rejected';
      allow_local_fallback: boolean;
      must_change_password: boolean;
      password_changed_at: string | null;
      account_expires_at: string | null;
      approved_at: string | null;
      ldap_uid: string | null;
      oidc_subject: string | null;
      pki_subject_dn: string | null;
      last_login_at: string | null;
      created_at: string;
      updated_at: string;
      locked_until: string | null;
      disabled_by: ('administrator' | 'directory') | null;
      pki_issuer_dn: string | null;
      invited_until: string | null;
      groups: {
        uuid: string;
        name: string;
      }[];
      invitation: {
        token: string;
        expires_at: string;
      } | null;
    };
  };
  'GET /api/users/search': {
    query: {
      q: string;
    };
    answer: {
      uuid: string;
      full_name: string;
      email: string;
    }[];
  };
  'GET /api/users/{uuid}': {
    params: {
      uuid: string;
    };
    answer: Account;
  };
  'PUT /api/users/{uuid}': {
    params: {
      uuid: string;
    };
    body: {
      email?: string | undefined;
      full_name?: string | undefined;
      is_active?: boolean | undefined;
      allow_local_fallback?: boolean | undefined;
      account_expires_at?: (string | null) | undefined;
      must_change_password?: boolean | undefined;
    };
    answer: Account;
  };
  'DELETE /api/users/{uuid}': {
    params: {
      uuid: string;
    };
  };
  'PUT /api/admin/users/{uuid}/role': {
    params: {
      uuid: string;
    };
    query: {
      new_role: 'user' | 'admin' | 'super_admin';
    };
    answer: {
      success: true;
      old_role: 'user' | 'admin' | 'super_admin';
      new_role: 'user' | 'admin' | 'super_admin';
    };
  };
  'POST /api/admin/users/{uuid}/reset-password': {
    params: {
      uuid: string;
    };
    body: {
      new_password: string;
      force_change?: boolean | undefined;
    };
    answer: {
      success: true;
      sessions_terminated: number;
    };
  };
  'POST /api/admin/users/{uuid}/invitation': {
    params: {
      uuid: string;
    };
    answer: {
      token: string;
      expires_at: string;
    };
  };
  'DELETE /api/admin/users/{uuid}/invitation': {
    params: {
      uuid: string;
    };
  };
  'POST /api/admin/users/{uuid}/unlock': {
    params: {
      uuid: string;
    };
    answer: {
      success: true;
      was_locked: boolean;
    };
  };
  'PUT /api/admin/users/{uuid}/certificate': {
    params: {
      uuid: string;
    };
    body: {
      subject: string;
      issuer: string | null;
    };
    answer: Account;
  };
  'DELETE /api/admin/users/{uuid}/certificate': {
    params: {
      uuid: string;
    };
  };
  'GET /api/admin/users/{uuid}/sessions': {
    params: {
      uuid: string;
    };
    answer: {
      sessions: Session[];
      total: number;
    };
  };
  'DELETE /api/admin/users/{uuid}/sessions': {
    params: {
      uuid: string;
    };
    answer: {
      success: true;
      sessions_terminated: number;
    };
  };
  'DELETE /api/admin/users/{uuid}/sessions/{session_uuid}': {
    params: {
      uuid: string;
      session_uuid: string;
    };
  };
  'POST /api/auth/register': {
    body: {
      email: string;
      password: string;
      full_name?: string | undefined;
    };
    answer: {
      message: string;
    };
  };
  'POST /api/auth/invitation': {
    body: {
      token: string;
    };
    answer: {
      email: string;
      full_name: string;
      expires_at: string;
    };
  };
  'POST /api/auth/invitation/accept': {
    body: {
      token: string;
      password: string;
    };
    answer: {
      email: string;
    };
  };
  'GET /api/auth/password-policy': {
    answer: {
      enabled: boolean;
      min_length: number;
      require_uppercase: boolean;
      require_lowercase: boolean;
      require_digit: boolean;
      require_special: boolean;
      history_count: number;
      max_age_days: number;
    };
  };
  'GET /api/admin/user-approvals': {
    query: {
      page?: number | undefined;
      page_size?: number | undefined;
    };
    answer: {
      items: Account[];
      total: number;
      page: number;
      page_size: number;
    };
  };
  'POST /api/admin/user-approvals/{uuid}/approve': {
    params: {
      uuid: string;
    };
    answer: {
      uuid: string;
      email: string;
      approval_status: 'approved' | 'pending' | 'rejected';
      approved_at: string | null;
      approved_by: string | null;
    };
  };
  'POST /api/admin/user-approvals/{uuid}/reject': {
    params: {
      uuid: string;
    };
    body?:
      | {
          reason?: string | undefined;
        }
      | undefined;
    answer: {
      uuid: string;
      email: string;
      approval_status: 'approved' | 'pending' | 'rejected';
      approved_at: string | null;
      approved_by: string | null;
    };
  };
  'GET /api/admin/users/{uuid}/erasure': {
    params: {
      uuid: string;
    };
    answer: {
      user_uuid: string;
      email: string;
      erases: {
        [k: string]: number;
      };
      bytes: number;
      blockers: {
        code: 'last_super_admin' | 'own_account' | 'legal_hold' | 'only_manager' | 'already_ordered';
        detail: string;
      }[];
      remains: ('audit_records' | 'backups' | 'earlier_mirrors' | 'mentions')[];
    };
  };
  'POST /api/admin/users/{uuid}/erasure': {
    params: {
      uuid: string;
    };
    body: {
      confirm_email: string;
    };
    answer: {
      uuid: string;
      status: 'running' | 'held' | 'done';
      round: number;
      ordered_at: string;
      ordered_by: string;
      sent_at: string;
      finished_at: string | null;
      subject_hash: string;
      address_hash: string;
      key_id: string;
      services: {
        service:
          | 'identity'
          | 'media'
          | 'search-indexer'
          | 'transcription-dispatcher'
          | 'directory-sync'
          | 'operations'
          | 'insights';
        status: 'pending' | 'held' | 'done';
        counts: {
          [k: string]: number;
        };
        held: number;
        reported_at: string | null;
      }[];
      rounds: {
        round: number;
        counts: {
          [k: string]: number;
        };
        finished_at: string | null;
      }[];
      object_hashes: number;
    };
  };
  'GET /api/admin/erasures': {
    query: {
      page?: number | undefined;
      page_size?: number | undefined;
    };
    answer: {
      items: {
        uuid: string;
        status: 'running' | 'held' | 'done';
        round: number;
        ordered_at: string;
        ordered_by: string;
        sent_at: string;
        finished_at: string | null;
        subject_hash: string;
        address_hash: string;
        key_id: string;
        services: {
          service:
            | 'identity'
            | 'media'
            | 'search-indexer'
            | 'transcription-dispatcher'
            | 'directory-sync'
            | 'operations'
            | 'insights';
          status: 'pending' | 'held' | 'done';
          counts: {
            [k: string]: number;
          };
          held: number;
          reported_at: string | null;
        }[];
        rounds: {
          round: number;
          counts: {
            [k: string]: number;
          };
          finished_at: string | null;
        }[];
        object_hashes: number;
      }[];
      total: number;
      page: number;
      page_size: number;
    };
  };
  'POST /api/admin/erasures/find': {
    body: {
      email: string;
    };
    answer: {
      uuid: string;
      status: 'running' | 'held' | 'done';
      round: number;
      ordered_at: string;
      ordered_by: string;
      sent_at: string;
      finished_at: string | null;
      subject_hash: string;
      address_hash: string;
      key_id: string;
      services: {
        service:
          | 'identity'
          | 'media'
          | 'search-indexer'
          | 'transcription-dispatcher'
          | 'directory-sync'
          | 'operations'
          | 'insights';
        status: 'pending' | 'held' | 'done';
        counts: {
          [k: string]: number;
        };
        held: number;
        reported_at: string | null;
      }[];
      rounds: {
        round: number;
        counts: {
          [k: string]: number;
        };
        finished_at: string | null;
      }[];
      object_hashes: number;
    }[];
  };
  'GET /api/admin/erasures/{uuid}/objects': {
    params: {
      uuid: string;
    };
    query: {
      page?: number | undefined;
      page_size?: number | undefined;
    };
    answer: {
      items: {
        sha256: string;
        round: number;
      }[];
      total: number;
      page: number;
      page_size: number;
    };
  };
  'POST /api/admin/erasures/{uuid}/retry': {
    params: {
      uuid: string;
    };
    answer: {
      uuid: string;
      status: 'running' | 'held' | 'done';
      round: number;
      ordered_at: string;
      ordered_by: string;
      sent_at: string;
      finished_at: string | null;
      subject_hash: string;
      address_hash: string;
      key_id: string;
      services: {
        service:
          | 'identity'
          | 'media'
          | 'search-indexer'
          | 'transcription-dispatcher'
          | 'directory-sync'
          | 'operations'
          | 'insights';
        status: 'pending' | 'held' | 'done';
        counts: {
          [k: string]: number;
        };
        held: number;
        reported_at: string | null;
      }[];
      rounds: {
        round: number;
        counts: {
          [k: string]: number;
        };
        finished_at: string | null;
      }[];
      object_hashes: number;
    };
  };
  'GET /api/admin/audit-logs': {
    query: {
      start_date?: string | undefined;
      end_date?: string | undefined;
      event_type?: string | undefined;
      outcome?: ('success' | 'failure' | 'partial') | undefined;
      error_code?: string | undefined;
      user_id?: string | undefined;
      q?: string | undefined;
      page?: number | undefined;
      page_size?: number | undefined;
    };
    answer: {
      items: AuditRecord[];
      total: number;
      page: number;
      page_size: number;
    };
  };
  'GET /api/admin/audit-logs/export': {
    query: {
      start_date?: string | undefined;
      end_date?: string | undefined;
      event_type?: string | undefined;
      outcome?: ('success' | 'failure' | 'partial') | undefined;
      error_code?: string | undefined;
      user_id?: string | undefined;
      q?: string | undefined;
      export_format?: ('csv' | 'json') | undefined;
    };
    answer: AuditRecord[];
  };
  'GET /api/admin/sign-in/explanation': {
    query: {
      login: string;
    };
    answer: {
      login: string;
      as_of: string;
      verdict: 'admitted' | 'admin' | 'disabled' | 'refused' | 'unknown';
      reason: string;
      account: {
        uuid: string;
        email: string;
        ldap_uid: string | null;
        auth_type: string;
        role: 'user' | 'admin' | 'super_admin';
        is_active: boolean;
      } | null;
      evidence: {
        [k: string]: string;
      };
      refusals: {
        at: string;
        code: string;
        reason: string;
        detail: string | null;
        method: string | null;
        source_ip: string | null;
      }[];
    };
  };
  'GET /api/notifications': {
    query: {
      page?: number | undefined;
      page_size?: number | undefined;
    };
    answer: {
      items: {
        uuid: string;
        kind:
          | 'file_shared'
          | 'collection_shared'
          | 'file_edited'
          | 'mentioned'
          | 'commented'
          | 'transcription_completed'
          | 'transcription_without_speech'
          | 'transcription_failed'
          | 'sync_run_held'
          | 'backup_failed'
          | 'mirror_failed';
        created_at: string;
        read: boolean;
        actor: {
          uuid: string;
          name: string;
        } | null;
        subject_uuid: string;
        subject_name: string | null;
      }[];
      total: number;
      page: number;
      page_size: number;
    };
  };
  'GET /api/notifications/unread': {
    answer: {
      unread: number;
    };
  };
  'POST /api/notifications/read': {
    body?:
      | {
          uuids?: string[] | undefined;
        }
      | undefined;
    answer: {
      unread: number;
    };
  };
  'GET /api/groups': {
    query: {
      q?: string | undefined;
    };
    answer: Group[];
  };
  'POST /api/groups': {
    body: {
      name: string;
      description?: string | undefined;
    };
    answer: GroupDetail;
  };
  'GET /api/groups/{uuid}': {
    params: {
      uuid: string;
    };
    answer: GroupDetail;
  };
  'PUT /api/groups/{uuid}': {
    params: {
      uuid: string;
    };
    body: {
      name?: string | undefined;
      description?: string | undefined;
    };
    answer: GroupDetail;
  };
  'DELETE /api/groups/{uuid}': {
    params: {
      uuid: string;
    };
  };
  'POST /api/groups/{uuid}/members': {
    params: {
      uuid: string;
    };
    body: {
      user_uuid: string;
      role?: ('member' | 'manager') | undefined;
    };
    answer: {
      user_id: string;
      email: string;
      full_name: string;
      role: 'member' | 'manager';
      source: 'manual' | 'ldap' | 'oidc' | 'proxy';
      added_at: string;
    };
  };
  'PUT /api/groups/{uuid}/members/{user_uuid}': {
    params: {
      uuid: string;
      user_uuid: string;
    };
    body: {
      role: 'member' | 'manager';
    };
    answer: {
      user_id: string;
      email: string;
      full_name: string;
      role: 'member' | 'manager';
      source: 'manual' | 'ldap' | 'oidc' | 'proxy';
      added_at: string;
    };
  };
  'DELETE /api/groups/{uuid}/members/{user_uuid}': {
    params: {
      uuid: string;
      user_uuid: string;
    };
  };
  'GET /api/admin/group-mappings': {
    query: {
      source?: ('ldap' | 'oidc' | 'proxy') | undefined;
    };
    answer: GroupMapping[];
  };
  'POST /api/admin/group-mappings': {
    body: {
      source: 'ldap' | 'oidc' | 'proxy';
      claim_value: string;
      group_uuid?: (string | null) | undefined;
      grants_role?: (string | null) | undefined;
      description?: (string | null) | undefined;
    };
    answer: GroupMapping;
  };
  'PUT /api/admin/group-mappings/{uuid}': {
    params: {
      uuid: string;
    };
    body: {
      source?: ('ldap' | 'oidc' | 'proxy') | undefined;
      claim_value?: string | undefined;
      group_uuid?: (string | null) | undefined;
      grants_role?: (string | null) | undefined;
      description?: (string | null) | undefined;
    };
    answer: GroupMapping;
  };
  'DELETE /api/admin/group-mappings/{uuid}': {
    params: {
      uuid: string;
    };
  };
  'POST /api/admin/group-mappings/test': {
    body: {
      source: 'ldap' | 'oidc' | 'proxy';
      claim_values?: string[] | undefined;
      username?: string | undefined;
    };
    answer: {
      source: 'ldap' | 'oidc' | 'proxy';
      claim_values: string[];
      matched_claims: string[];
      unmatched_claims: string[];
      groups: {
        uuid: string;
        name: string;
      }[];
      grants_role: ('user' | 'admin') | null;
      legacy_admin: boolean;
      effective_role: 'user' | 'admin';
    };
  };
  'GET /api/admin/directory-sync': {
    answer: {
      enabled: boolean;
      schedule: string;
      dry_run: boolean;
      max_disables_per_run: number;
      max_disable_percent: number | null;
      last_run_at: string | null;
      last_result: {
        pass_uuid: string;
        status: 'running' | 'ok' | 'held' | 'directory_unavailable' | 'disabled' | 'failed';
        error: string | null;
        dry_run: boolean;
        trigger: 'schedule' | 'manual' | 'approval';
        checked: number;
        seen: number;
        candidates: number;
        disabled: number;
        undone: number;
        would_disable: number;
        deferred: number;
        capped: boolean;
        max_disables_per_run: number;
        actions: {
          user_uuid: string;
          email: string;
          ldap_uid: string | null;
          reason: 'absent_from_directory' | 'disabled_in_directory' | 'no_longer_in_required_groups';
          outcome:
            'disabled' | 'would_disable' | 'deferred' | 'held' | 'replication_pending' | 'changed_meanwhile' | 'undone';
          applied: boolean;
          sessions_revoked?: number | undefined;
          evidence: {
            [k: string]: string;
          };
        }[];
        reconciled: number;
        reconciliations: {
          user_uuid: string;
          email: string;
          role_from?: ('user' | 'admin' | 'super_admin') | undefined;
          role_to?: ('user' | 'admin' | 'super_admin') | undefined;
          groups_added: string[];
          groups_removed: string[];
          applied: boolean;
          error?: string | undefined;
        }[];
        eligible_for_reactivation: {
          user_uuid: string;
          email: string;
        }[];
        ldap_requests: number;
        proof: {
          code: string;
          evidence: string;
        }[];
        set_digest: string | null;
        approved_at: string | null;
        started_at: string;
        finished_at: string | null;
        duration_s: number | null;
      } | null;
    };
  };
  'PUT /api/admin/directory-sync': {
    body: {
      enabled?: boolean | undefined;
      schedule?: string | undefined;
      dry_run?: boolean | undefined;
      max_disables_per_run?: number | undefined;
      max_disable_percent?: (number | null) | undefined;
    };
    answer: {
      enabled: boolean;
      schedule: string;
      dry_run: boolean;
      max_disables_per_run: number;
      max_disable_percent: number | null;
      last_run_at: string | null;
      last_result: {
        pass_uuid: string;
        status: 'running' | 'ok' | 'held' | 'directory_unavailable' | 'disabled' | 'failed';
        error: string | null;
        dry_run: boolean;
        trigger: 'schedule' | 'manual' | 'approval';
        checked: number;
        seen: number;
        candidates: number;
        disabled: number;
        undone: number;
        would_disable: number;
        deferred: number;
        capped: boolean;
        max_disables_per_run: number;
        actions: {
          user_uuid: string;
          email: string;
          ldap_uid: string | null;
          reason: 'absent_from_directory' | 'disabled_in_directory' | 'no_longer_in_required_groups';
          outcome:
            'disabled' | 'would_disable' | 'deferred' | 'held' | 'replication_pending' | 'changed_meanwhile' | 'undone';
          applied: boolean;
          sessions_revoked?: number | undefined;
          evidence: {
            [k: string]: string;
          };
        }[];
        reconciled: number;
        reconciliations: {
          user_uuid: string;
          email: string;
          role_from?: ('user' | 'admin' | 'super_admin') | undefined;
          role_to?: ('user' | 'admin' | 'super_admin') | undefined;
          groups_added: string[];
          groups_removed: string[];
          applied: boolean;
          error?: string | undefined;
        }[];
        eligible_for_reactivation: {
          user_uuid: string;
          email: string;
        }[];
        ldap_requests: number;
        proof: {
          code: string;
          evidence: string;
        }[];
        set_digest: string | null;
        approved_at: string | null;
        started_at: string;
        finished_at: string | null;
        duration_s: number | null;
      } | null;
    };
  };
  'GET /api/admin/directory-sync/status': {
    answer: {
      enabled: boolean;
      schedule: string;
      dry_run: boolean;
      max_disables_per_run: number;
      max_disable_percent: number | null;
      last_run_at: string | null;
      last_result: {
        pass_uuid: string;
        status: 'running' | 'ok' | 'held' | 'directory_unavailable' | 'disabled' | 'failed';
        error: string | null;
        dry_run: boolean;
        trigger: 'schedule' | 'manual' | 'approval';
        checked: number;
        seen: number;
        candidates: number;
        disabled: number;
        undone: number;
        would_disable: number;
        deferred: number;
        capped: boolean;
        max_disables_per_run: number;
        actions: {
          user_uuid: string;
          email: string;
          ldap_uid: string | null;
          reason: 'absent_from_directory' | 'disabled_in_directory' | 'no_longer_in_required_groups';
          outcome:
            'disabled' | 'would_disable' | 'deferred' | 'held' | 'replication_pending' | 'changed_meanwhile' | 'undone';
          applied: boolean;
          sessions_revoked?: number | undefined;
          evidence: {
            [k: string]: string;
          };
        }[];
        reconciled: number;
        reconciliations: {
          user_uuid: string;
          email: string;
          role_from?: ('user' | 'admin' | 'super_admin') | undefined;
          role_to?: ('user' | 'admin' | 'super_admin') | undefined;
          groups_added: string[];
          groups_removed: string[];
          applied: boolean;
          error?: string | undefined;
        }[];
        eligible_for_reactivation: {
          user_uuid: string;
          email: string;
        }[];
        ldap_requests: number;
        proof: {
          code: string;
          evidence: string;
        }[];
        set_digest: string | null;
        approved_at: string | null;
        started_at: string;
        finished_at: string | null;
        duration_s: number | null;
      } | null;
      next_due: boolean;
      next_runs: string[];
      running: {
        pass_uuid: string;
        phase: 'snapshot' | 'plan' | 'witness' | 'apply';
        done: number;
        total: number | null;
        dry_run: boolean;
        started_at: string;
      } | null;
    };
  };
  'POST /api/admin/directory-sync/run': {
    body?:
      | {
          dry_run?: true | undefined;
        }
      | undefined;
    answer: {
      task_id: string;
      status: 'queued';
      message: string;
    };
  };
  'GET /api/admin/directory-sync/passes': {
    query: {
      page?: number | undefined;
      page_size?: number | undefined;
    };
    answer: {
      items: {
        pass_uuid: string;
        status: 'running' | 'ok' | 'held' | 'directory_unavailable' | 'disabled' | 'failed';
        error: string | null;
        dry_run: boolean;
        trigger: 'schedule' | 'manual' | 'approval';
        checked: number;
        seen: number;
        candidates: number;
        disabled: number;
        undone: number;
        would_disable: number;
        deferred: number;
        capped: boolean;
        max_disables_per_run: number;
        reconciled: number;
        ldap_requests: number;
        set_digest: string | null;
        approved_at: string | null;
        started_at: string;
        finished_at: string | null;
        duration_s: number | null;
      }[];
      total: number;
      page: number;
      page_size: number;
    };
  };
  'GET /api/admin/directory-sync/passes/{uuid}': {
    params: {
      uuid: string;
    };
    answer: {
      pass_uuid: string;
      status: 'running' | 'ok' | 'held' | 'directory_unavailable' | 'disabled' | 'failed';
      error: string | null;
      dry_run: boolean;
      trigger: 'schedule' | 'manual' | 'approval';
      checked: number;
      seen: number;
      candidates: number;
      disabled: number;
      undone: number;
      would_disable: number;
      deferred: number;
      capped: boolean;
      max_disables_per_run: number;
      actions: {
        user_uuid: string;
        email: string;
        ldap_uid: string | null;
        reason: 'absent_from_directory' | 'disabled_in_directory' | 'no_longer_in_required_groups';
        outcome:
          'disabled' | 'would_disable' | 'deferred' | 'held' | 'replication_pending' | 'changed_meanwhile' | 'undone';
        applied: boolean;
        sessions_revoked?: number | undefined;
        evidence: {
          [k: string]: string;
        };
      }[];
      reconciled: number;
      reconciliations: {
        user_uuid: string;
        email: string;
        role_from?: ('user' | 'admin' | 'super_admin') | undefined;
        role_to?: ('user' | 'admin' | 'super_admin') | undefined;
        groups_added: string[];
        groups_removed: string[];
        applied: boolean;
        error?: string | undefined;
      }[];
      eligible_for_reactivation: {
        user_uuid: string;
        email: string;
      }[];
      ldap_requests: number;
      proof: {
        code: string;
        evidence: string;
      }[];
      set_digest: string | null;
      approved_at: string | null;
      started_at: string;
      finished_at: string | null;
      duration_s: number | null;
    };
  };
  'POST /api/admin/directory-sync/passes/{uuid}/approve': {
    params: {
      uuid: string;
    };
    body: {
      set_digest: string;
    };
    answer: {
      task_id: string;
      status: 'queued';
      message: string;
    };
  };
  'POST /api/admin/directory-sync/passes/{uuid}/undo': {
    params: {
      uuid: string;
    };
    answer: {
      restored: number;
      left: {
        user_uuid: string;
        email: string;
        why: string;
      }[];
    };
  };
  'GET /api/admin/directory-sync/users/{uuid}': {
    params: {
      uuid: string;
    };
    answer: {
      pass_uuid: string;
      at: string;
      dry_run: boolean;
      decision: string;
      reason: string | null;
      evidence: {
        [k: string]: string;
      };
    }[];
  };
  'POST /api/files': {
    answer: File;
  };
  'GET /api/files': {
    query: {
      page?: number | undefined;
      page_size?: number | undefined;
      ownership?: ('mine' | 'shared' | 'all') | undefined;
      search?: string | undefined;
      status?:
        | (
            | 'pending'
            | 'uploaded'
            | 'queued'
            | 'downloading'
            | 'processing'
            | 'transcribing'
            | 'completed'
            | 'error'
            | 'cancelling'
            | 'cancelled'
            | 'orphaned'
            | 'quarantined'
          )[]
        | undefined;
      tag?: string[] | undefined;
      file_type?: ('audio' | 'video')[] | undefined;
      date_of?: ('upload' | 'recording') | undefined;
      from_date?: string | undefined;
      to_date?: string | undefined;
      min_duration?: number | undefined;
      max_duration?: number | undefined;
      sort_by?: ('upload_time' | 'recorded_date' | 'completed_at' | 'title' | 'duration' | 'file_size') | undefined;
      sort_order?: ('asc' | 'desc') | undefined;
      collection?: string | undefined;
    };
    answer: {
      items: File[];
      total: number;
      page: number;
      page_size: number;
    };
  };
  'GET /api/files/upload-limits': {
    answer: {
      max_bytes: number;
      accept: string[];
      max_open_uploads: number;
      max_reserved_bytes: number;
      languages: string[] | null;
      bin_days: number;
      translates: boolean | null;
      providers: {
        id: string;
        name: string;
      }[];
    };
  };
  'GET /api/admin/storage': {
    answer: {
      space: {
        free_bytes: number;
        total_bytes: number;
        reserve_bytes: number;
      } | null;
    };
  };
  'GET /api/files/recordings': {
    answer: {
      items: {
        upload_id: string;
        title: string;
        received_bytes: number;
        started_at: string;
        active_at: string;
        is_active: boolean;
        finishes_at: string;
      }[];
    };
  };
  'POST /api/files/recordings/{upload_id}/finish': {
    params: {
      upload_id: string;
    };
    answer: File;
  };
  'OPTIONS /api/files/tus': {};
  'POST /api/files/tus': {};
  'HEAD /api/files/tus/{upload_id}': {
    params: {
      upload_id: string;
    };
  };
  'PATCH /api/files/tus/{upload_id}': {
    params: {
      upload_id: string;
    };
  };
  'DELETE /api/files/tus/{upload_id}': {
    params: {
      upload_id: string;
    };
  };
  'POST /api/files/import-url': {
    body: {
      title?: string | undefined;
      language?: string | undefined;
      min_speakers?: number | undefined;
      max_speakers?: number | undefined;
      task?: ('transcribe' | 'translate') | undefined;
      asr_provider?: string | undefined;
      recorded_date?: string | undefined;
      speakers_by?: ('voice' | 'track') | undefined;
      allow_duplicate?: ('true' | 'false') | undefined;
      url: string;
    };
    answer: File;
  };
  'GET /api/files/bin': {
    query: {
      page?: number | undefined;
      page_size?: number | undefined;
      ownership?: ('mine' | 'all') | undefined;
    };
    answer: {
      items: {
        uuid: string;
        filename: string;
        title: string;
        user_id: string;
        owner_name: string | null;
        my_permission: 'owner' | 'viewer' | 'editor';
        status:
          | 'pending'
          | 'uploaded'
          | 'queued'
          | 'downloading'
          | 'processing'
          | 'transcribing'
          | 'completed'
          | 'error'
          | 'cancelling'
          | 'cancelled'
          | 'orphaned'
          | 'quarantined';
        quarantine: {
          reason: string;
          since: string | null;
        } | null;
        display_status: string;
        stage: ('prepare' | 'transcribe' | 'diarize' | 'assemble' | 'index') | null;
        next_stage: ('prepare' | 'transcribe' | 'diarize' | 'assemble' | 'index') | null;
        waiting_for: ('engine' | 'worker' | 'paused') | null;
        content_type: string;
        file_size: number | null;
        file_hash: string | null;
        source_url: string | null;
        duration: number | null;
        language: string | null;
        upload_time: string;
        recorded_date: string | null;
        completed_at: string | null;
        has_media: boolean;
        recording_removed_at: string | null;
        has_video: boolean;
        has_thumbnail: boolean;
        has_waveform: boolean;
        engine: {
          provider: 'faster-whisper' | 'sherpa-onnx' | 'openai-compatible' | 'pocketsphinx' | 'scripted' | 'import';
          model: string;
          timing: 'engine' | 'estimated';
        } | null;
        diarization_provider: string | null;
        speaker_count: number;
        transcript_version: number;
        is_shared: boolean;
        last_edited_at: string | null;
        last_edited_by: string | null;
        last_edited_by_name: string | null;
        no_speech: boolean;
        warnings: string[];
        error: {
          code: string;
          message: string;
          what_to_do: string;
          retryable: boolean;
          duplicate_file_uuid?: string | undefined;
        } | null;
        deleted_at: string;
        purge_at: string;
        deleted_by: string | null;
        deleted_by_name: string | null;
      }[];
      total: number;
      page: number;
      page_size: number;
    };
  };
  'POST /api/files/{uuid}/restore': {
    params: {
      uuid: string;
    };
    answer: File;
  };
  'DELETE /api/files/bin/{uuid}': {
    params: {
      uuid: string;
    };
  };
  'POST /api/files/bulk': {
    body:
      | {
          action: 'add_tags';
          file_uuids: string[];
          tags: string[];
        }
      | {
          action: 'remove_tags';
          file_uuids: string[];
          tags: string[];
        }
      | {
          action: 'share';
          file_uuids: string[];
          group_uuid?: string | undefined;
          user_uuid?: string | undefined;
          permission?: ('viewer' | 'editor') | undefined;
        }
      | {
          action: 'delete';
          file_uuids: string[];
        }
      | {
          action: 'restore';
          file_uuids: string[];
        }
      | {
          action: 'delete_permanently';
          file_uuids: string[];
        }
      | {
          action: 'reprocess';
          file_uuids: string[];
          language?: (string | null) | undefined;
          min_speakers?: number | undefined;
          max_speakers?: number | undefined;
          speakers_by?: ('voice' | 'track') | undefined;
        };
    answer: {
      results: {
        file_uuid: string;
        error: {
          code: string;
          message: string;
        } | null;
      }[];
    };
  };
  'GET /api/files/{uuid}': {
    params: {
      uuid: string;
    };
    query: {
      segment_limit?: number | undefined;
      segment_offset?: number | undefined;
    };
    answer: FileDetail;
  };
  'PUT /api/files/{uuid}': {
    params: {
      uuid: string;
    };
    body: {
      title?: string | undefined;
      recorded_date?: (string | null) | undefined;
    };
    answer: File;
  };
  'DELETE /api/files/{uuid}': {
    params: {
      uuid: string;
    };
  };
  'GET /api/files/{uuid}/segments': {
    params: {
      uuid: string;
    };
    query: {
      segment_limit?: number | undefined;
      segment_offset?: number | undefined;
      words?: ('true' | 'false') | undefined;
    };
    answer: {
      transcript_segments: Segment[];
      total_segments: number;
      transcript_version: number;
    };
  };
  'POST /api/files/{uuid}/reprocess': {
    params: {
      uuid: string;
    };
    body?:
      | {
          language?: (string | null) | undefined;
          min_speakers?: number | undefined;
          max_speakers?: number | undefined;
          tracks?: (number[] | null) | undefined;
          speakers_by?: ('voice' | 'track') | undefined;
        }
      | undefined;
    answer: File;
  };
  'POST /api/files/{uuid}/cancel': {
    params: {
      uuid: string;
    };
    answer: File;
  };
  'POST /api/admin/files/{uuid}/quarantine': {
    params: {
      uuid: string;
    };
    body: {
      reason: string;
    };
    answer: File;
  };
  'DELETE /api/admin/files/{uuid}/quarantine': {
    params: {
      uuid: string;
    };
    answer: File;
  };
  'GET /api/files/{uuid}/shares': {
    params: {
      uuid: string;
    };
    answer: {
      uuid: string;
      group_uuid: string | null;
      user_uuid: string | null;
      user_name: string | null;
      permission: 'viewer' | 'editor';
      shared_by: string;
      created_at: string;
    }[];
  };
  'PUT /api/files/{uuid}/shares': {
    params: {
      uuid: string;
    };
    body: {
      group_uuid?: string | undefined;
      user_uuid?: string | undefined;
      permission?: ('viewer' | 'editor') | undefined;
    };
    answer: {
      uuid: string;
      group_uuid: string | null;
      user_uuid: string | null;
      user_name: string | null;
      permission: 'viewer' | 'editor';
      shared_by: string;
      created_at: string;
    };
  };
  'DELETE /api/files/{uuid}/shares/{share_uuid}': {
    params: {
      uuid: string;
      share_uuid: string;
    };
  };
  'GET /api/admin/public-links': {
    answer: {
      settings: Setting[];
      active_links: number;
    };
  };
  'PUT /api/admin/public-links': {
    body: {
      enabled?: (boolean | null) | undefined;
      max_days?: (number | null) | undefined;
      password_required?: (boolean | null) | undefined;
    };
    answer: {
      settings: Setting[];
      active_links: number;
    };
  };
  'GET /api/files/{uuid}/public-links': {
    params: {
      uuid: string;
    };
    answer: {
      enabled: boolean;
      max_days: number;
      password_required: boolean;
      links: {
        uuid: string;
        parts: ('recording' | 'text' | 'summary')[];
        has_password: boolean;
        state: 'active' | 'expired' | 'revoked';
        created_by: string;
        created_by_name: string | null;
        created_at: string;
        expires_at: string;
        revoked_at: string | null;
        views: number;
        last_viewed_at: string | null;
      }[];
    };
  };
  'POST /api/files/{uuid}/public-links': {
    params: {
      uuid: string;
    };
    body: {
      parts: ('recording' | 'text' | 'summary')[];
      expires_at: string;
      password?: string | undefined;
    };
    answer: {
      uuid: string;
      parts: ('recording' | 'text' | 'summary')[];
      has_password: boolean;
      state: 'active' | 'expired' | 'revoked';
      created_by: string;
      created_by_name: string | null;
      created_at: string;
      expires_at: string;
      revoked_at: string | null;
      views: number;
      last_viewed_at: string | null;
      token: string;
    };
  };
  'DELETE /api/files/{uuid}/public-links/{link_uuid}': {
    params: {
      uuid: string;
      link_uuid: string;
    };
    answer: {
      uuid: string;
      parts: ('recording' | 'text' | 'summary')[];
      has_password: boolean;
      state: 'active' | 'expired' | 'revoked';
      created_by: string;
      created_by_name: string | null;
      created_at: string;
      expires_at: string;
      revoked_at: string | null;
      views: number;
      last_viewed_at: string | null;
    };
  };
  'POST /api/public/links/open': {
    body: {
      token: string;
    };
    answer: {
      uuid: string;
      password_required: boolean;
      view: {
        uuid: string;
        title: string;
        duration: number | null;
        language: string | null;
        recorded_date: string | null;
        expires_at: string;
        parts: ('recording' | 'text' | 'summary')[];
        has_video: boolean;
        recording: ('ready' | 'pending' | 'failed') | null;
        speakers: {
          name: string;
          display_name: string | null;
          talk_time: number;
        }[];
      } | null;
    };
  };
  'POST /api/public/links/unlock': {
    body: {
      token: string;
      password: string;
    };
    answer: {
      uuid: string;
      title: string;
      duration: number | null;
      language: string | null;
      recorded_date: string | null;
      expires_at: string;
      parts: ('recording' | 'text' | 'summary')[];
      has_video: boolean;
      recording: ('ready' | 'pending' | 'failed') | null;
      speakers: {
        name: string;
        display_name: string | null;
        talk_time: number;
      }[];
    };
  };
  'GET /api/public/links/{uuid}': {
    params: {
      uuid: string;
    };
    answer: {
      uuid: string;
      title: string;
      duration: number | null;
      language: string | null;
      recorded_date: string | null;
      expires_at: string;
      parts: ('recording' | 'text' | 'summary')[];
      has_video: boolean;
      recording: ('ready' | 'pending' | 'failed') | null;
      speakers: {
        name: string;
        display_name: string | null;
        talk_time: number;
      }[];
    };
  };
  'GET /api/public/links/{uuid}/segments': {
    params: {
      uuid: string;
    };
    query: {
      segment_limit?: number | undefined;
      segment_offset?: number | undefined;
    };
    answer: {
      segments: {
        start_time: number;
        end_time: number;
        text: string;
        withheld: boolean;
        speaker: string | null;
        words: {
          word: string;
          start: number;
          end: number;
        }[];
        redactions: {
          kind: 'name' | 'email' | 'phone' | 'address' | 'card' | 'account' | 'id_number' | 'birth_date' | 'secret';
          start: number;
          end: number;
        }[];
      }[];
      total_segments: number;
    };
  };
  'GET /api/public/links/{uuid}/summary': {
    params: {
      uuid: string;
    };
    answer: {
      summary: {
        language: string | null;
        made_without_model: boolean;
        out_of_date: boolean;
        brief: {
          text: string;
          starts: number[];
        }[];
        key_decisions: {
          text: string;
          starts: number[];
        }[];
        action_items: {
          text: string;
          starts: number[];
          owner: string | null;
          due_date: string | null;
        }[];
        topics: {
          title: string;
          start: number;
          end: number;
        }[];
        follow_ups: {
          text: string;
          starts: number[];
        }[];
      } | null;
    };
  };
  'GET /api/public/links/{uuid}/recording': {
    params: {
      uuid: string;
    };
  };
  'GET /api/files/{uuid}/content': {
    params: {
      uuid: string;
    };
    query: {
      download?: ('true' | 'false') | undefined;
    };
  };
  'HEAD /api/files/{uuid}/content': {
    params: {
      uuid: string;
    };
  };
  'GET /api/files/{uuid}/thumbnail': {
    params: {
      uuid: string;
    };
  };
  'GET /api/files/{uuid}/waveform': {
    params: {
      uuid: string;
    };
    query: {
      samples?: number | undefined;
    };
    answer: {
      duration: number;
      peaks: number[];
    };
  };
  'POST /api/files/{uuid}/clips': {
    params: {
      uuid: string;
    };
    body: {
      start_time: number;
      end_time: number;
      kind: 'sound' | 'video';
    };
    answer: {
      uuid: string;
      kind: 'sound' | 'video';
      start_time: number;
      end_time: number;
      state: 'queued' | 'ready' | 'failed';
      bytes: number | null;
      expires_at: string;
    };
  };
  'GET /api/files/{uuid}/clips/{clip_uuid}': {
    params: {
      uuid: string;
      clip_uuid: string;
    };
    answer: {
      uuid: string;
      kind: 'sound' | 'video';
      start_time: number;
      end_time: number;
      state: 'queued' | 'ready' | 'failed';
      bytes: number | null;
      expires_at: string;
    };
  };
  'GET /api/files/{uuid}/clips/{clip_uuid}/content': {
    params: {
      uuid: string;
      clip_uuid: string;
    };
  };
  'GET /api/files/{uuid}/export': {
    params: {
      uuid: string;
    };
    query: {
      format:
        'docx' | 'pdf' | 'html' | 'markdown' | 'txt' | 'srt' | 'webvtt' | 'ttml' | 'csv' | 'json' | 'otr' | 'qdpx';
      names?: ('change' | 'each' | 'initials' | 'none') | undefined;
      times?: ('passage' | 'minute' | 'end' | 'none') | undefined;
      paragraphs?: ('turns' | 'passages') | undefined;
      masked?: ('kind' | 'bar' | 'ellipsis') | undefined;
      cues?: ('reflowed' | 'passages') | undefined;
      heading?: ('true' | 'false') | undefined;
      participants?: ('true' | 'false') | undefined;
      summary?: ('true' | 'false') | undefined;
      comments?: ('true' | 'false') | undefined;
      uncertain?: ('true' | 'false') | undefined;
      line_numbers?: ('true' | 'false') | undefined;
      word_template?: (('default' | 'none') | string) | undefined;
    };
    answer: {
      title: string;
      filename: string;
      language: string | null;
      duration: number | null;
      recorded_date: string | null;
      upload_time: string;
      engine: {
        provider: 'faster-whisper' | 'sherpa-onnx' | 'openai-compatible' | 'pocketsphinx' | 'scripted' | 'import';
        model: string;
        timing: 'engine' | 'estimated';
      } | null;
      speakers?:
        | {
            label: string;
            name: string;
            talk_time: number;
          }[]
        | undefined;
      summary?:
        | {
            made_without_model: boolean;
            out_of_date: boolean;
            language: string | null;
            content: {
              brief: {
                text: string;
                segments: {
                  start: number;
                }[];
              }[];
              key_decisions: {
                text: string;
                segments: {
                  start: number;
                }[];
              }[];
              action_items: {
                text: string;
                segments: {
                  start: number;
                }[];
                owner: string | null;
                due_date: string | null;
              }[];
              topics: {
                start: number;
                title: string;
                end: number;
                segments: {
                  start: number;
                }[];
              }[];
              follow_ups: {
                text: string;
                segments: {
                  start: number;
                }[];
              }[];
            };
            gaps: {
              start: number;
              end: number;
              segments: number;
              reason: string;
            }[];
          }
        | undefined;
      comments?:
        | {
            text: string;
            created_at: string;
            author: string | null;
            start_time: number;
            end_time: number;
            quote: string | null;
            color: ('yellow' | 'green' | 'blue' | 'pink') | null;
            resolved: boolean;
            replies: {
              text: string;
              created_at: string;
              author: string | null;
            }[];
          }[]
        | undefined;
      segments: {
        start_time: number;
        end_time: number;
        text: string;
        confidence: number | null;
        edited: boolean;
        words: {
          word: string;
          start: number;
          end: number;
          confidence: number | null;
          interpolated?: boolean | undefined;
          overlap?: boolean | undefined;
        }[];
        speaker?: (string | null) | undefined;
      }[];
    };
  };
  'GET /api/transcripts/export': {
    query: {
      format:
        'docx' | 'pdf' | 'html' | 'markdown' | 'txt' | 'srt' | 'webvtt' | 'ttml' | 'csv' | 'json' | 'otr' | 'qdpx';
      names?: ('change' | 'each' | 'initials' | 'none') | undefined;
      times?: ('passage' | 'minute' | 'end' | 'none') | undefined;
      paragraphs?: ('turns' | 'passages') | undefined;
      masked?: ('kind' | 'bar' | 'ellipsis') | undefined;
      cues?: ('reflowed' | 'passages') | undefined;
      heading?: ('true' | 'false') | undefined;
      participants?: ('true' | 'false') | undefined;
      summary?: ('true' | 'false') | undefined;
      comments?: ('true' | 'false') | undefined;
      uncertain?: ('true' | 'false') | undefined;
      line_numbers?: ('true' | 'false') | undefined;
      word_template?: (('default' | 'none') | string) | undefined;
      file_uuids?: string | undefined;
      collection_uuid?: string | undefined;
    };
  };
  'GET /api/transcripts/export/search': {
    query: {
      format:
        'docx' | 'pdf' | 'html' | 'markdown' | 'txt' | 'srt' | 'webvtt' | 'ttml' | 'csv' | 'json' | 'otr' | 'qdpx';
      names?: ('change' | 'each' | 'initials' | 'none') | undefined;
      times?: ('passage' | 'minute' | 'end' | 'none') | undefined;
      paragraphs?: ('turns' | 'passages') | undefined;
      masked?: ('kind' | 'bar' | 'ellipsis') | undefined;
      cues?: ('reflowed' | 'passages') | undefined;
      heading?: ('true' | 'false') | undefined;
      participants?: ('true' | 'false') | undefined;
      summary?: ('true' | 'false') | undefined;
      comments?: ('true' | 'false') | undefined;
      uncertain?: ('true' | 'false') | undefined;
      line_numbers?: ('true' | 'false') | undefined;
      word_template?: (('default' | 'none') | string) | undefined;
      q: string;
      search_mode?: ('hybrid' | 'keyword' | 'semantic') | undefined;
      speakers?: string[] | undefined;
      tags?: string[] | undefined;
      collection?: string | undefined;
      file_type?: ('audio' | 'video')[] | undefined;
      date_from?: string | undefined;
      date_to?: string | undefined;
      min_duration?: number | undefined;
      max_duration?: number | undefined;
      exact?: ('true' | 'false') | undefined;
      sort_by?: ('relevance' | 'upload_time' | 'title' | 'duration') | undefined;
      sort_order?: ('asc' | 'desc') | undefined;
    };
  };
  'GET /api/files/{uuid}/export/preview': {
    params: {
      uuid: string;
    };
    query: {
      format:
        'docx' | 'pdf' | 'html' | 'markdown' | 'txt' | 'srt' | 'webvtt' | 'ttml' | 'csv' | 'json' | 'otr' | 'qdpx';
      names?: ('change' | 'each' | 'initials' | 'none') | undefined;
      times?: ('passage' | 'minute' | 'end' | 'none') | undefined;
      paragraphs?: ('turns' | 'passages') | undefined;
      masked?: ('kind' | 'bar' | 'ellipsis') | undefined;
      cues?: ('reflowed' | 'passages') | undefined;
      heading?: ('true' | 'false') | undefined;
      participants?: ('true' | 'false') | undefined;
      summary?: ('true' | 'false') | undefined;
      comments?: ('true' | 'false') | undefined;
      uncertain?: ('true' | 'false') | undefined;
      line_numbers?: ('true' | 'false') | undefined;
      word_template?: (('default' | 'none') | string) | undefined;
    };
    answer: {
      type: 'text' | 'html';
      text: string;
      complete: boolean;
    };
  };
  'GET /api/files/{uuid}/subtitles/validate': {
    params: {
      uuid: string;
    };
    query: {
      names?: ('change' | 'each' | 'initials' | 'none') | undefined;
      masked?: ('kind' | 'bar' | 'ellipsis') | undefined;
      cues?: ('reflowed' | 'passages') | undefined;
    };
    answer: {
      is_valid: boolean;
      cues: number;
      total_issues: number;
      issues: {
        cue: number;
        start: number;
        rule: 'line_length' | 'lines' | 'reading_speed' | 'too_short' | 'too_long' | 'gap' | 'overlap';
        value: number;
        limit: number;
      }[];
    };
  };
  'GET /api/files/{uuid}/subtitles': {
    params: {
      uuid: string;
    };
    query: {
      subtitle_format?: ('srt' | 'webvtt' | 'txt' | 'json') | undefined;
      include_speakers?: ('true' | 'false') | undefined;
      include_summary?: ('true' | 'false') | undefined;
    };
    answer: {
      title: string;
      filename: string;
      language: string | null;
      duration: number | null;
      recorded_date: string | null;
      upload_time: string;
      engine: {
        provider: 'faster-whisper' | 'sherpa-onnx' | 'openai-compatible' | 'pocketsphinx' | 'scripted' | 'import';
        model: string;
        timing: 'engine' | 'estimated';
      } | null;
      speakers?:
        | {
            label: string;
            name: string;
            talk_time: number;
          }[]
        | undefined;
      summary?:
        | {
            made_without_model: boolean;
            out_of_date: boolean;
            language: string | null;
            content: {
              brief: {
                text: string;
                segments: {
                  start: number;
                }[];
              }[];
              key_decisions: {
                text: string;
                segments: {
                  start: number;
                }[];
              }[];
              action_items: {
                text: string;
                segments: {
                  start: number;
                }[];
                owner: string | null;
                due_date: string | null;
              }[];
              topics: {
                start: number;
                title: string;
                end: number;
                segments: {
                  start: number;
                }[];
              }[];
              follow_ups: {
                text: string;
                segments: {
                  start: number;
                }[];
              }[];
            };
            gaps: {
              start: number;
              end: number;
              segments: number;
              reason: string;
            }[];
          }
        | undefined;
      comments?:
        | {
            text: string;
            created_at: string;
            author: string | null;
            start_time: number;
            end_time: number;
            quote: string | null;
            color: ('yellow' | 'green' | 'blue' | 'pink') | null;
            resolved: boolean;
            replies: {
              text: string;
              created_at: string;
              author: string | null;
            }[];
          }[]
        | undefined;
      segments: {
        start_time: number;
        end_time: number;
        text: string;
        confidence: number | null;
        edited: boolean;
        words: {
          word: string;
          start: number;
          end: number;
          confidence: number | null;
          interpolated?: boolean | undefined;
          overlap?: boolean | undefined;
        }[];
        speaker?: (string | null) | undefined;
      }[];
    };
  };
  'GET /api/export-templates': {
    query: {
      page?: number | undefined;
      page_size?: number | undefined;
    };
    answer: {
      items: {
        uuid: string;
        name: string;
        format:
          'docx' | 'pdf' | 'html' | 'markdown' | 'txt' | 'srt' | 'webvtt' | 'ttml' | 'csv' | 'json' | 'otr' | 'qdpx';
        options: {
          names: 'change' | 'each' | 'initials' | 'none';
          times: 'passage' | 'minute' | 'end' | 'none';
          paragraphs: 'turns' | 'passages';
          masked: 'kind' | 'bar' | 'ellipsis';
          cues: 'reflowed' | 'passages';
          heading: boolean;
          participants: boolean;
          summary: boolean;
          comments: boolean;
          uncertain: boolean;
          line_numbers: boolean;
          word_template: ('default' | 'none') | string;
        };
        user_id: string;
        owner_name: string | null;
        my_permission: 'owner' | 'viewer' | 'editor';
        is_shared: boolean;
        for_everybody: boolean;
        created_at: string;
        updated_at: string;
      }[];
      total: number;
      page: number;
      page_size: number;
    };
  };
  'POST /api/export-templates': {
    body: {
      name: string;
      format:
        'docx' | 'pdf' | 'html' | 'markdown' | 'txt' | 'srt' | 'webvtt' | 'ttml' | 'csv' | 'json' | 'otr' | 'qdpx';
      options: {
        names: 'change' | 'each' | 'initials' | 'none';
        times: 'passage' | 'minute' | 'end' | 'none';
        paragraphs: 'turns' | 'passages';
        masked: 'kind' | 'bar' | 'ellipsis';
        cues: 'reflowed' | 'passages';
        heading: boolean;
        participants: boolean;
        summary: boolean;
        comments: boolean;
        uncertain: boolean;
        line_numbers: boolean;
        word_template?: (('default' | 'none') | string) | undefined;
      };
    };
    answer: {
      uuid: string;
      name: string;
      format:
        'docx' | 'pdf' | 'html' | 'markdown' | 'txt' | 'srt' | 'webvtt' | 'ttml' | 'csv' | 'json' | 'otr' | 'qdpx';
      options: {
        names: 'change' | 'each' | 'initials' | 'none';
        times: 'passage' | 'minute' | 'end' | 'none';
        paragraphs: 'turns' | 'passages';
        masked: 'kind' | 'bar' | 'ellipsis';
        cues: 'reflowed' | 'passages';
        heading: boolean;
        participants: boolean;
        summary: boolean;
        comments: boolean;
        uncertain: boolean;
        line_numbers: boolean;
        word_template: ('default' | 'none') | string;
      };
      user_id: string;
      owner_name: string | null;
      my_permission: 'owner' | 'viewer' | 'editor';
      is_shared: boolean;
      for_everybody: boolean;
      created_at: string;
      updated_at: string;
    };
  };
  'PUT /api/export-templates/{uuid}': {
    params: {
      uuid: string;
    };
    body: {
      name?: string | undefined;
      format?:
        | ('docx' | 'pdf' | 'html' | 'markdown' | 'txt' | 'srt' | 'webvtt' | 'ttml' | 'csv' | 'json' | 'otr' | 'qdpx')
        | undefined;
      options?:
        | {
            names: 'change' | 'each' | 'initials' | 'none';
            times: 'passage' | 'minute' | 'end' | 'none';
            paragraphs: 'turns' | 'passages';
            masked: 'kind' | 'bar' | 'ellipsis';
            cues: 'reflowed' | 'passages';
            heading: boolean;
            participants: boolean;
            summary: boolean;
            comments: boolean;
            uncertain: boolean;
            line_numbers: boolean;
            word_template?: (('default' | 'none') | string) | undefined;
          }
        | undefined;
      for_everybody?: boolean | undefined;
    };
    answer: {
      uuid: string;
      name: string;
      format:
        'docx' | 'pdf' | 'html' | 'markdown' | 'txt' | 'srt' | 'webvtt' | 'ttml' | 'csv' | 'json' | 'otr' | 'qdpx';
      options: {
        names: 'change' | 'each' | 'initials' | 'none';
        times: 'passage' | 'minute' | 'end' | 'none';
        paragraphs: 'turns' | 'passages';
        masked: 'kind' | 'bar' | 'ellipsis';
        cues: 'reflowed' | 'passages';
        heading: boolean;
        participants: boolean;
        summary: boolean;
        comments: boolean;
        uncertain: boolean;
        line_numbers: boolean;
        word_template: ('default' | 'none') | string;
      };
      user_id: string;
      owner_name: string | null;
      my_permission: 'owner' | 'viewer' | 'editor';
      is_shared: boolean;
      for_everybody: boolean;
      created_at: string;
      updated_at: string;
    };
  };
  'DELETE /api/export-templates/{uuid}': {
    params: {
      uuid: string;
    };
  };
  'GET /api/export-templates/{uuid}/shares': {
    params: {
      uuid: string;
    };
    answer: {
      uuid: string;
      target_type: 'group' | 'user';
      target_uuid: string;
      target_name: string | null;
      permission: 'viewer' | 'editor';
      shared_by: string;
      created_at: string;
    }[];
  };
  'POST /api/export-templates/{uuid}/shares': {
    params: {
      uuid: string;
    };
    body: {
      target_type: 'group' | 'user';
      target_uuid: string;
      permission?: ('viewer' | 'editor') | undefined;
    };
    answer: {
      uuid: string;
      target_type: 'group' | 'user';
      target_uuid: string;
      target_name: string | null;
      permission: 'viewer' | 'editor';
      shared_by: string;
      created_at: string;
    };
  };
  'DELETE /api/export-templates/{uuid}/shares/{share_uuid}': {
    params: {
      uuid: string;
      share_uuid: string;
    };
  };
  'GET /api/word-templates': {
    answer: {
      uuid: string;
      name: string;
      size: number;
      placeholders: string[];
      is_default: boolean;
      created_at: string;
      updated_at: string;
    }[];
  };
  'GET /api/word-templates/{uuid}/content': {
    params: {
      uuid: string;
    };
  };
  'POST /api/admin/word-templates': {
    query: {
      name: string;
    };
    answer: {
      uuid: string;
      name: string;
      size: number;
      placeholders: string[];
      is_default: boolean;
      created_at: string;
      updated_at: string;
    };
  };
  'PUT /api/admin/word-templates/{uuid}': {
    params: {
      uuid: string;
    };
    body: {
      name?: string | undefined;
      is_default?: boolean | undefined;
    };
    answer: {
      uuid: string;
      name: string;
      size: number;
      placeholders: string[];
      is_default: boolean;
      created_at: string;
      updated_at: string;
    };
  };
  'DELETE /api/admin/word-templates/{uuid}': {
    params: {
      uuid: string;
    };
  };
  'PUT /api/admin/word-templates/{uuid}/content': {
    params: {
      uuid: string;
    };
    answer: {
      uuid: string;
      name: string;
      size: number;
      placeholders: string[];
      is_default: boolean;
      created_at: string;
      updated_at: string;
    };
  };
  'PUT /api/files/{uuid}/transcript/segments/{segment_uuid}': {
    params: {
      uuid: string;
      segment_uuid: string;
    };
    body: {
      text?: string | undefined;
      speaker_uuid?: (string | null) | undefined;
      version?: number | undefined;
    };
    answer: {
      uuid: string;
      start_time: number;
      end_time: number;
      text: string;
      speaker: {
        uuid: string;
        name: string;
        display_name: string | null;
      } | null;
      confidence: number | null;
      edited: boolean;
      edited_at: string | null;
      edited_by: string | null;
      edited_by_name: string | null;
      version: number;
      words: {
        word: string;
        start: number;
        end: number;
        confidence: number | null;
        interpolated?: boolean | undefined;
        overlap?: boolean | undefined;
      }[];
      redactions: {
        uuid: string;
        kind: 'name' | 'email' | 'phone' | 'address' | 'card' | 'account' | 'id_number' | 'birth_date' | 'secret';
        start: number;
        end: number;
      }[];
      withheld: boolean;
      undo: {
        uuid: string;
        expires_at: string;
      } | null;
    };
  };
  'DELETE /api/files/{uuid}/transcript/segments/{segment_uuid}': {
    params: {
      uuid: string;
      segment_uuid: string;
    };
    query: {
      version?: number | undefined;
    };
    answer: {
      undo: {
        uuid: string;
        expires_at: string;
      };
    };
  };
  'POST /api/files/{uuid}/undo/{undo_uuid}': {
    params: {
      uuid: string;
      undo_uuid: string;
    };
    answer: {
      kind: 'segment_edited' | 'segment_deleted' | 'speaker_merged' | 'speaker_deleted' | 'transcript_imported';
      transcript_version: number;
    };
  };
  'POST /api/files/{uuid}/transcript/operations': {
    params: {
      uuid: string;
    };
    body: {
      uuid: string;
      operations: {
        segments: {
          uuid: string;
          version?: number | undefined;
        }[];
        after_uuid?: (string | null) | undefined;
        replacement: {
          uuid: string;
          text?: string | undefined;
          speaker_uuid?: (string | null) | undefined;
          start_time?: number | undefined;
          end_time?: number | undefined;
          accepted_words?: number[] | undefined;
        }[];
      }[];
    };
    answer: {
      revision: number;
      transcript_version: number;
      segments: {
        uuid: string;
        start_time: number;
        end_time: number;
        text: string;
        speaker: {
          uuid: string;
          name: string;
          display_name: string | null;
        } | null;
        confidence: number | null;
        edited: boolean;
        edited_at: string | null;
        edited_by: string | null;
        edited_by_name: string | null;
        version: number;
        words: {
          word: string;
          start: number;
          end: number;
          confidence: number | null;
          interpolated?: boolean | undefined;
          overlap?: boolean | undefined;
        }[];
        redactions: {
          uuid: string;
          kind: 'name' | 'email' | 'phone' | 'address' | 'card' | 'account' | 'id_number' | 'birth_date' | 'secret';
          start: number;
          end: number;
        }[];
        withheld: boolean;
        previous_uuid: string | null;
      }[];
      removed: string[];
      can_undo: boolean;
      can_redo: boolean;
    };
  };
  'GET /api/files/{uuid}/transcript/operations': {
    params: {
      uuid: string;
    };
    query: {
      before?: number | undefined;
      limit?: number | undefined;
    };
    answer: {
      items: {
        uuid: string;
        revision: number;
        user_id: string | null;
        user_name: string | null;
        created_at: string;
        kinds: ('text' | 'speaker' | 'split' | 'merge' | 'retime' | 'insert' | 'delete' | 'accept')[];
        segment_uuids: string[];
        reverts: number | null;
        undone: boolean;
      }[];
      revision: number;
      can_undo: boolean;
      can_redo: boolean;
    };
  };
  'POST /api/files/{uuid}/transcript/undo': {
    params: {
      uuid: string;
    };
    body: {
      uuid: string;
    };
    answer: {
      revision: number;
      transcript_version: number;
      segments: {
        uuid: string;
        start_time: number;
        end_time: number;
        text: string;
        speaker: {
          uuid: string;
          name: string;
          display_name: string | null;
        } | null;
        confidence: number | null;
        edited: boolean;
        edited_at: string | null;
        edited_by: string | null;
        edited_by_name: string | null;
        version: number;
        words: {
          word: string;
          start: number;
          end: number;
          confidence: number | null;
          interpolated?: boolean | undefined;
          overlap?: boolean | undefined;
        }[];
        redactions: {
          uuid: string;
          kind: 'name' | 'email' | 'phone' | 'address' | 'card' | 'account' | 'id_number' | 'birth_date' | 'secret';
          start: number;
          end: number;
        }[];
        withheld: boolean;
        previous_uuid: string | null;
      }[];
      removed: string[];
      can_undo: boolean;
      can_redo: boolean;
    };
  };
  'POST /api/files/{uuid}/transcript/redo': {
    params: {
      uuid: string;
    };
    body: {
      uuid: string;
    };
    answer: {
      revision: number;
      transcript_version: number;
      segments: {
        uuid: string;
        start_time: number;
        end_time: number;
        text: string;
        speaker: {
          uuid: string;
          name: string;
          display_name: string | null;
        } | null;
        confidence: number | null;
        edited: boolean;
        edited_at: string | null;
        edited_by: string | null;
        edited_by_name: string | null;
        version: number;
        words: {
          word: string;
          start: number;
          end: number;
          confidence: number | null;
          interpolated?: boolean | undefined;
          overlap?: boolean | undefined;
        }[];
        redactions: {
          uuid: string;
          kind: 'name' | 'email' | 'phone' | 'address' | 'card' | 'account' | 'id_number' | 'birth_date' | 'secret';
          start: number;
          end: number;
        }[];
        withheld: boolean;
        previous_uuid: string | null;
      }[];
      removed: string[];
      can_undo: boolean;
      can_redo: boolean;
    };
  };
  'PUT /api/transcripts/segments/{uuid}/speaker': {
    params: {
      uuid: string;
    };
    body: {
      speaker_uuid: string | null;
    };
    answer: {
      uuid: string;
      start_time: number;
      end_time: number;
      text: string;
      speaker: {
        uuid: string;
        name: string;
        display_name: string | null;
      } | null;
      confidence: number | null;
      edited: boolean;
      edited_at: string | null;
      edited_by: string | null;
      edited_by_name: string | null;
      version: number;
      words: {
        word: string;
        start: number;
        end: number;
        confidence: number | null;
        interpolated?: boolean | undefined;
        overlap?: boolean | undefined;
      }[];
      redactions: {
        uuid: string;
        kind: 'name' | 'email' | 'phone' | 'address' | 'card' | 'account' | 'id_number' | 'birth_date' | 'secret';
        start: number;
        end: number;
      }[];
      withheld: boolean;
      undo: {
        uuid: string;
        expires_at: string;
      } | null;
    };
  };
  'GET /api/speakers': {
    query: {
      file_uuid: string;
    };
    answer: Speaker[];
  };
  'POST /api/speakers': {
    query: {
      media_file_uuid: string;
    };
    body: {
      display_name: string;
    };
    answer: Speaker;
  };
  'PUT /api/speakers/{uuid}': {
    params: {
      uuid: string;
    };
    body: {
      display_name: string | null;
    };
    answer: Speaker;
  };
  'DELETE /api/speakers/{uuid}': {
    params: {
      uuid: string;
    };
    answer: {
      undo: {
        uuid: string;
        expires_at: string;
      };
    };
  };
  'POST /api/speakers/{uuid}/merge/{target_uuid}': {
    params: {
      uuid: string;
      target_uuid: string;
    };
    answer: {
      uuid: string;
      name: string;
      display_name: string | null;
      talk_time: number;
      undo: {
        uuid: string;
        expires_at: string;
      } | null;
    };
  };
  'GET /api/code-lists': {
    query: {
      page?: number | undefined;
      page_size?: number | undefined;
      ownership?: ('mine' | 'shared' | 'all') | undefined;
    };
    answer: {
      items: {
        uuid: string;
        name: string;
        description: string;
        user_id: string;
        owner_name: string | null;
        my_permission: 'owner' | 'viewer' | 'editor';
        is_shared: boolean;
        codes: {
          uuid: string;
          name: string;
          color: 'red' | 'orange' | 'yellow' | 'green' | 'teal' | 'blue' | 'violet' | 'pink' | 'gray';
          description: string;
          parent_uuid: string | null;
          passages: number;
        }[];
        created_at: string;
        updated_at: string;
      }[];
      total: number;
      page: number;
      page_size: number;
    };
  };
  'POST /api/code-lists': {
    body: {
      name: string;
      description?: string | undefined;
    };
    answer: {
      uuid: string;
      name: string;
      description: string;
      user_id: string;
      owner_name: string | null;
      my_permission: 'owner' | 'viewer' | 'editor';
      is_shared: boolean;
      codes: {
        uuid: string;
        name: string;
        color: 'red' | 'orange' | 'yellow' | 'green' | 'teal' | 'blue' | 'violet' | 'pink' | 'gray';
        description: string;
        parent_uuid: string | null;
        passages: number;
      }[];
      created_at: string;
      updated_at: string;
    };
  };
  'GET /api/code-lists/{uuid}': {
    params: {
      uuid: string;
    };
    answer: {
      uuid: string;
      name: string;
      description: string;
      user_id: string;
      owner_name: string | null;
      my_permission: 'owner' | 'viewer' | 'editor';
      is_shared: boolean;
      codes: {
        uuid: string;
        name: string;
        color: 'red' | 'orange' | 'yellow' | 'green' | 'teal' | 'blue' | 'violet' | 'pink' | 'gray';
        description: string;
        parent_uuid: string | null;
        passages: number;
      }[];
      created_at: string;
      updated_at: string;
    };
  };
  'PUT /api/code-lists/{uuid}': {
    params: {
      uuid: string;
    };
    body: {
      name?: string | undefined;
      description?: string | undefined;
    };
    answer: {
      uuid: string;
      name: string;
      description: string;
      user_id: string;
      owner_name: string | null;
      my_permission: 'owner' | 'viewer' | 'editor';
      is_shared: boolean;
      codes: {
        uuid: string;
        name: string;
        color: 'red' | 'orange' | 'yellow' | 'green' | 'teal' | 'blue' | 'violet' | 'pink' | 'gray';
        description: string;
        parent_uuid: string | null;
        passages: number;
      }[];
      created_at: string;
      updated_at: string;
    };
  };
  'DELETE /api/code-lists/{uuid}': {
    params: {
      uuid: string;
    };
  };
  'POST /api/code-lists/{uuid}/codes': {
    params: {
      uuid: string;
    };
    body: {
      name: string;
      color: 'red' | 'orange' | 'yellow' | 'green' | 'teal' | 'blue' | 'violet' | 'pink' | 'gray';
      description?: string | undefined;
      parent_uuid?: (string | null) | undefined;
    };
    answer: {
      uuid: string;
      name: string;
      color: 'red' | 'orange' | 'yellow' | 'green' | 'teal' | 'blue' | 'violet' | 'pink' | 'gray';
      description: string;
      parent_uuid: string | null;
      passages: number;
    };
  };
  'PUT /api/code-lists/{uuid}/codes/{code_uuid}': {
    params: {
      uuid: string;
      code_uuid: string;
    };
    body: {
      name?: string | undefined;
      color?: ('red' | 'orange' | 'yellow' | 'green' | 'teal' | 'blue' | 'violet' | 'pink' | 'gray') | undefined;
      description?: string | undefined;
      parent_uuid?: (string | null) | undefined;
    };
    answer: {
      uuid: string;
      name: string;
      color: 'red' | 'orange' | 'yellow' | 'green' | 'teal' | 'blue' | 'violet' | 'pink' | 'gray';
      description: string;
      parent_uuid: string | null;
      passages: number;
    };
  };
  'DELETE /api/code-lists/{uuid}/codes/{code_uuid}': {
    params: {
      uuid: string;
      code_uuid: string;
    };
  };
  'GET /api/code-lists/{uuid}/shares': {
    params: {
      uuid: string;
    };
    answer: {
      uuid: string;
      target_type: 'group' | 'user';
      target_uuid: string;
      target_name: string | null;
      permission: 'viewer' | 'editor';
      shared_by: string;
      created_at: string;
    }[];
  };
  'POST /api/code-lists/{uuid}/shares': {
    params: {
      uuid: string;
    };
    body: {
      target_type: 'group' | 'user';
      target_uuid: string;
      permission?: ('viewer' | 'editor') | undefined;
    };
    answer: {
      uuid: string;
      target_type: 'group' | 'user';
      target_uuid: string;
      target_name: string | null;
      permission: 'viewer' | 'editor';
      shared_by: string;
      created_at: string;
    };
  };
  'DELETE /api/code-lists/{uuid}/shares/{share_uuid}': {
    params: {
      uuid: string;
      share_uuid: string;
    };
  };
  'GET /api/code-lists/{uuid}/passages': {
    params: {
      uuid: string;
    };
    query: {
      page?: number | undefined;
      page_size?: number | undefined;
      code_uuid?: string | undefined;
    };
    answer: {
      items: {
        uuid: string;
        code_uuid: string;
        list_uuid: string;
        name: string;
        color: 'red' | 'orange' | 'yellow' | 'green' | 'teal' | 'blue' | 'violet' | 'pink' | 'gray';
        start_time: number;
        end_time: number;
        quote: string | null;
        author: {
          uuid: string;
          name: string | null;
        } | null;
        created_at: string;
        can_delete: boolean;
        file_uuid: string;
        title: string;
        speaker: string | null;
      }[];
      total: number;
      page: number;
      page_size: number;
    };
  };
  'GET /api/code-lists/{uuid}/export': {
    params: {
      uuid: string;
    };
    query: {
      format?: ('csv' | 'qdpx') | undefined;
      code_uuid?: string | undefined;
    };
  };
  'GET /api/files/{uuid}/codings': {
    params: {
      uuid: string;
    };
    answer: {
      codings: {
        uuid: string;
        code_uuid: string;
        list_uuid: string;
        name: string;
        color: 'red' | 'orange' | 'yellow' | 'green' | 'teal' | 'blue' | 'violet' | 'pink' | 'gray';
        start_time: number;
        end_time: number;
        quote: string | null;
        author: {
          uuid: string;
          name: string | null;
        } | null;
        created_at: string;
        can_delete: boolean;
      }[];
    };
  };
  'POST /api/files/{uuid}/codings': {
    params: {
      uuid: string;
    };
    body: {
      code_uuid: string;
      start_time: number;
      end_time: number;
    };
    answer: {
      uuid: string;
      code_uuid: string;
      list_uuid: string;
      name: string;
      color: 'red' | 'orange' | 'yellow' | 'green' | 'teal' | 'blue' | 'violet' | 'pink' | 'gray';
      start_time: number;
      end_time: number;
      quote: string | null;
      author: {
        uuid: string;
        name: string | null;
      } | null;
      created_at: string;
      can_delete: boolean;
    };
  };
  'DELETE /api/files/{uuid}/codings/{coding_uuid}': {
    params: {
      uuid: string;
      coding_uuid: string;
    };
  };
  'GET /api/files/{uuid}/comments': {
    params: {
      uuid: string;
    };
    answer: {
      threads: {
        uuid: string;
        author: {
          uuid: string;
          name: string | null;
        } | null;
        text: string;
        withheld: boolean;
        mentions: {
          uuid: string;
          name: string | null;
        }[];
        created_at: string;
        edited_at: string | null;
        can_edit: boolean;
        can_delete: boolean;
        start_time: number;
        end_time: number;
        quote: string | null;
        color: ('yellow' | 'green' | 'blue' | 'pink') | null;
        resolved: {
          at: string;
          by: string | null;
        } | null;
        replies: {
          uuid: string;
          author: {
            uuid: string;
            name: string | null;
          } | null;
          text: string;
          withheld: boolean;
          mentions: {
            uuid: string;
            name: string | null;
          }[];
          created_at: string;
          edited_at: string | null;
          can_edit: boolean;
          can_delete: boolean;
        }[];
      }[];
    };
  };
  'POST /api/files/{uuid}/comments': {
    params: {
      uuid: string;
    };
    body: {
      start_time: number;
      end_time: number;
      color?: (('yellow' | 'green' | 'blue' | 'pink') | null) | undefined;
      text?: string | undefined;
      mentions?: string[] | undefined;
    };
    answer: {
      uuid: string;
      author: {
        uuid: string;
        name: string | null;
      } | null;
      text: string;
      withheld: boolean;
      mentions: {
        uuid: string;
        name: string | null;
      }[];
      created_at: string;
      edited_at: string | null;
      can_edit: boolean;
      can_delete: boolean;
      start_time: number;
      end_time: number;
      quote: string | null;
      color: ('yellow' | 'green' | 'blue' | 'pink') | null;
      resolved: {
        at: string;
        by: string | null;
      } | null;
      replies: {
        uuid: string;
        author: {
          uuid: string;
          name: string | null;
        } | null;
        text: string;
        withheld: boolean;
        mentions: {
          uuid: string;
          name: string | null;
        }[];
        created_at: string;
        edited_at: string | null;
        can_edit: boolean;
        can_delete: boolean;
      }[];
    };
  };
  'GET /api/comments': {
    query: {
      text?: string | undefined;
      author?: string | undefined;
      state?: ('open' | 'resolved' | 'all') | undefined;
      page?: number | undefined;
    };
    answer: {
      threads: {
        uuid: string;
        author: {
          uuid: string;
          name: string | null;
        } | null;
        text: string;
        withheld: boolean;
        mentions: {
          uuid: string;
          name: string | null;
        }[];
        created_at: string;
        edited_at: string | null;
        can_edit: boolean;
        can_delete: boolean;
        start_time: number;
        end_time: number;
        quote: string | null;
        color: ('yellow' | 'green' | 'blue' | 'pink') | null;
        resolved: {
          at: string;
          by: string | null;
        } | null;
        replies: {
          uuid: string;
          author: {
            uuid: string;
            name: string | null;
          } | null;
          text: string;
          withheld: boolean;
          mentions: {
            uuid: string;
            name: string | null;
          }[];
          created_at: string;
          edited_at: string | null;
          can_edit: boolean;
          can_delete: boolean;
        }[];
        file_uuid: string;
        title: string;
      }[];
      more: boolean;
    };
  };
  'GET /api/files/{uuid}/comments/people': {
    params: {
      uuid: string;
    };
    answer: {
      uuid: string;
      name: string;
    }[];
  };
  'POST /api/files/{uuid}/comments/{comment_uuid}/replies': {
    params: {
      uuid: string;
      comment_uuid: string;
    };
    body: {
      text: string;
      mentions?: string[] | undefined;
    };
    answer: {
      uuid: string;
      author: {
        uuid: string;
        name: string | null;
      } | null;
      text: string;
      withheld: boolean;
      mentions: {
        uuid: string;
        name: string | null;
      }[];
      created_at: string;
      edited_at: string | null;
      can_edit: boolean;
      can_delete: boolean;
      start_time: number;
      end_time: number;
      quote: string | null;
      color: ('yellow' | 'green' | 'blue' | 'pink') | null;
      resolved: {
        at: string;
        by: string | null;
      } | null;
      replies: {
        uuid: string;
        author: {
          uuid: string;
          name: string | null;
        } | null;
        text: string;
        withheld: boolean;
        mentions: {
          uuid: string;
          name: string | null;
        }[];
        created_at: string;
        edited_at: string | null;
        can_edit: boolean;
        can_delete: boolean;
      }[];
    };
  };
  'PUT /api/files/{uuid}/comments/{comment_uuid}': {
    params: {
      uuid: string;
      comment_uuid: string;
    };
    body: {
      text?: string | undefined;
      color?: (('yellow' | 'green' | 'blue' | 'pink') | null) | undefined;
      mentions?: string[] | undefined;
    };
    answer: {
      uuid: string;
      author: {
        uuid: string;
        name: string | null;
      } | null;
      text: string;
      withheld: boolean;
      mentions: {
        uuid: string;
        name: string | null;
      }[];
      created_at: string;
      edited_at: string | null;
      can_edit: boolean;
      can_delete: boolean;
      start_time: number;
      end_time: number;
      quote: string | null;
      color: ('yellow' | 'green' | 'blue' | 'pink') | null;
      resolved: {
        at: string;
        by: string | null;
      } | null;
      replies: {
        uuid: string;
        author: {
          uuid: string;
          name: string | null;
        } | null;
        text: string;
        withheld: boolean;
        mentions: {
          uuid: string;
          name: string | null;
        }[];
        created_at: string;
        edited_at: string | null;
        can_edit: boolean;
        can_delete: boolean;
      }[];
    };
  };
  'DELETE /api/files/{uuid}/comments/{comment_uuid}': {
    params: {
      uuid: string;
      comment_uuid: string;
    };
  };
  'PUT /api/files/{uuid}/comments/{comment_uuid}/resolved': {
    params: {
      uuid: string;
      comment_uuid: string;
    };
    body: {
      resolved: boolean;
    };
    answer: {
      uuid: string;
      author: {
        uuid: string;
        name: string | null;
      } | null;
      text: string;
      withheld: boolean;
      mentions: {
        uuid: string;
        name: string | null;
      }[];
      created_at: string;
      edited_at: string | null;
      can_edit: boolean;
      can_delete: boolean;
      start_time: number;
      end_time: number;
      quote: string | null;
      color: ('yellow' | 'green' | 'blue' | 'pink') | null;
      resolved: {
        at: string;
        by: string | null;
      } | null;
      replies: {
        uuid: string;
        author: {
          uuid: string;
          name: string | null;
        } | null;
        text: string;
        withheld: boolean;
        mentions: {
          uuid: string;
          name: string | null;
        }[];
        created_at: string;
        edited_at: string | null;
        can_edit: boolean;
        can_delete: boolean;
      }[];
    };
  };
  'POST /api/files/{uuid}/presence': {
    params: {
      uuid: string;
    };
    body: {
      visit_uuid: string;
      segment_uuid?: (string | null) | undefined;
      left?: boolean | undefined;
    };
  };
  'GET /api/files/{uuid}/transcript/versions': {
    params: {
      uuid: string;
    };
    answer: {
      items: {
        uuid: string;
        name: string;
        created_at: string;
        user_id: string | null;
        user_name: string | null;
        corrections_since: number;
        available: boolean;
      }[];
      corrections: number;
    };
  };
  'POST /api/files/{uuid}/transcript/versions': {
    params: {
      uuid: string;
    };
    body: {
      name: string;
    };
    answer: {
      uuid: string;
      name: string;
      created_at: string;
      user_id: string | null;
      user_name: string | null;
      corrections_since: number;
      available: boolean;
    };
  };
  'DELETE /api/files/{uuid}/transcript/versions/{version_uuid}': {
    params: {
      uuid: string;
      version_uuid: string;
    };
    answer: {
      uuid: string;
    };
  };
  'GET /api/files/{uuid}/transcript/differences': {
    params: {
      uuid: string;
    };
    query: {
      version_uuid?: string | undefined;
    };
    answer: {
      differences: {
        before: {
          start_time: number;
          end_time: number;
          speaker: string | null;
          pieces: {
            text: string;
            changed: boolean;
          }[];
        }[];
        after: {
          start_time: number;
          end_time: number;
          speaker: string | null;
          pieces: {
            text: string;
            changed: boolean;
          }[];
        }[];
      }[];
      complete: boolean;
      words: number;
      words_removed: number;
      words_added: number;
    };
  };
  'POST /api/files/{uuid}/transcript/restore': {
    params: {
      uuid: string;
    };
    body: {
      uuid: string;
      version_uuid?: string | undefined;
    };
    answer: {
      transcript_version: number;
      changed: number;
    };
  };
  'GET /api/files/{uuid}/transcript/accuracy': {
    params: {
      uuid: string;
    };
    answer: {
      items: {
        engine: {
          provider: string;
          model: string;
        };
        language: string | null;
        transcribed_at: string;
        measured_at: string;
        words: number;
        errors: number;
        current: boolean;
      }[];
      pending: boolean;
      masked: boolean;
    };
  };
  'GET /api/admin/accuracy': {
    answer: {
      rows: {
        provider: string;
        model: string;
        language: string | null;
        month: string;
        recordings: number;
        words: number;
        errors: number;
      }[];
      complete: boolean;
    };
  };
  'POST /api/transcripts/find': {
    body: {
      find: string;
      replacement?: string | undefined;
      regex?: boolean | undefined;
      match_case?: boolean | undefined;
      whole_word?: boolean | undefined;
      speaker?: (string | null) | undefined;
      file_uuids: string[];
    };
    answer: {
      files: {
        file_uuid: string;
        title: string | null;
        my_permission: ('owner' | 'viewer' | 'editor') | null;
        places: {
          segment_uuid: string;
          version: number;
          start_time: number;
          speaker: string | null;
          start: number;
          text: string;
          from: number;
          to: number;
          replacement: string;
        }[];
        error: {
          code: string;
          message: string;
        } | null;
      }[];
      complete: boolean;
    };
  };
  'POST /api/transcripts/replace': {
    body: {
      find: string;
      replacement?: string | undefined;
      regex?: boolean | undefined;
      match_case?: boolean | undefined;
      whole_word?: boolean | undefined;
      speaker?: (string | null) | undefined;
      uuid: string;
      files: {
        file_uuid: string;
        segments: {
          uuid: string;
          version: number;
          starts: number[];
        }[];
      }[];
    };
    answer: {
      results: {
        file_uuid: string;
        replaced: number;
        error: {
          code: string;
          message: string;
        } | null;
      }[];
    };
  };
  'POST /api/transcripts/replace/{uuid}/undo': {
    params: {
      uuid: string;
    };
    body: {
      file_uuids: string[];
    };
    answer: {
      results: {
        file_uuid: string;
        error: {
          code: string;
          message: string;
        } | null;
      }[];
    };
  };
  'GET /api/vocabulary': {
    answer: {
      items: {
        uuid: string;
        term: string;
        created_at: string;
      }[];
    };
  };
  'POST /api/vocabulary': {
    body: {
      term: string;
    };
    answer: {
      uuid: string;
      term: string;
      created_at: string;
    };
  };
  'DELETE /api/vocabulary/{uuid}': {
    params: {
      uuid: string;
    };
    answer: {
      uuid: string;
    };
  };
  'GET /api/files/{uuid}/vocabulary-suggestions': {
    params: {
      uuid: string;
    };
    answer: {
      terms: string[];
    };
  };
  'POST /api/transcripts/import/preview': {
    query: {
      encoding?:
        | (
            | 'utf-8'
            | 'utf-16le'
            | 'utf-16be'
            | 'windows-1252'
            | 'windows-1250'
            | 'windows-1251'
            | 'iso-8859-15'
            | 'shift_jis'
            | 'gb18030'
            | 'big5'
            | 'euc-kr'
          )
        | undefined;
      format?: ('srt' | 'webvtt' | 'ttml' | 'ass' | 'sbv' | 'microdvd' | 'json' | 'text') | undefined;
      shift?: number | undefined;
      speaker_prefixes?: ('true' | 'false') | undefined;
    };
    answer: {
      format: 'srt' | 'webvtt' | 'ttml' | 'ass' | 'sbv' | 'microdvd' | 'json' | 'docx' | 'text';
      encoding:
        | 'utf-8'
        | 'utf-16le'
        | 'utf-16be'
        | 'windows-1252'
        | 'windows-1250'
        | 'windows-1251'
        | 'iso-8859-15'
        | 'shift_jis'
        | 'gb18030'
        | 'big5'
        | 'euc-kr';
      segment_count: number;
      word_count: number;
      duration: number;
      language: string | null;
      speakers: string[];
      interpolated: boolean;
      untimed: boolean;
      notes: {
        note: 'sorted' | 'overlapping' | 'negative_time' | 'no_length' | 'markup_removed';
        count: number;
      }[];
      turns: {
        start_time: number;
        end_time: number;
        speaker: string | null;
        text: string;
      }[];
    };
  };
  'POST /api/transcripts/import': {
    query: {
      encoding?:
        | (
            | 'utf-8'
            | 'utf-16le'
            | 'utf-16be'
            | 'windows-1252'
            | 'windows-1250'
            | 'windows-1251'
            | 'iso-8859-15'
            | 'shift_jis'
            | 'gb18030'
            | 'big5'
            | 'euc-kr'
          )
        | undefined;
      format?: ('srt' | 'webvtt' | 'ttml' | 'ass' | 'sbv' | 'microdvd' | 'json' | 'text') | undefined;
      shift?: number | undefined;
      speaker_prefixes?: ('true' | 'false') | undefined;
      title?: string | undefined;
    };
    answer: File;
  };
  'POST /api/files/{uuid}/transcript/import': {
    params: {
      uuid: string;
    };
    query: {
      encoding?:
        | (
            | 'utf-8'
            | 'utf-16le'
            | 'utf-16be'
            | 'windows-1252'
            | 'windows-1250'
            | 'windows-1251'
            | 'iso-8859-15'
            | 'shift_jis'
            | 'gb18030'
            | 'big5'
            | 'euc-kr'
          )
        | undefined;
      format?: ('srt' | 'webvtt' | 'ttml' | 'ass' | 'sbv' | 'microdvd' | 'json' | 'text') | undefined;
      shift?: number | undefined;
      speaker_prefixes?: ('true' | 'false') | undefined;
    };
    answer: {
      transcript_version: number;
      segment_count: number;
      undo: {
        uuid: string;
        expires_at: string;
      };
    };
  };
  'GET /api/tags': {
    answer: {
      uuid: string;
      name: string;
      source: ('manual' | 'auto_ai') | null;
      usage_count: number;
    }[];
  };
  'POST /api/tags': {
    body: {
      name: string;
    };
    answer: Tag;
  };
  'GET /api/tags/unused': {
    answer: Tag[];
  };
  'GET /api/tags/files': {
    query: {
      file_uuid?: string[] | undefined;
    };
    answer: {
      items: {
        file_uuid: string;
        tags: Tag[];
      }[];
    };
  };
  'POST /api/tags/files/{uuid}/tags': {
    params: {
      uuid: string;
    };
    body: {
      name: string;
    };
    answer: Tag;
  };
  'DELETE /api/tags/files/{uuid}/tags/{tag_name}': {
    params: {
      uuid: string;
      tag_name: string;
    };
  };
  'GET /api/collections': {
    query: {
      page?: number | undefined;
      page_size?: number | undefined;
      ownership?: ('mine' | 'shared' | 'all') | undefined;
      search?: string | undefined;
      file_uuid?: string | undefined;
    };
    answer: {
      items: {
        uuid: string;
        name: string;
        description: string;
        source: 'manual' | 'auto_ai' | 'bulk_group';
        user_id: string;
        owner_name: string | null;
        my_permission: 'owner' | 'viewer' | 'editor';
        media_count: number;
        share_count: number;
        is_shared: boolean;
        created_at: string;
        updated_at: string;
      }[];
      total: number;
      page: number;
      page_size: number;
    };
  };
  'POST /api/collections': {
    body: {
      name: string;
      description?: string | undefined;
    };
    answer: {
      uuid: string;
      name: string;
      description: string;
      source: 'manual' | 'auto_ai' | 'bulk_group';
      user_id: string;
      owner_name: string | null;
      my_permission: 'owner' | 'viewer' | 'editor';
      media_count: number;
      share_count: number;
      is_shared: boolean;
      created_at: string;
      updated_at: string;
    };
  };
  'GET /api/collections/{uuid}': {
    params: {
      uuid: string;
    };
    answer: {
      uuid: string;
      name: string;
      description: string;
      source: 'manual' | 'auto_ai' | 'bulk_group';
      user_id: string;
      owner_name: string | null;
      my_permission: 'owner' | 'viewer' | 'editor';
      media_count: number;
      share_count: number;
      is_shared: boolean;
      created_at: string;
      updated_at: string;
    };
  };
  'PUT /api/collections/{uuid}': {
    params: {
      uuid: string;
    };
    body: {
      name?: string | undefined;
      description?: string | undefined;
    };
    answer: {
      uuid: string;
      name: string;
      description: string;
      source: 'manual' | 'auto_ai' | 'bulk_group';
      user_id: string;
      owner_name: string | null;
      my_permission: 'owner' | 'viewer' | 'editor';
      media_count: number;
      share_count: number;
      is_shared: boolean;
      created_at: string;
      updated_at: string;
    };
  };
  'DELETE /api/collections/{uuid}': {
    params: {
      uuid: string;
    };
  };
  'GET /api/collections/{uuid}/media': {
    params: {
      uuid: string;
    };
    query: {
      page?: number | undefined;
      page_size?: number | undefined;
      ownership?: ('mine' | 'shared' | 'all') | undefined;
      search?: string | undefined;
      status?:
        | (
            | 'pending'
            | 'uploaded'
            | 'queued'
            | 'downloading'
            | 'processing'
            | 'transcribing'
            | 'completed'
            | 'error'
            | 'cancelling'
            | 'cancelled'
            | 'orphaned'
            | 'quarantined'
          )[]
        | undefined;
      tag?: string[] | undefined;
      file_type?: ('audio' | 'video')[] | undefined;
      date_of?: ('upload' | 'recording') | undefined;
      from_date?: string | undefined;
      to_date?: string | undefined;
      min_duration?: number | undefined;
      max_duration?: number | undefined;
      sort_by?: ('upload_time' | 'recorded_date' | 'completed_at' | 'title' | 'duration' | 'file_size') | undefined;
      sort_order?: ('asc' | 'desc') | undefined;
    };
    answer: {
      items: File[];
      total: number;
      page: number;
      page_size: number;
    };
  };
  'POST /api/collections/{uuid}/media': {
    params: {
      uuid: string;
    };
    body: {
      media_file_ids: string[];
    };
    answer: {
      results: {
        file_uuid: string;
        error: {
          code: string;
          message: string;
        } | null;
      }[];
    };
  };
  'DELETE /api/collections/{uuid}/media': {
    params: {
      uuid: string;
    };
    body: {
      media_file_ids: string[];
    };
    answer: {
      results: {
        file_uuid: string;
        error: {
          code: string;
          message: string;
        } | null;
      }[];
    };
  };
  'GET /api/collections/{uuid}/shares': {
    params: {
      uuid: string;
    };
    answer: {
      uuid: string;
      target_type: 'group' | 'user';
      target_uuid: string;
      target_name: string | null;
      permission: 'viewer' | 'editor';
      shared_by: string;
      created_at: string;
    }[];
  };
  'POST /api/collections/{uuid}/shares': {
    params: {
      uuid: string;
    };
    body: {
      target_type: 'group' | 'user';
      target_uuid: string;
      permission?: ('viewer' | 'editor') | undefined;
    };
    answer: {
      uuid: string;
      target_type: 'group' | 'user';
      target_uuid: string;
      target_name: string | null;
      permission: 'viewer' | 'editor';
      shared_by: string;
      created_at: string;
    };
  };
  'PUT /api/collections/{uuid}/shares/{share_uuid}': {
    params: {
      uuid: string;
      share_uuid: string;
    };
    body: {
      permission: 'viewer' | 'editor';
    };
    answer: {
      uuid: string;
      target_type: 'group' | 'user';
      target_uuid: string;
      target_name: string | null;
      permission: 'viewer' | 'editor';
      shared_by: string;
      created_at: string;
    };
  };
  'DELETE /api/collections/{uuid}/shares/{share_uuid}': {
    params: {
      uuid: string;
      share_uuid: string;
    };
  };
  'GET /api/admin/retention/settings': {
    answer: {
      settings: Setting[];
      next_due: string | null;
      bin_days: number;
    };
  };
  'PUT /api/admin/retention/settings': {
    body: {
      enabled?: (boolean | null) | undefined;
      schedule?: (string | null) | undefined;
      max_percent?: (number | null) | undefined;
    };
    answer: {
      settings: Setting[];
      next_due: string | null;
      bin_days: number;
    };
  };
  'GET /api/admin/retention/rules': {
    answer: {
      uuid: string;
      name: string;
      enabled: boolean;
      removes: 'recording' | 'everything';
      conditions: {
        older_than_days?: number | undefined;
        unused_for_days?: number | undefined;
        larger_than_bytes?: number | undefined;
        any_tag?: string[] | undefined;
        any_collection?: string[] | undefined;
      };
      updated_at: string;
    }[];
  };
  'POST /api/admin/retention/rules': {
    body: {
      name: string;
      enabled?: boolean | undefined;
      removes: 'recording' | 'everything';
      conditions: {
        older_than_days?: number | undefined;
        unused_for_days?: number | undefined;
        larger_than_bytes?: number | undefined;
        any_tag?: string[] | undefined;
        any_collection?: string[] | undefined;
      };
    };
    answer: {
      uuid: string;
      name: string;
      enabled: boolean;
      removes: 'recording' | 'everything';
      conditions: {
        older_than_days?: number | undefined;
        unused_for_days?: number | undefined;
        larger_than_bytes?: number | undefined;
        any_tag?: string[] | undefined;
        any_collection?: string[] | undefined;
      };
      updated_at: string;
    };
  };
  'PUT /api/admin/retention/rules': {
    body: {
      rule_uuids: string[];
    };
    answer: {
      uuid: string;
      name: string;
      enabled: boolean;
      removes: 'recording' | 'everything';
      conditions: {
        older_than_days?: number | undefined;
        unused_for_days?: number | undefined;
        larger_than_bytes?: number | undefined;
        any_tag?: string[] | undefined;
        any_collection?: string[] | undefined;
      };
      updated_at: string;
    }[];
  };
  'PUT /api/admin/retention/rules/{uuid}': {
    params: {
      uuid: string;
    };
    body: {
      name?: string | undefined;
      enabled?: boolean | undefined;
      removes?: ('recording' | 'everything') | undefined;
      conditions?:
        | {
            older_than_days?: number | undefined;
            unused_for_days?: number | undefined;
            larger_than_bytes?: number | undefined;
            any_tag?: string[] | undefined;
            any_collection?: string[] | undefined;
          }
        | undefined;
    };
    answer: {
      uuid: string;
      name: string;
      enabled: boolean;
      removes: 'recording' | 'everything';
      conditions: {
        older_than_days?: number | undefined;
        unused_for_days?: number | undefined;
        larger_than_bytes?: number | undefined;
        any_tag?: string[] | undefined;
        any_collection?: string[] | undefined;
      };
      updated_at: string;
    };
  };
  'DELETE /api/admin/retention/rules/{uuid}': {
    params: {
      uuid: string;
    };
  };
  'GET /api/admin/retention/rules/{uuid}/preview': {
    params: {
      uuid: string;
    };
    query: {
      page?: number | undefined;
      page_size?: number | undefined;
    };
    answer: {
      items: {
        file_uuid: string;
        title: string | null;
        owner_uuid: string | null;
        owner_name: string | null;
        bytes: number;
        upload_time: string;
        last_used_on: string;
        reasons: ('age' | 'unused' | 'size' | 'tag' | 'collection')[];
      }[];
      total: number;
      page: number;
      page_size: number;
      total_bytes: number;
      library_files: number;
      would_be_held: boolean;
      legal_holds: number;
      earlier_rules: number;
    };
  };
  'POST /api/admin/retention/runs': {
    answer: {
      uuid: string;
      trigger: 'manual' | 'schedule';
      status: 'queued' | 'running' | 'success' | 'failed';
      queued_at: string;
      started_at: string | null;
      finished_at: string | null;
      library_files: number | null;
      error_code: string | null;
      rules: {
        rule_uuid: string;
        name: string;
        removes: 'recording' | 'everything';
        status: 'admitted' | 'held' | 'approved' | 'superseded';
        set_digest: string;
        planned: number;
        planned_bytes: number;
        removed: number;
        removed_bytes: number;
        skipped: number;
      }[];
    };
  };
  'GET /api/admin/retention/runs': {
    query: {
      page?: number | undefined;
      page_size?: number | undefined;
    };
    answer: {
      items: {
        uuid: string;
        trigger: 'manual' | 'schedule';
        status: 'queued' | 'running' | 'success' | 'failed';
        queued_at: string;
        started_at: string | null;
        finished_at: string | null;
        library_files: number | null;
        error_code: string | null;
        rules: {
          rule_uuid: string;
          name: string;
          removes: 'recording' | 'everything';
          status: 'admitted' | 'held' | 'approved' | 'superseded';
          set_digest: string;
          planned: number;
          planned_bytes: number;
          removed: number;
          removed_bytes: number;
          skipped: number;
        }[];
      }[];
      total: number;
      page: number;
      page_size: number;
    };
  };
  'GET /api/admin/retention/runs/{uuid}/files': {
    params: {
      uuid: string;
    };
    query: {
      page?: number | undefined;
      page_size?: number | undefined;
      rule_uuid?: string | undefined;
    };
    answer: {
      items: {
        file_uuid: string;
        title: string | null;
        owner_uuid: string | null;
        owner_name: string | null;
        bytes: number;
        rule_uuid: string;
        outcome: 'planned' | 'removed' | 'skipped';
        skip_reason: ('legal_hold' | 'no_longer_applies' | 'rule_changed' | 'gone') | null;
        decided_at: string | null;
      }[];
      total: number;
      page: number;
      page_size: number;
    };
  };
  'POST /api/admin/retention/runs/{uuid}/approve': {
    params: {
      uuid: string;
    };
    body: {
      rule_uuid: string;
      set_digest: string;
    };
    answer: {
      uuid: string;
      trigger: 'manual' | 'schedule';
      status: 'queued' | 'running' | 'success' | 'failed';
      queued_at: string;
      started_at: string | null;
      finished_at: string | null;
      library_files: number | null;
      error_code: string | null;
      rules: {
        rule_uuid: string;
        name: string;
        removes: 'recording' | 'everything';
        status: 'admitted' | 'held' | 'approved' | 'superseded';
        set_digest: string;
        planned: number;
        planned_bytes: number;
        removed: number;
        removed_bytes: number;
        skipped: number;
      }[];
    };
  };
  'GET /api/admin/legal-holds': {
    query: {
      page?: number | undefined;
      page_size?: number | undefined;
    };
    answer: {
      items: {
        uuid: string;
        file_uuid: string | null;
        file_title: string | null;
        user_uuid: string | null;
        user_name: string | null;
        reason: string;
        placed_by: string | null;
        placed_by_name: string | null;
        placed_at: string;
      }[];
      total: number;
      page: number;
      page_size: number;
    };
  };
  'POST /api/admin/legal-holds': {
    body: {
      file_uuid?: string | undefined;
      user_uuid?: string | undefined;
      reason: string;
    };
    answer: {
      uuid: string;
      file_uuid: string | null;
      file_title: string | null;
      user_uuid: string | null;
      user_name: string | null;
      reason: string;
      placed_by: string | null;
      placed_by_name: string | null;
      placed_at: string;
    };
  };
  'DELETE /api/admin/legal-holds/{uuid}': {
    params: {
      uuid: string;
    };
  };
  'GET /api/admin/redaction-policy': {
    answer: {
      settings: Setting[];
      files: number;
      scanned_files: number;
      failed_files: number;
      outdated_files: number;
    };
  };
  'PUT /api/admin/redaction-policy': {
    body: {
      masked_kinds?:
        | (
            | ('name' | 'email' | 'phone' | 'address' | 'card' | 'account' | 'id_number' | 'birth_date' | 'secret')[]
            | null
          )
        | undefined;
      masked_for?: (('viewer' | 'editor' | 'owner' | 'administrator')[] | null) | undefined;
      withhold_unscanned?: (boolean | null) | undefined;
      reveal_for?: (('viewer' | 'editor' | 'owner' | 'administrator')[] | null) | undefined;
      audio_masking?: (('off' | 'silence' | 'beep') | null) | undefined;
    };
    answer: {
      settings: Setting[];
      files: number;
      scanned_files: number;
      failed_files: number;
      outdated_files: number;
    };
  };
  'GET /api/redaction': {
    answer: {
      masked_kinds: (
        'name' | 'email' | 'phone' | 'address' | 'card' | 'account' | 'id_number' | 'birth_date' | 'secret'
      )[];
    };
  };
  'PUT /api/redaction': {
    body: {
      masked_kinds: (
        'name' | 'email' | 'phone' | 'address' | 'card' | 'account' | 'id_number' | 'birth_date' | 'secret'
      )[];
    };
    answer: {
      masked_kinds: (
        'name' | 'email' | 'phone' | 'address' | 'card' | 'account' | 'id_number' | 'birth_date' | 'secret'
      )[];
    };
  };
  'GET /api/files/{uuid}/redaction': {
    params: {
      uuid: string;
    };
    answer: {
      masked_kinds: (
        'name' | 'email' | 'phone' | 'address' | 'card' | 'account' | 'id_number' | 'birth_date' | 'secret'
      )[];
      account_kinds: (
        'name' | 'email' | 'phone' | 'address' | 'card' | 'account' | 'id_number' | 'birth_date' | 'secret'
      )[];
      policy_kinds: (
        'name' | 'email' | 'phone' | 'address' | 'card' | 'account' | 'id_number' | 'birth_date' | 'secret'
      )[];
      scan_status: 'none' | 'pending' | 'scanned' | 'failed';
      coverage: number;
      scanned_at: string | null;
      found: {
        name?: number | undefined;
        email?: number | undefined;
        phone?: number | undefined;
        address?: number | undefined;
        card?: number | undefined;
        account?: number | undefined;
        id_number?: number | undefined;
        birth_date?: number | undefined;
        secret?: number | undefined;
      };
      can_reveal: boolean;
    };
  };
  'PUT /api/files/{uuid}/redaction': {
    params: {
      uuid: string;
    };
    body: {
      masked_kinds: (
        'name' | 'email' | 'phone' | 'address' | 'card' | 'account' | 'id_number' | 'birth_date' | 'secret'
      )[];
    };
    answer: {
      masked_kinds: (
        'name' | 'email' | 'phone' | 'address' | 'card' | 'account' | 'id_number' | 'birth_date' | 'secret'
      )[];
      account_kinds: (
        'name' | 'email' | 'phone' | 'address' | 'card' | 'account' | 'id_number' | 'birth_date' | 'secret'
      )[];
      policy_kinds: (
        'name' | 'email' | 'phone' | 'address' | 'card' | 'account' | 'id_number' | 'birth_date' | 'secret'
      )[];
      scan_status: 'none' | 'pending' | 'scanned' | 'failed';
      coverage: number;
      scanned_at: string | null;
      found: {
        name?: number | undefined;
        email?: number | undefined;
        phone?: number | undefined;
        address?: number | undefined;
        card?: number | undefined;
        account?: number | undefined;
        id_number?: number | undefined;
        birth_date?: number | undefined;
        secret?: number | undefined;
      };
      can_reveal: boolean;
    };
  };
  'POST /api/files/{uuid}/redactions/{redaction_uuid}/reveal': {
    params: {
      uuid: string;
      redaction_uuid: string;
    };
    answer: {
      kind: 'name' | 'email' | 'phone' | 'address' | 'card' | 'account' | 'id_number' | 'birth_date' | 'secret';
      text: string;
    };
  };
  'GET /api/admin/watch-sources': {
    answer: {
      items: {
        name: string;
        enabled: boolean;
        kind: 'folder' | 's3';
        path: string;
        s3_endpoint_url: string;
        s3_region: string;
        s3_bucket: string;
        s3_prefix: string;
        s3_access_key_id: string;
        owner_rule: 'fixed' | 'first_folder';
        owner: string;
        folders_as: 'tags' | 'collection';
        include: string[];
        exclude: string[];
        min_bytes: number;
        max_bytes: number | null;
        max_age_days: number | null;
        stable_seconds: number;
        poll_seconds: number;
        polling_only: boolean;
        after: 'keep' | 'move' | 'delete';
        move_to: string;
        uuid: string;
        s3_secret_key: null;
        s3_secret_key_is_set: boolean;
        owner_uuid: string | null;
        status: 'checking' | 'available' | 'unavailable';
        status_since: string;
        error_code: string | null;
        error: string | null;
        scanned_at: string | null;
        files: number;
        has_events: boolean;
        counts: {
          imported?: number | undefined;
          duplicate?: number | undefined;
          waiting?: number | undefined;
          excluded?: number | undefined;
          too_small?: number | undefined;
          too_large?: number | undefined;
          too_old?: number | undefined;
          not_media?: number | undefined;
          owner_unknown?: number | undefined;
          link_refused?: number | undefined;
          failed?: number | undefined;
        };
        updated_at: string;
      }[];
      roots: string[];
    };
  };
  'POST /api/admin/watch-sources': {
    body: {
      name: string;
      enabled: boolean;
      kind: 'folder' | 's3';
      path: string;
      s3_endpoint_url: string;
      s3_region: string;
      s3_bucket: string;
      s3_prefix: string;
      s3_access_key_id: string;
      owner_rule: 'fixed' | 'first_folder';
      owner: string;
      folders_as?: ('tags' | 'collection') | undefined;
      include: string[];
      exclude: string[];
      min_bytes: number;
      max_bytes: number | null;
      max_age_days: number | null;
      stable_seconds: number;
      poll_seconds: number;
      polling_only: boolean;
      after: 'keep' | 'move' | 'delete';
      move_to: string;
      s3_secret_key?: (string | null) | undefined;
    };
    answer: {
      name: string;
      enabled: boolean;
      kind: 'folder' | 's3';
      path: string;
      s3_endpoint_url: string;
      s3_region: string;
      s3_bucket: string;
      s3_prefix: string;
      s3_access_key_id: string;
      owner_rule: 'fixed' | 'first_folder';
      owner: string;
      folders_as: 'tags' | 'collection';
      include: string[];
      exclude: string[];
      min_bytes: number;
      max_bytes: number | null;
      max_age_days: number | null;
      stable_seconds: number;
      poll_seconds: number;
      polling_only: boolean;
      after: 'keep' | 'move' | 'delete';
      move_to: string;
      uuid: string;
      s3_secret_key: null;
      s3_secret_key_is_set: boolean;
      owner_uuid: string | null;
      status: 'checking' | 'available' | 'unavailable';
      status_since: string;
      error_code: string | null;
      error: string | null;
      scanned_at: string | null;
      files: number;
      has_events: boolean;
      counts: {
        imported?: number | undefined;
        duplicate?: number | undefined;
        waiting?: number | undefined;
        excluded?: number | undefined;
        too_small?: number | undefined;
        too_large?: number | undefined;
        too_old?: number | undefined;
        not_media?: number | undefined;
        owner_unknown?: number | undefined;
        link_refused?: number | undefined;
        failed?: number | undefined;
      };
      updated_at: string;
    };
  };
  'PUT /api/admin/watch-sources/{uuid}': {
    params: {
      uuid: string;
    };
    body: {
      name: string;
      enabled: boolean;
      kind: 'folder' | 's3';
      path: string;
      s3_endpoint_url: string;
      s3_region: string;
      s3_bucket: string;
      s3_prefix: string;
      s3_access_key_id: string;
      owner_rule: 'fixed' | 'first_folder';
      owner: string;
      folders_as?: ('tags' | 'collection') | undefined;
      include: string[];
      exclude: string[];
      min_bytes: number;
      max_bytes: number | null;
      max_age_days: number | null;
      stable_seconds: number;
      poll_seconds: number;
      polling_only: boolean;
      after: 'keep' | 'move' | 'delete';
      move_to: string;
      s3_secret_key?: (string | null) | undefined;
    };
    answer: {
      name: string;
      enabled: boolean;
      kind: 'folder' | 's3';
      path: string;
      s3_endpoint_url: string;
      s3_region: string;
      s3_bucket: string;
      s3_prefix: string;
      s3_access_key_id: string;
      owner_rule: 'fixed' | 'first_folder';
      owner: string;
      folders_as: 'tags' | 'collection';
      include: string[];
      exclude: string[];
      min_bytes: number;
      max_bytes: number | null;
      max_age_days: number | null;
      stable_seconds: number;
      poll_seconds: number;
      polling_only: boolean;
      after: 'keep' | 'move' | 'delete';
      move_to: string;
      uuid: string;
      s3_secret_key: null;
      s3_secret_key_is_set: boolean;
      owner_uuid: string | null;
      status: 'checking' | 'available' | 'unavailable';
      status_since: string;
      error_code: string | null;
      error: string | null;
      scanned_at: string | null;
      files: number;
      has_events: boolean;
      counts: {
        imported?: number | undefined;
        duplicate?: number | undefined;
        waiting?: number | undefined;
        excluded?: number | undefined;
        too_small?: number | undefined;
        too_large?: number | undefined;
        too_old?: number | undefined;
        not_media?: number | undefined;
        owner_unknown?: number | undefined;
        link_refused?: number | undefined;
        failed?: number | undefined;
      };
      updated_at: string;
    };
  };
  'DELETE /api/admin/watch-sources/{uuid}': {
    params: {
      uuid: string;
    };
  };
  'POST /api/admin/watch-sources/test': {
    body: {
      uuid?: string | undefined;
      source: {
        name: string;
        enabled: boolean;
        kind: 'folder' | 's3';
        path: string;
        s3_endpoint_url: string;
        s3_region: string;
        s3_bucket: string;
        s3_prefix: string;
        s3_access_key_id: string;
        owner_rule: 'fixed' | 'first_folder';
        owner: string;
        folders_as?: ('tags' | 'collection') | undefined;
        include: string[];
        exclude: string[];
        min_bytes: number;
        max_bytes: number | null;
        max_age_days: number | null;
        stable_seconds: number;
        poll_seconds: number;
        polling_only: boolean;
        after: 'keep' | 'move' | 'delete';
        move_to: string;
        s3_secret_key?: (string | null) | undefined;
      };
    };
    answer: {
      ok: boolean;
      error_code: string | null;
      error: string | null;
      files: number;
      matching: number;
      examples: string[];
    };
  };
  'POST /api/admin/watch-sources/{uuid}/scan': {
    params: {
      uuid: string;
    };
    answer: {
      name: string;
      enabled: boolean;
      kind: 'folder' | 's3';
      path: string;
      s3_endpoint_url: string;
      s3_region: string;
      s3_bucket: string;
      s3_prefix: string;
      s3_access_key_id: string;
      owner_rule: 'fixed' | 'first_folder';
      owner: string;
      folders_as: 'tags' | 'collection';
      include: string[];
      exclude: string[];
      min_bytes: number;
      max_bytes: number | null;
      max_age_days: number | null;
      stable_seconds: number;
      poll_seconds: number;
      polling_only: boolean;
      after: 'keep' | 'move' | 'delete';
      move_to: string;
      uuid: string;
      s3_secret_key: null;
      s3_secret_key_is_set: boolean;
      owner_uuid: string | null;
      status: 'checking' | 'available' | 'unavailable';
      status_since: string;
      error_code: string | null;
      error: string | null;
      scanned_at: string | null;
      files: number;
      has_events: boolean;
      counts: {
        imported?: number | undefined;
        duplicate?: number | undefined;
        waiting?: number | undefined;
        excluded?: number | undefined;
        too_small?: number | undefined;
        too_large?: number | undefined;
        too_old?: number | undefined;
        not_media?: number | undefined;
        owner_unknown?: number | undefined;
        link_refused?: number | undefined;
        failed?: number | undefined;
      };
      updated_at: string;
    };
  };
  'GET /api/admin/watch-sources/{uuid}/decisions': {
    params: {
      uuid: string;
    };
    query: {
      page?: number | undefined;
      page_size?: number | undefined;
      decision?:
        | (
            | 'imported'
            | 'duplicate'
            | 'waiting'
            | 'excluded'
            | 'too_small'
            | 'too_large'
            | 'too_old'
            | 'not_media'
            | 'owner_unknown'
            | 'link_refused'
            | 'failed'
          )
        | undefined;
      search?: string | undefined;
    };
    answer: {
      items: {
        path: string;
        decision:
          | 'imported'
          | 'duplicate'
          | 'waiting'
          | 'excluded'
          | 'too_small'
          | 'too_large'
          | 'too_old'
          | 'not_media'
          | 'owner_unknown'
          | 'link_refused'
          | 'failed';
        reason: string;
        bytes: number;
        modified_at: string;
        decided_at: string;
        file_uuid: string | null;
        after_state: ('pending' | 'done' | 'failed') | null;
        gone_at: string | null;
      }[];
      total: number;
      page: number;
      page_size: number;
    };
  };
  'GET /api/admin/voice-profiles': {
    answer: {
      settings: Setting[];
    };
  };
  'PUT /api/admin/voice-profiles': {
    body: {
      profiles_enabled?: (boolean | null) | undefined;
      suggestion_threshold?: (number | null) | undefined;
    };
    answer: {
      settings: Setting[];
    };
  };
  'GET /api/speaker-profiles': {
    answer: {
      enabled: boolean;
      profiles: {
        uuid: string;
        name: string;
        group_uuid: string | null;
        auto_apply: boolean;
        speakers: number;
        files: number;
        seconds: number;
        created_at: string;
      }[];
      without_members: {
        uuid: string;
        name: string;
        group_uuid: string | null;
        auto_apply: boolean;
        speakers: number;
        files: number;
        seconds: number;
        created_at: string;
      }[];
    };
  };
  'POST /api/speaker-profiles': {
    body: {
      name: string;
      group_uuid?: (string | null) | undefined;
      speaker_uuids: string[];
    };
    answer: {
      uuid: string;
      name: string;
      group_uuid: string | null;
      auto_apply: boolean;
      speakers: number;
      files: number;
      seconds: number;
      created_at: string;
    };
  };
  'GET /api/speaker-profiles/export': {
    answer: {
      exported_at: string;
      profiles: {
        uuid: string;
        name: string;
        group_uuid: string | null;
        auto_apply: boolean;
        speakers: number;
        files: number;
        seconds: number;
        created_at: string;
      }[];
      voices: {
        speaker_uuid: string;
        label: string;
        file_uuid: string;
        file_title: string;
        talk_time: number;
        sample: {
          start: number;
          end: number;
        } | null;
        profile_uuid: string | null;
        rejected_profile_uuids: string[];
        not_same_person_as: string[];
        embeddings: {
          version: string;
          model: string;
          vector: number[];
        }[];
      }[];
    };
  };
  'PUT /api/speaker-profiles/{uuid}': {
    params: {
      uuid: string;
    };
    body: {
      name?: string | undefined;
      group_uuid?: (string | null) | undefined;
      auto_apply?: boolean | undefined;
      speaker_uuids?: string[] | undefined;
    };
    answer: {
      uuid: string;
      name: string;
      group_uuid: string | null;
      auto_apply: boolean;
      speakers: number;
      files: number;
      seconds: number;
      created_at: string;
    };
  };
  'DELETE /api/speaker-profiles/{uuid}': {
    params: {
      uuid: string;
    };
  };
  'POST /api/speaker-profiles/{uuid}/merge/{target_uuid}': {
    params: {
      uuid: string;
      target_uuid: string;
    };
    answer: {
      uuid: string;
      name: string;
      group_uuid: string | null;
      auto_apply: boolean;
      speakers: number;
      files: number;
      seconds: number;
      created_at: string;
    };
  };
  'POST /api/speaker-profiles/{uuid}/split': {
    params: {
      uuid: string;
    };
    body: {
      name: string;
      speaker_uuids: string[];
    };
    answer: {
      uuid: string;
      name: string;
      group_uuid: string | null;
      auto_apply: boolean;
      speakers: number;
      files: number;
      seconds: number;
      created_at: string;
    };
  };
  'GET /api/speaker-profiles/{uuid}/occurrences': {
    params: {
      uuid: string;
    };
    answer: {
      speaker_uuid: string;
      label: string;
      file_uuid: string;
      file_title: string;
      talk_time: number;
      sample: {
        start: number;
        end: number;
      } | null;
    }[];
  };
  'GET /api/speaker-profiles/{uuid}/rejected-voices': {
    params: {
      uuid: string;
    };
    answer: {
      speaker_uuid: string;
      label: string;
      file_uuid: string;
      file_title: string;
      talk_time: number;
      sample: {
        start: number;
        end: number;
      } | null;
    }[];
  };
  'GET /api/speaker-profiles/excluded-voices': {
    answer: {
      speaker_uuid: string;
      label: string;
      file_uuid: string;
      file_title: string;
      talk_time: number;
      sample: {
        start: number;
        end: number;
      } | null;
      name: string | null;
    }[];
  };
  'POST /api/speaker-profiles/excluded-voices/allow': {
    body: {
      speaker_uuids: string[];
    };
  };
  'GET /api/speaker-clusters': {
    answer: {
      clusters: {
        voices: {
          speaker_uuid: string;
          label: string;
          file_uuid: string;
          file_title: string;
          talk_time: number;
          sample: {
            start: number;
            end: number;
          } | null;
        }[];
        kept_apart: {
          speaker_uuid: string;
          label: string;
          file_uuid: string;
          file_title: string;
          talk_time: number;
          sample: {
            start: number;
            end: number;
          } | null;
        }[];
      }[];
      waiting: number;
      failed: number;
      too_short: number;
    };
  };
  'POST /api/speaker-clusters/separate': {
    body: {
      speaker_uuid: string;
      other_uuids: string[];
    };
  };
  'POST /api/speaker-clusters/separate/undo': {
    body: {
      speaker_uuids: string[];
      other_uuids: string[];
    };
  };
  'GET /api/speaker-suggestions': {
    query: {
      file_uuid?: string | undefined;
    };
    answer: {
      enabled: boolean;
      suggestions: {
        voice: {
          speaker_uuid: string;
          label: string;
          file_uuid: string;
          file_title: string;
          talk_time: number;
          sample: {
            start: number;
            end: number;
          } | null;
        };
        profile: {
          uuid: string;
          name: string;
        };
        confidence: number;
      }[];
    };
  };
  'POST /api/speakers/{uuid}/verify': {
    params: {
      uuid: string;
    };
    body: {
      action: 'accept' | 'reject' | 'remove' | 'undo_reject' | 'accept_rejected';
      profile_uuid: string;
    };
  };
  'GET /api/tasks': {
    query: {
      page?: number | undefined;
      page_size?: number | undefined;
      status?: ('pending' | 'in_progress' | 'completed' | 'failed' | 'cancelled') | undefined;
      task_type?: ('prepare' | 'transcribe' | 'diarize' | 'assemble' | 'index') | undefined;
      queue?: ('gpu' | 'download' | 'cpu' | 'utility' | 'nlp' | 'default' | 'embedding') | undefined;
      file?: string | undefined;
      owner?: string | undefined;
      q?: string | undefined;
    };
    answer: {
      items: Task[];
      total: number;
      page: number;
      page_size: number;
    };
  };
  'GET /api/tasks/dead': {
    query: {
      page?: number | undefined;
      page_size?: number | undefined;
      queue?: ('gpu' | 'download' | 'cpu' | 'utility' | 'nlp' | 'default' | 'embedding') | undefined;
      task_type?: ('prepare' | 'transcribe' | 'diarize' | 'assemble' | 'index') | undefined;
      error_code?: string | undefined;
    };
    answer: {
      items: Task[];
      total: number;
      page: number;
      page_size: number;
      kinds: {
        queue: 'gpu' | 'download' | 'cpu' | 'utility' | 'nlp' | 'default' | 'embedding';
        task_type: 'prepare' | 'transcribe' | 'diarize' | 'assemble' | 'index';
        error_code: string | null;
        count: number;
        newest_at: string;
        oldest_at: string;
      }[];
    };
  };
  'POST /api/tasks/dead/retry': {
    body: {
      queue?: ('gpu' | 'download' | 'cpu' | 'utility' | 'nlp' | 'default' | 'embedding') | undefined;
      task_type?: ('prepare' | 'transcribe' | 'diarize' | 'assemble' | 'index') | undefined;
      error_code?: string | undefined;
    };
    answer: {
      retried: number;
      refused: {
        uuid: string;
        code: string;
        message: string;
      }[];
      remaining: number;
    };
  };
  'POST /api/tasks/dead/discard': {
    body: {
      queue?: ('gpu' | 'download' | 'cpu' | 'utility' | 'nlp' | 'default' | 'embedding') | undefined;
      task_type?: ('prepare' | 'transcribe' | 'diarize' | 'assemble' | 'index') | undefined;
      error_code?: string | undefined;
    };
    answer: {
      discarded: number;
    };
  };
  'POST /api/tasks/recover-stuck-tasks': {
    answer: {
      success: boolean;
      count: number;
      total: number;
      message: string;
    };
  };
  'GET /api/tasks/files/{uuid}': {
    params: {
      uuid: string;
    };
    answer: {
      run_id: string;
      status: 'running' | 'waiting' | 'completed' | 'failed' | 'cancelled';
      waiting_for: ('engine' | 'worker' | 'paused') | null;
      paused_reason: string | null;
      speech_model_percent: number | null;
      audio_duration_s: number | null;
      created_at: string;
      completed_at: string | null;
      stages: {
        stage: 'prepare' | 'transcribe' | 'diarize' | 'assemble' | 'index';
        status: 'pending' | 'running' | 'completed' | 'failed' | 'cancelled';
        started_at: string | null;
        completed_at: string | null;
        seconds: number | null;
        engine_seconds: number | null;
        attempts: number;
        tries: {
          number: number;
          worker: string | null;
          started_at: string;
          ended_at: string | null;
          outcome: 'running' | 'completed' | 'failed' | 'released' | 'lost' | 'cancelled';
          error_code: string | null;
          error_message: string | null;
        }[];
      }[];
    };
  };
  'GET /api/tasks/{uuid}': {
    params: {
      uuid: string;
    };
    answer: {
      uuid: string;
      task_type: 'prepare' | 'transcribe' | 'diarize' | 'assemble' | 'index';
      status: 'pending' | 'in_progress' | 'completed' | 'failed' | 'cancelled';
      queue: 'gpu' | 'download' | 'cpu' | 'utility' | 'nlp' | 'default' | 'embedding';
      media_file_id: string;
      file_title: string | null;
      user_id: string;
      worker: string | null;
      attempt: number;
      progress: number;
      created_at: string;
      started_at: string | null;
      completed_at: string | null;
      next_attempt_at: string | null;
      error_code: string | null;
      error_message: string | null;
      dead: boolean;
      tries: {
        number: number;
        worker: string | null;
        started_at: string;
        ended_at: string | null;
        outcome: 'running' | 'completed' | 'failed' | 'released' | 'lost' | 'cancelled';
        error_code: string | null;
        error_message: string | null;
      }[];
    };
  };
  'DELETE /api/tasks/{uuid}': {
    params: {
      uuid: string;
    };
  };
  'POST /api/tasks/{uuid}/retry': {
    params: {
      uuid: string;
    };
    answer: Task;
  };
  'GET /api/admin/queues': {
    answer: {
      queues: {
        queue: 'gpu' | 'download' | 'cpu' | 'utility' | 'nlp' | 'default' | 'embedding';
        depth: number;
        reserved: number;
        orphaned: number;
        oldest_unacked_seconds: number;
        retrying: number;
        dead: number;
        paused: {
          reason: string;
          by: string;
          by_name: string | null;
          at: string;
        } | null;
      }[];
      workers: {
        id: string;
        service: string;
        pulls: string[];
        engine: {
          provider: 'faster-whisper' | 'sherpa-onnx' | 'openai-compatible' | 'pocketsphinx' | 'scripted' | 'import';
          model: string;
          timing: 'engine' | 'estimated';
        } | null;
        note: string | null;
        state: 'online' | 'offline';
        since: string;
        last_seen: string;
        doing: {
          task_uuid: string;
          stage: 'prepare' | 'transcribe' | 'diarize' | 'assemble' | 'index';
          media_file_id: string;
          file_title: string | null;
          progress: number;
          since: string;
        }[];
      }[];
      at: string;
    };
  };
  'POST /api/admin/queues/{queue}/pause': {
    params: {
      queue: 'gpu' | 'download' | 'cpu' | 'utility' | 'nlp' | 'default' | 'embedding';
    };
    body: {
      reason: string;
    };
    answer: {
      reason: string;
      by: string;
      by_name: string | null;
      at: string;
    };
  };
  'POST /api/admin/queues/{queue}/resume': {
    params: {
      queue: 'gpu' | 'download' | 'cpu' | 'utility' | 'nlp' | 'default' | 'embedding';
    };
    answer: {
      resumed: boolean;
    };
  };
  'GET /api/admin/engines': {
    answer: {
      workers: {
        id: string;
        service: string;
        pulls: string[];
        engine: {
          provider: 'faster-whisper' | 'sherpa-onnx' | 'openai-compatible' | 'pocketsphinx' | 'scripted' | 'import';
          model: string;
          timing: 'engine' | 'estimated';
        } | null;
        note: string | null;
        gpu: {
          devices: {
            index: number;
            uuid: string;
            name: string;
            memory_mib: number;
            capability: number | null;
          }[];
          note: string | null;
          concurrency: number;
          pool: 'prefork' | 'threads';
          tuning: {
            transcribe_on: 'cpu' | 'gpu';
            diarize_on: 'cpu' | 'gpu';
            hybrid: boolean;
            batch_size: number;
            compute_type: 'int8_float16' | 'int8' | 'float16' | 'float32';
          } | null;
        } | null;
      }[];
    };
  };
  'GET /api/admin/gpu-profiles': {
    query: {
      limit?: number | undefined;
    };
    answer: {
      enabled: boolean;
      message: string | null;
      summary: {
        stage: 'transcribe' | 'diarize';
        model: string;
        device: string;
        count: number;
        p50_mib: number;
        max_mib: number;
        audio_seconds: number;
      }[];
      recent: {
        stage: 'transcribe' | 'diarize';
        model: string;
        device: string;
        task: string;
        worker: string;
        baseline_mib: number;
        peak_mib: number;
        audio_seconds: number;
        recorded_at: string;
      }[];
    };
  };
  'GET /api/admin/engine-settings': {
    answer: {
      settings: Setting[];
      workers: {
        id: string;
        settings: {
          [k: string]: {
            value: boolean | number | string | string[] | null;
            source: 'default' | 'environment' | 'stored' | 'computed';
          };
        };
      }[];
    };
  };
  'PUT /api/admin/engine-settings': {
    body: {
      batch_size?: (('auto' | number) | null) | undefined;
      compute_type?: (('auto' | 'int8_float16' | 'int8' | 'float16' | 'float32') | null) | undefined;
      hybrid_mode?: (('auto' | 'true' | 'false') | null) | undefined;
      gpu_concurrency?: (number | null) | undefined;
      express_slots?: (number | null) | undefined;
      remote_concurrency?: (number | null) | undefined;
      threads?: (('auto' | number) | null) | undefined;
      recycle_after_tasks?: (number | null) | undefined;
      vad_threshold?: (number | null) | undefined;
      vad_min_silence_s?: (number | null) | undefined;
      vad_min_speech_s?: (number | null) | undefined;
      min_speakers?: (('auto' | number) | null) | undefined;
      max_speakers?: (('auto' | number) | null) | undefined;
    };
    answer: {
      settings: Setting[];
      workers: {
        id: string;
        settings: {
          [k: string]: {
            value: boolean | number | string | string[] | null;
            source: 'default' | 'environment' | 'stored' | 'computed';
          };
        };
      }[];
    };
  };
  'GET /api/admin/asr-providers': {
    answer: {
      providers: {
        id: string;
        name: string;
        kind: 'faster-whisper' | 'sherpa-onnx' | 'pocketsphinx' | 'openai-compatible';
        enabled: boolean;
        selectable: boolean;
        languages: string[];
        model: string;
        base_url: '' | string;
        vocabulary: string[];
        parallel_requests: number;
        timeout_seconds: number;
        max_audio_seconds: number | null;
        api_key: null;
        api_key_is_set: boolean;
      }[];
      revision: string;
      workers: {
        id: string;
        engines: {
          id: string | null;
          kind: string;
          model: string;
          ready: boolean;
          why: string | null;
          translates: boolean;
        }[];
      }[];
    };
  };
  'PUT /api/admin/asr-providers': {
    body: {
      revision: string;
      providers: {
        id: string;
        name: string;
        kind: 'faster-whisper' | 'sherpa-onnx' | 'pocketsphinx' | 'openai-compatible';
        enabled: boolean;
        selectable: boolean;
        languages: string[];
        model: string;
        base_url: '' | string;
        vocabulary: string[];
        parallel_requests: number;
        timeout_seconds: number;
        max_audio_seconds: number | null;
        api_key?: (string | null) | undefined;
      }[];
      accept_not_ready?: boolean | undefined;
    };
    answer: {
      providers: {
        id: string;
        name: string;
        kind: 'faster-whisper' | 'sherpa-onnx' | 'pocketsphinx' | 'openai-compatible';
        enabled: boolean;
        selectable: boolean;
        languages: string[];
        model: string;
        base_url: '' | string;
        vocabulary: string[];
        parallel_requests: number;
        timeout_seconds: number;
        max_audio_seconds: number | null;
        api_key: null;
        api_key_is_set: boolean;
      }[];
      revision: string;
      workers: {
        id: string;
        engines: {
          id: string | null;
          kind: string;
          model: string;
          ready: boolean;
          why: string | null;
          translates: boolean;
        }[];
      }[];
    };
  };
  'POST /api/admin/asr-providers/test': {
    body: {
      provider: {
        id: string;
        name: string;
        kind: 'faster-whisper' | 'sherpa-onnx' | 'pocketsphinx' | 'openai-compatible';
        enabled: boolean;
        selectable: boolean;
        languages: string[];
        model: string;
        base_url: '' | string;
        vocabulary: string[];
        parallel_requests: number;
        timeout_seconds: number;
        max_audio_seconds: number | null;
        api_key?: (string | null) | undefined;
      };
    };
    answer: {
      ok: boolean;
      error_code: string | null;
      error: string | null;
      text: string;
      language: string | null;
      seconds: number;
    };
  };
  'GET /api/admin/models': {
    answer: {
      folder: string;
      installed: {
        name: string;
        kind: 'asr' | 'vad' | 'segmentation' | 'embedding' | 'sentences' | 'names';
        family: string | null;
        languages: string[];
        licence: string | null;
        bytes: number;
        origin: ('catalogue' | 'manifest' | 'import') | null;
        verified_at: string | null;
        fault: string | null;
        evaluation: {
          set: string;
          at: string;
          recordings: number;
          audio_seconds: number;
          words: number;
          wer: {
            value: number;
            low: number;
            high: number;
          } | null;
          der: {
            value: number;
            collar_s: number;
            method: string;
          } | null;
          real_time_factor: number;
          peak_memory_mib: number | null;
          sctk: {
            wer: number | null;
            der: number | null;
          } | null;
          cores: number;
        } | null;
      }[];
      catalogue: {
        name: string;
        title: string;
        kind: 'asr' | 'vad' | 'segmentation' | 'embedding' | 'sentences' | 'names';
        family: string;
        languages: string[];
        licence: {
          name: string;
          url: string;
          acceptance: boolean;
          notice?: string | undefined;
        };
        purpose: string;
        bytes: number;
        download_bytes: number;
        memory_mib: number;
        cpu_real_time_factor: number | null;
      }[];
      tasks: {
        name: string;
        state: 'running' | 'done' | 'failed';
        received_bytes: number;
        total_bytes: number;
        error_code: string | null;
        error: string | null;
        at: string;
      }[];
      suggestion: {
        text: string;
        name: string | null;
      };
      speech_setup: {
        state: 'running' | 'done' | 'failed';
        step: 'environment' | 'model' | 'further';
        model: string;
        received_bytes: number;
        total_bytes: number;
        error: string | null;
        began_at: string;
        at: string;
      } | null;
    };
  };
  'POST /api/admin/models/{name}/pull': {
    params: {
      name: string;
    };
    body: {
      accept_licence?: boolean | undefined;
    };
    answer: {
      queued: true;
    };
  };
  'POST /api/admin/models/{name}/verify': {
    params: {
      name: string;
    };
    answer: {
      queued: true;
    };
  };
  'DELETE /api/admin/models/{name}': {
    params: {
      name: string;
    };
    answer: {
      removed: true;
    };
  };
  'GET /api/search': {
    query: {
      page?: number | undefined;
      page_size?: number | undefined;
      q: string;
      search_mode?: ('hybrid' | 'keyword' | 'semantic') | undefined;
      speakers?: string[] | undefined;
      tags?: string[] | undefined;
      collection?: string | undefined;
      file_type?: ('audio' | 'video')[] | undefined;
      date_from?: string | undefined;
      date_to?: string | undefined;
      min_duration?: number | undefined;
      max_duration?: number | undefined;
      exact?: ('true' | 'false') | undefined;
      sort_by?: ('relevance' | 'upload_time' | 'title' | 'duration') | undefined;
      sort_order?: ('asc' | 'desc') | undefined;
      facets?: ('true' | 'false') | undefined;
      time_zone?: string | undefined;
    };
    answer: SearchAnswer;
  };
  'GET /api/search/suggestions': {
    query: {
      q: string;
      limit?: number | undefined;
    };
    answer: {
      type: 'title' | 'speaker' | 'tag' | 'content';
      text: string;
      file_uuid: string | null;
      count: number;
    }[];
  };
  'GET /api/search/filters': {
    answer: {
      speakers: {
        name: string;
        count: number;
      }[];
      tags: {
        name: string;
        count: number;
      }[];
      date_range: {
        min: string | null;
        max: string | null;
      };
    };
  };
  'GET /api/search/index-health': {
    answer:
      | {
          status: 'green' | 'yellow' | 'red';
          backend: 'lancedb' | 'elasticsearch';
          chunks: number;
          files: number;
          keyword_only_files: number;
          error: string | null;
        }
      | {
          status: 'green' | 'yellow' | 'red';
        };
  };
  'POST /api/search/reindex': {
    body?:
      | {
          file_uuids?: (string[] | null) | undefined;
          user_uuid?: (string | null) | undefined;
        }
      | undefined;
    answer: {
      status: 'started' | 'running' | 'nothing';
      total_files: number;
      message: string;
    };
  };
  'POST /api/search/reindex/preview': {
    body?:
      | {
          file_uuids?: (string[] | null) | undefined;
          user_uuid?: (string | null) | undefined;
        }
      | undefined;
    answer: {
      total_files: number;
      missing: {
        count: number;
        files: {
          file_uuid: string;
          title: string | null;
        }[];
      };
      stale: {
        count: number;
        files: {
          file_uuid: string;
          title: string | null;
        }[];
      };
      extra: {
        count: number;
        files: {
          file_uuid: string;
          title: string | null;
        }[];
      };
      waiting_files: number;
      unchanged_files: number;
      model: string | null;
      next_model: string | null;
    };
  };
  'POST /api/search/reindex/stop': {
    answer: {
      status: 'stop_requested' | 'not_running';
      message: string;
    };
  };
  'GET /api/search/reindex/status': {
    answer: {
      in_progress: boolean;
      stop_requested: boolean;
      scope: ('all' | 'user' | 'files' | 'repair') | null;
      outcome: ('completed' | 'stopped') | null;
      total_files: number;
      indexed_files: number;
      failed_files: number;
      pending_files: number;
      files_per_minute: number | null;
      seconds_left: number | null;
      started_at: string | null;
      finished_at: string | null;
      model: string | null;
      last_completed_at: string | null;
    };
  };
  'GET /api/search/consistency': {
    answer: {
      total_files: number;
      missing: {
        count: number;
        files: {
          file_uuid: string;
          title: string | null;
        }[];
      };
      stale: {
        count: number;
        files: {
          file_uuid: string;
          title: string | null;
        }[];
      };
      extra: {
        count: number;
        files: {
          file_uuid: string;
          title: string | null;
        }[];
      };
      waiting_files: number;
      unchanged_files: number;
      checked_at: string;
    };
  };
  'POST /api/search/consistency/repair': {
    answer: {
      status: 'started' | 'running' | 'nothing';
      total_files: number;
      message: string;
    };
  };
  'GET /api/search/saved': {
    answer: {
      items: {
        uuid: string;
        name: string;
        search: {
          q: string;
          search_mode: 'hybrid' | 'keyword' | 'semantic';
          speakers: string[];
          tags: string[];
          collection: string | null;
          file_type: ('audio' | 'video')[];
          from: string | null;
          to: string | null;
          sort_by: 'relevance' | 'upload_time' | 'title' | 'duration';
        };
        created_at: string;
        updated_at: string;
      }[];
    };
  };
  'POST /api/search/saved': {
    body: {
      name: string;
      search: {
        q: string;
        search_mode?: ('hybrid' | 'keyword' | 'semantic') | undefined;
        speakers?: string[] | undefined;
        tags?: string[] | undefined;
        collection?: (string | null) | undefined;
        file_type?: ('audio' | 'video')[] | undefined;
        from?: (string | null) | undefined;
        to?: (string | null) | undefined;
        sort_by?: ('relevance' | 'upload_time' | 'title' | 'duration') | undefined;
      };
    };
    answer: {
      uuid: string;
      name: string;
      search: {
        q: string;
        search_mode: 'hybrid' | 'keyword' | 'semantic';
        speakers: string[];
        tags: string[];
        collection: string | null;
        file_type: ('audio' | 'video')[];
        from: string | null;
        to: string | null;
        sort_by: 'relevance' | 'upload_time' | 'title' | 'duration';
      };
      created_at: string;
      updated_at: string;
    };
  };
  'PUT /api/search/saved/{uuid}': {
    params: {
      uuid: string;
    };
    body: {
      name?: string | undefined;
      search?:
        | {
            q: string;
            search_mode?: ('hybrid' | 'keyword' | 'semantic') | undefined;
            speakers?: string[] | undefined;
            tags?: string[] | undefined;
            collection?: (string | null) | undefined;
            file_type?: ('audio' | 'video')[] | undefined;
            from?: (string | null) | undefined;
            to?: (string | null) | undefined;
            sort_by?: ('relevance' | 'upload_time' | 'title' | 'duration') | undefined;
          }
        | undefined;
    };
    answer: {
      uuid: string;
      name: string;
      search: {
        q: string;
        search_mode: 'hybrid' | 'keyword' | 'semantic';
        speakers: string[];
        tags: string[];
        collection: string | null;
        file_type: ('audio' | 'video')[];
        from: string | null;
        to: string | null;
        sort_by: 'relevance' | 'upload_time' | 'title' | 'duration';
      };
      created_at: string;
      updated_at: string;
    };
  };
  'DELETE /api/search/saved/{uuid}': {
    params: {
      uuid: string;
    };
  };
  'GET /api/search/speaker-index': {
    answer: {
      enabled: boolean;
      alias: 'speakers';
      versions: {
        name: 'v3' | 'v4' | 'v5';
        model: string;
        dimension: number;
        needs: string | null;
        state: 'current' | 'building' | 'complete' | 'absent';
        speakers: number;
        files: number;
      }[];
      migration: {
        target: 'v3' | 'v4' | 'v5';
        state: 'running' | 'stopped';
        total_files: number;
        done_files: number;
        failed_files: number;
        files_per_minute: number | null;
        seconds_left: number | null;
        started_at: string;
      } | null;
      waiting_files: number;
      failed_files: number;
      failures: {
        reason: string;
        files: number;
      }[];
      switched_at: string | null;
    };
  };
  'POST /api/search/speaker-index/migration': {
    body: {
      version: 'v3' | 'v4' | 'v5';
    };
    answer: {
      enabled: boolean;
      alias: 'speakers';
      versions: {
        name: 'v3' | 'v4' | 'v5';
        model: string;
        dimension: number;
        needs: string | null;
        state: 'current' | 'building' | 'complete' | 'absent';
        speakers: number;
        files: number;
      }[];
      migration: {
        target: 'v3' | 'v4' | 'v5';
        state: 'running' | 'stopped';
        total_files: number;
        done_files: number;
        failed_files: number;
        files_per_minute: number | null;
        seconds_left: number | null;
        started_at: string;
      } | null;
      waiting_files: number;
      failed_files: number;
      failures: {
        reason: string;
        files: number;
      }[];
      switched_at: string | null;
    };
  };
  'POST /api/search/speaker-index/migration/stop': {
    answer: {
      enabled: boolean;
      alias: 'speakers';
      versions: {
        name: 'v3' | 'v4' | 'v5';
        model: string;
        dimension: number;
        needs: string | null;
        state: 'current' | 'building' | 'complete' | 'absent';
        speakers: number;
        files: number;
      }[];
      migration: {
        target: 'v3' | 'v4' | 'v5';
        state: 'running' | 'stopped';
        total_files: number;
        done_files: number;
        failed_files: number;
        files_per_minute: number | null;
        seconds_left: number | null;
        started_at: string;
      } | null;
      waiting_files: number;
      failed_files: number;
      failures: {
        reason: string;
        files: number;
      }[];
      switched_at: string | null;
    };
  };
  'PUT /api/search/speaker-index/alias': {
    body: {
      version: 'v3' | 'v4' | 'v5';
    };
    answer: {
      enabled: boolean;
      alias: 'speakers';
      versions: {
        name: 'v3' | 'v4' | 'v5';
        model: string;
        dimension: number;
        needs: string | null;
        state: 'current' | 'building' | 'complete' | 'absent';
        speakers: number;
        files: number;
      }[];
      migration: {
        target: 'v3' | 'v4' | 'v5';
        state: 'running' | 'stopped';
        total_files: number;
        done_files: number;
        failed_files: number;
        files_per_minute: number | null;
        seconds_left: number | null;
        started_at: string;
      } | null;
      waiting_files: number;
      failed_files: number;
      failures: {
        reason: string;
        files: number;
      }[];
      switched_at: string | null;
    };
  };
  'POST /api/search/speaker-index/retry': {
    answer: {
      enabled: boolean;
      alias: 'speakers';
      versions: {
        name: 'v3' | 'v4' | 'v5';
        model: string;
        dimension: number;
        needs: string | null;
        state: 'current' | 'building' | 'complete' | 'absent';
        speakers: number;
        files: number;
      }[];
      migration: {
        target: 'v3' | 'v4' | 'v5';
        state: 'running' | 'stopped';
        total_files: number;
        done_files: number;
        failed_files: number;
        files_per_minute: number | null;
        seconds_left: number | null;
        started_at: string;
      } | null;
      waiting_files: number;
      failed_files: number;
      failures: {
        reason: string;
        files: number;
      }[];
      switched_at: string | null;
    };
  };
  'DELETE /api/search/speaker-index/versions/{version}': {
    params: {
      version: 'v3' | 'v4' | 'v5';
    };
    answer: {
      enabled: boolean;
      alias: 'speakers';
      versions: {
        name: 'v3' | 'v4' | 'v5';
        model: string;
        dimension: number;
        needs: string | null;
        state: 'current' | 'building' | 'complete' | 'absent';
        speakers: number;
        files: number;
      }[];
      migration: {
        target: 'v3' | 'v4' | 'v5';
        state: 'running' | 'stopped';
        total_files: number;
        done_files: number;
        failed_files: number;
        files_per_minute: number | null;
        seconds_left: number | null;
        started_at: string;
      } | null;
      waiting_files: number;
      failed_files: number;
      failures: {
        reason: string;
        files: number;
      }[];
      switched_at: string | null;
    };
  };
  'GET /api/admin/backup/settings': {
    answer: {
      settings: Setting[];
    };
  };
  'PUT /api/admin/backup/settings': {
    body: {
      enabled?: (boolean | null) | undefined;
      schedule?: (string | null) | undefined;
      destination_type?: (('folder' | 's3') | null) | undefined;
      destination?: (string | null) | undefined;
      s3_endpoint_url?: (('' | string) | null) | undefined;
      s3_region?: (string | null) | undefined;
      s3_bucket?: (string | null) | undefined;
      s3_access_key_id?: (string | null) | undefined;
      s3_secret_key?: ((string | null) | null) | undefined;
      s3_prefix?: (('' | string) | null) | undefined;
      retention_daily?: (number | null) | undefined;
      retention_weekly?: (number | null) | undefined;
      retention_monthly?: (number | null) | undefined;
      encrypt?: (boolean | null) | undefined;
      passphrase?: ((string | null) | null) | undefined;
    };
    answer: {
      settings: Setting[];
    };
  };
  'POST /api/admin/backup/test': {
    body?:
      | {
          enabled?: (boolean | null) | undefined;
          schedule?: (string | null) | undefined;
          destination_type?: (('folder' | 's3') | null) | undefined;
          destination?: (string | null) | undefined;
          s3_endpoint_url?: (('' | string) | null) | undefined;
          s3_region?: (string | null) | undefined;
          s3_bucket?: (string | null) | undefined;
          s3_access_key_id?: (string | null) | undefined;
          s3_secret_key?: ((string | null) | null) | undefined;
          s3_prefix?: (('' | string) | null) | undefined;
          retention_daily?: (number | null) | undefined;
          retention_weekly?: (number | null) | undefined;
          retention_monthly?: (number | null) | undefined;
          encrypt?: (boolean | null) | undefined;
          passphrase?: ((string | null) | null) | undefined;
        }
      | undefined;
    answer: {
      destination: string | null;
      ok: boolean;
      error_code: string | null;
      error: string | null;
      free_bytes: number | null;
      creates_folder_on: ('system_disk' | 'other_disk') | null;
    };
  };
  'POST /api/admin/backup/run': {
    answer: {
      run_id: string;
      status: 'queued';
      message: string;
    };
  };
  'GET /api/admin/backup/runs': {
    query: {
      page?: number | undefined;
      page_size?: number | undefined;
    };
    answer: {
      items: {
        uuid: string;
        trigger: 'manual' | 'schedule';
        status: 'queued' | 'running' | 'success' | 'failed';
        scheduled_for: string | null;
        queued_at: string;
        started_at: string | null;
        finished_at: string | null;
        duration_s: number | null;
        destination: string | null;
        error_code: string | null;
        error: string | null;
        name: string | null;
        size_bytes: number | null;
      }[];
      total: number;
      page: number;
      page_size: number;
    };
  };
  'GET /api/admin/backup/backups': {
    answer: {
      backups: {
        name: string;
        filename: string;
        size_bytes: number;
        created_at: string;
        encrypted: boolean;
        product_version: string;
        schema_version: number;
      }[];
      unreadable: string[];
      destination_status: {
        destination: string | null;
        ok: boolean;
        error_code: string | null;
        error: string | null;
        free_bytes: number | null;
        creates_folder_on: ('system_disk' | 'other_disk') | null;
      };
    };
  };
  'GET /api/admin/backup/status': {
    answer: {
      enabled: boolean;
      schedule: string;
      next_due: string | null;
      running: {
        uuid: string;
        trigger: 'manual' | 'schedule';
        status: 'queued' | 'running' | 'success' | 'failed';
        scheduled_for: string | null;
        queued_at: string;
        started_at: string | null;
        finished_at: string | null;
        duration_s: number | null;
        destination: string | null;
        error_code: string | null;
        error: string | null;
        name: string | null;
        size_bytes: number | null;
      } | null;
      last_run: {
        uuid: string;
        trigger: 'manual' | 'schedule';
        status: 'queued' | 'running' | 'success' | 'failed';
        scheduled_for: string | null;
        queued_at: string;
        started_at: string | null;
        finished_at: string | null;
        duration_s: number | null;
        destination: string | null;
        error_code: string | null;
        error: string | null;
        name: string | null;
        size_bytes: number | null;
      } | null;
      last_success: {
        uuid: string;
        trigger: 'manual' | 'schedule';
        status: 'queued' | 'running' | 'success' | 'failed';
        scheduled_for: string | null;
        queued_at: string;
        started_at: string | null;
        finished_at: string | null;
        duration_s: number | null;
        destination: string | null;
        error_code: string | null;
        error: string | null;
        name: string | null;
        size_bytes: number | null;
      } | null;
      destination_status: {
        destination: string | null;
        ok: boolean;
        error_code: string | null;
        error: string | null;
        free_bytes: number | null;
        creates_folder_on: ('system_disk' | 'other_disk') | null;
      };
      data_folder: string | null;
      pg_dump_available: boolean;
    };
  };
  'GET /api/admin/media-mirror/settings': {
    answer: {
      settings: Setting[];
    };
  };
  'PUT /api/admin/media-mirror/settings': {
    body: {
      enabled?: (boolean | null) | undefined;
      schedule?: (string | null) | undefined;
      destination_type?: (('folder' | 's3') | null) | undefined;
      destination?: (string | null) | undefined;
      s3_endpoint_url?: (('' | string) | null) | undefined;
      s3_region?: (string | null) | undefined;
      s3_bucket?: (string | null) | undefined;
      s3_access_key_id?: (string | null) | undefined;
      s3_secret_key?: ((string | null) | null) | undefined;
      throttle_mb_per_second?: ((number | null) | null) | undefined;
    };
    answer: {
      settings: Setting[];
    };
  };
  'POST /api/admin/media-mirror/test': {
    body?:
      | {
          enabled?: (boolean | null) | undefined;
          schedule?: (string | null) | undefined;
          destination_type?: (('folder' | 's3') | null) | undefined;
          destination?: (string | null) | undefined;
          s3_endpoint_url?: (('' | string) | null) | undefined;
          s3_region?: (string | null) | undefined;
          s3_bucket?: (string | null) | undefined;
          s3_access_key_id?: (string | null) | undefined;
          s3_secret_key?: ((string | null) | null) | undefined;
          throttle_mb_per_second?: ((number | null) | null) | undefined;
        }
      | undefined;
    answer: {
      destination: string | null;
      ok: boolean;
      error_code: string | null;
      error: string | null;
      free_bytes: number | null;
      creates_folder_on: ('system_disk' | 'other_disk') | null;
    };
  };
  'POST /api/admin/media-mirror/run': {
    answer: {
      run_id: string;
      status: 'queued';
      message: string;
    };
  };
  'GET /api/admin/media-mirror/runs': {
    query: {
      page?: number | undefined;
      page_size?: number | undefined;
    };
    answer: {
      items: {
        uuid: string;
        trigger: 'manual' | 'schedule';
        status: 'queued' | 'running' | 'success' | 'failed';
        scheduled_for: string | null;
        queued_at: string;
        started_at: string | null;
        finished_at: string | null;
        duration_s: number | null;
        destination: string | null;
        error_code: string | null;
        error: string | null;
        copied: number;
        bytes_copied: number;
        already_there: number;
        missing: number;
        differing: number;
        failed: number;
      }[];
      total: number;
      page: number;
      page_size: number;
    };
  };
  'GET /api/admin/media-mirror/status': {
    answer: {
      enabled: boolean;
      schedule: string;
      next_due: string | null;
      running: {
        uuid: string;
        trigger: 'manual' | 'schedule';
        status: 'queued' | 'running' | 'success' | 'failed';
        scheduled_for: string | null;
        queued_at: string;
        started_at: string | null;
        finished_at: string | null;
        duration_s: number | null;
        destination: string | null;
        error_code: string | null;
        error: string | null;
        copied: number;
        bytes_copied: number;
        already_there: number;
        missing: number;
        differing: number;
        failed: number;
      } | null;
      last_run: {
        uuid: string;
        trigger: 'manual' | 'schedule';
        status: 'queued' | 'running' | 'success' | 'failed';
        scheduled_for: string | null;
        queued_at: string;
        started_at: string | null;
        finished_at: string | null;
        duration_s: number | null;
        destination: string | null;
        error_code: string | null;
        error: string | null;
        copied: number;
        bytes_copied: number;
        already_there: number;
        missing: number;
        differing: number;
        failed: number;
      } | null;
      last_success: {
        uuid: string;
        trigger: 'manual' | 'schedule';
        status: 'queued' | 'running' | 'success' | 'failed';
        scheduled_for: string | null;
        queued_at: string;
        started_at: string | null;
        finished_at: string | null;
        duration_s: number | null;
        destination: string | null;
        error_code: string | null;
        error: string | null;
        copied: number;
        bytes_copied: number;
        already_there: number;
        missing: number;
        differing: number;
        failed: number;
      } | null;
      destination_status: {
        destination: string | null;
        ok: boolean;
        error_code: string | null;
        error: string | null;
        free_bytes: number | null;
        creates_folder_on: ('system_disk' | 'other_disk') | null;
      };
      data_folder: string | null;
      objects: number;
    };
  };
  'GET /api/admin/media-mirror/report': {
    answer: {
      run: {
        uuid: string;
        trigger: 'manual' | 'schedule';
        status: 'queued' | 'running' | 'success' | 'failed';
        scheduled_for: string | null;
        queued_at: string;
        started_at: string | null;
        finished_at: string | null;
        duration_s: number | null;
        destination: string | null;
        error_code: string | null;
        error: string | null;
        copied: number;
        bytes_copied: number;
        already_there: number;
        missing: number;
        differing: number;
        failed: number;
      } | null;
      names: {
        missing: string[];
        differing: string[];
        failed: {
          key: string;
          error: string;
        }[];
      };
    };
  };
  'GET /api/files/{uuid}/suggestions': {
    params: {
      uuid: string;
    };
    answer: {
      media_file_id: string;
      user_id: string;
      suggested_tags: {
        uuid: string;
        name: string;
        confidence: number;
        rationale: string;
        segment_uuid: string | null;
        start: number | null;
        status: 'pending' | 'accepted' | 'applied' | 'rejected' | 'undone';
      }[];
      suggested_collections: {
        uuid: string;
        name: string;
        confidence: number;
        rationale: string;
        segment_uuid: string | null;
        start: number | null;
        status: 'pending' | 'accepted' | 'applied' | 'rejected' | 'undone';
      }[];
      suggested_speakers: {
        uuid: string;
        name: string;
        confidence: number;
        rationale: string;
        segment_uuid: string | null;
        start: number | null;
        status: 'pending' | 'accepted' | 'applied' | 'rejected' | 'undone';
        speaker_uuid: string;
      }[];
      status: 'pending' | 'reviewed' | 'accepted' | 'rejected';
      auto_applied_tags: string[];
      auto_applied_collections: string[];
      auto_apply_completed_at: string | null;
      labels: {
        state: 'none' | 'waiting' | 'processing' | 'completed' | 'failed' | 'withheld';
        error_code: string | null;
        made_without_model: boolean;
        provider: string | null;
        model: string | null;
        out_of_date: boolean;
        finished_at: string | null;
      };
      speakers: {
        state: 'none' | 'waiting' | 'processing' | 'completed' | 'failed' | 'withheld';
        error_code: string | null;
        made_without_model: boolean;
        provider: string | null;
        model: string | null;
        out_of_date: boolean;
        finished_at: string | null;
      };
      created_at: string | null;
    };
  };
  'DELETE /api/files/{uuid}/suggestions': {
    params: {
      uuid: string;
    };
  };
  'POST /api/files/{uuid}/suggestions/accept': {
    params: {
      uuid: string;
    };
    body: {
      suggestion_uuids: string[];
    };
    answer: {
      changed: string[];
      suggestions: {
        media_file_id: string;
        user_id: string;
        suggested_tags: {
          uuid: string;
          name: string;
          confidence: number;
          rationale: string;
          segment_uuid: string | null;
          start: number | null;
          status: 'pending' | 'accepted' | 'applied' | 'rejected' | 'undone';
        }[];
        suggested_collections: {
          uuid: string;
          name: string;
          confidence: number;
          rationale: string;
          segment_uuid: string | null;
          start: number | null;
          status: 'pending' | 'accepted' | 'applied' | 'rejected' | 'undone';
        }[];
        suggested_speakers: {
          uuid: string;
          name: string;
          confidence: number;
          rationale: string;
          segment_uuid: string | null;
          start: number | null;
          status: 'pending' | 'accepted' | 'applied' | 'rejected' | 'undone';
          speaker_uuid: string;
        }[];
        status: 'pending' | 'reviewed' | 'accepted' | 'rejected';
        auto_applied_tags: string[];
        auto_applied_collections: string[];
        auto_apply_completed_at: string | null;
        labels: {
          state: 'none' | 'waiting' | 'processing' | 'completed' | 'failed' | 'withheld';
          error_code: string | null;
          made_without_model: boolean;
          provider: string | null;
          model: string | null;
          out_of_date: boolean;
          finished_at: string | null;
        };
        speakers: {
          state: 'none' | 'waiting' | 'processing' | 'completed' | 'failed' | 'withheld';
          error_code: string | null;
          made_without_model: boolean;
          provider: string | null;
          model: string | null;
          out_of_date: boolean;
          finished_at: string | null;
        };
        created_at: string | null;
      };
    };
  };
  'POST /api/files/{uuid}/suggestions/reject': {
    params: {
      uuid: string;
    };
    body: {
      suggestion_uuids: string[];
    };
    answer: {
      changed: string[];
      suggestions: {
        media_file_id: string;
        user_id: string;
        suggested_tags: {
          uuid: string;
          name: string;
          confidence: number;
          rationale: string;
          segment_uuid: string | null;
          start: number | null;
          status: 'pending' | 'accepted' | 'applied' | 'rejected' | 'undone';
        }[];
        suggested_collections: {
          uuid: string;
          name: string;
          confidence: number;
          rationale: string;
          segment_uuid: string | null;
          start: number | null;
          status: 'pending' | 'accepted' | 'applied' | 'rejected' | 'undone';
        }[];
        suggested_speakers: {
          uuid: string;
          name: string;
          confidence: number;
          rationale: string;
          segment_uuid: string | null;
          start: number | null;
          status: 'pending' | 'accepted' | 'applied' | 'rejected' | 'undone';
          speaker_uuid: string;
        }[];
        status: 'pending' | 'reviewed' | 'accepted' | 'rejected';
        auto_applied_tags: string[];
        auto_applied_collections: string[];
        auto_apply_completed_at: string | null;
        labels: {
          state: 'none' | 'waiting' | 'processing' | 'completed' | 'failed' | 'withheld';
          error_code: string | null;
          made_without_model: boolean;
          provider: string | null;
          model: string | null;
          out_of_date: boolean;
          finished_at: string | null;
        };
        speakers: {
          state: 'none' | 'waiting' | 'processing' | 'completed' | 'failed' | 'withheld';
          error_code: string | null;
          made_without_model: boolean;
          provider: string | null;
          model: string | null;
          out_of_date: boolean;
          finished_at: string | null;
        };
        created_at: string | null;
      };
    };
  };
  'POST /api/files/{uuid}/suggestions/undo': {
    params: {
      uuid: string;
    };
    body: {
      suggestion_uuids: string[];
    };
    answer: {
      changed: string[];
      suggestions: {
        media_file_id: string;
        user_id: string;
        suggested_tags: {
          uuid: string;
          name: string;
          confidence: number;
          rationale: string;
          segment_uuid: string | null;
          start: number | null;
          status: 'pending' | 'accepted' | 'applied' | 'rejected' | 'undone';
        }[];
        suggested_collections: {
          uuid: string;
          name: string;
          confidence: number;
          rationale: string;
          segment_uuid: string | null;
          start: number | null;
          status: 'pending' | 'accepted' | 'applied' | 'rejected' | 'undone';
        }[];
        suggested_speakers: {
          uuid: string;
          name: string;
          confidence: number;
          rationale: string;
          segment_uuid: string | null;
          start: number | null;
          status: 'pending' | 'accepted' | 'applied' | 'rejected' | 'undone';
          speaker_uuid: string;
        }[];
        status: 'pending' | 'reviewed' | 'accepted' | 'rejected';
        auto_applied_tags: string[];
        auto_applied_collections: string[];
        auto_apply_completed_at: string | null;
        labels: {
          state: 'none' | 'waiting' | 'processing' | 'completed' | 'failed' | 'withheld';
          error_code: string | null;
          made_without_model: boolean;
          provider: string | null;
          model: string | null;
          out_of_date: boolean;
          finished_at: string | null;
        };
        speakers: {
          state: 'none' | 'waiting' | 'processing' | 'completed' | 'failed' | 'withheld';
          error_code: string | null;
          made_without_model: boolean;
          provider: string | null;
          model: string | null;
          out_of_date: boolean;
          finished_at: string | null;
        };
        created_at: string | null;
      };
    };
  };
  'POST /api/files/{uuid}/identify-speakers': {
    params: {
      uuid: string;
    };
    body?:
      | {
          force_regenerate?: boolean | undefined;
        }
      | undefined;
    answer: {
      message: string;
      file_id: string;
      ordered: boolean;
    };
  };
  'POST /api/topics/{uuid}/extract': {
    params: {
      uuid: string;
    };
    body?:
      | {
          force_regenerate?: boolean | undefined;
        }
      | undefined;
    answer: {
      message: string;
      file_id: string;
      ordered: boolean;
    };
  };
  'POST /api/topics/{uuid}/apply': {
    params: {
      uuid: string;
    };
    body: {
      accepted_tags?: string[] | undefined;
      accepted_collections?: string[] | undefined;
    };
    answer: {
      changed: string[];
      suggestions: {
        media_file_id: string;
        user_id: string;
        suggested_tags: {
          uuid: string;
          name: string;
          confidence: number;
          rationale: string;
          segment_uuid: string | null;
          start: number | null;
          status: 'pending' | 'accepted' | 'applied' | 'rejected' | 'undone';
        }[];
        suggested_collections: {
          uuid: string;
          name: string;
          confidence: number;
          rationale: string;
          segment_uuid: string | null;
          start: number | null;
          status: 'pending' | 'accepted' | 'applied' | 'rejected' | 'undone';
        }[];
        suggested_speakers: {
          uuid: string;
          name: string;
          confidence: number;
          rationale: string;
          segment_uuid: string | null;
          start: number | null;
          status: 'pending' | 'accepted' | 'applied' | 'rejected' | 'undone';
          speaker_uuid: string;
        }[];
        status: 'pending' | 'reviewed' | 'accepted' | 'rejected';
        auto_applied_tags: string[];
        auto_applied_collections: string[];
        auto_apply_completed_at: string | null;
        labels: {
          state: 'none' | 'waiting' | 'processing' | 'completed' | 'failed' | 'withheld';
          error_code: string | null;
          made_without_model: boolean;
          provider: string | null;
          model: string | null;
          out_of_date: boolean;
          finished_at: string | null;
        };
        speakers: {
          state: 'none' | 'waiting' | 'processing' | 'completed' | 'failed' | 'withheld';
          error_code: string | null;
          made_without_model: boolean;
          provider: string | null;
          model: string | null;
          out_of_date: boolean;
          finished_at: string | null;
        };
        created_at: string | null;
      };
    };
  };
  'POST /api/topics/{uuid}/auto-label': {
    params: {
      uuid: string;
    };
    answer: {
      message: string;
      file_id: string;
      ordered: boolean;
    };
  };
  'POST /api/topics/batch-extract': {
    body: {
      file_uuids: string[];
    };
    answer: {
      ordered: string[];
    };
  };
  'POST /api/topics/retroactive-auto-label': {
    body: {
      file_uuids?: (string[] | null) | undefined;
    };
    answer: {
      uuid: string;
      status: 'running' | 'stopped' | 'completed';
      total: number;
      processed: number;
      failed: number;
      labels: number;
      started_at: string;
      finished_at: string | null;
    };
  };
  'DELETE /api/topics/retroactive-auto-label': {
    answer: {
      run: {
        uuid: string;
        status: 'running' | 'stopped' | 'completed';
        total: number;
        processed: number;
        failed: number;
        labels: number;
        started_at: string;
        finished_at: string | null;
      } | null;
    };
  };
  'GET /api/topics/retroactive-auto-label/status': {
    answer: {
      run: {
        uuid: string;
        status: 'running' | 'stopped' | 'completed';
        total: number;
        processed: number;
        failed: number;
        labels: number;
        started_at: string;
        finished_at: string | null;
      } | null;
    };
  };
  'GET /api/user-settings/auto-label': {
    answer: {
      enabled: boolean;
      confidence_threshold: number;
      tags_enabled: boolean;
      collections_enabled: boolean;
      allowed: boolean;
      is_set: boolean;
    };
  };
  'PUT /api/user-settings/auto-label': {
    body: {
      enabled?: boolean | undefined;
      confidence_threshold?: number | undefined;
      tags_enabled?: boolean | undefined;
      collections_enabled?: boolean | undefined;
    };
    answer: {
      enabled: boolean;
      confidence_threshold: number;
      tags_enabled: boolean;
      collections_enabled: boolean;
      allowed: boolean;
      is_set: boolean;
    };
  };
  'DELETE /api/user-settings/auto-label': {
    answer: {
      enabled: boolean;
      confidence_threshold: number;
      tags_enabled: boolean;
      collections_enabled: boolean;
      allowed: boolean;
      is_set: boolean;
    };
  };
  'GET /api/admin/label-settings': {
    answer: {
      settings: Setting[];
    };
  };
  'PUT /api/admin/label-settings': {
    body: {
      apply_automatically?: (boolean | null) | undefined;
      confidence_threshold?: (number | null) | undefined;
    };
    answer: {
      settings: Setting[];
    };
  };
  'GET /api/ask/conversations': {
    query: {
      page?: number | undefined;
      page_size?: number | undefined;
      scope?: ('file' | 'collection' | 'library') | undefined;
      scope_uuid?: string | undefined;
    };
    answer: {
      items: {
        uuid: string;
        title: string;
        scope: 'file' | 'collection' | 'library';
        scope_uuid: string | null;
        scope_title: string | null;
        is_owner: boolean;
        owner_name: string | null;
        messages_total: number;
        created_at: string;
        updated_at: string;
      }[];
      total: number;
      page: number;
      page_size: number;
    };
  };
  'POST /api/ask/conversations': {
    body: {
      scope?: ('file' | 'collection' | 'library') | undefined;
      scope_uuid?: (string | null) | undefined;
      title?: string | undefined;
    };
    answer: {
      uuid: string;
      title: string;
      scope: 'file' | 'collection' | 'library';
      scope_uuid: string | null;
      scope_title: string | null;
      is_owner: boolean;
      owner_name: string | null;
      messages_total: number;
      created_at: string;
      updated_at: string;
      messages: {
        uuid: string;
        question: string;
        status: 'answering' | 'answered' | 'declined' | 'failed' | 'removed';
        made_by: ('model' | 'extractive' | 'count' | 'summary') | null;
        provider: string | null;
        model: string | null;
        sentences: {
          text: string;
          citations: number[];
          supported: boolean;
          withheld: boolean;
        }[];
        citations: {
          number: number;
          withheld: boolean;
          edited: boolean;
          file_uuid: string | null;
          file_title: string | null;
          start: number | null;
          end: number | null;
          speaker: string | null;
          quote: string | null;
        }[];
        search_partial: boolean;
        error_code: string | null;
        asked_at: string;
        answered_at: string | null;
      }[];
    };
  };
  'DELETE /api/ask/conversations': {
    answer: {
      deleted: number;
    };
  };
  'GET /api/ask/conversations/{uuid}': {
    params: {
      uuid: string;
    };
    answer: {
      uuid: string;
      title: string;
      scope: 'file' | 'collection' | 'library';
      scope_uuid: string | null;
      scope_title: string | null;
      is_owner: boolean;
      owner_name: string | null;
      messages_total: number;
      created_at: string;
      updated_at: string;
      messages: {
        uuid: string;
        question: string;
        status: 'answering' | 'answered' | 'declined' | 'failed' | 'removed';
        made_by: ('model' | 'extractive' | 'count' | 'summary') | null;
        provider: string | null;
        model: string | null;
        sentences: {
          text: string;
          citations: number[];
          supported: boolean;
          withheld: boolean;
        }[];
        citations: {
          number: number;
          withheld: boolean;
          edited: boolean;
          file_uuid: string | null;
          file_title: string | null;
          start: number | null;
          end: number | null;
          speaker: string | null;
          quote: string | null;
        }[];
        search_partial: boolean;
        error_code: string | null;
        asked_at: string;
        answered_at: string | null;
      }[];
    };
  };
  'PUT /api/ask/conversations/{uuid}': {
    params: {
      uuid: string;
    };
    body: {
      title: string;
    };
    answer: {
      uuid: string;
      title: string;
      scope: 'file' | 'collection' | 'library';
      scope_uuid: string | null;
      scope_title: string | null;
      is_owner: boolean;
      owner_name: string | null;
      messages_total: number;
      created_at: string;
      updated_at: string;
      messages: {
        uuid: string;
        question: string;
        status: 'answering' | 'answered' | 'declined' | 'failed' | 'removed';
        made_by: ('model' | 'extractive' | 'count' | 'summary') | null;
        provider: string | null;
        model: string | null;
        sentences: {
          text: string;
          citations: number[];
          supported: boolean;
          withheld: boolean;
        }[];
        citations: {
          number: number;
          withheld: boolean;
          edited: boolean;
          file_uuid: string | null;
          file_title: string | null;
          start: number | null;
          end: number | null;
          speaker: string | null;
          quote: string | null;
        }[];
        search_partial: boolean;
        error_code: string | null;
        asked_at: string;
        answered_at: string | null;
      }[];
    };
  };
  'DELETE /api/ask/conversations/{uuid}': {
    params: {
      uuid: string;
    };
  };
  'POST /api/ask/conversations/{uuid}/messages': {
    params: {
      uuid: string;
    };
    body: {
      question: string;
      without_model?: boolean | undefined;
    };
  };
  'POST /api/ask/conversations/{uuid}/messages/{message_uuid}/retry': {
    params: {
      uuid: string;
      message_uuid: string;
    };
    body: {
      without_model?: boolean | undefined;
    };
  };
  'GET /api/ask/conversations/{uuid}/export': {
    params: {
      uuid: string;
    };
    query: {
      export_format?: ('markdown' | 'json') | undefined;
    };
    answer: {
      uuid: string;
      title: string;
      scope: 'file' | 'collection' | 'library';
      scope_uuid: string | null;
      scope_title: string | null;
      is_owner: boolean;
      owner_name: string | null;
      messages_total: number;
      created_at: string;
      updated_at: string;
      messages: {
        uuid: string;
        question: string;
        status: 'answering' | 'answered' | 'declined' | 'failed' | 'removed';
        made_by: ('model' | 'extractive' | 'count' | 'summary') | null;
        provider: string | null;
        model: string | null;
        sentences: {
          text: string;
          citations: number[];
          supported: boolean;
          withheld: boolean;
        }[];
        citations: {
          number: number;
          withheld: boolean;
          edited: boolean;
          file_uuid: string | null;
          file_title: string | null;
          start: number | null;
          end: number | null;
          speaker: string | null;
          quote: string | null;
        }[];
        search_partial: boolean;
        error_code: string | null;
        asked_at: string;
        answered_at: string | null;
      }[];
    };
  };
  'GET /api/ask/conversations/{uuid}/shares': {
    params: {
      uuid: string;
    };
    answer: {
      uuid: string;
      group_uuid: string | null;
      user_uuid: string | null;
      user_name: string | null;
      shared_by: string;
      created_at: string;
    }[];
  };
  'PUT /api/ask/conversations/{uuid}/shares': {
    params: {
      uuid: string;
    };
    body: {
      group_uuid?: string | undefined;
      user_uuid?: string | undefined;
    };
    answer: {
      uuid: string;
      group_uuid: string | null;
      user_uuid: string | null;
      user_name: string | null;
      shared_by: string;
      created_at: string;
    };
  };
  'DELETE /api/ask/conversations/{uuid}/shares/{share_uuid}': {
    params: {
      uuid: string;
      share_uuid: string;
    };
  };
  'GET /api/prompts': {
    query: {
      page?: number | undefined;
      page_size?: number | undefined;
      q?: string | undefined;
      content_type?:
        ('meeting' | 'interview' | 'podcast' | 'documentary' | 'general' | 'speaker_identification') | undefined;
      include_system?: ('true' | 'false') | undefined;
      include_user?: ('true' | 'false') | undefined;
      include_shared?: ('true' | 'false') | undefined;
    };
    answer: {
      items: {
        uuid: string;
        name: string;
        description: string;
        content_type: 'meeting' | 'interview' | 'podcast' | 'documentary' | 'general' | 'speaker_identification';
        tags: string[];
        is_system: boolean;
        is_own: boolean;
        is_shared: boolean;
        is_active: boolean;
        owner_name: string | null;
        created_at: string | null;
        updated_at: string | null;
      }[];
      total: number;
      page: number;
      page_size: number;
    };
  };
  'POST /api/prompts': {
    body: {
      name: string;
      description?: string | undefined;
      text: string;
      content_type?:
        ('meeting' | 'interview' | 'podcast' | 'documentary' | 'general' | 'speaker_identification') | undefined;
      tags?: string[] | undefined;
    };
    answer: {
      uuid: string;
      name: string;
      description: string;
      content_type: 'meeting' | 'interview' | 'podcast' | 'documentary' | 'general' | 'speaker_identification';
      tags: string[];
      is_system: boolean;
      is_own: boolean;
      is_shared: boolean;
      is_active: boolean;
      owner_name: string | null;
      created_at: string | null;
      updated_at: string | null;
      text: string;
    };
  };
  'GET /api/prompts/{uuid}': {
    params: {
      uuid: string;
    };
    answer: {
      uuid: string;
      name: string;
      description: string;
      content_type: 'meeting' | 'interview' | 'podcast' | 'documentary' | 'general' | 'speaker_identification';
      tags: string[];
      is_system: boolean;
      is_own: boolean;
      is_shared: boolean;
      is_active: boolean;
      owner_name: string | null;
      created_at: string | null;
      updated_at: string | null;
      text: string;
    };
  };
  'PUT /api/prompts/{uuid}': {
    params: {
      uuid: string;
    };
    body: {
      name?: string | undefined;
      description?: string | undefined;
      text?: string | undefined;
      content_type?:
        ('meeting' | 'interview' | 'podcast' | 'documentary' | 'general' | 'speaker_identification') | undefined;
      tags?: string[] | undefined;
    };
    answer: {
      uuid: string;
      name: string;
      description: string;
      content_type: 'meeting' | 'interview' | 'podcast' | 'documentary' | 'general' | 'speaker_identification';
      tags: string[];
      is_system: boolean;
      is_own: boolean;
      is_shared: boolean;
      is_active: boolean;
      owner_name: string | null;
      created_at: string | null;
      updated_at: string | null;
      text: string;
    };
  };
  'DELETE /api/prompts/{uuid}': {
    params: {
      uuid: string;
    };
  };
  'GET /api/prompts/by-content-type/{content_type}': {
    params: {
      content_type: 'meeting' | 'interview' | 'podcast' | 'documentary' | 'general' | 'speaker_identification';
    };
    query: {
      page?: number | undefined;
      page_size?: number | undefined;
    };
    answer: {
      items: {
        uuid: string;
        name: string;
        description: string;
        content_type: 'meeting' | 'interview' | 'podcast' | 'documentary' | 'general' | 'speaker_identification';
        tags: string[];
        is_system: boolean;
        is_own: boolean;
        is_shared: boolean;
        is_active: boolean;
        owner_name: string | null;
        created_at: string | null;
        updated_at: string | null;
      }[];
      total: number;
      page: number;
      page_size: number;
    };
  };
  'GET /api/prompts/active/current': {
    answer: {
      items: {
        content_type: 'meeting' | 'interview' | 'podcast' | 'documentary' | 'general' | 'speaker_identification';
        prompt: {
          uuid: string;
          name: string;
          description: string;
          content_type: 'meeting' | 'interview' | 'podcast' | 'documentary' | 'general' | 'speaker_identification';
          tags: string[];
          is_system: boolean;
          is_own: boolean;
          is_shared: boolean;
          is_active: boolean;
          owner_name: string | null;
          created_at: string | null;
          updated_at: string | null;
        };
        is_fallback: boolean;
      }[];
    };
  };
  'POST /api/prompts/active/set': {
    body: {
      prompt_uuid: string;
    };
    answer: {
      content_type: 'meeting' | 'interview' | 'podcast' | 'documentary' | 'general' | 'speaker_identification';
      prompt: {
        uuid: string;
        name: string;
        description: string;
        content_type: 'meeting' | 'interview' | 'podcast' | 'documentary' | 'general' | 'speaker_identification';
        tags: string[];
        is_system: boolean;
        is_own: boolean;
        is_shared: boolean;
        is_active: boolean;
        owner_name: string | null;
        created_at: string | null;
        updated_at: string | null;
      };
      is_fallback: boolean;
    };
  };
  'GET /api/prompts/shared/library': {
    query: {
      page?: number | undefined;
      page_size?: number | undefined;
      q?: string | undefined;
      content_type?:
        ('meeting' | 'interview' | 'podcast' | 'documentary' | 'general' | 'speaker_identification') | undefined;
    };
    answer: {
      items: {
        uuid: string;
        name: string;
        description: string;
        content_type: 'meeting' | 'interview' | 'podcast' | 'documentary' | 'general' | 'speaker_identification';
        tags: string[];
        is_system: boolean;
        is_own: boolean;
        is_shared: boolean;
        is_active: boolean;
        owner_name: string | null;
        created_at: string | null;
        updated_at: string | null;
      }[];
      total: number;
      page: number;
      page_size: number;
    };
  };
  'POST /api/prompts/shared/{uuid}/toggle': {
    params: {
      uuid: string;
    };
    answer: {
      uuid: string;
      name: string;
      description: string;
      content_type: 'meeting' | 'interview' | 'podcast' | 'documentary' | 'general' | 'speaker_identification';
      tags: string[];
      is_system: boolean;
      is_own: boolean;
      is_shared: boolean;
      is_active: boolean;
      owner_name: string | null;
      created_at: string | null;
      updated_at: string | null;
      text: string;
    };
  };
  'GET /api/admin/organisation-context': {
    answer: {
      settings: Setting[];
    };
  };
  'PUT /api/admin/organisation-context': {
    body: {
      organisation_context?: (string | null) | undefined;
    };
    answer: {
      settings: Setting[];
    };
  };
  'GET /api/admin/llm-settings': {
    answer: {
      settings: Setting[];
      providers: {
        uuid: string;
        name: string;
        kind: 'openai' | 'openai-compatible' | 'ollama' | 'anthropic';
        base_url: '' | string;
        model: string;
        context_tokens: number | null;
        max_parallel: number;
        timeout_seconds: number;
        api_key: null;
        api_key_is_set: boolean;
        is_active: boolean;
        effective_context_tokens: number;
        context_source: 'entered' | 'server' | 'usual';
        paused_until: string | null;
        pause_code: string | null;
        last_tested: string | null;
        test_ok: boolean | null;
        test_message: string | null;
        created_at: string;
        updated_at: string;
      }[];
    };
  };
  'PUT /api/admin/llm-settings': {
    body: {
      automatic?: (boolean | null) | undefined;
      own_providers?: (boolean | null) | undefined;
    };
    answer: {
      settings: Setting[];
    };
  };
  'POST /api/admin/llm-settings': {
    body: {
      name: string;
      kind: 'openai' | 'openai-compatible' | 'ollama' | 'anthropic';
      base_url: '' | string;
      model: string;
      context_tokens: number | null;
      max_parallel: number;
      timeout_seconds: number;
      api_key?: (string | null) | undefined;
    };
    answer: {
      uuid: string;
      name: string;
      kind: 'openai' | 'openai-compatible' | 'ollama' | 'anthropic';
      base_url: '' | string;
      model: string;
      context_tokens: number | null;
      max_parallel: number;
      timeout_seconds: number;
      api_key: null;
      api_key_is_set: boolean;
      is_active: boolean;
      effective_context_tokens: number;
      context_source: 'entered' | 'server' | 'usual';
      paused_until: string | null;
      pause_code: string | null;
      last_tested: string | null;
      test_ok: boolean | null;
      test_message: string | null;
      created_at: string;
      updated_at: string;
    };
  };
  'PUT /api/admin/llm-settings/config/{uuid}': {
    params: {
      uuid: string;
    };
    body: {
      name: string;
      kind: 'openai' | 'openai-compatible' | 'ollama' | 'anthropic';
      base_url: '' | string;
      model: string;
      context_tokens: number | null;
      max_parallel: number;
      timeout_seconds: number;
      api_key?: (string | null) | undefined;
    };
    answer: {
      uuid: string;
      name: string;
      kind: 'openai' | 'openai-compatible' | 'ollama' | 'anthropic';
      base_url: '' | string;
      model: string;
      context_tokens: number | null;
      max_parallel: number;
      timeout_seconds: number;
      api_key: null;
      api_key_is_set: boolean;
      is_active: boolean;
      effective_context_tokens: number;
      context_source: 'entered' | 'server' | 'usual';
      paused_until: string | null;
      pause_code: string | null;
      last_tested: string | null;
      test_ok: boolean | null;
      test_message: string | null;
      created_at: string;
      updated_at: string;
    };
  };
  'DELETE /api/admin/llm-settings/config/{uuid}': {
    params: {
      uuid: string;
    };
  };
  'POST /api/admin/llm-settings/set-active': {
    body: {
      configuration_id: string | null;
    };
    answer: {
      providers: {
        uuid: string;
        name: string;
        kind: 'openai' | 'openai-compatible' | 'ollama' | 'anthropic';
        base_url: '' | string;
        model: string;
        context_tokens: number | null;
        max_parallel: number;
        timeout_seconds: number;
        api_key: null;
        api_key_is_set: boolean;
        is_active: boolean;
        effective_context_tokens: number;
        context_source: 'entered' | 'server' | 'usual';
        paused_until: string | null;
        pause_code: string | null;
        last_tested: string | null;
        test_ok: boolean | null;
        test_message: string | null;
        created_at: string;
        updated_at: string;
      }[];
    };
  };
  'POST /api/admin/llm-settings/test': {
    body: {
      name: string;
      kind: 'openai' | 'openai-compatible' | 'ollama' | 'anthropic';
      base_url: '' | string;
      model: string;
      context_tokens: number | null;
      max_parallel: number;
      timeout_seconds: number;
      api_key?: (string | null) | undefined;
      uuid?: string | undefined;
    };
    answer: {
      ok: boolean;
      error_code: string | null;
      message: string;
      response_time_ms: number | null;
      context_tokens: number | null;
    };
  };
  'POST /api/admin/llm-settings/models': {
    body: {
      name: string;
      kind: 'openai' | 'openai-compatible' | 'ollama' | 'anthropic';
      base_url: '' | string;
      model: string;
      context_tokens: number | null;
      max_parallel: number;
      timeout_seconds: number;
      api_key?: (string | null) | undefined;
      uuid?: string | undefined;
    };
    answer: {
      error_code: string | null;
      message: string | null;
      models: {
        id: string;
        context_tokens: number | null;
      }[];
    };
  };
  'GET /api/admin/llm-settings/usage': {
    query: {
      days?: number | undefined;
      group_by?: ('user' | 'file') | undefined;
    };
    answer: {
      items: {
        uuid: string | null;
        name: string | null;
        provider: string;
        model: string;
        requests: number;
        input_tokens: number;
        output_tokens: number;
      }[];
    };
  };
  'GET /api/llm-settings': {
    answer: {
      providers: {
        uuid: string;
        name: string;
        kind: 'openai' | 'openai-compatible' | 'ollama' | 'anthropic';
        base_url: '' | string;
        model: string;
        context_tokens: number | null;
        max_parallel: number;
        timeout_seconds: number;
        api_key: null;
        api_key_is_set: boolean;
        is_active: boolean;
        effective_context_tokens: number;
        context_source: 'entered' | 'server' | 'usual';
        paused_until: string | null;
        pause_code: string | null;
        last_tested: string | null;
        test_ok: boolean | null;
        test_message: string | null;
        created_at: string;
        updated_at: string;
      }[];
      allowed: boolean;
    };
  };
  'POST /api/llm-settings': {
    body: {
      name: string;
      kind: 'openai' | 'openai-compatible' | 'ollama' | 'anthropic';
      base_url: '' | string;
      model: string;
      context_tokens: number | null;
      max_parallel: number;
      timeout_seconds: number;
      api_key?: (string | null) | undefined;
    };
    answer: {
      uuid: string;
      name: string;
      kind: 'openai' | 'openai-compatible' | 'ollama' | 'anthropic';
      base_url: '' | string;
      model: string;
      context_tokens: number | null;
      max_parallel: number;
      timeout_seconds: number;
      api_key: null;
      api_key_is_set: boolean;
      is_active: boolean;
      effective_context_tokens: number;
      context_source: 'entered' | 'server' | 'usual';
      paused_until: string | null;
      pause_code: string | null;
      last_tested: string | null;
      test_ok: boolean | null;
      test_message: string | null;
      created_at: string;
      updated_at: string;
    };
  };
  'PUT /api/llm-settings/config/{uuid}': {
    params: {
      uuid: string;
    };
    body: {
      name: string;
      kind: 'openai' | 'openai-compatible' | 'ollama' | 'anthropic';
      base_url: '' | string;
      model: string;
      context_tokens: number | null;
      max_parallel: number;
      timeout_seconds: number;
      api_key?: (string | null) | undefined;
    };
    answer: {
      uuid: string;
      name: string;
      kind: 'openai' | 'openai-compatible' | 'ollama' | 'anthropic';
      base_url: '' | string;
      model: string;
      context_tokens: number | null;
      max_parallel: number;
      timeout_seconds: number;
      api_key: null;
      api_key_is_set: boolean;
      is_active: boolean;
      effective_context_tokens: number;
      context_source: 'entered' | 'server' | 'usual';
      paused_until: string | null;
      pause_code: string | null;
      last_tested: string | null;
      test_ok: boolean | null;
      test_message: string | null;
      created_at: string;
      updated_at: string;
    };
  };
  'DELETE /api/llm-settings/config/{uuid}': {
    params: {
      uuid: string;
    };
  };
  'POST /api/llm-settings/set-active': {
    body: {
      configuration_id: string | null;
    };
    answer: {
      providers: {
        uuid: string;
        name: string;
        kind: 'openai' | 'openai-compatible' | 'ollama' | 'anthropic';
        base_url: '' | string;
        model: string;
        context_tokens: number | null;
        max_parallel: number;
        timeout_seconds: number;
        api_key: null;
        api_key_is_set: boolean;
        is_active: boolean;
        effective_context_tokens: number;
        context_source: 'entered' | 'server' | 'usual';
        paused_until: string | null;
        pause_code: string | null;
        last_tested: string | null;
        test_ok: boolean | null;
        test_message: string | null;
        created_at: string;
        updated_at: string;
      }[];
    };
  };
  'POST /api/llm-settings/test': {
    body: {
      name: string;
      kind: 'openai' | 'openai-compatible' | 'ollama' | 'anthropic';
      base_url: '' | string;
      model: string;
      context_tokens: number | null;
      max_parallel: number;
      timeout_seconds: number;
      api_key?: (string | null) | undefined;
      uuid?: string | undefined;
    };
    answer: {
      ok: boolean;
      error_code: string | null;
      message: string;
      response_time_ms: number | null;
      context_tokens: number | null;
    };
  };
  'POST /api/llm-settings/models': {
    body: {
      name: string;
      kind: 'openai' | 'openai-compatible' | 'ollama' | 'anthropic';
      base_url: '' | string;
      model: string;
      context_tokens: number | null;
      max_parallel: number;
      timeout_seconds: number;
      api_key?: (string | null) | undefined;
      uuid?: string | undefined;
    };
    answer: {
      error_code: string | null;
      message: string | null;
      models: {
        id: string;
        context_tokens: number | null;
      }[];
    };
  };
  'GET /api/llm/status': {
    answer: {
      available: boolean;
      source: ('own' | 'system') | null;
      provider: string | null;
      model: string | null;
      host: string | null;
      context_tokens: number | null;
      paused_until: string | null;
      pause_code: string | null;
      own_providers_allowed: boolean;
    };
  };
  'POST /api/files/{uuid}/summarize': {
    params: {
      uuid: string;
    };
    body: {
      force_regenerate?: boolean | undefined;
      prompt_uuid?: string | undefined;
      language?: string | undefined;
    };
    answer: {
      message: string;
      task_id: string;
      file_id: string;
      version: number;
      provider: string | null;
      model: string | null;
    };
  };
  'POST /api/files/{uuid}/retry-summary': {
    params: {
      uuid: string;
    };
    answer: {
      message: string;
      task_id: string;
      file_id: string;
      version: number;
      provider: string | null;
      model: string | null;
    };
  };
  'GET /api/files/{uuid}/summary': {
    params: {
      uuid: string;
    };
    query: {
      version?: number | undefined;
    };
    answer: {
      file_id: string;
      title: string;
      version: number;
      state: 'waiting' | 'processing' | 'completed' | 'partial' | 'failed';
      automatic: boolean;
      made_without_model: boolean;
      provider: string | null;
      model: string | null;
      prompt_uuid: string | null;
      prompt_name: string | null;
      language: string | null;
      out_of_date: boolean;
      withheld: boolean;
      error_code: string | null;
      created_at: string;
      finished_at: string | null;
      summary: {
        brief: {
          text: string;
          segments: {
            uuid: string;
            start: number;
          }[];
        }[];
        key_decisions: {
          text: string;
          segments: {
            uuid: string;
            start: number;
          }[];
        }[];
        action_items: {
          text: string;
          segments: {
            uuid: string;
            start: number;
          }[];
          owner: string | null;
          due_date: string | null;
        }[];
        topics: {
          title: string;
          start: number;
          end: number;
          segments: {
            uuid: string;
            start: number;
          }[];
        }[];
        follow_ups: {
          text: string;
          segments: {
            uuid: string;
            start: number;
          }[];
        }[];
      };
      coverage: {
        segments: number;
        covered_segments: number;
        gaps: {
          start: number;
          end: number;
          segments: number;
          reason: string;
        }[];
      };
      usage: {
        input_tokens: number;
        output_tokens: number;
        duration_ms: number;
      };
    };
  };
  'DELETE /api/files/{uuid}/summary': {
    params: {
      uuid: string;
    };
    query: {
      version?: number | undefined;
    };
  };
  'GET /api/files/{uuid}/summary-status': {
    params: {
      uuid: string;
    };
    answer: {
      file_id: string;
      status: 'none' | 'waiting' | 'processing' | 'completed' | 'partial' | 'failed';
      version: number | null;
      shown_version: number | null;
      out_of_date: boolean;
      withheld: boolean;
      sections_done: number;
      sections_total: number;
      reason: string | null;
      advice: 'nothing' | 'create' | 'wait' | 'retry' | 'create_again' | 'choose_larger_model' | 'check_provider';
      retry_at: string | null;
      llm_available: boolean;
      can_generate: boolean;
      can_retry: boolean;
    };
  };
  'GET /api/files/{uuid}/summaries': {
    params: {
      uuid: string;
    };
    answer: {
      items: {
        version: number;
        state: 'waiting' | 'processing' | 'completed' | 'partial' | 'failed';
        automatic: boolean;
        made_without_model: boolean;
        provider: string | null;
        model: string | null;
        prompt_uuid: string | null;
        prompt_name: string | null;
        language: string | null;
        out_of_date: boolean;
        withheld: boolean;
        error_code: string | null;
        created_at: string;
        finished_at: string | null;
      }[];
    };
  };
  'GET /api/version': {
    answer: {
      version: string;
    };
  };
  'GET /api/health': {
    answer: {
      status: 'healthy' | 'degraded';
      version: string;
    };
  };
  'GET /api/openapi.json': {
    answer: {
      [k: string]: unknown;
    };
  };
  'GET /api/docs': {};
}
/**
 * This interface was referenced by `Routes`'s JSON-Schema
 * via the `definition` "Tokens".
 */
export interface Tokens {
  access_token: string;
  token_type: 'bearer';
  refresh_token: string;
  expires_in: number;
}
/**
 * This interface was referenced by `Routes`'s JSON-Schema
 * via the `definition` "Session".
 */
export interface Session {
  uuid: string;
  created_at: string;
  expires_at: string;
  last_used_at: string;
  ip_address: string | null;
  user_agent: string | null;
  current: boolean;
}
/**
 * This interface was referenced by `Routes`'s JSON-Schema
 * via the `definition` "User".
 */
export interface User {
  uuid: string;
  email: string;
  full_name: string;
  role: 'user' | 'admin' | 'super_admin';
  auth_type: 'local' | 'ldap' | 'oidc' | 'pki' | 'proxy';
  is_active: boolean;
  approval_status: 'approved' | 'pending' | 'rejected';
  allow_local_fallback: boolean;
  must_change_password: boolean;
  password_changed_at: string | null;
  account_expires_at: string | null;
  approved_at: string | null;
  ldap_uid: string | null;
  oidc_subject: string | null;
  pki_subject_dn: string | null;
  last_login_at: string | null;
  created_at: string;
  updated_at: string;
}
/**
 * This interface was referenced by `Routes`'s JSON-Schema
 * via the `definition` "AuthSetting".
 */
export interface AuthSetting {
  config_key: string;
  config_value: boolean | number | string | null;
  is_sensitive: boolean;
  is_set: boolean;
  origin: 'stored' | 'environment' | 'default' | 'unreadable';
  category: 'local' | 'ldap' | 'oidc' | 'pki' | 'proxy' | 'session' | 'password_policy' | 'lockout';
  data_type: 'boolean' | 'integer' | 'string';
  default_value: boolean | number | string | null;
  minimum?: number | undefined;
  maximum?: number | undefined;
  choices?: string[] | undefined;
  description: string;
  updated_at: string | null;
  updated_by: string | null;
}
/**
 * This interface was referenced by `Routes`'s JSON-Schema
 * via the `definition` "Account".
 */
export interface Account {
  uuid: string;
  email: string;
  full_name: string;
  role: 'user' | 'admin' | 'super_admin';
  auth_type: 'local' | 'ldap' | 'oidc' | 'pki' | 'proxy';
  is_active: boolean;
  approval_status: 'approved' | 'pending' | 'rejected';
  allow_local_fallback: boolean;
  must_change_password: boolean;
  password_changed_at: string | null;
  account_expires_at: string | null;
  approved_at: string | null;
  ldap_uid: string | null;
  oidc_subject: string | null;
  pki_subject_dn: string | null;
  last_login_at: string | null;
  created_at: string;
  updated_at: string;
  locked_until: string | null;
  disabled_by: ('administrator' | 'directory') | null;
  pki_issuer_dn: string | null;
  invited_until: string | null;
  groups: {
    uuid: string;
    name: string;
  }[];
}
/**
 * This interface was referenced by `Routes`'s JSON-Schema
 * via the `definition` "AuditRecord".
 */
export interface AuditRecord {
  uuid: string;
  timestamp: string;
  event_type: string;
  outcome: 'success' | 'failure' | 'partial';
  actor: string | null;
  actor_name: string | null;
  user_id: string | null;
  username: string | null;
  recipient: string | null;
  source_ip: string | null;
  user_agent: string | null;
  request_id: string | null;
  error_code: string | null;
  details: {
    [k: string]: unknown;
  };
}
/**
 * This interface was referenced by `Routes`'s JSON-Schema
 * via the `definition` "Group".
 */
export interface Group {
  uuid: string;
  name: string;
  description: string;
  member_count: number;
  my_role: ('member' | 'manager') | null;
  created_at: string;
  updated_at: string;
}
/**
 * This interface was referenced by `Routes`'s JSON-Schema
 * via the `definition` "GroupDetail".
 */
export interface GroupDetail {
  uuid: string;
  name: string;
  description: string;
  member_count: number;
  my_role: ('member' | 'manager') | null;
  created_at: string;
  updated_at: string;
  members: {
    user_id: string;
    email: string;
    full_name: string;
    role: 'member' | 'manager';
    source: 'manual' | 'ldap' | 'oidc' | 'proxy';
    added_at: string;
  }[];
}
/**
 * This interface was referenced by `Routes`'s JSON-Schema
 * via the `definition` "GroupMapping".
 */
export interface GroupMapping {
  uuid: string;
  source: 'ldap' | 'oidc' | 'proxy';
  claim_value: string;
  group_uuid: string | null;
  group_name: string | null;
  grants_role: ('user' | 'admin') | null;
  description: string | null;
  member_count: number;
  warning: string | null;
  created_at: string;
  updated_at: string;
}
/**
 * This interface was referenced by `Routes`'s JSON-Schema
 * via the `definition` "File".
 */
export interface File {
  uuid: string;
  filename: string;
  title: string;
  user_id: string;
  owner_name: string | null;
  my_permission: 'owner' | 'viewer' | 'editor';
  status:
    | 'pending'
    | 'uploaded'
    | 'queued'
    | 'downloading'
    | 'processing'
    | 'transcribing'
    | 'completed'
    | 'error'
    | 'cancelling'
    | 'cancelled'
    | 'orphaned'
    | 'quarantined';
  quarantine: {
    reason: string;
    since: string | null;
  } | null;
  display_status: string;
  stage: ('prepare' | 'transcribe' | 'diarize' | 'assemble' | 'index') | null;
  next_stage: ('prepare' | 'transcribe' | 'diarize' | 'assemble' | 'index') | null;
  waiting_for: ('engine' | 'worker' | 'paused') | null;
  content_type: string;
  file_size: number | null;
  file_hash: string | null;
  source_url: string | null;
  duration: number | null;
  language: string | null;
  upload_time: string;
  recorded_date: string | null;
  completed_at: string | null;
  has_media: boolean;
  recording_removed_at: string | null;
  has_video: boolean;
  has_thumbnail: boolean;
  has_waveform: boolean;
  engine: {
    provider: 'faster-whisper' | 'sherpa-onnx' | 'openai-compatible' | 'pocketsphinx' | 'scripted' | 'import';
    model: string;
    timing: 'engine' | 'estimated';
  } | null;
  diarization_provider: string | null;
  speaker_count: number;
  transcript_version: number;
  is_shared: boolean;
  last_edited_at: string | null;
  last_edited_by: string | null;
  last_edited_by_name: string | null;
  no_speech: boolean;
  warnings: string[];
  error: {
    code: string;
    message: string;
    what_to_do: string;
    retryable: boolean;
    duplicate_file_uuid?: string | undefined;
  } | null;
}
/**
 * This interface was referenced by `Routes`'s JSON-Schema
 * via the `definition` "FileDetail".
 */
export interface FileDetail {
  uuid: string;
  filename: string;
  title: string;
  user_id: string;
  owner_name: string | null;
  my_permission: 'owner' | 'viewer' | 'editor';
  status:
    | 'pending'
    | 'uploaded'
    | 'queued'
    | 'downloading'
    | 'processing'
    | 'transcribing'
    | 'completed'
    | 'error'
    | 'cancelling'
    | 'cancelled'
    | 'orphaned'
    | 'quarantined';
  quarantine: {
    reason: string;
    since: string | null;
  } | null;
  display_status: string;
  stage: ('prepare' | 'transcribe' | 'diarize' | 'assemble' | 'index') | null;
  next_stage: ('prepare' | 'transcribe' | 'diarize' | 'assemble' | 'index') | null;
  waiting_for: ('engine' | 'worker' | 'paused') | null;
  content_type: string;
  file_size: number | null;
  file_hash: string | null;
  source_url: string | null;
  duration: number | null;
  language: string | null;
  upload_time: string;
  recorded_date: string | null;
  completed_at: string | null;
  has_media: boolean;
  recording_removed_at: string | null;
  has_video: boolean;
  has_thumbnail: boolean;
  has_waveform: boolean;
  engine: {
    provider: 'faster-whisper' | 'sherpa-onnx' | 'openai-compatible' | 'pocketsphinx' | 'scripted' | 'import';
    model: string;
    timing: 'engine' | 'estimated';
  } | null;
  diarization_provider: string | null;
  speaker_count: number;
  transcript_version: number;
  is_shared: boolean;
  last_edited_at: string | null;
  last_edited_by: string | null;
  last_edited_by_name: string | null;
  no_speech: boolean;
  warnings: string[];
  error: {
    code: string;
    message: string;
    what_to_do: string;
    retryable: boolean;
    duplicate_file_uuid?: string | undefined;
  } | null;
  sound_tracks: {
    codec: string;
    channels: number;
    layout: string | null;
    language: string | null;
    title: string | null;
    used: boolean;
    number: number;
  }[];
  speakers_by: 'voice' | 'track';
  sound_level: {
    level_db: number;
    noise_db: number;
    clipped: number;
  } | null;
  file_tags: {
    title: string | null;
    artist: string | null;
  };
  playback_copy: {
    status: 'queued' | 'ready' | 'failed';
    content_type: string | null;
    bytes: number | null;
  } | null;
  tags: Tag[];
  speakers: Speaker[];
  transcript_segments: Segment[];
  total_segments: number;
  segment_limit: number;
  segment_offset: number;
}
/**
 * This interface was referenced by `Routes`'s JSON-Schema
 * via the `definition` "Tag".
 */
export interface Tag {
  uuid: string;
  name: string;
  source: ('manual' | 'auto_ai') | null;
}
/**
 * This interface was referenced by `Routes`'s JSON-Schema
 * via the `definition` "Speaker".
 */
export interface Speaker {
  uuid: string;
  name: string;
  display_name: string | null;
  talk_time: number;
}
/**
 * This interface was referenced by `Routes`'s JSON-Schema
 * via the `definition` "Segment".
 */
export interface Segment {
  uuid: string;
  start_time: number;
  end_time: number;
  text: string;
  speaker: {
    uuid: string;
    name: string;
    display_name: string | null;
  } | null;
  confidence: number | null;
  edited: boolean;
  edited_at: string | null;
  edited_by: string | null;
  edited_by_name: string | null;
  version: number;
  words: {
    word: string;
    start: number;
    end: number;
    confidence: number | null;
    interpolated?: boolean | undefined;
    overlap?: boolean | undefined;
  }[];
  redactions: {
    uuid: string;
    kind: 'name' | 'email' | 'phone' | 'address' | 'card' | 'account' | 'id_number' | 'birth_date' | 'secret';
    start: number;
    end: number;
  }[];
  withheld: boolean;
}
/**
 * This interface was referenced by `Routes`'s JSON-Schema
 * via the `definition` "Setting".
 */
export interface Setting {
  type: 'boolean' | 'integer' | 'number' | 'choice' | 'choices' | 'text' | 'secret';
  minimum?: number | undefined;
  maximum?: number | undefined;
  max_length?: number | undefined;
  choices?: string[] | undefined;
  automatic?: boolean | undefined;
  unit?: ('seconds' | 'tasks' | 'speakers' | 'requests' | 'MB/s' | 'percent') | undefined;
  key: string;
  value: boolean | number | string | string[] | null;
  source: 'default' | 'environment' | 'stored' | 'computed';
  default_value: boolean | number | string | string[] | null;
  environment_value: boolean | number | string | string[] | null;
  variable: string | null;
  is_set: boolean;
  updated_at: string | null;
  updated_by: string | null;
}
/**
 * This interface was referenced by `Routes`'s JSON-Schema
 * via the `definition` "Task".
 */
export interface Task {
  uuid: string;
  task_type: 'prepare' | 'transcribe' | 'diarize' | 'assemble' | 'index';
  status: 'pending' | 'in_progress' | 'completed' | 'failed' | 'cancelled';
  queue: 'gpu' | 'download' | 'cpu' | 'utility' | 'nlp' | 'default' | 'embedding';
  media_file_id: string;
  file_title: string | null;
  user_id: string;
  worker: string | null;
  attempt: number;
  progress: number;
  created_at: string;
  started_at: string | null;
  completed_at: string | null;
  next_attempt_at: string | null;
  error_code: string | null;
  error_message: string | null;
  dead: boolean;
}
/**
 * This interface was referenced by `Routes`'s JSON-Schema
 * via the `definition` "SearchAnswer".
 */
export interface SearchAnswer {
  query: string;
  results: SearchResult[];
  total_results: number;
  total_files: number;
  more_results: boolean;
  more_files: boolean;
  page: number;
  page_size: number;
  search_time_ms: number;
  search_mode: 'hybrid' | 'keyword' | 'semantic';
  legs: {
    keyword: 'ok' | 'unavailable' | 'failed' | 'not_asked';
    semantic: 'ok' | 'unavailable' | 'failed' | 'not_asked';
  };
  correction: {
    query: string;
    words: {
      from: string;
      to: string;
    }[];
  } | null;
  facets: {
    speakers: {
      name: string;
      count: number;
    }[];
    tags: {
      name: string;
      count: number;
    }[];
    years: {
      name: string;
      count: number;
    }[];
    collections:
      | {
          uuid: string;
          name: string;
          count: number;
        }[]
      | null;
  } | null;
}
/**
 * This interface was referenced by `Routes`'s JSON-Schema
 * via the `definition` "SearchResult".
 */
export interface SearchResult {
  file_uuid: string;
  title: string;
  speakers: string[];
  tags: string[];
  upload_time: string;
  duration: number | null;
  language: string | null;
  content_type: string;
  relevance_score: number;
  occurrences: SearchOccurrence[];
  total_occurrences: number;
  semantic_only: boolean;
}
/**
 * This interface was referenced by `Routes`'s JSON-Schema
 * via the `definition` "SearchOccurrence".
 */
export interface SearchOccurrence {
  snippet: string;
  speaker: string | null;
  start_time: number;
  end_time: number;
  score: number;
  match_type: 'keyword' | 'semantic' | 'both' | 'title';
}
/**
 * This interface was referenced by `Routes`'s JSON-Schema
 * via the `definition` "Problem".
 */
export interface Problem {
  type: string;
  title: string;
  status: number;
  code: string;
  detail: string;
  request_id: string;
  errors?:
    | {
        path: string;
        message: string;
      }[]
    | undefined;
  max_bytes?: number | undefined;
  max_words?: number | undefined;
  allow?: string | undefined;
  duplicate_file_uuid?: string | undefined;
  version?: number | undefined;
  line?: number | undefined;
  languages?: string[] | undefined;
  max_open_uploads?: number | undefined;
  max_reserved_bytes?: number | undefined;
}
