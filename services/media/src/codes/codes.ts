import type { CodeColor, CodedPassage, CodeListObject, CodeObject } from '@overtone/contracts';
import { conflict, forbidden, notFound, type AppError, type Caller } from '@overtone/service-kit';
import type { Action, Permission } from '../access/access.ts';
import type { Code, CodeList, MediaFile } from '../generated/client.ts';

/** All passages of a list, or of a code, that the caller may read, some at a time, with their whole text. */
export type ReadPassages = (
  caller: Caller,
  listId: string,
  codeId: string | undefined,
) => AsyncGenerator<{ passages: CodedPassage[]; files: MediaFile[] }>;

/** What of a list depends on the caller. */
export type ListFacts = {
  permission: Permission;
  /** null: the caller is the owner, or identity does not respond. */
  ownerName: string | null;
  isShared: boolean;
  /** Passages that the caller may read, by the id of their code. */
  passages: ReadonlyMap<string, number>;
};

export function toCodeListObject(list: CodeList, codes: readonly Code[], facts: ListFacts): CodeListObject {
  return {
    uuid: list.id,
    name: list.name,
    description: list.description,
    user_id: list.userId,
    owner_name: facts.ownerName,
    my_permission: facts.permission,
    is_shared: facts.isShared,
    codes: inOrder(codes).map((code) => toCodeObject(code, facts.passages.get(code.id) ?? 0)),
    created_at: list.createdAt.toISOString(),
    updated_at: list.updatedAt.toISOString(),
  };
}

export function toCodeObject(code: Code, passages: number): CodeObject {
  return {
    uuid: code.id,
    name: code.name,
    color: code.color as CodeColor,
    description: code.description,
    parent_uuid: code.parentId,
    passages,
  };
}

/** By name, each parent followed by its codes. */
export function inOrder<C extends Pick<Code, 'id' | 'name' | 'parentId'>>(codes: readonly C[]): C[] {
  const byName = codes.toSorted((left, right) => left.name.localeCompare(right.name) || (left.id < right.id ? -1 : 1));
  const below = Map.groupBy(byName, ({ parentId }) => parentId);
  return (below.get(null) ?? []).flatMap((parent) => [parent, ...(below.get(parent.id) ?? [])]);
}

/** The same error for an unknown list and for one the caller may not see. */
export function noSuchCodeList(): AppError {
  return notFound('There is no such list of codes.');
}

export function noSuchCode(): AppError {
  return notFound('There is no such code.');
}

export function codeListNotAllowed(action: Action): AppError {
  return forbidden(
    'permission_required',
    action === 'edit'
      ? 'This list of codes was shared with you for reading only.'
      : 'Only the owner of this list of codes and administrators may do this.',
  );
}

export function codeListExists(name: string, options?: ErrorOptions): AppError {
  return conflict('code_list_exists', `There is a list of codes named “${name}” already.`, options);
}

export function codeExists(name: string, options?: ErrorOptions): AppError {
  return conflict('code_exists', `The list has a code named “${name}” already.`, options);
}
