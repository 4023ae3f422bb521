/**
 * Stored secrets, and what says to whom they are told: with another of these they have to be given once more. Apart
 * from the schemas, so that the browser can know it without them: a page that loads them breaks its own content policy.
 */
export const recipientsOfSecrets = {
  ldap_bind_password: ['ldap_server', 'ldap_port', 'ldap_use_ssl', 'ldap_use_tls', 'ldap_bind_dn'],
  oidc_client_secret: ['oidc_discovery_url', 'oidc_server_url', 'oidc_realm', 'oidc_client_id'],
} as const;
