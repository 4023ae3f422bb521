const sameSubmitMs = 500;

/** What a press acts on; text between controls belongs to the area around it. */
const controls = 'button, a, input, select, textarea, label, summary, [role], [tabindex]';
/** Buttons with a text start something. Icons and steppers (seek, zoom, increase) may be pressed repeatedly. */
const actions = '.mantine-Button-root';

/**
 * Makes a double click on anything that opens or starts something act like one click. The second press is ignored when it
 * is on a button with a text, or on what the first press opened: it would close a dialog, press the new “Cancel” or take
 * the focus from the new field. Enter twice, or held down, on a button with a text is ignored in the same way, and so is the
 * second submit of an unchanged form.
 */
export function ignoreSecondPresses(page: Window): void {
  let first: Element | null = null;
  const onPress = (event: MouseEvent): void => {
    const control = controlAt(event.target);
    if (event.type === 'mousedown' && event.detail <= 1) first = control;
    if (event.detail <= 1 || (control === first && !control?.matches(actions))) return;
    // Without the default action the focus stays where the first press has put it.
    event.preventDefault();
    event.stopPropagation();
  };
  let keyed = { control: null as Element | null, at: -Infinity };
  const onKeyedClick = (event: MouseEvent): void => {
    const control = controlAt(event.target);
    const now = performance.now();
    const isSecond = control === keyed.control && now - keyed.at < sameSubmitMs;
    keyed = { control, at: now };
    // The submit of a form has a rule of its own.
    if (!isSecond || !control?.matches(actions) || control.matches('[type=submit]')) return;
    event.preventDefault();
    event.stopPropagation();
  };
  page.addEventListener(
    'click',
    (event) => {
      // Only clicks of the keyboard have no number.
      if (event.isTrusted && event.detail === 0) onKeyedClick(event);
    },
    { capture: true },
  );
  for (const type of ['mousedown', 'mouseup', 'click', 'dblclick'] as const)
    page.addEventListener(type, onPress, { capture: true });

  const submittedAt = new WeakMap<EventTarget, number>();
  page.addEventListener(
    'submit',
    (event) => {
      const form = event.target;
      if (!form) return;
      const now = performance.now();
      if (now - (submittedAt.get(form) ?? -Infinity) < sameSubmitMs) {
        event.preventDefault();
        event.stopPropagation();
      } else submittedAt.set(form, now);
    },
    { capture: true },
  );
  // A button may change the form, too. Enter in a field clicks the submit button.
  const onChange = ({ target }: Event): void => {
    const form = target instanceof Element && !target.closest('[type=submit]') ? target.closest('form') : null;
    if (form) submittedAt.delete(form);
  };
  for (const type of ['input', 'click'] as const) page.addEventListener(type, onChange, { capture: true });
}

function controlAt(target: EventTarget | null): Element | null {
  if (!(target instanceof Element)) return null;
  return target.closest(controls) ?? target;
}
