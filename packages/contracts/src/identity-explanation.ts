import { z } from 'zod';
import { roles } from './define.ts';
import { decisionEvidence } from './directory-pass.ts';
import { routesOf, text, time } from './http.ts';

const route = routesOf('identity');

/** How somebody would fare who signed in now; `unknown`: the directory could not be asked. */
export const signInVerdicts = ['admitted', 'admin', 'disabled', 'refused', 'unknown'] as const;

const refusal = z.object({
  at: time,
  code: z.string(),
  /** The same in words. */
  reason: z.string(),
  /** What was noted about this one try, such as the directory's own words. */
  detail: z.string().nullable(),
  method: z.string().nullable(),
  source_ip: z.string().nullable(),
});

export const signInExplanation = z.object({
  login: z.string(),
  /** When the directory was asked. */
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
  /** The last refused sign-ins under this login, newest first. */
  refusals: z.array(refusal),
});

export const explanationRoutes = {
  explainSignIn: route({
    method: 'GET',
    path: '/api/admin/sign-in/explanation',
    access: 'super_admin',
    summary: 'Why somebody is admitted, an administrator, disabled or refused at sign-in, as the directory says now',
    query: z.object({ login: text(256).min(1) }),
    answer: signInExplanation,
    errors: ['directory_unavailable'],
  }),
};
