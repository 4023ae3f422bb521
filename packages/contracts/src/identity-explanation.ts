import { z } from 'zod';
import { roles } from './define.ts';
import { decisionEvidence } from './directory-sync-runs.ts';
import { routesOf, text, time } from './http.ts';

const route = routesOf('identity');

/** The outcome of a sign-in at this moment; `unknown`: the directory did not respond. */
export const signInVerdicts = ['admitted', 'admin', 'disabled', 'refused', 'unknown'] as const;

const refusal = z.object({
  at: time,
  code: z.string(),
  /** The same in words. */
  reason: z.string(),
  /** Details of this attempt, such as the directory's message. */
  detail: z.string().nullable(),
  method: z.string().nullable(),
  source_ip: z.string().nullable(),
});

export const signInExplanation = z.object({
  login: z.string(),
  /** Time of the directory query. */
  as_of: time,
  verdict: z.enum(signInVerdicts),
  reason: z.string(),
  account: z
    .object({
      uuid: z.uuid(),
      email: z.string(),
      ldap_uid: z.string().nullable(),
      auth_type: z.string(),
      role: z.enum(roles),
      is_active: z.boolean(),
    })
    .nullable(),
  evidence: decisionEvidence,
  /** The last rejected sign-ins under this login, newest first. */
  refusals: z.array(refusal),
});

export const explanationRoutes = {
  explainSignIn: route('GET', '/api/admin/sign-in/explanation', 'super_admin', {
    summary:
      'Why an account is admitted, an administrator, disabled or refused at sign-in, according to the directory now',
    query: z.object({ login: text(256).min(1) }),
    answer: signInExplanation,
    errors: ['directory_unavailable'],
  }),
};
