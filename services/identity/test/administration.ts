import { addUser, admin, collectEvents, setUpIdentity, type RunningIdentity } from './running-identity.ts';

export type Session = Awaited<ReturnType<RunningIdentity['session']>>;
type Asked = { status: number; body: Record<string, unknown> };

/** A running identity service, a session of its first administrator, and access to rows, audit records and events. */
export async function startAdministration() {
  const { backends, identity } = await setUpIdentity();
  const events = collectEvents(backends.bus, 'evt.identity.>');
  const root = await identity.session();

  return {
    backends,
    identity,
    events,
    root,
    rootEmail: admin.email,
    ask: (path: string, by: Session, method = 'GET', json?: unknown) =>
      identity.ask(path, { method, caller: by.caller, ...(json === undefined ? {} : { json }) }),
    /** A user with a session. */
    member: async (fields: Record<string, unknown> = {}) => {
      const user = await addUser(backends.sql, fields);
      return { ...user, session: await identity.session(user.email, user.password) };
    },
    row: async (id: string): Promise<Record<string, unknown> | undefined> =>
      (await backends.sql.query<Record<string, unknown>>('select * from "user" where uuid = $1', [id])).rows[0],
    audited: async (id: string, event: string): Promise<Record<string, unknown>[]> =>
      (
        await backends.sql.query<Record<string, unknown>>(
          'select * from audit_log where user_id = $1 and event_type = $2 order by time',
          [id, event],
        )
      ).rows,
    hasEvent: (userId: string, reason?: string): boolean =>
      events.some((event) => event['userId'] === userId && (reason === undefined || event['reason'] === reason)),
    isDead: async (session: Session): Promise<boolean> =>
      (await identity.resolve(session.accessToken)) === null &&
      (await identity.refresh(session.refreshToken)).status === 401,
  };
}

export function codeOf(asked: Asked): unknown[] {
  return [asked.status, asked.body['code']];
}
