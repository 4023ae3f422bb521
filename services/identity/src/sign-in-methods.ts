import type { Slice } from '@overtone/service-kit';
import { diagnoseProvider } from './oidc/diagnosis.adapter.ts';
import { createOidcSlice } from './oidc/oidc.slice.ts';
import { fetchRevocationLists } from './pki/crl.adapter.ts';
import { diagnosePki } from './pki/diagnosis.ts';
import { createPkiSlice } from './pki/pki.slice.ts';
import { createProvisioning } from './provisioning/provisioning.service.ts';
import { createRefusals } from './provisioning/refusals.ts';
import { createSignInSlice } from './sign-in/sign-in.slice.ts';
import { createTrustedHeaderSlice } from './trusted-header/trusted-header.slice.ts';

type SignIn = Parameters<typeof createSignInSlice>[0] &
  Parameters<typeof createOidcSlice>[0] &
  Parameters<typeof createPkiSlice>[0] &
  Parameters<typeof createTrustedHeaderSlice>[0];
type Deps = Omit<SignIn, 'provisioning' | 'refuse'> & Parameters<typeof createProvisioning>[0];

/** The ways to sign in: each authenticates a person, and provisioning opens the session. */
export function createSignInMethods(deps: Deps): Slice[] {
  const signIn = { ...deps, provisioning: createProvisioning(deps), refuse: createRefusals(deps) };
  return [createSignInSlice(signIn), createOidcSlice(signIn), createPkiSlice(signIn), createTrustedHeaderSlice(signIn)];
}

/** Tests of the servers that a sign-in method needs, before its settings are stored. */
export const serverTests = { diagnoseProvider, diagnosePki, tryRevocationList: fetchRevocationLists };
