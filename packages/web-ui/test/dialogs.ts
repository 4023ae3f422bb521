import type { Locator, Page } from '@playwright/test';
import type { ResponseBody, RequestBody, Route } from '../src/api/routes.ts';
import { example, uuid } from './ring/example.ts';
import type { ScriptedApi } from './ring/scripted-api.ts';

/** A dialog that sends one request, and what a person does in it. */
export type DialogCase = {
  readonly name: string;
  /** The file below `src` that shows the dialog. */
  readonly source: string;
  readonly path: string;
  /** What the page shows: without it every response is the smallest one. */
  readonly world?: (api: ScriptedApi) => void;
  /** The button that gets the focus back. */
  readonly opener: (page: Page) => Locator;
  /** Opens the dialog; without it the opener is pressed. */
  readonly open?: (page: Page) => Promise<void>;
  /** Enters what can be submitted; without it the dialog only asks. */
  readonly fill?: (dialog: Locator) => Promise<void>;
  /** The field whose text must not be lost. */
  readonly field?: { readonly label: string; readonly text: string };
  /** The field of the request that a refusal can name. */
  readonly refusedField?: string;
  /** The text is not stored, so that a reload asks and loses it: passwords. */
  readonly secret?: boolean;
  readonly submit: string;
  readonly cancel?: string;
  readonly route: Route;
  readonly sends?: unknown;
  readonly response?: unknown;
};

type TypedCase<R extends Route> = Omit<DialogCase, 'route' | 'sends' | 'response'> & {
  readonly route: R;
  readonly sends?: RequestBody<R>;
  readonly response?: ResponseBody<R>;
};
function dialog<R extends Route>(row: TypedCase<R>): DialogCase {
  return row;
}

const group = example('GET /api/groups/{uuid}', { uuid: uuid(2), name: 'Editors', my_role: 'manager' });

/** Every dialog of the product. A test checks that none is missing. */
export const dialogs: readonly DialogCase[] = [
  dialog({
    name: 'Add group',
    source: 'groups/group-dialog.tsx',
    path: '/groups',
    opener: button('Add group'),
    fill: (form) => form.getByLabel('Name', { exact: true }).fill('Editors'),
    field: { label: 'Name', text: 'Editors' },
    refusedField: 'name',
    submit: 'Add group',
    route: 'POST /api/groups',
    sends: { name: 'Editors', description: '' },
    response: group,
  }),
  dialog({
    name: 'Edit group',
    source: 'groups/group-dialog.tsx',
    path: `/groups/${group.uuid}`,
    world: (api) => api.respond('GET /api/groups/{uuid}', group),
    opener: button('Edit'),
    fill: (form) => form.getByLabel('Name', { exact: true }).fill('Writers'),
    field: { label: 'Name', text: 'Writers' },
    refusedField: 'name',
    submit: 'Save',
    route: 'PUT /api/groups/{uuid}',
    sends: { name: 'Writers', description: '' },
    response: { ...group, name: 'Writers' },
  }),
];

function button(name: string) {
  return (page: Page): Locator => page.getByRole('button', { name, exact: true });
}
