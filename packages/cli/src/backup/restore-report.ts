import type { Manifest, Withdrawn } from '@overtone/backup';
import type { Terminal } from '../terminal.ts';

/** Prints what the restored database does not give back, and what a person must look at. */
export function reportWithdrawn(manifest: Manifest, withdrawn: Withdrawn, terminal: Terminal): void {
  const { sessions, comparison, hasAccounts, keptRights, unreadable, auditRecords, administrators, disabled, demoted } =
    withdrawn;
  const { erasedAgain, unknownErasures } = withdrawn;
  terminal.done(`the backup is in use; ${sessions} sessions of its time ended`);
  if (auditRecords > 0) terminal.done(`${auditRecords} audit records since the backup are kept`);
  if (erasedAgain > 0)
    terminal.warn(
      `${erasedAgain} erased persons are in this backup: they are erased again after the start (Administration > Erasures)`,
    );
  if (unknownErasures > 0)
    terminal.warn(
      `${unknownErasures} erasures were recorded with keys that are not in ENCRYPTION_KEY: whether these persons are in the backup is unknown`,
    );
  if (unreadable.length > 0)
    terminal.warn(
      `These tables of the database until now could not be read, and nothing was compared with them: ${unreadable.join(', ')}`,
    );
  if (comparison === 'compared')
    terminal.done(
      hasAccounts
        ? 'rights were compared with the database until now'
        : 'the backup is from before the first account; its sign-in settings and mappings were compared with the database until now',
    );
  else
    terminal.warn(
      `${comparison === 'no_present' ? 'There was no database' : 'The database until now was that of another installation: there was none'} ` +
        `to compare rights with: disable the accounts that were disabled after ${manifest.created_at}`,
    );
  if (keptRights.length > 0)
    terminal.warn(
      `${keptRights.length} memberships, shares and group mappings that have ended since the backup are back`,
    );
  if (administrators === 0)
    terminal.warn(
      'The backup has no active super_admin; make one of an account with: restore again, --administrator EMAIL',
    );
  for (const email of disabled)
    terminal.warn(`${email} stays disabled: the account was disabled or deleted after the backup`);
  for (const email of demoted) terminal.warn(`${email} keeps the lower role it was given after the backup`);
  reportRemoved(withdrawn, terminal);
}

function reportRemoved({ memberships, shares, mappings, switches, settings }: Withdrawn, terminal: Terminal): void {
  const removed = [
    [memberships, 'group memberships'],
    [shares, 'shares of files'],
    [mappings, 'group mappings'],
  ] as const;
  for (const [count, kind] of removed)
    if (count > 0) terminal.warn(`${count} ${kind} stay as they were removed or limited after the backup`);
  if (switches.length > 0) terminal.warn(`These sign-in methods stay as they were until now: ${switches.join(', ')}`);
  if (settings.length > 0)
    terminal.warn(`These sign-in settings are those of the backup, and were others until now: ${settings.join(', ')}`);
}

/** Titles come from people; a terminal must not execute them. */
export function printable(text: string): string {
  return text.replaceAll(/\p{C}/gu, ' ');
}
