import type { CodeOf } from '@overtone/contracts';
import { z } from 'zod';
import { statusFaultOf, type Assertion } from '../provisioning/provisioning.ts';
import type { LinkedAccount } from './issuer-move.store.ts';

/** A passed test sign-in, sealed for the administrator who started it. */
export const proofShape = z.object({
  from: z.string(),
  to: z.string(),
  subject: z.string(),
  testerId: z.uuid(),
  /** The issuer of the settings at the test. */
  configured: z.string(),
  /** Epoch milliseconds. */
  testedAt: z.int(),
});
export type Proof = z.infer<typeof proofShape>;
export const proofMinutes = 10;

export type IssuerFault = { code: CodeOf<'conflict'>; message: string };
type Test = {
  from: string;
  to: string;
  person: Pick<Assertion, 'subject' | 'email'>;
  /** The account of this subject at the old issuer. */
  account: LinkedAccount | undefined;
  /** The account of this subject at the new issuer. */
  taken: Pick<LinkedAccount, 'email'> | undefined;
  callerId: string;
};

/**
 * Why a test sign-in does not prove that both issuers name the same people; undefined: it does. Another provider can use the
 * same subjects ("1", "2", ...) for other people, so the address must be the same, too.
 */
export function testFaultOf({ from, to, person, account, taken, callerId }: Test): IssuerFault | undefined {
  const subject = person.subject.id;
  if (from === to) return { code: 'issuer_unchanged', message: `The provider still has the address ${from}` };
  if (!account)
    return {
      code: 'issuer_subject_unknown',
      message: `No account of ${from} has the subject ${subject}: the new address names people differently`,
    };
  if (taken)
    return {
      code: 'issuer_subject_taken',
      message: `${taken.email} is linked to this subject at ${to} already; test with another person`,
    };
  if (person.email?.toLowerCase() !== account.email.toLowerCase())
    return {
      code: 'issuer_person_differs',
      message: `The account of subject ${subject} has the address ${account.email}, the provider names ${person.email ?? 'none'}`,
    };
  if (account.role === 'super_admin' && account.id !== callerId)
    return {
      code: 'issuer_super_admin',
      message: 'The account of a super administrator moves only when its owner tests',
    };
  return statusFaultOf(account) === null
    ? undefined
    : { code: 'issuer_test_failed', message: `The account ${account.email} cannot sign in` };
}
