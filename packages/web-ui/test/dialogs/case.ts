import type { Locator, Page } from '@playwright/test';
import type { RequestBody, ResponseBody, Route } from '@overtone/client';
import type { ScriptedApi } from '../ring/scripted-api.ts';

/** A dialog, and what a person does in it. */
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
  /** False for a text that a reload loses after a question: passwords, and forms of one moment. */
  readonly isStored?: boolean;
  /** The button that closes the dialog without a request. */
  readonly cancel?: string;
  /** What the dialog requests; without it the dialog only shows something. */
  readonly request?: DialogRequest;
};

export type DialogRequest = {
  readonly submit: string;
  readonly route: Route;
  readonly sends?: unknown;
  readonly response?: unknown;
};

type TypedRequest<R extends Route> = Omit<DialogRequest, 'route' | 'sends' | 'response'> & {
  readonly route: R;
  readonly sends?: RequestBody<R>;
  readonly response?: ResponseBody<R>;
};

/** A request with the types of its route. */
export function request<R extends Route>(typed: TypedRequest<R>): DialogRequest {
  return typed;
}

export function button(name: string) {
  return (page: Page): Locator => page.getByRole('button', { name, exact: true });
}

/** Opens a dialog by an item of a menu. */
export function menuItem(menu: string, item: string): Pick<DialogCase, 'opener' | 'open'> {
  return {
    opener: button(menu),
    open: async (page) => {
      await button(menu)(page).click();
      await page.getByRole('menuitem', { name: item, exact: true }).click();
    },
  };
}

/** Fills a text field, whose text must then not be lost. */
export function text(label: string, value: string): Required<Pick<DialogCase, 'fill' | 'field'>> {
  return {
    fill: (dialog) => dialog.getByLabel(label, { exact: true }).fill(value),
    field: { label, text: value },
  };
}
