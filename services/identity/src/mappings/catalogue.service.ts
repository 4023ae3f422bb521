import type { MappingSource } from '@overtone/contracts';
import { invalid, notFound, type Caller, type Client } from '@overtone/service-kit';
import { writeAudit } from '../audit/audit.ts';
import { isUniqueViolation, type Db, type Tx } from '../database.ts';
import { checkMapping, createWarnings, toMappingObject, type MappingObject } from './mappings.ts';
import { mappingsStore as store, type MappingFields } from './mappings.store.ts';

type Changes = { [K in keyof MappingFields]?: MappingFields[K] | undefined } & { source?: MappingSource | undefined };

/** Lists, creates, changes and deletes mappings. */
export function createCatalogue({ db }: { db: Db }) {
  return {
    list: async (source: MappingSource | undefined): Promise<MappingObject[]> => {
      const mappings = await store.list(db, { source });
      const warningOf = createWarnings(mappings);
      return mappings.map((mapping) => toMappingObject(mapping, warningOf(mapping)));
    },

    create: async (
      caller: Caller,
      mapping: MappingFields & { source: MappingSource },
      client: Client,
    ): Promise<MappingObject> => {
      checkMapping(mapping);
      try {
        return await db.$transaction(async (tx) => {
          await store.lock(tx);
          await checkGroup(tx, mapping.groupId);
          const id = await store.create(tx, { ...mapping, createdBy: caller.userId });
          await audit(tx, caller, client, 'create', { ...mapping, id });
          return shown(tx, id);
        });
      } catch (error) {
        throw isUniqueViolation(error) ? exists(mapping.source, mapping.claimValue, error) : error;
      }
    },

    update: async (caller: Caller, id: string, changes: Changes, client: Client): Promise<MappingObject> => {
      let source = '';
      try {
        return await db.$transaction(async (tx) => {
          await store.lock(tx);
          const old = await store.find(tx, id);
          if (!old) throw noMapping();
          source = old.source;
          if (changes.source !== undefined && changes.source !== source) throw keepsSource(source);
          const next = merged(old, changes);
          checkMapping(next);
          await checkGroup(tx, next.groupId);
          await store.update(tx, id, next);
          await audit(tx, caller, client, 'update', { ...next, id, source });
          return shown(tx, id);
        });
      } catch (error) {
        throw isUniqueViolation(error) ? exists(source, changes.claimValue ?? '', error) : error;
      }
    },

    /** Memberships stay until the next sign-in or sync run. */
    delete: (caller: Caller, id: string, client: Client): Promise<undefined> =>
      db.$transaction(async (tx) => {
        await store.lock(tx);
        const old = await store.find(tx, id);
        if (!old) throw noMapping();
        await store.delete(tx, id);
        await audit(tx, caller, client, 'delete', old);
        return undefined;
      }),
  };
}

function audit(
  tx: Tx,
  caller: Caller,
  client: Client,
  action: 'create' | 'update' | 'delete',
  mapping: MappingFields & { id: string; source: string },
) {
  return writeAudit(tx, {
    event: 'admin.settings.change',
    outcome: 'success',
    actor: caller.userId,
    client,
    details: {
      setting: 'group_mapping',
      action,
      mapping: mapping.id,
      source: mapping.source,
      claim_value: mapping.claimValue,
      group: mapping.groupId ?? '',
      grants_role: mapping.grantsRole ?? '',
    },
  });
}

async function checkGroup(tx: Tx, groupId: string | null): Promise<void> {
  if (groupId !== null && !(await store.lockGroupShared(tx, groupId))) throw notFound('There is no such group');
}

async function shown(tx: Tx, id: string): Promise<MappingObject> {
  const [mapping] = await store.list(tx, { id });
  if (!mapping) throw noMapping();
  return toMappingObject(mapping, createWarnings(await store.claimsOf(tx, mapping.source))(mapping));
}

function exists(source: string, claimValue: string, cause: unknown) {
  return invalid('mapping_exists', `A ${source} mapping for '${claimValue}' already exists`, { cause });
}

function keepsSource(source: string) {
  const message = `A mapping keeps its source: ${source}`;
  return invalid('invalid_body', message, { errors: [{ path: 'source', message }] });
}

function noMapping() {
  return notFound('There is no such mapping');
}

function merged(old: MappingFields, changes: Changes): MappingFields {
  return {
    claimValue: changes.claimValue ?? old.claimValue,
    groupId: changes.groupId === undefined ? old.groupId : changes.groupId,
    grantsRole: changes.grantsRole === undefined ? old.grantsRole : changes.grantsRole,
    description: changes.description === undefined ? old.description : changes.description,
  };
}

export type Catalogue = ReturnType<typeof createCatalogue>;
