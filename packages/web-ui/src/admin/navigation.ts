import { msg } from '@lingui/core/macro';
import { translateOnRead } from '../lib/language.ts';
import type { User } from '../api/queries.ts';
import type { IconName } from '../ui/icons.tsx';

/** `under`: the beginning of the addresses that belong to the page. */
export type AdminPageLink = { to: string; under: string; label: string; superOnly?: boolean };
export type AdminGroup = { name: string; label: string; icon: IconName; pages: readonly AdminPageLink[] };

export const overviewPath = '/admin/overview';

const groups: readonly AdminGroup[] = translateOnRead([
  {
    name: 'people',
    label: msg`People`,
    icon: 'users',
    pages: [
      { to: '/admin/users', under: '/admin/users', label: msg`Users` },
      { to: '/admin/approvals', under: '/admin/approvals', label: msg`Approvals` },
      { to: '/groups', under: '/groups', label: msg`Groups` },
    ],
  },
  {
    name: 'sign-in',
    label: msg`Sign-in`,
    icon: 'key',
    pages: [
      {
        to: '/admin/authentication/local',
        under: '/admin/authentication',
        label: msg`Authentication`,
        superOnly: true,
      },
      { to: '/admin/directory-sync', under: '/admin/directory-sync', label: msg`Directory sync`, superOnly: true },
    ],
  },
  {
    name: 'speech',
    label: msg`Speech`,
    icon: 'audio',
    pages: [
      { to: '/admin', under: '/admin', label: msg`Engines and models` },
      { to: '/admin/accuracy', under: '/admin/accuracy', label: msg`Accuracy` },
      { to: '/admin/asr', under: '/admin/asr', label: msg`ASR provider`, superOnly: true },
      { to: '/admin/engine', under: '/admin/engine', label: msg`Engine configuration`, superOnly: true },
      { to: '/admin/voices', under: '/admin/voices', label: msg`Speaker profiles`, superOnly: true },
      { to: '/admin/language-models', under: '/admin/language-models', label: msg`Language models`, superOnly: true },
      { to: '/admin/labels', under: '/admin/labels', label: msg`Automatic labels`, superOnly: true },
      { to: '/admin/organisation', under: '/admin/organisation', label: msg`Organisation context`, superOnly: true },
    ],
  },
  {
    name: 'storage',
    label: msg`Storage`,
    icon: 'collection',
    pages: [
      { to: '/admin/backups', under: '/admin/backups', label: msg`Backups`, superOnly: true },
      { to: '/admin/media-mirror', under: '/admin/media-mirror', label: msg`Media mirror`, superOnly: true },
      { to: '/admin/watch-sources', under: '/admin/watch-sources', label: msg`Watch sources`, superOnly: true },
      { to: '/admin/retention', under: '/admin/retention', label: msg`Retention`, superOnly: true },
    ],
  },
  {
    name: 'privacy',
    label: msg`Privacy`,
    icon: 'shield',
    pages: [
      { to: '/admin/redaction', under: '/admin/redaction', label: msg`Redaction`, superOnly: true },
      { to: '/admin/public-links', under: '/admin/public-links', label: msg`Public links`, superOnly: true },
      { to: '/admin/legal-holds', under: '/admin/legal-holds', label: msg`Legal holds` },
      { to: '/admin/erasures', under: '/admin/erasures', label: msg`Erasures`, superOnly: true },
      { to: '/admin/audit', under: '/admin/audit', label: msg`Audit log`, superOnly: true },
    ],
  },
  {
    name: 'operations',
    label: msg`Operations`,
    icon: 'settings',
    pages: [
      { to: '/admin/queues', under: '/admin/queues', label: msg`Queues` },
      { to: '/admin/search', under: '/admin/search', label: msg`Search` },
      { to: '/admin/word-templates', under: '/admin/word-templates', label: msg`Word templates` },
    ],
  },
]);

/** The groups with the pages that the role may open; a group without one is left out. */
export function groupsFor(role: User['role']): AdminGroup[] {
  return groups
    .map((group) => ({ ...group, pages: group.pages.filter(({ superOnly }) => role === 'super_admin' || !superOnly) }))
    .filter(({ pages }) => pages.length > 0);
}

/** Whether the address belongs to the page; `/admin` itself has no addresses below it. */
export function isPageOf({ under }: Pick<AdminPageLink, 'under'>, path: string): boolean {
  return under === '/admin' ? path === '/admin' : path === under || path.startsWith(`${under}/`);
}

export function mayOpen(role: User['role'], path: string): boolean {
  if (role === 'super_admin') return true;
  if (role === 'user') return !path.startsWith('/admin');
  return !groups.some(({ pages }) => pages.some((page) => page.superOnly && isPageOf(page, path)));
}
