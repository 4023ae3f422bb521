import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createScenery } from './authorisation/scenery.ts';
import { signIn, type Client } from './client.ts';
import type { Context } from './context.ts';
import { cookieChecks } from './cookies.ts';
import { admin } from './instance.ts';
import { limitSignIns } from './people.ts';
import type { Check, Suite } from './runner.ts';
import { downloadOf, socketOf, within } from './running.ts';

const password = 'Correct-Horse-8-Battery';
const another = 'Correct-Horse-9-Battery';
/** More than fits into all the buffers on the way: a download of it is still running when its session ends. */
const size = 192 * 1024 * 1024;

type Person = { id: string; client: Client; elsewhere: () => Promise<Client> };
type Way = { rule: string; end: (root: Client, p: Person) => Promise<unknown> };

const ways: Way[] = [
  { rule: 'a changed role', end: (root, p) => root.ok('PUT', `/api/admin/users/${p.id}/role?new_role=admin`) },
  { rule: 'disabling the account', end: (root, p) => root.send('PUT', `/api/users/${p.id}`, { is_active: false }) },
  {
    rule: 'a password that an administrator resets',
    end: (root, p) => root.send('POST', `/api/admin/users/${p.id}/reset-password`, { new_password: another }),
  },
  {
    rule: 'a password that its owner changes elsewhere',
    end: async (_root, p) =>
      (await p.elsewhere()).send('PUT', '/api/users/me', { password: another, current_password: password }),
  },
  { rule: 'an administrator', end: (root, p) => root.ok('DELETE', `/api/admin/users/${p.id}/sessions`) },
  { rule: 'signing out everywhere', end: async (_root, p) => (await p.elsewhere()).ok('POST', '/api/auth/logout/all') },
  { rule: 'deleting the account', end: (root, p) => root.ok('DELETE', `/api/users/${p.id}`) },
];

/** What ends somebody's sessions ends what runs for them: requests, sockets and downloads. */
export const endedSessions = ({ instance }: Context): Suite => {
  let scenery: Awaited<ReturnType<typeof createScenery>>;
  let root: Client;

  const personOf = async (): Promise<Person & { file: string }> => {
    const email = `ends-${randomUUID()}@example.org`;
    const fields = { email, full_name: 'Ends Soon', password, must_change_password: false };
    const { uuid } = await root.send<{ uuid: string }>('POST', '/api/admin/users', fields);
    const elsewhere = () => signIn(instance.baseUrl, email, password);
    return { id: uuid, client: await elsewhere(), elsewhere, file: await scenery.recording(uuid, Buffer.alloc(size)) };
  };

  const check = ({ rule, end }: Way): Check => ({
    rule: `${rule} ends requests, sockets and running downloads`,
    limitMs: 60_000,
    run: async (say) => {
      const p = await personOf();
      const { token } = p.client;
      const socket = await socketOf(instance.baseUrl, token);
      const download = await downloadOf(`${instance.baseUrl}/api/files/${p.file}/content`, token);
      await end(root, p);
      const ended = Date.now();
      const [closed, cut] = await Promise.all([within(socket.over), within(download.over)]);
      assert.deepEqual([closed.what, cut.what], ['closed with 4004', 'cut off']);
      say(`the socket was open for ${closed.at - ended} ms, the download ran for ${cut.at - ended} ms`);
      assert.equal((await p.client.call('GET', '/api/users/me')).status, 401);
    },
  });

  return {
    name: 'Sessions that end',
    checks: [
      {
        rule: 'people, recordings and an administrator are there',
        vital: true,
        run: async () => {
          await limitSignIns(instance, 10_000);
          root = await signIn(instance.baseUrl, admin.email, admin.password);
          scenery = await createScenery(instance);
        },
      },
      ...ways.map(check),
      ...cookieChecks(instance),
    ],
    close: async () => {
      await scenery.close();
      await limitSignIns(instance, null);
    },
  };
};
