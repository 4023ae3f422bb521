import { dataFolder } from '../paths.ts';
import { Refusal } from '../refusal.ts';
import { readInstance } from '../setup/instance.ts';
import { openDataFolder } from './data-folder-installation.ts';
import type { Installation } from './installation.ts';
import { openServers } from './server-installation.ts';

/** The instance in a data folder; without one, the servers of DATABASE_URL. @throws Refusal when there is neither. */
export function openInstallation({ data }: { data?: string }): Installation {
  const folder = dataFolder(data);
  if (readInstance(folder) !== undefined) return openDataFolder(folder, data);
  const servers = data === undefined ? openServers(process.env) : undefined;
  if (servers !== undefined) return servers;
  const option = data === undefined ? '' : ` --data '${data}'`;
  throw new Refusal(`${folder.root} was not set up; start once with: ./overtone up${option}`);
}

/** Where backups are kept when no place is named; a data folder need not be set up for it. */
export function defaultBackupsPlace({ data }: { data?: string }): string {
  const folder = dataFolder(data);
  const servers = data === undefined && readInstance(folder) === undefined ? openServers(process.env) : undefined;
  return servers === undefined ? folder.backups : servers.backupsPlace();
}
