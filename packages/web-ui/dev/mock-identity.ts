import type { UserObject } from '@overtone/contracts';
import { authConfigMock } from './mock-auth-config.ts';
import { groupsMock } from './mock-groups.ts';
import type { MockRoute } from './mock-kit.ts';
import { peopleMock } from './mock-people.ts';
import { signInMock } from './mock-sign-in.ts';
import { createWorld } from './mock-world.ts';

export const identityMock = (me: UserObject): MockRoute[] => {
  const world = createWorld(me);
  return [...signInMock, ...peopleMock(world), ...groupsMock(world), ...authConfigMock(me)];
};
