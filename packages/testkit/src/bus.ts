import type { NatsUser } from '@overtone/cli/servers';
import { natsUsers, serviceNames } from '@overtone/contracts';

/** Every service's bus user with its permissions of production, and `test`, who may say and hear everything. */
export function busUsers(password: string): NatsUser[] {
  return [
    ...serviceNames.map((user) => ({ user, password, ...natsUsers()[user] })),
    { user: 'test', password, publish: ['>'], subscribe: ['>'] },
  ];
}
