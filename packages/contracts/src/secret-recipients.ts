/**
 * Stored secrets with the settings that determine their recipient: changing one of these requires the secret again. Separate
 * from the schemas, because the browser's content security policy does not allow loading those.
 */
export const recipientsOfSecrets = {
  ldap_bind_password: ['ldap_server', 'ldap_port', 'ldap_use_ssl', 'ldap_use_tls', 'ldap_bind_dn'],
  oidc_client_secret: ['oidc_discovery_url', 'oidc_server_url', 'oidc_realm', 'oidc_client_id'],
} as const;

/** The same for the key of an ASR provider. */
export const recipientsOfProviderKey = ['base_url'] as const;

/** The same for the key of a language model. */
export const recipientsOfModelKey = ['kind', 'base_url'] as const;
