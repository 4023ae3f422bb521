export const refusedField = '[aria-invalid="true"]';

/** The first field that was refused is shown and gets the focus. */
export function focusRefusedField(form: HTMLFormElement | null): void {
  const field = form?.querySelector<HTMLElement>(refusedField);
  field?.scrollIntoView({ block: 'center' });
  field?.focus({ preventScroll: true });
}
