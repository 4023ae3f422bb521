import { createHmac } from 'node:crypto';
import { signIn, type Client } from './client.ts';
import { admin, type Instance } from './instance.ts';
import { asService, settingOf } from './service-access.ts';

/** Signs in as another user: inserts an account with the administrator's password into identity's database. */
export async function signInAsOther(instance: Instance, email: string): Promise<Client> {
  await asService(instance, 'identity', (query) =>
    query(
      `insert into "user" (email, full_name, role, password_hash, password_changed_at)
       select $1, 'Other User', 'user', password_hash, now() from "user" where lower(email) = lower($2)
       on conflict do nothing`,
      [email, admin.email],
    ),
  );
  return signIn(instance.baseUrl, email, admin.password);
}

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** The caller's token with changed claims, signed with the instance's key. */
export async function resignToken(instance: Instance, token: string, changed: object): Promise<string> {
  const [header = '', payload = ''] = token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
  const body = `${header}.${encoded({ ...claims, ...changed })}`;
  const key = await settingOf(instance, 'identity', 'JWT_SECRET_KEY');
  return `${body}.${createHmac('sha256', key).update(body).digest('base64url')}`;
}
