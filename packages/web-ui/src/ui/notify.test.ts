import { expect, it } from '@jest/globals';
import { notifications, notificationsStore } from '@mantine/notifications';
import { notify, notifyError } from './notify.ts';

it('shows a failure before the notices that wait for their place', () => {
  notificationsStore.updateState((state) => ({ ...state, limit: 2 }));
  for (const text of ['first', 'second', 'third']) notify(text);
  notifyError('It failed', new Error('The disk is full.'));
  const shown = notificationsStore.getState().notifications.map(({ message }) => message);
  expect(shown).toEqual(['The disk is full.', 'first']);
  notifications.clean();
});
