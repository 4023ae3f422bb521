import { randomUUID } from 'node:crypto';
import type { AnswerOf, approvalRoutes, BodyOf, userRoutes } from '@overtone/contracts';
import { person, type Account, type World } from './mock-world.ts';
import { find, hoursAgo, json, pageOf, Refusal, take, type Context, type MockRoute } from './mock-kit.ts';

/** Accounts, their approval, and the audit log. */
export const peopleMock = ({ me, users, audit, note }: World): MockRoute[] => {
  const decide = (context: Context, approval_status: 'approved' | 'rejected') => {
    const user = Object.assign(find(users, context.parts[3]), { approval_status });
    note('admin.user.update', user, { action: `account_${approval_status}` });
    const { uuid, email } = user;
    const answer: AnswerOf<typeof approvalRoutes.approveUser> = {
      uuid,
      email,
      approval_status,
      approved_at: null,
      approved_by: me.uuid,
    };
    return answer;
  };

  return [
    [
      'GET',
      /^\/api\/admin\/users$/,
      (context) => {
        const q = (context.url.searchParams.get('q') ?? '').toLowerCase();
        const wanted = (name: keyof Account) => context.url.searchParams.get(name);
        return pageOf(
          context,
          users.filter(
            (user) =>
              `${user.full_name} ${user.email} ${user.ldap_uid ?? ''}`.toLowerCase().includes(q) &&
              (['role', 'auth_type', 'approval_status', 'is_active'] as const).every(
                (name) => wanted(name) === null || wanted(name) === String(u[name]),
              ),
          ),
        );
      },
    ],
    [
      'POST',
      /^\/api\/admin\/users$/,
      (context) => {
        const body = json<BodyOf<typeof userRoutes.createUser>>(context);
        if (users.some((user) => user.email === body.email))
          throw new Refusal(409, 'email_taken', 'There is an account with this address.');
        const { password: _, full_name, ...rest } = body;
        const user = person(full_name ?? '', { ...rest, last_login_at: null, created_at: hoursAgo(0) });
        users.push(user);
        note('admin.user.create', user);
        return user;
      },
    ],
    ['PUT', /^\/api\/admin\/users\/[^/]+\/role$/, (context) => setRole(context, find(users, context.parts[3]), note)],
    [
      'POST',
      /^\/api\/admin\/users\/[^/]+\/reset-password$/,
      (context) => (find(users, context.parts[3]), { success: true, sessions_terminated: 2 }),
    ],
    [
      'POST',
      /^\/api\/admin\/users\/[^/]+\/unlock$/,
      (context) => (
        Object.assign(find(users, context.parts[3]), { locked_until: null }),
        { success: true, was_locked: true }
      ),
    ],
    ['GET', /^\/api\/admin\/users\/[^/]+\/sessions$/, () => ({ sessions: sampleSessions(), total: 2 })],
    ['DELETE', /^\/api\/admin\/users\/[^/]+\/sessions$/, () => ({ success: true, sessions_terminated: 2 })],
    ['DELETE', /^\/api\/admin\/users\/[^/]+\/sessions\/[^/]+$/, () => undefined],
    [
      'GET',
      /^\/api\/users\/search$/,
      (context) =>
        users.filter((user) =>
          user.full_name.toLowerCase().includes((context.url.searchParams.get('q') ?? '').toLowerCase()),
        ),
    ],
    ['GET', /^\/api\/users\/(?!me$)[^/]+$/, (context) => find(users, context.parts[2])],
    [
      'PUT',
      /^\/api\/users\/(?!me$)[^/]+$/,
      (context) =>
        Object.assign(find(users, context.parts[2]), json(context), { updated_at: new Date().toISOString() }),
    ],
    ['DELETE', /^\/api\/users\/[^/]+$/, (context) => take(users, context.parts[2])],
    [
      'GET',
      /^\/api\/admin\/user-approvals$/,
      (context) =>
        pageOf(
          context,
          users.filter((user) => user.approval_status === 'pending'),
        ),
    ],
    ['POST', /^\/api\/admin\/user-approvals\/[^/]+\/approve$/, (context) => decide(context, 'approved')],
    ['POST', /^\/api\/admin\/user-approvals\/[^/]+\/reject$/, (context) => decide(context, 'rejected')],
    ['GET', /^\/api\/admin\/audit-logs$/, (context) => pageOf(context, audit)],
    [
      'GET',
      /^\/api\/admin\/audit-logs\/export$/,
      ({ response }) => (response.end(audit.map((r) => `${r.timestamp},${r.event_type}`).join('\n')), null),
    ],
  ];
};

const setRole = (
  context: Context,
  user: Account,
  note: (event: string, whom: Account, details: Record<string, unknown>) => void,
) => {
  const [old_role, new_role] = [user.role, context.url.searchParams.get('new_role') as Account['role']];
  user.role = new_role;
  note('ADMIN_ROLE_CHANGE', user, { old_role, new_role });
  return { success: true, old_role, new_role };
};

const sampleSessions = () =>
  ['Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0', 'Mozilla/5.0 (iPhone) Version/19.0 Safari/604.1'].map(
    (agent, i) => ({
      uuid: randomUUID(),
      created_at: hoursAgo(30),
      expires_at: hoursAgo(-100),
      last_used_at: hoursAgo(i),
      ip_address: '192.0.2.7',
      user_agent: agent,
      current: false,
    }),
  );
