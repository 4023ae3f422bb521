import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createFixtures } from './authorisation/fixtures.ts';
import { signIn, type Client } from './client.ts';
import type { Context } from './context.ts';
import { cookieChecks } from './cookies.ts';
import { admin } from './instance.ts';
import type { Check, Suite } from './suite.ts';
import { openSocket, startDownload, waitForEnd } from './open-connections.ts';

const password = 'Correct-Horse-8-Battery';
const another = 'Correct-Horse-9-Battery';
/** More bytes than fit into the buffers, so that a download is still running when its session ends. */
const size = 192 * 1024 * 1024;

type User = { id: string; client: Client; signInAgain: () => Promise<Client> };
type SessionEnd = { rule: string; isNightly?: boolean; end: (root: Client, user: User) => Promise<unknown> };

const sessionEnds: SessionEnd[] = [
  { rule: 'a changed role', end: (root, user) => root.ok('PUT', `/api/admin/users/${user.id}/role?new_role=admin`) },
  {
    rule: 'disabling the account',
    end: (root, user) => root.send('PUT', `/api/users/${user.id}`, { is_active: false }),
  },
  {
    rule: 'a password that an administrator resets',
    isNightly: true,
    end: (root, user) => root.send('POST', `/api/admin/users/${user.id}/reset-password`, { new_password: another }),
  },
  {
    rule: 'a password that its owner changes in another session',
    isNightly: true,
    end: async (_root, user) =>
      (await user.signInAgain()).send('PUT', '/api/users/me', { password: another, current_password: password }),
  },
  {
    rule: 'revocation by an administrator',
    end: (root, user) => root.ok('DELETE', `/api/admin/users/${user.id}/sessions`),
  },
  {
    rule: 'signing out everywhere',
    isNightly: true,
    end: async (_root, user) => (await user.signInAgain()).ok('POST', '/api/auth/logout/all'),
  },
  { rule: 'deleting the account', end: (root, user) => root.ok('DELETE', `/api/users/${user.id}`) },
];

/** The end of a user's sessions ends their requests, sockets and downloads. */
export function endedSessions({ instance }: Context): Suite {
  let fixtures: Awaited<ReturnType<typeof createFixtures>>;
  let root: Client;

  const createUser = async (): Promise<User & { file: string }> => {
    const email = `ends-${randomUUID()}@example.org`;
    const fields = { email, full_name: 'Ends Soon', password, must_change_password: false };
    const { uuid } = await root.send<{ uuid: string }>('POST', '/api/admin/users', fields);
    const signInAgain = () => signIn(instance.baseUrl, email, password);
    return {
      id: uuid,
      client: await signInAgain(),
      signInAgain,
      file: await fixtures.recording(uuid, Buffer.alloc(size)),
    };
  };

  const check = ({ rule, isNightly = false, end }: SessionEnd): Check => ({
    rule: `${rule} ends requests, sockets and running downloads`,
    isNightly,
    limitMs: 60_000,
    run: async (log) => {
      const user = await createUser();
      const { token } = user.client;
      const socket = await openSocket(instance.baseUrl, token);
      const download = await startDownload(`${instance.baseUrl}/api/files/${user.file}/content`, token);
      await end(root, user);
      const ended = Date.now();
      const [closed, cut] = await Promise.all([waitForEnd(socket.ended), waitForEnd(download.ended)]);
      assert.deepEqual([closed.how, cut.how], ['closed with 4004', 'cut off']);
      log(`the socket was open for ${closed.at - ended} ms, the download ran for ${cut.at - ended} ms`);
      assert.equal((await user.client.call('GET', '/api/users/me')).status, 401);
    },
  });

  return {
    name: 'Ended sessions',
    checks: [
      {
        rule: 'users, recordings and an administrator exist',
        run: async () => {
          root = await signIn(instance.baseUrl, admin.email, admin.password);
          fixtures = await createFixtures(instance);
        },
      },
      ...sessionEnds.map(check),
      ...cookieChecks(instance),
    ],
    close: async () => {
      await fixtures.close();
    },
  };
}
