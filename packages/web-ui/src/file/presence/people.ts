import { t } from '@lingui/core/macro';
import type { Visitor } from '../../live/presence-store.ts';

const colors = ['blue', 'grape', 'teal', 'orange', 'pink', 'cyan', 'lime', 'violet'] as const;

export function nameOfPerson(visitor: Visitor | undefined): string {
  return visitor?.person.name ?? t`Someone`;
}

/** The same for a person on every page. */
export function colorOfPerson(visitor: Visitor | undefined): (typeof colors)[number] {
  return colors[parseInt(visitor?.person.uuid.slice(0, 4) ?? '', 16) % colors.length] ?? 'blue';
}
